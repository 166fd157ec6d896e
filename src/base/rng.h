/* A small seeded generator: xoshiro256** (Blackman and Vigna, 2018) seeded by splitmix64.
 * The same seed gives the same sequence on every machine. Not for secrets. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct mb_rng {
    uint64_t state[4];
};

void mb_rng_init(struct mb_rng *rng, uint64_t seed);
uint64_t mb_rng_next(struct mb_rng *rng);

/* Uniform in [0, bound) without bias (Lemire 2019); bound >= 1. */
uint32_t mb_rng_below(struct mb_rng *rng, uint32_t bound);

/* Fisher-Yates shuffle of n indices. */
void mb_rng_shuffle(struct mb_rng *rng, uint32_t *indices, size_t n);
