/* spd: AMD's single-pass downsampler; every level in one dispatch. */
#include "strategy.h"

#include "vk/barrier.h"
#include "vk/pipeline.h"

enum { PARAM_LOAD, PARAM_WAVE, PARAM_PARTS };
enum { PARTS_ALL, PARTS_NO_TAIL, PARTS_TILES };
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
    struct mb_task task;
    struct mb_params params;
    struct mb_rect tiles; /* of 64x64 texels, dispatched */
    bool by_sampler;      /* how texels are loaded */
    VkSampler sampler;
    struct mb_buffer hand_off; /* vec4[layer][64][64]: level 6; unrounded but for updates */
    struct mb_buffer counter;  /* uint[layer]: workgroups done; zero between runs */
    struct mb_compute compute;
};

struct push {
    int32_t tiles[4]; /* first and last, x and y */
    int32_t cone[4];  /* the same of texels of level 1 */
    int32_t base_extent[2];
    float inv_base_extent[2];
    int32_t n_levels;
    uint32_t n_tiles;
};

static const struct mb_param params[] = {
    {
        .name = "load",
        .values = (const char *const[]){"auto", "sampler", "texel", NULL},
        .help = "level 0: 2x2 texels by one fetch of the filter, or by four; auto: the filter "
                "where it is exact",
    },
    {
        .name = "wave",
        .values = (const char *const[]){"on", "off", NULL},
        .help = "average within quads of lanes by subgroup operations, or in shared memory",
    },
    {
        .name = "parts",
        .values = (const char *const[]){"all", "no-tail", "tiles", NULL},
        .help = "leave out the levels that the last workgroup makes, or the hand-off, too, to "
                "find what they cost",
        .is_diagnostic = true,
    },
    {0},
};

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *choice,
                               struct mb_err *why)
{
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
    enum mb_status status = mb_gpu_require_storage(gpu, MAX_TARGETS, N_INVOCATIONS, why);
    if (status != MB_OK) {
        return status;
    }
    return mb_load_supports((enum mb_load)choice->choice[PARAM_LOAD], gpu, layout->format,
                            task->reduce, task->alpha, true, why);
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
        {4, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
    };
    const uint8_t parts = s->params.choice[PARAM_PARTS];
    const uint32_t constants[] = {s->by_sampler, parts != PARTS_TILES, parts == PARTS_ALL};
    const struct mb_compute_options options = {
        .shader = wave ? &mb_spv_spd_wave : &mb_spv_spd_shared,
        .bindings = bindings,
        .n_bindings = MB_COUNTOF(bindings),
        .spec_constants = constants,
        .n_spec_constants = MB_COUNTOF(constants),
        .layout = &s->image->layout,
        .reduce = s->task.reduce,
        .alpha = s->task.alpha,
        .is_update = s->task.is_update,
        .push_constant_bytes = sizeof(struct push),
        .subgroup_size = wave ? gpu->info.subgroup_size : 0,
        .n_invocations = N_INVOCATIONS,
        .n_sets = 1,
        .name = "spd",
    };
    return mb_compute_init(&s->compute, gpu, &options, err);
}

/* Whether an update reads level 6 back. */
static bool reads_level6(const struct state *s)
{
    return s->task.is_update && s->image->layout.n_levels > 7;
}

static void bind(const struct state *s)
{
    const struct mb_vk_image *image = s->image;
    const VkImageLayout readable = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    uint32_t last = image->layout.n_levels - 1;
    mb_compute_bind_sampled(&s->compute, 0, 0, s->sampler, image->stored[0], readable);
    mb_compute_bind_storage(&s->compute, 0, 1, &image->storage[last > 0 ? 1 : 0],
                            last > 0 ? last : 1, MAX_TARGETS);
    mb_compute_bind_buffer(&s->compute, 0, 2, &s->hand_off);
    mb_compute_bind_buffer(&s->compute, 0, 3, &s->counter);
    if (reads_level6(s)) {
        mb_compute_bind_sampled(&s->compute, 0, 4, s->sampler, image->stored[6],
                                VK_IMAGE_LAYOUT_GENERAL);
    } else {
        mb_compute_bind_sampled(&s->compute, 0, 4, s->sampler, image->stored[0], readable);
    }
}

/* The tiles that hold a rectangle of level 0. */
static struct mb_rect tiles_of(struct mb_rect rect)
{
    uint32_t x = rect.x / TILE_WIDTH, y = rect.y / TILE_WIDTH;
    return (struct mb_rect){
        .x = x,
        .y = y,
        .width = (rect.x + rect.width - 1) / TILE_WIDTH + 1 - x,
        .height = (rect.y + rect.height - 1) / TILE_WIDTH + 1 - y,
    };
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
    s->by_sampler =
        mb_load_uses_sampler((enum mb_load)choice->choice[PARAM_LOAD], gpu,
                             s->image->layout.format, s->task.reduce, s->task.alpha, true);
    s->tiles = tiles_of(s->task.rect);
    uint32_t n_layers = s->image->layout.n_layers;
    MB_TRY(mb_sampler_create(gpu, s->by_sampler ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                             s->task.reduce, &s->sampler, err));
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

static struct push make_push(const struct state *s)
{
    const struct mb_extent base = s->image->layout.base;
    const struct mb_rect tiles = s->tiles;
    const struct mb_rect cone = mb_filter_cone(MB_POLICY_FLOOR, base, s->task.rect);
    struct mb_rect cones[MB_MAX_LEVELS];
    mb_filter_cones(MB_POLICY_FLOOR, &s->image->layout, s->task.rect, cones);
    return (struct push){
        .base_extent = {(int32_t)base.width, (int32_t)base.height},
        .inv_base_extent = {1.0f / (float)base.width, 1.0f / (float)base.height},
        .n_levels = (int32_t)mb_filter_n_reached(&s->image->layout, cones),
        .n_tiles = tiles.width * tiles.height,
        .tiles = {(int32_t)tiles.x, (int32_t)tiles.y, (int32_t)(tiles.x + tiles.width) - 1,
                  (int32_t)(tiles.y + tiles.height) - 1},
        .cone = {(int32_t)cone.x, (int32_t)cone.y, (int32_t)(cone.x + cone.width) - 1,
                 (int32_t)(cone.y + cone.height) - 1},
    };
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    if (layout->n_levels == 1) {
        return;
    }
    const struct push push = make_push(s);
    const struct mb_dispatch dispatch = {
        .push = &push,
        .push_bytes = sizeof push,
        .n_groups = {s->tiles.width, s->tiles.height, layout->n_layers},
    };
    mb_barrier_levels(cmd, s->image, 1, layout->n_levels - 1,
                      s->task.is_update ? &mb_access_readable : &mb_access_undefined,
                      reads_level6(s) ? &mb_access_compute_read_write
                                      : &mb_access_compute_write);
    mb_compute_dispatch(&s->compute, cmd, &dispatch);
    mb_barrier_levels(cmd, s->image, 1, layout->n_levels - 1, &mb_access_compute_write,
                      &mb_access_readable);
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    uint32_t n_tiles = s->tiles.width * s->tiles.height;
    /* Every tile writes its texel of level 6; the last workgroup reads the whole 64x64. */
    uint64_t tail_bytes =
        layout->n_levels > 7 ? UINT64_C(16) * layout->n_layers * (n_tiles + TAIL_TEXELS) : 0;
    work->n_dispatches = layout->n_levels > 1;
    work->n_barriers = layout->n_levels > 1 ? 2 : 0;
    work->workgroup_size[0] = N_INVOCATIONS;
    work->workgroup_size[1] = work->workgroup_size[2] = 1;
    work->subgroup_size =
        s->params.choice[PARAM_WAVE] == WAVE_ON ? s->gpu->info.subgroup_size : 0;
    work->algorithmic_bytes =
        mb_filter_cone_bytes(MB_POLICY_FLOOR, layout, s->task.rect) + tail_bytes;
    work->claim = (struct mb_claim){
        .filter.policy = MB_POLICY_FLOOR,
        .arithmetic = s->by_sampler ? MB_ARITHMETIC_CORNER : MB_ARITHMETIC_FP32,
        .reread_levels = reads_level6(s) ? UINT32_C(1) << 6 : 0,
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
