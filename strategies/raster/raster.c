/* raster: a fullscreen triangle and a barrier per level; layers are drawn one by one. */
#include "base/alloc.h"
#include "strategy/levels.h"

enum { PARAM_NPOT, PARAM_LOAD };
enum { NPOT_BOX, NPOT_BLIT };

extern const struct mb_shader mb_spv_fullscreen;
extern const struct mb_shader mb_spv_raster;

struct state {
    struct mb_levels levels;
    VkImageView *targets; /* [n_levels - 1][n_layers], from level 1 on; owned */
};

struct push {
    int32_t source_extent[2];
    float inv_source_extent[2], inv_target_extent[2];
    int32_t layer;
};

static const struct mb_param params[] = {
    {
        .name = "npot",
        .values = (const char *const[]){"box", "blit", NULL},
        .help = "odd sizes: exact area average, or two texels per axis as one bilinear fetch "
                "weighs them",
    },
    {.name = "load", .values = mb_load_values, .help = mb_load_help},
    {0},
};

static struct mb_needs needs_of(const struct mb_params *choice)
{
    return (struct mb_needs){
        .policy = choice->choice[PARAM_NPOT] == NPOT_BOX ? MB_POLICY_BOX : MB_POLICY_BLIT,
        .draws = true,
        .load = (enum mb_load)choice->choice[PARAM_LOAD],
    };
}

static void resolve(const struct mb_gpu *gpu, const struct mb_layout *layout,
                    const struct mb_task *task, struct mb_params *choice)
{
    uint8_t *load = &choice->choice[PARAM_LOAD];
    *load = (uint8_t)mb_load_resolve((enum mb_load) * load, gpu, layout, task, false);
}

static enum mb_status make_pipeline(struct mb_levels *s, struct mb_err *err)
{
    const struct mb_layout *layout = &s->image->layout;
    const struct mb_constant constants[] = {
        {"NPOT_BOX", s->policy == MB_POLICY_BOX},
        {"LOAD_SAMPLER", s->by_sampler},
    };
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_raster,
        .vertex = &mb_spv_fullscreen,
        .target_format = layout->format->vk_storage_format,
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .push_constant_bytes = sizeof(struct push),
        .n_copies = layout->n_levels - 1, /* n: from level n to level n + 1 */
        .name = "raster",
    };
    return mb_levels_make_pipeline(s, &options, &s->pipelines[0], err);
}

static VkImageView *target_of(const struct state *s, uint32_t level, uint32_t layer)
{
    return &s->targets[(level - 1) * s->levels.image->layout.n_layers + layer];
}

static enum mb_status make_targets(struct state *s, struct mb_err *err)
{
    const struct mb_layout *layout = &s->levels.image->layout;
    s->targets = mb_alloc((size_t)layout->n_levels * layout->n_layers, sizeof *s->targets);
    MB_DO(MB_NEED(s->targets, "raster"));
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
            MB_DO(mb_vk_image_create_view(s->levels.image, &view, target_of(s, level, layer),
                                          err));
        }
    }
    return MB_OK;
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    struct state *s = state;
    const struct mb_needs needs = needs_of(choice);
    MB_DO(mb_levels_init(&s->levels, gpu, target, &needs, err));
    MB_DO(make_pipeline(&s->levels, err));
    MB_DO(make_targets(s, err));
    for (uint32_t level = 0; level + 1 < target->image->layout.n_levels; level++) {
        const struct mb_descriptor source = {.sampler = s->levels.sampler,
                                             .views = &target->image->stored[level]};
        mb_pipeline_bind(&s->levels.pipelines[0], level, &source, 1);
    }
    return MB_OK;
}

static void draw_layer(const struct state *s, VkCommandBuffer cmd, uint32_t level,
                       uint32_t layer)
{
    const struct mb_layout *layout = &s->levels.image->layout;
    const struct mb_extent source = mb_level_extent(layout->base, level - 1);
    const struct mb_extent target = mb_level_extent(layout->base, level);
    const struct mb_rect area = s->levels.affected[level];
    const struct push push = {
        .source_extent = {(int32_t)source.width, (int32_t)source.height},
        .inv_source_extent = {1.0f / (float)source.width, 1.0f / (float)source.height},
        .inv_target_extent = {1.0f / (float)target.width, 1.0f / (float)target.height},
        .layer = (int32_t)layer,
    };
    const struct mb_draw draw = {
        .copy = level - 1,
        .push = &push,
        .target = *target_of(s, level, layer),
        .area = {{(int32_t)area.x, (int32_t)area.y}, {area.width, area.height}},
    };
    mb_pipeline_draw(&s->levels.pipelines[0], cmd, &draw);
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    const struct mb_vk_image *image = s->levels.image;
    const struct mb_level_barrier opening = mb_levels_opening(&s->levels, &mb_access_draw);
    if (opening.n_levels == 0) {
        return;
    }
    mb_barrier_images(cmd, &opening, 1);
    for (uint32_t level = 1; level < image->layout.n_levels; level++) {
        if (!mb_rect_is_empty(s->levels.affected[level])) {
            mb_mark_begin(s->levels.marks, image, cmd, level, 1);
            for (uint32_t layer = 0; layer < image->layout.n_layers; layer++) {
                draw_layer(s, cmd, level, layer);
            }
            mb_mark_end(s->levels.marks, image, cmd);
        }
        mb_barrier_levels(cmd, image, level, 1, &mb_access_draw, &mb_access_readable);
    }
}

static void describe(const void *state, struct mb_work *work)
{
    const struct mb_levels *s = state;
    const struct mb_layout *layout = &s->image->layout;
    mb_levels_describe(s, work);
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        work->n_dispatches += mb_rect_is_empty(s->affected[level]) ? 0 : layout->n_layers;
    }
    work->n_barriers = layout->n_levels > 1 ? layout->n_levels : 0;
    /* On an odd size a bilinear fetch has the filter's own weights, except in updates. */
    if (s->by_sampler && s->policy == MB_POLICY_BLIT && !s->task.is_update &&
        !mb_policies_agree(layout->base, layout->n_levels)) {
        work->tolerance.arithmetic = MB_ARITHMETIC_FILTER;
    }
}

static void finish(void *state)
{
    struct state *s = state;
    const struct mb_levels *levels = &s->levels;
    if (s->targets && !levels->gpu->state->is_lost) {
        const struct mb_layout *layout = &levels->image->layout;
        for (size_t i = 0; i < (size_t)layout->n_levels * layout->n_layers; i++) {
            vkDestroyImageView(levels->gpu->device, s->targets[i], NULL);
        }
    }
    mb_free(s->targets);
    mb_levels_finish(state);
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
    .needs = needs_of,
    .resolve = resolve,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
