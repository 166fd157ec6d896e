/* Finding a result in the runs of one side. */
#include "compare/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static int compare_series(const void *a, const void *b)
{
    const struct mb_series *x = a, *y = b;
    for (size_t i = 0; i < x->n && i < y->n; i++) {
        if (x->values[i] < y->values[i] || x->values[i] > y->values[i]) {
            return x->values[i] < y->values[i] ? -1 : 1;
        }
    }
    return (x->n > y->n) - (x->n < y->n);
}

static struct mb_series series_of(const struct mb_file_result *result)
{
    return (struct mb_series){.values = result->samples_ns, .n = result->n_samples};
}

bool mb_is_same_run(const struct mb_result_file *a, const struct mb_result_file *b)
{
    size_t n_samples = 0;
    if (strcmp(a->path, b->path) == 0) {
        return true;
    }
    if (strcmp(a->run_id, b->run_id) != 0 || a->n_results != b->n_results) {
        return false;
    }
    /* An id is of a second and a device: short runs may share it. */
    for (size_t i = 0; i < a->n_results; i++) {
        const struct mb_series x = series_of(&a->results[i]), y = series_of(&b->results[i]);
        n_samples += x.n;
        if (strcmp(a->results[i].key, b->results[i].key) != 0 || compare_series(&x, &y) != 0) {
            return false;
        }
    }
    return n_samples > 0;
}

bool mb_is_repeated(const struct mb_run_group *group, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (mb_is_same_run(&group->files[k], &group->files[i])) {
            return true;
        }
    }
    return false;
}

size_t mb_occurrence_of(const struct mb_result_file *file, const struct mb_file_result *result)
{
    size_t n_before = 0;
    for (const struct mb_file_result *r = file->results; r < result; r++) {
        n_before += strcmp(r->key, result->key) == 0;
    }
    return n_before;
}

const struct mb_file_result *mb_find_result(const struct mb_result_file *file, const char *key,
                                            size_t occurrence)
{
    for (size_t i = 0; i < file->n_results; i++) {
        if (strcmp(file->results[i].key, key) == 0 && occurrence-- == 0) {
            return &file->results[i];
        }
    }
    return NULL;
}

static bool is_failed(const struct mb_file_result *result)
{
    return result->status == MB_RESULT_FAILED || result->verify == MB_VERIFY_FAIL;
}

/* Has the samples that its status promises. */
static bool has_samples(const struct mb_file_result *result)
{
    return result->n_samples > 0 && result->n_bad_samples == 0;
}

bool mb_is_usable(const struct mb_file_result *result)
{
    return result->status == MB_RESULT_OK && !is_failed(result) && has_samples(result);
}

void mb_series_sort(struct mb_series *series, size_t n)
{
    qsort(series, n, sizeof *series, compare_series);
}

uint64_t mb_hash_key(const char *key)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *key != '\0'; key++) {
        hash = (hash ^ (unsigned char)*key) * 0x100000001b3u;
    }
    return hash;
}

static void note_usable(struct mb_found *found, const struct mb_file_result *result)
{
    found->usable = found->usable != NULL ? found->usable : result;
    found->series[found->n_series++] = series_of(result);
    found->n_samples += result->n_samples;
    found->is_unchecked = found->is_unchecked || result->verify == MB_VERIFY_SKIPPED;
}

static void note_result(struct mb_found *found, const struct mb_result_file *file,
                        const struct mb_file_result *result)
{
    found->first = found->first != NULL ? found->first : result;
    found->is_verified = found->is_verified ||
                         (result->status == MB_RESULT_OK && result->verify == MB_VERIFY_PASS);
    /* fmax ignores the NaN of a timer that is not known. */
    found->granule_ns = fmax(found->granule_ns, file->granule_ns);
    if (is_failed(result) && found->failed == NULL) {
        found->failed = result;
        found->failed_path = file->path;
    }
    if (result->status != MB_RESULT_OK || is_failed(result)) {
        return;
    }
    if (has_samples(result)) {
        note_usable(found, result);
    } else if (found->lost == NULL) {
        found->lost = result;
    }
}

/* The median: a twin that is off in one run of many is that run's ill luck. */
static double median_distance(const struct mb_run_group *group, const char *key,
                              size_t occurrence, double *scratch)
{
    size_t n = 0;
    for (size_t i = 0; i < group->n_files; i++) {
        const struct mb_file_result *result = mb_find_result(&group->files[i], key, occurrence);
        if (result != NULL && isfinite(result->aa_ratio)) {
            scratch[n++] = fabs(result->aa_ratio - 1);
        }
    }
    return n > 0 ? mb_median(scratch, n) : 0;
}

enum mb_status mb_find_on_side(const struct mb_run_group *group, const char *key,
                               size_t occurrence, struct mb_found *found, struct mb_err *err)
{
    double *scratch = mb_alloc(group->n_files, sizeof *scratch);
    *found = (struct mb_found){.series = mb_alloc(group->n_files, sizeof *found->series)};
    if (scratch == NULL || found->series == NULL) {
        mb_free(scratch);
        mb_found_finish(found);
        return MB_FAIL(err, MB_ERRC_RUNTIME, "comparison: out of memory");
    }
    for (size_t i = 0; i < group->n_files; i++) {
        const struct mb_file_result *result = mb_find_result(&group->files[i], key, occurrence);
        if (result != NULL) {
            note_result(found, &group->files[i], result);
        }
    }
    mb_series_sort(found->series, found->n_series);
    found->aa_distance = median_distance(group, key, occurrence, scratch);
    mb_free(scratch);
    return MB_OK;
}

bool mb_is_same_data(const struct mb_found *a, const struct mb_found *b)
{
    bool is_same = a->n_series == b->n_series;
    for (size_t i = 0; is_same && i < a->n_series; i++) {
        is_same = compare_series(&a->series[i], &b->series[i]) == 0;
    }
    return is_same;
}

void mb_found_finish(struct mb_found *found)
{
    mb_free(found->series);
    *found = (struct mb_found){0};
}
