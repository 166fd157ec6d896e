/* spd-metal: the single-pass downsampler as ported to Metal for depth pyramids. */
#include "strategy/single_pass.h"

enum { PARAM_COPY, PARAM_TAIL };
enum { COPY_OFF, COPY_ON };
enum { TAIL_THREAD, TAIL_GROUP };

#define WORKGROUP_WIDTH 16u /* as in spd_metal.comp */
#define HANDED_BYTES    16u /* per texel of level 6 in the hand-off buffer */

extern const struct mb_shader mb_spv_spd_metal;

struct state {
    struct mb_single_pass pass;
    uint8_t tail;
    struct mb_vk_image copy; /* one level; empty with copy=off */
};

struct push {
    int32_t tiles[4];    /* x and y of the first and last tile */
    int32_t rect[4];     /* of the first and last changed texel of level 0 */
    int32_t affected[4]; /* of the first and last affected texel of level 1 */
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
        .help = "who makes levels 7 to 12: thread: one invocation, as published; group: the "
                "whole last workgroup",
    },
    {0},
};

static struct mb_needs needs_of(const struct mb_params *choice)
{
    return (struct mb_needs){
        .max_width = MB_SINGLE_PASS_MAX_WIDTH,
        .policy = MB_POLICY_FLOOR,
        .n_storage_images = MB_SINGLE_PASS_TARGETS + 1,
        .n_invocations = WORKGROUP_WIDTH * WORKGROUP_WIDTH,
        .load = MB_LOAD_TEXEL,
    };
}

static bool has_copy(const struct state *s)
{
    return s->copy.image != VK_NULL_HANDLE;
}

static enum mb_status make_pipeline(struct state *s, struct mb_err *err)
{
    struct mb_levels *levels = &s->pass.levels;
    const struct mb_constant constants[] = {
        {"COPY", has_copy(s)},
        {"TAIL_BY_GROUP", s->tail == TAIL_GROUP},
        {"N_CHANNELS", levels->image->layout.format->n_channels},
    };
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_spd_metal,
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .push_constant_bytes = sizeof(struct push),
        .n_invocations = WORKGROUP_WIDTH * WORKGROUP_WIDTH,
        .n_copies = 1,
        .name = "spd-metal",
    };
    return mb_levels_make_pipeline(levels, &options, &levels->pipelines[0], err);
}

/* The binding needs a valid view even without a copy. */
static void bind_copy(const struct state *s)
{
    const struct mb_vk_image *image = s->pass.levels.image;
    const struct mb_descriptor copied = {
        .binding = 5,
        .views = has_copy(s) ? s->copy.storage : &image->storage[image->layout.n_levels > 1],
    };
    mb_pipeline_bind(&s->pass.levels.pipelines[0], 0, &copied, 1);
}

static enum mb_status make_copy(struct state *s, struct mb_err *err)
{
    const struct mb_layout *layout = &s->pass.levels.image->layout;
    struct mb_layout level0;
    mb_layout_init(&level0, layout->format, layout->base, layout->n_layers, 1);
    const struct mb_vk_image_options options = {
        .layout = &level0,
        .n_levels = 1,
        .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
        .name = "spd-metal copy of level 0",
    };
    return mb_vk_image_init(&s->copy, s->pass.levels.gpu, &options, err);
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    struct state *s = state;
    const struct mb_needs needs = needs_of(choice);
    s->tail = choice->choice[PARAM_TAIL];
    MB_DO(mb_single_pass_init(&s->pass, gpu, target, &needs, HANDED_BYTES, err));
    if (choice->choice[PARAM_COPY] == COPY_ON) {
        MB_DO(make_copy(s, err));
    }
    MB_DO(make_pipeline(s, err));
    mb_single_pass_bind(&s->pass);
    bind_copy(s);
    return MB_OK;
}

static void dispatch(const struct state *s, VkCommandBuffer cmd)
{
    const struct mb_levels *levels = &s->pass.levels;
    const struct mb_layout *layout = &levels->image->layout;
    const struct mb_rect tiles = s->pass.tiles;
    struct push push = {
        .base_extent = {(int32_t)layout->base.width, (int32_t)layout->base.height},
        .n_levels = (int32_t)mb_filter_n_reached(layout, levels->affected),
        .n_tiles = tiles.width * tiles.height,
    };
    mb_rect_corners(tiles, push.tiles);
    mb_rect_corners(levels->affected[0], push.rect);
    mb_rect_corners(levels->affected[1], push.affected);
    const struct mb_dispatch dispatch = {
        .push = &push,
        .n_groups = {tiles.width, tiles.height, layout->n_layers},
    };
    mb_pipeline_dispatch(&levels->pipelines[0], cmd, &dispatch);
}

/* The copy needs no barrier: nothing reads it, and no run depends on an earlier run's copy. */
static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    const uint32_t n_images = has_copy(s) ? 2 : 1;
    struct mb_level_barrier barriers[] = {
        mb_single_pass_opening(&s->pass),
        {&s->copy, 0, 1, &mb_access_undefined, &mb_access_compute_write},
    };
    if (barriers[0].n_levels == 0) {
        return;
    }
    mb_barrier_images(cmd, barriers, n_images);
    dispatch(s, cmd);
    for (uint32_t i = 0; i < n_images; i++) {
        barriers[i].from = &mb_access_compute_write;
        barriers[i].to = &mb_access_readable;
    }
    mb_barrier_images(cmd, barriers, n_images);
}

/* If one invocation makes the tail, it reads four texels of level 6 for each texel of level 7.
 * If the workgroup makes the tail (TAIL_GROUP), it reads all 64x64 texels of level 6. */
static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_levels *levels = &s->pass.levels;
    const struct mb_layout *layout = &levels->image->layout;
    const struct mb_extent level7 = mb_level_extent(layout->base, 7);
    const struct mb_rect rect = levels->affected[0];
    mb_single_pass_describe(&s->pass,
                            s->tail == TAIL_GROUP ? MB_SINGLE_PASS_TAIL_TEXELS
                                                  : 4 * level7.width * level7.height,
                            work);
    work->workgroup_size[0] = work->workgroup_size[1] = WORKGROUP_WIDTH;
    work->workgroup_size[2] = 1;
    if (has_copy(s) && layout->n_levels > 1) {
        work->algorithmic_bytes +=
            (uint64_t)rect.width * rect.height * layout->n_layers * layout->format->texel_bytes;
    }
}

static void finish(void *state)
{
    struct state *s = state;
    mb_vk_image_finish(&s->copy);
    mb_single_pass_finish(&s->pass);
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
    .needs = needs_of,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
