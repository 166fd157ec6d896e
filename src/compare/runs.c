/* Matching results of two groups of runs by what was measured, and saying what may be said. */
#include "compare/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compare/gap.h"
#include "compare/group.h"
#include "compare/warn.h"

/* Enough that a clear difference of any row stands above the luck of resampling, as long as
 * that takes seconds; a p that is smaller than they can count comes from their tail. */
#define MIN_RESAMPLES     2000u
#define RESAMPLES_PER_ROW 80u
#define MAX_DRAWS         3e8

/* Figures of a row, until it is resampled. */
struct pair {
    struct mb_found base, new_runs;
};

struct sides {
    struct mb_run_group base, new_runs; /* each run once */
    const struct mb_compare_options *options;
    struct pair *pairs; /* of out->rows */
    struct mb_comparison *out;
};

static double range_of(const double *values, size_t n)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    return most - least;
}

/* How far a run wanders: the range of the medians of its parts, to its own. */
static double wander(const struct mb_series *series, double median_ns, double *scratch)
{
    double medians[MB_WANDER_PARTS];
    size_t n = 0;
    for (size_t part = 0; part < MB_WANDER_PARTS; part++) {
        const size_t first = series->n * part / MB_WANDER_PARTS;
        const size_t end = series->n * (part + 1) / MB_WANDER_PARTS;
        if (end > first) {
            memcpy(scratch, series->values + first, (end - first) * sizeof *scratch);
            medians[n++] = mb_median(scratch, end - first);
        }
    }
    return range_of(medians, n) / median_ns;
}

/* Median of the medians of runs, as mb_bootstrap_ratio takes it, and the spread of runs. */
static enum mb_status side_figures(const struct mb_found *found, double *median_ns,
                                   double *spread, struct mb_err *err)
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
        const struct mb_series *series = &found->series[i];
        memcpy(values, series->values, series->n * sizeof *values);
        medians[i] = mb_median(values, series->n);
        *spread = fmax(*spread, wander(series, medians[i], values));
    }
    *median_ns = mb_median(medians, found->n_series);
    *spread = fmax(*spread, range_of(medians, found->n_series) / *median_ns);
fail:
    mb_free(medians);
    mb_free(values);
    return status;
}

static void explain(struct mb_compare_row *row, size_t n_base_samples, size_t n_new_samples)
{
    const bool is_base = n_base_samples <= n_new_samples;
    const size_t n_least = is_base ? n_base_samples : n_new_samples;
    if (row->is_single_run && n_least < MB_FEW_SAMPLES && !row->is_identical) {
        row->has_few_samples = true;
        snprintf(row->reason, sizeof row->reason,
                 "%zu sample%s in %s: fewer than %d say nothing", n_least,
                 n_least == 1 ? "" : "s", is_base ? "BASE" : "NEW", MB_FEW_SAMPLES);
    }
}

/* A row as far as it is known before resampling; takes over what was found. */
static enum mb_status add_row(struct sides *sides, struct mb_found *base,
                              struct mb_found *new_runs, struct mb_err *err)
{
    struct mb_compare_row *row = &sides->out->rows[sides->out->n_rows];
    enum mb_status status;
    *row = (struct mb_compare_row){
        .base = base->usable,
        .new_run = new_runs->usable,
        .n_base = base->n_series,
        .n_new = new_runs->n_series,
        .is_checked = !base->is_unchecked && !new_runs->is_unchecked,
        .is_check_lost = base->is_verified && new_runs->is_unchecked,
        .is_identical = mb_is_same_data(base, new_runs),
        .is_single_run = base->n_series < MB_FEW_RUNS || new_runs->n_series < MB_FEW_RUNS,
        .ratio = 1,
        .ratio_ci = {1, 1},
        .p = 1,
    };
    explain(row, base->n_samples, new_runs->n_samples);
    MB_TRY(side_figures(base, &row->base_ns, &row->spread, err));
    MB_TRY(side_figures(new_runs, &row->new_ns, &row->spread, err));
    /* Both medians stand on the timer's marks: a granule of difference is none. */
    const double granule_ns = fmax(base->granule_ns, new_runs->granule_ns);
    row->threshold = sides->options->threshold + granule_ns / row->base_ns;
    sides->pairs[sides->out->n_rows++] = (struct pair){*base, *new_runs};
    *base = (struct mb_found){0};
    *new_runs = (struct mb_found){0};
fail:
    return status;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a difference must clear. A row that was quiet by luck is not believed more than three in
 * four of the others: they were run on the same machines. */
static enum mb_status set_margins(const struct sides *sides, struct mb_err *err)
{
    const size_t n_rows = sides->out->n_rows;
    double *spreads = mb_alloc(n_rows + 1, sizeof *spreads);
    if (spreads == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "comparison: out of memory");
    }
    for (size_t i = 0; i < n_rows; i++) {
        spreads[i] = sides->out->rows[i].spread;
    }
    qsort(spreads, n_rows, sizeof *spreads, compare_doubles);
    const double usual = n_rows > 0 ? mb_quantile_sorted(spreads, n_rows, 0.75) : 0.0;
    for (size_t i = 0; i < n_rows; i++) {
        struct mb_compare_row *row = &sides->out->rows[i];
        const struct pair *pair = &sides->pairs[i];
        row->spread = fmax(row->spread, usual);
        row->margin =
            fmax(row->threshold + (row->is_single_run ? fmax(MB_RUN_TO_RUN, row->spread) : 0.0),
                 fmax(pair->base.aa_distance, pair->new_runs.aa_distance));
    }
    mb_free(spreads);
    return MB_OK;
}

static uint32_t choose_resamples(const struct sides *sides)
{
    double n_samples = 1;
    for (size_t i = 0; i < sides->out->n_rows; i++) {
        n_samples +=
            (double)(sides->pairs[i].base.n_samples + sides->pairs[i].new_runs.n_samples);
    }
    const double n_wanted =
        fmin(RESAMPLES_PER_ROW * (double)sides->out->n_rows, MAX_DRAWS / n_samples);
    if (sides->options->n_resamples > 0) {
        return sides->options->n_resamples;
    }
    return (uint32_t)fmax(n_wanted, MIN_RESAMPLES);
}

static enum mb_status resample(struct sides *sides, struct mb_err *err)
{
    const uint32_t n_resamples = choose_resamples(sides);
    enum mb_status status = MB_OK;
    for (size_t i = 0; i < sides->out->n_rows; i++) {
        struct mb_compare_row *row = &sides->out->rows[i];
        const struct pair *pair = &sides->pairs[i];
        /* A seed of its own for each row, so that rows do not share their luck, and of what it
         * is, so that the order of files and rows does not matter. */
        const struct mb_bootstrap bootstrap = {
            .n_resamples = n_resamples,
            .seed = sides->options->seed + mb_hash_key(row->base->key),
        };
        if (row->is_identical) {
            continue; /* two resamplings would differ by chance; the samples do not */
        }
        MB_TRY(mb_bootstrap_ratio(pair->base.series, pair->base.n_series, pair->new_runs.series,
                                  pair->new_runs.n_series, &bootstrap, &row->ratio,
                                  row->ratio_ci, &row->p, err));
        if (row->has_few_samples) {
            row->p = row->ratio_ci[0] = row->ratio_ci[1] = (double)NAN;
        }
    }
fail:
    return status;
}

/* One result of BASE against whatever NEW has of it. */
static enum mb_status judge(struct sides *sides, struct mb_found *base,
                            struct mb_found *new_runs, struct mb_err *err)
{
    struct mb_comparison *out = sides->out;
    const bool was_right = base->is_verified && base->failed == NULL;
    char side[300];
    if (new_runs->first == NULL) {
        mb_gap_add_missing(out, base->first, &sides->base, &sides->new_runs, true, was_right);
    } else if (new_runs->failed != NULL || base->failed != NULL) {
        const struct mb_found *wrong = new_runs->failed != NULL ? new_runs : base;
        snprintf(side, sizeof side, "%s (%.200s)", wrong == base ? "BASE" : "NEW",
                 wrong->failed_path);
        mb_gap_add(out, wrong->failed, was_right, side, " failed", wrong->failed->reason);
    } else if (base->usable == NULL) {
        mb_gap_add_useless(out, base->first, "BASE", false);
    } else if (new_runs->lost != NULL) {
        mb_gap_add_useless(out, new_runs->lost, "NEW", was_right);
    } else if (new_runs->usable == NULL) {
        mb_gap_add_useless(out, new_runs->first, "NEW", was_right);
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
        if (mb_find_result(&group->files[i], key, occurrence) != NULL) {
            return true;
        }
    }
    return false;
}

static enum mb_status match_one(struct sides *sides, bool is_in_base, const char *key,
                                size_t occurrence, struct mb_err *err)
{
    struct mb_found base = {0};
    struct mb_found new_runs = {0};
    enum mb_status status;
    MB_TRY(mb_find_on_side(&sides->base, key, occurrence, &base, err));
    MB_TRY(mb_find_on_side(&sides->new_runs, key, occurrence, &new_runs, err));
    if (is_in_base) {
        MB_TRY(judge(sides, &base, &new_runs, err));
    } else if (base.first == NULL) {
        mb_gap_add_missing(sides->out, new_runs.first, &sides->new_runs, &sides->base, false,
                           false);
    }
fail:
    mb_found_finish(&base);
    mb_found_finish(&new_runs);
    return status;
}

/* Every result of a side once. */
static enum mb_status match_side(struct sides *sides, bool is_base, struct mb_err *err)
{
    const struct mb_run_group *group = is_base ? &sides->base : &sides->new_runs;
    enum mb_status status = MB_OK;
    for (size_t i = 0; i < group->n_files; i++) {
        for (size_t k = 0; k < group->files[i].n_results; k++) {
            const struct mb_file_result *result = &group->files[i].results[k];
            const size_t occurrence = mb_occurrence_of(&group->files[i], result);
            if (!is_seen(group, i, result->key, occurrence)) {
                MB_TRY(match_one(sides, is_base, result->key, occurrence, err));
            }
        }
    }
fail:
    return status;
}

/* Without a verdict on few runs: how many would tell on which side of the threshold the ratio
 * is, 8 times in 10 at the level of 95 %, if it is what it seems. The range of five is 2.3 of
 * their standard deviations. */
static void plan_runs(struct mb_compare_row *row)
{
    const double deviation = fmax(row->spread, MB_RUN_TO_RUN) / 2.3;
    const double off = fabs(fabs(log(row->ratio)) - log1p(row->threshold));
    const double n = ceil(2.0 * pow((1.96 + 0.84) * deviation / off, 2.0));
    if (row->outcome != MB_OUTCOME_INCONCLUSIVE || !row->is_single_run ||
        row->has_few_samples) {
        return;
    }
    row->n_runs_needed = (uint32_t)fmin(fmax(n, MB_FEW_RUNS), MB_MANY_RUNS);
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
        row->is_regression = row->outcome == MB_OUTCOME_SLOWER || row->is_check_lost;
        plan_runs(row);
        out->n_outcomes[row->outcome]++;
        out->n_single_runs += row->is_single_run;
        out->n_checks_lost += row->is_check_lost;
        out->n_regressions += row->is_regression;
    }
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

/* The group without the files that are of the same run as an earlier one; what they hold stays
 * the group's. */
static enum mb_status take_once(const struct mb_run_group *group, struct mb_run_group *out,
                                struct mb_err *err)
{
    struct mb_result_file *files = mb_alloc(group->n_files, sizeof *files);
    *out = (struct mb_run_group){.files = files};
    if (files == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "comparison: out of memory");
    }
    for (size_t i = 0; i < group->n_files; i++) {
        if (!mb_is_repeated(group, i)) {
            files[out->n_files++] = group->files[i];
        }
    }
    return MB_OK;
}

static enum mb_status make_room(struct sides *sides, size_t n_most, struct mb_err *err)
{
    struct mb_comparison *out = sides->out;
    sides->pairs = mb_alloc(n_most, sizeof *sides->pairs);
    out->rows = mb_alloc(n_most, sizeof *out->rows);
    out->gaps = mb_alloc(n_most, sizeof *out->gaps);
    out->warnings = mb_alloc(MB_MAX_COMPARE_WARNINGS, sizeof *out->warnings);
    if (!sides->pairs || !out->rows || !out->gaps || !out->warnings) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "comparison: out of memory");
    }
    return MB_OK;
}

static void finish_sides(struct sides *sides)
{
    for (size_t i = 0; i < sides->out->n_rows; i++) {
        mb_found_finish(&sides->pairs[i].base);
        mb_found_finish(&sides->pairs[i].new_runs);
    }
    mb_free(sides->pairs);
    mb_free((void *)sides->base.files);
    mb_free((void *)sides->new_runs.files);
}

enum mb_status mb_compare_runs(const struct mb_run_group *base,
                               const struct mb_run_group *new_runs,
                               const struct mb_compare_options *options,
                               struct mb_comparison *comparison, struct mb_err *err)
{
    enum mb_status status;
    struct sides sides = {.options = options, .out = comparison};
    *comparison = (struct mb_comparison){0};
    MB_TRY(make_room(&sides, count_results(base) + count_results(new_runs), err));
    MB_TRY(take_once(base, &sides.base, err));
    MB_TRY(take_once(new_runs, &sides.new_runs, err));
    MB_TRY(match_side(&sides, true, err));
    MB_TRY(match_side(&sides, false, err));
    MB_TRY(set_margins(&sides, err));
    MB_TRY(resample(&sides, err));
    MB_TRY(conclude(comparison, err));
    mb_compare_warn(base, new_runs, comparison);
fail:
    finish_sides(&sides);
    if (status != MB_OK) {
        mb_comparison_finish(comparison);
    }
    return status;
}

void mb_comparison_finish(struct mb_comparison *comparison)
{
    mb_free(comparison->rows);
    mb_free(comparison->gaps);
    mb_free(comparison->warnings);
    *comparison = (struct mb_comparison){0};
}
