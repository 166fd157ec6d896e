/* subgroup: up to five levels per dispatch by subgroup shuffles. */
#include "strategy.h"

#include "vk/barrier.h"
#include "vk/pipeline.h"

enum { PARAM_LOAD };
enum { LOAD_SAMPLER, LOAD_TEXEL };

#define MAX_TARGETS   5u  /* as targets[] in subgroup.comp */
#define TILE_WIDTH    32u /* source texels per workgroup and axis */
#define N_INVOCATIONS 256u

extern const struct mb_shader mb_spv_subgroup;
extern const struct mb_strategy mb_strategy_subgroup;

struct state {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image;
    struct mb_params params;
    uint32_t n_chunks;
    VkSampler sampler;
    struct mb_compute compute; /* set n: chunk n */
};

struct push {
    int32_t source_extent[2];
    float inv_source_extent[2];
    int32_t n_targets;
};

static const struct mb_param params[] = {
    {
        .name = "load",
        .values = (const char *const[]){"sampler", "texel", NULL},
        .help = "2x2 texels by one bilinear fetch, or by four fetches",
    },
    {0},
};

/* A dispatch makes levels [source + 1, source + n_targets]. */
struct chunk {
    uint32_t source, n_targets;
};

/* The first chunk is the short one: the last, smallest dispatch then does the most levels. */
static struct chunk chunk_at(uint32_t n_levels, uint32_t index)
{
    uint32_t n_steps = n_levels - 1;
    uint32_t first = n_steps % MAX_TARGETS == 0 ? MAX_TARGETS : n_steps % MAX_TARGETS;
    return index == 0 ? (struct chunk){0, first}
                      : (struct chunk){first + (index - 1) * MAX_TARGETS, MAX_TARGETS};
}

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *choice,
                               struct mb_err *why)
{
    if (task->reduce != MB_REDUCE_AVG || task->alpha != MB_ALPHA_STRAIGHT || task->is_update) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED, "straight averages of whole images only");
    }
    const struct mb_gpu_info *info = &gpu->info;
    if (!(info->subgroup_operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device has no subgroup shuffle in compute shaders");
    }
    if (!info->has_full_subgroups) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED, "the device cannot promise full subgroups");
    }
    if (info->subgroup_size < 4 || info->subgroup_size > 128) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device's subgroup size is %u; 4 to 128 are needed",
                       info->subgroup_size);
    }
    if (choice->choice[PARAM_LOAD] == LOAD_SAMPLER) {
        enum mb_status status = mb_gpu_require_format(
            gpu, layout->format->vk_format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT,
            "linear filtering", why);
        if (status != MB_OK) {
            return status;
        }
    }
    return mb_gpu_require_storage(gpu, MAX_TARGETS, N_INVOCATIONS, why);
}

static enum mb_status make_pipeline(struct state *s, const struct mb_gpu *gpu,
                                    struct mb_err *err)
{
    const struct mb_binding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, MAX_TARGETS},
    };
    const uint32_t constants[] = {
        gpu->info.subgroup_size,
        s->params.choice[PARAM_LOAD] == LOAD_SAMPLER,
    };
    const struct mb_compute_options options = {
        .shader = &mb_spv_subgroup,
        .bindings = bindings,
        .n_bindings = MB_COUNTOF(bindings),
        .spec_constants = constants,
        .n_spec_constants = MB_COUNTOF(constants),
        .layout = &s->image->layout,
        .push_constant_bytes = sizeof(struct push),
        .subgroup_size = gpu->info.subgroup_size,
        .n_invocations = N_INVOCATIONS,
        .n_sets = s->n_chunks > 0 ? s->n_chunks : 1,
        .name = "subgroup",
    };
    return mb_compute_init(&s->compute, gpu, &options, err);
}

/* Every array element needs a valid view; those past the last target repeat it, unused. */
static void bind_chunk(const struct state *s, uint32_t index)
{
    const struct mb_vk_image *image = s->image;
    struct chunk chunk = chunk_at(image->layout.n_levels, index);
    VkImageView targets[MAX_TARGETS];
    for (uint32_t i = 0; i < MAX_TARGETS; i++) {
        uint32_t step = i < chunk.n_targets ? i + 1 : chunk.n_targets;
        targets[i] = image->storage[chunk.source + step];
    }
    mb_compute_bind_images(&s->compute, index, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                           s->sampler, &image->sampled[chunk.source], 1);
    mb_compute_bind_images(&s->compute, index, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                           VK_NULL_HANDLE, targets, MAX_TARGETS);
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct state *s = state;
    bool linear = choice->choice[PARAM_LOAD] == LOAD_SAMPLER;
    s->gpu = gpu;
    s->image = target->image;
    s->params = *choice;
    s->n_chunks = (s->image->layout.n_levels - 1 + MAX_TARGETS - 1) / MAX_TARGETS;
    MB_TRY(mb_sampler_create(gpu, linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST, &s->sampler,
                             err));
    MB_TRY(make_pipeline(s, gpu, err));
    for (uint32_t i = 0; i < s->n_chunks; i++) {
        bind_chunk(s, i);
    }
fail:
    return status;
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    if (layout->n_levels == 1) {
        return;
    }
    mb_barrier_levels(cmd, s->image, 1, layout->n_levels - 1, &mb_access_undefined,
                      &mb_access_compute_write);
    for (uint32_t i = 0; i < s->n_chunks; i++) {
        struct chunk chunk = chunk_at(layout->n_levels, i);
        struct mb_extent source = mb_level_extent(layout->base, chunk.source);
        const struct push push = {
            .source_extent = {(int32_t)source.width, (int32_t)source.height},
            .inv_source_extent = {1.0f / (float)source.width, 1.0f / (float)source.height},
            .n_targets = (int32_t)chunk.n_targets,
        };
        const struct mb_dispatch dispatch = {
            .set = i,
            .push = &push,
            .push_bytes = sizeof push,
            .n_groups = {(source.width + TILE_WIDTH - 1) / TILE_WIDTH,
                         (source.height + TILE_WIDTH - 1) / TILE_WIDTH, layout->n_layers},
        };
        mb_compute_dispatch(&s->compute, cmd, &dispatch);
        mb_barrier_levels(cmd, s->image, chunk.source + 1, chunk.n_targets,
                          &mb_access_compute_write, &mb_access_readable);
    }
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    bool sampler = s->params.choice[PARAM_LOAD] == LOAD_SAMPLER;
    work->n_dispatches = s->n_chunks;
    work->n_barriers = s->n_chunks > 0 ? s->n_chunks + 1 : 0;
    work->workgroup_size[0] = N_INVOCATIONS;
    work->workgroup_size[1] = work->workgroup_size[2] = 1;
    work->subgroup_size = s->gpu->info.subgroup_size;
    work->algorithmic_bytes = mb_layout_compulsory_bytes(layout);
    work->claim = (struct mb_claim){
        .filter.policy = MB_POLICY_FLOOR,
        .arithmetic = sampler ? MB_ARITHMETIC_CORNER : MB_ARITHMETIC_FP32,
    };
    for (uint32_t i = 1; i < s->n_chunks; i++) {
        uint32_t source = chunk_at(layout->n_levels, i).source;
        work->claim.reread_levels |= UINT32_C(1) << source;
        work->algorithmic_bytes += layout->n_layers * layout->level_layer_bytes[source];
    }
}

static void finish(void *state)
{
    struct state *s = state;
    mb_compute_finish(&s->compute);
    mb_sampler_destroy(s->gpu, s->sampler);
}

const struct mb_strategy mb_strategy_subgroup = {
    .name = "subgroup",
    .title = "subgroup shuffles, up to five levels per dispatch",
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
