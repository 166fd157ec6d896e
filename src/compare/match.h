/* The same test in several runs. */
#pragma once

#include "stats/stats.h"
#include "result/result.h"

/* What a sample may be, in ns: a timer's smallest share of a batch, and hours. */
#define MB_SAMPLE_MIN_NS 1e-3
#define MB_SAMPLE_MAX_NS 1e13

/* Runs of one side: the same thing measured some times over. */
struct mb_run_group {
    const struct mb_run *files;
    size_t n_files; /* >= 1 */
};

/* The first file of the group that is of the same run as file `i`, which may be itself: that is
 * the same path, or the same id and all the same samples. */
size_t mb_first_of_run(const struct mb_run_group *group, size_t i);

/* Put each run of the group into `runs` once, borrowed; there is room for group->n_files.
 * Returns how many they are. */
size_t mb_runs_once(const struct mb_run_group *group, const struct mb_run **runs);

/* The rows of one test in several runs. Where the same image was given twice there are two of a
 * key: of the first in each run, and of the second. */
struct mb_test_rows {
    /* What was measured: the label; from timing_at the image but for its format and what is
     * made of it; from alpha_at how; and the format. Owned. */
    char *key;
    size_t timing_at, alpha_at;
    const struct mb_row **of;    /* [number of runs]; NULL: the run lacks it; borrowed */
    size_t occurrence;           /* how many of the key come before it */
    const struct mb_row *usable; /* the first with figures, or NULL; borrowed */
};

struct mb_tests {
    struct mb_test_rows *tests; /* owned; in the order of the runs and of their rows */
    size_t n;
    const struct mb_row **cells; /* of all of them; owned */
};

/* Match the rows of `runs[n_runs]`, which must outlive the tests. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_match_runs(const struct mb_run *const *runs, size_t n_runs,
                                           struct mb_tests *tests, struct mb_err *err);
void mb_tests_finish(struct mb_tests *tests); /* free and zero */

/* A test in some of the runs, taken together. */
struct mb_repeats {
    const struct mb_row *first;  /* NULL: nobody has it */
    const struct mb_row *usable; /* the first with figures */
    const struct mb_row *failed; /* the first that is wrong or broke */
    const struct mb_row *lost;   /* the first that is well, but for its samples */
    const char *failed_path;
    struct mb_runs runs;       /* of the usable ones, in an order of their own; series owned */
    double *samples_ns;        /* of all of them; owned */
    size_t n_samples, n_least; /* of all series; of the shortest */
    bool is_verified;          /* one of them was */
    bool is_unchecked;         /* one of the usable ones was not */
    double aa_distance;        /* of A/A twins from 1, the median over runs; 0: no twins */
    double granule_ns;         /* of the coarsest timer; 0: not known */
};

/* Gather what runs[n_runs] have of a test: of[n_runs]. It does not depend on the order of the
 * runs, but for first, usable, failed and lost. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_repeats_gather(const struct mb_run *const *runs, size_t n_runs,
                                               const struct mb_row *const *of,
                                               struct mb_repeats *repeats, struct mb_err *err);
void mb_repeats_finish(struct mb_repeats *repeats); /* free and zero */

/* The samples of a row that count, and how many of them are no times. */
size_t mb_row_n_samples(const struct mb_row *row);
size_t mb_row_n_bad_samples(const struct mb_row *row);

/* Has figures: it ran, was not found wrong, and all its samples are times. NULL has none. */
bool mb_is_usable(const struct mb_row *row);

/* By their samples: an order that does not depend on that of the files, so that resampling
 * draws the same. For qsort. */
int mb_series_compare(const void *a, const void *b);

/* A seed of its own for what was measured: rows that share one would share their luck. */
uint64_t mb_seed_of(uint64_t seed, const char *key);
