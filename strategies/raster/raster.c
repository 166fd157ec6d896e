/* raster: a fullscreen triangle and a barrier per level; layers are drawn one by one. */
#include "strategy.h"

#include "base/alloc.h"
#include "vk/barrier.h"
#include "vk/graphics.h"

enum { PARAM_NPOT, PARAM_LOAD };
enum { NPOT_BOX, NPOT_BLIT };

extern const struct mb_shader mb_spv_fullscreen;
extern const struct mb_shader mb_spv_raster;
extern const struct mb_strategy mb_strategy_raster;

struct state {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image;
    struct mb_task task;
    enum mb_policy policy;
    struct mb_rect cone[MB_MAX_LEVELS]; /* what is drawn of each level */
    bool by_sampler;                    /* how texels are loaded */
    VkSampler sampler;
    VkImageView *targets;       /* [n_levels - 1][n_layers], from level 1 on; owned */
    struct mb_compute graphics; /* set n: from level n to level n + 1 */
};

struct push {
    int32_t source_extent[2];
    float inv_source_extent[2], inv_target_extent[2];
    int32_t layer;
};

/* As enum mb_load. */
static const struct mb_param params[] = {
    {
        .name = "npot",
        .values = (const char *const[]){"box", "blit", NULL},
        .help = "odd sizes: exact area average, or two texels per axis as one bilinear fetch "
                "weighs them",
    },
    {
        .name = "load",
        .values = (const char *const[]){"auto", "sampler", "texel", NULL},
        .help = "2x2 texels by one fetch of the filter, or by four; auto: the filter where it "
                "is exact",
    },
    {0},
};

static enum mb_load load_of(const struct mb_params *choice)
{
    return (enum mb_load)choice->choice[PARAM_LOAD];
}

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *choice,
                               struct mb_err *why)
{
    if (mb_gpu_crashes_on_draws(&gpu->info)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "this llvmpipe (Mesa 22) crashes on draws with 512-bit vectors");
    }
    enum mb_status status = mb_gpu_require_drawing(gpu, layout->format->vk_storage_format,
                                                   mb_level_extent(layout->base, 1), why);
    if (status != MB_OK) {
        return status;
    }
    return mb_load_supports(load_of(choice), gpu, layout, task->reduce, task->alpha, false,
                            why);
}

static bool uses_sampler(const struct mb_gpu *gpu, const struct mb_layout *layout,
                         const struct mb_task *task, const struct mb_params *choice)
{
    return mb_load_uses_sampler(load_of(choice), gpu, layout, task->reduce, task->alpha, false);
}

static void resolve(const struct mb_gpu *gpu, const struct mb_layout *layout,
                    const struct mb_task *task, struct mb_params *choice)
{
    choice->choice[PARAM_LOAD] =
        uses_sampler(gpu, layout, task, choice) ? MB_LOAD_SAMPLER : MB_LOAD_TEXEL;
}

static enum mb_status make_pipeline(struct state *s, struct mb_err *err)
{
    const struct mb_layout *layout = &s->image->layout;
    const struct mb_binding source = {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
    const uint32_t constants[] = {
        s->policy == MB_POLICY_BOX,
        s->by_sampler,
    };
    const struct mb_compute_options options = {
        .shader = &mb_spv_raster,
        .vertex = &mb_spv_fullscreen,
        .target_format = layout->format->vk_storage_format,
        .bindings = &source,
        .n_bindings = 1,
        .spec_constants = constants,
        .n_spec_constants = MB_COUNTOF(constants),
        .layout = layout,
        .reduce = s->task.reduce,
        .alpha = s->task.alpha,
        .is_update = s->task.is_update,
        .push_constant_bytes = sizeof(struct push),
        .n_sets = layout->n_levels > 1 ? layout->n_levels - 1 : 1,
        .name = "raster",
    };
    return mb_compute_init(&s->graphics, s->gpu, &options, err);
}

static VkImageView *target_of(const struct state *s, uint32_t level, uint32_t layer)
{
    return &s->targets[(level - 1) * s->image->layout.n_layers + layer];
}

static enum mb_status make_targets(struct state *s, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_layout *layout = &s->image->layout;
    s->targets = mb_alloc((size_t)layout->n_levels * layout->n_layers, sizeof *s->targets);
    if (!s->targets) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "raster: out of memory");
    }
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        for (uint32_t layer = 0; layer < layout->n_layers; layer++) {
            MB_TRY(mb_vk_image_create_target(s->image, level, layer, target_of(s, level, layer),
                                             err));
        }
    }
fail:
    return status;
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
    s->by_sampler = uses_sampler(gpu, layout, &s->task, choice);
    s->policy = choice->choice[PARAM_NPOT] == NPOT_BOX ? MB_POLICY_BOX : MB_POLICY_BLIT;
    mb_filter_cones(s->policy, layout, s->task.rects[0], s->cone);
    MB_TRY(mb_sampler_create(gpu, s->by_sampler ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                             s->task.reduce, &s->sampler, err));
    MB_TRY(make_pipeline(s, err));
    MB_TRY(make_targets(s, err));
    for (uint32_t level = 0; level + 1 < layout->n_levels; level++) {
        mb_compute_bind_sampled(&s->graphics, level, 0, s->sampler, image->stored[level],
                                VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
fail:
    return status;
}

static void draw_layer(const struct state *s, VkCommandBuffer cmd, uint32_t level,
                       uint32_t layer)
{
    const struct mb_layout *layout = &s->image->layout;
    const struct mb_extent source = mb_level_extent(layout->base, level - 1);
    const struct mb_extent target = mb_level_extent(layout->base, level);
    const struct push push = {
        .source_extent = {(int32_t)source.width, (int32_t)source.height},
        .inv_source_extent = {1.0f / (float)source.width, 1.0f / (float)source.height},
        .inv_target_extent = {1.0f / (float)target.width, 1.0f / (float)target.height},
        .layer = (int32_t)layer,
    };
    const struct mb_draw draw = {
        .set = level - 1,
        .push = &push,
        .push_bytes = sizeof push,
        .target = *target_of(s, level, layer),
        .area = s->cone[level],
    };
    mb_graphics_draw(&s->graphics, cmd, &draw);
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    if (layout->n_levels == 1) {
        return;
    }
    mb_barrier_levels(cmd, s->image, 1, layout->n_levels - 1,
                      s->task.is_update ? &mb_access_readable : &mb_access_undefined,
                      &mb_access_draw);
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        const bool is_drawn = !mb_rect_is_empty(s->cone[level]);
        for (uint32_t layer = 0; is_drawn && layer < layout->n_layers; layer++) {
            draw_layer(s, cmd, level, layer);
        }
        mb_barrier_levels(cmd, s->image, level, 1, &mb_access_draw, &mb_access_readable);
    }
}

/* The filter's own weights are at work where a bilinear fetch meets an odd size; updates have
 * none. */
static enum mb_arithmetic arithmetic_of(const struct state *s)
{
    const struct mb_layout *layout = &s->image->layout;
    if (!s->by_sampler) {
        return MB_ARITHMETIC_FP32;
    }
    const bool is_exact = s->policy == MB_POLICY_BOX || s->task.is_update ||
                          mb_policies_agree(layout->base, layout->n_levels);
    return is_exact ? MB_ARITHMETIC_CORNER : MB_ARITHMETIC_FILTER;
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        work->n_dispatches += mb_rect_is_empty(s->cone[level]) ? 0 : layout->n_layers;
    }
    work->n_barriers = layout->n_levels > 1 ? layout->n_levels : 0;
    work->algorithmic_bytes = mb_filter_per_level_bytes(s->policy, layout, s->task.rects[0]);
    work->claim = (struct mb_claim){
        .filter.policy = s->policy,
        .arithmetic = arithmetic_of(s),
        .reread_levels = ~UINT32_C(0),
    };
}

static void finish(void *state)
{
    struct state *s = state;
    const struct mb_layout *layout = s->image ? &s->image->layout : NULL;
    if (s->targets && !s->gpu->state->is_lost) {
        for (size_t i = 0; i < (size_t)layout->n_levels * layout->n_layers; i++) {
            vkDestroyImageView(s->gpu->device, s->targets[i], NULL);
        }
    }
    mb_free(s->targets);
    mb_compute_finish(&s->graphics);
    mb_sampler_destroy(s->gpu, s->sampler);
}

const struct mb_strategy mb_strategy_raster = {
    .name = "raster",
    .title = "fullscreen triangle, one draw and one barrier per level",
    .source = "the per-mip pixel shader that AMD FidelityFX SPD compares itself with, "
              "https://gpuopen.com/fidelityfx-spd/",
    .queue_flags = VK_QUEUE_GRAPHICS_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
    .state_bytes = sizeof(struct state),
    .params = params,
    .supports = supports,
    .resolve = resolve,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
