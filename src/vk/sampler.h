/* Samplers. */
#pragma once

#include "vk/gpu.h"

/* A sampler for normalised coordinates within [0, 1], where MIRRORED_REPEAT reads the same
 * texels as CLAMP_TO_EDGE: within half a texel beyond an edge it repeats the edge texel. With
 * clamping, llvmpipe filters 8-bit formats in 8-bit steps (its "AoS" path), which costs a whole
 * LSB. Modes other than WEIGHTED_AVERAGE need samplerFilterMinmax. */
MB_MUST_CHECK enum mb_status mb_sampler_create(const struct mb_gpu *gpu, VkFilter filter,
                                               VkSamplerReductionMode mode, VkSampler *sampler,
                                               struct mb_err *err);

/* Does nothing to a null sampler, whose `gpu` may be NULL. */
void mb_sampler_destroy(const struct mb_gpu *gpu, VkSampler sampler);
