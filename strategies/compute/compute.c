/* compute: one dispatch and one memory barrier per level. */
#include "strategy.h"

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
    struct mb_rect cone[MB_MAX_LEVELS]; /* what is made of each level */
    bool by_sampler;                    /* how texels are loaded */
    VkSampler sampler;
    struct mb_compute compute; /* set n: from level n to level n + 1 */
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
    enum mb_status status =
        mb_gpu_require_storage(gpu, 1, WORKGROUP_WIDTH * WORKGROUP_WIDTH, why);
    if (status != MB_OK) {
        return status;
    }
    return mb_load_supports(load_of(choice), gpu, layout, task->reduce, task->alpha, false,
                            why);
}

static enum mb_status make_pipeline(struct state *s, struct mb_err *err)
{
    uint32_t n_levels = s->image->layout.n_levels;
    const struct mb_binding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1},
    };
    const uint32_t constants[] = {
        s->policy == MB_POLICY_BOX,
        s->by_sampler,
    };
    const struct mb_compute_options options = {
        .shader = &mb_spv_compute,
        .bindings = bindings,
        .n_bindings = MB_COUNTOF(bindings),
        .spec_constants = constants,
        .n_spec_constants = MB_COUNTOF(constants),
        .layout = &s->image->layout,
        .reduce = s->task.reduce,
        .alpha = s->task.alpha,
        .is_update = s->task.is_update,
        .push_constant_bytes = sizeof(struct push),
        .n_sets = n_levels > 1 ? n_levels - 1 : 1,
        .name = "compute",
    };
    return mb_compute_init(&s->compute, s->gpu, &options, err);
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
    s->by_sampler = mb_load_uses_sampler(load_of(choice), gpu, &s->image->layout,
                                         s->task.reduce, s->task.alpha, false);
    s->policy = choice->choice[PARAM_NPOT] == NPOT_BOX ? MB_POLICY_BOX : MB_POLICY_FLOOR;
    mb_filter_cones(s->policy, layout, s->task.rects[0], s->cone);
    MB_TRY(mb_sampler_create(gpu, s->by_sampler ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                             s->task.reduce, &s->sampler, err));
    MB_TRY(make_pipeline(s, err));
    for (uint32_t level = 0; level + 1 < layout->n_levels; level++) {
        mb_compute_bind_sampled(&s->compute, level, 0, s->sampler, image->stored[level],
                                VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        mb_compute_bind_storage(&s->compute, level, 1, &image->storage[level + 1], 1, 1);
    }
fail:
    return status;
}

static void dispatch_level(const struct state *s, VkCommandBuffer cmd, uint32_t level)
{
    const struct mb_layout *layout = &s->image->layout;
    struct mb_extent source = mb_level_extent(layout->base, level);
    struct mb_rect cone = s->cone[level + 1];
    const struct push push = {
        .source_extent = {(int32_t)source.width, (int32_t)source.height},
        .inv_source_extent = {1.0f / (float)source.width, 1.0f / (float)source.height},
        .first = {(int32_t)cone.x, (int32_t)cone.y},
        .n_texels = {(int32_t)cone.width, (int32_t)cone.height},
    };
    const struct mb_dispatch dispatch = {
        .set = level,
        .push = &push,
        .push_bytes = sizeof push,
        .n_groups = {(cone.width + WORKGROUP_WIDTH - 1) / WORKGROUP_WIDTH,
                     (cone.height + WORKGROUP_WIDTH - 1) / WORKGROUP_WIDTH, layout->n_layers},
    };
    if (!mb_rect_is_empty(cone)) {
        mb_compute_dispatch(&s->compute, cmd, &dispatch);
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
        work->n_dispatches += !mb_rect_is_empty(s->cone[level]);
    }
    work->n_barriers = layout->n_levels > 1 ? layout->n_levels : 0;
    work->workgroup_size[0] = work->workgroup_size[1] = WORKGROUP_WIDTH;
    work->workgroup_size[2] = 1;
    work->algorithmic_bytes = mb_filter_per_level_bytes(s->policy, layout, s->task.rects[0]);
    work->claim = (struct mb_claim){
        .filter.policy = s->policy,
        .arithmetic = s->by_sampler ? MB_ARITHMETIC_CORNER : MB_ARITHMETIC_FP32,
        .reread_levels = ~UINT32_C(0),
    };
}

static void finish(void *state)
{
    struct state *s = state;
    mb_compute_finish(&s->compute);
    mb_sampler_destroy(s->gpu, s->sampler);
}

const struct mb_strategy mb_strategy_compute = {
    .name = "compute",
    .title = "compute shader, one dispatch and one barrier per level",
    .source = "https://github.com/stripe2933/mipmap",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .state_bytes = sizeof(struct state),
    .params = params,
    .supports = supports,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
