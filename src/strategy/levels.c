/* Set-up, recording and clean-up for strategies that record a list of steps. */
#include "strategy/levels.h"

#include <assert.h>
#include <string.h>

/* How many bits of a 32-bit float's mantissa a channel drops. */
static uint32_t dropped_bits(const struct mb_format *format, uint32_t channel)
{
    switch (format->codec) {
    case MB_CODEC_SFLOAT16:
        return 13;
    case MB_CODEC_UFLOAT11_10:
        return channel == 2 ? 18 : 17;
    default:
        return 0;
    }
}

enum mb_status mb_levels_init(struct mb_levels *levels, const struct mb_gpu *gpu,
                              const struct mb_target *target, const struct mb_needs *needs,
                              struct mb_err *err)
{
    const struct mb_layout *layout = &target->image->layout;
    levels->gpu = gpu;
    levels->image = target->image;
    levels->task = target->task;
    levels->marks = target->marks;
    levels->policy = needs->policy;
    levels->by_sampler = mb_load_resolve(needs->load, gpu, layout, &target->task,
                                         needs->is_carried) == MB_LOAD_SAMPLER;
    mb_filter_affected_levels(needs->policy, layout, target->task.rect, levels->affected);
    const struct mb_levels_step opening = {
        .after = mb_levels_opening(levels, &mb_access_compute_write)};
    mb_levels_add(levels, &opening);
    const struct mb_sampler_options sampler = {levels->by_sampler, target->task.reduce,
                                               MB_SAMPLER_ADDRESS};
    return mb_sampler_create(gpu, &sampler, &levels->sampler, err);
}

enum mb_status mb_levels_make_pipeline(const struct mb_levels *levels,
                                       const struct mb_pipeline_options *options,
                                       struct mb_pipeline *pipeline, struct mb_err *err)
{
    const struct mb_layout *layout = &levels->image->layout;
    const struct mb_format *format = layout->format;
    const struct mb_task *task = &levels->task;
    const bool is_unorm = mb_format_is_unorm(format);
    const double max_code = is_unorm ? mb_format_max_code(format, 0) : 0.0;
    const double max_alpha = is_unorm ? mb_format_max_code(format, 3) : 0.0;
    const struct mb_constant shared[] = {
        {"HAS_NARROW_LEVELS", mb_layout_has_narrow_levels(layout)},
        {"UNORM_MAX", mb_float_bits(max_code)}, /* 0: floats */
        {"UNORM_MAX_ALPHA", mb_float_bits(max_alpha)},
        {"IS_SRGB", format->codec == MB_CODEC_SRGB8},
        {"DROPPED_BITS", dropped_bits(format, 0)},
        {"DROPPED_BITS_BLUE", dropped_bits(format, 2)},
        {"REDUCE", (uint32_t)task->reduce},
        {"WEIGH_ALPHA", mb_weighs_alpha(task->reduce, task->alpha, format)},
        {"IS_UPDATE", task->is_update},
    };
    struct mb_pipeline_options all = *options;
    all.shared = shared;
    all.n_shared = MB_COUNTOF(shared);
    return mb_pipeline_init(pipeline, levels->gpu, &all, err);
}

struct mb_level_barrier mb_levels_opening(const struct mb_levels *levels,
                                          const struct mb_access *to)
{
    return (struct mb_level_barrier){
        .image = levels->image,
        .first_level = 1,
        .n_levels = levels->image->layout.n_levels - 1,
        .from = levels->task.is_update ? &mb_access_readable : &mb_access_undefined,
        .to = to,
    };
}

void mb_levels_add(struct mb_levels *levels, const struct mb_levels_step *step)
{
    if (step->after.n_levels == 0) {
        return;
    }
    assert(levels->n_steps < MB_COUNTOF(levels->steps));
    struct mb_levels_step *own = &levels->steps[levels->n_steps++];
    *own = *step;
    if (step->pipeline && step->dispatch.push) {
        assert(step->pipeline->made->push_constant_bytes <= sizeof own->push);
        memcpy(own->push, step->dispatch.push, step->pipeline->made->push_constant_bytes);
        own->dispatch.push = own->push;
    }
    if (!step->after.from) {
        own->after.image = levels->image;
        own->after.from = &mb_access_compute_write;
        own->after.to = &mb_access_readable;
        own->first_level = own->after.first_level;
        own->n_levels = own->after.n_levels;
    }
}

static bool is_dispatched(const struct mb_levels_step *step)
{
    const uint32_t *n = step->dispatch.n_groups;
    return step->pipeline && n[0] > 0 && n[1] > 0 && n[2] > 0;
}

void mb_levels_record(const void *state, VkCommandBuffer cmd)
{
    const struct mb_levels *levels = state;
    for (uint32_t i = 0; i < levels->n_steps; i++) {
        const struct mb_levels_step *step = &levels->steps[i];
        if (is_dispatched(step)) {
            mb_mark_begin(levels->marks, levels->image, cmd, step->first_level, step->n_levels);
            mb_pipeline_dispatch(step->pipeline, cmd, &step->dispatch);
            mb_mark_end(levels->marks, levels->image, cmd);
        }
        mb_barrier_images(cmd, &step->after, 1);
    }
}

void mb_levels_describe(const struct mb_levels *levels, struct mb_work *work)
{
    for (uint32_t i = 0; i < levels->n_steps; i++) {
        work->n_dispatches += is_dispatched(&levels->steps[i]);
    }
    work->n_barriers = levels->n_steps;
    work->algorithmic_bytes =
        mb_filter_per_level_bytes(levels->policy, &levels->image->layout, levels->task.rect);
    work->tolerance = (struct mb_tolerance){
        .filter.policy = levels->policy,
        .arithmetic = levels->by_sampler ? MB_ARITHMETIC_CORNER : MB_ARITHMETIC_FP32,
        .reread_levels = ~UINT32_C(0),
    };
}

void mb_levels_finish(void *state)
{
    struct mb_levels *levels = state;
    for (uint32_t i = 0; i < MB_COUNTOF(levels->pipelines); i++) {
        mb_pipeline_finish(&levels->pipelines[i]);
    }
    mb_sampler_destroy(levels->gpu, levels->sampler);
}

uint32_t mb_group_count(uint32_t n, uint32_t width)
{
    return (n + width - 1) / width;
}
