/* One case of a run, under each condition. The order of things is the point:
 *
 *     set every strategy up
 *     verify each, over two different poisons
 *     under each condition: warm up and sample all of them, interleaved
 *     verify each once more, and hand its chain on
 */
#include "bench/case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/conclude.h"
#include "bench/verify/judge.h"
#include "bench/timing/split.h"
#include "bench/timing/timing.h"

struct context {
    const struct mb_case_options *options;
    struct mb_case *c;
    struct mb_test_image test_image;
    struct mb_verifier verifier;
    struct mb_judge judge;
    struct mb_candidate *candidates; /* one per row */
    size_t *ready;                   /* indices of candidates that run */
    size_t n_ready;
};

/* Set the strategy up once more, untimed, to have its pipelines described. */
static enum mb_status describe_pipelines(struct context *c, struct mb_candidate *candidate,
                                         struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_gpu_state *state = c->options->gpu->state;
    struct mb_pipeline_pool *pool = state->pipelines;
    struct mb_instance instance = {0};
    const struct mb_instance_options options = {
        .test_image = &c->test_image,
        .row = candidate->row,
        .task = &c->c->task,
        .name = candidate->result->label,
    };
    if (!c->options->gpu->info.features.executables.pipelineExecutableInfo ||
        !c->options->settings->pipeline_facts) {
        return MB_OK;
    }
    candidate->result->facts = mb_alloc(1, sizeof *candidate->result->facts);
    if (!candidate->result->facts) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "results: out of memory");
    }
    state->facts = candidate->result->facts;
    state->pipelines = NULL;
    status = mb_instance_init(&instance, &options, err);
    state->pipelines = pool;
    state->facts = NULL;
    mb_instance_finish(&instance);
    if (status != MB_OK && !state->is_lost) {
        mb_free(candidate->result->facts); /* then nothing is known: no reason to fail */
        candidate->result->facts = NULL;
        status = MB_OK;
    }
    return status;
}

/* Set up one strategy for the cell's task; for an update also for the regeneration that it is
 * held against. Pipelines are made anew here, shared with nothing, so that init() costs what it
 * costs a user, unless the caller does without. */
static enum mb_status prepare(struct context *c, struct mb_candidate *candidate,
                              struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_task *task = &c->c->task;
    struct mb_pipeline_pool *pool = c->options->gpu->state->pipelines;
    struct mb_task whole = *task;
    struct mb_instance_options options = {
        .test_image = &c->test_image,
        .row = candidate->row,
        .task = task,
        .is_recorded = true,
        .name = candidate->result->label,
    };
    MB_TRY(mb_instance_supports(&options, err));
    c->options->gpu->state->pipelines = c->options->shares_pipelines ? pool : NULL;
    status = mb_instance_init(&candidate->instance, &options, err);
    c->options->gpu->state->pipelines = pool;
    MB_TRY(status);
    candidate->result->setup_ms = candidate->instance.init_ms;
    candidate->result->work = candidate->instance.work;
    candidate->result->has_work = true;
    if (task->is_update) {
        whole.n_rects = 1;
        whole.rects[0] = mb_rect_whole(c->c->layout.base);
        options.task = &whole;
        MB_TRY(mb_instance_init(&candidate->whole, &options, err));
    }
    MB_TRY(describe_pipelines(c, candidate, err));
fail:
    return status;
}

static enum mb_status prepare_all(struct context *c, struct mb_err *err)
{
    for (size_t i = 0; i < c->options->n_rows; i++) {
        struct mb_candidate *candidate = &c->candidates[i];
        struct mb_err why = {0};
        enum mb_status status = prepare(c, candidate, &why);
        if (status == MB_OK) {
            c->ready[c->n_ready++] = i;
        } else if (!c->options->gpu->state->is_lost) {
            /* One strategy that cannot be set up does not take the others with it. */
            candidate->result->status =
                status == MB_UNSUPPORTED ? MB_RESULT_SKIPPED : MB_RESULT_FAILED;
            snprintf(candidate->result->reason, sizeof candidate->result->reason, "%s",
                     why.text);
        } else {
            *err = why;
            return status;
        }
    }
    return MB_OK;
}

/* A strategy that writes into level 0 would spoil the image for all others: it is not timed. */
static void drop_damaging(struct context *c)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < c->n_ready; i++) {
        const struct mb_result *result = c->candidates[c->ready[i]].result;
        if (result->verify != MB_VERIFY_FAIL || result->verdict.level[0].n_bad_texels == 0) {
            c->ready[n_kept++] = c->ready[i];
        }
    }
    c->n_ready = n_kept;
}

static bool is_judged(const struct mb_result *result)
{
    return !result->is_diagnostic && !result->work.tolerance.has_no_policy;
}

static enum mb_status verify_before(struct context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_hooks *hooks = c->options->hooks;
    for (size_t i = 0; i < c->n_ready && !hooks->is_interrupted(hooks->user); i++) {
        struct mb_candidate *candidate = &c->candidates[c->ready[i]];
        if (!c->options->settings->verify || !is_judged(candidate->result)) {
            continue;
        }
        hooks->on_step(hooks->user, candidate->result->label, "verifying");
        MB_TRY(mb_judge_run(&c->judge, candidate, 0, false, "wrong", err));
        if (candidate->result->verify == MB_VERIFY_PASS) {
            MB_TRY(
                mb_judge_run(&c->judge, candidate, 1, false, "wrong over another poison", err));
        }
    }
    drop_damaging(c);
fail:
    return status;
}

static enum mb_status verify_after(struct context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_hooks *hooks = c->options->hooks;
    bool verify = c->options->settings->verify;
    for (size_t i = 0; i < c->n_ready && !hooks->is_interrupted(hooks->user); i++) {
        struct mb_candidate *candidate = &c->candidates[c->ready[i]];
        if (!is_judged(candidate->result) || c->options->times_only) {
            continue;
        }
        hooks->on_step(hooks->user, candidate->result->label, verify ? "verifying" : "writing");
        MB_TRY(mb_judge_run(&c->judge, candidate, 0, true, "wrong after timing", err));
        MB_TRY(hooks->on_chain(hooks->user, c->c, candidate->result,
                               c->test_image.readback.mapped, verify ? &c->verifier : NULL,
                               err));
    }
fail:
    return status;
}

/* A result of one row that nothing is known of yet. */
static void init_result(const struct mb_variant *row, struct mb_result *result)
{
    *result = (struct mb_result){
        .strategy = row->strategy,
        .params = row->params,
        .is_diagnostic = mb_variant_is_diagnostic(row),
        .verify = MB_VERIFY_SKIPPED,
        .setup_ms = (double)NAN,
    };
    mb_variant_label(row, result->label, sizeof result->label);
    mb_variant_slug(row, result->slug, sizeof result->slug);
}

static enum mb_status allocate(struct context *c, struct mb_err *err)
{
    const struct mb_case_options *options = c->options;
    const size_t n_rows = options->n_rows;
    c->candidates = mb_alloc(n_rows, sizeof *c->candidates);
    c->ready = mb_alloc(n_rows, sizeof *c->ready);
    c->c->results = mb_alloc(n_rows, sizeof *c->c->results);
    if (!c->candidates || !c->ready || !c->c->results) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "results: out of memory");
    }
    for (size_t i = 0; i < n_rows; i++) {
        c->c->n_results++;
        init_result(&options->rows[i], &c->c->results[i]);
        c->candidates[i] =
            (struct mb_candidate){.row = &options->rows[i], .result = &c->c->results[i]};
    }
    for (size_t k = 0; k < options->n_conditions; k++) {
        const struct mb_condition condition = options->conditions[k];
        if (!mb_case_add_timing(c->c, condition.cache, condition.mode)) {
            return MB_FAIL(err, MB_ERRC_RUNTIME, "results: out of memory");
        }
    }
    return MB_OK;
}

static void release(struct context *c)
{
    for (size_t i = 0; c->candidates && i < c->options->n_rows; i++) {
        mb_instance_finish(&c->candidates[i].instance);
        mb_instance_finish(&c->candidates[i].whole);
    }
    mb_free(c->candidates);
    mb_free(c->ready);
    mb_test_image_finish(&c->test_image);
    mb_verifier_finish(&c->verifier);
}

/* Only verified chains are written: where one was asked for and is not there, this says why. */
static void warn_no_chain(struct mb_result *result, bool is_asked)
{
    const char *why = "verifying was interrupted";
    if (!is_asked || result->n_chain_files > 0 || result->status == MB_RESULT_SKIPPED) {
        return;
    }
    if (result->is_diagnostic) {
        why = "the row leaves work out";
    } else if (result->work.tolerance.has_no_policy) {
        why = "no policy describes it";
    } else if (result->status == MB_RESULT_FAILED) {
        why = "it failed";
    }
    mb_warn(&result->warnings, "chain_not_written", "no chain file: %s", why);
}

/* The image cannot be made here: every strategy is skipped for that reason. */
static void skip_all(struct context *c, const struct mb_err *why)
{
    for (size_t i = 0; i < c->options->n_rows; i++) {
        struct mb_result *result = &c->c->results[i];
        result->status = MB_RESULT_SKIPPED;
        snprintf(result->reason, sizeof result->reason, "%s", why->text);
    }
}

static void warn_no_timer(struct context *c)
{
    for (size_t i = 0; !c->options->calibration->has_timer && i < c->options->n_rows; i++) {
        mb_warn(&c->c->results[i].warnings, "no_timestamps",
                "the device has no timestamps: nothing is timed");
    }
}

static enum mb_status time_all(struct context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_hooks *hooks = c->options->hooks;
    const struct mb_timing_options timing = {
        .settings = c->options->settings,
        .hooks = hooks,
        .calibration = c->options->calibration,
        .test_image = &c->test_image,
        .candidates = c->candidates,
        .ready = c->ready,
        .n_ready = c->n_ready,
    };
    if (!c->options->calibration->has_timer || c->n_ready == 0) {
        return MB_OK;
    }
    for (size_t k = 0; k < c->c->n_timings && !hooks->is_interrupted(hooks->user); k++) {
        MB_TRY(mb_timing_run(&timing, &c->c->timings[k], err));
    }
fail:
    return status;
}

static enum mb_status split_all(struct context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    bool is_asked = c->options->settings->per_level && c->options->calibration->has_timer;
    bool has_latency = false;
    for (size_t k = 0; k < c->c->n_timings; k++) {
        has_latency = has_latency || c->c->timings[k].mode == MB_MODE_LATENCY;
    }
    for (size_t i = 0; is_asked && has_latency && i < c->n_ready; i++) {
        const struct mb_candidate *candidate = &c->candidates[c->ready[i]];
        MB_TRY(mb_split_measure(c->options->gpu, &candidate->instance, c->c->layout.n_levels,
                                &candidate->result->split, err));
    }
fail:
    return status;
}

static enum mb_status run(struct context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    warn_no_timer(c);
    MB_TRY(prepare_all(c, err));
    MB_TRY(verify_before(c, err));
    MB_TRY(time_all(c, err));
    MB_TRY(split_all(c, err));
    MB_TRY(verify_after(c, err));
fail:
    return status;
}

/* What the device cannot do with the format anyway is left to mb_instance_supports to say. */
static VkImageUsageFlags needed_usage(const struct mb_case_options *options,
                                      const struct mb_format *format)
{
    VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT;
    for (size_t i = 0; i < options->n_rows; i++) {
        usage |= options->rows[i].strategy->image_usage;
    }
    return usage & mb_test_image_usage(options->gpu, format);
}

static bool wants_raw(const struct mb_case_options *options)
{
    bool is_wanted = false;
    for (size_t i = 0; i < options->n_rows; i++) {
        is_wanted = is_wanted || options->rows[i].strategy->wants_raw;
    }
    return is_wanted;
}

/* What was not sampled, as after an interruption, is no timing. */
static void drop_empty_timings(struct mb_case *c)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < c->n_timings; i++) {
        if (c->timings[i].samples.n_kept == 0) {
            mb_timing_finish(&c->timings[i]);
        } else if (n_kept++ < i) {
            c->timings[n_kept - 1] = c->timings[i];
        }
    }
    c->n_timings = n_kept;
}

static enum mb_status conclude(struct context *c, bool is_complete, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_case *out = c->c;
    for (size_t i = 0; i < out->n_results; i++) {
        warn_no_chain(&out->results[i], c->options->settings->chains != 0);
    }
    if (!is_complete) {
        drop_empty_timings(out);
    }
    out->image_ms = c->test_image.image_ms;
    out->used_for = c->test_image.image.usage;
    out->has_raw_views = c->test_image.image.is_raw;
    for (size_t k = 0; k < out->n_timings; k++) {
        MB_TRY(mb_conclude_timing(c->options->settings, c->options->calibration,
                                  &out->timings[k], err));
    }
fail:
    return status;
}

enum mb_status mb_case_run(const struct mb_case_options *options, const void *source,
                           struct mb_case *out, bool *is_complete, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_hooks *hooks = options->hooks;
    struct context c = {.options = options, .c = out};
    const struct mb_test_image_options test_image_options = {
        .layout = &out->layout,
        .n_image_levels = out->n_image_levels,
        .is_cube = out->is_cube,
        .source = source,
        .usage = out->image_usage == MB_IMAGE_USAGE_NEEDED
                     ? needed_usage(options, out->layout.format)
                     : 0,
        .is_raw = wants_raw(options),
    };
    *is_complete = false;
    MB_TRY(allocate(&c, err));
    mb_verifier_init(&c.verifier, &out->layout, source);
    c.judge = (struct mb_judge){
        .test_image = &c.test_image,
        .verifier = &c.verifier,
        .c = out,
        .is_on = options->settings->verify,
    };
    status = mb_test_image_init(&c.test_image, options->gpu, &test_image_options, err);
    if (status == MB_UNSUPPORTED) {
        skip_all(&c, err);
    } else {
        MB_TRY(status);
        MB_TRY(run(&c, err));
    }
    *is_complete = !hooks->is_interrupted(hooks->user);
    MB_TRY(conclude(&c, *is_complete, err));
fail:
    release(&c);
    return status;
}
