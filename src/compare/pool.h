/* Runs of the same device and build taken together: medians, ratios and verdicts of all of
 * them. Pure: no files, no clock. */
#pragma once

#include "compare/match.h"

/* Runs of one device, driver and build. */
struct mb_pool {
    const struct mb_run **runs; /* each once; the array is owned */
    size_t n_runs;
    /* A run of the pooled figures; texts are borrowed of the files. Each case has one timing,
     * and its rows are as those of a run, in the order of the files, with their label, slug,
     * status, verify, n, quantiles, median and relation:
     * - a status is failed where any of the runs failed it, and verify is passed only where it
     *   did in every run with figures;
     * - stats.median_ns is of the runs' medians, and its 95 % interval by resampling runs and
     *   blocks of samples; of a single run its own, by order statistics; NaN: too few samples;
     * - its p05 and p95 are of the samples of all runs;
     * - a relation is its time over that of the fastest, from blocks of the runs that have
     *   both: the median of the runs' medians. Where no run has both, of the runs' medians
     *   alone. NaN of what makes another image, or where nothing is the fastest. */
    struct mb_run run;
    /* [case][run]: the timing of the run that the case is of, NULL: it has none; owned. */
    const struct mb_timing ***timings;
};

struct mb_pools {
    struct mb_pool *pools; /* owned; in the order of the files */
    size_t n_pools;
    size_t n_repeated; /* files of a run that is there already: it counts once */
};

/* Pool. The files must outlive the pools. `how` is of the resampling. Fails only without
 * memory. */
MB_MUST_CHECK enum mb_status mb_pool_runs(const struct mb_run_group *files,
                                          const struct mb_bootstrap *how,
                                          struct mb_pools *pools, struct mb_err *err);

void mb_pools_finish(struct mb_pools *pools); /* free and zero */
