/* raster: a fullscreen triangle and a barrier per level; layers are drawn one by one. */
#include "strategy.h"

#include "base/alloc.h"
#include "strategy/levels.h"
#include "strategy/needs.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"

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
    struct mb_rect affected[MB_MAX_LEVELS]; /* what is drawn of each level */
    bool by_sampler;                        /* how texels are loaded */
    VkSampler sampler;
    VkImageView *targets;        /* [n_levels - 1][n_layers], from level 1 on; owned */
    struct mb_pipeline graphics; /* set n: from level n to level n + 1 */
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
    const struct mb_needs needs = {.draws = true, .load = load_of(choice)};
    return mb_needs_met(&needs, gpu, layout, task, why);
}

static void resolve(const struct mb_gpu *gpu, const struct mb_layout *layout,
                    const struct mb_task *task, struct mb_params *choice)
{
    choice->choice[PARAM_LOAD] =
        (uint8_t)mb_load_resolve(load_of(choice), gpu, layout, task, false);
}

static enum mb_status make_pipeline(struct state *s, struct mb_err *err)
{
    const struct mb_layout *layout = &s->image->layout;
    const struct mb_constant constants[] = {
        {"NPOT_BOX", s->policy == MB_POLICY_BOX},
        {"LOAD_SAMPLER", s->by_sampler},
    };
    struct mb_constant shared[MB_N_LEVELS_CONSTANTS];
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_raster,
        .vertex = &mb_spv_fullscreen,
        .target_format = layout->format->vk_storage_format,
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .shared = mb_levels_constants(layout, &s->task, shared),
        .n_shared = MB_COUNTOF(shared),
        .push_constant_bytes = sizeof(struct push),
        .n_copies = layout->n_levels > 1 ? layout->n_levels - 1 : 1,
        .name = "raster",
    };
    return mb_pipeline_init(&s->graphics, s->gpu, &options, err);
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
            const struct mb_view view = {
                .format = layout->format->vk_storage_format, /* the shader encodes sRGB */
                .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                .first_level = level,
                .n_levels = 1,
                .first_layer = layer,
                .n_layers = 1,
            };
            MB_TRY(mb_vk_image_create_view(s->image, &view, target_of(s, level, layer), err));
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
    s->by_sampler =
        mb_load_resolve(load_of(choice), gpu, layout, &s->task, false) == MB_LOAD_SAMPLER;
    s->policy = choice->choice[PARAM_NPOT] == NPOT_BOX ? MB_POLICY_BOX : MB_POLICY_BLIT;
    mb_filter_affected_levels(s->policy, layout, s->task.rects[0], s->affected);
    MB_TRY(mb_load_make_sampler(gpu, s->by_sampler, s->task.reduce, &s->sampler, err));
    MB_TRY(make_pipeline(s, err));
    MB_TRY(make_targets(s, err));
    for (uint32_t level = 0; level + 1 < layout->n_levels; level++) {
        const struct mb_descriptor source = {.sampler = s->sampler,
                                             .views = &image->stored[level]};
        mb_pipeline_bind(&s->graphics, level, &source, 1);
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
    const struct mb_rect area = s->affected[level];
    const struct push push = {
        .source_extent = {(int32_t)source.width, (int32_t)source.height},
        .inv_source_extent = {1.0f / (float)source.width, 1.0f / (float)source.height},
        .inv_target_extent = {1.0f / (float)target.width, 1.0f / (float)target.height},
        .layer = (int32_t)layer,
    };
    const struct mb_draw draw = {
        .copy = level - 1,
        .push = &push,
        .push_bytes = sizeof push,
        .target = *target_of(s, level, layer),
        .area = {{(int32_t)area.x, (int32_t)area.y}, {area.width, area.height}},
    };
    mb_pipeline_draw(&s->graphics, cmd, &draw);
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
        const bool is_drawn = !mb_rect_is_empty(s->affected[level]);
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
        work->n_dispatches += mb_rect_is_empty(s->affected[level]) ? 0 : layout->n_layers;
    }
    work->n_barriers = layout->n_levels > 1 ? layout->n_levels : 0;
    work->algorithmic_bytes = mb_filter_per_level_bytes(s->policy, layout, s->task.rects[0]);
    work->tolerance = (struct mb_tolerance){
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
    mb_pipeline_finish(&s->graphics);
    mb_sampler_destroy(s->gpu, s->sampler);
}

const struct mb_strategy mb_strategy_raster = {
    .name = "raster",
    .title = "fullscreen triangle, one draw and one barrier per level",
    .source = "the per-mip pixel shader that AMD FidelityFX SPD compares itself with, "
              "https://gpuopen.com/fidelityfx-spd/",
    .queue_flags = VK_QUEUE_GRAPHICS_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
    .features = (const char *const[]){"dynamicRendering", NULL},
    .state_bytes = sizeof(struct state),
    .params = params,
    .supports = supports,
    .resolve = resolve,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
