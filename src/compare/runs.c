/* Two groups of runs: what can be compared and what cannot, and what may be said of it. */
#include "compare/runs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Enough that a clear difference of any row stands above the luck of resampling, as long as
 * that takes seconds; a p that is smaller than they can count comes from their tail. */
#define MIN_RESAMPLES     2000u
#define RESAMPLES_PER_ROW 80u
#define MAX_DRAWS         3e8

enum { BASE, NEW, N_SIDES };
static const char *const side_names[N_SIDES] = {[BASE] = "BASE", [NEW] = "NEW"};

/* A match on both sides. */
struct pair {
    struct mb_found side[N_SIDES];
};

struct side {
    const struct mb_result_file **runs; /* each once */
    size_t n_runs;
};

struct session {
    const struct mb_compare_options *options;
    struct side side[N_SIDES]; /* whose runs stand in one array; owned by that of BASE */
    struct mb_matches matches;
    struct pair *pairs; /* of out->rows, until these are resampled; owned */
    double *scratch;    /* one for each of them; owned */
    struct mb_comparison *out;
};

static enum mb_status no_memory(struct mb_err *err)
{
    return MB_FAIL(err, MB_ERRC_RUNTIME, "comparison: out of memory");
}

/* What a side has that comes near to a result. */
struct nearest {
    size_t n_copies;      /* of itself in one run, at most */
    const char *format;   /* another one that the side has it in, or NULL */
    char conditions[100]; /* that it has it under, each once, as far as there is room */
    bool has_condition;   /* its own is one of them */
};

static void add_condition(struct nearest *near, const char *condition)
{
    const size_t used = strlen(near->conditions);
    if (strstr(near->conditions, condition) == NULL &&
        used + strlen(condition) + 3 < sizeof near->conditions) {
        snprintf(near->conditions + used, sizeof near->conditions - used, "%s%s",
                 used > 0 ? ", " : "", condition);
    }
}

static struct nearest look_around(const struct side *side, const struct mb_file_result *result)
{
    struct nearest near = {0};
    for (size_t run = 0; run < side->n_runs; run++) {
        size_t n_copies = 0;
        for (size_t i = 0; i < side->runs[run]->n_results; i++) {
            const struct mb_file_result *other = &side->runs[run]->results[i];
            if (strcmp(other->key, result->key) == 0) {
                n_copies++;
            } else if (near.format == NULL &&
                       strcmp(other->key_sans_fmt, result->key_sans_fmt) == 0) {
                near.format = other->format;
            }
            if (strcmp(other->key_sans_condition, result->key_sans_condition) == 0) {
                near.has_condition =
                    near.has_condition || strcmp(other->condition, result->condition) == 0;
                add_condition(&near, other->condition);
            }
        }
        near.n_copies = n_copies > near.n_copies ? n_copies : near.n_copies;
    }
    return near;
}

static bool is_complete(const struct side *side)
{
    bool complete = true;
    for (size_t run = 0; run < side->n_runs; run++) {
        complete = complete && side->runs[run]->complete;
    }
    return complete;
}

MB_PRINTF(4, 5)
static void add_gap(struct mb_comparison *out, const struct mb_file_result *result,
                    bool is_regression, const char *fmt, ...)
{
    va_list args;
    struct mb_compare_gap *gap = &out->gaps[out->n_gaps++];
    gap->result = result;
    gap->is_regression = is_regression;
    va_start(args, fmt);
    vsnprintf(gap->reason, sizeof gap->reason, fmt, args);
    va_end(args);
}

static const char *colon_before(const char *reason)
{
    return reason[0] != '\0' ? ": " : "";
}

/* A result that is there and has no figures: skipped, or without good samples. */
static void add_useless(struct mb_comparison *out, const struct mb_file_result *result,
                        const char *side, bool is_regression)
{
    if (result->status == MB_RESULT_SKIPPED) {
        add_gap(out, result, is_regression, "%s skipped it%s%s", side,
                colon_before(result->reason), result->reason);
    } else if (result->n_bad_samples > 0) {
        add_gap(out, result, is_regression, "%s has samples that are no times (%zu of %zu)",
                side, result->n_bad_samples, result->n_bad_samples + result->n_samples);
    } else {
        add_gap(out, result, is_regression, "%s has no samples", side);
    }
}

static void times_text(size_t n, char out[32])
{
    if (n == 1 || n == 2) {
        snprintf(out, 32, "%s", n == 1 ? "once" : "twice");
    } else {
        snprintf(out, 32, "%zu times", n);
    }
}

/* What comes nearest to a result on the side that lacks it. */
static void describe_missing(const struct session *session, int lacking,
                             const struct mb_file_result *result, const struct nearest *near,
                             char why[200])
{
    why[0] = '\0';
    if (near->format != NULL) {
        snprintf(why, 200, "it has %s instead of %s", near->format, result->format);
    } else if (near->has_condition) {
        snprintf(why, 200,
                 "it has other parameters, alpha or shape, or one file does not tell (schema "
                 "%s and %s)",
                 session->side[N_SIDES - 1 - lacking].runs[0]->schema_version,
                 session->side[lacking].runs[0]->schema_version);
    } else if (near->conditions[0] != '\0') {
        snprintf(why, 200, "it has it only as %s, not as %s", near->conditions,
                 result->condition);
    } else if (!is_complete(&session->side[lacking])) {
        snprintf(why, 200, "its run was not completed");
    }
}

/* A result that one side lacks, or has fewer times. It is a regression if it `was_right` in the
 * base and is not there at all: one that was not asked for is none, but one that an incomplete
 * run lacks may be what ended it. */
static void add_missing(struct session *session, int lacking,
                        const struct mb_file_result *result, bool was_right)
{
    const int owning = N_SIDES - 1 - lacking;
    struct mb_comparison *out = session->out;
    const struct nearest near = look_around(&session->side[lacking], result);
    char why[200];
    if (near.n_copies > 0) {
        char times_own[32], times_other[32];
        times_text(look_around(&session->side[owning], result).n_copies, times_own);
        times_text(near.n_copies, times_other);
        add_gap(out, result, false, "%s in %s, %s in %s", times_own, side_names[owning],
                times_other, side_names[lacking]);
        return;
    }
    describe_missing(session, lacking, result, &near, why);
    add_gap(out, result, was_right && !is_complete(&session->side[lacking]),
            "%s does not have it%s%s", side_names[lacking], colon_before(why), why);
    out->gaps[out->n_gaps - 1].new_format = lacking == NEW ? near.format : NULL;
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
        status = no_memory(err);
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

static bool is_same_data(const struct mb_found *a, const struct mb_found *b)
{
    bool is_same = a->n_series == b->n_series;
    for (size_t i = 0; is_same && i < a->n_series; i++) {
        is_same = mb_series_compare(&a->series[i], &b->series[i]) == 0;
    }
    return is_same;
}

static void explain(struct mb_compare_row *row, size_t n_base_samples, size_t n_new_samples)
{
    const bool is_base = n_base_samples <= n_new_samples;
    const size_t n_least = is_base ? n_base_samples : n_new_samples;
    if (row->is_single_run && n_least < MB_FEW_SAMPLES && !row->is_identical) {
        snprintf(row->reason, sizeof row->reason,
                 "%zu sample%s in %s: fewer than %d say nothing", n_least,
                 n_least == 1 ? "" : "s", side_names[is_base ? BASE : NEW], MB_FEW_SAMPLES);
    }
}

/* A row as far as it is known before resampling; takes over what was found. */
static enum mb_status add_row(struct session *session, struct pair *pair, struct mb_err *err)
{
    struct mb_comparison *out = session->out;
    struct mb_compare_row *row = &out->rows[out->n_rows];
    const struct mb_found *base = &pair->side[BASE], *new_runs = &pair->side[NEW];
    enum mb_status status;
    *row = (struct mb_compare_row){
        .base = base->usable,
        .new_run = new_runs->usable,
        .n_base = base->n_series,
        .n_new = new_runs->n_series,
        .is_checked = !base->is_unchecked && !new_runs->is_unchecked,
        .is_check_lost = base->is_verified && new_runs->is_unchecked,
        .is_identical = is_same_data(base, new_runs),
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
    row->threshold = session->options->threshold + granule_ns / row->base_ns;
    session->pairs[out->n_rows++] = *pair;
    *pair = (struct pair){0};
fail:
    return status;
}

/* What BASE has against whatever NEW has of it. */
static enum mb_status judge(struct session *session, struct pair *pair, struct mb_err *err)
{
    struct mb_comparison *out = session->out;
    const struct mb_found *base = &pair->side[BASE], *new_runs = &pair->side[NEW];
    const bool was_right = base->is_verified && base->failed == NULL;
    if (base->first == NULL) {
        add_missing(session, BASE, new_runs->first, false);
    } else if (new_runs->first == NULL) {
        add_missing(session, NEW, base->first, was_right);
    } else if (new_runs->failed != NULL || base->failed != NULL) {
        const int wrong = new_runs->failed != NULL ? NEW : BASE;
        const struct mb_file_result *failed = pair->side[wrong].failed;
        add_gap(out, failed, was_right, "%s (%.200s) failed%s%s", side_names[wrong],
                pair->side[wrong].failed_path, colon_before(failed->reason), failed->reason);
    } else if (base->usable == NULL) {
        add_useless(out, base->first, "BASE", false);
    } else if (new_runs->lost != NULL) {
        add_useless(out, new_runs->lost, "NEW", was_right);
    } else if (new_runs->usable == NULL) {
        add_useless(out, new_runs->first, "NEW", was_right);
    } else {
        return add_row(session, pair, err);
    }
    return MB_OK;
}

static void finish_pair(struct pair *pair)
{
    for (int side = 0; side < N_SIDES; side++) {
        mb_found_finish(&pair->side[side]);
    }
}

static enum mb_status judge_match(struct session *session, const struct mb_match *match,
                                  struct mb_err *err)
{
    struct pair pair = {0};
    const struct side *base = &session->side[BASE], *new_runs = &session->side[NEW];
    enum mb_status status;
    MB_TRY(mb_found_gather(base->runs, match->of, base->n_runs, &pair.side[BASE], err));
    MB_TRY(mb_found_gather(new_runs->runs, match->of + base->n_runs, new_runs->n_runs,
                           &pair.side[NEW], err));
    MB_TRY(judge(session, &pair, err));
fail:
    finish_pair(&pair);
    return status;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a difference must clear. A row that was quiet by luck is not believed more than three in
 * four of the others: they were run on the same machines. */
static void set_margins(const struct session *session)
{
    const size_t n_rows = session->out->n_rows;
    double *spreads = session->scratch;
    for (size_t i = 0; i < n_rows; i++) {
        spreads[i] = session->out->rows[i].spread;
    }
    qsort(spreads, n_rows, sizeof *spreads, compare_doubles);
    const double usual = n_rows > 0 ? mb_quantile_sorted(spreads, n_rows, 0.75) : 0.0;
    for (size_t i = 0; i < n_rows; i++) {
        struct mb_compare_row *row = &session->out->rows[i];
        const struct mb_found *side = session->pairs[i].side;
        row->spread = fmax(row->spread, usual);
        row->margin =
            fmax(row->threshold + (row->is_single_run ? fmax(MB_RUN_TO_RUN, row->spread) : 0.0),
                 fmax(side[BASE].aa_distance, side[NEW].aa_distance));
    }
}

static uint32_t choose_resamples(const struct session *session)
{
    double n_samples = 1;
    for (size_t i = 0; i < session->out->n_rows; i++) {
        const struct mb_found *side = session->pairs[i].side;
        n_samples += (double)(side[BASE].n_samples + side[NEW].n_samples);
    }
    const double n_wanted =
        fmin(RESAMPLES_PER_ROW * (double)session->out->n_rows, MAX_DRAWS / n_samples);
    if (session->options->n_resamples > 0) {
        return session->options->n_resamples;
    }
    return (uint32_t)fmax(n_wanted, MIN_RESAMPLES);
}

static enum mb_status resample(struct session *session, struct mb_err *err)
{
    const uint32_t n_resamples = choose_resamples(session);
    enum mb_status status = MB_OK;
    for (size_t i = 0; i < session->out->n_rows; i++) {
        struct mb_compare_row *row = &session->out->rows[i];
        const struct mb_found *base = &session->pairs[i].side[BASE];
        const struct mb_found *new_runs = &session->pairs[i].side[NEW];
        const struct mb_bootstrap bootstrap = {
            .n_resamples = n_resamples,
            .seed = mb_seed_of(session->options->seed, row->base->key),
        };
        if (row->is_identical) {
            continue; /* two resamplings would differ by chance; the samples do not */
        }
        struct mb_estimate estimate;
        MB_TRY(mb_bootstrap_ratio(&(struct mb_runs){base->series, base->n_series},
                                  &(struct mb_runs){new_runs->series, new_runs->n_series},
                                  &bootstrap, &estimate, err));
        row->ratio = estimate.figure;
        row->p = estimate.p;
        memcpy(row->ratio_ci, estimate.ci, sizeof row->ratio_ci);
        if (row->reason[0] != '\0') {
            row->p = row->ratio_ci[0] = row->ratio_ci[1] = (double)NAN;
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
        row->reason[0] != '\0') {
        return;
    }
    row->n_runs_needed = (uint32_t)fmin(fmax(n, MB_FEW_RUNS), MB_MANY_RUNS);
}

static enum mb_status conclude(const struct session *session, struct mb_err *err)
{
    struct mb_comparison *out = session->out;
    enum mb_status status;
    double *p = session->scratch;
    for (size_t i = 0; i < out->n_rows; i++) {
        p[i] = out->rows[i].p;
    }
    MB_TRY(mb_holm(p, out->n_rows, err));
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
fail:
    return status;
}

/* What is beyond MB_MAX_COMPARE_WARNINGS is dropped. */
MB_PRINTF(2, 3)
static void warn(struct mb_comparison *out, const char *fmt, ...)
{
    va_list args;
    if (out->n_warnings < MB_MAX_COMPARE_WARNINGS) {
        va_start(args, fmt);
        vsnprintf(out->warnings[out->n_warnings++], sizeof out->warnings[0], fmt, args);
        va_end(args);
    }
}

/* What would make a difference of times, other than the code. */
static void warn_of_origin(struct mb_comparison *out, const struct mb_result_file *first,
                           const struct mb_result_file *file)
{
    if (strcmp(first->device, file->device) != 0) {
        warn(out, "DIFFERENT DEVICES: %.200s was run on %.100s, %.200s on %.100s", first->path,
             first->device, file->path, file->device);
    } else if (strcmp(first->driver, file->driver) != 0) {
        warn(out, "different drivers: %.200s was run with %.100s, %.200s with %.100s",
             first->path, first->driver, file->path, file->driver);
    }
}

static void warn_of_state(struct mb_comparison *out, const struct mb_result_file *file)
{
    if (file->validate) {
        warn(out, "%.200s was run with --validate: its times mean little", file->path);
    }
    if (!file->complete) {
        warn(out, "%.200s is of a run that was not completed", file->path);
    }
}

static bool is_changed(const struct mb_file_result *a, const struct mb_file_result *b)
{
    return strncmp(a->input, "pattern:", 8) != 0 && strcmp(a->input, b->input) == 0 &&
           strcmp(a->input_sha256, b->input_sha256) != 0;
}

/* The same name, other contents: told once a file. */
static void warn_of_inputs(struct mb_comparison *out, const struct mb_result_file *first,
                           const struct mb_result_file *file)
{
    for (size_t i = 0; i < first->n_results; i++) {
        for (size_t k = 0; k < file->n_results; k++) {
            if (is_changed(&first->results[i], &file->results[k])) {
                warn(out, "different inputs: %.200s is not the same image in %.150s and %.150s",
                     first->results[i].input, first->path, file->path);
                return;
            }
        }
    }
}

/* Formats in which only one side has what both have: told once. */
static void warn_of_formats(struct mb_comparison *out)
{
    for (size_t i = 0; i < out->n_gaps; i++) {
        const struct mb_compare_gap *gap = &out->gaps[i];
        if (gap->new_format != NULL) {
            warn(out, "different formats: %s has %s in BASE and %s in NEW", gap->result->input,
                 gap->result->format, gap->new_format);
            return;
        }
    }
}

/* What a reader must know of both groups before believing their figures. */
static void warn_of_groups(struct mb_comparison *out, const struct mb_run_group *const *groups)
{
    const struct mb_result_file *first = &groups[BASE]->files[0];
    for (int side = 0; side < N_SIDES; side++) {
        const struct mb_run_group *group = groups[side];
        for (size_t i = 0; i < group->n_files; i++) {
            if (mb_first_of_run(group, i) == i) {
                warn_of_origin(out, first, &group->files[i]);
                warn_of_state(out, &group->files[i]);
                warn_of_inputs(out, first, &group->files[i]);
            }
        }
        for (size_t i = 0; i < group->n_files; i++) {
            const size_t same = mb_first_of_run(group, i);
            if (same != i) {
                warn(out, "%.200s is the same run as %.200s, and counts once",
                     group->files[i].path, group->files[same].path);
            }
        }
    }
    warn_of_formats(out);
}

static enum mb_status init(struct session *session, const struct mb_run_group *const *groups,
                           struct mb_err *err)
{
    enum mb_status status;
    struct mb_comparison *out = session->out;
    const struct mb_result_file **runs =
        mb_alloc(groups[BASE]->n_files + groups[NEW]->n_files, sizeof(*runs));
    if (runs == NULL) {
        return no_memory(err);
    }
    for (int side = 0; side < N_SIDES; side++) {
        session->side[side].runs = runs + session->side[BASE].n_runs;
        session->side[side].n_runs = mb_runs_once(groups[side], session->side[side].runs);
    }
    MB_TRY(mb_match_runs(runs, session->side[BASE].n_runs + session->side[NEW].n_runs,
                         &session->matches, err));
    session->pairs = mb_alloc(session->matches.n, sizeof *session->pairs);
    session->scratch = mb_alloc(session->matches.n, sizeof *session->scratch);
    out->rows = mb_alloc(session->matches.n, sizeof *out->rows);
    out->gaps = mb_alloc(session->matches.n, sizeof *out->gaps);
    if (!session->pairs || !session->scratch || !out->rows || !out->gaps) {
        status = no_memory(err);
    }
fail:
    return status;
}

static void finish(struct session *session)
{
    for (size_t i = 0; i < session->out->n_rows; i++) {
        finish_pair(&session->pairs[i]);
    }
    mb_free(session->pairs);
    mb_free(session->scratch);
    mb_free(session->side[BASE].runs);
    mb_matches_finish(&session->matches);
}

enum mb_status mb_compare_runs(const struct mb_run_group *base,
                               const struct mb_run_group *new_runs,
                               const struct mb_compare_options *options,
                               struct mb_comparison *comparison, struct mb_err *err)
{
    enum mb_status status;
    const struct mb_run_group *const groups[N_SIDES] = {[BASE] = base, [NEW] = new_runs};
    struct session session = {.options = options, .out = comparison};
    *comparison = (struct mb_comparison){0};
    MB_TRY(init(&session, groups, err));
    for (size_t i = 0; i < session.matches.n; i++) {
        MB_TRY(judge_match(&session, &session.matches.match[i], err));
    }
    set_margins(&session);
    MB_TRY(resample(&session, err));
    MB_TRY(conclude(&session, err));
    warn_of_groups(comparison, groups);
fail:
    finish(&session);
    if (status != MB_OK) {
        mb_comparison_finish(comparison);
    }
    return status;
}

void mb_comparison_finish(struct mb_comparison *comparison)
{
    mb_free(comparison->rows);
    mb_free(comparison->gaps);
    *comparison = (struct mb_comparison){0};
}
