/* subgroup: up to five levels per dispatch by subgroup shuffles. */
#include "strategy.h"

#include "strategy/levels.h"
#include "strategy/needs.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"

enum { PARAM_LOAD, PARAM_NPOT };
enum { NPOT_FLOOR, NPOT_BOX };

#define MAX_TARGETS   5u  /* as targets[] in subgroup.comp */
#define TILE_WIDTH    16u /* texels of the first target per workgroup and axis */
#define N_INVOCATIONS 256u

extern const struct mb_shader mb_spv_subgroup;
extern const struct mb_strategy mb_strategy_subgroup;

/* A dispatch makes levels [source + 1, source + n_targets]. */
struct chunk {
    uint32_t source, n_targets;
    bool is_box;   /* one level by the box policy, an axis being odd */
    uint32_t copy; /* of the sets of its pipeline */
};

struct state {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image;
    struct mb_task task;
    struct mb_params params;
    enum mb_policy policy;
    struct mb_rect affected[MB_MAX_LEVELS]; /* what is made of each level */
    struct chunk chunks[MB_MAX_LEVELS];
    uint32_t n_chunks;
    bool by_sampler; /* how texels are loaded */
    VkSampler sampler;
    struct mb_pipeline pairs; /* chunks of the floor policy, or of even sizes */
    struct mb_pipeline box;   /* single levels of odd size */
};

struct push {
    int32_t affected[4];
    int32_t source_extent[2];
    float inv_source_extent[2];
    int32_t first_tile[2];
    int32_t n_targets;
};

static const struct mb_param params[] = {
    {
        .name = "load",
        .values = (const char *const[]){"auto", "sampler", "texel", NULL},
        .help = "2x2 texels by one fetch of the filter, or by four; auto: the filter where it "
                "is exact",
    },
    {
        .name = "npot",
        .values = (const char *const[]){"floor", "box", NULL},
        .help = "odd sizes: drop the last row and column as published, or exact area average, "
                "with a dispatch for each level of odd size",
    },
    {0},
};

/* Levels from `level` on that one kernel of pairs may make: all under the floor policy, up to
 * the next odd size under box. */
static uint32_t run_length(enum mb_policy policy, const struct mb_layout *layout,
                           uint32_t level)
{
    uint32_t n = 0;
    while (level + n + 1 < layout->n_levels) {
        struct mb_extent extent = mb_level_extent(layout->base, level + n);
        bool is_odd = (extent.width > 1 && extent.width % 2 == 1) ||
                      (extent.height > 1 && extent.height % 2 == 1);
        if (policy == MB_POLICY_BOX && is_odd) {
            break;
        }
        n++;
    }
    return n;
}

/* The first chunk of a run is the short one: the last, smallest dispatch then does the most
 * levels.
 */
static void plan_chunks(struct state *s)
{
    const struct mb_layout *layout = &s->image->layout;
    uint32_t n_copies[2] = {0};
    for (uint32_t level = 0; level + 1 < layout->n_levels;) {
        uint32_t n_run = run_length(s->policy, layout, level);
        uint32_t n_first = n_run % MAX_TARGETS == 0 ? MAX_TARGETS : n_run % MAX_TARGETS;
        struct chunk chunk = {
            .source = level,
            .n_targets = n_run == 0 ? 1 : n_first,
            .is_box = n_run == 0,
        };
        chunk.copy = n_copies[chunk.is_box]++;
        s->chunks[s->n_chunks++] = chunk;
        level += chunk.n_targets;
    }
}

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *choice,
                               struct mb_err *why)
{
    const struct mb_needs needs = {
        .subgroup_operations = VK_SUBGROUP_FEATURE_SHUFFLE_BIT,
        .min_subgroup_size = 4,
        .max_subgroup_size = 128,
        .n_storage_images = MAX_TARGETS,
        .n_invocations = N_INVOCATIONS,
        .load = (enum mb_load)choice->choice[PARAM_LOAD],
        .is_carried = true,
    };
    return mb_needs_met(&needs, gpu, layout, task, why);
}

static void resolve(const struct mb_gpu *gpu, const struct mb_layout *layout,
                    const struct mb_task *task, struct mb_params *choice)
{
    choice->choice[PARAM_LOAD] = (uint8_t)mb_load_resolve(
        (enum mb_load)choice->choice[PARAM_LOAD], gpu, layout, task, true);
}

static uint32_t count_chunks(const struct state *s, bool is_box)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_chunks; i++) {
        n += s->chunks[i].is_box == is_box;
    }
    return n;
}

/* One of the two pipelines, if there is a chunk for it. */
static enum mb_status make_pipeline(const struct state *s, bool is_box,
                                    struct mb_pipeline *compute, struct mb_err *err)
{
    const struct mb_gpu *gpu = s->gpu;
    const struct mb_constant constants[] = {
        {"SUBGROUP_SIZE", gpu->info.subgroup_size},
        {"LOAD_SAMPLER", s->by_sampler},
        {"BOX_LEVEL", is_box},
    };
    struct mb_constant shared[MB_N_LEVELS_CONSTANTS];
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_subgroup,
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .shared = mb_levels_constants(&s->image->layout, &s->task, shared),
        .n_shared = MB_COUNTOF(shared),
        .push_constant_bytes = sizeof(struct push),
        .subgroup_size = gpu->info.subgroup_size,
        .n_invocations = N_INVOCATIONS,
        .n_copies = count_chunks(s, is_box),
        .name = is_box ? "subgroup box" : "subgroup",
    };
    return options.n_copies > 0 ? mb_pipeline_init(compute, gpu, &options, err) : MB_OK;
}

static const struct mb_pipeline *compute_of(const struct state *s, const struct chunk *chunk)
{
    return chunk->is_box ? &s->box : &s->pairs;
}

static void bind_chunk(const struct state *s, const struct chunk *chunk)
{
    const struct mb_vk_image *image = s->image;
    const struct mb_descriptor descriptors[] = {
        {.binding = 0, .sampler = s->sampler, .views = &image->stored[chunk->source]},
        {.binding = 1,
         .views = &image->storage[chunk->source + 1],
         .n_views = chunk->n_targets},
    };
    mb_pipeline_bind(compute_of(s, chunk), chunk->copy, descriptors, MB_COUNTOF(descriptors));
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct state *s = state;
    s->gpu = gpu;
    s->image = target->image;
    s->task = target->task;
    s->params = *choice;
    s->by_sampler = mb_load_resolve((enum mb_load)choice->choice[PARAM_LOAD], gpu,
                                    &s->image->layout, &s->task, true) == MB_LOAD_SAMPLER;
    s->policy = choice->choice[PARAM_NPOT] == NPOT_BOX ? MB_POLICY_BOX : MB_POLICY_FLOOR;
    mb_filter_affected_levels(s->policy, &s->image->layout, s->task.rects[0], s->affected);
    plan_chunks(s);
    MB_TRY(mb_load_make_sampler(gpu, s->by_sampler, s->task.reduce, &s->sampler, err));
    MB_TRY(make_pipeline(s, false, &s->pairs, err));
    MB_TRY(make_pipeline(s, true, &s->box, err));
    for (uint32_t i = 0; i < s->n_chunks; i++) {
        bind_chunk(s, &s->chunks[i]);
    }
fail:
    return status;
}

static void dispatch_chunk(const struct state *s, VkCommandBuffer cmd,
                           const struct chunk *chunk)
{
    const struct mb_layout *layout = &s->image->layout;
    struct mb_extent source = mb_level_extent(layout->base, chunk->source);
    struct mb_rect affected = s->affected[chunk->source + 1];
    if (mb_rect_is_empty(affected)) {
        return;
    }
    uint32_t n_reached = mb_filter_n_reached(layout, s->affected) - chunk->source - 1;
    const struct mb_rect tiles = mb_rect_tiles(affected, TILE_WIDTH);
    struct push push = {
        .source_extent = {(int32_t)source.width, (int32_t)source.height},
        .inv_source_extent = {1.0f / (float)source.width, 1.0f / (float)source.height},
        .first_tile = {(int32_t)tiles.x, (int32_t)tiles.y},
        .n_targets = (int32_t)(n_reached < chunk->n_targets ? n_reached : chunk->n_targets),
    };
    mb_rect_corners(affected, push.affected);
    const struct mb_dispatch dispatch = {
        .copy = chunk->copy,
        .push = &push,
        .push_bytes = sizeof push,
        .n_groups = {tiles.width, tiles.height, layout->n_layers},
    };
    mb_pipeline_dispatch(compute_of(s, chunk), cmd, &dispatch);
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
                      &mb_access_compute_write);
    for (uint32_t i = 0; i < s->n_chunks; i++) {
        const struct chunk *chunk = &s->chunks[i];
        dispatch_chunk(s, cmd, chunk);
        mb_barrier_levels(cmd, s->image, chunk->source + 1, chunk->n_targets,
                          &mb_access_compute_write, &mb_access_readable);
    }
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    work->n_barriers = s->n_chunks > 0 ? s->n_chunks + 1 : 0;
    work->workgroup_size[0] = N_INVOCATIONS;
    work->workgroup_size[1] = work->workgroup_size[2] = 1;
    work->subgroup_size = s->gpu->info.subgroup_size;
    work->algorithmic_bytes =
        mb_filter_affected_bytes(s->policy, layout, s->task.rects, s->task.n_rects);
    work->tolerance = (struct mb_tolerance){
        .filter.policy = s->policy,
        .arithmetic = s->by_sampler ? MB_ARITHMETIC_CORNER : MB_ARITHMETIC_FP32,
    };
    for (uint32_t i = 0; i < s->n_chunks; i++) {
        uint32_t source = s->chunks[i].source;
        struct mb_rect affected = s->affected[source];
        if (!mb_rect_is_empty(s->affected[source + 1])) {
            work->step_levels[work->n_dispatches++] = (uint8_t)s->chunks[i].n_targets;
        }
        if (i > 0) {
            work->tolerance.reread_levels |= UINT32_C(1) << source;
            work->algorithmic_bytes += (uint64_t)affected.width * affected.height *
                                       layout->n_layers * layout->format->texel_bytes;
        }
    }
}

static void finish(void *state)
{
    struct state *s = state;
    mb_pipeline_finish(&s->box);
    mb_pipeline_finish(&s->pairs);
    mb_sampler_destroy(s->gpu, s->sampler);
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
    .supports = supports,
    .resolve = resolve,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
