/* Makes the Vulkan objects of a plan, and records its commands. */
#include "kernel/plan.h"

#include <string.h>

#include "base/alloc.h"
#include "strategy/marks.h"
#include "strategy/needs.h"
#include "vk/buffer.h"
#include "vk/submit.h"

/* Size of the guards on both sides of a buffer, which show writes out of bounds. Offsets may
 * need alignment: this is a multiple of any device's. */
#define GUARD_BYTES 4096u
#define GUARD_WORD  0xA5C3965Au

/* Overwrites a buffer's words: large as an integer and as a float, 99,906.27. */
#define SCRATCH_WORD    0x47C32123u
#define SPOILED_AT_ONCE (UINT64_C(16) << 20) /* bytes */

struct state {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image;
    struct mb_marks *marks;
    struct mb_kernel_plan plan;
    struct mb_buffer buffers[MB_MAX_KERNEL_BUFFERS];
    struct mb_pipeline pipelines[MB_MAX_KERNEL_PIPELINES];
    VkSampler samplers[2][MB_N_REDUCES][MB_N_ADDRESSES]; /* [is_linear][reduction][address] */
    VkImageView *views;                                  /* owned, each owned */
    size_t n_views;
};

/* ---- Support */

static enum mb_status binding_fits(const struct mb_gpu *gpu, const struct mb_format *format,
                                   const struct mb_kernel_binding *binding, struct mb_err *why)
{
    MB_FAIL_IF(binding->n_views > 0 && binding->kind >= MB_VIEW_WORDS &&
                   !mb_vk_image_can_be_raw(gpu, format),
               why, MB_ERRC_UNSUPPORTED, "the device makes no views of %s as %s", format->name,
               mb_kernel_view_formats[binding->kind]);
    /* A separate sampler is checked against the image's own format. */
    return binding->sampler.is_linear
               ? mb_sampler_supports(gpu,
                                     binding->n_views > 0 ? binding->format : format->vk_format,
                                     binding->sampler.reduction, why)
               : MB_OK;
}

static enum mb_status module_fits(const struct mb_gpu_info *info, const char *shader,
                                  const struct mb_spirv *spirv, struct mb_err *why)
{
    MB_FAIL_IF(spirv->unknown_capability != 0, why, MB_ERRC_UNSUPPORTED,
               "shader '%s' has SPIR-V's capability %u, which mipbench enables on no device",
               shader, spirv->unknown_capability);
    for (uint32_t i = 0; i < spirv->n_needs; i++) {
        const char *const *features = spirv->needs[i];
        bool is_there = false;
        for (size_t k = 0; features[k]; k++) {
            is_there = is_there || mb_features_has(&info->features, features[k]);
        }
        MB_FAIL_IF(!is_there, why, MB_ERRC_UNSUPPORTED,
                   "the device has no %s, which shader '%s' needs", features[0], shader);
    }
    return MB_OK;
}

static uint32_t count_storage_images(const struct mb_shader *shader)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < shader->n_bindings; i++) {
        n += shader->bindings[i].type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
                 ? shader->bindings[i].n_descriptors
                 : 0;
    }
    return n;
}

static enum mb_status pipeline_fits(const struct mb_gpu *gpu, const struct mb_layout *layout,
                                    const struct mb_task *task, uint32_t subgroup_size,
                                    const struct mb_kernel_pipeline *pipeline,
                                    struct mb_err *why)
{
    const struct mb_gpu_info *info = &gpu->info;
    const uint32_t push_bytes = pipeline->options.push_constant_bytes;
    const struct mb_needs needs = {
        .subgroup_operations = pipeline->spirv->operations,
        .n_storage_images = count_storage_images(&pipeline->spirv->shader),
        .n_invocations = pipeline->options.n_invocations,
        .lanes = subgroup_size != info->subgroup_size ? subgroup_size : 0,
    };
    MB_DO(module_fits(info, pipeline->shader, pipeline->spirv, why));
    MB_FAIL_IF(push_bytes > info->limits.maxPushConstantsSize, why, MB_ERRC_UNSUPPORTED,
               "shader '%s' has %u bytes of push constants; the device has %u",
               pipeline->shader, push_bytes, info->limits.maxPushConstantsSize);
    MB_FAIL_IF(
        needs.lanes > 0 && pipeline->options.subgroup_size == 0, why, MB_ERRC_UNSUPPORTED,
        "cannot require subgroups of %u: the workgroups of shader '%s' are %u wide, not a "
        "multiple of that",
        subgroup_size, pipeline->shader, pipeline->workgroup_size[0]);
    return mb_needs_met(&needs, gpu, layout, task, why);
}

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *params,
                               struct mb_err *why)
{
    const uint32_t *most = gpu->info.limits.maxComputeWorkGroupCount;
    MB_SCOPED(mb_kernel_plan) plan = {0};
    MB_DO(mb_kernel_plan_init(&plan, &gpu->info, layout, task, params, why));
    for (uint32_t i = 0; i < plan.n_pipelines; i++) {
        MB_DO(
            pipeline_fits(gpu, layout, task, plan.pick.subgroup_size, &plan.pipelines[i], why));
    }
    for (uint32_t i = 0; i < plan.n_dispatches; i++) {
        const struct mb_kernel_dispatch *dispatch = &plan.dispatches[i];
        for (uint32_t axis = 0; axis < 3; axis++) {
            MB_FAIL_IF(dispatch->n_groups[axis] > most[axis], why, MB_ERRC_UNSUPPORTED,
                       "it dispatches %u workgroups along %c; the device takes %u",
                       dispatch->n_groups[axis], "xyz"[axis], most[axis]);
        }
        for (uint32_t k = 0; k < dispatch->n_bindings; k++) {
            MB_DO(binding_fits(gpu, layout->format, &dispatch->bindings[k], why));
        }
    }
    return MB_OK;
}

/* ---- Buffers */

/* Fill the guards; no kernel may write to them. */
static enum mb_status set_guards(const struct mb_buffer *buffer, struct mb_err *err)
{
    MB_SCOPED(mb_submission) submission = {0};
    if (buffer->gpu->state->only_compiles) {
        return MB_OK;
    }
    MB_DO(mb_submission_init(&submission, buffer->gpu, "guards", err));
    vkCmdFillBuffer(submission.cmd, buffer->buffer, 0, GUARD_BYTES, GUARD_WORD);
    vkCmdFillBuffer(submission.cmd, buffer->buffer, buffer->size_bytes - GUARD_BYTES,
                    GUARD_BYTES, GUARD_WORD);
    mb_barrier_full(submission.cmd);
    return mb_submission_run(&submission, err);
}

/* Upload a buffer's initial content together with the guard before it. */
static enum mb_status upload(const struct mb_buffer *buffer,
                             const struct mb_kernel_buffer *plan, struct mb_err *err)
{
    const size_t n_bytes = (size_t)(GUARD_BYTES + plan->n_bytes);
    MB_FREED unsigned char *data = mb_alloc(1, n_bytes);
    MB_DO(MB_NEED(data, plan->name));
    memcpy(data + GUARD_BYTES, plan->content, (size_t)plan->n_bytes);
    return mb_buffer_upload(buffer, data, n_bytes, err);
}

/* Make the buffers, plan again with their addresses, and upload the initial content, which may
 * hold addresses. */
static enum mb_status make_buffers(struct state *s, struct mb_err *err)
{
    uint64_t addresses[MB_MAX_KERNEL_BUFFERS] = {0};
    for (uint32_t i = 0; i < s->plan.n_buffers; i++) {
        const struct mb_kernel_buffer *plan = &s->plan.buffers[i];
        MB_DO(mb_buffer_init(&s->buffers[i], s->gpu,
                             plan->is_addressed ? MB_BUFFER_ADDRESSED : MB_BUFFER_DEVICE,
                             plan->n_bytes + 2 * GUARD_BYTES, plan->name, err));
        if (plan->is_addressed && !s->gpu->state->only_compiles) {
            addresses[i] = mb_buffer_address(&s->buffers[i]) + GUARD_BYTES;
        }
    }
    MB_DO(mb_kernel_plan_again(&s->plan, &s->image->layout, addresses, err));
    for (uint32_t i = 0; i < s->plan.n_buffers; i++) {
        if (s->plan.buffers[i].content) {
            MB_DO(upload(&s->buffers[i], &s->plan.buffers[i], err));
        }
        MB_DO(set_guards(&s->buffers[i], err));
    }
    return MB_OK;
}

/* ---- Views */

static enum mb_status make_view(struct state *s, const struct mb_kernel_binding *binding,
                                uint32_t index, VkImageView *handle, struct mb_err *err)
{
    const bool is_2d = !binding->use->is_arrayed;
    const struct mb_view part = {
        .format = binding->format,
        .usage = binding->place->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
                     ? VK_IMAGE_USAGE_STORAGE_BIT
                     : VK_IMAGE_USAGE_SAMPLED_BIT,
        .first_level = binding->first_level[index],
        .n_levels = binding->n_levels,
        .n_layers = is_2d ? 1 : s->image->layout.n_layers,
        .is_2d = is_2d,
    };
    *handle = VK_NULL_HANDLE;
    if (s->gpu->state->only_compiles) {
        return MB_OK;
    }
    VkImageView *grown = mb_grow(s->views, s->n_views, sizeof *grown);
    MB_DO(MB_NEED(grown, "views"));
    s->views = grown;
    MB_DO(mb_vk_image_create_view(s->image, &part, handle, err));
    s->views[s->n_views++] = *handle;
    return MB_OK;
}

static enum mb_status bind(struct state *s, const struct mb_kernel_dispatch *dispatch,
                           const struct mb_kernel_binding *binding, struct mb_err *err)
{
    VkImageView views[MB_MAX_LEVELS];
    const struct mb_sampler_options *keys = &binding->sampler;
    VkSampler *sampler = &s->samplers[keys->is_linear][keys->reduction][keys->address];
    const bool is_buffer = binding->buffer != UINT32_MAX;
    struct mb_descriptor descriptor = {
        .set = binding->place->set,
        .binding = binding->place->binding,
        .views = binding->n_views > 0 ? views : NULL,
        .n_views = binding->n_views,
        .layout = binding->is_general ? VK_IMAGE_LAYOUT_GENERAL
                                      : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
        .buffer = is_buffer ? &s->buffers[binding->buffer] : NULL,
        .buffer_offset = GUARD_BYTES + binding->offset_bytes,
        .buffer_bytes = binding->n_bytes,
    };
    for (uint32_t i = 0; i < binding->n_views; i++) {
        MB_DO(make_view(s, binding, i, &views[i], err));
    }
    if (binding->place->type == VK_DESCRIPTOR_TYPE_SAMPLER ||
        binding->place->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER) {
        MB_DO(*sampler ? MB_OK : mb_sampler_create(s->gpu, keys, sampler, err));
        descriptor.sampler = *sampler;
    }
    mb_pipeline_bind(&s->pipelines[dispatch->pipeline], dispatch->copy, &descriptor, 1);
    return MB_OK;
}

/* ---- The strategy */

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *params,
                           struct mb_err *err)
{
    struct state *s = state;
    s->gpu = gpu;
    s->image = target->image;
    s->marks = target->marks;
    MB_DO(mb_kernel_plan_init(&s->plan, &gpu->info, &target->image->layout, &target->task,
                              params, err));
    MB_DO(make_buffers(s, err));
    for (uint32_t i = 0; i < s->plan.n_pipelines; i++) {
        MB_DO(mb_pipeline_init(&s->pipelines[i], gpu, &s->plan.pipelines[i].options, err));
    }
    for (uint32_t i = 0; i < s->plan.n_dispatches; i++) {
        const struct mb_kernel_dispatch *dispatch = &s->plan.dispatches[i];
        for (uint32_t k = 0; k < dispatch->n_bindings; k++) {
            MB_DO(bind(s, dispatch, &dispatch->bindings[k], err));
        }
    }
    return MB_OK;
}

static uint32_t count_barriers(const struct mb_kernel_barriers *barriers)
{
    return (uint32_t)(barriers->n_levels > 0) + barriers->has_memory;
}

/* Record a vkCmdPipelineBarrier for the levels that change, and one for all other accesses. */
static void record_barriers(const struct state *s, VkCommandBuffer cmd,
                            const struct mb_kernel_barriers *barriers)
{
    struct mb_level_barrier levels[MB_MAX_LEVELS];
    memcpy(levels, barriers->levels, sizeof levels);
    for (uint32_t i = 0; i < barriers->n_levels; i++) {
        levels[i].image = s->image;
    }
    if (barriers->n_levels > 0) {
        mb_barrier_images(cmd, levels, barriers->n_levels);
    }
    if (barriers->has_memory) {
        mb_barrier_memory(cmd, &mb_access_compute_write, &mb_access_compute_read_write);
    }
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    for (uint32_t i = 0; i < s->plan.n_buffers; i++) {
        if (s->plan.buffers[i].is_each_run) {
            vkCmdFillBuffer(cmd, s->buffers[i].buffer, GUARD_BYTES, s->plan.buffers[i].n_bytes,
                            0);
        }
    }
    if (s->plan.has_fills) {
        mb_barrier_memory(cmd, &mb_access_transfer_write, &mb_access_compute_read_write);
    }
    record_barriers(s, cmd, &s->plan.opening);
    for (uint32_t i = 0; i < s->plan.n_dispatches; i++) {
        const struct mb_kernel_dispatch *plan = &s->plan.dispatches[i];
        const struct mb_dispatch dispatch = {
            .copy = plan->copy,
            .push = s->plan.pipelines[plan->pipeline].options.push_constant_bytes > 0
                        ? plan->push
                        : NULL,
            .n_groups = {plan->n_groups[0], plan->n_groups[1], plan->n_groups[2]},
        };
        record_barriers(s, cmd, &plan->before);
        mb_mark_begin(s->marks, s->image, cmd, plan->step.source_level + 1,
                      plan->step.n_levels);
        mb_pipeline_dispatch(&s->pipelines[plan->pipeline], cmd, &dispatch);
        mb_mark_end(s->marks, s->image, cmd);
    }
    record_barriers(s, cmd, &s->plan.closing);
}

/* Every level but 0 is written once; the source level of a step is also read once. */
static uint64_t algorithmic_bytes(const struct state *s)
{
    const struct mb_layout *layout = &s->image->layout;
    uint64_t n_bytes = 0;
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        const uint32_t n_times = (level > 0) + ((s->plan.source_levels >> level) & 1u);
        n_bytes += n_times * layout->level_layer_bytes[level] * layout->n_layers;
    }
    return n_bytes;
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_kernel_plan *plan = &s->plan;
    work->n_dispatches = plan->n_dispatches;
    work->n_barriers =
        count_barriers(&plan->opening) + count_barriers(&plan->closing) + plan->has_fills;
    for (uint32_t i = 0; i < plan->n_dispatches; i++) {
        work->n_barriers += count_barriers(&plan->dispatches[i].before);
    }
    memcpy(work->workgroup_size, plan->pipelines[0].workgroup_size,
           sizeof work->workgroup_size);
    work->subgroup_size = s->plan.pick.subgroup_size;
    work->algorithmic_bytes = algorithmic_bytes(s);
    work->tolerance = plan->tolerance;
}

static enum mb_status copy_regions(const struct mb_buffer *from, const struct mb_buffer *to,
                                   const VkBufferCopy *regions, uint32_t n_regions,
                                   struct mb_err *err)
{
    MB_SCOPED(mb_submission) submission = {0};
    MB_DO(mb_submission_init(&submission, from->gpu, "copy of a buffer", err));
    mb_barrier_full(submission.cmd);
    vkCmdCopyBuffer(submission.cmd, from->buffer, to->buffer, n_regions, regions);
    mb_barrier_full(submission.cmd);
    mb_barrier_memory(submission.cmd, &mb_access_transfer_write, &mb_access_host_read);
    return mb_submission_run(&submission, err);
}

/* Check that the guards of each buffer are intact. */
static enum mb_status check(const void *state, struct mb_err *err)
{
    const struct state *s = state;
    for (uint32_t i = 0; i < s->plan.n_buffers; i++) {
        const struct mb_buffer *buffer = &s->buffers[i];
        MB_SCOPED(mb_buffer) readback = {0};
        const VkBufferCopy regions[] = {
            {0, 0, GUARD_BYTES},
            {buffer->size_bytes - GUARD_BYTES, GUARD_BYTES, GUARD_BYTES},
        };
        MB_DO(mb_buffer_init(&readback, s->gpu, MB_BUFFER_READBACK, 2 * GUARD_BYTES, "guards",
                             err));
        MB_DO(copy_regions(buffer, &readback, regions, MB_COUNTOF(regions), err));
        const uint32_t *words = readback.mapped;
        for (uint32_t k = 0; k < 2 * GUARD_BYTES / sizeof *words; k++) {
            MB_FAIL_IF(words[k] != GUARD_WORD, err, MB_ERRC_RUNTIME,
                       "it wrote out of bounds, %s its buffer '%s'",
                       k < GUARD_BYTES / sizeof *words ? "before" : "behind",
                       s->plan.buffers[i].name);
        }
    }
    return MB_OK;
}

static enum mb_status spoil_buffer(const struct mb_buffer *buffer, struct mb_err *err)
{
    MB_SCOPED(mb_buffer) copy = {0};
    const uint64_t end = buffer->size_bytes - GUARD_BYTES;
    MB_DO(mb_buffer_init(&copy, buffer->gpu, MB_BUFFER_READBACK,
                         end < SPOILED_AT_ONCE ? end : SPOILED_AT_ONCE, "scratch", err));
    uint32_t *words = copy.mapped;
    for (uint64_t at = GUARD_BYTES; at < end; at += copy.size_bytes) {
        const uint64_t n = end - at < copy.size_bytes ? end - at : copy.size_bytes;
        MB_DO(copy_regions(buffer, &copy, &(VkBufferCopy){at, 0, n}, 1, err));
        for (uint64_t i = 0; i < n / sizeof *words; i++) {
            words[i] = words[i] != 0 ? SCRATCH_WORD : 0;
        }
        MB_DO(copy_regions(&copy, buffer, &(VkBufferCopy){0, at, n}, 1, err));
    }
    return MB_OK;
}

/* Overwrite what a run left in the buffers. Zeros stay, as they may be counters that the kernel
 * has reset; so do buffers that are zeroed before each run, and buffers with "fields", whose
 * content must last. */
static enum mb_status spoil(const void *state, struct mb_err *err)
{
    const struct state *s = state;
    for (uint32_t i = 0; i < s->plan.n_buffers; i++) {
        if (!s->plan.buffers[i].is_each_run && !s->plan.buffers[i].content) {
            MB_DO(spoil_buffer(&s->buffers[i], err));
        }
    }
    return MB_OK;
}

static void finish(void *state)
{
    struct state *s = state;
    if (!s->gpu) {
        return;
    }
    for (uint32_t i = 0; i < MB_COUNTOF(s->pipelines); i++) {
        mb_pipeline_finish(&s->pipelines[i]);
    }
    for (uint32_t i = 0; i < 2 * MB_N_REDUCES * MB_N_ADDRESSES; i++) {
        mb_sampler_destroy(s->gpu, (&s->samplers[0][0][0])[i]);
    }
    for (size_t i = 0; i < s->n_views; i++) {
        vkDestroyImageView(s->gpu->device, s->views[i], NULL);
    }
    mb_free(s->views);
    for (uint32_t i = 0; i < MB_MAX_KERNEL_BUFFERS; i++) {
        mb_buffer_finish(&s->buffers[i]);
    }
    mb_kernel_plan_finish(&s->plan);
}

const struct mb_strategy mb_kernel_strategy = {
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .state_bytes = sizeof(struct state),
    .supports = supports,
    .init = init,
    .record = record,
    .describe = describe,
    .check = check,
    .spoil = spoil,
    .finish = finish,
};
