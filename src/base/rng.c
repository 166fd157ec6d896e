/* xoshiro256** 1.0 and splitmix64, after the authors' public-domain reference
 * (https://prng.di.unimi.it/). */
#include "base/rng.h"

static uint64_t splitmix64(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, unsigned n_bits)
{
    return (x << n_bits) | (x >> (64 - n_bits));
}

void mb_rng_init(struct mb_rng *rng, uint64_t seed)
{
    for (size_t i = 0; i < 4; i++) {
        rng->state[i] = splitmix64(&seed);
    }
}

uint64_t mb_rng_next(struct mb_rng *rng)
{
    uint64_t *s = rng->state;
    const uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint32_t mb_rng_below(struct mb_rng *rng, uint32_t bound)
{
    /* The high half of a 32x32 product is the draw. Low halves below 2^32 mod bound would occur
     * once too often: draw again. The modulo, which is below `bound`, is computed only if the
     * low half is below `bound`, too (Lemire 2019). */
    uint64_t product = (mb_rng_next(rng) >> 32) * bound;
    if ((uint32_t)product < bound) {
        const uint32_t reject_below = (uint32_t)(-bound) % bound;
        while ((uint32_t)product < reject_below) {
            product = (mb_rng_next(rng) >> 32) * bound;
        }
    }
    return (uint32_t)(product >> 32);
}

void mb_rng_shuffle(struct mb_rng *rng, uint32_t *indices, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = mb_rng_below(rng, (uint32_t)i);
        const uint32_t swapped = indices[i - 1];
        indices[i - 1] = indices[j];
        indices[j] = swapped;
    }
}
