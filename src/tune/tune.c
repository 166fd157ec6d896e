/* Tuning: the cases one by one, each a contest of all variants in passes. */
#include "tune/tune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/bench.h"
#include "bench/image_case.h"
#include "bench/timing/sizing.h"
#include "tune/choose.h"

/* A tuning while its cases are run. */
struct session {
    const struct mb_tune_options *options;
    struct mb_settings settings; /* with the format of the case */
    const struct mb_image *image;
    struct mb_calibration calibration;
    struct mb_run *run;
    struct mb_tune *tune;
    bool is_complete; /* the user did not interrupt it */
    /* A heat: what is measured together; owned. */
    struct mb_variant *rows;
    size_t *members; /* indices of the same */
    /* The case that is being tuned. */
    struct mb_tune_case *c; /* the next one of `tune` */
    struct mb_case blank;   /* what is known before anything is run */
    void *source;           /* owned */
    struct mb_condition condition;
    size_t heat; /* at most so many variants are measured together in a pass */
};

static void leave_out(struct mb_tune_variant *variant, enum mb_tune_state state,
                      const char *reason)
{
    variant->state = state;
    snprintf(variant->reason, sizeof variant->reason, "%s", reason);
}

/* Why a variant cannot take part, or NULL. */
static const char *reason_against(const struct session *session, const struct mb_variant *row,
                                  struct mb_err *why)
{
    const struct mb_case *blank = &session->blank;
    if (mb_variant_is_diagnostic(row)) {
        return "leaves work out";
    }
    if (row->strategy->source_of && row->strategy->source_of(&row->params) != MB_SOURCE_SAME) {
        return "reads level 0 from another image; tune is for chains made in place";
    }
    return mb_variant_supports(row, session->options->gpu, &blank->layout, &blank->task, why) ==
                   MB_OK
               ? NULL
               : why->text;
}

/* The earlier variant whose values come to the same commands here, "auto" and what it is, or
 * SIZE_MAX: it has the fewest parameters off their defaults, and stands for both. */
static size_t find_same(const struct session *session, struct mb_params *resolved, size_t index)
{
    const struct mb_variant *rows = session->options->rows;
    const struct mb_strategy *strategy = rows[index].strategy;
    resolved[index] = rows[index].params;
    if (!strategy->resolve) {
        return SIZE_MAX;
    }
    strategy->resolve(session->options->gpu, &session->blank.layout, &session->blank.task,
                      &resolved[index]);
    for (size_t i = 0; i < index; i++) {
        if (session->c->variants[i].state == MB_TUNE_ACTIVE && rows[i].strategy == strategy &&
            memcmp(&resolved[i], &resolved[index], sizeof *resolved) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Leave out what cannot take part, before any of it is set up. */
static enum mb_status sift(struct session *session, struct mb_err *err)
{
    struct mb_tune_case *c = session->c;
    MB_FREED struct mb_params *resolved = mb_alloc(c->n_variants, sizeof *resolved);
    MB_DO(MB_NEED(resolved, "tune"));
    for (size_t i = 0; i < c->n_variants; i++) {
        struct mb_tune_variant *variant = &c->variants[i];
        struct mb_err why = {0};
        const char *reason = reason_against(session, &session->options->rows[i], &why);
        *variant = (struct mb_tune_variant){.ratio = (double)NAN, .behind = (double)NAN};
        variant->same_as = reason ? SIZE_MAX : find_same(session, resolved, i);
        if (reason) { /* a manifest may be wrong for this image only */
            leave_out(variant, why.code == MB_ERRC_INPUT ? MB_TUNE_FAILED : MB_TUNE_SKIPPED,
                      reason);
        } else if (variant->same_as != SIZE_MAX) {
            leave_out(variant, MB_TUNE_SAME, "the same commands as another variant here");
        }
    }
    return MB_OK;
}

static size_t count_active(const struct mb_tune_case *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_variants; i++) {
        n += c->variants[i].state == MB_TUNE_ACTIVE;
    }
    return n;
}

/* Note why a variant was not timed, or which questions it answers. */
static void note_row(struct session *session, const struct mb_row *row,
                     struct mb_tune_variant *variant)
{
    const bool is_failed = mb_row_status(row) == MB_RESULT_FAILED;
    variant->questions = mb_result_claim(&session->blank, row->result).questions;
    if (mb_row_status(row) != MB_RESULT_OK) {
        variant->is_wrong = is_failed && row->result->verify == MB_VERIFY_FAIL;
        leave_out(variant, is_failed ? MB_TUNE_FAILED : MB_TUNE_SKIPPED, mb_row_reason(row));
    }
}

/* Run `n` variants, session->members, as one case. It is the caller's, after a failure too. */
static enum mb_status run_together(struct session *session, const struct mb_settings *settings,
                                   bool times_only, size_t n, struct mb_case *c,
                                   struct mb_err *err)
{
    const struct mb_tune_options *options = session->options;
    const struct mb_case_options case_options = {
        .settings = settings,
        .hooks = options->hooks,
        .rows = session->rows,
        .n_rows = n,
        .conditions = &session->condition,
        .n_conditions = 1,
        .calibration = &session->calibration,
        .shares_pipelines = times_only,
        .times_only = times_only,
    };
    *c = session->blank;
    for (size_t i = 0; i < n; i++) {
        session->rows[i] = options->rows[session->members[i]];
    }
    return mb_case_run(&case_options, session->source, c, &session->is_complete, err);
}

/* The row of the anchor, or NULL where it was not timed. The fastest of the first heat becomes
 * the anchor: all others are compared with it from then on. */
static const struct mb_row *find_anchor(struct session *session, const struct mb_timing *timing,
                                        size_t n)
{
    struct mb_tune_case *c = session->c;
    const struct mb_row *found = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct mb_row *row = &timing->rows[i];
        const bool is_better = c->anchor != SIZE_MAX
                                   ? session->members[i] == c->anchor
                                   : !found || row->stats.median_ns < found->stats.median_ns;
        found = row->stats.n > 0 && is_better ? row : found;
    }
    if (found) {
        c->anchor = session->members[found - timing->rows];
    }
    return found;
}

/* The median of the ratios in each block. */
static enum mb_status find_ratio(const struct mb_timing *timing, const struct mb_row *anchor,
                                 const struct mb_row *row, double *ratio, struct mb_err *err)
{
    const uint32_t n = timing->samples.n_kept;
    MB_FREED double *values = mb_alloc(2 * (size_t)n + 1, sizeof *values);
    MB_DO(MB_NEED(values, "tune"));
    mb_samples_column(&timing->samples, row->column, values);
    mb_samples_column(&timing->samples, anchor->column, values + n);
    for (uint32_t i = 0; i < n; i++) {
        values[i] /= values[n + i];
    }
    *ratio = mb_median(values, n);
    return MB_OK;
}

static enum mb_status note_heat(struct session *session, const struct mb_timing *timing,
                                size_t n, struct mb_err *err)
{
    struct mb_tune_case *c = session->c;
    const struct mb_row *anchor = find_anchor(session, timing, n);
    for (size_t i = 0; i < n; i++) {
        struct mb_tune_variant *variant = &c->variants[session->members[i]];
        const struct mb_row *row = &timing->rows[i];
        if (variant->state != MB_TUNE_ACTIVE) {
            continue; /* the anchor, which has been dropped since */
        }
        note_row(session, row, variant);
        if (variant->state == MB_TUNE_ACTIVE && anchor && row->stats.n > 0) {
            MB_DO(find_ratio(timing, anchor, row, &variant->ratio, err));
        }
    }
    return MB_OK;
}

/* Make members of up to `n_most` active variants from `*next` on. Returns how many. */
static size_t take_active(struct session *session, size_t n_most, size_t *next)
{
    size_t n = 0;
    for (; n < n_most && *next < session->c->n_variants; (*next)++) {
        if (session->c->variants[*next].state == MB_TUNE_ACTIVE) {
            session->members[n++] = *next;
        }
    }
    return n;
}

/* The next heat: up to session->heat variants, and the anchor, once there is one. */
static size_t take_heat(struct session *session, size_t *next)
{
    const size_t anchor = session->c->anchor;
    const size_t n = take_active(session, session->heat, next);
    bool has_anchor = anchor == SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        has_anchor = has_anchor || session->members[i] == anchor;
    }
    session->members[n] = anchor;
    return has_anchor ? n : n + 1;
}

static enum mb_status run_heat(struct session *session, const struct mb_settings *settings,
                               size_t n, struct mb_err *err)
{
    MB_SCOPED(mb_case) c = {.results = NULL};
    MB_DO(run_together(session, settings, true, n, &c, err));
    if (session->is_complete) {
        MB_DO(note_heat(session, &c.timings[0], n, err));
    }
    return MB_OK;
}

static enum mb_status run_pass(struct session *session, uint32_t index, struct mb_err *err)
{
    struct mb_tune_case *c = session->c;
    const struct mb_tune_rule *rule = &mb_tune_rules[index];
    const bool is_last = index + 1 == MB_TUNE_MAX_PASSES;
    const size_t n_in = count_active(c);
    struct mb_settings brief = session->settings;
    brief.n_samples = rule->n_blocks;
    brief.min_time_s = 0.0;
    brief.verify = false; /* nothing is decided on this but who is measured again */
    brief.pipeline_facts = false;
    struct mb_tune_pass *pass = &c->pass[index];
    *pass = (struct mb_tune_pass){
        .n_in = n_in,
        .n_heats = (n_in + session->heat - 1) / session->heat,
    };
    size_t next = 0;
    for (size_t heat = 0; heat < pass->n_heats && session->is_complete; heat++) {
        const size_t n = take_heat(session, &next);
        session->options->on_heat(session->options->hooks->user, rule->name, heat,
                                  pass->n_heats);
        MB_DO(run_heat(session, &brief, n, err));
    }
    pass->n_out = mb_tune_select(c->variants, c->n_variants, rule->margin,
                                 is_last ? MB_TUNE_FINALISTS : 0, index);
    c->n_passes = index + 1;
    return MB_OK;
}

/* Measure all that are left together, and note what became of each. */
static enum mb_status run_final(struct session *session, struct mb_case *final,
                                struct mb_err *err)
{
    size_t next = 0;
    const size_t n = take_active(session, SIZE_MAX, &next);
    session->options->on_heat(session->options->hooks->user, "final", 0, 1);
    MB_DO(run_together(session, &session->settings, false, n, final, err));
    for (size_t i = 0; session->is_complete && i < n; i++) {
        struct mb_tune_variant *variant = &session->c->variants[session->members[i]];
        const struct mb_row *row = &final->timings[0].rows[i];
        note_row(session, row, variant);
        if (variant->state == MB_TUNE_ACTIVE) {
            variant->state = MB_TUNE_FINAL;
            variant->row = row;
        }
    }
    return MB_OK;
}

static bool has_wrong(const struct mb_tune_case *c)
{
    bool has_any = false;
    for (size_t i = 0; i < c->n_variants; i++) {
        has_any = has_any || c->variants[i].is_wrong;
    }
    return has_any;
}

static enum mb_status run_finals(struct session *session, struct mb_case *final,
                                 struct mb_err *err)
{
    bool is_open = count_active(session->c) > 0;
    while (is_open && session->is_complete) {
        mb_case_finish(final);
        MB_DO(run_final(session, final, err));
        is_open = session->is_complete && session->c->n_passes > 0 && has_wrong(session->c) &&
                  mb_tune_reopen(session->c);
    }
    return MB_OK;
}

/* Drivers have limits on how much there is of anything. */
static size_t heat_size(const struct session *session)
{
    struct mb_timing timing = {.of = &session->blank,
                               .cache = session->condition.cache,
                               .mode = session->condition.mode};
    struct mb_err why = {0};
    if (mb_schedule_images(&timing, session->calibration.roofline.llc_bytes, &why) != MB_OK) {
        return MB_TUNE_HEAT; /* the rows will say why */
    }
    const size_t n_most = MB_TUNE_TRIALS / timing.n_rotated;
    return n_most < 1 ? 1 : n_most < MB_TUNE_HEAT ? n_most : MB_TUNE_HEAT;
}

/* Run the passes and the final, which is `*final`; it stays empty where nothing can run. */
static enum mb_status run_contest(struct session *session, struct mb_case *final,
                                  struct mb_err *err)
{
    struct mb_tune_case *c = session->c;
    c->anchor = SIZE_MAX;
    c->variants = mb_alloc(session->options->n_rows, sizeof *c->variants);
    c->n_variants = session->options->n_rows;
    MB_DO(MB_NEED(c->variants, "tune"));
    MB_DO(sift(session, err));
    session->heat = heat_size(session);
    for (uint32_t pass = 0; pass < MB_TUNE_MAX_PASSES && session->is_complete &&
                            count_active(c) > MB_TUNE_FINALISTS;
         pass++) {
        MB_DO(run_pass(session, pass, err));
    }
    return run_finals(session, final, err);
}

/* Choose for every question in the final, which is the last case of the run, and make the case
 * one of the tuning. Where nothing ran the run has no such case. */
static enum mb_status keep_case(struct session *session, struct mb_case *final,
                                struct mb_err *err)
{
    const struct mb_tune_options *options = session->options;
    struct mb_tune_case *c = session->c;
    struct mb_timing *timing = final->n_timings > 0 ? &final->timings[0] : NULL;
    c->final = timing;
    if (timing) {
        MB_DO(mb_tune_choose(timing, options->settings->seed, c->choice, err));
        for (int question = 0; question < MB_N_QUESTIONS; question++) {
            c->choice[question].of = c; /* also where classes cannot be made */
        }
    } else {
        mb_run_drop_case(session->run);
    }
    session->tune->n_cases++;
    MB_DO(mb_tune_classify(session->tune, err));
    return options->on_case_done(options->hooks->user, err);
}

static bool is_known_case(const struct mb_tune *tune, const struct mb_layout *layout)
{
    for (size_t i = 0; i < tune->n_cases; i++) {
        const struct mb_layout *other = &tune->cases[i].layout;
        if (other->format == layout->format && other->base.width == layout->base.width &&
            other->base.height == layout->base.height) {
            return true; /* "auto" may be one of those that are named */
        }
    }
    return false;
}

static enum mb_status run_case(struct session *session, size_t size, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const size_t n_kept = session->tune->n_cases;
    struct mb_condition conditions[MB_MAX_CONDITIONS];
    struct mb_case *final = mb_run_add_case(session->run);
    MB_DO(MB_NEED(final, "tune"));
    session->c = &session->tune->cases[n_kept];
    session->blank = (struct mb_case){.results = NULL};
    mb_conditions(session->options->gpu, &session->settings, conditions);
    session->condition = conditions[0];
    MB_TRY(mb_image_make_case(session->image, &session->settings, size, &session->blank,
                              &session->source, err));
    session->c->layout = session->blank.layout;
    if (!is_known_case(session->tune, &session->c->layout)) {
        MB_TRY(run_contest(session, final, err));
        MB_TRY(session->is_complete ? keep_case(session, final, err) : MB_OK);
    }
fail:
    mb_free(session->source);
    session->source = NULL;
    if (session->tune->n_cases == n_kept) {
        mb_run_drop_case(session->run);
        mb_tune_case_finish(session->c);
    }
    return status;
}

static enum mb_status run_cases(struct session *session, struct mb_err *err)
{
    const struct mb_tune_options *options = session->options;
    const size_t n_sizes = mb_settings_n_sizes(&session->settings);
    for (size_t i = 0; i < options->n_formats * n_sizes && session->is_complete; i++) {
        session->settings.format = options->formats[i / n_sizes];
        options->on_case_begin(options->hooks->user, i);
        MB_DO(run_case(session, i % n_sizes, err));
    }
    return MB_OK;
}

/* Before anything is decided by the instrument it is checked; on a software device, whose times
 * predict nothing, it is not. */
static enum mb_status check_instrument(const struct mb_tune_options *options,
                                       struct mb_tune *tune, struct mb_err *err)
{
    if (mb_gpu_is_cpu(&options->gpu->info)) {
        return MB_OK;
    }
    options->hooks->on_step(options->hooks->user, "self-test", "checking the instrument");
    const enum mb_status status =
        mb_selftest_run(options->gpu, options->settings, &tune->selftest, err);
    tune->has_selftest = status == MB_OK;
    return status;
}

static enum mb_status allocate(struct session *session, struct mb_err *err)
{
    const struct mb_tune_options *options = session->options;
    struct mb_tune *tune = session->tune;
    const size_t n_cases = options->n_formats * mb_settings_n_sizes(options->settings);
    const size_t n_members = options->n_rows + 1; /* and the anchor */
    *tune = (struct mb_tune){.rows = options->rows, .n_rows = options->n_rows};
    tune->cases = mb_alloc(n_cases, sizeof *tune->cases);
    session->rows = mb_alloc(n_members, sizeof *session->rows);
    session->members = mb_alloc(n_members, sizeof *session->members);
    return MB_NEED(tune->cases && session->rows && session->members, "tune");
}

enum mb_status mb_tune_run(const struct mb_tune_options *options, const struct mb_image *image,
                           struct mb_run *run, struct mb_tune *tune, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct session session = {
        .options = options,
        .settings = *options->settings,
        .image = image,
        .run = run,
        .tune = tune,
    };
    const struct mb_hooks *hooks = options->hooks;
    MB_TRY(allocate(&session, err));
    MB_TRY(mb_timer_check(options->gpu->info.timestamp_valid_bits,
                          options->gpu->info.timestamp_period_ns, options->gpu->info.name,
                          err));
    MB_TRY(check_instrument(options, tune, err));
    MB_TRY(mb_run_calibrate(run, options->gpu, hooks, &session.calibration, err));
    session.is_complete = !hooks->is_interrupted(hooks->user);
    MB_TRY(run_cases(&session, err));
    run->complete = session.is_complete;
    run->exit_reason = session.is_complete ? "done" : "interrupted";
fail:
    mb_calibration_finish(&session.calibration);
    mb_free(session.rows);
    mb_free(session.members);
    return status;
}
