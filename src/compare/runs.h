/* Two groups of runs compared, result by result. Pure: no files, no clock. */
#ifndef MB_COMPARE_RUNS_H
#define MB_COMPARE_RUNS_H

#include "compare/comparison.h"
#include "compare/group.h"

#define MB_FEW_RUNS 5 /* fewer on a side: what differs between runs is not in the interval */
/* Then this is added to the threshold. Where a process's images come to lie in memory moves
 * medians: five runs on an H200 agreed within 1.7 % where each was sure to 0.3 %, and without
 * it one comparison in a hundred of a build with itself was FASTER or SLOWER. */
#define MB_RUN_TO_RUN 0.01
/* Or, if that is more, how far a run's samples wander while it is made: the state that one run
 * finds a machine in differs from the next one's at least as much. Five runs on an H200 wander
 * by 0.3 % and differ by as much; on a CPU that has other work both are tenths. */
#define MB_WANDER_PARTS 5 /* in order of time, of which the medians are taken */
#define MB_MANY_RUNS    50
#define MB_FEW_SAMPLES  6 /* fewer have no 95 % interval of their median: 2 / 2^5 is 6 % */

struct mb_compare_options {
    double threshold;     /* a difference of this fraction is none: 0.01 */
    uint64_t seed;        /* of the resampling */
    uint32_t n_resamples; /* 0: by the number of results */
};

/* Compare. The groups must outlive the comparison. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_compare_runs(const struct mb_run_group *base,
                                             const struct mb_run_group *new_runs,
                                             const struct mb_compare_options *options,
                                             struct mb_comparison *comparison,
                                             struct mb_err *err);

#endif
