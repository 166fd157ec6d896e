/* compute: one dispatch and one memory barrier per level. */
#include "strategy.h"

#include "strategy/levels.h"
#include "strategy/needs.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"

enum { PARAM_NPOT, PARAM_LOAD };
enum { NPOT_BOX, NPOT_FLOOR };
enum { LOAD_TEXEL, LOAD_SAMPLER };

#define WORKGROUP_WIDTH 16u /* as local_size_x and local_size_y in compute.comp */

extern const struct mb_shader mb_spv_compute;
extern const struct mb_strategy mb_strategy_compute;

struct state {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image;
    struct mb_task task;
    enum mb_policy policy;
    struct mb_rect affected[MB_MAX_LEVELS]; /* what is made of each level */
    bool by_sampler;                        /* how texels are loaded */
    VkSampler sampler;
    struct mb_pipeline compute; /* set n: from level n to level n + 1 */
};

struct push {
    int32_t source_extent[2];
    float inv_source_extent[2];
    int32_t first[2], n_texels[2];
};

static const struct mb_param params[] = {
    {
        .name = "npot",
        .values = (const char *const[]){"box", "floor", NULL},
        .help = "odd sizes: exact area average, or drop the last row and column as published",
    },
    {
        .name = "load",
        .values = (const char *const[]){"texel", "sampler", NULL},
        .help = "2x2 texels by four fetches, or by one of the filter",
    },
    {0},
};

static enum mb_load load_of(const struct mb_params *choice)
{
    return choice->choice[PARAM_LOAD] == LOAD_SAMPLER ? MB_LOAD_SAMPLER : MB_LOAD_TEXEL;
}

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *choice,
                               struct mb_err *why)
{
    const struct mb_needs needs = {
        .n_storage_images = 1,
        .n_invocations = WORKGROUP_WIDTH * WORKGROUP_WIDTH,
        .load = load_of(choice),
    };
    return mb_needs_met(&needs, gpu, layout, task, why);
}

static enum mb_status make_pipeline(struct state *s, struct mb_err *err)
{
    uint32_t n_levels = s->image->layout.n_levels;
    const struct mb_constant constants[] = {
        {"NPOT_BOX", s->policy == MB_POLICY_BOX},
        {"LOAD_SAMPLER", s->by_sampler},
    };
    struct mb_constant shared[MB_N_LEVELS_CONSTANTS];
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_compute,
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .shared = mb_levels_constants(&s->image->layout, &s->task, shared),
        .n_shared = MB_COUNTOF(shared),
        .push_constant_bytes = sizeof(struct push),
        .n_copies = n_levels > 1 ? n_levels - 1 : 1,
        .name = "compute",
    };
    return mb_pipeline_init(&s->compute, s->gpu, &options, err);
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct state *s = state;
    const struct mb_vk_image *image = target->image;
    const struct mb_layout *layout = &image->layout;
    s->gpu = gpu;
    s->image = image;
    s->task = target->task;
    s->by_sampler =
        mb_load_resolve(load_of(choice), gpu, layout, &s->task, false) == MB_LOAD_SAMPLER;
    s->policy = choice->choice[PARAM_NPOT] == NPOT_BOX ? MB_POLICY_BOX : MB_POLICY_FLOOR;
    mb_filter_affected_levels(s->policy, layout, s->task.rects[0], s->affected);
    MB_TRY(mb_load_make_sampler(gpu, s->by_sampler, s->task.reduce, &s->sampler, err));
    MB_TRY(make_pipeline(s, err));
    for (uint32_t level = 0; level + 1 < layout->n_levels; level++) {
        const struct mb_descriptor descriptors[] = {
            {.binding = 0, .sampler = s->sampler, .views = &image->stored[level]},
            {.binding = 1, .views = &image->storage[level + 1]},
        };
        mb_pipeline_bind(&s->compute, level, descriptors, MB_COUNTOF(descriptors));
    }
fail:
    return status;
}

static void dispatch_level(const struct state *s, VkCommandBuffer cmd, uint32_t level)
{
    const struct mb_layout *layout = &s->image->layout;
    struct mb_extent source = mb_level_extent(layout->base, level);
    struct mb_rect affected = s->affected[level + 1];
    const struct push push = {
        .source_extent = {(int32_t)source.width, (int32_t)source.height},
        .inv_source_extent = {1.0f / (float)source.width, 1.0f / (float)source.height},
        .first = {(int32_t)affected.x, (int32_t)affected.y},
        .n_texels = {(int32_t)affected.width, (int32_t)affected.height},
    };
    const struct mb_dispatch dispatch = {
        .copy = level,
        .push = &push,
        .push_bytes = sizeof push,
        .n_groups = {(affected.width + WORKGROUP_WIDTH - 1) / WORKGROUP_WIDTH,
                     (affected.height + WORKGROUP_WIDTH - 1) / WORKGROUP_WIDTH,
                     layout->n_layers},
    };
    if (!mb_rect_is_empty(affected)) {
        mb_pipeline_dispatch(&s->compute, cmd, &dispatch);
    }
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    uint32_t n_levels = s->image->layout.n_levels;
    if (n_levels == 1) {
        return;
    }
    mb_barrier_levels(cmd, s->image, 1, n_levels - 1,
                      s->task.is_update ? &mb_access_readable : &mb_access_undefined,
                      &mb_access_compute_write);
    for (uint32_t level = 0; level + 1 < n_levels; level++) {
        dispatch_level(s, cmd, level);
        mb_barrier_levels(cmd, s->image, level + 1, 1, &mb_access_compute_write,
                          &mb_access_readable);
    }
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        work->n_dispatches += !mb_rect_is_empty(s->affected[level]);
    }
    work->n_barriers = layout->n_levels > 1 ? layout->n_levels : 0;
    work->workgroup_size[0] = work->workgroup_size[1] = WORKGROUP_WIDTH;
    work->workgroup_size[2] = 1;
    work->algorithmic_bytes = mb_filter_per_level_bytes(s->policy, layout, s->task.rects[0]);
    work->tolerance = (struct mb_tolerance){
        .filter.policy = s->policy,
        .arithmetic = s->by_sampler ? MB_ARITHMETIC_CORNER : MB_ARITHMETIC_FP32,
        .reread_levels = ~UINT32_C(0),
    };
}

static void finish(void *state)
{
    struct state *s = state;
    mb_pipeline_finish(&s->compute);
    mb_sampler_destroy(s->gpu, s->sampler);
}

const struct mb_strategy mb_strategy_compute = {
    .name = "compute",
    .title = "compute shader, one dispatch and one barrier per level",
    .source = "https://github.com/stripe2933/mipmap",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .features = (const char *const[]){"shaderStorageImageWriteWithoutFormat", NULL},
    .state_bytes = sizeof(struct state),
    .params = params,
    .supports = supports,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
