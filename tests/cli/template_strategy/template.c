/* template: the least that a strategy can be; a starting point for your own.
 *
 * Copy this folder to strategies/NAME, rename both files and every "template" in them to NAME,
 * and add NAME to the list in strategies/meson.build. src/strategy.h is the contract. */
#include "strategy.h"

#include "strategy/levels.h"
#include "strategy/needs.h"
#include "vk/barrier.h"

#define WORKGROUP_WIDTH 8u /* as local_size_x and local_size_y in the shader */

extern const struct mb_shader mb_spv_template;
extern const struct mb_strategy mb_strategy_template;

struct state {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image;
    VkSampler sampler;
    struct mb_pipeline compute; /* set n: from level n to level n + 1 */
};

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *params,
                               struct mb_err *why)
{
    static const struct mb_needs needs = {
        .whole_only = true,
        .n_storage_images = 1,
        .n_invocations = WORKGROUP_WIDTH * WORKGROUP_WIDTH,
    };
    return mb_needs_met(&needs, gpu, layout, task, why);
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *params,
                           struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct state *s = state;
    const struct mb_vk_image *image = target->image;
    const uint32_t n_levels = image->layout.n_levels;
    struct mb_constant shared[MB_N_LEVELS_CONSTANTS];
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_template,
        .shared = mb_levels_constants(&image->layout, &target->task, shared),
        .n_shared = MB_COUNTOF(shared),
        .n_copies = n_levels > 1 ? n_levels - 1 : 1,
        .name = "template",
    };
    s->gpu = gpu;
    s->image = image;
    MB_TRY(mb_sampler_create(gpu, VK_FILTER_NEAREST, VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE,
                             &s->sampler, err));
    MB_TRY(mb_pipeline_init(&s->compute, gpu, &options, err));
    for (uint32_t level = 0; level + 1 < n_levels; level++) {
        const struct mb_descriptor descriptors[] = {
            {.binding = 0, .sampler = s->sampler, .views = &image->stored[level]},
            {.binding = 1, .views = &image->storage[level + 1]},
        };
        mb_pipeline_bind(&s->compute, level, descriptors, MB_COUNTOF(descriptors));
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
            .copy = level,
            .n_groups = {(target.width + WORKGROUP_WIDTH - 1) / WORKGROUP_WIDTH,
                         (target.height + WORKGROUP_WIDTH - 1) / WORKGROUP_WIDTH,
                         layout->n_layers},
        };
        mb_barrier_levels(cmd, s->image, level + 1, 1, &mb_access_undefined,
                          &mb_access_compute_write);
        mb_pipeline_dispatch(&s->compute, cmd, &dispatch);
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
    work->tolerance = (struct mb_tolerance){
        .filter.policy = MB_POLICY_FLOOR,
        .arithmetic = MB_ARITHMETIC_FP32,
        .reread_levels = ~UINT32_C(0),
    };
}

static void finish(void *state)
{
    struct state *s = state;
    mb_pipeline_finish(&s->compute);
    mb_sampler_destroy(s->gpu, s->sampler);
}

const struct mb_strategy mb_strategy_template = {
    .name = "template",
    .title = "the least that a strategy can be",
    .source = "none: write where yours was published",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .features = (const char *const[]){"shaderStorageImageWriteWithoutFormat", NULL},
    .state_bytes = sizeof(struct state),
    .supports = supports,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
