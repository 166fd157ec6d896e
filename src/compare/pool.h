/* Runs of the same device and build taken together: medians, ratios and verdicts of all of
 * them. Pure: no files, no clock. */
#ifndef MB_COMPARE_POOL_H
#define MB_COMPARE_POOL_H

#include "compare/group.h"

/* A variant under one condition, over all runs that have figures of it. */
struct mb_pool_row {
    const struct mb_file_result *result; /* the first with figures; borrowed */
    size_t occurrence;                   /* of its key: the same image may be given twice */
    size_t n_runs, n_samples;
    double median_ns;       /* of the runs' medians */
    double median_ci_ns[2]; /* 95 %, by resampling runs and blocks of samples; of a single run
                               its own, by order statistics; NaN: too few samples */
    enum mb_result_status status; /* failed where any of the runs failed it */
    enum mb_verify_status verify; /* passed only where it did in every run with figures */
    /* Its time over that of the fastest, from blocks of the runs that have both: the median of
     * the runs' medians. Where no run has both, of the runs' medians alone. NaN of what makes
     * another image, or where nothing is the fastest. */
    struct mb_relation relation;
};

/* A case under one condition. */
struct mb_pool_timing {
    struct mb_pool_row *rows; /* owned; in the order of the files */
    size_t n_rows;            /* >= 1 */
    enum mb_question question;
    size_t fastest; /* the fastest verified row that answers it, or SIZE_MAX */
    size_t winner;  /* the same where the sentence names it, or SIZE_MAX */
    char *sentence; /* as for a single run (mb_ranking_describe), without the limit; owned */
};

/* Runs of one device, driver and build. */
struct mb_pool {
    struct mb_run_group runs; /* each once; the array is owned, what the files hold is not */
    struct mb_pool_timing *timings; /* owned */
    size_t n_timings;
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

#endif
