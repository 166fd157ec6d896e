/* Compares two groups of runs: finds the tests that can be compared, and judges each. */
#include "compare/runs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "result/label.h"

static const char *const when[MB_N_SIDES] = {"in the base", "now"};

/* Set the reason, as valid UTF-8 without control characters, whatever is in file names. */
MB_PRINTF(2, 3)
static void explain(struct mb_compared *test, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    mb_utf8_sanitize_format(test->reason, sizeof test->reason, fmt, args);
    va_end(args);
}

static const char *colon_before(const char *reason)
{
    return reason[0] != '\0' ? ": " : "";
}

/* Explain why a row has no times: it was skipped, or has no good samples. */
static void explain_useless(struct mb_compared *test, const struct mb_row *row, int side)
{
    if (mb_row_status(row) == MB_RESULT_SKIPPED) {
        explain(test, "skipped %s%s%s", when[side], colon_before(mb_row_reason(row)),
                mb_row_reason(row));
    } else if (mb_row_n_bad_samples(row) > 0) {
        explain(test, "%zu of %zu samples %s are not times", mb_row_n_bad_samples(row),
                mb_row_n_samples(row), when[side]);
    } else {
        explain(test, "no samples %s", when[side]);
    }
}

/* Whether two tests have the same label, input, size and reduction; the rest may differ. */
static bool is_near(const struct mb_test *a, const struct mb_test *b)
{
    return a->alpha_at == b->alpha_at && memcmp(a->key, b->key, a->alpha_at) == 0;
}

/* Explain that `side` lacks a test. If the side has a near test, name it: the user asked for
 * another condition. Return true if the side has no near test, or if one of its runs was not
 * completed, perhaps because of this test. */
static bool explain_missing(const struct mb_comparison *out, struct mb_compared *test, int side)
{
    const struct mb_side_runs *runs = &out->side[side];
    const struct mb_row *near = NULL;
    bool is_complete = true;
    for (size_t i = 0; i < out->n_tests; i++) {
        const struct mb_compared *other = &out->tests[i];
        const struct mb_row *row = other->side[side].first;
        if (near == NULL && row != NULL && is_near(test->rows, other->rows)) {
            near = row;
        }
    }
    for (size_t run = 0; run < runs->n_runs; run++) {
        is_complete = is_complete && runs->runs[run]->complete;
    }
    explain(test, "not there %s%s%s%s", when[side], near ? ", only " : "",
            near ? mb_timing_title(near->timing).s : "",
            near || is_complete ? "" : ", in a run that was not completed");
    return near == NULL || !is_complete;
}

static double range_of(const double *values, size_t n)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    return most - least;
}

/* How far a run wanders: the range of the medians of its parts, divided by the run's median. */
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

/* Compute the median of the runs' medians, as in mb_bootstrap_ratio, and the larger of the
 * spreads between and within runs. */
static enum mb_status side_figures(const struct mb_repeats *found, double *median_ns,
                                   double *spread, struct mb_err *err)
{
    size_t n_most = found->runs.n;
    for (size_t i = 0; i < found->runs.n; i++) {
        n_most = found->runs.series[i].n > n_most ? found->runs.series[i].n : n_most;
    }
    MB_FREED double *medians = mb_alloc(found->runs.n, sizeof *medians);
    MB_FREED double *values = mb_alloc(n_most, sizeof *values);
    MB_DO(MB_NEED(medians && values, "comparison"));
    for (size_t i = 0; i < found->runs.n; i++) {
        const struct mb_series *series = &found->runs.series[i];
        memcpy(values, series->values, series->n * sizeof *values);
        medians[i] = mb_median(values, series->n);
        *spread = fmax(*spread, wander(series, medians[i], values));
    }
    *median_ns = mb_median(medians, found->runs.n);
    *spread = fmax(*spread, range_of(medians, found->runs.n) / *median_ns);
    return MB_OK;
}

static bool is_same_data(const struct mb_repeats *a, const struct mb_repeats *b)
{
    bool is_same = a->runs.n == b->runs.n;
    for (size_t i = 0; is_same && i < a->runs.n; i++) {
        is_same = mb_series_compare(&a->runs.series[i], &b->runs.series[i]) == 0;
    }
    return is_same;
}

/* Explain why a test cannot be compared, or return false if it can. */
static bool find_gap(const struct mb_comparison *out, struct mb_compared *test)
{
    const struct mb_repeats *base = &test->side[MB_BASE], *new_runs = &test->side[MB_NEW];
    const bool was_right = base->is_verified && base->failed == NULL;
    test->change = was_right ? MB_CHANGE_GONE : MB_CHANGE_NONE;
    if (base->first == NULL) {
        explain_missing(out, test, MB_BASE);
    } else if (new_runs->first == NULL) {
        const bool is_lost = explain_missing(out, test, MB_NEW);
        test->change = is_lost ? test->change : MB_CHANGE_NONE;
    } else if (new_runs->failed != NULL || base->failed != NULL) {
        const int side = new_runs->failed != NULL ? MB_NEW : MB_BASE;
        const struct mb_row *failed = test->side[side].failed;
        const bool is_wrong = failed->result->verify == MB_VERIFY_FAIL;
        test->change = was_right ? MB_CHANGE_WRONG : MB_CHANGE_NONE;
        const char *reason = mb_row_fault(failed);
        explain(test, "%s %s, in %.150s%s%s", is_wrong ? "wrong texels" : "failed", when[side],
                test->side[side].failed_path, colon_before(reason), reason);
    } else if (base->usable == NULL) {
        explain_useless(test, base->first, MB_BASE);
        test->change = MB_CHANGE_NONE;
    } else if (new_runs->lost != NULL || new_runs->usable == NULL) {
        explain_useless(test, new_runs->lost ? new_runs->lost : new_runs->first, MB_NEW);
    } else {
        return false;
    }
    return true;
}

/* Fill in the figures that need no resampling, for a test with times on both sides. */
static enum mb_status fill(struct mb_compared *test, double threshold, struct mb_err *err)
{
    const struct mb_repeats *base = &test->side[MB_BASE], *new_runs = &test->side[MB_NEW];
    const int least = base->n_samples <= new_runs->n_samples ? MB_BASE : MB_NEW;
    const size_t n_least = test->side[least].n_samples;
    test->change = base->is_verified && new_runs->is_unchecked ? MB_CHANGE_UNVERIFIED
                   : mb_row_answers(base->usable, MB_QUESTION_EXACT) &&
                           !mb_row_answers(new_runs->usable, MB_QUESTION_EXACT)
                       ? MB_CHANGE_INEXACT
                       : MB_CHANGE_UNDECIDED;
    test->is_identical = is_same_data(base, new_runs);
    test->is_single_run = base->runs.n < MB_FEW_RUNS || new_runs->runs.n < MB_FEW_RUNS;
    test->ratio = (struct mb_estimate){.figure = 1, .ci = {1, 1}, .p = 1};
    if (test->is_single_run && n_least < MB_FEW_SAMPLES && !test->is_identical) {
        explain(test, "%zu sample%s %s, at least %d are needed", n_least,
                n_least == 1 ? "" : "s", when[least], MB_FEW_SAMPLES);
    }
    for (int side = 0; side < MB_N_SIDES; side++) {
        MB_DO(side_figures(&test->side[side], &test->median_ns[side], &test->spread, err));
    }
    /* The timer rounds both medians: a difference of one timer step means nothing. */
    const double granule_ns = fmax(base->granule_ns, new_runs->granule_ns);
    test->threshold = threshold + granule_ns / test->median_ns[MB_BASE];
    return MB_OK;
}

/* Set the margins. A test's spread is raised to the third quartile of all tests, as these ran
 * on the same machines: a quieter test was lucky. */
static enum mb_status set_margins(const struct mb_comparison *out, struct mb_err *err)
{
    MB_FREED double *spreads = mb_alloc(out->n_tests, sizeof *spreads);
    size_t n = 0;
    MB_DO(MB_NEED(spreads, "comparison"));
    for (size_t i = 0; i < out->n_tests; i++) {
        if (mb_has_ratio(&out->tests[i])) {
            spreads[n++] = out->tests[i].spread;
        }
    }
    mb_sort(spreads, n);
    const double usual = n > 0 ? mb_quantile_sorted(spreads, n, 0.75) : 0.0;
    for (size_t i = 0; i < out->n_tests; i++) {
        struct mb_compared *test = &out->tests[i];
        test->spread = fmax(test->spread, usual);
        test->margin = fmax(
            test->threshold + (test->is_single_run ? fmax(MB_RUN_TO_RUN, test->spread) : 0.0),
            fmax(test->side[MB_BASE].aa_distance, test->side[MB_NEW].aa_distance));
    }
    return MB_OK;
}

static enum mb_status resample(struct mb_comparison *out, struct mb_err *err)
{
    struct mb_bootstrap how = {.n_resamples = out->options.n_resamples};
    for (size_t i = 0; i < out->n_tests; i++) {
        struct mb_compared *test = &out->tests[i];
        const struct mb_repeats *base = &test->side[MB_BASE], *new_runs = &test->side[MB_NEW];
        if (!mb_has_ratio(test) || test->is_identical) {
            continue; /* resampling would make identical samples differ */
        }
        how.seed = mb_seed_of(out->options.seed, test->rows->key);
        MB_DO(mb_bootstrap_ratio(&base->runs, &new_runs->runs, &how, &test->ratio, err));
        if (test->reason[0] != '\0') {
            test->ratio.p = test->ratio.ci[0] = test->ratio.ci[1] = (double)NAN;
        }
    }
    return MB_OK;
}

/* If few runs gave no verdict, estimate how many runs a side would give a verdict at a level of
 * 95 % with a power of 80 %, if the true ratio is the measured one. The range of five runs is
 * 2.3 standard deviations. */
static void plan_runs(struct mb_compared *test)
{
    const double deviation = fmax(test->spread, MB_RUN_TO_RUN) / 2.3;
    const double off = fabs(fabs(log(test->ratio.figure)) - log1p(test->threshold));
    const double n = ceil(2.0 * pow((1.96 + 0.84) * deviation / off, 2.0));
    if (test->outcome != MB_OUTCOME_INCONCLUSIVE || !test->is_single_run ||
        test->reason[0] != '\0') {
        return;
    }
    test->n_runs_needed = (uint32_t)fmin(fmax(n, MB_FEW_RUNS), MB_MANY_RUNS);
}

static void decide(struct mb_comparison *out, struct mb_compared *test)
{
    static const enum mb_change changes[] = {
        [MB_OUTCOME_SAME] = MB_CHANGE_TIED,
        [MB_OUTCOME_FASTER] = MB_CHANGE_FASTER,
        [MB_OUTCOME_SLOWER] = MB_CHANGE_SLOWER,
        [MB_OUTCOME_INCONCLUSIVE] = MB_CHANGE_UNDECIDED,
    };
    test->outcome = mb_outcome(test->ratio.ci, test->p_adjusted, test->threshold, test->margin);
    if (test->change == MB_CHANGE_UNDECIDED) {
        test->change = changes[test->outcome];
    }
    plan_runs(test);
    out->n_compared++;
    out->n_outcomes[test->outcome]++;
    out->n_single_runs += test->is_single_run;
}

static enum mb_status conclude(struct mb_comparison *out, struct mb_err *err)
{
    MB_FREED double *p = mb_alloc(out->n_tests, sizeof *p);
    MB_DO(MB_NEED(p, "comparison"));
    for (size_t i = 0; i < out->n_tests; i++) {
        p[i] = mb_has_ratio(&out->tests[i]) ? out->tests[i].ratio.p : (double)NAN;
    }
    MB_DO(mb_holm(p, out->n_tests, err));
    for (size_t i = 0; i < out->n_tests; i++) {
        struct mb_compared *test = &out->tests[i];
        test->p_adjusted = p[i];
        if (mb_has_ratio(test)) {
            decide(out, test);
        }
        out->n_changes[test->change]++;
        out->n_regressions += mb_is_regression(test);
    }
    return MB_OK;
}

MB_PRINTF(3, 4)
static enum mb_status warn(struct mb_comparison *out, struct mb_err *err, const char *fmt, ...)
{
    char text[640];
    va_list args;
    va_start(args, fmt);
    mb_utf8_sanitize_format(text, sizeof text, fmt, args);
    va_end(args);
    return mb_strlist_add(&out->warnings, err, "%s", text);
}

static bool is_changed(const struct mb_case *a, const struct mb_case *b)
{
    return strncmp(a->input, "pattern:", 8) != 0 && strcmp(a->input, b->input) == 0 &&
           strcmp(a->input_sha256, b->input_sha256) != 0;
}

/* Warn if a run differs from the first run in its device, or in the contents of an image with
 * the same name. Only the first such image is reported. */
static enum mb_status warn_of_first(struct mb_comparison *out, const struct mb_run *run,
                                    struct mb_err *err)
{
    const struct mb_run *first = out->side[MB_BASE].runs[0];
    if (strcmp(first->device.name, run->device.name) != 0) {
        MB_DO(warn(out, err, "different devices: %.150s was run on %.100s, %.150s on %.100s",
                   first->path, first->device.name, run->path, run->device.name));
    }
    for (size_t i = 0; i < first->n_cases; i++) {
        for (size_t k = 0; k < run->n_cases; k++) {
            if (is_changed(first->cases[i], run->cases[k])) {
                return warn(out, err, "%.200s is not the same image in %.150s and %.150s",
                            first->cases[i]->input, first->path, run->path);
            }
        }
    }
    return MB_OK;
}

/* Warn of anything that may make the figures of either side misleading. */
static enum mb_status warn_of_runs(struct mb_comparison *out,
                                   const struct mb_run_group group[MB_N_SIDES],
                                   struct mb_err *err)
{
    for (int side = 0; side < MB_N_SIDES; side++) {
        const struct mb_side_runs *runs = &out->side[side];
        const size_t n_repeated = group[side].n_files - runs->n_runs;
        if (n_repeated > 0) {
            MB_DO(warn(out, err, "%zu of %zu files %s repeat a run; each run counts once",
                       n_repeated, group[side].n_files, when[side]));
        }
        for (size_t i = 0; i < runs->n_runs; i++) {
            const struct mb_run *run = runs->runs[i];
            if (run->validate) {
                MB_DO(warn(out, err, "%.200s was run with --validate, which distorts times",
                           run->path));
            }
            if (!run->complete) {
                MB_DO(warn(out, err, "%.200s: the run was interrupted", run->path));
            }
            MB_DO(warn_of_first(out, run, err));
        }
    }
    return MB_OK;
}

static enum mb_status match(struct mb_comparison *out,
                            const struct mb_run_group group[MB_N_SIDES], struct mb_err *err)
{
    struct mb_side_runs *base = &out->side[MB_BASE], *new_runs = &out->side[MB_NEW];
    base->runs = mb_alloc(group[MB_BASE].n_files + group[MB_NEW].n_files, sizeof *base->runs);
    MB_DO(MB_NEED(base->runs, "comparison"));
    base->n_runs = mb_runs_once(&group[MB_BASE], base->runs);
    new_runs->runs = base->runs + base->n_runs;
    new_runs->n_runs = mb_runs_once(&group[MB_NEW], new_runs->runs);
    MB_DO(mb_match_runs(out->side, MB_N_SIDES, &out->matched, err));
    out->tests = mb_alloc(out->matched.n, sizeof *out->tests);
    MB_DO(MB_NEED(out->tests, "comparison"));
    for (out->n_tests = 0; out->n_tests < out->matched.n; out->n_tests++) {
        const struct mb_test *rows = &out->matched.tests[out->n_tests];
        const struct mb_repeats *side = rows->side;
        out->tests[out->n_tests] = (struct mb_compared){
            .rows = rows,
            .side = side,
            .row = side[MB_BASE].first ? side[MB_BASE].first : side[MB_NEW].first,
        };
    }
    return MB_OK;
}

enum mb_status mb_compare_runs(const struct mb_run_group group[MB_N_SIDES],
                               const struct mb_compare_options *options,
                               struct mb_comparison *comparison, struct mb_err *err)
{
    enum mb_status status;
    *comparison = (struct mb_comparison){.options = *options};
    MB_TRY(match(comparison, group, err));
    for (size_t i = 0; i < comparison->n_tests; i++) {
        struct mb_compared *test = &comparison->tests[i];
        if (!find_gap(comparison, test)) {
            MB_TRY(fill(test, options->threshold, err));
        }
    }
    MB_TRY(set_margins(comparison, err));
    MB_TRY(resample(comparison, err));
    MB_TRY(conclude(comparison, err));
    MB_TRY(warn_of_runs(comparison, group, err));
    return MB_OK;
fail:
    mb_comparison_finish(comparison);
    return status;
}

void mb_comparison_finish(struct mb_comparison *comparison)
{
    mb_free(comparison->tests);
    mb_tests_finish(&comparison->matched);
    mb_free(comparison->side[MB_BASE].runs); /* one array for both sides */
    mb_strlist_finish(&comparison->warnings);
    *comparison = (struct mb_comparison){.n_tests = 0};
}
