/* Facts of a physical device, read once. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "vk/features.h"

/* Plain facts; text is valid UTF-8. */
struct mb_gpu_info {
    uint32_t index; /* in the loader's order; --device takes it */
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    char unusable[160]; /* why the device cannot be used, or "" */
    VkPhysicalDeviceType type;
    uint32_t vendor_id, device_id;
    VkDriverId driver_id;
    char uuid[37]; /* 8-4-4-4-12 hex */
    char driver_name[VK_MAX_DRIVER_NAME_SIZE];
    char driver_info[VK_MAX_DRIVER_INFO_SIZE];
    char driver_version[32]; /* decoded as the vendor encodes it, where known */
    uint32_t api_version;    /* VK_MAKE_API_VERSION */
    uint32_t usable_version; /* the lower of the device's and the instance's */
    VkPhysicalDeviceMemoryProperties memory;

    uint32_t queue_family; /* the one mipbench uses: graphics and compute if there is one */
    VkQueueFlags queue_flags;
    uint32_t timestamp_valid_bits;
    double timestamp_period_ns;

    uint32_t subgroup_size, min_subgroup_size, max_subgroup_size;
    VkSubgroupFeatureFlags subgroup_operations; /* of the compute stage; 0: it has none */
    bool has_full_subgroups; /* REQUIRE_FULL_SUBGROUPS works, and the subgroup size is known:
                                there is only one size, or a size can be required */
    uint32_t max_workgroup_subgroups; /* if a subgroup size is required; 0: none can be */
    struct mb_features features;
    uint32_t n_cores; /* multiprocessors or compute units; 0: the device does not say */
    uint64_t max_allocation_bytes;
    VkPhysicalDeviceLimits limits; /* all of them, as the device states them */
};

/* "discrete", "integrated", "virtual", "cpu" or "other". */
const char *mb_gpu_type_name(VkPhysicalDeviceType type);
bool mb_gpu_is_cpu(const struct mb_gpu_info *info);

/* False for a device that only compiles, such as RADV's null device (RADV_FORCE_FAMILY). Every
 * other device has memory (Vulkan, "Device Memory Properties"). */
bool mb_gpu_executes(const struct mb_gpu_info *info);

/* By default the device with the lowest rank is chosen. */
size_t mb_gpu_type_rank(VkPhysicalDeviceType type);

/* The names of the bits of VkSubgroupFeatureFlags, from the lowest on. */
#define MB_N_SUBGROUP_OPERATIONS 8u
extern const char *const mb_subgroup_operation_names[MB_N_SUBGROUP_OPERATIONS];

/* Fill `info`. A device is `unusable` without Vulkan 1.2 or without a compute queue; then its
 * properties, features and memory are not read. */
void mb_gpu_read_info(VkPhysicalDevice device, uint32_t index, struct mb_gpu_info *info);
