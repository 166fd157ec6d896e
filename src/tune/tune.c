/* Tuning: for each case a first pass over all variants, and a final of the best. */
#include "tune/tune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/bench.h"
#include "bench/timing/sizing.h"

/* A tuning in progress. */
struct session {
    const struct mb_tune_options *options;
    struct mb_settings settings; /* with the format of the case */
    const struct mb_image *image;
    struct mb_calibration calibration;
    struct mb_run *run;
    struct mb_tune *tune;
    bool is_complete; /* the user did not interrupt it */
    struct mb_condition condition;
    /* The current case before anything ran, and the variants that can run in it. */
    struct mb_case blank;
    void *source;               /* owned */
    struct mb_variant *rows;    /* these four are owned and have room for all variants */
    struct mb_params *resolved; /* with "auto" replaced by what it stands for here */
    struct mb_tune_trial *trials;
    const char **left_out; /* why a variant is not in the next heat or final, or NULL */
    size_t n_rows;
};

static enum mb_status can_run(const struct session *session, const struct mb_variant *row,
                              struct mb_err *why)
{
    const struct mb_case *blank = &session->blank;
    MB_FAIL_IF(mb_variant_is_diagnostic(row), why, MB_ERRC_UNSUPPORTED, "leaves work out");
    MB_FAIL_IF(row->strategy->source_of &&
                   row->strategy->source_of(&row->params) != MB_SOURCE_SAME,
               why, MB_ERRC_UNSUPPORTED,
               "reads level 0 from another image; tune is for chains made in place");
    return mb_variant_supports(row, session->options->gpu, &blank->layout, &blank->task, why);
}

/* Whether an earlier variant records the same commands here, like "auto" and what it stands
 * for. The earlier one, with fewer parameters off their defaults, is kept. */
static bool is_same(const struct session *session, const struct mb_strategy *strategy,
                    const struct mb_params *resolved)
{
    bool is_found = false;
    for (size_t i = 0; strategy->resolve && i < session->n_rows && !is_found; i++) {
        is_found = session->rows[i].strategy == strategy &&
                   memcmp(&session->resolved[i], resolved, sizeof *resolved) == 0;
    }
    return is_found;
}

/* No variant can run in this case; the reason of the first is reported. */
static void note_undecided(struct session *session, const char *reason)
{
    const struct mb_layout *layout = &session->blank.layout;
    const size_t n = session->options->n_rows;
    struct mb_err *why = &session->tune->undecided;
    char label[MB_LABEL_BYTES];
    if (why->code != MB_ERRC_NONE) {
        return;
    }
    mb_variant_label(&session->options->rows[0], label, sizeof label);
    mb_err_set(why, MB_ERRC_UNSUPPORTED, __FILE__, __LINE__,
               "%ux%u %s: no decision: of %zu variant%s none can run: %s: %s",
               layout->base.width, layout->base.height, layout->format->name, n,
               n == 1 ? "" : "s", label, reason);
    mb_err_hint(why,
                "omit --strategy to try every strategy; mipbench without 'tune' also times "
                "what tune leaves out");
}

/* Collect the variants that can run, each once. One that fails here, such as a manifest that is
 * wrong for this image, is collected as well, so that its row reports it. */
static void take_variants(struct session *session)
{
    struct mb_err first = {0};
    session->n_rows = 0;
    for (size_t i = 0; i < session->options->n_rows; i++) {
        const struct mb_variant *row = &session->options->rows[i];
        struct mb_params resolved = row->params;
        struct mb_err why = {0};
        const enum mb_status status = can_run(session, row, &why);
        first = i == 0 ? why : first;
        if (status == MB_OK && row->strategy->resolve) {
            row->strategy->resolve(session->options->gpu, &session->blank.layout,
                                   &session->blank.task, &resolved);
        }
        if (status != MB_UNSUPPORTED && !is_same(session, row->strategy, &resolved)) {
            session->trials[session->n_rows] = (struct mb_tune_trial){.questions = 0};
            session->resolved[session->n_rows] = resolved;
            session->rows[session->n_rows++] = *row;
        }
    }
    if (session->n_rows == 0) {
        note_undecided(session, first.text);
    }
}

/* Run the variants that are not left out as one case, which the caller finishes, also after a
 * failure. */
static enum mb_status run_together(struct session *session, const struct mb_settings *settings,
                                   struct mb_case *c, struct mb_err *err)
{
    const struct mb_case_options case_options = {
        .settings = settings,
        .hooks = session->options->hooks,
        .rows = session->rows,
        .n_rows = session->n_rows,
        .left_out = session->left_out,
        .conditions = &session->condition,
        .n_conditions = 1,
        .calibration = &session->calibration,
        .shares_pipelines = !settings->verify,
    };
    *c = session->blank;
    return mb_case_run(&case_options, session->source, c, &session->is_complete, err);
}

/* The fastest variant of the first heat runs in all heats: times are ratios to its time. */
static size_t find_anchor(const struct mb_timing *timing)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_stats *stats = &timing->rows[i].stats;
        if (stats->n > 0 &&
            (found == SIZE_MAX || stats->median_ns < timing->rows[found].stats.median_ns)) {
            found = i;
        }
    }
    return found;
}

static void note_heat(struct session *session, const struct mb_timing *timing, size_t *anchor)
{
    *anchor = *anchor == SIZE_MAX ? find_anchor(timing) : *anchor;
    for (size_t i = 0; *anchor != SIZE_MAX && i < session->n_rows; i++) {
        const struct mb_row *row = &timing->rows[i];
        const double ratio = row->stats.median_ns / timing->rows[*anchor].stats.median_ns;
        if (row->stats.n > 0 && isfinite(ratio)) {
            session->trials[i].ratio = ratio;
            session->trials[i].questions = mb_result_answer(timing->of, row->result).questions;
        }
    }
}

/* How many variants a heat has: drivers limit the number of instances. */
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

/* Time all variants with few samples, to choose those for the final. */
static enum mb_status run_pass(struct session *session, struct mb_err *err)
{
    const struct mb_hooks *hooks = session->options->hooks;
    const size_t n_most = heat_size(session);
    const size_t n_heats = (session->n_rows + n_most - 1) / n_most;
    size_t anchor = SIZE_MAX;
    struct mb_settings brief = session->settings;
    brief.n_samples = MB_TUNE_BLOCKS;
    brief.min_time_s = 0.0;
    brief.verify = false;
    brief.pipeline_facts = false;
    for (size_t heat = 0; heat < n_heats && session->is_complete; heat++) {
        MB_SCOPED(mb_case) c = {.results = NULL};
        char label[64];
        for (size_t i = 0; i < session->n_rows; i++) {
            session->left_out[i] = i % n_heats == heat || i == anchor ? NULL : "another heat";
        }
        snprintf(label, sizeof label, "first pass, %zu of %zu", heat + 1, n_heats);
        hooks->on_step(hooks->user, label, "setting up");
        MB_DO(run_together(session, &brief, &c, err));
        if (session->is_complete) {
            note_heat(session, &c.timings[0], &anchor);
        }
    }
    mb_tune_select(session->trials, session->n_rows);
    return MB_OK;
}

/* Select again without the variants that proved wrong: others may have been left out because of
 * them. True if one comes back. */
static bool reopen(struct session *session, const struct mb_case *final)
{
    bool is_open = false;
    for (size_t i = 0; i < session->n_rows; i++) {
        if (final->results[i].verify == MB_VERIFY_FAIL) {
            session->trials[i].questions = 0;
        }
    }
    mb_tune_select(session->trials, session->n_rows);
    for (size_t i = 0; i < session->n_rows; i++) {
        is_open |= session->left_out[i] != NULL && session->trials[i].left_out.s[0] == '\0';
    }
    return is_open;
}

/* Run the first pass, if there are many variants, and the final. */
static enum mb_status run_contest(struct session *session, struct mb_case *final,
                                  struct mb_err *err)
{
    bool is_open = true;
    if (session->n_rows > MB_TUNE_FINALISTS) {
        MB_DO(run_pass(session, err));
    }
    while (is_open && session->is_complete) {
        for (size_t i = 0; i < session->n_rows; i++) {
            const char *left_out = session->trials[i].left_out.s;
            session->left_out[i] = left_out[0] != '\0' ? left_out : NULL;
        }
        mb_case_finish(final);
        MB_DO(run_together(session, &session->settings, final, err));
        is_open = session->is_complete && reopen(session, final);
    }
    return MB_OK;
}

/* The format "auto" may also be named, and a size given twice. */
static bool is_known_case(const struct mb_run *run, const struct mb_layout *layout)
{
    bool is_known = false;
    for (size_t i = 0; i < run->n_cases && !is_known; i++) {
        const struct mb_layout *other = &run->cases[i]->layout;
        is_known = other->format == layout->format && other->base.width == layout->base.width &&
                   other->base.height == layout->base.height;
    }
    return is_known;
}

/* Add the final to the run as a case, unless it was interrupted. */
static enum mb_status run_case(struct session *session, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_hooks *hooks = session->options->hooks;
    bool is_kept = false;
    struct mb_case *final = mb_run_add_case(session->run);
    MB_DO(MB_NEED(final, "tune"));
    MB_TRY(run_contest(session, final, err));
    is_kept = session->is_complete;
    if (is_kept) {
        MB_TRY(mb_tune_add(session->tune, &final->timings[0], session->settings.seed, err));
        MB_TRY(hooks->on_case_done(hooks->user, session->run, final, err));
    }
fail:
    if (!is_kept) {
        mb_run_drop_case(session->run);
    }
    return status;
}

static enum mb_status run_size(struct session *session, size_t size, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    session->blank = (struct mb_case){.results = NULL};
    MB_TRY(mb_image_make_case(session->image, &session->settings, size, &session->blank,
                              &session->source, err));
    if (!is_known_case(session->run, &session->blank.layout)) {
        take_variants(session);
        MB_TRY(session->n_rows > 0 ? run_case(session, err) : MB_OK);
    }
fail:
    mb_free(session->source);
    session->source = NULL;
    return status;
}

static enum mb_status run_all(struct session *session, struct mb_err *err)
{
    const struct mb_tune_options *options = session->options;
    const size_t n_sizes = mb_settings_n_sizes(&session->settings);
    struct mb_condition conditions[MB_MAX_CONDITIONS];
    mb_conditions(options->gpu, &session->settings, conditions);
    session->condition = conditions[0];
    for (size_t i = 0; i < options->n_formats * n_sizes && session->is_complete; i++) {
        session->settings.format = options->formats[i / n_sizes];
        options->hooks->on_case_begin(options->hooks->user, i);
        MB_DO(run_size(session, i % n_sizes, err));
    }
    return MB_OK;
}

/* Run the self-test before deciding anything; not on a software device, whose times predict
 * nothing. */
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
    const size_t n = session->options->n_rows;
    session->rows = mb_alloc(n, sizeof *session->rows);
    session->resolved = mb_alloc(n, sizeof *session->resolved);
    session->trials = mb_alloc(n, sizeof *session->trials);
    session->left_out = mb_alloc(n, sizeof *session->left_out);
    return MB_NEED(session->rows && session->resolved && session->trials && session->left_out,
                   "tune");
}

static void session_finish(struct session *session)
{
    mb_calibration_finish(&session->calibration);
    mb_free(session->rows);
    mb_free(session->resolved);
    mb_free(session->trials);
    mb_free(session->left_out);
}

enum mb_status mb_tune_run(const struct mb_tune_options *options, const struct mb_image *image,
                           struct mb_run *run, struct mb_tune *tune, struct mb_err *err)
{
    const struct mb_hooks *hooks = options->hooks;
    MB_SCOPED(session)
    session = {
        .options = options,
        .settings = *options->settings,
        .image = image,
        .run = run,
        .tune = tune,
    };
    *tune = (struct mb_tune){.classes = NULL};
    MB_DO(allocate(&session, err));
    MB_DO(mb_timer_check(options->gpu->info.timestamp_valid_bits,
                         options->gpu->info.timestamp_period_ns, options->gpu->info.name, err));
    MB_DO(check_instrument(options, tune, err));
    MB_DO(mb_run_calibrate(run, options->gpu, hooks, &session.calibration, err));
    session.is_complete = !hooks->is_interrupted(hooks->user);
    MB_DO(run_all(&session, err));
    run->complete = session.is_complete;
    run->exit_reason = session.is_complete ? "done" : "interrupted";
    return MB_OK;
}
