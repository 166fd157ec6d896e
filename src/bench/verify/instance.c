/* One strategy set up on an image. */
#include "bench/verify/instance.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/os.h"
#include "bench/test_image.h"
#include "vk/barrier.h"

void mb_instance_record_source(const struct mb_instance *instance, VkCommandBuffer cmd)
{
    if (instance->to_depth.buffer) {
        mb_record_depth_copy(cmd, instance->image, instance->source, &instance->to_depth);
    } else if (instance->source) {
        mb_record_image_copy(cmd, instance->image, instance->source, 1);
    }
}

/* Make the source and fill it, so that the chain can be timed right away. */
static enum mb_status make_source(struct mb_instance *instance, enum mb_source kind,
                                  struct mb_err *err)
{
    const bool is_depth = kind == MB_SOURCE_DEPTH;
    const struct mb_vk_image *image = instance->image;
    MB_SCOPED(mb_submission) submission = {0};
    struct mb_layout layout;
    const struct mb_vk_image_options options = {
        .layout = &layout,
        .n_levels = 1,
        .is_cube = image->is_cube,
        .usage = is_depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT
                          : image->usage,
        .is_depth = is_depth,
        .is_raw = image->is_raw,
        .name = "source",
    };
    mb_layout_init(&layout, image->layout.format, image->layout.base, image->layout.n_layers,
                   1);
    instance->source = mb_alloc(1, sizeof *instance->source);
    MB_DO(MB_NEED(instance->source, "source"));
    MB_DO(mb_vk_image_init(instance->source, image->gpu, &options, err));
    if (image->gpu->state->only_compiles) {
        return MB_OK;
    }
    if (is_depth) {
        MB_DO(mb_buffer_init(&instance->to_depth, image->gpu, MB_BUFFER_DEVICE,
                             layout.total_bytes, "source", err));
    }
    MB_DO(mb_submission_init(&submission, image->gpu, "source", err));
    mb_instance_record_source(instance, submission.cmd);
    return mb_submission_run(&submission, err);
}

enum mb_status mb_instance_init(struct mb_instance *instance, const struct mb_vk_image *image,
                                const struct mb_variant *row, const struct mb_task *task,
                                struct mb_marks *marks, struct mb_err *err)
{
    const struct mb_strategy *strategy = row->strategy;
    const struct mb_gpu *gpu = image->gpu;
    struct mb_target target = {.image = image, .task = *task, .marks = marks};
    *instance = (struct mb_instance){.strategy = strategy, .image = image};
    const enum mb_source source =
        strategy->source_of ? strategy->source_of(&row->params) : MB_SOURCE_SAME;
    if (source != MB_SOURCE_SAME) {
        MB_DO(make_source(instance, source, err));
        target.source = instance->source;
    }
    instance->state = mb_alloc(1, strategy->state_bytes);
    MB_DO(MB_NEED(instance->state, strategy->name));
    mb_log_suspect(mb_instance_kernel(instance), "the driver set it up");
    const uint64_t start_ns = mb_now_ns();
    const enum mb_status status =
        strategy->init(instance->state, gpu, &target, &row->params, err);
    instance->init_ms = (double)(mb_now_ns() - start_ns) * 1e-6;
    mb_log_suspect(NULL, NULL);
    MB_DO(status);
    strategy->describe(instance->state, &instance->work);
    instance->work.tolerance.filter.reduce = task->reduce;
    instance->work.tolerance.filter.alpha = task->alpha;
    instance->work.tolerance.sub_texel_precision_bits = gpu->info.limits.subTexelPrecisionBits;
    instance->work.tolerance.has_no_policy |=
        mb_tolerance_is_void(&instance->work.tolerance, image->layout.format);
    return MB_OK;
}

const char *mb_instance_kernel(const struct mb_instance *instance)
{
    return instance->strategy->file ? instance->strategy->name : NULL;
}

void mb_instance_chain(const struct mb_instance *instance, VkCommandBuffer cmd)
{
    mb_gpu_label_begin(instance->image->gpu, cmd, instance->strategy->name);
    instance->strategy->record(instance->state, cmd);
    mb_gpu_label_end(instance->image->gpu, cmd);
}

enum mb_status mb_instance_record(struct mb_instance *instance, struct mb_err *err)
{
    struct mb_submission *submission = &instance->submission;
    MB_DO(mb_submission_init(submission, instance->image->gpu, instance->strategy->name, err));
    submission->kernel = mb_instance_kernel(instance);
    mb_instance_record_source(instance, submission->cmd);
    mb_barrier_full(submission->cmd);
    mb_instance_chain(instance, submission->cmd);
    mb_barrier_full(submission->cmd);
    return mb_submission_end(submission, err);
}

void mb_instance_finish(struct mb_instance *instance)
{
    mb_submission_finish(&instance->submission);
    if (instance->state) {
        instance->strategy->finish(instance->state);
        mb_free(instance->state);
    }
    if (instance->source) {
        mb_vk_image_finish(instance->source);
        mb_free(instance->source);
    }
    mb_buffer_finish(&instance->to_depth);
    *instance = (struct mb_instance){0};
}
