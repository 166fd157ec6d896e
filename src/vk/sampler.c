/* Samplers. */
#include "vk/sampler.h"

enum mb_status mb_sampler_create(const struct mb_gpu *gpu,
                                 const struct mb_sampler_options *options, VkSampler *sampler,
                                 struct mb_err *err)
{
    const VkSamplerReductionModeCreateInfo reduction = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO,
        .reductionMode = options->reduction,
    };
    const VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .pNext = options->reduction != VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE ? &reduction
                                                                                  : NULL,
        .magFilter = options->filter,
        .minFilter = options->filter,
        .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
        .addressModeU = options->address,
        .addressModeV = options->address,
        .addressModeW = options->address,
        .maxLod = VK_LOD_CLAMP_NONE,
    };
    MB_DO(MB_VK_MAKE(vkCreateSampler, gpu->device, &info, sampler));
    mb_gpu_name(gpu, VK_OBJECT_TYPE_SAMPLER, (uint64_t)*sampler,
                options->filter == VK_FILTER_LINEAR ? "bilinear" : "nearest");
    return MB_OK;
}

void mb_sampler_destroy(const struct mb_gpu *gpu, VkSampler sampler)
{
    if (gpu && !gpu->state->is_lost) {
        vkDestroySampler(gpu->device, sampler, NULL);
    }
}
