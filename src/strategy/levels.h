/* Set-up, recording and clean-up for strategies that record a list of dispatches and barriers,
 * with kernels that include shaders/levels.glsl. */
#pragma once

#include "strategy/marks.h"
#include "strategy/needs.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"

#define MB_MAX_PUSH_BYTES 128u /* every device allows this many */

/* A step of the list: a dispatch, and the barrier after it. */
struct mb_levels_step {
    const struct mb_pipeline *pipeline; /* NULL: just the barrier */
    struct mb_dispatch dispatch;        /* nothing is dispatched if a group count is 0 */
    /* If `from` is NULL: the dispatch writes these levels, the barrier makes them readable. */
    struct mb_level_barrier after;
    uint32_t first_level, n_levels; /* made by the dispatch; filled in if after.from is NULL */
    _Alignas(8) unsigned char push[MB_MAX_PUSH_BYTES]; /* dispatch.push points here */
};

/* The state of a strategy with such a list, or the first member of its state. */
struct mb_levels {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image;
    struct mb_task task;
    struct mb_marks *marks;
    enum mb_policy policy;
    struct mb_rect affected[MB_MAX_LEVELS]; /* the texels to make in each level */
    bool by_sampler;                        /* texels are loaded through the filter */
    VkSampler sampler;
    struct mb_pipeline pipelines[2];
    struct mb_levels_step steps[2 + 2 * MB_MAX_LEVELS];
    uint32_t n_steps;
};

/* Fill in all but the pipelines, and add the first step: the barrier that begins a chain. */
MB_MUST_CHECK enum mb_status mb_levels_init(struct mb_levels *levels, const struct mb_gpu *gpu,
                                            const struct mb_target *target,
                                            const struct mb_needs *needs, struct mb_err *err);

/* mb_pipeline_init with the constants of shaders/levels.glsl: those of the format, the image
 * and the task. */
MB_MUST_CHECK enum mb_status mb_levels_make_pipeline(const struct mb_levels *levels,
                                                     const struct mb_pipeline_options *options,
                                                     struct mb_pipeline *pipeline,
                                                     struct mb_err *err);

/* The barrier of levels 1.. from the entry state to another, for strategies without steps. */
struct mb_level_barrier mb_levels_opening(const struct mb_levels *levels,
                                          const struct mb_access *to);

/* Append a step, copying its push constants; does nothing if its barrier has no levels. */
void mb_levels_add(struct mb_levels *levels, const struct mb_levels_step *step);

/* For mb_strategy.record: record the steps in order. */
void mb_levels_record(const void *state, VkCommandBuffer cmd);

/* For mb_strategy.describe: all but the size of workgroups. Assumes that each level is read
 * once, as stored, to make the next one. */
void mb_levels_describe(const struct mb_levels *levels, struct mb_work *work);

/* For mb_strategy.finish. */
void mb_levels_finish(void *state);

/* How many workgroups of `width` invocations cover `n` invocations. */
uint32_t mb_group_count(uint32_t n, uint32_t width);
