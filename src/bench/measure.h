/* The sampling loop: randomised complete blocks, two samples in flight.
 *
 * In each block every candidate is sampled once, in a seeded random order, so that drift of the
 * clock falls on all alike. The loop knows no GPU: a sampler starts and collects, and tests
 * bring their own. */
#ifndef MB_BENCH_MEASURE_H
#define MB_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define MB_N_SLOTS 2u /* samples in flight: the device works while the host wakes up */

struct mb_sampler {
    void *user;
    /* Start one sample of `candidate` in `slot`; the slot is free. */
    enum mb_status (*start)(void *user, size_t candidate, uint32_t slot, struct mb_err *err);
    /* Wait for it and return its duration. */
    enum mb_status (*collect)(void *user, size_t candidate, uint32_t slot, double *duration_ns,
                              struct mb_err *err);
    /* A monotonic clock. */
    uint64_t (*now_ns)(void *user);
    /* Called after each block with the number of whole blocks; true: stop now. */
    bool (*after_block)(void *user, uint32_t n_blocks);
};

struct mb_measure_options {
    size_t n_candidates;
    uint64_t seed;
    uint32_t min_warmup_blocks;
    uint64_t min_warmup_ns;
    uint32_t min_blocks, max_blocks; /* 1 <= min <= max */
    uint64_t budget_ns;              /* after min_blocks, stop when this has passed */
};

struct mb_samples {
    size_t n_candidates;
    uint32_t n_blocks;
    double *duration_ns; /* [block][candidate]; owned */
};

/* Warm up, then sample whole blocks until max_blocks, or the budget after min_blocks, or a stop
 * from after_block. What was sampled in whole blocks is kept in `samples` (mb_samples_finish)
 * also after a stop. A failure of the sampler ends the loop with all slots collected. */
MB_MUST_CHECK enum mb_status mb_measure(const struct mb_sampler *sampler,
                                        const struct mb_measure_options *options,
                                        struct mb_samples *samples, struct mb_err *err);
void mb_samples_finish(struct mb_samples *samples);

#endif
