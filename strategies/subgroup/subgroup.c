/* subgroup: up to five levels per dispatch by subgroup shuffles. */
#include "strategy/levels.h"

enum { PARAM_LOAD, PARAM_NPOT, PARAM_LANES };
enum { NPOT_FLOOR, NPOT_BOX };

#define MAX_TARGETS   5u  /* as targets[] in subgroup.comp */
#define TILE_WIDTH    16u /* texels of the first target along each axis, per workgroup */
#define N_INVOCATIONS 256u

extern const struct mb_shader mb_spv_subgroup;

/* The two pipelines. PAIRS makes runs of levels: of any size by the floor policy, or of even
 * sizes. BOX makes single levels of odd size by the box policy. Set n reads level n. */
enum { PAIRS, BOX };

struct state {
    struct mb_levels levels;
    uint32_t lanes;
};

struct push {
    int32_t affected[4];
    int32_t source_extent[2];
    float inv_source_extent[2];
    int32_t first_tile[2];
    int32_t n_targets;
};

static const struct mb_param params[] = {
    {.name = "load", .values = mb_load_values, .help = mb_load_help},
    {
        .name = "npot",
        .values = (const char *const[]){"floor", "box", NULL},
        .help = "odd sizes: drop the last row and column as published, or exact area average, "
                "with a dispatch for each level of odd size",
    },
    {.name = "lanes", .values = mb_lanes_values, .help = mb_lanes_help, .is_alone = true},
    {0},
};

static struct mb_needs needs_of(const struct mb_params *choice)
{
    return (struct mb_needs){
        .policy = choice->choice[PARAM_NPOT] == NPOT_BOX ? MB_POLICY_BOX : MB_POLICY_FLOOR,
        .subgroup_operations = VK_SUBGROUP_FEATURE_SHUFFLE_BIT,
        .lanes = mb_lanes_named(choice->choice[PARAM_LANES]),
        .min_subgroup_size = 4,
        .max_subgroup_size = 128,
        .n_storage_images = MAX_TARGETS,
        .n_invocations = N_INVOCATIONS,
        .load = (enum mb_load)choice->choice[PARAM_LOAD],
        .is_carried = true,
    };
}

static void resolve(const struct mb_gpu *gpu, const struct mb_layout *layout,
                    const struct mb_task *task, struct mb_params *choice)
{
    choice->choice[PARAM_LOAD] = (uint8_t)mb_load_resolve(
        (enum mb_load)choice->choice[PARAM_LOAD], gpu, layout, task, true);
    choice->choice[PARAM_LANES] =
        mb_lanes_resolve(mb_lanes(&gpu->info, mb_lanes_named(choice->choice[PARAM_LANES])),
                         choice->choice[PARAM_LANES]);
}

static enum mb_status make_pipeline(struct state *s, uint32_t kernel, struct mb_err *err)
{
    const struct mb_constant constants[] = {
        {"SUBGROUP_SIZE", s->lanes},
        {"LOAD_SAMPLER", s->levels.by_sampler},
        {"BOX_LEVEL", kernel == BOX},
    };
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_subgroup,
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .push_constant_bytes = sizeof(struct push),
        .subgroup_size = s->lanes,
        .n_invocations = N_INVOCATIONS,
        .n_copies = s->levels.image->layout.n_levels - 1,
        .name = kernel == BOX ? "subgroup box" : "subgroup",
    };
    return mb_levels_make_pipeline(&s->levels, &options, &s->levels.pipelines[kernel], err);
}

/* Adds a dispatch that makes levels [source + 1, source + n_targets]. */
static enum mb_status add_dispatch(struct state *state, uint32_t source, uint32_t n_targets,
                                   uint32_t kernel, struct mb_err *err)
{
    struct mb_levels *s = &state->levels;
    const struct mb_vk_image *image = s->image;
    const struct mb_pipeline *pipeline = &s->pipelines[kernel];
    const uint32_t first = source + 1;
    const struct mb_extent extent = mb_level_extent(image->layout.base, source);
    const struct mb_rect tiles = mb_rect_tiles(s->affected[first], TILE_WIDTH);
    const uint32_t n_left = mb_filter_n_reached(&image->layout, s->affected) - first;
    struct push push = {
        .source_extent = {(int32_t)extent.width, (int32_t)extent.height},
        .inv_source_extent = {1.0f / (float)extent.width, 1.0f / (float)extent.height},
        .first_tile = {(int32_t)tiles.x, (int32_t)tiles.y},
        .n_targets = (int32_t)(n_left < n_targets ? n_left : n_targets),
    };
    mb_rect_corners(s->affected[first], push.affected);
    const struct mb_levels_step step = {
        .pipeline = mb_rect_is_empty(s->affected[first]) ? NULL : pipeline,
        .dispatch = {.copy = source,
                     .push = &push,
                     .n_groups = {tiles.width, tiles.height, image->layout.n_layers}},
        .after = {.first_level = first, .n_levels = n_targets},
    };
    const struct mb_descriptor descriptors[] = {
        {.binding = 0, .sampler = s->sampler, .views = &image->stored[source]},
        {.binding = 1, .views = &image->storage[first], .n_views = n_targets},
    };
    if (!pipeline->made) {
        MB_DO(make_pipeline(state, kernel, err));
    }
    mb_pipeline_bind(pipeline, source, descriptors, MB_COUNTOF(descriptors));
    mb_levels_add(s, &step);
    return MB_OK;
}

/* The first dispatch of a run makes the fewest levels, so that later ones, which start from
 * smaller levels, make the most. */
static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    struct state *s = state;
    const struct mb_layout *layout = &target->image->layout;
    const struct mb_needs needs = needs_of(choice);
    uint32_t n_targets;
    MB_DO(mb_levels_init(&s->levels, gpu, target, &needs, err));
    s->lanes = mb_lanes(&gpu->info, needs.lanes);
    for (uint32_t source = 0; source + 1 < layout->n_levels; source += n_targets) {
        /* The pairs kernel can make all levels with the floor policy; with box, up to the next
         * odd size. */
        const uint32_t n_run = needs.policy == MB_POLICY_BOX
                                   ? mb_even_levels(layout->base, source, layout->n_levels)
                                   : layout->n_levels - 1 - source;
        const uint32_t n_first = n_run % MAX_TARGETS == 0 ? MAX_TARGETS : n_run % MAX_TARGETS;
        n_targets = n_run == 0 ? 1 : n_first;
        MB_DO(add_dispatch(s, source, n_targets, n_run == 0 ? BOX : PAIRS, err));
    }
    return MB_OK;
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_levels *levels = &s->levels;
    const struct mb_layout *layout = &levels->image->layout;
    mb_levels_describe(levels, work);
    work->workgroup_size[0] = N_INVOCATIONS;
    work->workgroup_size[1] = work->workgroup_size[2] = 1;
    work->subgroup_size = s->lanes;
    work->algorithmic_bytes =
        mb_filter_affected_bytes(levels->policy, layout, levels->task.rect);
    work->tolerance.reread_levels = 0;
    for (uint32_t i = 2; i < levels->n_steps; i++) { /* after the first dispatch */
        const uint32_t source = levels->steps[i].first_level - 1;
        const struct mb_rect affected = levels->affected[source];
        work->tolerance.reread_levels |= UINT32_C(1) << source;
        work->algorithmic_bytes += (uint64_t)affected.width * affected.height *
                                   layout->n_layers * layout->format->texel_bytes;
    }
}

const struct mb_strategy mb_strategy_subgroup = {
    .name = "subgroup",
    .title = "subgroup shuffles, up to five levels per dispatch",
    .source = "https://github.com/stripe2933/mipmap",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .features = (const char *const[]){"shaderStorageImageWriteWithoutFormat", NULL},
    .state_bytes = sizeof(struct state),
    .params = params,
    .needs = needs_of,
    .resolve = resolve,
    .init = init,
    .record = mb_levels_record,
    .describe = describe,
    .finish = mb_levels_finish,
};
