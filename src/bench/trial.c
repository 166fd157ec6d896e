/* One strategy set up on a test bench. */
#include "bench/trial.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "vk/barrier.h"

enum mb_status mb_trial_supports(const struct mb_trial_options *options, struct mb_err *why)
{
    const struct mb_gpu *gpu = options->rig->gpu;
    const struct mb_vk_image *image = &options->rig->image;
    const struct mb_strategy *strategy = options->row->strategy;
    if ((gpu->info.queue_flags & strategy->queue_flags) != strategy->queue_flags) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device's queue lacks commands that it needs (graphics)");
    }
    if ((image->usage & strategy->image_usage) != strategy->image_usage) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device cannot use images of format %s in the way it needs",
                       image->layout.format->name);
    }
    return mb_row_supports(options->row, gpu, &image->layout, options->task, why);
}

static const struct mb_vk_image *image_of(const struct mb_trial_options *options)
{
    return options->image ? options->image : &options->rig->image;
}

void mb_trial_record_source(const struct mb_trial *trial, const struct mb_vk_image *image,
                            VkCommandBuffer cmd)
{
    if (!trial->source.image) {
        return;
    }
    mb_barrier_levels(cmd, image, 0, 1, &mb_access_readable, &mb_access_transfer_read);
    mb_barrier_levels(cmd, &trial->source, 0, 1, &mb_access_undefined,
                      &mb_access_transfer_write);
    mb_vk_image_record_copy(cmd, image, &trial->source, 0);
    mb_barrier_levels(cmd, image, 0, 1, &mb_access_transfer_read, &mb_access_readable);
    mb_barrier_levels(cmd, &trial->source, 0, 1, &mb_access_transfer_write,
                      &mb_access_readable);
}

/* The image, filled, so that it can be timed right away. */
static enum mb_status make_source(struct mb_trial *trial,
                                  const struct mb_trial_options *options, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_vk_image *image = image_of(options);
    struct mb_submission submission = {0};
    struct mb_layout layout;
    const struct mb_vk_image_options image_options = {
        .layout = &layout,
        .n_levels = 1,
        .is_cube = options->rig->is_cube,
        .usage = image->usage,
        .is_raw = image->is_raw,
        .name = "source",
    };
    mb_layout_init(&layout, image->layout.format, image->layout.base, image->layout.n_layers,
                   1);
    MB_TRY(mb_vk_image_init(&trial->source, options->rig->gpu, &image_options, err));
    MB_TRY(mb_submission_init(&submission, options->rig->gpu, "source", err));
    MB_TRY(mb_submission_begin(&submission, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, err));
    mb_trial_record_source(trial, image, submission.cmd);
    MB_TRY(mb_submission_end(&submission, err));
    MB_TRY(mb_submission_run(&submission, err));
fail:
    mb_submission_finish(&submission);
    return status;
}

static enum mb_status record(struct mb_trial *trial, const struct mb_trial_options *options,
                             struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_submission *submission = &trial->submission;
    MB_TRY(mb_submission_init(submission, options->rig->gpu, options->name, err));
    MB_TRY(mb_submission_begin(submission, 0, err));
    mb_trial_record_source(trial, image_of(options), submission->cmd);
    mb_barrier_full(submission->cmd);
    trial->strategy->record(trial->state, submission->cmd);
    mb_barrier_full(submission->cmd);
    MB_TRY(mb_submission_end(submission, err));
fail:
    return status;
}

enum mb_status mb_trial_init(struct mb_trial *trial, const struct mb_trial_options *options,
                             struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_strategy *strategy = options->row->strategy;
    const struct mb_gpu *gpu = options->rig->gpu;
    const bool has_source = strategy->has_source && strategy->has_source(&options->row->params);
    *trial = (struct mb_trial){.strategy = strategy};
    if (has_source) {
        MB_TRY(make_source(trial, options, err));
    }
    const struct mb_target target = {
        .image = image_of(options),
        .source = has_source ? &trial->source : NULL,
        .task = *options->task,
    };
    trial->state = mb_alloc(1, strategy->state_bytes);
    if (!trial->state) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory", strategy->name);
        goto fail;
    }
    uint64_t start_ns = mb_now_ns();
    MB_TRY(strategy->init(trial->state, gpu, &target, &options->row->params, err));
    trial->init_ms = (double)(mb_now_ns() - start_ns) * 1e-6;
    strategy->describe(trial->state, &trial->work);
    trial->work.claim.filter.reduce = options->task->reduce;
    trial->work.claim.filter.alpha = options->task->alpha;
    trial->work.claim.sub_texel_precision_bits = gpu->info.sub_texel_precision_bits;
    if (options->is_recorded) {
        MB_TRY(record(trial, options, err));
    }
    return MB_OK;
fail:
    mb_trial_finish(trial);
    return status;
}

void mb_trial_finish(struct mb_trial *trial)
{
    mb_submission_finish(&trial->submission);
    if (trial->state) {
        trial->strategy->finish(trial->state);
        mb_free(trial->state);
    }
    mb_vk_image_finish(&trial->source);
    *trial = (struct mb_trial){0};
}

uint64_t mb_task_compulsory_bytes(const struct mb_task *task, const struct mb_layout *layout)
{
    return task->is_update
               ? mb_filter_cone_bytes(MB_POLICY_BOX, layout, task->rects, task->n_rects)
               : mb_layout_compulsory_bytes(layout);
}
