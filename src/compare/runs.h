/* Compares two groups of runs, test by test. Opens no files and reads no clock. */
#pragma once

#include "base/strlist.h"
#include "compare/match.h"

#define MB_FEW_RUNS 5 /* with fewer on a side the interval lacks the spread between runs */
/* With few runs this is added to the threshold of 1 %, as nothing in a run shows how far the
 * next one differs. For runs that spread by 1 %, 11 of 100 comparisons of single runs were
 * false at a margin of 2 %, and 1 at 3.8 %. Single runs that spread by 0.5 % still show a
 * change of 5 %. */
#define MB_RUN_TO_RUN 0.028
/* Or, if that is more, how far samples wander during a run: between runs the state of a machine
 * differs at least as much. Five runs on an H200 wander by 0.3 % and differ by as much; on a
 * busy CPU both are tenths. */
#define MB_WANDER_PARTS 5 /* of a run, in time order, whose medians show how far it wanders */
#define MB_MANY_RUNS    50

struct mb_compare_options {
    double threshold;     /* fraction up to which a difference is a tie: 0.01 */
    uint64_t seed;        /* for resampling */
    uint32_t n_resamples; /* 0: as mb_bootstrap has it */
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
    const struct mb_row *row; /* the first of the base, or else of the new runs; borrowed */
    enum mb_change change;
    char reason[400]; /* why it cannot be compared or decided, or "" */
    const struct mb_test *rows;
    const struct mb_repeats *side; /* [MB_N_SIDES], of its rows */
    /* Figures, if both sides have times (mb_has_ratio). */
    double median_ns[MB_N_SIDES]; /* of the medians of runs */
    struct mb_estimate ratio;     /* new over base; only the figure with too few samples */
    double p_adjusted;            /* Holm over all tests */
    double
        threshold; /* up to which a difference is a tie: the option, and a step of the timer */
    double margin; /* that a difference must exceed: the threshold, more with few runs, or the
                      distance of A/A twins from 1 if larger */
    double spread; /* fraction by which runs differ, between or within them; at least that of
                      three tests in four */
    uint32_t n_runs_needed; /* about how many a side would give a verdict; 0: there is one;
                               MB_MANY_RUNS: that many or more */
    bool is_single_run;     /* fewer than MB_FEW_RUNS on a side */
    bool is_identical;      /* both sides have the same samples: a run compared with itself */
    enum mb_outcome outcome;
};

struct mb_comparison {
    struct mb_side_runs side[MB_N_SIDES];
    struct mb_compare_options options;
    struct mb_tests matched;   /* rows of the tests */
    struct mb_compared *tests; /* owned; in the order of the first base file */
    size_t n_tests;
    struct mb_strlist warnings; /* a line each, without a full stop */
    size_t n_changes[MB_N_CHANGES];
    /* Numbers of tests with a ratio: all, with few runs, and by outcome. */
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
