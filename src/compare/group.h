/* Finding a result in the runs of one side. */
#ifndef MB_COMPARE_GROUP_H
#define MB_COMPARE_GROUP_H

#include "base/stats.h"
#include "result/result_file.h"

/* Runs of one side: the same thing measured some times over. */
struct mb_run_group {
    const struct mb_result_file *files;
    size_t n_files; /* >= 1 */
};

/* All results of one key on one side, as far as they are of use. */
struct mb_found {
    const struct mb_file_result *first;  /* NULL: nobody has it */
    const struct mb_file_result *usable; /* the first with figures */
    const struct mb_file_result *failed; /* the first that is wrong or broke */
    const struct mb_file_result *lost;   /* the first that is well, but for its samples */
    const char *failed_path;
    struct mb_series *series; /* owned; of the usable ones, in an order of their own */
    size_t n_series;
    size_t n_samples;   /* of all series */
    bool is_verified;   /* one of them was */
    bool is_unchecked;  /* one of the usable ones was not */
    double aa_distance; /* of A/A twins from 1, the median over runs; 0: no twins */
    double granule_ns;  /* of the coarsest timer; 0: not known */
};

/* Whether two files are of one run: the same path, or the same id and all the same samples. */
bool mb_is_same_run(const struct mb_result_file *a, const struct mb_result_file *b);

/* Whether an earlier file of the group is of the same run as file `i`. */
bool mb_is_repeated(const struct mb_run_group *group, size_t i);

/* How many results before this one have its key: the same image may be given twice. */
size_t mb_occurrence_of(const struct mb_result_file *file, const struct mb_file_result *result);

/* The result of that key with `occurrence` others of it before it, or NULL. */
const struct mb_file_result *mb_find_result(const struct mb_result_file *file, const char *key,
                                            size_t occurrence);

/* Gather a result from the files of a side; none of them may be repeated. What is found does
 * not depend on the order of the files, but for first, usable, failed and lost. */
MB_MUST_CHECK enum mb_status mb_find_on_side(const struct mb_run_group *group, const char *key,
                                             size_t occurrence, struct mb_found *found,
                                             struct mb_err *err);

/* Has figures: it ran, was not found wrong, and all its samples are times. */
bool mb_is_usable(const struct mb_file_result *result);

/* Put series in an order of their own, so that resampling draws the same whatever order the
 * files are named in. */
void mb_series_sort(struct mb_series *series, size_t n);

/* FNV-1a of what was measured: for a seed of each row's own. */
uint64_t mb_hash_key(const char *key);

/* Whether both sides are the very same samples. */
bool mb_is_same_data(const struct mb_found *a, const struct mb_found *b);

void mb_found_finish(struct mb_found *found); /* free and zero */

#endif
