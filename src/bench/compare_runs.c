/* Matching results of two groups of runs by what was measured, and saying what may be said. */
#include "bench/compare_runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/compare_warn.h"

/* A bootstrap's p is at least about 2 / resamples, and Holm multiplies it by the rows: enough
 * of them that a clear difference stays below 0.05 however many rows there are. */
#define MIN_RESAMPLES     2000u
#define MAX_RESAMPLES     20000u
#define RESAMPLES_PER_ROW 80u

struct sides {
    const struct mb_run_group *base, *new_runs;
    const struct mb_compare_options *options;
    uint32_t n_resamples;
    struct mb_comparison *out;
};

/* All results of one key on one side, as far as they are of use. */
struct found {
    const struct mb_file_result *first;  /* NULL: nobody has it */
    const struct mb_file_result *usable; /* the first with figures */
    const struct mb_file_result *failed; /* the first that is wrong or broke */
    const char *failed_path;
    struct mb_series *series; /* [n_files]; of the usable ones */
    size_t n_series;
    bool is_verified;  /* one of them was */
    bool is_unchecked; /* one of the usable ones was not */
    double aa_distance;
    double granule_ns; /* of the coarsest timer; 0: not known */
};

static bool is_usable(const struct mb_file_result *result)
{
    return result->status == MB_RESULT_OK && result->verify != MB_VERIFY_FAIL &&
           result->n_samples > 0 && result->n_bad_samples == 0;
}

static bool is_failed(const struct mb_file_result *result)
{
    return result->status == MB_RESULT_FAILED || result->verify == MB_VERIFY_FAIL;
}

/* How many results before this one have its key: the same image may be given twice. */
static size_t occurrence_of(const struct mb_result_file *file,
                            const struct mb_file_result *result)
{
    size_t n_before = 0;
    for (const struct mb_file_result *r = file->results; r < result; r++) {
        n_before += strcmp(r->key, result->key) == 0;
    }
    return n_before;
}

static const struct mb_file_result *find_result(const struct mb_result_file *file,
                                                const char *key, size_t occurrence)
{
    for (size_t i = 0; i < file->n_results; i++) {
        if (strcmp(file->results[i].key, key) == 0 && occurrence-- == 0) {
            return &file->results[i];
        }
    }
    return NULL;
}

static void note_result(struct found *found, const struct mb_result_file *file,
                        const struct mb_file_result *result)
{
    found->first = found->first != NULL ? found->first : result;
    found->is_verified = found->is_verified ||
                         (result->status == MB_RESULT_OK && result->verify == MB_VERIFY_PASS);
    if (is_failed(result) && found->failed == NULL) {
        found->failed = result;
        found->failed_path = file->path;
    }
    if (is_usable(result)) {
        found->usable = found->usable != NULL ? found->usable : result;
        found->series[found->n_series++] =
            (struct mb_series){.values = result->samples_ns, .n = result->n_samples};
        found->is_unchecked = found->is_unchecked || result->verify == MB_VERIFY_SKIPPED;
        /* fmax ignores the NaN of a cell without a twin. */
        found->aa_distance = fmax(found->aa_distance, fabs(result->aa_ratio - 1));
        found->granule_ns = fmax(found->granule_ns, file->granule_ns);
    }
}

static enum mb_status find_on_side(const struct mb_run_group *group, const char *key,
                                   size_t occurrence, struct found *found, struct mb_err *err)
{
    *found = (struct found){.series = mb_alloc(group->n_files, sizeof *found->series)};
    if (found->series == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "comparison: out of memory");
    }
    for (size_t i = 0; i < group->n_files; i++) {
        const struct mb_file_result *result = find_result(&group->files[i], key, occurrence);
        if (result != NULL) {
            note_result(found, &group->files[i], result);
        }
    }
    return MB_OK;
}

/* Median of the medians of runs, as mb_bootstrap_ratio takes it. */
static enum mb_status side_median(const struct found *found, double *median_ns,
                                  struct mb_err *err)
{
    size_t n_most = found->n_series;
    for (size_t i = 0; i < found->n_series; i++) {
        n_most = found->series[i].n > n_most ? found->series[i].n : n_most;
    }
    double *medians = mb_alloc(found->n_series, sizeof *medians);
    double *values = mb_alloc(n_most, sizeof *values);
    enum mb_status status = MB_OK;
    if (medians == NULL || values == NULL) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "comparison: out of memory");
        goto fail;
    }
    for (size_t i = 0; i < found->n_series; i++) {
        memcpy(values, found->series[i].values, found->series[i].n * sizeof *values);
        medians[i] = mb_median(values, found->series[i].n);
    }
    *median_ns = mb_median(medians, found->n_series);
fail:
    mb_free(medians);
    mb_free(values);
    return status;
}

static bool is_same_data(const struct found *a, const struct found *b)
{
    if (a->n_series != b->n_series) {
        return false;
    }
    for (size_t i = 0; i < a->n_series; i++) {
        if (a->series[i].n != b->series[i].n ||
            memcmp(a->series[i].values, b->series[i].values,
                   a->series[i].n * sizeof *a->series[i].values) != 0) {
            return false;
        }
    }
    return true;
}

static enum mb_status add_row(struct sides *sides, const struct found *base,
                              const struct found *new_runs, struct mb_err *err)
{
    const struct mb_compare_options *options = sides->options;
    struct mb_compare_row *row = &sides->out->rows[sides->out->n_rows];
    const double aa_distance = fmax(base->aa_distance, new_runs->aa_distance);
    /* A seed of its own for each row, so that rows do not share their luck. */
    const struct mb_bootstrap bootstrap = {.n_resamples = sides->n_resamples,
                                           .seed = options->seed + sides->out->n_rows};
    enum mb_status status;
    *row = (struct mb_compare_row){
        .base = base->usable,
        .new_run = new_runs->usable,
        .n_base = base->n_series,
        .n_new = new_runs->n_series,
        .is_checked = !base->is_unchecked && !new_runs->is_unchecked,
        .is_identical = is_same_data(base, new_runs),
        .ratio = 1,
        .ratio_ci = {1, 1},
        .p = 1,
    };
    MB_TRY(side_median(base, &row->base_ns, err));
    MB_TRY(side_median(new_runs, &row->new_ns, err));
    /* Both medians stand on the timer's marks: a granule of difference is none. */
    const double granule_ns = fmax(base->granule_ns, new_runs->granule_ns);
    const double between_runs = sides->out->is_single_run ? MB_RUN_TO_RUN : 0.0;
    row->threshold = options->threshold + granule_ns / row->base_ns;
    row->margin = fmax(row->threshold + between_runs, aa_distance);
    /* Two resamplings of the same samples would differ by chance; the samples do not. */
    if (!row->is_identical) {
        MB_TRY(mb_bootstrap_ratio(base->series, base->n_series, new_runs->series,
                                  new_runs->n_series, &bootstrap, &row->ratio, row->ratio_ci,
                                  &row->p, err));
    }
    sides->out->n_rows++;
fail:
    return status;
}

static void add_gap(struct mb_comparison *out, const struct mb_file_result *result,
                    bool is_regression, const char *who, const char *what, const char *why)
{
    struct mb_compare_gap *gap = &out->gaps[out->n_gaps++];
    gap->result = result;
    gap->is_regression = is_regression;
    snprintf(gap->reason, sizeof gap->reason, "%s%s%s%s", who, what, why[0] != '\0' ? ": " : "",
             why);
}

/* Why a result that is there has no figures. */
static void add_useless(struct mb_comparison *out, const struct mb_file_result *result,
                        const char *side, bool is_regression)
{
    char what[80];
    if (result->status == MB_RESULT_SKIPPED) {
        add_gap(out, result, is_regression, side, " skipped it", result->reason);
    } else if (result->n_bad_samples > 0) {
        snprintf(what, sizeof what, " has samples that are no times (%zu of %zu)",
                 result->n_bad_samples, result->n_bad_samples + result->n_samples);
        add_gap(out, result, false, side, what, "");
    } else {
        add_gap(out, result, false, side, " has no samples", "");
    }
}

/* A format under which the other side has what this side has in another. */
static const char *find_other_format(const struct mb_run_group *group,
                                     const struct mb_file_result *result)
{
    for (size_t i = 0; i < group->n_files; i++) {
        for (size_t k = 0; k < group->files[i].n_results; k++) {
            const struct mb_file_result *other = &group->files[i].results[k];
            if (strcmp(other->key_sans_fmt, result->key_sans_fmt) == 0 &&
                strcmp(other->key, result->key) != 0) {
                return other->format;
            }
        }
    }
    return NULL;
}

static bool is_complete(const struct mb_run_group *group)
{
    bool complete = true;
    for (size_t i = 0; i < group->n_files; i++) {
        complete = complete && group->files[i].complete;
    }
    return complete;
}

static void add_missing(struct sides *sides, const struct mb_file_result *result,
                        bool is_in_base, bool is_regression)
{
    const struct mb_run_group *other = is_in_base ? sides->new_runs : sides->base;
    const char *format = find_other_format(other, result);
    char why[96] = "";
    if (format != NULL) {
        snprintf(why, sizeof why, "it has %s instead of %s", format, result->format);
    } else if (!is_complete(other)) {
        snprintf(why, sizeof why, "its run was not completed");
    }
    add_gap(sides->out, result, is_regression, is_in_base ? "NEW" : "BASE", " does not have it",
            why);
    sides->out->gaps[sides->out->n_gaps - 1].new_format = is_in_base ? format : NULL;
}

/* One result of BASE against whatever NEW has of it. */
static enum mb_status judge(struct sides *sides, const struct found *base,
                            const struct found *new_runs, struct mb_err *err)
{
    struct mb_comparison *out = sides->out;
    const bool was_right = base->is_verified && base->failed == NULL;
    char side[300];
    if (new_runs->first == NULL) {
        add_missing(sides, base->first, true, was_right);
    } else if (new_runs->failed != NULL || base->failed != NULL) {
        const struct found *wrong = new_runs->failed != NULL ? new_runs : base;
        snprintf(side, sizeof side, "%s (%.200s)", wrong == base ? "BASE" : "NEW",
                 wrong->failed_path);
        add_gap(out, wrong->failed, was_right, side, " failed", wrong->failed->reason);
    } else if (new_runs->usable == NULL) {
        add_useless(out, new_runs->first, "NEW", was_right);
    } else if (base->usable == NULL) {
        add_useless(out, base->first, "BASE", false);
    } else {
        return add_row(sides, base, new_runs, err);
    }
    return MB_OK;
}

/* Some file of the group before `file` has the result. */
static bool is_seen(const struct mb_run_group *group, size_t file, const char *key,
                    size_t occurrence)
{
    for (size_t i = 0; i < file; i++) {
        if (find_result(&group->files[i], key, occurrence) != NULL) {
            return true;
        }
    }
    return false;
}

static enum mb_status match_one(struct sides *sides, bool is_in_base, const char *key,
                                size_t occurrence, struct mb_err *err)
{
    struct found base = {0};
    struct found new_runs = {0};
    enum mb_status status;
    MB_TRY(find_on_side(sides->base, key, occurrence, &base, err));
    MB_TRY(find_on_side(sides->new_runs, key, occurrence, &new_runs, err));
    if (is_in_base) {
        MB_TRY(judge(sides, &base, &new_runs, err));
    } else if (base.first == NULL) {
        add_missing(sides, new_runs.first, false, false);
    }
fail:
    mb_free(base.series);
    mb_free(new_runs.series);
    return status;
}

/* Every result of a side once. */
static enum mb_status match_side(struct sides *sides, bool is_base, struct mb_err *err)
{
    const struct mb_run_group *group = is_base ? sides->base : sides->new_runs;
    enum mb_status status = MB_OK;
    for (size_t i = 0; i < group->n_files; i++) {
        for (size_t k = 0; k < group->files[i].n_results; k++) {
            const struct mb_file_result *result = &group->files[i].results[k];
            const size_t occurrence = occurrence_of(&group->files[i], result);
            if (!is_seen(group, i, result->key, occurrence)) {
                MB_TRY(match_one(sides, is_base, result->key, occurrence, err));
            }
        }
    }
fail:
    return status;
}

static enum mb_status conclude(struct mb_comparison *out, struct mb_err *err)
{
    enum mb_status status;
    double *p = mb_alloc(out->n_rows, sizeof *p);
    if (p == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "comparison: out of memory");
    }
    for (size_t i = 0; i < out->n_rows; i++) {
        p[i] = out->rows[i].p;
    }
    if (out->n_rows > 0) {
        MB_TRY(mb_holm(p, out->n_rows, err));
    }
    for (size_t i = 0; i < out->n_rows; i++) {
        struct mb_compare_row *row = &out->rows[i];
        row->p_adjusted = p[i];
        row->outcome = mb_outcome(row->ratio_ci, p[i], row->threshold, row->margin);
        out->n_outcomes[row->outcome]++;
    }
    out->n_regressions = out->n_outcomes[MB_OUTCOME_SLOWER];
    for (size_t i = 0; i < out->n_gaps; i++) {
        out->n_regressions += out->gaps[i].is_regression;
    }
    status = MB_OK;
fail:
    mb_free(p);
    return status;
}

static size_t count_results(const struct mb_run_group *group)
{
    size_t n_results = 0;
    for (size_t i = 0; i < group->n_files; i++) {
        n_results += group->files[i].n_results;
    }
    return n_results;
}

static uint32_t choose_resamples(const struct mb_compare_options *options, size_t n_results)
{
    const size_t wanted = RESAMPLES_PER_ROW * n_results;
    if (options->n_resamples > 0) {
        return options->n_resamples;
    }
    if (wanted > MAX_RESAMPLES) {
        return MAX_RESAMPLES;
    }
    return wanted < MIN_RESAMPLES ? MIN_RESAMPLES : (uint32_t)wanted;
}

enum mb_status mb_compare_runs(const struct mb_run_group *base,
                               const struct mb_run_group *new_runs,
                               const struct mb_compare_options *options,
                               struct mb_comparison *comparison, struct mb_err *err)
{
    enum mb_status status;
    const size_t n_most = count_results(base) + count_results(new_runs);
    struct sides sides = {.base = base,
                          .new_runs = new_runs,
                          .options = options,
                          .n_resamples = choose_resamples(options, base->files[0].n_results),
                          .out = comparison};
    *comparison = (struct mb_comparison){
        .rows = mb_alloc(n_most, sizeof *comparison->rows),
        .gaps = mb_alloc(n_most, sizeof *comparison->gaps),
        .warnings = mb_alloc(MB_MAX_COMPARE_WARNINGS, sizeof *comparison->warnings),
        .is_single_run = base->n_files < MB_FEW_RUNS || new_runs->n_files < MB_FEW_RUNS,
    };
    if (comparison->rows == NULL || comparison->gaps == NULL || comparison->warnings == NULL) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "comparison: out of memory");
        goto fail;
    }
    MB_TRY(match_side(&sides, true, err));
    MB_TRY(match_side(&sides, false, err));
    MB_TRY(conclude(comparison, err));
    mb_compare_warn(base, new_runs, comparison);
    return MB_OK;
fail:
    mb_comparison_finish(comparison);
    return status;
}

void mb_comparison_finish(struct mb_comparison *comparison)
{
    mb_free(comparison->rows);
    mb_free(comparison->gaps);
    mb_free(comparison->warnings);
    *comparison = (struct mb_comparison){0};
}
