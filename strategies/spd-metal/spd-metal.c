/* spd-metal: the single-pass downsampler as ported to Metal for depth pyramids. */
#include "strategy.h"

#include "strategy/levels.h"
#include "strategy/needs.h"
#include "vk/barrier.h"

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
    struct mb_pipeline compute;
};

struct push {
    int32_t tiles[4];    /* first and last, x and y */
    int32_t rect[4];     /* the same of texels of level 0 */
    int32_t affected[4]; /* and of level 1 */
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
    static const struct mb_needs needs = {
        .max_width = MAX_WIDTH,
        .n_storage_images = MAX_TARGETS + 1,
        .n_invocations = WORKGROUP_WIDTH * WORKGROUP_WIDTH,
    };
    (void)choice;
    return mb_needs_met(&needs, gpu, layout, task, why);
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
    const struct mb_constant constants[] = {
        {"COPY", has_copy(s)},
        {"TAIL_BY_GROUP", s->params.choice[PARAM_TAIL] == TAIL_GROUP},
        {"N_CHANNELS", s->image->layout.format->n_channels},
    };
    struct mb_constant shared[MB_N_LEVELS_CONSTANTS];
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_spd_metal,
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .shared = mb_levels_constants(&s->image->layout, &s->task, shared),
        .n_shared = MB_COUNTOF(shared),
        .push_constant_bytes = sizeof(struct push),
        .n_invocations = WORKGROUP_WIDTH * WORKGROUP_WIDTH,
        .n_copies = 1,
        .name = "spd-metal",
    };
    return mb_pipeline_init(&s->compute, gpu, &options, err);
}

/* Every binding needs a valid view, used or not. */
static void bind(const struct state *s)
{
    const struct mb_vk_image *image = s->image;
    const uint32_t last = image->layout.n_levels - 1;
    const VkImageView *targets = &image->storage[last > 0 ? 1 : 0];
    const bool rereads = reads_level6(s);
    const struct mb_descriptor descriptors[] = {
        {.binding = 0, .sampler = s->sampler, .views = &image->stored[0]},
        {.binding = 1, .views = targets, .n_views = last},
        {.binding = 2, .buffer = &s->hand_off},
        {.binding = 3, .buffer = &s->counter},
        {.binding = 4,
         .sampler = s->sampler,
         .views = &image->stored[rereads ? 6 : 0],
         .layout =
             rereads ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
        {.binding = 5, .views = has_copy(s) ? s->copy.storage : targets},
    };
    mb_pipeline_bind(&s->compute, 0, descriptors, MB_COUNTOF(descriptors));
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
    MB_TRY(mb_sampler_create(gpu, VK_FILTER_NEAREST, VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE,
                             &s->sampler, err));
    if (has_copy(s)) {
        MB_TRY(make_copy(s, gpu, err));
    }
    MB_TRY(mb_buffer_init(&s->hand_off, gpu, MB_BUFFER_DEVICE,
                          (VkDeviceSize)n_layers * TAIL_TEXELS * HANDED_BYTES,
                          "spd-metal hand-off", err));
    MB_TRY(mb_buffer_init(&s->counter, gpu, MB_BUFFER_DEVICE, n_layers * sizeof(uint32_t),
                          "spd-metal counter", err));
    MB_TRY(make_pipeline(s, gpu, err));
    bind(s);
fail:
    return status;
}

static struct push make_push(const struct state *s)
{
    const struct mb_layout *layout = &s->image->layout;
    struct mb_rect affected[MB_MAX_LEVELS];
    mb_filter_affected_levels(MB_POLICY_FLOOR, layout, s->task.rects[0], affected);
    struct push push = {
        .base_extent = {(int32_t)layout->base.width, (int32_t)layout->base.height},
        .n_levels = (int32_t)mb_filter_n_reached(layout, affected),
        .n_tiles = s->tiles.width * s->tiles.height,
    };
    mb_rect_corners(s->tiles, push.tiles);
    mb_rect_corners(s->task.rects[0], push.rect);
    mb_rect_corners(mb_filter_affected(MB_POLICY_FLOOR, layout->base, s->task.rects[0]),
                    push.affected);
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
        .n_groups = {s->tiles.width, s->tiles.height, layout->n_layers},
    };
    open_targets(s, cmd);
    mb_pipeline_dispatch(&s->compute, cmd, &dispatch);
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
        mb_filter_affected_bytes(MB_POLICY_FLOOR, layout, s->task.rects, s->task.n_rects) +
        hand_off_bytes(s) + copy_bytes(s);
    work->tolerance = (struct mb_tolerance){
        .filter.policy = MB_POLICY_FLOOR,
        .arithmetic = MB_ARITHMETIC_FP32,
        .reread_levels = reads_level6(s) ? UINT32_C(1) << 6 : 0,
    };
}

static void finish(void *state)
{
    struct state *s = state;
    mb_pipeline_finish(&s->compute);
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
    .features = (const char *const[]){"vulkanMemoryModel", "vulkanMemoryModelDeviceScope",
                                      "shaderStorageImageWriteWithoutFormat", NULL},
    .state_bytes = sizeof(struct state),
    .params = params,
    .supports = supports,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
