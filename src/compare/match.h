/* The same test in several runs. */
#pragma once

#include "stats/stats.h"
#include "result/result.h"

/* Bounds of a plausible sample, in ns: a timer step divided by a long batch, and hours. */
#define MB_SAMPLE_MIN_NS 1e-3
#define MB_SAMPLE_MAX_NS 1e13

enum mb_side { MB_BASE, MB_NEW, MB_N_SIDES };

/* The files of one side: repeated measurements of the same tests. */
struct mb_run_group {
    const struct mb_run *files;
    size_t n_files; /* >= 1 */
};

/* The distinct runs of one side. */
struct mb_side_runs {
    const struct mb_run **runs; /* the array is owned; runs are borrowed */
    size_t n_runs;
};

/* Put each run of the group into runs[group->n_files] once: files with the same bytes hold the
 * same run. Returns the number of runs. */
size_t mb_runs_once(const struct mb_run_group *group, const struct mb_run **runs);

/* One test in the runs of a side, taken together. The order of the runs affects only first,
 * usable, failed and lost. */
struct mb_repeats {
    const struct mb_row *first;  /* NULL: no run has the test */
    const struct mb_row *usable; /* the first row with figures */
    const struct mb_row *failed; /* the first row that failed or has wrong texels */
    const struct mb_row *lost;   /* the first row that ran well but has no good samples */
    const char *failed_path;
    struct mb_runs runs; /* samples of usable rows, by mb_series_compare; series owned */
    double *samples_ns;  /* of all series; owned */
    size_t n_samples;    /* of all series */
    bool is_verified;    /* some row was verified */
    bool is_unchecked;   /* some usable row was not verified */
    double aa_distance;  /* distance of the A/A ratios from 1, median over runs; 0: no twins */
    double granule_ns;   /* step of the coarsest timer; 0: unknown */
};

/* One test in the runs of each side. If a run has an image twice, the first one counts. */
struct mb_test {
    /* Starts with the label. At timing_at the input, its size and the reduction begin; at
     * alpha_at the rest of the task, the condition and the format. Owned. */
    char *key;
    size_t timing_at, alpha_at;
    const struct mb_row **of; /* a row for each run of the first side, then for each of the
                                 other; NULL: the run lacks the test; borrowed */
    struct mb_repeats side[MB_N_SIDES];
};

struct mb_tests {
    struct mb_test *tests; /* owned; ordered like the runs and their rows */
    size_t n;
    const struct mb_row **cells; /* backs the `of` arrays of all tests; owned */
};

/* Match the rows of all runs of `n_sides` sides. The runs must outlive the tests. Fails only
 * without memory. */
MB_MUST_CHECK enum mb_status mb_match_runs(const struct mb_side_runs *sides, int n_sides,
                                           struct mb_tests *tests, struct mb_err *err);
void mb_tests_finish(struct mb_tests *tests); /* free and zero */

/* The number of a row's kept samples, and the number of implausible samples among them. */
size_t mb_row_n_samples(const struct mb_row *row);
size_t mb_row_n_bad_samples(const struct mb_row *row);

/* Whether a row has figures: it ran, was not found wrong, and all its samples are plausible.
 * False for NULL. */
bool mb_is_usable(const struct mb_row *row);

/* Orders series by their samples, so that resampling draws the same samples whatever the order
 * of the files. For qsort. */
int mb_series_compare(const void *a, const void *b);

/* A seed of its own for each key: with the same seed, tests would be resampled alike. */
uint64_t mb_seed_of(uint64_t seed, const char *key);
