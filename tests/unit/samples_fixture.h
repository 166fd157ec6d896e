/* Samples whose truth is known. */
#ifndef MB_TESTS_SAMPLES_FIXTURE_H
#define MB_TESTS_SAMPLES_FIXTURE_H

#include <math.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "bench/timing/blocks.h"

/* Blocks that all count, of columns that take `ns` times their ratio, each sample off by up to
 * half of `noise`; a clock that wanders by `wander` from block to block, which pairing takes
 * out. The caller owns them. */
static inline struct mb_samples make_samples(uint32_t n_blocks, size_t n_columns, double ns,
                                             const double *ratio, double noise, double wander)
{
    struct mb_samples samples = {
        .n_candidates = n_columns,
        .n_blocks = n_blocks,
        .n_kept = n_blocks,
        .block = mb_alloc(n_blocks, sizeof *samples.block),
        .sample = mb_alloc(n_blocks * n_columns, sizeof *samples.sample),
    };
    struct mb_rng rng;
    mb_rng_init(&rng, 3);
    for (size_t i = 0; i < n_blocks * n_columns; i++) {
        const double clock = 1.0 + wander * sin((double)(i / n_columns) / 10.0);
        samples.block[i / n_columns].is_kept = true;
        samples.sample[i].duration_ns =
            ns * clock * ratio[i % n_columns] * (1.0 + noise * (check_random_unit(&rng) - 0.5));
    }
    return samples;
}

#endif
