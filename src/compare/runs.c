/* Two groups of runs: what can be compared and what cannot, and what may be said of it. */
#include "compare/runs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "result/label.h"

/* Enough that a clear difference of any row stands above the luck of resampling, as long as
 * that takes seconds; a p that is smaller than they can count comes from their tail. */
#define MIN_RESAMPLES     2000u
#define RESAMPLES_PER_ROW 80u
#define MAX_DRAWS         3e8

struct side {
    const char *name;           /* "BASE", "NEW" */
    const struct mb_run **runs; /* each once */
    size_t n_runs;
};

struct session {
    struct side side[MB_N_SIDES]; /* runs stand in one array; owned by that of MB_BASE */
    struct mb_matches matches;
    double *scratch; /* one for each match; owned */
    struct mb_comparison *out;
};

/* What a side has that comes near to a result. */
struct nearest {
    size_t n_copies;      /* of itself in one run, at most */
    const char *format;   /* another one that the side has it in, or NULL */
    char conditions[100]; /* that it has it under, each once, as far as there is room */
    bool has_condition;   /* its own is one of them */
    bool is_complete;     /* every run was */
};

static const char *format_of(const struct mb_row *row)
{
    return row->timing->of->layout.format->name;
}

/* Whether both keys have the same text from `from` to `to`, and are parted there. */
static bool has_same_part(const struct mb_match *a, size_t from_a, size_t to_a,
                          const struct mb_match *b, size_t from_b, size_t to_b)
{
    return to_a - from_a == to_b - from_b &&
           memcmp(a->key + from_a, b->key + from_b, to_a - from_a) == 0;
}

/* What was measured, but not how: of the parameters those that the label names, since later
 * versions have more of them. */
static bool is_same_task(const struct mb_match *a, const struct mb_row *row_a,
                         const struct mb_match *b, const struct mb_row *row_b)
{
    return strcmp(row_a->result->label, row_b->result->label) == 0 &&
           has_same_part(a, a->timing_at, a->alpha_at, b, b->timing_at, b->alpha_at) &&
           strcmp(format_of(row_a), format_of(row_b)) == 0;
}

static void add_condition(struct nearest *near, const struct mb_row *own,
                          const struct mb_row *row)
{
    const struct mb_text condition = mb_timing_condition(row->timing);
    const size_t used = strlen(near->conditions);
    near->has_condition =
        near->has_condition || strcmp(condition.s, mb_timing_condition(own->timing).s) == 0;
    if (strstr(near->conditions, condition.s) == NULL &&
        used + strlen(condition.s) + 3 < sizeof near->conditions) {
        snprintf(near->conditions + used, sizeof near->conditions - used, "%s%s",
                 used > 0 ? ", " : "", condition.s);
    }
}

static struct nearest look_around(const struct session *session, const struct side *side,
                                  const struct mb_found *found)
{
    struct nearest near = {.is_complete = true};
    const struct mb_match *match = found->match;
    const size_t first = (size_t)(side->runs - session->side[MB_BASE].runs);
    for (size_t run = 0; run < side->n_runs; run++) {
        size_t n_copies = 0;
        near.is_complete = near.is_complete && side->runs[run]->complete;
        for (size_t i = 0; i < session->matches.n; i++) {
            const struct mb_match *other = &session->matches.match[i];
            const struct mb_row *row = other->of[first + run];
            if (row == NULL) {
                continue;
            }
            if (strcmp(other->key, match->key) == 0) {
                n_copies++;
            } else if (near.format == NULL &&
                       has_same_part(match, 0, match->format_at, other, 0, other->format_at)) {
                near.format = format_of(row);
            }
            if (is_same_task(match, found->first, other, row)) {
                add_condition(&near, found->first, row);
            }
        }
        near.n_copies = n_copies > near.n_copies ? n_copies : near.n_copies;
    }
    return near;
}

/* Valid UTF-8 without control characters, whatever files are called. */
MB_PRINTF(2, 0)
static void put(char out[MB_COMPARE_TEXT_BYTES], const char *fmt, va_list args)
{
    char text[MB_COMPARE_TEXT_BYTES];
    vsnprintf(text, sizeof text, fmt, args);
    mb_utf8_sanitize(text, out, MB_COMPARE_TEXT_BYTES);
}

MB_PRINTF(4, 5)
static void add_gap(struct mb_comparison *out, const struct mb_row *row, bool is_regression,
                    const char *fmt, ...)
{
    va_list args;
    struct mb_compare_gap *gap = &out->gaps[out->n_gaps++];
    gap->row = row;
    gap->is_regression = is_regression;
    va_start(args, fmt);
    put(gap->reason, fmt, args);
    va_end(args);
}

static const char *colon_before(const char *reason)
{
    return reason[0] != '\0' ? ": " : "";
}

/* A result that is there and has no figures: skipped, or without good samples. */
static void add_useless(struct mb_comparison *out, const struct mb_row *row, const char *side,
                        bool is_regression)
{
    if (mb_row_status(row) == MB_RESULT_SKIPPED) {
        add_gap(out, row, is_regression, "%s skipped it%s%s", side,
                colon_before(mb_row_reason(row)), mb_row_reason(row));
    } else if (mb_row_n_bad_samples(row) > 0) {
        add_gap(out, row, is_regression, "%s has invalid samples (%zu of %zu)", side,
                mb_row_n_bad_samples(row), mb_row_n_samples(row));
    } else {
        add_gap(out, row, is_regression, "%s has no samples", side);
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

/* A result of `own` that the other side lacks, or has fewer times, with what comes nearest to
 * it there. What `was_right` in the base is a regression if nothing like it is there, or if the
 * run that lacks it was not completed, as it may be what ended that run. What is there in
 * another way is none: it was asked for so. */
static void add_missing(const struct session *session, const struct side *own,
                        const struct side *other, const struct mb_found *found, bool was_right)
{
    struct mb_comparison *out = session->out;
    const struct mb_row *row = found->first;
    const struct nearest near = look_around(session, other, found);
    const bool is_regression = was_right && !near.is_complete;
    char times_own[32], times_other[32];
    if (near.n_copies > 0) {
        times_text(look_around(session, own, found).n_copies, times_own);
        times_text(near.n_copies, times_other);
        add_gap(out, row, false, "%s in %s, %s in %s", times_own, own->name, times_other,
                other->name);
    } else if (near.format != NULL) {
        add_gap(out, row, is_regression, "%s does not have it: it has %s instead of %s",
                other->name, near.format, format_of(row));
        /* BASE comes first. */
        out->gaps[out->n_gaps - 1].new_format = own < other ? near.format : NULL;
    } else if (near.has_condition) {
        add_gap(out, row, is_regression,
                "%s does not have it: it has other parameters, alpha or shape, or one file "
                "does not tell (schema %s and %s)",
                other->name, own->runs[0]->schema_version, other->runs[0]->schema_version);
    } else if (near.conditions[0] != '\0') {
        add_gap(out, row, is_regression, "%s does not have it: it has it only as %s, not as %s",
                other->name, near.conditions, mb_timing_condition(row->timing).s);
    } else {
        add_gap(out, row, was_right, "%s does not have it%s", other->name,
                near.is_complete ? "" : ": its run was not completed");
    }
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

static bool is_same_data(const struct mb_found *a, const struct mb_found *b)
{
    bool is_same = a->runs.n == b->runs.n;
    for (size_t i = 0; is_same && i < a->runs.n; i++) {
        is_same = mb_series_compare(&a->runs.series[i], &b->runs.series[i]) == 0;
    }
    return is_same;
}

/* A single run of few samples says nothing, but of itself. */
static void explain(struct mb_compare_row *row)
{
    const size_t n_base = row->found[MB_BASE].n_samples, n_new = row->found[MB_NEW].n_samples;
    const size_t n_least = n_base <= n_new ? n_base : n_new;
    if (row->is_single_run && n_least < MB_FEW_SAMPLES && !row->is_identical) {
        snprintf(row->reason, sizeof row->reason,
                 "%zu sample%s in %s: fewer than %d say nothing", n_least,
                 n_least == 1 ? "" : "s", n_base <= n_new ? "BASE" : "NEW", MB_FEW_SAMPLES);
    }
}

static bool is_exact(const struct mb_row *row)
{
    return mb_row_answers(row->timing, row, MB_QUESTION_EXACT);
}

/* Make a row of what was found, as far as it is known before resampling. */
static enum mb_status fill_row(struct mb_compare_row *row, double threshold, struct mb_err *err)
{
    const struct mb_found *base = &row->found[MB_BASE], *new_runs = &row->found[MB_NEW];
    row->is_checked = !base->is_unchecked && !new_runs->is_unchecked;
    row->is_check_lost = base->is_verified && new_runs->is_unchecked;
    row->is_exact_lost = is_exact(base->usable) && !is_exact(new_runs->usable);
    row->is_identical = is_same_data(base, new_runs);
    row->is_single_run = base->runs.n < MB_FEW_RUNS || new_runs->runs.n < MB_FEW_RUNS;
    row->ratio = (struct mb_estimate){.figure = 1, .ci = {1, 1}, .p = 1};
    explain(row);
    for (int side = 0; side < MB_N_SIDES; side++) {
        MB_DO(side_figures(&row->found[side], &row->median_ns[side], &row->spread, err));
    }
    /* Both medians stand on the timer's marks: a granule of difference is none. */
    const double granule_ns = fmax(base->granule_ns, new_runs->granule_ns);
    row->threshold = threshold + granule_ns / row->median_ns[MB_BASE];
    return MB_OK;
}

/* Note why what was found is a gap. Returns false if it is none. */
static bool add_if_gap(struct session *session, const struct mb_found found[MB_N_SIDES])
{
    struct mb_comparison *out = session->out;
    const struct mb_found *base = &found[MB_BASE], *new_runs = &found[MB_NEW];
    const bool was_right = base->is_verified && base->failed == NULL;
    if (base->first == NULL) {
        add_missing(session, &session->side[MB_NEW], &session->side[MB_BASE], new_runs, false);
    } else if (new_runs->first == NULL) {
        add_missing(session, &session->side[MB_BASE], &session->side[MB_NEW], base, was_right);
    } else if (new_runs->failed != NULL || base->failed != NULL) {
        const enum mb_compare_side wrong = new_runs->failed != NULL ? MB_NEW : MB_BASE;
        const struct mb_row *failed = found[wrong].failed;
        add_gap(out, failed, was_right, "%s (%.200s) failed%s%s", session->side[wrong].name,
                found[wrong].failed_path, colon_before(mb_row_reason(failed)),
                mb_row_reason(failed));
    } else if (base->usable == NULL) {
        add_useless(out, base->first, "BASE", false);
    } else if (new_runs->lost != NULL) {
        add_useless(out, new_runs->lost, "NEW", was_right);
    } else if (new_runs->usable == NULL) {
        add_useless(out, new_runs->first, "NEW", was_right);
    } else {
        return false;
    }
    return true;
}

static void finish_row(struct mb_compare_row *row)
{
    for (int side = 0; side < MB_N_SIDES; side++) {
        mb_found_finish(&row->found[side]);
    }
    *row = (struct mb_compare_row){.is_checked = false};
}

/* A match becomes a row or a gap. */
static enum mb_status judge(struct session *session, const struct mb_match *match,
                            struct mb_err *err)
{
    struct mb_comparison *out = session->out;
    struct mb_compare_row *row = &out->rows[out->n_rows++];
    size_t first = 0;
    for (int side = 0; side < MB_N_SIDES; side++) {
        const struct side *own = &session->side[side];
        MB_DO(mb_found_gather(own->runs, own->n_runs, match, first, &row->found[side], err));
        first += own->n_runs;
    }
    if (add_if_gap(session, row->found)) {
        finish_row(row);
        out->n_rows--;
        return MB_OK;
    }
    return fill_row(row, out->options.threshold, err);
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
    mb_sort(spreads, n_rows);
    const double usual = n_rows > 0 ? mb_quantile_sorted(spreads, n_rows, 0.75) : 0.0;
    for (size_t i = 0; i < n_rows; i++) {
        struct mb_compare_row *row = &session->out->rows[i];
        row->spread = fmax(row->spread, usual);
        row->margin =
            fmax(row->threshold + (row->is_single_run ? fmax(MB_RUN_TO_RUN, row->spread) : 0.0),
                 fmax(row->found[MB_BASE].aa_distance, row->found[MB_NEW].aa_distance));
    }
}

static uint32_t choose_resamples(const struct mb_comparison *out)
{
    double n_samples = 1;
    for (size_t i = 0; i < out->n_rows; i++) {
        const struct mb_found *found = out->rows[i].found;
        n_samples += (double)(found[MB_BASE].n_samples + found[MB_NEW].n_samples);
    }
    const double n_wanted =
        fmin(RESAMPLES_PER_ROW * (double)out->n_rows, MAX_DRAWS / n_samples);
    return out->options.n_resamples > 0 ? out->options.n_resamples
                                        : (uint32_t)fmax(n_wanted, MIN_RESAMPLES);
}

static enum mb_status resample(struct mb_comparison *out, struct mb_err *err)
{
    struct mb_bootstrap how = {.n_resamples = choose_resamples(out)};
    for (size_t i = 0; i < out->n_rows; i++) {
        struct mb_compare_row *row = &out->rows[i];
        const struct mb_found *base = &row->found[MB_BASE], *new_runs = &row->found[MB_NEW];
        how.seed = mb_seed_of(out->options.seed, base->match->key);
        if (row->is_identical) {
            continue; /* two resamplings would differ by chance; the samples do not */
        }
        MB_DO(mb_bootstrap_ratio(&base->runs, &new_runs->runs, &how, &row->ratio, err));
        if (row->reason[0] != '\0') {
            row->ratio.p = row->ratio.ci[0] = row->ratio.ci[1] = (double)NAN;
        }
    }
    return MB_OK;
}

/* Without a verdict on few runs: how many would tell on which side of the threshold the ratio
 * is, 8 times in 10 at the level of 95 %, if it is what it seems. The range of five is 2.3 of
 * their standard deviations. */
static void plan_runs(struct mb_compare_row *row)
{
    const double deviation = fmax(row->spread, MB_RUN_TO_RUN) / 2.3;
    const double off = fabs(fabs(log(row->ratio.figure)) - log1p(row->threshold));
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
    double *p = session->scratch;
    for (size_t i = 0; i < out->n_rows; i++) {
        p[i] = out->rows[i].ratio.p;
    }
    MB_DO(mb_holm(p, out->n_rows, err));
    for (size_t i = 0; i < out->n_rows; i++) {
        struct mb_compare_row *row = &out->rows[i];
        row->p_adjusted = p[i];
        row->outcome = mb_outcome(row->ratio.ci, p[i], row->threshold, row->margin);
        row->is_regression =
            row->outcome == MB_OUTCOME_SLOWER || row->is_check_lost || row->is_exact_lost;
        plan_runs(row);
        out->n_outcomes[row->outcome]++;
        out->n_single_runs += row->is_single_run;
        out->n_checks_lost += row->is_check_lost;
        out->n_exact_lost += row->is_exact_lost;
        out->n_regressions += row->is_regression;
    }
    for (size_t i = 0; i < out->n_gaps; i++) {
        out->n_lost += out->gaps[i].is_regression;
    }
    out->n_regressions += out->n_lost;
    return MB_OK;
}

/* What is beyond MB_MAX_COMPARE_WARNINGS is dropped. */
MB_PRINTF(2, 3)
static void warn(struct mb_comparison *out, const char *fmt, ...)
{
    va_list args;
    if (out->n_warnings < MB_MAX_COMPARE_WARNINGS) {
        va_start(args, fmt);
        put(out->warnings[out->n_warnings++], fmt, args);
        va_end(args);
    }
}

/* What would make a difference of times, other than the code. */
static void warn_of_origin(struct mb_comparison *out, const struct mb_run *first,
                           const struct mb_run *file)
{
    if (strcmp(first->device.name, file->device.name) != 0) {
        warn(out, "DIFFERENT DEVICES: %.200s was run on %.100s, %.200s on %.100s", first->path,
             first->device.name, file->path, file->device.name);
    } else if (strcmp(mb_run_driver(first).s, mb_run_driver(file).s) != 0) {
        warn(out, "different drivers: %.200s was run with %.100s, %.200s with %.100s",
             first->path, mb_run_driver(first).s, file->path, mb_run_driver(file).s);
    }
}

/* Manifests and their modules that were changed in between: the same name, and another digest.
 */
static void warn_of_kernels(struct mb_comparison *out, const struct mb_run *first,
                            const struct mb_run *file)
{
    for (size_t i = 0; i < first->kernels.n; i++) {
        const char *old = first->kernels.items[i];
        const size_t n_name = (size_t)(strrchr(old, ' ') - old) + 1;
        for (size_t k = 0; k < file->kernels.n; k++) {
            const char *new = file->kernels.items[k];
            if (strncmp(old, new, n_name) == 0 && strcmp(old, new) != 0) {
                warn(out, "%.*s is not the same in %.200s and %.200s", (int)n_name - 1, old,
                     first->path, file->path);
            }
        }
    }
}

static void warn_of_state(struct mb_comparison *out, const struct mb_run *file)
{
    if (file->validate) {
        warn(out, "%.200s was run with --validate: its times mean little", file->path);
    }
    if (!file->complete) {
        warn(out, "%.200s: the run was interrupted", file->path);
    }
}

static bool is_changed(const struct mb_case *a, const struct mb_case *b)
{
    return strncmp(a->input, "pattern:", 8) != 0 && strcmp(a->input, b->input) == 0 &&
           strcmp(a->input_sha256, b->input_sha256) != 0;
}

/* The same name, other contents: told once a file. */
static void warn_of_inputs(struct mb_comparison *out, const struct mb_run *first,
                           const struct mb_run *file)
{
    for (size_t i = 0; i < first->n_cases; i++) {
        for (size_t k = 0; k < file->n_cases; k++) {
            if (is_changed(first->cases[i], file->cases[k])) {
                warn(out, "different inputs: %.200s is not the same image in %.150s and %.150s",
                     first->cases[i]->input, first->path, file->path);
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
            warn(out, "different formats: %s has %s in BASE and %s in NEW",
                 gap->row->timing->of->input, format_of(gap->row), gap->new_format);
            return;
        }
    }
}

/* What a reader must know of both groups before believing their figures. */
static void warn_of_groups(struct mb_comparison *out)
{
    const struct mb_run *first = &out->group[MB_BASE].files[0];
    for (int side = 0; side < MB_N_SIDES; side++) {
        const struct mb_run_group *group = &out->group[side];
        for (size_t i = 0; i < group->n_files; i++) {
            if (mb_first_of_run(group, i) == i) {
                warn_of_origin(out, first, &group->files[i]);
                warn_of_kernels(out, first, &group->files[i]);
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

static enum mb_status match(struct session *session, struct mb_err *err)
{
    struct mb_comparison *out = session->out;
    struct side *base = &session->side[MB_BASE], *new_runs = &session->side[MB_NEW];
    base->runs =
        mb_alloc(out->group[MB_BASE].n_files + out->group[MB_NEW].n_files, sizeof *base->runs);
    MB_DO(MB_NEED(base->runs, "comparison"));
    base->n_runs = mb_runs_once(&out->group[MB_BASE], base->runs);
    new_runs->runs = base->runs + base->n_runs;
    new_runs->n_runs = mb_runs_once(&out->group[MB_NEW], new_runs->runs);
    MB_DO(mb_match_runs(base->runs, base->n_runs + new_runs->n_runs, &session->matches, err));
    session->scratch = mb_alloc(session->matches.n, sizeof *session->scratch);
    out->rows = mb_alloc(session->matches.n, sizeof *out->rows);
    out->gaps = mb_alloc(session->matches.n, sizeof *out->gaps);
    return MB_NEED(session->scratch && out->rows && out->gaps, "comparison");
}

enum mb_status mb_compare_runs(const struct mb_run_group group[MB_N_SIDES],
                               const struct mb_compare_options *options,
                               struct mb_comparison *comparison, struct mb_err *err)
{
    enum mb_status status;
    struct session session = {
        .side = {[MB_BASE] = {.name = "BASE"}, [MB_NEW] = {.name = "NEW"}},
        .out = comparison,
    };
    *comparison =
        (struct mb_comparison){.group = {group[MB_BASE], group[MB_NEW]}, .options = *options};
    MB_TRY(match(&session, err));
    for (size_t i = 0; i < session.matches.n; i++) {
        MB_TRY(judge(&session, &session.matches.match[i], err));
    }
    set_margins(&session);
    MB_TRY(resample(comparison, err));
    MB_TRY(conclude(&session, err));
    warn_of_groups(comparison);
fail:
    mb_matches_finish(&session.matches);
    mb_free(session.side[MB_BASE].runs);
    mb_free(session.scratch);
    if (status != MB_OK) {
        mb_comparison_finish(comparison);
    }
    return status;
}

void mb_comparison_finish(struct mb_comparison *comparison)
{
    for (size_t i = 0; i < comparison->n_rows; i++) {
        finish_row(&comparison->rows[i]);
    }
    mb_free(comparison->rows);
    mb_free(comparison->gaps);
    *comparison = (struct mb_comparison){.n_rows = 0};
}
