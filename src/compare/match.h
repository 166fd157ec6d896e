/* The same thing found in several runs. */
#pragma once

#include "base/stats.h"
#include "result/result_read.h"

/* Runs of one side: the same thing measured some times over. */
struct mb_run_group {
    const struct mb_result_file *files;
    size_t n_files; /* >= 1 */
};

/* The first file of the group that is of the same run as file `i`, which may be itself: that is
 * the same path, or the same id and all the same samples. */
size_t mb_first_of_run(const struct mb_run_group *group, size_t i);

/* Put each run of the group into `runs` once, borrowed; there is room for group->n_files.
 * Returns how many they are. */
size_t mb_runs_once(const struct mb_run_group *group, const struct mb_result_file **runs);

/* One thing that was measured, as each run has it. Where the same image was given twice there
 * are two of a key: of the first in each run, and of the second. */
struct mb_match {
    const char *key;                  /* borrowed */
    const struct mb_file_result **of; /* [number of runs]; NULL: the run lacks it; borrowed */
    size_t occurrence;                /* how many of the key come before it */
    const struct mb_file_result *usable; /* the first with figures, or NULL; borrowed */
    size_t n_usable;
    struct mb_match *next_of_key; /* or NULL; borrowed */
};

struct mb_matches {
    struct mb_match *match; /* owned; in the order of the runs and of their results */
    size_t n;
    const struct mb_file_result **cells; /* of all of them; owned */
};

/* Match the results of `runs[n_runs]`, which must outlive the matches. Fails only without
 * memory. */
MB_MUST_CHECK enum mb_status mb_match_runs(const struct mb_result_file *const *runs,
                                           size_t n_runs, struct mb_matches *matches,
                                           struct mb_err *err);
void mb_matches_finish(struct mb_matches *matches); /* free and zero */

/* A match in some of the runs, as far as it is of use. */
struct mb_found {
    const struct mb_file_result *first;  /* NULL: nobody has it */
    const struct mb_file_result *usable; /* the first with figures */
    const struct mb_file_result *failed; /* the first that is wrong or broke */
    const struct mb_file_result *lost;   /* the first that is well, but for its samples */
    const char *failed_path;
    struct mb_runs runs;       /* of the usable ones, in an order of their own; series owned */
    size_t n_samples, n_least; /* of all series; of the shortest */
    bool is_verified;          /* one of them was */
    bool is_unchecked;         /* one of the usable ones was not */
    double aa_distance;        /* of A/A twins from 1, the median over runs; 0: no twins */
    double granule_ns;         /* of the coarsest timer; 0: not known */
};

/* Gather what `runs[n_runs]` have, as in `of` of a match. What is found does not depend on the
 * order of the runs, but for first, usable, failed and lost. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_found_gather(const struct mb_result_file *const *runs,
                                             const struct mb_file_result *const *of,
                                             size_t n_runs, struct mb_found *found,
                                             struct mb_err *err);
void mb_found_finish(struct mb_found *found); /* free and zero */

/* Has figures: it ran, was not found wrong, and all its samples are times. NULL has none. */
bool mb_is_usable(const struct mb_file_result *result);

/* By their samples: an order that does not depend on that of the files, so that resampling
 * draws the same. For qsort. */
int mb_series_compare(const void *a, const void *b);

/* A seed of its own for what was measured: rows that share one would share their luck. */
uint64_t mb_seed_of(uint64_t seed, const char *key);
