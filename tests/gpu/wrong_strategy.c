/* The wrong strategy: a plain per-level compute chain around wrong.comp. */
#include "wrong_strategy.h"

#include "strategy/levels.h"

#define WORKGROUP_WIDTH 8u

extern const struct mb_shader mb_spv_wrong;

struct state {
    struct mb_levels levels; /* set n of the pipeline: from level n to level n + 1 */
    enum defect defect;
};

struct push {
    int32_t source_extent[2];
    int32_t first[2], n_texels[2];
    int32_t unwritten[2];
    int32_t target_level;
};

static const struct mb_param params[] = {
    {
        .name = "defect",
        .values = (const char *const[]){"none", "drop-row", "swap", "unwritten", "bias",
                                        "half-bias", "level0", "skip-level", "truncate",
                                        "srgb-codes", "swap-rg", "layer", "rect-outside",
                                        "rect-miss", "level-n", "alpha", "max-rounds", NULL},
        .help = "what is wrong",
    },
    {0},
};

static struct mb_needs needs_of(const struct mb_params *choice)
{
    return (struct mb_needs){
        .policy = MB_POLICY_FLOOR,
        .n_storage_images = 1,
        .n_invocations = WORKGROUP_WIDTH * WORKGROUP_WIDTH,
        .load = MB_LOAD_TEXEL,
    };
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct state *s = state;
    const struct mb_vk_image *image = target->image;
    const struct mb_needs needs = needs_of(choice);
    s->defect = (enum defect)choice->choice[0];
    const struct mb_constant constants[] = {{"DEFECT", (uint32_t)s->defect}};
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_wrong,
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .push_constant_bytes = sizeof(struct push),
        .n_copies = image->layout.n_levels,
        .name = "wrong",
    };
    struct mb_pipeline *pipeline = &s->levels.pipelines[0];
    MB_TRY(mb_levels_init(&s->levels, gpu, target, &needs, err));
    MB_TRY(mb_levels_make_pipeline(&s->levels, &options, pipeline, err));
    for (uint32_t level = 0; level + 1 < image->layout.n_levels; level++) {
        const struct mb_descriptor descriptors[] = {
            {.binding = 0, .sampler = s->levels.sampler, .views = &image->stored[level]},
            {.binding = 1, .views = &image->storage[level + 1]},
        };
        mb_pipeline_bind(pipeline, level, descriptors, MB_COUNTOF(descriptors));
    }
fail:
    return status;
}

/* Clear a level to a colour that no poison and no pattern has. */
static void scribble(const struct state *s, VkCommandBuffer cmd, uint32_t level)
{
    const VkClearColorValue color = {.float32 = {0.1f, 0.2f, 0.3f, 0.4f}};
    const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, 0, 1};
    mb_barrier_levels(cmd, s->levels.image, level, 1, &mb_access_readable,
                      &mb_access_transfer_write);
    vkCmdClearColorImage(cmd, s->levels.image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         &color, 1, &range);
    mb_barrier_levels(cmd, s->levels.image, level, 1, &mb_access_transfer_write,
                      &mb_access_readable);
}

/* True for an update of a part, not for the regeneration it is held against. */
static bool is_partial(const struct state *s)
{
    struct mb_extent base = s->levels.image->layout.base;
    const struct mb_rect rect = s->levels.task.rect;
    return rect.width < base.width || rect.height < base.height;
}

/* The texel of a level that is left out, or none. */
static void choose_unwritten(const struct state *s, uint32_t level, int32_t at[2])
{
    const struct mb_rect affected = s->levels.affected[level];
    at[0] = at[1] = -1;
    if (s->defect == DEFECT_UNWRITTEN && level == 1) {
        at[0] = 3;
        at[1] = 2;
    }
    if (s->defect == DEFECT_RECT_MISS && level == 1 && is_partial(s)) {
        at[0] = (int32_t)(affected.x + affected.width) - 1;
        at[1] = (int32_t)(affected.y + affected.height) - 1;
    }
}

/* Make texels `made` of level `level`. */
static void dispatch(const struct state *s, VkCommandBuffer cmd, uint32_t level,
                     struct mb_rect made)
{
    const struct mb_layout *layout = &s->levels.image->layout;
    struct mb_extent source = mb_level_extent(layout->base, level - 1);
    struct push push = {
        .source_extent = {(int32_t)source.width, (int32_t)source.height},
        .first = {(int32_t)made.x, (int32_t)made.y},
        .n_texels = {(int32_t)made.width, (int32_t)made.height},
        .target_level = (int32_t)level,
    };
    choose_unwritten(s, level, push.unwritten);
    const struct mb_dispatch dispatch = {
        .copy = level - 1,
        .push = &push,
        .n_groups = {mb_group_count(made.width, WORKGROUP_WIDTH),
                     mb_group_count(made.height, WORKGROUP_WIDTH), layout->n_layers},
    };
    if (!mb_rect_is_empty(made)) {
        mb_pipeline_dispatch(&s->levels.pipelines[0], cmd, &dispatch);
    }
}

static void record_level(const struct state *s, VkCommandBuffer cmd, uint32_t level)
{
    const struct mb_rect affected = s->levels.affected[level];
    mb_barrier_levels(cmd, s->levels.image, level, 1,
                      s->levels.task.is_update ? &mb_access_readable : &mb_access_undefined,
                      &mb_access_compute_write);
    if (s->defect != DEFECT_SKIP_LEVEL || level != 2) {
        dispatch(s, cmd, level, affected);
    }
    if (s->defect == DEFECT_RECT_OUTSIDE && level == 1 && is_partial(s)) {
        dispatch(s, cmd, level,
                 (struct mb_rect){affected.x + affected.width, affected.y, 1, 1});
    }
    mb_barrier_levels(cmd, s->levels.image, level, 1, &mb_access_compute_write,
                      &mb_access_readable);
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    uint32_t n_levels = s->levels.image->layout.n_levels;
    for (uint32_t level = 1; level < n_levels; level++) {
        record_level(s, cmd, level);
    }
    if (s->defect == DEFECT_LEVEL0) {
        scribble(s, cmd, 0);
    }
    if (s->defect == DEFECT_LEVEL_N && n_levels < s->levels.image->n_levels) {
        scribble(s, cmd, n_levels);
    }
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    work->n_dispatches = s->levels.image->layout.n_levels - 1;
    work->tolerance = (struct mb_tolerance){
        .filter.policy = s->defect == DEFECT_DROP_ROW ? MB_POLICY_BOX : MB_POLICY_FLOOR,
        .arithmetic = s->defect == DEFECT_TRUNCATE ? MB_ARITHMETIC_CORNER : MB_ARITHMETIC_FP32,
        .reread_levels = ~UINT32_C(0),
    };
}

const struct mb_strategy mb_strategy_wrong = {
    .name = "wrong",
    .title = "wrong on purpose",
    .source = "tests",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .features = (const char *const[]){"shaderStorageImageWriteWithoutFormat", NULL},
    .state_bytes = sizeof(struct state),
    .params = params,
    .needs = needs_of,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = mb_levels_finish,
};
