/* spd: AMD's single-pass downsampler; every level in one dispatch. */
#include "strategy.h"

#include "vk/barrier.h"
#include "vk/pipeline.h"

enum { PARAM_LOAD, PARAM_WAVE };
enum { LOAD_SAMPLER, LOAD_TEXEL };
enum { WAVE_ON, WAVE_OFF };

/* As in spd.glsl. */
#define MAX_TARGETS   12u
#define MAX_WIDTH     4096u /* 64 tiles of 64 texels: what one workgroup can finish */
#define TILE_WIDTH    64u
#define TAIL_TEXELS   4096u
#define N_INVOCATIONS 256u

extern const struct mb_shader mb_spv_spd_shared, mb_spv_spd_wave;
extern const struct mb_strategy mb_strategy_spd;

struct state {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image;
    struct mb_params params;
    VkSampler sampler;
    struct mb_buffer hand_off; /* vec4[layer][64][64]: level 6, unrounded */
    struct mb_buffer counter;  /* uint[layer]: workgroups done; zero between runs */
    struct mb_compute compute;
};

struct push {
    int32_t base_extent[2];
    float inv_base_extent[2];
    int32_t n_levels;
    uint32_t n_tiles;
};

static const struct mb_param params[] = {
    {
        .name = "load",
        .values = (const char *const[]){"sampler", "texel", NULL},
        .help = "level 0 by one bilinear fetch per 2x2 texels, or by four fetches",
    },
    {
        .name = "wave",
        .values = (const char *const[]){"on", "off", NULL},
        .help = "average within quads of lanes by subgroup operations, or in shared memory",
    },
    {0},
};

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *choice,
                               struct mb_err *why)
{
    if (task->reduce != MB_REDUCE_AVG || task->alpha != MB_ALPHA_STRAIGHT || task->is_update) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED, "straight averages of whole images only");
    }
    if (layout->base.width > MAX_WIDTH || layout->base.height > MAX_WIDTH) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "%ux%u is above 4096x4096, the limit of a single-pass tail",
                       layout->base.width, layout->base.height);
    }
    if (!gpu->info.has_memory_model_device_scope) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device lacks the Vulkan memory model with device scope");
    }
    if (choice->choice[PARAM_WAVE] == WAVE_ON &&
        !(gpu->info.subgroup_operations & VK_SUBGROUP_FEATURE_QUAD_BIT)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device has no subgroup quad operations in compute shaders; "
                       "try spd:wave=off");
    }
    if (choice->choice[PARAM_WAVE] == WAVE_ON &&
        (!gpu->info.has_full_subgroups || gpu->info.subgroup_size < 4)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device cannot promise full subgroups of at least 4; "
                       "try spd:wave=off");
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
    bool wave = s->params.choice[PARAM_WAVE] == WAVE_ON;
    const struct mb_binding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, MAX_TARGETS},
        {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
        {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
    };
    const uint32_t constants[] = {s->params.choice[PARAM_LOAD] == LOAD_SAMPLER};
    const struct mb_compute_options options = {
        .shader = wave ? &mb_spv_spd_wave : &mb_spv_spd_shared,
        .bindings = bindings,
        .n_bindings = MB_COUNTOF(bindings),
        .spec_constants = constants,
        .n_spec_constants = MB_COUNTOF(constants),
        .layout = &s->image->layout,
        .push_constant_bytes = sizeof(struct push),
        .subgroup_size = wave ? gpu->info.subgroup_size : 0,
        .n_invocations = N_INVOCATIONS,
        .n_sets = 1,
        .name = "spd",
    };
    return mb_compute_init(&s->compute, gpu, &options, err);
}

/* Every array element needs a valid view; those past the last level repeat it, unused. */
static void bind(const struct state *s)
{
    const struct mb_vk_image *image = s->image;
    VkImageView targets[MAX_TARGETS];
    uint32_t last = image->layout.n_levels - 1;
    for (uint32_t i = 0; i < MAX_TARGETS; i++) {
        targets[i] = image->storage[i + 1 < last ? i + 1 : last];
    }
    mb_compute_bind_images(&s->compute, 0, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                           s->sampler, &image->sampled[0], 1);
    mb_compute_bind_images(&s->compute, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_NULL_HANDLE,
                           targets, MAX_TARGETS);
    mb_compute_bind_buffer(&s->compute, 0, 2, &s->hand_off);
    mb_compute_bind_buffer(&s->compute, 0, 3, &s->counter);
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct state *s = state;
    s->gpu = gpu;
    s->image = target->image;
    s->params = *choice;
    uint32_t n_layers = s->image->layout.n_layers;
    bool linear = choice->choice[PARAM_LOAD] == LOAD_SAMPLER;
    MB_TRY(mb_sampler_create(gpu, linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST, &s->sampler,
                             err));
    MB_TRY(mb_buffer_init(&s->hand_off, gpu, MB_BUFFER_DEVICE,
                          (VkDeviceSize)n_layers * TAIL_TEXELS * 4 * sizeof(float),
                          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "spd hand-off", err));
    MB_TRY(mb_buffer_init(&s->counter, gpu, MB_BUFFER_DEVICE, n_layers * sizeof(uint32_t),
                          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "spd counter", err));
    MB_TRY(make_pipeline(s, gpu, err));
    bind(s);
fail:
    return status;
}

static uint32_t n_tiles_of(uint32_t size)
{
    return (size + TILE_WIDTH - 1) / TILE_WIDTH;
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    if (layout->n_levels == 1) {
        return;
    }
    uint32_t n_tiles_x = n_tiles_of(layout->base.width);
    uint32_t n_tiles_y = n_tiles_of(layout->base.height);
    const struct push push = {
        .base_extent = {(int32_t)layout->base.width, (int32_t)layout->base.height},
        .inv_base_extent = {1.0f / (float)layout->base.width,
                            1.0f / (float)layout->base.height},
        .n_levels = (int32_t)layout->n_levels,
        .n_tiles = n_tiles_x * n_tiles_y,
    };
    const struct mb_dispatch dispatch = {
        .push = &push,
        .push_bytes = sizeof push,
        .n_groups = {n_tiles_x, n_tiles_y, layout->n_layers},
    };
    mb_barrier_levels(cmd, s->image, 1, layout->n_levels - 1, &mb_access_undefined,
                      &mb_access_compute_write);
    mb_compute_dispatch(&s->compute, cmd, &dispatch);
    mb_barrier_levels(cmd, s->image, 1, layout->n_levels - 1, &mb_access_compute_write,
                      &mb_access_readable);
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    bool sampler = s->params.choice[PARAM_LOAD] == LOAD_SAMPLER;
    uint32_t n_tiles = n_tiles_of(layout->base.width) * n_tiles_of(layout->base.height);
    /* Every tile writes its texel of level 6; the last workgroup reads the whole 64x64. */
    uint64_t tail_bytes =
        layout->n_levels > 7 ? UINT64_C(16) * layout->n_layers * (n_tiles + TAIL_TEXELS) : 0;
    work->n_dispatches = layout->n_levels > 1;
    work->n_barriers = layout->n_levels > 1 ? 2 : 0;
    work->workgroup_size[0] = N_INVOCATIONS;
    work->workgroup_size[1] = work->workgroup_size[2] = 1;
    work->subgroup_size =
        s->params.choice[PARAM_WAVE] == WAVE_ON ? s->gpu->info.subgroup_size : 0;
    work->algorithmic_bytes = mb_layout_compulsory_bytes(layout) + tail_bytes;
    work->claim = (struct mb_claim){
        .filter.policy = MB_POLICY_FLOOR,
        .arithmetic = sampler ? MB_ARITHMETIC_CORNER : MB_ARITHMETIC_FP32,
    };
}

static void finish(void *state)
{
    struct state *s = state;
    mb_compute_finish(&s->compute);
    mb_buffer_finish(&s->counter);
    mb_buffer_finish(&s->hand_off);
    mb_sampler_destroy(s->gpu, s->sampler);
}

const struct mb_strategy mb_strategy_spd = {
    .name = "spd",
    .title = "AMD's single-pass downsampler: 64x64 tiles, the last workgroup makes the tail",
    .source = "https://gpuopen.com/fidelityfx-spd/",
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
