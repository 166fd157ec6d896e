/* One strategy set up on a test bench. */
#include "bench/verify/instance.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "vk/barrier.h"

enum mb_status mb_instance_supports(const struct mb_instance_options *options,
                                    struct mb_err *why)
{
    const struct mb_gpu *gpu = options->test_image->gpu;
    const struct mb_vk_image *image = &options->test_image->image;
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
    return mb_variant_supports(options->row, gpu, &image->layout, options->task, why);
}

static const struct mb_vk_image *image_of(const struct mb_instance_options *options)
{
    return options->image ? options->image : &options->test_image->image;
}

void mb_instance_record_source(const struct mb_instance *instance,
                               const struct mb_vk_image *image, VkCommandBuffer cmd)
{
    if (!instance->source.image) {
        return;
    }
    mb_barrier_levels(cmd, image, 0, 1, &mb_access_readable, &mb_access_transfer_read);
    mb_barrier_levels(cmd, &instance->source, 0, 1, &mb_access_undefined,
                      &mb_access_transfer_write);
    mb_vk_image_record_copy(cmd, image, &instance->source, 0);
    mb_barrier_levels(cmd, image, 0, 1, &mb_access_transfer_read, &mb_access_readable);
    mb_barrier_levels(cmd, &instance->source, 0, 1, &mb_access_transfer_write,
                      &mb_access_readable);
}

/* The image, filled, so that it can be timed right away. */
static enum mb_status make_source(struct mb_instance *instance,
                                  const struct mb_instance_options *options, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_vk_image *image = image_of(options);
    struct mb_submission submission = {0};
    struct mb_layout layout;
    const struct mb_vk_image_options image_options = {
        .layout = &layout,
        .n_levels = 1,
        .is_cube = options->test_image->is_cube,
        .usage = image->usage,
        .is_raw = image->is_raw,
        .name = "source",
    };
    mb_layout_init(&layout, image->layout.format, image->layout.base, image->layout.n_layers,
                   1);
    MB_TRY(mb_vk_image_init(&instance->source, options->test_image->gpu, &image_options, err));
    MB_TRY(mb_submission_init(&submission, options->test_image->gpu, "source", err));
    MB_TRY(mb_submission_begin(&submission, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, err));
    mb_instance_record_source(instance, image, submission.cmd);
    MB_TRY(mb_submission_end(&submission, err));
    MB_TRY(mb_submission_run(&submission, err));
fail:
    mb_submission_finish(&submission);
    return status;
}

static enum mb_status record(struct mb_instance *instance,
                             const struct mb_instance_options *options, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_submission *submission = &instance->submission;
    MB_TRY(mb_submission_init(submission, options->test_image->gpu, options->name, err));
    MB_TRY(mb_submission_begin(submission, 0, err));
    mb_instance_record_source(instance, image_of(options), submission->cmd);
    mb_barrier_full(submission->cmd);
    instance->strategy->record(instance->state, submission->cmd);
    mb_barrier_full(submission->cmd);
    MB_TRY(mb_submission_end(submission, err));
fail:
    return status;
}

enum mb_status mb_instance_init(struct mb_instance *instance,
                                const struct mb_instance_options *options, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_strategy *strategy = options->row->strategy;
    const struct mb_gpu *gpu = options->test_image->gpu;
    const bool has_source = strategy->has_source && strategy->has_source(&options->row->params);
    *instance = (struct mb_instance){.strategy = strategy};
    if (has_source) {
        MB_TRY(make_source(instance, options, err));
    }
    const struct mb_target target = {
        .image = image_of(options),
        .source = has_source ? &instance->source : NULL,
        .task = *options->task,
    };
    instance->state = mb_alloc(1, strategy->state_bytes);
    if (!instance->state) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory", strategy->name);
        goto fail;
    }
    uint64_t start_ns = mb_now_ns();
    MB_TRY(strategy->init(instance->state, gpu, &target, &options->row->params, err));
    instance->init_ms = (double)(mb_now_ns() - start_ns) * 1e-6;
    strategy->describe(instance->state, &instance->work);
    instance->work.tolerance.filter.reduce = options->task->reduce;
    instance->work.tolerance.filter.alpha = options->task->alpha;
    instance->work.tolerance.sub_texel_precision_bits = gpu->info.sub_texel_precision_bits;
    if (options->is_recorded) {
        MB_TRY(record(instance, options, err));
    }
    return MB_OK;
fail:
    mb_instance_finish(instance);
    return status;
}

void mb_instance_finish(struct mb_instance *instance)
{
    mb_submission_finish(&instance->submission);
    if (instance->state) {
        instance->strategy->finish(instance->state);
        mb_free(instance->state);
    }
    mb_vk_image_finish(&instance->source);
    *instance = (struct mb_instance){0};
}

uint64_t mb_task_compulsory_bytes(const struct mb_task *task, const struct mb_layout *layout)
{
    return task->is_update
               ? mb_filter_affected_bytes(MB_POLICY_BOX, layout, task->rects, task->n_rects)
               : mb_layout_compulsory_bytes(layout);
}
