/* One image of a run, under each condition. The order of things is the point:
 *
 *     set every strategy up
 *     verify each, over two different poisons
 *     under each condition: warm up and sample all of them, interleaved
 *     verify each once more, and hand its chain on
 */
#include "bench/cell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/conclude.h"
#include "bench/judge.h"
#include "bench/split.h"
#include "bench/timing.h"

struct cell_context {
    const struct mb_cell_options *options;
    struct mb_cell *cells; /* one per condition; alike but for that */
    size_t n_cells;
    struct mb_rig rig;
    struct mb_verifier verifier;
    struct mb_judge judge;
    struct mb_candidate *candidates; /* one per row */
    struct mb_result *judged;        /* what is known of each row under any condition; owned */
    size_t *ready;                   /* indices of candidates that run */
    size_t n_ready;
};

/* Set the strategy up once more, untimed, to have its pipelines described. */
static enum mb_status describe_pipelines(struct cell_context *c, struct mb_candidate *candidate,
                                         struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_gpu_state *state = c->options->gpu->state;
    struct mb_pipeline_pool *pool = state->pipelines;
    struct mb_trial trial = {0};
    const struct mb_trial_options options = {
        .rig = &c->rig,
        .row = candidate->row,
        .task = &c->cells[0].task,
        .name = candidate->result->label,
    };
    if (!c->options->gpu->info.has_pipeline_facts || !c->options->settings->pipeline_facts) {
        return MB_OK;
    }
    candidate->result->facts = mb_alloc(1, sizeof *candidate->result->facts);
    if (!candidate->result->facts) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "results: out of memory");
    }
    state->facts = candidate->result->facts;
    state->pipelines = NULL;
    status = mb_trial_init(&trial, &options, err);
    state->pipelines = pool;
    state->facts = NULL;
    mb_trial_finish(&trial);
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
static enum mb_status prepare(struct cell_context *c, struct mb_candidate *candidate,
                              struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_task *task = &c->cells[0].task;
    struct mb_pipeline_pool *pool = c->options->gpu->state->pipelines;
    struct mb_task whole = *task;
    struct mb_trial_options options = {
        .rig = &c->rig,
        .row = candidate->row,
        .task = task,
        .is_recorded = true,
        .name = candidate->result->label,
    };
    MB_TRY(mb_trial_supports(&options, err));
    c->options->gpu->state->pipelines = c->options->shares_pipelines ? pool : NULL;
    status = mb_trial_init(&candidate->trial, &options, err);
    c->options->gpu->state->pipelines = pool;
    MB_TRY(status);
    candidate->result->setup_ms = candidate->trial.init_ms;
    candidate->result->work = candidate->trial.work;
    candidate->result->has_work = true;
    if (task->is_update) {
        whole.n_rects = 1;
        whole.rects[0] = mb_rect_whole(c->cells[0].layout.base);
        options.task = &whole;
        MB_TRY(mb_trial_init(&candidate->whole, &options, err));
    }
    MB_TRY(describe_pipelines(c, candidate, err));
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
        if (!c->options->settings->verify || candidate->result->is_diagnostic) {
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

static enum mb_status verify_after(struct cell_context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_hooks *hooks = c->options->hooks;
    bool verify = c->options->settings->verify;
    for (size_t i = 0; i < c->n_ready && !hooks->is_interrupted(hooks->user); i++) {
        struct mb_candidate *candidate = &c->candidates[c->ready[i]];
        if (candidate->result->is_diagnostic || c->options->times_only) {
            continue;
        }
        hooks->on_step(hooks->user, candidate->result->label, verify ? "verifying" : "writing");
        MB_TRY(mb_judge_run(&c->judge, candidate, 0, true, "wrong after timing", err));
        MB_TRY(hooks->on_chain(hooks->user, &c->cells[0], candidate->result,
                               c->rig.readback.mapped, verify ? &c->verifier : NULL, err));
    }
fail:
    return status;
}

/* A result of one row that nothing is known of yet. */
static enum mb_status init_result(const struct mb_row *row, struct mb_result *result,
                                  struct mb_err *err)
{
    enum mb_status status = MB_OK;
    *result = (struct mb_result){
        .strategy = row->strategy,
        .params = row->params,
        .is_diagnostic = mb_row_is_diagnostic(row),
        .verify = MB_VERIFY_SKIPPED,
        .column = SIZE_MAX,
        .fixed_ns = (double)NAN,
        .setup_ms = (double)NAN,
    };
    mb_row_label(row, result->label, sizeof result->label);
    mb_row_slug(row, result->slug, sizeof result->slug);
    MB_TRY(mb_stats_compute(NULL, 0, &result->stats, err)); /* NaN until there are samples */
    MB_TRY(mb_stats_compute(NULL, 0, &result->null_twin, err));
fail:
    return status;
}

static enum mb_status allocate(struct cell_context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_cell_options *options = c->options;
    const size_t n_rows = options->n_rows;
    c->candidates = mb_alloc(n_rows, sizeof *c->candidates);
    c->judged = mb_alloc(n_rows, sizeof *c->judged);
    c->ready = mb_alloc(n_rows, sizeof *c->ready);
    if (!c->candidates || !c->ready || !c->judged) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "results: out of memory");
    }
    for (size_t i = 0; i < n_rows; i++) {
        MB_TRY(init_result(&options->rows[i], &c->judged[i], err));
        c->candidates[i] =
            (struct mb_candidate){.row = &options->rows[i], .result = &c->judged[i]};
    }
    for (size_t k = 0; k < c->n_cells; k++) {
        c->cells[k].results = mb_alloc(n_rows, sizeof *c->cells[k].results);
        if (!c->cells[k].results) {
            return MB_FAIL(err, MB_ERRC_RUNTIME, "results: out of memory");
        }
        c->cells[k].n_results = n_rows;
        for (size_t i = 0; i < n_rows; i++) {
            MB_TRY(init_result(&options->rows[i], &c->cells[k].results[i], err));
        }
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
    for (size_t i = 0; c->judged && i < c->options->n_rows; i++) {
        mb_result_finish(&c->judged[i]);
    }
    mb_free(c->candidates);
    mb_free(c->judged);
    mb_free(c->ready);
    mb_rig_finish(&c->rig);
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
    } else if (result->status == MB_RESULT_FAILED) {
        why = "it failed";
    }
    mb_result_warn(result, "chain_not_written", "no chain file: %s", why);
}

/* What was found of each strategy holds under every condition; what is skipped under one only
 * stays so. */
static enum mb_status share_judgement(struct cell_context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    for (size_t i = 0; i < c->options->n_rows; i++) {
        warn_no_chain(&c->judged[i], c->options->settings->chains != 0);
    }
    for (size_t k = 0; k < c->n_cells; k++) {
        for (size_t i = 0; i < c->options->n_rows; i++) {
            struct mb_result *result = &c->cells[k].results[i];
            MB_TRY(mb_result_share(result, &c->judged[i], err));
            result->split = c->cells[k].has_split ? c->judged[i].split : result->split;
        }
    }
fail:
    return status;
}

/* The image cannot be made here: every strategy is skipped for that reason. */
static void skip_all(struct cell_context *c, const struct mb_err *why)
{
    for (size_t i = 0; i < c->options->n_rows; i++) {
        c->judged[i].status = MB_RESULT_SKIPPED;
        snprintf(c->judged[i].reason, sizeof c->judged[i].reason, "%s", why->text);
    }
}

static void warn_no_timer(struct cell_context *c)
{
    for (size_t i = 0; !c->options->ruler->has_timer && i < c->options->n_rows; i++) {
        mb_result_warn(&c->judged[i], "no_timestamps",
                       "the device has no timestamps: nothing is timed");
    }
}

static enum mb_status time_cells(struct cell_context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_hooks *hooks = c->options->hooks;
    const struct mb_timing_options timing = {
        .settings = c->options->settings,
        .hooks = hooks,
        .ruler = c->options->ruler,
        .rig = &c->rig,
        .candidates = c->candidates,
        .ready = c->ready,
        .n_ready = c->n_ready,
    };
    if (!c->options->ruler->has_timer || c->n_ready == 0) {
        return MB_OK;
    }
    for (size_t k = 0; k < c->n_cells && !hooks->is_interrupted(hooks->user); k++) {
        MB_TRY(mb_timing_run(&timing, &c->cells[k], err));
    }
fail:
    return status;
}

/* The split is hot: it stands with hot latency, or with cold latency if that is all there is.
 */
static bool claim_split(struct cell_context *c)
{
    bool has_any = false;
    for (int cache = MB_CACHE_HOT; cache < MB_N_CACHES && !has_any; cache++) {
        for (size_t k = 0; k < c->n_cells; k++) {
            struct mb_cell *cell = &c->cells[k];
            cell->has_split =
                cell->mode == MB_MODE_LATENCY && cell->cache == (enum mb_cache)cache;
            has_any = has_any || cell->has_split;
        }
    }
    return has_any;
}

static enum mb_status split_all(struct cell_context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    bool is_asked = c->options->settings->per_level && c->options->ruler->has_timer;
    bool has_place = is_asked && claim_split(c);
    for (size_t i = 0; has_place && i < c->n_ready; i++) {
        const struct mb_candidate *candidate = &c->candidates[c->ready[i]];
        MB_TRY(mb_split_measure(c->options->gpu, &candidate->trial, c->cells[0].layout.n_levels,
                                &candidate->result->split, err));
    }
fail:
    return status;
}

static enum mb_status run(struct cell_context *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    warn_no_timer(c);
    MB_TRY(prepare_all(c, err));
    MB_TRY(verify_before(c, err));
    MB_TRY(time_cells(c, err));
    MB_TRY(split_all(c, err));
    MB_TRY(verify_after(c, err));
fail:
    return status;
}

/* What the device cannot do with the format anyway is left to mb_trial_supports to say. */
static VkImageUsageFlags needed_usage(const struct mb_cell_options *options,
                                      const struct mb_format *format)
{
    VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT;
    for (size_t i = 0; i < options->n_rows; i++) {
        usage |= options->rows[i].strategy->image_usage;
    }
    return usage & mb_rig_usage(options->gpu, format);
}

static bool wants_raw(const struct mb_cell_options *options)
{
    bool is_wanted = false;
    for (size_t i = 0; i < options->n_rows; i++) {
        is_wanted = is_wanted || options->rows[i].strategy->wants_raw;
    }
    return is_wanted;
}

enum mb_status mb_cell_run(const struct mb_cell_options *options, const void *source,
                           struct mb_cell *cells, size_t n_cells, bool *is_complete,
                           struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_hooks *hooks = options->hooks;
    struct cell_context c = {.options = options, .cells = cells, .n_cells = n_cells};
    const struct mb_rig_options rig_options = {
        .layout = &cells[0].layout,
        .n_image_levels = cells[0].n_image_levels,
        .is_cube = cells[0].is_cube,
        .source = source,
        .usage = cells[0].image_usage == MB_IMAGE_USAGE_NEEDED
                     ? needed_usage(options, cells[0].layout.format)
                     : 0,
        .is_raw = wants_raw(options),
    };
    *is_complete = false;
    MB_TRY(allocate(&c, err));
    mb_verifier_init(&c.verifier, &cells[0].layout, source);
    c.judge = (struct mb_judge){
        .rig = &c.rig,
        .verifier = &c.verifier,
        .cell = &cells[0],
        .is_on = options->settings->verify,
    };
    status = mb_rig_init(&c.rig, options->gpu, &rig_options, err);
    if (status == MB_UNSUPPORTED) {
        skip_all(&c, err);
    } else {
        MB_TRY(status);
        MB_TRY(run(&c, err));
    }
    MB_TRY(share_judgement(&c, err));
    for (size_t k = 0; k < n_cells; k++) {
        cells[k].image_ms = c.rig.image_ms;
        cells[k].used_for = c.rig.image.usage;
        cells[k].has_raw_views = c.rig.image.is_raw;
        MB_TRY(mb_conclude_cell(options->settings, options->ruler, &cells[k], err));
    }
    *is_complete = !hooks->is_interrupted(hooks->user);
fail:
    release(&c);
    return status;
}
