/* GPU timestamps: pairs of queries, ticks to nanoseconds, and the timer's own resolution. */
#pragma once

#include "vk/gpu.h"
#include "vk/pipeline.h"
#include "vk/submit.h"

struct mb_timer {
    const struct mb_gpu *gpu;
    VkQueryPool pool;
    struct mb_pipeline primer; /* an empty dispatch */
};

/* `n_pairs` pairs of timestamp queries. UNSUPPORTED if the queue family has no timestamps
 * (timestampValidBits 0) or the period is not a positive number. */
MB_MUST_CHECK enum mb_status mb_timer_init(struct mb_timer *timer, const struct mb_gpu *gpu,
                                           uint32_t n_pairs, struct mb_err *err);
void mb_timer_finish(struct mb_timer *timer);

/* MB_OK if durations can be measured by the device's timestamps, else MB_UNSUPPORTED. Pure. */
MB_MUST_CHECK enum mb_status mb_timer_check(const struct mb_gpu_info *info, struct mb_err *why);

/* Duration from stamp `begin` to stamp `end`. MB_UNSUPPORTED if it is longer than half the
 * counter's wrap: time running backwards is reported, never returned as a number. Pure. */
MB_MUST_CHECK enum mb_status mb_ticks_to_ns(uint64_t begin, uint64_t end, uint32_t valid_bits,
                                            double period_ns, double *duration_ns,
                                            struct mb_err *err);

/* Reset pairs [first_pair, first_pair + n_pairs). */
void mb_timer_reset(const struct mb_timer *timer, VkCommandBuffer cmd, uint32_t first_pair,
                    uint32_t n_pairs);
/* Write query `query` once all commands before are complete. Pair i has queries 2i and 2i+1. */
void mb_timer_stamp(const struct mb_timer *timer, VkCommandBuffer cmd, uint32_t query);

/* Open the region of pair `pair`: reset its queries, prime, drain the device, stamp, and add an
 * execution barrier, as a stamp delays no command after it.
 *
 * Priming is one empty dispatch. The first dispatch of a submission pays for waking up the
 * shader engines, however many barriers precede it. On an H200, priming shortens an empty pair
 * from 1.89 to 0.64 us, a null dispatch from 4.48 to 1.76 us, and a chain of 12 dispatches from
 * 16.3 to 13.8 us. The difference is a cost of submitting, not of making mipmaps, which are
 * made among other work. */
void mb_timer_begin(const struct mb_timer *timer, VkCommandBuffer cmd, uint32_t pair);
/* Close the region: drain by a stamp at ALL_COMMANDS, then a full barrier. */
void mb_timer_end(const struct mb_timer *timer, VkCommandBuffer cmd, uint32_t pair);

/* `n` intervals: i runs from query first + i * step to the next query. For pairs, step is 2. */
struct mb_intervals {
    uint32_t first, step, n;
};

/* Read the durations of intervals of a complete submission, and check them against the host's
 * clock. MB_UNSUPPORTED, with the reason, if stamps are invalid: a stamp is missing or lies
 * before the stamp recorded before it, or all intervals together are longer than the host
 * waited. */
MB_MUST_CHECK enum mb_status mb_timer_read(const struct mb_timer *timer,
                                           const struct mb_submission *submission,
                                           struct mb_intervals intervals, double *durations_ns,
                                           struct mb_err *err);

/* Run a submission and read its pairs [0, n) as by mb_timer_read. If stamps are invalid, runs
 * again, at most a few times; then fails with MB_ERRC_RUNTIME. */
MB_MUST_CHECK enum mb_status mb_timer_run(const struct mb_timer *timer,
                                          struct mb_submission *submission, uint32_t n,
                                          double *durations_ns, struct mb_err *err);

/* (end - begin) modulo 2^valid_bits, 1 <= valid_bits <= 64. Pure. */
uint64_t mb_ticks_between(uint64_t begin, uint64_t end, uint32_t valid_bits);

/* How finely the timer resolves, and what it adds. */
struct mb_timer_marks {
    double granularity_ns;     /* least non-zero difference of neighbouring stamps */
    double granularity_gcd_ns; /* greatest common divisor of the differences */
    double empty_pair_ns;      /* median duration of a region with nothing in it */
    bool resolves_pairs;       /* every empty pair took longer than 0 */
};
extern const struct mb_timer_marks mb_no_timer_marks; /* NaN: not measured */

/* Least non-zero difference and greatest common divisor of the differences of `n` stamps, in
 * ticks; both 0 if all stamps are equal. Pure. */
void mb_ticks_granularity(const uint64_t *stamps, size_t n, uint32_t valid_bits,
                          uint64_t *least, uint64_t *gcd);

/* Measure the marks: 4096 stamps, 64 empty pairs. MB_ERRC_RUNTIME if all stamps are equal. */
MB_MUST_CHECK enum mb_status mb_timer_measure_marks(const struct mb_gpu *gpu,
                                                    struct mb_timer_marks *marks,
                                                    struct mb_err *err);
