/* Finding the same thing in several runs. */
#include "compare/match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

int mb_series_compare(const void *a, const void *b)
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

static bool is_same_run(const struct mb_result_file *a, const struct mb_result_file *b)
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
        if (strcmp(a->results[i].key, b->results[i].key) != 0 ||
            mb_series_compare(&x, &y) != 0) {
            return false;
        }
    }
    return n_samples > 0;
}

size_t mb_first_of_run(const struct mb_run_group *group, size_t i)
{
    size_t first = 0;
    while (first < i && !is_same_run(&group->files[first], &group->files[i])) {
        first++;
    }
    return first;
}

size_t mb_runs_once(const struct mb_run_group *group, const struct mb_result_file **runs)
{
    size_t n = 0;
    for (size_t i = 0; i < group->n_files; i++) {
        if (mb_first_of_run(group, i) == i) {
            runs[n++] = &group->files[i];
        }
    }
    return n;
}

static bool is_failed(const struct mb_file_result *result)
{
    return result->status == MB_RESULT_FAILED || result->verify == MB_VERIFY_FAIL;
}

bool mb_is_usable(const struct mb_file_result *result)
{
    return result != NULL && result->status == MB_RESULT_OK && !is_failed(result) &&
           result->n_samples > 0 && result->n_bad_samples == 0;
}

/* The first match of each key, by the key's hash. */
struct table {
    struct mb_match **slots; /* some are NULL */
    size_t n_slots;
};

/* Where the first match of a key is, or belongs. */
static struct mb_match **find_slot(const struct table *table, const char *key)
{
    size_t at = (size_t)(mb_seed_of(0, key) % table->n_slots);
    while (table->slots[at] != NULL && strcmp(table->slots[at]->key, key) != 0) {
        at = (at + 1) % table->n_slots;
    }
    return &table->slots[at];
}

/* The first of the result's key that the run has given nothing to, as the run's results come in
 * order; a new one where there is none. */
static struct mb_match *find_open(struct mb_matches *matches, const struct table *table,
                                  const char *key, size_t run, size_t n_runs)
{
    struct mb_match **link = find_slot(table, key);
    size_t n_before = 0;
    for (; *link != NULL && (*link)->of[run] != NULL; n_before++) {
        link = &(*link)->next_of_key;
    }
    if (*link == NULL) {
        *link = &matches->match[matches->n];
        **link = (struct mb_match){
            .key = key,
            .of = matches->cells + matches->n * n_runs,
            .occurrence = n_before,
        };
        matches->n++;
    }
    return *link;
}

enum mb_status mb_match_runs(const struct mb_result_file *const *runs, size_t n_runs,
                             struct mb_matches *matches, struct mb_err *err)
{
    size_t n_most = 0;
    for (size_t run = 0; run < n_runs; run++) {
        n_most += runs[run]->n_results;
    }
    *matches = (struct mb_matches){
        .match = mb_alloc(n_most, sizeof *matches->match),
        .cells = mb_alloc(n_most * n_runs, sizeof *matches->cells),
    };
    const size_t n_slots = 2 * n_most + 1;
    MB_FREED struct mb_match **slots = mb_alloc(n_slots, sizeof *slots);
    const struct table table = {.slots = slots, .n_slots = n_slots};
    if (matches->match == NULL || matches->cells == NULL || slots == NULL) {
        mb_matches_finish(matches);
        return MB_FAIL(err, MB_ERRC_RUNTIME, "comparison: out of memory");
    }
    for (size_t run = 0; run < n_runs; run++) {
        for (size_t i = 0; i < runs[run]->n_results; i++) {
            const struct mb_file_result *result = &runs[run]->results[i];
            struct mb_match *match = find_open(matches, &table, result->key, run, n_runs);
            match->of[run] = result;
            if (mb_is_usable(result)) {
                match->usable = match->usable != NULL ? match->usable : result;
                match->n_usable++;
            }
        }
    }
    return MB_OK;
}

void mb_matches_finish(struct mb_matches *matches)
{
    mb_free(matches->match);
    mb_free(matches->cells);
    *matches = (struct mb_matches){0};
}

static void note_result(struct mb_found *found, struct mb_series *series,
                        const struct mb_result_file *run, const struct mb_file_result *result)
{
    const bool is_ok = result->status == MB_RESULT_OK;
    found->first = found->first != NULL ? found->first : result;
    found->is_verified = found->is_verified || (is_ok && result->verify == MB_VERIFY_PASS);
    /* fmax ignores the NaN of a timer that is not known. */
    found->granule_ns = fmax(found->granule_ns, run->granule_ns);
    if (is_failed(result)) {
        found->failed_path = found->failed != NULL ? found->failed_path : run->path;
        found->failed = found->failed != NULL ? found->failed : result;
    } else if (mb_is_usable(result)) {
        const size_t n = result->n_samples;
        found->usable = found->usable != NULL ? found->usable : result;
        found->n_least = found->runs.n == 0 || n < found->n_least ? n : found->n_least;
        series[found->runs.n++] = series_of(result);
        found->n_samples += n;
        found->is_unchecked = found->is_unchecked || result->verify == MB_VERIFY_SKIPPED;
    } else if (is_ok) {
        found->lost = found->lost != NULL ? found->lost : result;
    }
}

enum mb_status mb_found_gather(const struct mb_result_file *const *runs,
                               const struct mb_file_result *const *of, size_t n_runs,
                               struct mb_found *found, struct mb_err *err)
{
    size_t n_twins = 0;
    MB_FREED double *distances = mb_alloc(n_runs, sizeof *distances);
    struct mb_series *series = mb_alloc(n_runs, sizeof *series);
    *found = (struct mb_found){.runs.series = series};
    MB_DO(MB_NEED(distances && series, "comparison"));
    for (size_t run = 0; run < n_runs; run++) {
        if (of[run] != NULL) {
            note_result(found, series, runs[run], of[run]);
        }
        if (of[run] != NULL && isfinite(of[run]->aa_ratio)) {
            distances[n_twins++] = fabs(of[run]->aa_ratio - 1);
        }
    }
    qsort(series, found->runs.n, sizeof *series, mb_series_compare);
    /* The median: a twin that is off in one run of many is that run's ill luck. */
    found->aa_distance = n_twins > 0 ? mb_median(distances, n_twins) : 0;
    return MB_OK;
}

void mb_found_finish(struct mb_found *found)
{
    mb_free((void *)found->runs.series);
    *found = (struct mb_found){0};
}

uint64_t mb_seed_of(uint64_t seed, const char *key)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *key != '\0'; key++) {
        hash = (hash ^ (unsigned char)*key) * 0x100000001b3u;
    }
    return seed + hash;
}
