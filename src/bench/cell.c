/* One cell of a run. The order of things is the point:
 *
 *     record every strategy once, into the command buffers that will be timed
 *     verify each, over two different poisons
 *     warm up and sample all of them, interleaved
 *     verify each once more, and hand its chain on
 */
#include "bench/cell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "bench/judge.h"
#include "bench/measure.h"
#include "vk/timer.h"

struct cell_context {
    const struct mb_cell_options *options;
    struct mb_cell *cell;
    struct mb_rig rig;
    struct mb_timer timer;
    bool has_timer;
    struct mb_verifier verifier;
    struct mb_judge judge;
    struct mb_candidate *candidates; /* one per row */
    size_t *ready;                   /* indices of candidates that run */
    size_t n_ready;
    uint32_t n_total_blocks; /* for progress */
};

/* Set up one strategy for the cell's task; for an update also for the regeneration that it is
 * held against. */
static enum mb_status prepare(struct cell_context *c, struct mb_candidate *candidate,
                              struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_task *task = &c->cell->task;
    struct mb_task whole = *task;
    struct mb_trial_options options = {
        .rig = &c->rig,
        .row = candidate->row,
        .task = task,
        .timer = c->has_timer ? &c->timer : NULL,
        .first_pair = (uint32_t)(candidate - c->candidates) * MB_N_SLOTS,
        .n_slots = MB_N_SLOTS,
        .name = candidate->result->label,
    };
    MB_TRY(mb_trial_supports(&options, err));
    MB_TRY(mb_trial_init(&candidate->trial, &options, err));
    candidate->result->work = candidate->trial.work;
    candidate->result->has_work = true;
    if (task->is_update) {
        whole.rect = mb_rect_whole(c->cell->layout.base);
        options.task = &whole;
        options.timer = NULL;
        options.n_slots = 1;
        MB_TRY(mb_trial_init(&candidate->whole, &options, err));
    }
fail:
    return status;
}

static enum mb_status prepare_all(struct cell_context *c, struct mb_err *err)
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
static void drop_damaging(struct cell_context *c)
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

static enum mb_status verify_before(struct cell_context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_hooks *hooks = c->options->hooks;
    for (size_t i = 0; i < c->n_ready && !hooks->is_interrupted(hooks->user); i++) {
        struct mb_candidate *candidate = &c->candidates[c->ready[i]];
        if (!c->options->settings->verify) {
            continue;
        }
        hooks->on_step(hooks->user, candidate->result->label, "verifying");
        MB_TRY(mb_judge_run(&c->judge, candidate, 0, 0, "wrong", err));
        if (candidate->result->verify == MB_VERIFY_PASS) {
            MB_TRY(mb_judge_run(&c->judge, candidate, 1, 0, "wrong over another poison", err));
        }
    }
    drop_damaging(c);
fail:
    return status;
}

static enum mb_status verify_after(struct cell_context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_hooks *hooks = c->options->hooks;
    bool verify = c->options->settings->verify;
    for (size_t i = 0; i < c->n_ready && !hooks->is_interrupted(hooks->user); i++) {
        struct mb_candidate *candidate = &c->candidates[c->ready[i]];
        hooks->on_step(hooks->user, candidate->result->label, verify ? "verifying" : "writing");
        MB_TRY(mb_judge_run(&c->judge, candidate, 0, 1, "wrong after timing", err));
        MB_TRY(hooks->on_chain(hooks->user, c->cell, candidate->result, c->rig.readback.mapped,
                               verify ? &c->verifier : NULL, err));
    }
fail:
    return status;
}

static enum mb_status start_sample(void *user, size_t candidate, uint32_t slot,
                                   struct mb_err *err)
{
    struct cell_context *c = user;
    return mb_submission_submit(&c->candidates[c->ready[candidate]].trial.submission[slot],
                                err);
}

static enum mb_status collect_sample(void *user, size_t candidate, uint32_t slot,
                                     double *duration_ns, struct mb_err *err)
{
    struct cell_context *c = user;
    size_t index = c->ready[candidate];
    enum mb_status status =
        mb_submission_wait(&c->candidates[index].trial.submission[slot], err);
    if (status == MB_OK) {
        uint32_t pair = (uint32_t)index * MB_N_SLOTS + slot;
        status = mb_timer_read_ns(&c->timer, pair, duration_ns, err);
    }
    return status;
}

static uint64_t monotonic_ns(void *user)
{
    (void)user;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static bool after_block(void *user, uint32_t n_blocks)
{
    const struct cell_context *c = user;
    const struct mb_hooks *hooks = c->options->hooks;
    hooks->on_block(hooks->user, c->n_ready, n_blocks, c->n_total_blocks);
    return hooks->is_interrupted(hooks->user);
}

/* A software device takes milliseconds for what a GPU does in microseconds, and has no clocks
 * to warm up: fewer blocks keep a first run short. */
static struct mb_measure_options measure_options(const struct cell_context *c)
{
    const struct mb_settings *settings = c->options->settings;
    bool is_cpu = c->options->gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    struct mb_measure_options options = {
        .n_candidates = c->n_ready,
        .seed = settings->seed,
        .min_warmup_blocks = is_cpu ? 1 : 3,
        .min_warmup_ns = is_cpu ? 0 : UINT64_C(300000000),
        .min_blocks = is_cpu ? 10 : 40,
        .max_blocks = is_cpu ? 40 : 320,
        .budget_ns = UINT64_C(2000000000),
    };
    if (settings->n_warmup != UINT32_MAX) {
        options.min_warmup_blocks = settings->n_warmup;
        options.min_warmup_ns = 0;
    }
    if (settings->n_samples > 0) {
        options.min_blocks = options.max_blocks = settings->n_samples;
    }
    return options;
}

static enum mb_status keep_samples(const struct cell_context *c,
                                   const struct mb_samples *samples, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    for (size_t i = 0; i < c->n_ready; i++) {
        struct mb_result *result = c->candidates[c->ready[i]].result;
        result->samples_ns = mb_alloc(samples->n_blocks, sizeof *result->samples_ns);
        if (!result->samples_ns) {
            return MB_FAIL(err, MB_ERRC_RUNTIME, "samples: out of memory");
        }
        result->n_samples = samples->n_blocks;
        for (uint32_t block = 0; block < samples->n_blocks; block++) {
            result->samples_ns[block] = samples->duration_ns[block * c->n_ready + i];
        }
        MB_TRY(mb_stats_compute(result->samples_ns, result->n_samples, &result->stats, err));
    }
fail:
    return status;
}

static enum mb_status time_candidates(struct cell_context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_samples samples = {0};
    const struct mb_measure_options options = measure_options(c);
    const struct mb_sampler sampler = {
        .user = c,
        .start = start_sample,
        .collect = collect_sample,
        .now_ns = monotonic_ns,
        .after_block = after_block,
    };
    c->n_total_blocks = options.max_blocks;
    MB_TRY(mb_measure(&sampler, &options, &samples, err));
    if (c->options->marks) {
        MB_TRY(mb_timer_measure_marks(c->options->gpu, c->options->marks, err));
    }
    MB_TRY(keep_samples(c, &samples, err));
fail:
    mb_samples_finish(&samples);
    return status;
}

static void compare_results(struct mb_cell *cell, bool may_rank)
{
    cell->fastest = SIZE_MAX;
    for (size_t i = 0; i < cell->n_results && may_rank; i++) {
        const struct mb_result *result = &cell->results[i];
        if (result->verify != MB_VERIFY_PASS || result->n_samples == 0) {
            continue;
        }
        if (cell->fastest == SIZE_MAX ||
            result->stats.median_ns < cell->results[cell->fastest].stats.median_ns) {
            cell->fastest = i;
        }
    }
    for (size_t i = 0; i < cell->n_results; i++) {
        struct mb_result *result = &cell->results[i];
        bool has_ratio = cell->fastest != SIZE_MAX && result->n_samples > 0;
        result->relative_ratio =
            has_ratio ? result->stats.median_ns / cell->results[cell->fastest].stats.median_ns
                      : (double)NAN;
        if (result->n_samples > 0 && result->n_samples < 20) {
            mb_result_warn(result, "few_samples", "only %zu samples: the interval is wide",
                           result->n_samples);
        }
    }
}

static enum mb_status allocate(struct cell_context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_cell_options *options = c->options;
    c->candidates = mb_alloc(options->n_rows, sizeof *c->candidates);
    c->ready = mb_alloc(options->n_rows, sizeof *c->ready);
    c->cell->results = mb_alloc(options->n_rows, sizeof *c->cell->results);
    if (!c->candidates || !c->ready || !c->cell->results) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "results: out of memory");
    }
    c->cell->n_results = options->n_rows;
    for (size_t i = 0; i < options->n_rows; i++) {
        struct mb_result *result = &c->cell->results[i];
        result->strategy = options->rows[i].strategy;
        result->params = options->rows[i].params;
        result->verify = MB_VERIFY_SKIPPED;
        mb_row_label(&options->rows[i], result->label, sizeof result->label);
        mb_row_slug(&options->rows[i], result->slug, sizeof result->slug);
        c->candidates[i] = (struct mb_candidate){.row = &options->rows[i], .result = result};
        MB_TRY(
            mb_stats_compute(NULL, 0, &result->stats, err)); /* NaN until there are samples */
    }
fail:
    return status;
}

static void release(struct cell_context *c)
{
    for (size_t i = 0; c->candidates && i < c->options->n_rows; i++) {
        mb_trial_finish(&c->candidates[i].trial);
        mb_trial_finish(&c->candidates[i].whole);
    }
    mb_free(c->candidates);
    mb_free(c->ready);
    mb_timer_finish(&c->timer);
    mb_rig_finish(&c->rig);
    mb_verifier_finish(&c->verifier);
}

/* The image cannot be made here: every strategy is skipped for that reason. */
static void skip_all(struct cell_context *c, const struct mb_err *why)
{
    for (size_t i = 0; i < c->cell->n_results; i++) {
        struct mb_result *result = &c->cell->results[i];
        result->status = MB_RESULT_SKIPPED;
        snprintf(result->reason, sizeof result->reason, "%s", why->text);
    }
}

static enum mb_status open_timer(struct cell_context *c, struct mb_err *err)
{
    uint32_t n_pairs = (uint32_t)c->options->n_rows * MB_N_SLOTS;
    struct mb_err why = {0};
    enum mb_status status = mb_timer_init(&c->timer, c->options->gpu, n_pairs, &why);
    c->has_timer = status == MB_OK;
    if (status == MB_UNSUPPORTED) {
        for (size_t i = 0; i < c->cell->n_results; i++) {
            mb_result_warn(&c->cell->results[i], "no_timestamps", "%s", why.text);
        }
        return MB_OK;
    }
    if (status != MB_OK) {
        *err = why;
    }
    return status;
}

enum mb_status mb_cell_run(const struct mb_cell_options *options, const void *source,
                           struct mb_cell *cell, bool *is_complete, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_hooks *hooks = options->hooks;
    struct cell_context c = {.options = options, .cell = cell};
    const struct mb_rig_options rig_options = {
        .layout = &cell->layout,
        .n_image_levels = cell->n_image_levels,
        .is_cube = cell->is_cube,
        .source = source,
    };
    *is_complete = false;
    MB_TRY(allocate(&c, err));
    mb_verifier_init(&c.verifier, &cell->layout, source);
    c.judge = (struct mb_judge){
        .rig = &c.rig,
        .verifier = &c.verifier,
        .cell = cell,
        .is_on = options->settings->verify,
    };
    status = mb_rig_init(&c.rig, options->gpu, &rig_options, err);
    if (status == MB_UNSUPPORTED) {
        skip_all(&c, err);
        *is_complete = true;
        status = MB_OK;
        goto fail;
    }
    MB_TRY(status);
    MB_TRY(open_timer(&c, err));
    MB_TRY(prepare_all(&c, err));
    MB_TRY(verify_before(&c, err));
    if (c.has_timer && c.n_ready > 0 && !hooks->is_interrupted(hooks->user)) {
        MB_TRY(time_candidates(&c, err));
    }
    MB_TRY(verify_after(&c, err));
    compare_results(cell, options->settings->verify && !options->settings->validate);
    *is_complete = !hooks->is_interrupted(hooks->user);
fail:
    release(&c);
    return status;
}
