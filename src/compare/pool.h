/* Pools runs of the same device and build: medians, ratios and verdicts over all of them. Opens
 * no files and reads no clock. */
#pragma once

#include "compare/match.h"

/* Runs of one device, driver and build. */
struct mb_pool {
    const struct mb_run **runs; /* each once; the array is owned */
    size_t n_runs;
    /* The pooled figures as a run; its texts are borrowed from the files. Each case has one
     * timing, with rows in the order of the files:
     * - the status is failed if any run failed;
     * - verify is pass only if every run with figures passed; all other facts about
     *   correctness come from the first run that failed, or else the first with figures;
     * - stats.median_ns is the median of the runs' medians;
     * - its 95 % interval comes from resampling runs and blocks of samples (for a single run,
     *   from order statistics) and is NaN if samples are too few;
     * - p05 and p95 are quantiles of the samples of all runs;
     * - the relation is the row's time over the fastest row's: the median of the runs' medians,
     *   from blocks of the runs that have both rows, or if none has, from whole runs. It is NaN
     *   if the row makes another image, or if no row is fastest. */
    struct mb_run run;
    /* [case][run]: the run's timing that the case pools, or NULL if it has none; owned. */
    const struct mb_timing **timings;
};

struct mb_pools {
    struct mb_pool *pools; /* owned; in the order of the files */
    size_t n_pools;
    size_t n_repeated; /* files that repeat a run; each run counts once */
};

/* Pool the files, which must outlive the pools; `how` says how to resample. Fails only without
 * memory. */
MB_MUST_CHECK enum mb_status mb_pool_runs(const struct mb_run_group *files,
                                          const struct mb_bootstrap *how,
                                          struct mb_pools *pools, struct mb_err *err);

void mb_pools_finish(struct mb_pools *pools); /* free and zero */
