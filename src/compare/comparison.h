/* What a comparison of two groups of runs found, as plain data. */
#ifndef MB_COMPARE_COMPARISON_H
#define MB_COMPARE_COMPARISON_H

#include "base/stats.h"
#include "result/result_file.h"

/* A result that both sides have figures of. */
struct mb_compare_row {
    const struct mb_file_result *base, *new_run; /* the first of each side; borrowed */
    size_t n_base, n_new;                        /* distinct runs with figures */
    double base_ns, new_ns;                      /* median of the medians of runs */
    double ratio, ratio_ci[2];                   /* new over base */
    double p, p_adjusted;                        /* Holm over all rows */
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
    bool is_single_run;     /* fewer than MB_FEW_RUNS of them on a side */
    bool has_few_samples;   /* of a single run fewer than MB_FEW_SAMPLES: no interval, no p */
    bool is_regression;     /* SLOWER, or is_check_lost */
    char reason[80];        /* why there is no verdict, or "" */
    bool is_identical;      /* the very same samples: one run compared with itself */
    enum mb_outcome outcome;
};

/* A result that cannot be compared. */
struct mb_compare_gap {
    const struct mb_file_result *result; /* of either side; borrowed */
    char reason[640];
    const char *new_format; /* of a base result that is there in another format, or NULL */
    bool is_regression; /* it was verified in base, and is wrong or without figures in the new
                           runs, or missing in one that was not completed */
};

/* One line, without a stop at its end. */
struct mb_compare_warning {
    char text[640];
};

struct mb_comparison {
    struct mb_compare_row *rows; /* owned; in the order of the first base file */
    size_t n_rows;
    struct mb_compare_gap *gaps; /* owned */
    size_t n_gaps;
    struct mb_compare_warning *warnings; /* owned */
    size_t n_warnings;
    size_t n_single_runs; /* rows of fewer than MB_FEW_RUNS on a side */
    size_t n_checks_lost; /* rows that were verified, and are not now */
    size_t n_outcomes[MB_OUTCOME_INCONCLUSIVE + 1];
    size_t n_regressions; /* of rows and gaps */
};

/* Free and zero. */
void mb_comparison_finish(struct mb_comparison *comparison);

#endif
