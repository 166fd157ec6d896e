/* spd-metal: the single-pass downsampler as ported to Metal for depth pyramids. */
#include "strategy.h"

#include "vk/barrier.h"
#include "vk/pipeline.h"

enum { PARAM_COPY, PARAM_TAIL };
enum { COPY_OFF, COPY_ON };
enum { TAIL_THREAD, TAIL_GROUP };

/* As in spd_metal.comp and hand_off.glsl. */
#define MAX_TARGETS     12u
#define MAX_WIDTH       4096u /* 64 tiles of 64 texels: what one workgroup can finish */
#define TILE_WIDTH      64u
#define TAIL_TEXELS     4096u
#define WORKGROUP_WIDTH 16u
#define HANDED_BYTES    16u /* a texel of level 6 in the hand-off buffer */

extern const struct mb_shader mb_spv_spd_metal;
extern const struct mb_strategy mb_strategy_spd_metal;

struct state {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image;
    struct mb_task task;
    struct mb_params params;
    struct mb_rect tiles; /* of 64x64 texels, dispatched */
    VkSampler sampler;
    struct mb_vk_image copy;   /* one level, or nothing with copy=off */
    struct mb_buffer hand_off; /* vec4[layer][64][64]: level 6; unrounded but for updates */
    struct mb_buffer counter;  /* uint[layer]: workgroups done; zero between runs */
    struct mb_compute compute;
};

struct push {
    int32_t tiles[4]; /* first and last, x and y */
    int32_t rect[4];  /* the same of texels of level 0 */
    int32_t cone[4];  /* and of level 1 */
    int32_t base_extent[2];
    int32_t n_levels;
    uint32_t n_tiles;
};

static const struct mb_param params[] = {
    {
        .name = "copy",
        .values = (const char *const[]){"off", "on", NULL},
        .help = "on: write every texel of level 0 to a second image in the same pass, which is "
                "the traffic as published, where level 0 comes from a depth buffer; off: the "
                "work of all other strategies",
    },
    {
        .name = "tail",
        .values = (const char *const[]){"thread", "group", NULL},
        .help = "levels 7 to 12 by one invocation, as published, or by the whole last "
                "workgroup",
    },
    {0},
};

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *choice,
                               struct mb_err *why)
{
    (void)task;
    (void)choice;
    if (layout->base.width > MAX_WIDTH || layout->base.height > MAX_WIDTH) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "%ux%u is above 4096x4096, the limit of a single-pass tail",
                       layout->base.width, layout->base.height);
    }
    if (!gpu->info.has_memory_model_device_scope) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device lacks the Vulkan memory model with device scope");
    }
    return mb_gpu_require_storage(gpu, MAX_TARGETS + 1, WORKGROUP_WIDTH * WORKGROUP_WIDTH, why);
}

static bool has_copy(const struct state *s)
{
    return s->params.choice[PARAM_COPY] == COPY_ON;
}

static bool has_tail(const struct state *s)
{
    return s->image->layout.n_levels > 7;
}

/* Whether an update reads level 6 back. */
static bool reads_level6(const struct state *s)
{
    return s->task.is_update && has_tail(s);
}

static enum mb_status make_pipeline(struct state *s, const struct mb_gpu *gpu,
                                    struct mb_err *err)
{
    const struct mb_binding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, MAX_TARGETS},
        {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
        {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
        {4, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
        {5, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1},
    };
    const uint32_t constants[] = {has_copy(s), s->params.choice[PARAM_TAIL] == TAIL_GROUP,
                                  s->image->layout.format->n_channels};
    const struct mb_compute_options options = {
        .shader = &mb_spv_spd_metal,
        .bindings = bindings,
        .n_bindings = MB_COUNTOF(bindings),
        .spec_constants = constants,
        .n_spec_constants = MB_COUNTOF(constants),
        .layout = &s->image->layout,
        .reduce = s->task.reduce,
        .alpha = s->task.alpha,
        .is_update = s->task.is_update,
        .push_constant_bytes = sizeof(struct push),
        .n_invocations = WORKGROUP_WIDTH * WORKGROUP_WIDTH,
        .n_sets = 1,
        .name = "spd-metal",
    };
    return mb_compute_init(&s->compute, gpu, &options, err);
}

/* Every binding needs a valid view, used or not. */
static void bind(const struct state *s)
{
    const struct mb_vk_image *image = s->image;
    const VkImageLayout readable = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    const uint32_t last = image->layout.n_levels - 1;
    const VkImageView *targets = &image->storage[last > 0 ? 1 : 0];
    mb_compute_bind_sampled(&s->compute, 0, 0, s->sampler, image->stored[0], readable);
    mb_compute_bind_storage(&s->compute, 0, 1, targets, last > 0 ? last : 1, MAX_TARGETS);
    mb_compute_bind_buffer(&s->compute, 0, 2, &s->hand_off);
    mb_compute_bind_buffer(&s->compute, 0, 3, &s->counter);
    if (reads_level6(s)) {
        mb_compute_bind_sampled(&s->compute, 0, 4, s->sampler, image->stored[6],
                                VK_IMAGE_LAYOUT_GENERAL);
    } else {
        mb_compute_bind_sampled(&s->compute, 0, 4, s->sampler, image->stored[0], readable);
    }
    mb_compute_bind_storage(&s->compute, 0, 5, has_copy(s) ? s->copy.storage : targets, 1, 1);
}

static enum mb_status make_copy(struct state *s, const struct mb_gpu *gpu, struct mb_err *err)
{
    const struct mb_layout *layout = &s->image->layout;
    struct mb_layout level0;
    mb_layout_init(&level0, layout->format, layout->base, layout->n_layers, 1);
    const struct mb_vk_image_options options = {
        .layout = &level0,
        .n_levels = 1,
        .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
        .name = "spd-metal copy of level 0",
    };
    return mb_vk_image_init(&s->copy, gpu, &options, err);
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
    s->tiles = mb_rect_tiles(s->task.rects[0], TILE_WIDTH);
    const uint32_t n_layers = s->image->layout.n_layers;
    MB_TRY(mb_sampler_create(gpu, VK_FILTER_NEAREST, s->task.reduce, &s->sampler, err));
    if (has_copy(s)) {
        MB_TRY(make_copy(s, gpu, err));
    }
    MB_TRY(mb_buffer_init(&s->hand_off, gpu, MB_BUFFER_DEVICE,
                          (VkDeviceSize)n_layers * TAIL_TEXELS * HANDED_BYTES,
                          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "spd-metal hand-off", err));
    MB_TRY(mb_buffer_init(&s->counter, gpu, MB_BUFFER_DEVICE, n_layers * sizeof(uint32_t),
                          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "spd-metal counter", err));
    MB_TRY(make_pipeline(s, gpu, err));
    bind(s);
fail:
    return status;
}

static struct push make_push(const struct state *s)
{
    const struct mb_layout *layout = &s->image->layout;
    struct mb_rect cones[MB_MAX_LEVELS];
    mb_filter_cones(MB_POLICY_FLOOR, layout, s->task.rects[0], cones);
    struct push push = {
        .base_extent = {(int32_t)layout->base.width, (int32_t)layout->base.height},
        .n_levels = (int32_t)mb_filter_n_reached(layout, cones),
        .n_tiles = s->tiles.width * s->tiles.height,
    };
    mb_rect_corners(s->tiles, push.tiles);
    mb_rect_corners(s->task.rects[0], push.rect);
    mb_rect_corners(mb_filter_cone(MB_POLICY_FLOOR, layout->base, s->task.rects[0]), push.cone);
    return push;
}

/* Levels 1.. and the copy, which nobody reads and no run needs of the one before. */
static void open_targets(const struct state *s, VkCommandBuffer cmd)
{
    const struct mb_level_barrier barriers[] = {
        {
            .image = s->image,
            .first_level = 1,
            .n_levels = s->image->layout.n_levels - 1,
            .from = s->task.is_update ? &mb_access_readable : &mb_access_undefined,
            .to = reads_level6(s) ? &mb_access_compute_read_write : &mb_access_compute_write,
        },
        {
            .image = &s->copy,
            .n_levels = 1,
            .from = &mb_access_undefined,
            .to = &mb_access_compute_write,
        },
    };
    mb_barrier_images(cmd, barriers, has_copy(s) ? 2 : 1);
}

static void close_targets(const struct state *s, VkCommandBuffer cmd)
{
    const struct mb_level_barrier barriers[] = {
        {
            .image = s->image,
            .first_level = 1,
            .n_levels = s->image->layout.n_levels - 1,
            .from = &mb_access_compute_write,
            .to = &mb_access_readable,
        },
        {
            .image = &s->copy,
            .n_levels = 1,
            .from = &mb_access_compute_write,
            .to = &mb_access_readable,
        },
    };
    mb_barrier_images(cmd, barriers, has_copy(s) ? 2 : 1);
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
    open_targets(s, cmd);
    mb_compute_dispatch(&s->compute, cmd, &dispatch);
    close_targets(s, cmd);
}

/* Every tile writes its texel of level 6. One invocation reads four for each texel of level 7,
 * the whole workgroup the whole 64x64. */
static uint64_t hand_off_bytes(const struct state *s)
{
    const struct mb_layout *layout = &s->image->layout;
    if (!has_tail(s)) {
        return 0;
    }
    const struct mb_extent level7 = mb_level_extent(layout->base, 7);
    const uint32_t n_read = s->params.choice[PARAM_TAIL] == TAIL_GROUP
                                ? TAIL_TEXELS
                                : 4 * level7.width * level7.height;
    const uint32_t n_written = s->tiles.width * s->tiles.height;
    return (uint64_t)HANDED_BYTES * layout->n_layers * (n_written + n_read);
}

static uint64_t copy_bytes(const struct state *s)
{
    const struct mb_layout *layout = &s->image->layout;
    const struct mb_rect rect = s->task.rects[0];
    if (!has_copy(s) || layout->n_levels == 1) {
        return 0;
    }
    return (uint64_t)rect.width * rect.height * layout->n_layers * layout->format->texel_bytes;
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    work->n_dispatches = layout->n_levels > 1;
    work->n_barriers = layout->n_levels > 1 ? 2 : 0;
    work->workgroup_size[0] = work->workgroup_size[1] = WORKGROUP_WIDTH;
    work->workgroup_size[2] = 1;
    work->algorithmic_bytes =
        mb_filter_cone_bytes(MB_POLICY_FLOOR, layout, s->task.rects, s->task.n_rects) +
        hand_off_bytes(s) + copy_bytes(s);
    work->claim = (struct mb_claim){
        .filter.policy = MB_POLICY_FLOOR,
        .arithmetic = MB_ARITHMETIC_FP32,
        .reread_levels = reads_level6(s) ? UINT32_C(1) << 6 : 0,
    };
}

static void finish(void *state)
{
    struct state *s = state;
    mb_compute_finish(&s->compute);
    mb_buffer_finish(&s->counter);
    mb_buffer_finish(&s->hand_off);
    mb_vk_image_finish(&s->copy);
    mb_sampler_destroy(s->gpu, s->sampler);
}

const struct mb_strategy mb_strategy_spd_metal = {
    .name = "spd-metal",
    .title =
        "a Metal port of it for depth pyramids, its race mended: 16x16 workgroups, one thread "
        "makes the tail",
    .source = "https://syllogi-graphikon.vercel.app/posts/metal-single-pass-downsampler",
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
