/* every-need: what kernels may ask of the helpers, all at once: a counter, two descriptor sets
 * and a buffer address; a pipeline per subgroup size; 15 images in an array; a sampler apart
 * from its image; features by name; many constants; a shader with defines and an include path.
 * It touches nothing outside this folder. */
#include "base/alloc.h"
#include "strategy/levels.h"
#include "vk/buffer.h"

enum { CLAIM_COMPUTED, CLAIM_NUMBER, CLAIM_NONE };

#define N_TARGETS       15u /* as in shaders.txt */
#define WORKGROUP_WIDTH 8u
#define MAX_SIZES       8u /* of subgroups: 1 to 128 */

extern const struct mb_shader mb_spv_every_need;

struct state {
    struct mb_levels levels;
    uint8_t claim;
    uint32_t n_copies;    /* of the sets: [level][layer] */
    VkImageView *sources; /* the same: 2D views; owned */
    struct mb_buffer counters, extents;
    struct mb_pipeline pipelines[MAX_SIZES]; /* by subgroup size; used in turn */
    uint32_t n_pipelines;
};

struct push {
    VkDeviceAddress extents;
    int32_t level, layer, counter;
    uint32_t n_groups_x, n_groups;
};

static const struct mb_param params[] = {
    {
        .name = "claim",
        .values = (const char *const[]){"computed", "number", "none", NULL},
        .help = "what the output is held to",
    },
    {0},
};

static struct mb_needs needs_of(const struct mb_params *choice)
{
    return (struct mb_needs){
        .whole_only = true,
        .policy = MB_POLICY_FLOOR,
        .subgroup_operations = VK_SUBGROUP_FEATURE_BASIC_BIT,
        .min_subgroup_size = 1,
        .max_subgroup_size = 1u << (MAX_SIZES - 1),
        .n_storage_images = N_TARGETS,
        .n_invocations = WORKGROUP_WIDTH * WORKGROUP_WIDTH,
        .load = MB_LOAD_TEXEL,
    };
}

/* 2D views of each level and layer that is read. */
static enum mb_status make_sources(struct state *s, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_layout *layout = &s->levels.image->layout;
    s->sources = mb_alloc(s->n_copies + 1, sizeof *s->sources);
    if (!s->sources) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "every-need: out of memory");
    }
    for (uint32_t i = 0; i < s->n_copies; i++) {
        const struct mb_view view = {
            .format = layout->format->vk_storage_format,
            .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
            .first_level = i / layout->n_layers,
            .n_levels = 1,
            .first_layer = i % layout->n_layers,
            .n_layers = 1,
            .is_2d = true,
        };
        MB_TRY(mb_vk_image_create_view(s->levels.image, &view, &s->sources[i], err));
    }
fail:
    return status;
}

static enum mb_status make_buffers(struct state *s, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_extent extents[MB_MAX_LEVELS];
    for (uint32_t level = 0; level < MB_MAX_LEVELS; level++) {
        extents[level] = mb_level_extent(s->levels.image->layout.base, level);
    }
    MB_TRY(mb_buffer_init(&s->extents, s->levels.gpu, MB_BUFFER_ADDRESSED, sizeof extents,
                          "extents", err));
    MB_TRY(mb_buffer_upload(&s->extents, extents, sizeof extents, err));
    MB_TRY(mb_buffer_init(&s->counters, s->levels.gpu, MB_BUFFER_DEVICE,
                          (s->n_copies + 1) * sizeof(uint32_t), "counters", err));
fail:
    return status;
}

static enum mb_status make_pipeline(struct state *s, uint32_t subgroup_size, struct mb_err *err)
{
    const struct mb_constant constants[] = {
        {"gl_WorkGroupSize.x", WORKGROUP_WIDTH},
        {"gl_WorkGroupSize.y", WORKGROUP_WIDTH},
        {"SUBGROUP_SIZE", subgroup_size},
        {"X00", 0},
        {"Y00", 0},
        {"X10", 1},
        {"Y10", 0},
        {"X01", 0},
        {"Y01", 1},
        {"X11", 1},
        {"Y11", 1},
    };
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_every_need,
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .push_constant_bytes = sizeof(struct push),
        .subgroup_size = subgroup_size,
        .n_invocations = WORKGROUP_WIDTH * WORKGROUP_WIDTH,
        .n_copies = s->n_copies,
        .name = "every-need",
    };
    return mb_levels_make_pipeline(&s->levels, &options, &s->pipelines[s->n_pipelines++], err);
}

static void bind(const struct state *s, const struct mb_pipeline *pipeline)
{
    const struct mb_descriptor descriptors[] = {
        {.set = 0, .binding = 0, .sampler = s->levels.sampler},
        {.set = 1,
         .binding = 0,
         .views = &s->levels.image->storage[1],
         .n_views = s->levels.image->layout.n_levels - 1},
        {.set = 1, .binding = 1, .buffer = &s->counters},
    };
    for (uint32_t i = 0; i < s->n_copies; i++) {
        const struct mb_descriptor source = {
            .set = 0,
            .binding = 1,
            .views = &s->sources[i],
            .layout = i < s->levels.image->layout.n_layers
                          ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL
                          : VK_IMAGE_LAYOUT_GENERAL,
        };
        mb_pipeline_bind(pipeline, i, descriptors, MB_COUNTOF(descriptors));
        mb_pipeline_bind(pipeline, i, &source, 1);
    }
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct state *s = state;
    const struct mb_layout *layout = &target->image->layout;
    const struct mb_needs needs = needs_of(choice);
    s->claim = choice->choice[0];
    s->n_copies = (layout->n_levels - 1) * layout->n_layers;
    MB_TRY(mb_levels_init(&s->levels, gpu, target, &needs, err));
    MB_TRY(make_sources(s, err));
    MB_TRY(make_buffers(s, err));
    for (uint32_t size = gpu->info.min_subgroup_size; size <= gpu->info.max_subgroup_size;
         size *= 2) {
        MB_TRY(make_pipeline(s, size, err));
        bind(s, &s->pipelines[s->n_pipelines - 1]);
    }
fail:
    return status;
}

static void dispatch(const struct state *s, VkCommandBuffer cmd, uint32_t copy)
{
    const struct mb_layout *layout = &s->levels.image->layout;
    const uint32_t level = copy / layout->n_layers;
    const struct mb_extent made = mb_level_extent(layout->base, level + 1);
    const uint32_t n_groups[2] = {mb_group_count(made.width, WORKGROUP_WIDTH),
                                  mb_group_count(made.height, WORKGROUP_WIDTH)};
    const struct push push = {
        .extents = mb_buffer_address(&s->extents),
        .level = (int32_t)level,
        .layer = (int32_t)(copy % layout->n_layers),
        .counter = (int32_t)copy,
        .n_groups_x = n_groups[0],
        .n_groups = n_groups[0] * n_groups[1],
    };
    const struct mb_dispatch dispatch = {
        .copy = copy,
        .push = &push,
        .n_groups = {push.n_groups, 1, 1},
    };
    mb_pipeline_dispatch(&s->pipelines[level % s->n_pipelines], cmd, &dispatch);
}

/* The shader has all levels bound, so that all are in one layout, and whichever it stores to.
 */
static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    const uint32_t n_made = s->levels.image->layout.n_levels - 1;
    for (uint32_t copy = 0; copy < s->n_copies; copy++) {
        mb_barrier_levels(cmd, s->levels.image, 1, n_made,
                          copy == 0 ? &mb_access_undefined : &mb_access_compute_read_write,
                          &mb_access_compute_read_write);
        dispatch(s, cmd, copy);
    }
    if (n_made > 0) {
        mb_barrier_levels(cmd, s->levels.image, 1, n_made, &mb_access_compute_read_write,
                          &mb_access_readable);
    }
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    mb_levels_describe(&s->levels, work);
    work->n_dispatches = s->n_copies;
    work->n_barriers = s->n_copies > 0 ? s->n_copies + 1 : 0;
    work->workgroup_size[0] = work->workgroup_size[1] = WORKGROUP_WIDTH;
    work->workgroup_size[2] = 1;
    if (s->claim == CLAIM_NUMBER) {
        work->tolerance.max_error_lsb =
            mb_format_is_unorm(s->levels.image->layout.format) ? 0.75 : 4.0;
    }
    work->tolerance.has_no_policy = s->claim == CLAIM_NONE;
}

static void finish(void *state)
{
    struct state *s = state;
    for (uint32_t i = 0; i < s->n_pipelines; i++) {
        mb_pipeline_finish(&s->pipelines[i]);
    }
    for (uint32_t i = 0; s->sources && i < s->n_copies && !s->levels.gpu->state->is_lost; i++) {
        vkDestroyImageView(s->levels.gpu->device, s->sources[i], NULL);
    }
    mb_free(s->sources);
    mb_buffer_finish(&s->counters);
    mb_buffer_finish(&s->extents);
    mb_levels_finish(state);
}

const struct mb_strategy mb_strategy_every_need = {
    .name = "every-need",
    .title = "what kernels may ask of the helpers, all at once",
    .source = "mipbench's own test",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .features = (const char *const[]){"shaderStorageImageWriteWithoutFormat",
                                      "bufferDeviceAddress", "computeFullSubgroups", NULL},
    .state_bytes = sizeof(struct state),
    .params = params,
    .needs = needs_of,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
