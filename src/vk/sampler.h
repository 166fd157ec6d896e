/* Samplers. */
#pragma once

#include "vk/gpu.h"

struct mb_sampler_options {
    VkFilter filter;
    VkSamplerReductionMode
        reduction;                /* others than WEIGHTED_AVERAGE need samplerFilterMinmax */
    VkSamplerAddressMode address; /* along all axes; of borders transparent black */
};

/* What our own strategies take, which sample no nearer to an edge than the middle of the last
 * texel, so that every mode reads the same texels (tests/gpu/test_samplers.c). With
 * CLAMP_TO_EDGE llvmpipe filters 8-bit formats in 8-bit steps (its "AoS" path), which costs a
 * whole LSB. */
#define MB_SAMPLER_ADDRESS VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT

MB_MUST_CHECK enum mb_status mb_sampler_create(const struct mb_gpu *gpu,
                                               const struct mb_sampler_options *options,
                                               VkSampler *sampler, struct mb_err *err);

/* Does nothing to a null sampler, whose `gpu` may be NULL. */
void mb_sampler_destroy(const struct mb_gpu *gpu, VkSampler sampler);
