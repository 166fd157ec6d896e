/* Two groups of runs compared, result by result. Pure: no files, no clock. */
#pragma once

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

#define MB_MAX_COMPARE_WARNINGS 16
#define MB_COMPARE_TEXT_BYTES   640

enum mb_compare_side { MB_BASE, MB_NEW, MB_N_SIDES };

struct mb_compare_options {
    double threshold;     /* a difference of this fraction is none: 0.01 */
    uint64_t seed;        /* of the resampling */
    uint32_t n_resamples; /* 0: by the number of results */
};

/* A result that both sides have figures of. */
struct mb_compare_row {
    struct mb_found found[MB_N_SIDES];
    double median_ns[MB_N_SIDES]; /* of the medians of runs */
    struct mb_estimate ratio;     /* new over base */
    double p_adjusted;            /* Holm over all rows */
    double threshold; /* what counts as no difference: that of the options and a granule of the
                         timer */
    double margin;    /* what a difference must clear: the same, more for few runs, or how far
                         A/A twins are from 1, if that is more */
    double spread;    /* of runs, as a fraction: between those there are, or within them; of
                         three rows in four, if that is more */
    uint32_t n_runs_needed; /* a side, about, for a verdict; 0: there is one; MB_MANY_RUNS is
                               that or more */
    bool is_checked;        /* all were verified; else some were measured with --no-verify */
    bool is_check_lost;     /* verified in base, and some of the new runs were not */
    bool is_exact_lost;     /* exact in base, and in the new runs it only claims less */
    bool is_single_run;     /* fewer than MB_FEW_RUNS of them on a side */
    bool is_regression;     /* SLOWER, is_check_lost or is_exact_lost */
    char reason[80];        /* why there is neither interval nor p: a single run has fewer than
                               MB_FEW_SAMPLES; or "" */
    bool is_identical;      /* the very same samples: one run compared with itself */
    enum mb_outcome outcome;
};

/* A result that cannot be compared. */
struct mb_compare_gap {
    const struct mb_row *row; /* of either side; borrowed */
    char reason[MB_COMPARE_TEXT_BYTES];
    const char *new_format; /* of a base result that is there in another format, or NULL */
    bool is_regression; /* it was verified in base, and is wrong, without figures or gone in the
                           new runs, or missing in one that was not completed */
};

struct mb_comparison {
    struct mb_run_group group[MB_N_SIDES]; /* what was compared, and how */
    struct mb_compare_options options;
    struct mb_compare_row *rows; /* owned; in the order of the first base file */
    size_t n_rows;
    struct mb_compare_gap *gaps; /* owned */
    size_t n_gaps;
    /* A line each, without a stop at its end. */
    char warnings[MB_MAX_COMPARE_WARNINGS][MB_COMPARE_TEXT_BYTES];
    size_t n_warnings;
    size_t n_single_runs; /* rows of fewer than MB_FEW_RUNS on a side */
    size_t n_checks_lost; /* rows that were verified, and are not now */
    size_t n_exact_lost;  /* rows that were exact, and are not now */
    size_t n_outcomes[MB_OUTCOME_INCONCLUSIVE + 1];
    size_t n_regressions, n_lost; /* of rows and gaps; of gaps */
};

/* Compare two groups. Their files must outlive the comparison. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_compare_runs(const struct mb_run_group group[MB_N_SIDES],
                                             const struct mb_compare_options *options,
                                             struct mb_comparison *comparison,
                                             struct mb_err *err);

/* Free and zero. */
void mb_comparison_finish(struct mb_comparison *comparison);
