/* The generator against the reference sequences of its authors' C code, computed independently.
 */
#include "base/alloc.h"
#include "base/rng.h"
#include "check.h"

static void check_sequence(struct mb_rng rng, const uint64_t *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        CHECK(mb_rng_next(&rng) == want[i]);
    }
}

static void test_reference(void)
{
    const uint64_t plain[] = {11520,
                              0,
                              1509978240,
                              UINT64_C(1215971899390074240),
                              UINT64_C(1216172134540287360),
                              UINT64_C(607988272756665600)};
    check_sequence((struct mb_rng){.state = {1, 2, 3, 4}}, plain, 6);

    struct mb_rng rng;
    mb_rng_init(&rng, 1234567); /* splitmix64's published first four */
    CHECK(rng.state[0] == UINT64_C(6457827717110365317));
    CHECK(rng.state[1] == UINT64_C(3203168211198807973));
    CHECK(rng.state[2] == UINT64_C(9817491932198370423));
    CHECK(rng.state[3] == UINT64_C(4593380528125082431));

    mb_rng_init(&rng, 0);
    check_sequence(rng,
                   (const uint64_t[]){UINT64_C(0x99ec5f36cb75f2b4),
                                      UINT64_C(0xbf6e1f784956452a),
                                      UINT64_C(0x1a5f849d4933e6e0)},
                   3);
    mb_rng_init(&rng, UINT64_MAX);
    check_sequence(rng,
                   (const uint64_t[]){UINT64_C(0x8f5520d52a7ead08),
                                      UINT64_C(0xc476a018caa1802d),
                                      UINT64_C(0x81de31c0d260469e)},
                   3);
}

static void test_ranges(void)
{
    struct mb_rng rng;
    mb_rng_init(&rng, 7);
    unsigned n_seen[6] = {0};
    for (unsigned i = 0; i < 60000; i++) {
        const uint32_t value = mb_rng_below(&rng, 6);
        CHECK(value < 6);
        n_seen[value % 6]++;
        const double unit = check_random_unit(&rng);
        CHECK(unit >= 0 && unit < 1);
    }
    for (unsigned i = 0; i < 6; i++) {
        CHECK(n_seen[i] > 9500 && n_seen[i] < 10500); /* 5.5 standard deviations */
    }
    CHECK_EQ_INT(mb_rng_below(&rng, 1), 0);
    CHECK(mb_rng_below(&rng, UINT32_MAX) < UINT32_MAX);
}

static void test_shuffle(void)
{
    /* All six orders of three, each about as often. */
    unsigned n_seen[27] = {0};
    struct mb_rng rng;
    mb_rng_init(&rng, 11);
    for (unsigned i = 0; i < 6000; i++) {
        uint32_t order[3] = {0, 1, 2};
        mb_rng_shuffle(&rng, order, 3);
        CHECK_EQ_INT((1u << order[0]) + (1u << order[1]) + (1u << order[2]), 7);
        n_seen[order[0] * 9 + order[1] * 3 + order[2]]++;
    }
    unsigned n_orders = 0;
    for (unsigned i = 0; i < 27; i++) {
        n_orders += n_seen[i] > 0;
        CHECK(n_seen[i] == 0 || (n_seen[i] > 850 && n_seen[i] < 1150));
    }
    CHECK_EQ_INT(n_orders, 6);
    mb_rng_shuffle(&rng, NULL, 0);
}

int main(void)
{
    return CHECK_TESTS(test_reference, test_ranges, test_shuffle);
}
