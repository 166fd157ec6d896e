/* The same test in several runs. */
#pragma once

#include "stats/stats.h"
#include "result/result.h"

/* Plausible samples, in ns: from a timer's smallest share of a batch to hours. */
#define MB_SAMPLE_MIN_NS 1e-3
#define MB_SAMPLE_MAX_NS 1e13

/* Runs of one side: repeated measurements of the same tests. */
struct mb_run_group {
    const struct mb_run *files;
    size_t n_files; /* >= 1 */
};

/* The first file of the group that holds the same run as file `i`, perhaps `i` itself: it has
 * the same path, or the same id and the same first samples. */
size_t mb_first_of_run(const struct mb_run_group *group, size_t i);

/* Put each run of the group into runs[group->n_files] once, borrowed. Returns their number. */
size_t mb_runs_once(const struct mb_run_group *group, const struct mb_run **runs);

/* The rows of one test in several runs. If runs have an image twice, two tests share a key: one
 * has the first row of each run, the other the second. */
struct mb_test_rows {
    /* The label; from timing_at the image, but for its format, and its task; from alpha_at the
     * condition and the format. Owned. */
    char *key;
    size_t timing_at, alpha_at;
    const struct mb_row **of;    /* [number of runs]; NULL: the run lacks it; borrowed */
    size_t occurrence;           /* number of tests with this key before it */
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

/* One test in some of the runs, taken together. */
struct mb_repeats {
    const struct mb_row *first;  /* NULL: no run has the test */
    const struct mb_row *usable; /* the first row with figures */
    const struct mb_row *failed; /* the first row that is wrong or broke */
    const struct mb_row *lost;   /* the first row that ran well but has no good samples */
    const char *failed_path;
    struct mb_runs runs;       /* samples of usable rows, in their own order; series owned */
    double *samples_ns;        /* of all series; owned */
    size_t n_samples, n_least; /* of all series; of the shortest */
    bool is_verified;          /* some row was verified */
    bool is_unchecked;         /* some usable row was not */
    double aa_distance;        /* of A/A twins from 1, the median over runs; 0: no twins */
    double granule_ns;         /* of the coarsest timer; 0: unknown */
};

/* Gather the rows of[n_runs] of a test in runs[n_runs]. The order of the runs affects only
 * first, usable, failed and lost. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_repeats_gather(const struct mb_run *const *runs, size_t n_runs,
                                               const struct mb_row *const *of,
                                               struct mb_repeats *repeats, struct mb_err *err);
void mb_repeats_finish(struct mb_repeats *repeats); /* free and zero */

/* Number of a row's samples that count, and how many of those are not plausible. */
size_t mb_row_n_samples(const struct mb_row *row);
size_t mb_row_n_bad_samples(const struct mb_row *row);

/* Whether a row has figures: it ran, was not found wrong, and all its samples are plausible.
 * False for NULL. */
bool mb_is_usable(const struct mb_row *row);

/* Orders series by their samples, so that resampling draws the same whatever the order of the
 * files. For qsort. */
int mb_series_compare(const void *a, const void *b);

/* A seed for each test: tests that share a seed would share their luck. */
uint64_t mb_seed_of(uint64_t seed, const char *key);
