/* One case of a run. The order matters:
 *
 *     set every strategy up
 *     verify each on the image and on a probe, over a different poison on each
 *     under each condition: warm up and sample all of them, interleaved
 *     verify each once more on both, and hand its chain on
 *
 * How an image gets from its file to what is shown of it:
 *
 *     mb_image_open            image/io      decoded when the run begins (inputs.c)
 *     mb_image_make_case       inputs.c      resized, in the format of the case: level 0
 *     mb_test_image_init       test_image.c  uploaded; strategies make the levels below
 *     mb_test_image_copy       test_image.c  as many copies as a cold cache takes
 *     mb_test_image_read       test_image.c  all levels, back on the host
 *     judge_content            judge.c       compared with the reference of the same level 0
 *     mb_hooks.on_chain        cli/main.c    to pictures and texture files */
#include "bench/case.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "bench/verify/judge.h"
#include "bench/timing/time_case.h"

struct context {
    const struct mb_case_options *options;
    const struct mb_gpu *gpu;
    struct mb_case *c;
    struct mb_test_image test_image;
    struct mb_judge judge;
    struct mb_candidate *candidates; /* the rows that can run */
    size_t n_candidates;
};

/* Set the strategy up once more, untimed, so that the driver describes its pipelines. */
static enum mb_status describe_pipelines(struct context *c, struct mb_candidate *candidate,
                                         struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_gpu_state *state = c->gpu->state;
    struct mb_result *result = candidate->result;
    MB_SCOPED(mb_instance) instance = {0};
    if (!c->gpu->info.features.executables.pipelineExecutableInfo ||
        !c->options->settings->pipeline_facts) {
        return MB_OK;
    }
    result->facts = mb_alloc(1, sizeof *result->facts);
    MB_DO(MB_NEED(result->facts, "results"));
    state->facts = result->facts;
    status = mb_instance_init(&instance, &c->test_image.image, candidate->row, &c->c->task,
                              NULL, err);
    state->facts = NULL;
    if (status != MB_OK && !state->is_lost) {
        mb_pipeline_facts_finish(result->facts);
        mb_free(result->facts); /* facts are a bonus: the strategy itself works */
        result->facts = NULL;
        status = MB_OK;
    }
    return status;
}

/* Set the variant up on the test image. For an update, also set up an update of the whole
 * image, which makes the chain to compare with. Finish the candidate even after a failure. */
static enum mb_status init_candidate(struct mb_candidate *candidate,
                                     const struct mb_vk_image *image,
                                     const struct mb_task *task, struct mb_err *err)
{
    const struct mb_variant *row = candidate->row;
    MB_DO(mb_variant_supports(row, image->gpu, &image->layout, task, err));
    candidate->instances = mb_alloc(1, sizeof *candidate->instances);
    MB_DO(MB_NEED(candidate->instances, "strategy"));
    candidate->n_instances = 1;
    MB_DO(mb_instance_init(candidate->instances, image, row, task, NULL, err));
    MB_DO(mb_instance_record(candidate->instances, err));
    if (task->is_update) {
        struct mb_task whole = *task;
        whole.rect = mb_rect_whole(image->layout.base);
        MB_DO(mb_instance_init(&candidate->whole, image, row, &whole, NULL, err));
        MB_DO(mb_instance_record(&candidate->whole, err));
    }
    return MB_OK;
}

static void finish_candidate(struct mb_candidate *candidate)
{
    if (candidate->n_instances > 0) {
        mb_instance_finish(candidate->instances);
    }
    mb_instance_finish(&candidate->whole);
    mb_free(candidate->instances);
    *candidate = (struct mb_candidate){0};
}

/* Set up one strategy for the task of the case. Unless the caller shares pipelines, they are
 * compiled anew: init() then costs what it costs a user. */
static enum mb_status prepare(struct context *c, struct mb_candidate *candidate,
                              struct mb_err *err)
{
    struct mb_result *result = candidate->result;
    const struct mb_tolerance *tolerance = &result->work.tolerance;
    const bool keeps_pipelines = c->gpu->state->keeps_pipelines;
    c->gpu->state->keeps_pipelines = keeps_pipelines && c->options->shares_pipelines;
    const enum mb_status status =
        init_candidate(candidate, &c->test_image.image, &c->c->task, err);
    c->gpu->state->keeps_pipelines = keeps_pipelines;
    MB_DO(status);
    result->setup_ms = candidate->instances[0].init_ms;
    result->work = candidate->instances[0].work;
    result->has_work = true;
    /* A strategy whose tolerance admits anything is neither verified nor ranked. */
    if (mb_tolerance_is_void(tolerance, c->c->layout.format)) {
        mb_warn(&result->warnings, "claims_nothing",
                "nothing is checked: `max_error_lsb` %g lets all-zero texels pass",
                tolerance->max_error_lsb);
    }
    return describe_pipelines(c, candidate, err);
}

static const char *reason_against(const struct mb_case_options *options, size_t row)
{
    return options->left_out ? options->left_out[row] : NULL;
}

static enum mb_status prepare_all(struct context *c, struct mb_err *err)
{
    const struct mb_hooks *hooks = c->options->hooks;
    for (size_t i = 0; i < c->options->n_rows && !hooks->is_interrupted(hooks->user); i++) {
        if (reason_against(c->options, i)) {
            continue;
        }
        struct mb_candidate *candidate = &c->candidates[c->n_candidates++];
        struct mb_err why = {0};
        candidate->row = &c->options->rows[i];
        candidate->result = &c->c->results[i];
        const enum mb_status status = prepare(c, candidate, &why);
        if (status != MB_OK && c->gpu->state->is_lost) {
            *err = why;
            return status;
        }
        if (status != MB_OK) {
            /* A strategy that cannot be set up does not stop the others. */
            struct mb_result *result = candidate->result;
            result->status = status == MB_UNSUPPORTED ? MB_RESULT_SKIPPED : MB_RESULT_FAILED;
            snprintf(result->reason, sizeof result->reason, "%s", why.text);
            finish_candidate(candidate);
            c->n_candidates--;
        }
    }
    return MB_OK;
}

/* Whether the candidate left level 0 and other memory alone: a damaged level 0 would spoil the
 * image for all others. */
static enum mb_status stays_within(const struct context *c, struct mb_candidate *candidate,
                                   bool *is_within, struct mb_err *err)
{
    const struct mb_strategy *strategy = candidate->row->strategy;
    struct mb_result *result = candidate->result;
    struct mb_err why = {0};
    *is_within = result->verify != MB_VERIFY_FAIL || result->verdict.level[0].n_bad_texels == 0;
    if (*is_within && strategy->check &&
        strategy->check(candidate->instances[0].state, &why) != MB_OK) {
        MB_FAIL_IF(c->gpu->state->is_lost, err, why.code, "%s", why.text);
        *is_within = false;
        result->status = MB_RESULT_FAILED;
        result->verify = MB_VERIFY_SKIPPED; /* replaces any other verdict */
        snprintf(result->reason, sizeof result->reason, "%s", why.text);
    }
    return MB_OK;
}

/* Candidates that write where they must not are not timed. */
static enum mb_status drop_damaging(struct context *c, struct mb_err *err)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < c->n_candidates; i++) {
        struct mb_candidate candidate = c->candidates[i];
        bool is_within;
        MB_DO(stays_within(c, &candidate, &is_within, err));
        c->candidates[i] = (struct mb_candidate){0};
        if (is_within) {
            c->candidates[n_kept++] = candidate;
        } else {
            finish_candidate(&candidate);
        }
    }
    c->n_candidates = n_kept;
    return MB_OK;
}

static bool is_judged(const struct mb_result *result)
{
    return !result->is_diagnostic && !result->work.tolerance.has_no_policy;
}

/* Verify a candidate or, with a blind judge, only make its chain. Each content is reported as a
 * step of its own: a large image takes long. */
static enum mb_status judge(struct context *c, struct mb_candidate *candidate,
                            enum mb_content content, enum mb_judge_pass pass,
                            struct mb_err *err)
{
    const struct mb_hooks *hooks = c->options->hooks;
    hooks->on_step(hooks->user, candidate->result->label,
                   c->judge.is_blind             ? "writing"
                   : content == MB_CONTENT_PROBE ? "verifying on the probe image"
                                                 : "verifying");
    return mb_judge_run(&c->judge, candidate, content, pass, err);
}

static enum mb_status verify_before(struct context *c, struct mb_err *err)
{
    const struct mb_hooks *hooks = c->options->hooks;
    const size_t n = c->judge.is_blind ? 0 : c->n_candidates;
    for (size_t i = 0; i < n && !hooks->is_interrupted(hooks->user); i++) {
        struct mb_candidate *candidate = &c->candidates[i];
        const struct mb_result *result = candidate->result;
        if (!is_judged(result)) {
            if (candidate->row->strategy->file) {
                MB_DO(mb_judge_bounds(&c->judge, candidate, err));
            }
            continue;
        }
        MB_DO(judge(c, candidate, MB_CONTENT_IMAGE, MB_JUDGE_BEFORE, err));
        if (result->verify == MB_VERIFY_PASS) {
            MB_DO(judge(c, candidate, MB_CONTENT_PROBE, MB_JUDGE_BEFORE, err));
        }
    }
    return drop_damaging(c, err);
}

static enum mb_status verify_after(struct context *c, struct mb_err *err)
{
    const struct mb_hooks *hooks = c->options->hooks;
    const size_t n = !c->judge.is_blind || hooks->on_chain ? c->n_candidates : 0;
    for (size_t i = 0; i < n && !hooks->is_interrupted(hooks->user); i++) {
        struct mb_candidate *candidate = &c->candidates[i];
        struct mb_result *result = candidate->result;
        if (!is_judged(result)) {
            continue;
        }
        /* Verify on the probe first: on the image, correct texels could be left from timed
         * runs. */
        if (result->verify == MB_VERIFY_PASS) {
            MB_DO(judge(c, candidate, MB_CONTENT_PROBE, MB_JUDGE_AFTER, err));
        }
        MB_DO(judge(c, candidate, MB_CONTENT_IMAGE, MB_JUDGE_AFTER, err));
        if (hooks->on_chain != NULL) {
            MB_DO(hooks->on_chain(
                hooks->user, c->c, result, c->test_image.readback.mapped,
                c->judge.is_blind ? NULL : &c->judge.reference[MB_CONTENT_IMAGE], err));
        }
    }
    return MB_OK;
}

/* Time all candidates under each condition. With --per-level, also time each level if latency
 * is among the conditions: only there a sample is one chain. */
static enum mb_status time_all(struct context *c, struct mb_err *err)
{
    const struct mb_case_options *options = c->options;
    const struct mb_hooks *hooks = options->hooks;
    bool has_latency = false;
    if (!options->calibration->has_timer || c->n_candidates == 0) {
        return MB_OK;
    }
    for (size_t k = 0; k < c->c->n_timings && !hooks->is_interrupted(hooks->user); k++) {
        MB_DO(mb_timing_run(options, &c->test_image, c->candidates, c->n_candidates,
                            &c->c->timings[k], err));
        has_latency = has_latency || c->c->timings[k].mode == MB_MODE_LATENCY;
    }
    for (size_t i = 0; options->settings->per_level && has_latency && i < c->n_candidates;
         i++) {
        MB_DO(mb_split_measure(&c->test_image.image, c->candidates[i].row, &c->c->task,
                               &c->candidates[i].result->split, err));
    }
    return MB_OK;
}

/* The result of a row that has not run yet. */
static void init_result(const struct mb_variant *row, struct mb_result *result)
{
    *result = (struct mb_result){
        .strategy = row->strategy,
        .params = row->params,
        .by_name = row->by_name,
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
    c->c->results = mb_alloc(n_rows, sizeof *c->c->results);
    MB_DO(MB_NEED(c->candidates && c->c->results, "results"));
    for (size_t i = 0; i < n_rows; i++) {
        c->c->n_results++;
        init_result(&options->rows[i], &c->c->results[i]);
    }
    for (size_t k = 0; k < options->n_conditions; k++) {
        const struct mb_condition condition = options->conditions[k];
        struct mb_timing *timing = mb_case_add_timing(c->c, condition.cache, condition.mode);
        MB_DO(MB_NEED(timing, "results"));
        for (size_t i = 0; i < n_rows; i++) {
            const char *reason = reason_against(options, i);
            snprintf(timing->rows[i].skipped, sizeof timing->rows[i].skipped, "%s",
                     reason ? reason : "");
        }
    }
    return MB_OK;
}

static void context_finish(struct context *c)
{
    for (size_t i = 0; i < c->n_candidates; i++) {
        finish_candidate(&c->candidates[i]);
    }
    mb_free(c->candidates);
    mb_judge_finish(&c->judge);
    mb_test_image_finish(&c->test_image);
}

/* The device cannot make the image: every strategy is skipped for that reason. */
static void skip_all(struct context *c, const struct mb_err *why)
{
    for (size_t i = 0; i < c->options->n_rows; i++) {
        struct mb_result *result = &c->c->results[i];
        result->status = MB_RESULT_SKIPPED;
        snprintf(result->reason, sizeof result->reason, "%s", why->text);
    }
}

static enum mb_status run(struct context *c, struct mb_err *err)
{
    MB_DO(prepare_all(c, err));
    MB_DO(verify_before(c, err));
    MB_DO(time_all(c, err));
    return verify_after(c, err);
}

/* Make the image with the usages that the settings ask for. Usages that the device lacks for
 * the format are left out: mb_variant_supports() reports them. */
static enum mb_status make_image(struct context *c, const void *source, struct mb_err *err)
{
    const struct mb_case *out = c->c;
    const VkImageUsageFlags all = mb_test_image_usage(c->gpu, out->layout.format);
    struct mb_vk_image_options image = {
        .layout = &out->layout,
        .n_levels = out->n_image_levels,
        .is_cube = out->is_cube,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                 VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .is_raw = out->image_usage == MB_IMAGE_USAGE_ALL,
        .name = "image",
    };
    for (size_t i = 0; i < c->options->n_rows; i++) {
        const struct mb_strategy *strategy = c->options->rows[i].strategy;
        image.usage |= strategy->image_usage;
        image.is_raw = image.is_raw || strategy->wants_raw;
    }
    image.usage = out->image_usage == MB_IMAGE_USAGE_ALL ? all : image.usage & all;
    return mb_test_image_init(&c->test_image, c->gpu, &image, source, err);
}

/* Drop the timings that an interruption left without samples. */
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

enum mb_status mb_case_run(const struct mb_case_options *options, const void *source,
                           struct mb_case *out, bool *is_complete, struct mb_err *err)
{
    const struct mb_hooks *hooks = options->hooks;
    MB_SCOPED(context) c = {.options = options, .gpu = options->calibration->gpu, .c = out};
    *is_complete = false;
    MB_DO(allocate(&c, err));
    const enum mb_status status = make_image(&c, source, err);
    if (status == MB_UNSUPPORTED) {
        skip_all(&c, err);
    } else {
        MB_DO(status);
        out->image_ms = c.test_image.image_ms;
        out->used_for = c.test_image.image.usage;
        out->has_raw_views = c.test_image.image.is_raw;
        MB_DO(mb_judge_init(&c.judge, &c.test_image, source, &out->task,
                            !options->settings->verify, err));
        MB_DO(run(&c, err));
    }
    *is_complete = !hooks->is_interrupted(hooks->user);
    if (!*is_complete) {
        drop_empty_timings(out);
    }
    return mb_conclude_case(options, out, err);
}
