/* Timing the strategies of one cell under its cache condition and mode. */
#ifndef MB_BENCH_TIMING_H
#define MB_BENCH_TIMING_H

#include "bench/cell.h"
#include "bench/judge.h"
#include "bench/ruler.h"

struct mb_timing_options {
    const struct mb_settings *settings;
    const struct mb_hooks *hooks;
    struct mb_ruler *ruler; /* with a timer */
    const struct mb_rig *rig;
    const struct mb_candidate *candidates; /* one per row; result i of the cell is row i's */
    const size_t *ready;                   /* indices of those to be timed */
    size_t n_ready;                        /* at least 1 */
};

/* Sample all of them, interleaved, with one of them under two names and the null twins (in
 * latency mode) among them, and fill the samples of `cell` and the figures of its results.
 * Where the condition cannot be had (a cold cache of more images than is sensible, or one that
 * the device cannot be made to evict), every result says so as a skipped one; so does one whose
 * times the device's clock does not resolve. Fails on Vulkan errors and without memory. */
MB_MUST_CHECK enum mb_status mb_timing_run(const struct mb_timing_options *options,
                                           struct mb_cell *cell, struct mb_err *err);

#endif
