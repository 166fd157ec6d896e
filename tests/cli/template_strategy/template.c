/* template: the least that a strategy can be; a starting point for your own.
 *
 * Copy this folder to strategies/NAME, rename both files and every "template" in them to NAME,
 * and add NAME to the list in strategies/meson.build. src/strategy.h is the contract. */
#include "strategy.h"

#include "vk/barrier.h"
#include "vk/pipeline.h"

#define WORKGROUP_WIDTH 8u /* as local_size_x and local_size_y in the shader */

extern const struct mb_shader mb_spv_template;
extern const struct mb_strategy mb_strategy_template;

struct state {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image;
    VkSampler sampler;
    struct mb_compute compute; /* set n: from level n to level n + 1 */
};

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *params,
                               struct mb_err *why)
{
    if (task->is_update) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED, "template makes whole chains only");
    }
    return mb_gpu_require_storage(gpu, 1, WORKGROUP_WIDTH * WORKGROUP_WIDTH, why);
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *params,
                           struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct state *s = state;
    const struct mb_vk_image *image = target->image;
    const uint32_t n_levels = image->layout.n_levels;
    const struct mb_binding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1},
    };
    const struct mb_compute_options options = {
        .shader = &mb_spv_template,
        .bindings = bindings,
        .n_bindings = MB_COUNTOF(bindings),
        .layout = &image->layout,
        .reduce = target->task.reduce,
        .alpha = target->task.alpha,
        .n_sets = n_levels > 1 ? n_levels - 1 : 1,
        .name = "template",
    };
    s->gpu = gpu;
    s->image = image;
    MB_TRY(mb_sampler_create(gpu, VK_FILTER_NEAREST, target->task.reduce, &s->sampler, err));
    MB_TRY(mb_compute_init(&s->compute, gpu, &options, err));
    for (uint32_t level = 0; level + 1 < n_levels; level++) {
        mb_compute_bind_sampled(&s->compute, level, 0, s->sampler, image->stored[level],
                                VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        mb_compute_bind_storage(&s->compute, level, 1, &image->storage[level + 1], 1, 1);
    }
fail:
    return status;
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    for (uint32_t level = 0; level + 1 < layout->n_levels; level++) {
        const struct mb_extent target = mb_level_extent(layout->base, level + 1);
        const struct mb_dispatch dispatch = {
            .set = level,
            .n_groups = {(target.width + WORKGROUP_WIDTH - 1) / WORKGROUP_WIDTH,
                         (target.height + WORKGROUP_WIDTH - 1) / WORKGROUP_WIDTH,
                         layout->n_layers},
        };
        mb_barrier_levels(cmd, s->image, level + 1, 1, &mb_access_undefined,
                          &mb_access_compute_write);
        mb_compute_dispatch(&s->compute, cmd, &dispatch);
        mb_barrier_levels(cmd, s->image, level + 1, 1, &mb_access_compute_write,
                          &mb_access_readable);
    }
}

/* What the output is held to: here the floor policy, with every level read again as stored. */
static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    work->n_dispatches = layout->n_levels - 1;
    work->n_barriers = 2 * (layout->n_levels - 1);
    work->workgroup_size[0] = work->workgroup_size[1] = WORKGROUP_WIDTH;
    work->workgroup_size[2] = 1;
    work->algorithmic_bytes = mb_layout_per_level_bytes(layout);
    work->claim = (struct mb_claim){
        .filter.policy = MB_POLICY_FLOOR,
        .arithmetic = MB_ARITHMETIC_FP32,
        .reread_levels = ~UINT32_C(0),
    };
}

static void finish(void *state)
{
    struct state *s = state;
    mb_compute_finish(&s->compute);
    mb_sampler_destroy(s->gpu, s->sampler);
}

const struct mb_strategy mb_strategy_template = {
    .name = "template",
    .title = "the least that a strategy can be",
    .source = "none: write where yours was published",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .state_bytes = sizeof(struct state),
    .supports = supports,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
