/* compute: one dispatch and one memory barrier per level. */
#include "strategy/levels.h"

enum { PARAM_NPOT, PARAM_LOAD };
enum { NPOT_BOX, NPOT_FLOOR };
enum { LOAD_TEXEL, LOAD_SAMPLER };

#define WORKGROUP_WIDTH 16u /* as local_size_x and local_size_y in compute.comp */

extern const struct mb_shader mb_spv_compute;

struct push {
    int32_t source_extent[2];
    float inv_source_extent[2];
    int32_t first[2], n_texels[2];
};

static const struct mb_param params[] = {
    {
        .name = "npot",
        .values = (const char *const[]){"box", "floor", NULL},
        .help = "odd sizes: exact area average, or drop the last row and column as published",
    },
    {
        .name = "load",
        .values = (const char *const[]){"texel", "sampler", NULL},
        .help =
            "how 2x2 texels are read: texel: by four fetches; sampler: by one filtered fetch",
    },
    {0},
};

static struct mb_needs needs_of(const struct mb_params *choice)
{
    return (struct mb_needs){
        .policy = choice->choice[PARAM_NPOT] == NPOT_BOX ? MB_POLICY_BOX : MB_POLICY_FLOOR,
        .load = choice->choice[PARAM_LOAD] == LOAD_SAMPLER ? MB_LOAD_SAMPLER : MB_LOAD_TEXEL,
        .n_storage_images = 1,
        .n_invocations = WORKGROUP_WIDTH * WORKGROUP_WIDTH,
    };
}

static enum mb_status make_pipeline(struct mb_levels *s, struct mb_err *err)
{
    const struct mb_constant constants[] = {
        {"NPOT_BOX", s->policy == MB_POLICY_BOX},
        {"LOAD_SAMPLER", s->by_sampler},
    };
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_compute,
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .push_constant_bytes = sizeof(struct push),
        .n_copies = s->image->layout.n_levels - 1, /* n: from level n to level n + 1 */
        .name = "compute",
    };
    return mb_levels_make_pipeline(s, &options, &s->pipelines[0], err);
}

static void add_level(struct mb_levels *s, uint32_t level)
{
    const struct mb_vk_image *image = s->image;
    const struct mb_extent source = mb_level_extent(image->layout.base, level - 1);
    const struct mb_rect affected = s->affected[level];
    const struct mb_descriptor descriptors[] = {
        {.binding = 0, .sampler = s->sampler, .views = &image->stored[level - 1]},
        {.binding = 1, .views = &image->storage[level]},
    };
    const struct push push = {
        .source_extent = {(int32_t)source.width, (int32_t)source.height},
        .inv_source_extent = {1.0f / (float)source.width, 1.0f / (float)source.height},
        .first = {(int32_t)affected.x, (int32_t)affected.y},
        .n_texels = {(int32_t)affected.width, (int32_t)affected.height},
    };
    const struct mb_levels_step step = {
        .pipeline = &s->pipelines[0],
        .dispatch = {.copy = level - 1,
                     .push = &push,
                     .n_groups = {mb_group_count(affected.width, WORKGROUP_WIDTH),
                                  mb_group_count(affected.height, WORKGROUP_WIDTH),
                                  image->layout.n_layers}},
        .after = {.first_level = level, .n_levels = 1},
    };
    mb_pipeline_bind(&s->pipelines[0], level - 1, descriptors, MB_COUNTOF(descriptors));
    mb_levels_add(s, &step);
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    struct mb_levels *s = state;
    const struct mb_needs needs = needs_of(choice);
    MB_DO(mb_levels_init(s, gpu, target, &needs, err));
    MB_DO(make_pipeline(s, err));
    for (uint32_t level = 1; level < s->image->layout.n_levels; level++) {
        add_level(s, level);
    }
    return MB_OK;
}

static void describe(const void *state, struct mb_work *work)
{
    mb_levels_describe(state, work);
    work->workgroup_size[0] = work->workgroup_size[1] = WORKGROUP_WIDTH;
    work->workgroup_size[2] = 1;
}

const struct mb_strategy mb_strategy_compute = {
    .name = "compute",
    .title = "compute shader, one dispatch and one barrier per level",
    .source = "https://github.com/stripe2933/mipmap",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .features = (const char *const[]){"shaderStorageImageWriteWithoutFormat", NULL},
    .state_bytes = sizeof(struct mb_levels),
    .params = params,
    .needs = needs_of,
    .init = init,
    .record = mb_levels_record,
    .describe = describe,
    .finish = mb_levels_finish,
};
