/* Facts of a physical device; used by gpu.c. */
#ifndef MB_VK_GPU_INFO_H
#define MB_VK_GPU_INFO_H

#include "vk/gpu.h"

/* Fill `info`; false if the device is older than Vulkan 1.2 or has no compute queue. */
bool mb_gpu_read_info(VkPhysicalDevice device, uint32_t index, struct mb_gpu_info *info);

/* The version whose core features may be used: no newer than the loader's instance. */
uint32_t mb_gpu_usable_version(uint32_t api_version);

bool mb_gpu_has_extension(VkPhysicalDevice device, const char *name);

#endif
