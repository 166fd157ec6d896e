/* Samplers. */
#include "vk/sampler.h"

enum mb_status mb_sampler_create(const struct mb_gpu *gpu, VkFilter filter,
                                 VkSamplerReductionMode mode, VkSampler *sampler,
                                 struct mb_err *err)
{
    const VkSamplerReductionModeCreateInfo reduction = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO,
        .reductionMode = mode,
    };
    const VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .pNext = mode != VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE ? &reduction : NULL,
        .magFilter = filter,
        .minFilter = filter,
        .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
        .addressModeU = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
        .addressModeV = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
        .addressModeW = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
        .maxLod = VK_LOD_CLAMP_NONE,
    };
    MB_DO(MB_VK_MAKE(vkCreateSampler, gpu->device, &info, sampler));
    mb_gpu_name(gpu, VK_OBJECT_TYPE_SAMPLER, (uint64_t)*sampler,
                filter == VK_FILTER_LINEAR ? "bilinear" : "nearest");
    return MB_OK;
}

void mb_sampler_destroy(const struct mb_gpu *gpu, VkSampler sampler)
{
    if (gpu && !gpu->state->is_lost) {
        vkDestroySampler(gpu->device, sampler, NULL);
    }
}
