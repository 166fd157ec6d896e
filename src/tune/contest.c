/* A contest of all variants at one size and format, in passes. */
#include "tune/contest.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/timing/schedule.h"
#include "tune/choose.h"

static const struct {
    uint32_t n_blocks;
    double margin; /* wide where samples are few */
} passes[MB_TUNE_MAX_PASSES] = {
    {5, 1.25},
    {20, 1.10},
};

static enum mb_status set_reason(struct mb_tune_variant *variant, enum mb_tune_state state,
                                 const char *reason, struct mb_err *err)
{
    variant->state = state;
    mb_free(variant->reason);
    variant->reason = mb_strdup(reason);
    return variant->reason ? MB_OK : MB_FAIL(err, MB_ERRC_RUNTIME, "tune: out of memory");
}

/* Values that come to the same commands here, "auto" and what it is, are one candidate: the
 * first of them, which has the fewest parameters off their defaults. */
static enum mb_status leave_out_same(struct mb_tune_contest *contest,
                                     struct mb_params *resolved, size_t index,
                                     struct mb_err *err)
{
    const struct mb_variant *rows = contest->options->rows;
    const struct mb_strategy *strategy = rows[index].strategy;
    struct mb_tune_variant *variants = contest->c->variants;
    resolved[index] = rows[index].params;
    if (!strategy->resolve) {
        return MB_OK;
    }
    strategy->resolve(contest->options->gpu, &contest->blank->layout, &contest->blank->task,
                      &resolved[index]);
    for (size_t i = 0; i < index; i++) {
        if (variants[i].state == MB_TUNE_ACTIVE && rows[i].strategy == strategy &&
            memcmp(&resolved[i], &resolved[index], sizeof *resolved) == 0) {
            variants[index].same_as = i;
            return set_reason(&variants[index], MB_TUNE_SAME,
                              "the same commands as of another variant here", err);
        }
    }
    return MB_OK;
}

/* Leave out what cannot take part, before any of it is set up. */
static enum mb_status sift(struct mb_tune_contest *contest, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_tune_options *options = contest->options;
    const struct mb_case *blank = contest->blank;
    struct mb_params *resolved = mb_alloc(options->n_rows, sizeof *resolved);
    if (!resolved) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "tune: out of memory");
    }
    for (size_t i = 0; i < options->n_rows; i++) {
        const struct mb_variant *row = &options->rows[i];
        struct mb_tune_variant *variant = &contest->c->variants[i];
        struct mb_err why = {0};
        *variant = (struct mb_tune_variant){.ratio = (double)NAN, .behind = (double)NAN};
        if (mb_variant_is_diagnostic(row)) {
            MB_TRY(set_reason(variant, MB_TUNE_SKIPPED, "leaves work out", err));
        } else if (row->strategy->has_source && row->strategy->has_source(&row->params)) {
            MB_TRY(set_reason(
                variant, MB_TUNE_SKIPPED,
                "reads level 0 from another image; tune is for chains made in place", err));
        } else if (mb_variant_supports(row, options->gpu, &blank->layout, &blank->task, &why) !=
                   MB_OK) {
            MB_TRY(set_reason(variant, MB_TUNE_SKIPPED, why.text, err));
        } else {
            MB_TRY(leave_out_same(contest, resolved, i, err));
        }
    }
fail:
    mb_free(resolved);
    return status;
}

static size_t count_active(const struct mb_tune_case *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_variants; i++) {
        n += c->variants[i].state == MB_TUNE_ACTIVE;
    }
    return n;
}

/* What a case says of a variant that did not get to be timed, or of what questions it is. */
static enum mb_status note_row(struct mb_tune_contest *contest, const struct mb_row *row,
                               struct mb_tune_variant *variant, struct mb_err *err)
{
    const struct mb_case *blank = contest->blank;
    if (mb_row_status(row) != MB_RESULT_OK) {
        const bool is_failed = mb_row_status(row) == MB_RESULT_FAILED;
        variant->is_wrong = is_failed && row->result->verify == MB_VERIFY_FAIL;
        return set_reason(variant, is_failed ? MB_TUNE_FAILED : MB_TUNE_SKIPPED,
                          mb_row_reason(row), err);
    }
    variant->questions = mb_questions_answered(&row->result->work.tolerance, blank->task.reduce,
                                               mb_tune_is_power(blank->layout.base));
    return MB_OK;
}

/* Run `n` variants, which are in contest->members, as one case, which is the caller's also
 * after a failure. */
static enum mb_status run_together(struct mb_tune_contest *contest,
                                   const struct mb_settings *settings, bool times_only,
                                   size_t n, struct mb_case *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_tune_options *options = contest->options;
    const struct mb_case_options case_options = {
        .gpu = options->gpu,
        .settings = settings,
        .hooks = options->hooks,
        .rows = contest->rows,
        .n_rows = n,
        .conditions = &contest->condition,
        .n_conditions = 1,
        .calibration = contest->calibration,
        .shares_pipelines = times_only,
        .times_only = times_only,
    };
    *c = *contest->blank;
    for (size_t i = 0; i < n; i++) {
        contest->rows[i] = options->rows[contest->members[i]];
    }
    MB_TRY(mb_case_run(&case_options, contest->source, c, &contest->is_complete, err));
fail:
    return status;
}

/* The fastest of a heat: what all others are held against from then on. */
static void choose_anchor(struct mb_tune_contest *contest, const struct mb_timing *timing,
                          size_t n)
{
    double least_ns = INFINITY;
    for (size_t i = 0; i < n; i++) {
        const struct mb_row *row = &timing->rows[i];
        if (row->stats.n > 0 && row->stats.median_ns < least_ns) {
            least_ns = row->stats.median_ns;
            contest->c->anchor = contest->members[i];
        }
    }
}

/* The median of the ratios in each block. */
static enum mb_status find_ratio(const struct mb_timing *timing, const struct mb_row *anchor,
                                 const struct mb_row *row, double *ratio, struct mb_err *err)
{
    const uint32_t n = timing->samples.n_kept;
    double *values = mb_alloc(2 * (size_t)n + 1, sizeof *values);
    if (!values) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "tune: out of memory");
    }
    mb_samples_column(&timing->samples, row->column, values);
    mb_samples_column(&timing->samples, anchor->column, values + n);
    for (uint32_t i = 0; i < n; i++) {
        values[i] /= values[n + i];
    }
    *ratio = mb_median(values, n);
    mb_free(values);
    return MB_OK;
}

static enum mb_status note_heat(struct mb_tune_contest *contest, const struct mb_timing *timing,
                                size_t n, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_tune_case *c = contest->c;
    const struct mb_row *anchor = NULL;
    if (c->anchor == SIZE_MAX) {
        choose_anchor(contest, timing, n);
    }
    for (size_t i = 0; i < n; i++) {
        if (contest->members[i] == c->anchor && timing->rows[i].stats.n > 0) {
            anchor = &timing->rows[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        struct mb_tune_variant *variant = &c->variants[contest->members[i]];
        const struct mb_row *row = &timing->rows[i];
        if (variant->state != MB_TUNE_ACTIVE) {
            continue; /* the anchor, which has been dropped since */
        }
        MB_TRY(note_row(contest, row, variant, err));
        if (variant->state == MB_TUNE_ACTIVE && anchor && row->stats.n > 0) {
            MB_TRY(find_ratio(timing, anchor, row, &variant->ratio, err));
        }
    }
fail:
    return status;
}

/* The next heat from the queue: up to contest->heat variants, and the anchor, once there is
 * one.
 */
static size_t fill_heat(struct mb_tune_contest *contest, size_t n_queued, size_t *next)
{
    size_t n = 0;
    bool has_anchor = contest->c->anchor == SIZE_MAX;
    for (; n < contest->heat && *next < n_queued; (*next)++) {
        contest->members[n++] = contest->queue[*next];
        has_anchor = has_anchor || contest->queue[*next] == contest->c->anchor;
    }
    if (!has_anchor) {
        contest->members[n++] = contest->c->anchor;
    }
    return n;
}

static struct mb_settings pass_settings(const struct mb_settings *settings, uint32_t n_blocks)
{
    struct mb_settings brief = *settings;
    brief.n_samples = n_blocks;
    brief.min_time_s = 0.0;
    brief.verify = false; /* nothing is decided on this but who is measured again */
    brief.pipeline_facts = false;
    return brief;
}

static enum mb_status run_heat(struct mb_tune_contest *contest,
                               const struct mb_settings *settings, size_t n, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_case c = {.results = NULL};
    MB_TRY(run_together(contest, settings, true, n, &c, err));
    if (contest->is_complete) {
        MB_TRY(note_heat(contest, &c.timings[0], n, err));
    }
fail:
    mb_case_finish(&c);
    return status;
}

static size_t fill_queue(struct mb_tune_contest *contest)
{
    size_t n = 0;
    for (size_t i = 0; i < contest->c->n_variants; i++) {
        if (contest->c->variants[i].state == MB_TUNE_ACTIVE) {
            contest->queue[n++] = i;
        }
    }
    return n;
}

static enum mb_status run_pass(struct mb_tune_contest *contest, uint32_t index,
                               struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_tune_case *c = contest->c;
    const bool is_last = index + 1 == MB_TUNE_MAX_PASSES;
    const struct mb_settings brief = pass_settings(contest->settings, passes[index].n_blocks);
    const size_t n_queued = fill_queue(contest);
    struct mb_tune_pass *pass = &c->pass[index];
    *pass = (struct mb_tune_pass){
        .n_blocks = passes[index].n_blocks,
        .margin = passes[index].margin,
        .n_in = n_queued,
        .n_heats = (n_queued + contest->heat - 1) / contest->heat,
    };
    size_t next = 0;
    for (size_t heat = 0; heat < pass->n_heats && contest->is_complete; heat++) {
        const size_t n = fill_heat(contest, n_queued, &next);
        contest->options->on_heat(contest->options->hooks->user, mb_tune_pass_name(index), heat,
                                  pass->n_heats);
        MB_TRY(run_heat(contest, &brief, n, err));
    }
    pass->n_out = mb_tune_select(c->variants, c->n_variants, pass->margin,
                                 is_last ? MB_TUNE_FINALISTS : 0, index);
    c->n_passes = index + 1;
fail:
    return status;
}

/* Measure all that are left together, and note what became of each. */
static enum mb_status run_final(struct mb_tune_contest *contest, struct mb_case *final,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_tune_case *c = contest->c;
    const size_t n = fill_queue(contest);
    memcpy(contest->members, contest->queue, n * sizeof *contest->members);
    contest->options->on_heat(contest->options->hooks->user, "final", 0, 1);
    MB_TRY(run_together(contest, contest->settings, false, n, final, err));
    for (size_t i = 0; contest->is_complete && i < n; i++) {
        struct mb_tune_variant *variant = &c->variants[contest->members[i]];
        MB_TRY(note_row(contest, &final->timings[0].rows[i], variant, err));
        if (variant->state == MB_TUNE_ACTIVE) {
            variant->state = MB_TUNE_FINAL;
            variant->result = i;
        }
    }
fail:
    return status;
}

static bool has_wrong(const struct mb_tune_case *c)
{
    for (size_t i = 0; i < c->n_variants; i++) {
        if (c->variants[i].is_wrong) {
            return true;
        }
    }
    return false;
}

static enum mb_status run_finals(struct mb_tune_contest *contest, struct mb_case *final,
                                 struct mb_err *err)
{
    enum mb_status status = MB_OK;
    bool is_open = count_active(contest->c) > 0;
    while (is_open && contest->is_complete) {
        mb_case_finish(final);
        MB_TRY(run_final(contest, final, err));
        is_open = false;
        if (contest->is_complete && has_wrong(contest->c) && contest->c->n_passes > 0) {
            MB_TRY(mb_tune_reopen(contest->c, &is_open, err));
        }
    }
fail:
    return status;
}

static enum mb_status allocate(struct mb_tune_contest *contest, struct mb_err *err)
{
    const size_t n = contest->options->n_rows + 1; /* and the anchor */
    contest->rows = mb_alloc(n, sizeof *contest->rows);
    contest->members = mb_alloc(n, sizeof *contest->members);
    contest->queue = mb_alloc(n, sizeof *contest->queue);
    contest->c->variants = mb_alloc(n, sizeof *contest->c->variants);
    contest->c->n_variants = contest->options->n_rows;
    if (!contest->rows || !contest->members || !contest->queue || !contest->c->variants) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "tune: out of memory");
    }
    return MB_OK;
}

/* Drivers have limits on how much there is of anything. */
static size_t heat_size(const struct mb_tune_contest *contest)
{
    struct mb_timing timing = {.of = contest->blank,
                               .cache = contest->condition.cache,
                               .mode = contest->condition.mode};
    struct mb_err why = {0};
    if (mb_schedule_images(&timing, contest->calibration->roofline.llc_bytes, &why) != MB_OK) {
        return MB_TUNE_HEAT; /* the rows will say why */
    }
    const size_t n_most = MB_TUNE_TRIALS / timing.n_rotated;
    return n_most < 1 ? 1 : n_most < MB_TUNE_HEAT ? n_most : MB_TUNE_HEAT;
}

enum mb_status mb_tune_contest_run(struct mb_tune_contest *contest, struct mb_case *final,
                                   struct mb_err *err)
{
    enum mb_status status = MB_OK;
    contest->is_complete = true;
    contest->c->anchor = SIZE_MAX;
    MB_TRY(allocate(contest, err));
    MB_TRY(sift(contest, err));
    contest->heat = heat_size(contest);
    for (uint32_t pass = 0; pass < MB_TUNE_MAX_PASSES && contest->is_complete &&
                            count_active(contest->c) > MB_TUNE_FINALISTS;
         pass++) {
        MB_TRY(run_pass(contest, pass, err));
    }
    MB_TRY(run_finals(contest, final, err));
fail:
    mb_free(contest->rows);
    mb_free(contest->members);
    mb_free(contest->queue);
    return status;
}
