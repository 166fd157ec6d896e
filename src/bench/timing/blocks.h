/* The sampling loop: randomised complete blocks, two samples in flight.
 *
 * Each block samples every candidate once, in a seeded random order, so that drift of the clock
 * affects all alike. A probe, a fixed piece of work, brackets every block: if it shows that the
 * clock moved, the block is flagged and repeated. A device that waits for the host between
 * short samples may consider itself idle and lower its clock for seconds; load raises it back
 * to the fastest clock seen. The loop checks after 20, 40, 80, 160 ... blocks whether the
 * medians are known well enough, and only then, so that stopping early does not pick lucky
 * moments. It knows no GPU: a sampler, which tests replace, starts and collects samples. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "result/samples.h"

#define MB_N_SLOTS      2u    /* samples in flight: the device works while the host wakes up */
#define MB_FIRST_LOOK   20u   /* blocks; doubled for each further look */
#define MB_REBASE_AFTER 3u    /* flagged blocks in a row whose two probes agree: a new clock */
#define MB_STEADY       0.005 /* largest spread of a steady probe over MB_N_WINDOWS */
#define MB_N_WINDOWS    5u
#define MB_WINDOW_NS    UINT64_C(20000000)
#define MB_MAX_LOAD_NS  UINT64_C(3000000000) /* longest wait for a clock to rise */

struct mb_probe;

struct mb_sampler {
    void *user;
    /* Start one sample of `candidate` in `slot`, which is free. */
    enum mb_status (*start)(void *user, size_t candidate, uint32_t slot, struct mb_err *err);
    /* Wait for the sample in `slot`. `*sample` arrives zeroed; its position is filled in
     * afterwards. */
    enum mb_status (*collect)(void *user, size_t candidate, uint32_t slot,
                              struct mb_sample *sample, struct mb_err *err);
    /* A monotonic clock; NULL: the host's. */
    uint64_t (*now_ns)(void *user);
    struct mb_probe *clock; /* for probe() and load(); NULL: no probe */
    /* How long a fixed piece of work takes now, with nothing else in flight. */
    enum mb_status (*probe)(struct mb_probe *clock, double *duration_ns, struct mb_err *err);
    /* Keep the device busy for some 20 ms. */
    enum mb_status (*load)(struct mb_probe *clock, struct mb_err *err);
    /* Called after each block with the number of whole blocks; true: stop now. NULL: never. */
    bool (*after_block)(void *user, uint32_t n_blocks);
};

struct mb_measure_options {
    size_t n_candidates;
    uint32_t n_parts; /* 0 to MB_MAX_PARTS */
    uint64_t seed;
    double *fastest_probe_ns; /* shortest probe of all loops so far, kept up to date; NULL:
                                 clocks are not raised */
    uint32_t min_warmup_blocks;
    uint64_t max_warmup_ns;          /* with a probe: until steady, but no longer than this */
    uint32_t min_blocks, max_blocks; /* 1 <= min <= max */
    uint64_t timeout_ns;             /* after any block, stop when this has passed; 0: none */
    uint64_t budget_ns; /* if timeout_ns is 0: stop when this and min_blocks have passed */
    double max_noise;   /* stop if each median's 95 % interval is within this, relative, on both
                           sides, or within half a granule; 0: never */
    double granularity_ns;
};

/* Warm up, then sample whole blocks until a reason of enum mb_stop applies. After an
 * interruption, `samples` keeps the whole blocks (mb_samples_finish, also after a failure). If
 * the sampler fails, samples in flight are not collected. */
MB_MUST_CHECK enum mb_status mb_measure(const struct mb_sampler *sampler,
                                        const struct mb_measure_options *options,
                                        struct mb_samples *samples, struct mb_err *err);
