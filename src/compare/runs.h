/* Compares two groups of runs, test by test. Opens no files and reads no clock. */
#pragma once

#include "base/strlist.h"
#include "compare/match.h"

#define MB_FEW_RUNS 5 /* if a side has fewer, the interval lacks the spread between runs */
/* With few runs, this is added to the threshold of 1 %, as one run does not show how far the
 * next will differ. If single runs spread by 1 %, 11 of 100 comparisons of them are wrong at a
 * margin of 2 %, and 1 of 100 at 3.8 %. If they spread by 0.5 %, a change of 5 % shows. */
#define MB_RUN_TO_RUN 0.028
/* If a run's samples wander by more than MB_RUN_TO_RUN, that distance is added instead: between
 * runs, a machine's state differs at least as much. Five runs on an H200 wander by 0.3 % and
 * differ by as much; on a busy CPU both figures are 10 % or more. */
#define MB_WANDER_PARTS 5 /* parts of a run, in time order, whose medians are compared */
#define MB_MANY_RUNS    50

struct mb_compare_options {
    double threshold;     /* fraction up to which a difference is a tie: 0.01 */
    uint64_t seed;        /* for resampling */
    uint32_t n_resamples; /* 0: the default of mb_bootstrap */
};

/* How a test changed, the worst first. */
enum mb_change {
    MB_CHANGE_WRONG,      /* verified in the base, failed now */
    MB_CHANGE_GONE,       /* verified in the base, has no times now */
    MB_CHANGE_UNVERIFIED, /* verified in the base, not checked in some run now */
    MB_CHANGE_INEXACT,    /* exact in the base, claims less now */
    MB_CHANGE_SLOWER,     /* the last of the regressions */
    MB_CHANGE_FASTER,
    MB_CHANGE_TIED,
    MB_CHANGE_UNDECIDED,
    MB_CHANGE_NONE, /* cannot be compared, but nothing is worse */
    MB_N_CHANGES,
};

/* One test on both sides. */
struct mb_compared {
    const struct mb_row *row; /* the first row of the base, or else of the new runs; borrowed */
    enum mb_change change;
    char reason[400]; /* why it cannot be compared or decided, or "" */
    const struct mb_test *rows;
    const struct mb_repeats *side; /* rows->side, [MB_N_SIDES] */
    /* Figures, if both sides have times (mb_has_ratio). */
    double median_ns[MB_N_SIDES]; /* median of the runs' medians */
    struct mb_estimate ratio;     /* new over base; with too few samples, no interval */
    double p_adjusted;            /* Holm over all tests */
    double threshold; /* differences up to this are ties: the option and a timer step */
    double margin; /* a difference must exceed this: the threshold (more with few runs), or if
                      larger, the distance of the A/A twins' ratio from 1 */
    double spread; /* fraction by which runs, or samples within a run, differ; at least the
                      third quartile of all tests */
    uint32_t n_runs_needed; /* estimated runs per side for a verdict; 0: has a verdict;
                               MB_MANY_RUNS: that many or more */
    bool is_single_run;     /* fewer than MB_FEW_RUNS on a side */
    bool is_identical;      /* both sides have the same samples: a run compared with itself */
    enum mb_outcome outcome;
};

struct mb_comparison {
    struct mb_side_runs side[MB_N_SIDES];
    struct mb_compare_options options;
    struct mb_tests matched;   /* the rows that the tests compare */
    struct mb_compared *tests; /* owned; in the order of the first base file */
    size_t n_tests;
    struct mb_strlist warnings; /* a line each, without a full stop */
    size_t n_changes[MB_N_CHANGES];
    /* Numbers of tests with a ratio: all, those with few runs, and those with each outcome. */
    size_t n_compared, n_single_runs, n_outcomes[MB_OUTCOME_INCONCLUSIVE + 1];
    size_t n_regressions;
};

static inline bool mb_has_ratio(const struct mb_compared *test)
{
    return test->change >= MB_CHANGE_UNVERIFIED && test->change <= MB_CHANGE_UNDECIDED;
}

static inline bool mb_is_regression(const struct mb_compared *test)
{
    return test->change <= MB_CHANGE_SLOWER;
}

/* Compare two groups. Their files must outlive the comparison. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_compare_runs(const struct mb_run_group group[MB_N_SIDES],
                                             const struct mb_compare_options *options,
                                             struct mb_comparison *comparison,
                                             struct mb_err *err);

/* Free and zero. */
void mb_comparison_finish(struct mb_comparison *comparison);
