/* Two groups of runs compared, test by test. Pure: no files, no clock. */
#pragma once

#include "base/strlist.h"
#include "compare/match.h"

#define MB_FEW_RUNS 5 /* fewer on a side: what differs between runs is not in the interval */
/* Then this is added to the threshold, 1 %, as nothing in a run shows how far the next one
 * differs. Runs that spread by 1 % gave false verdicts in 11 of 100 comparisons of single runs
 * at a margin of 2 %; at 3.8 % in 1. Then single runs that spread by 0.5 % still find 5 %. */
#define MB_RUN_TO_RUN 0.028
/* Or, if that is more, how far a run's samples wander while it is made: the state that one run
 * finds a machine in differs from the next one's at least as much. Five runs on an H200 wander
 * by 0.3 % and differ by as much; on a CPU that has other work both are tenths. */
#define MB_WANDER_PARTS 5 /* in order of time, of which the medians are taken */
#define MB_MANY_RUNS    50
#define MB_FEW_SAMPLES  6 /* fewer have no 95 % interval of their median: 2 / 2^5 is 6 % */

enum mb_compare_side { MB_BASE, MB_NEW, MB_N_SIDES };

struct mb_compare_options {
    double threshold;     /* a difference of this fraction is none: 0.01 */
    uint64_t seed;        /* of the resampling */
    uint32_t n_resamples; /* 0: by the number of tests */
};

/* What became of a test, the worst first. */
enum mb_change {
    MB_CHANGE_WRONG,      /* verified in the base, failed now */
    MB_CHANGE_GONE,       /* verified in the base, without times now */
    MB_CHANGE_UNVERIFIED, /* verified in the base, not checked in some run now */
    MB_CHANGE_INEXACT,    /* exact in the base, claims less now */
    MB_CHANGE_SLOWER,     /* the last of the regressions */
    MB_CHANGE_FASTER,
    MB_CHANGE_TIED,
    MB_CHANGE_UNDECIDED,
    MB_CHANGE_NONE, /* cannot be compared, and nothing is worse for it */
    MB_N_CHANGES,
};

/* One test on both sides. */
struct mb_compared {
    const struct mb_row *row; /* the first of the base, or else of the new runs; borrowed */
    enum mb_change change;
    char reason[400];                /* why it cannot be compared or decided, or "" */
    const struct mb_test_rows *rows; /* of the base's runs, and then of the new ones */
    struct mb_repeats side[MB_N_SIDES];
    /* Figures, where both sides have times (mb_has_ratio). */
    double median_ns[MB_N_SIDES]; /* of the medians of runs */
    struct mb_estimate ratio;     /* new over base; NaN but for the figure: too few samples */
    double p_adjusted;            /* Holm over all tests */
    double threshold; /* what counts as no difference: that of the options and a granule of the
                         timer */
    double margin;    /* what a difference must clear: the same, more for few runs, or how far
                         A/A twins are from 1, if that is more */
    double spread;    /* of runs, as a fraction: between those there are, or within them; of
                         three tests in four, if that is more */
    uint32_t n_runs_needed; /* a side, about, for a verdict; 0: there is one; MB_MANY_RUNS is
                               that or more */
    bool is_single_run;     /* fewer than MB_FEW_RUNS on a side */
    bool is_identical;      /* the very same samples: one run compared with itself */
    enum mb_outcome outcome;
};

/* The runs of a side, each once. */
struct mb_side_runs {
    const struct mb_run **runs; /* the array is owned */
    size_t n_runs;
};

struct mb_comparison {
    struct mb_side_runs side[MB_N_SIDES];
    struct mb_compare_options options;
    struct mb_tests matched;   /* that the tests are of */
    struct mb_compared *tests; /* owned; in the order of the first base file */
    size_t n_tests;
    struct mb_strlist warnings; /* a line each, without a stop at its end */
    size_t n_changes[MB_N_CHANGES];
    /* Of tests with a ratio: all of them, those of few runs, and by outcome. */
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
