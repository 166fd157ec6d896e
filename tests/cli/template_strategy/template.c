/* template: the least that a strategy can be; a starting point for your own.
 *
 * Copy this folder to strategies/NAME, rename both files and every "template" in them to NAME,
 * and add NAME to the list in strategies/meson.build. src/strategy.h is the contract. */
#include "strategy/levels.h"

#define WORKGROUP_WIDTH 8u /* as local_size_x and local_size_y in the shader */

extern const struct mb_shader mb_spv_template;

static struct mb_needs needs_of(const struct mb_params *params)
{
    return (struct mb_needs){
        .whole_only = true,
        .policy = MB_POLICY_FLOOR,
        .n_storage_images = 1,
        .n_invocations = WORKGROUP_WIDTH * WORKGROUP_WIDTH,
        .load = MB_LOAD_TEXEL,
    };
}

/* From the level above: dispatch n uses set n - 1 of the pipeline, and no push constants. */
static void add_level(struct mb_levels *s, uint32_t level)
{
    const struct mb_vk_image *image = s->image;
    const struct mb_extent target = mb_level_extent(image->layout.base, level);
    const struct mb_descriptor descriptors[] = {
        {.binding = 0, .sampler = s->sampler, .views = &image->stored[level - 1]},
        {.binding = 1, .views = &image->storage[level]},
    };
    const struct mb_levels_step step = {
        .pipeline = &s->pipelines[0],
        .dispatch = {.copy = level - 1,
                     .n_groups = {mb_group_count(target.width, WORKGROUP_WIDTH),
                                  mb_group_count(target.height, WORKGROUP_WIDTH),
                                  image->layout.n_layers}},
        .after = {.first_level = level, .n_levels = 1},
    };
    mb_pipeline_bind(&s->pipelines[0], level - 1, descriptors, MB_COUNTOF(descriptors));
    mb_levels_add(s, &step);
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *params,
                           struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_levels *s = state;
    const struct mb_needs needs = needs_of(params);
    const uint32_t n_levels = target->image->layout.n_levels;
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_template, .n_copies = n_levels - 1, .name = "template"};
    MB_TRY(mb_levels_init(s, gpu, target, &needs, err));
    MB_TRY(mb_levels_make_pipeline(s, &options, &s->pipelines[0], err));
    for (uint32_t level = 1; level < n_levels; level++) {
        add_level(s, level);
    }
fail:
    return status;
}

/* What the output is held to: here the floor policy, with every level read again as stored. */
static void describe(const void *state, struct mb_work *work)
{
    mb_levels_describe(state, work);
    work->workgroup_size[0] = work->workgroup_size[1] = WORKGROUP_WIDTH;
    work->workgroup_size[2] = 1;
}

const struct mb_strategy mb_strategy_template = {
    .name = "template",
    .title = "the least that a strategy can be",
    .source = "none: write where yours was published",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .features = (const char *const[]){"shaderStorageImageWriteWithoutFormat", NULL},
    .state_bytes = sizeof(struct mb_levels),
    .needs = needs_of,
    .init = init,
    .record = mb_levels_record,
    .describe = describe,
    .finish = mb_levels_finish,
};
