/* Facts of a physical device. */
#include "vk/gpu_info.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* The specification's minimum, for drivers that report 0. */
#define LEAST_MAX_ALLOCATION_BYTES (UINT64_C(1) << 30)

const char *const mb_subgroup_operation_names[MB_N_SUBGROUP_OPERATIONS] = {
    "basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle-relative", "clustered", "quad",
};

/* In order of preference. */
static const struct {
    VkPhysicalDeviceType type;
    const char *name;
} types[] = {
    {VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, "discrete"},
    {VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, "integrated"},
    {VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, "virtual"},
    {VK_PHYSICAL_DEVICE_TYPE_CPU, "cpu"},
    {VK_PHYSICAL_DEVICE_TYPE_OTHER, "other"},
};

size_t mb_gpu_type_rank(VkPhysicalDeviceType type)
{
    size_t i = 0;
    while (i + 1 < MB_COUNTOF(types) && types[i].type != type) {
        i++;
    }
    return i;
}

const char *mb_gpu_type_name(VkPhysicalDeviceType type)
{
    return types[mb_gpu_type_rank(type)].name;
}

bool mb_gpu_is_cpu(const struct mb_gpu_info *info)
{
    return info->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

bool mb_gpu_executes(const struct mb_gpu_info *info)
{
    return info->memory.memoryTypeCount > 0;
}

static void format_uuid(const uint8_t uuid[VK_UUID_SIZE], char out[37])
{
    char *p = out;
    for (size_t i = 0; i < VK_UUID_SIZE; i++) {
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;
        p += snprintf(p, (size_t)(out + 37 - p), dash ? "-%02x" : "%02x", uuid[i]);
    }
}

/* NVIDIA packs 10.8.8.6 bits, Intel's Windows driver 18.14, everyone else as an API version. */
static void format_driver_version(VkDriverId driver, uint32_t version, char *out,
                                  size_t out_bytes)
{
    if (driver == VK_DRIVER_ID_NVIDIA_PROPRIETARY) {
        snprintf(out, out_bytes, "%u.%u.%u", version >> 22, (version >> 14) & 0xffu,
                 (version >> 6) & 0xffu);
    } else if (driver == VK_DRIVER_ID_INTEL_PROPRIETARY_WINDOWS) {
        snprintf(out, out_bytes, "%u.%u", version >> 14, version & 0x3fffu);
    } else {
        snprintf(out, out_bytes, "%u.%u.%u", VK_API_VERSION_MAJOR(version),
                 VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
    }
}

static bool computes(const VkQueueFamilyProperties *family)
{
    return (family->queueFlags & VK_QUEUE_COMPUTE_BIT) && family->queueCount > 0;
}

/* Choose a queue family: prefer one with graphics and compute, as strategies may use both, then
 * one with timestamps. */
static void choose_queue(VkPhysicalDevice device, struct mb_gpu_info *info)
{
    VkQueueFamilyProperties families[64];
    uint32_t n = MB_COUNTOF(families);
    int best_score = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &n, families);
    info->queue_family = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const int score = 1 + (families[i].timestampValidBits > 0 ? 1 : 0) +
                          (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT ? 2 : 0);
        if (computes(&families[i]) && score > best_score) {
            best_score = score;
            info->queue_family = i;
            info->queue_flags = families[i].queueFlags;
            info->timestamp_valid_bits = families[i].timestampValidBits;
        }
    }
}

static void read_properties(VkPhysicalDevice device, struct mb_gpu_info *info)
{
    const bool has_size_control = info->features.size_control.subgroupSizeControl;
    VkPhysicalDeviceSubgroupSizeControlProperties size_control = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
    };
    VkPhysicalDeviceVulkan12Properties v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
        .pNext = has_size_control ? &size_control : NULL,
    };
    VkPhysicalDeviceVulkan11Properties v11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
        .pNext = &v12,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &v11,
    };
    vkGetPhysicalDeviceProperties2(device, &properties);

    const VkPhysicalDeviceProperties *p = &properties.properties;
    info->vendor_id = p->vendorID;
    info->device_id = p->deviceID;
    info->driver_id = v12.driverID;
    format_uuid(v11.deviceUUID, info->uuid);
    mb_utf8_sanitize(v12.driverName, info->driver_name, sizeof info->driver_name);
    mb_utf8_sanitize(v12.driverInfo, info->driver_info, sizeof info->driver_info);
    format_driver_version(v12.driverID, p->driverVersion, info->driver_version,
                          sizeof info->driver_version);
    info->limits = p->limits;
    info->timestamp_period_ns = (double)p->limits.timestampPeriod;
    info->max_allocation_bytes = v11.maxMemoryAllocationSize > 0 ? v11.maxMemoryAllocationSize
                                                                 : LEAST_MAX_ALLOCATION_BYTES;
    bool in_compute = (v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    info->subgroup_size = v11.subgroupSize;
    info->subgroup_operations = in_compute ? v11.subgroupSupportedOperations : 0;
    info->min_subgroup_size =
        has_size_control ? size_control.minSubgroupSize : v11.subgroupSize;
    info->max_subgroup_size =
        has_size_control ? size_control.maxSubgroupSize : v11.subgroupSize;
    /* GCN and MoltenVK have a single size, which cannot and need not be required. */
    const bool is_required =
        (size_control.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    info->has_full_subgroups =
        has_size_control && info->features.size_control.computeFullSubgroups &&
        (is_required || info->min_subgroup_size == info->max_subgroup_size);
    info->max_workgroup_subgroups =
        info->has_full_subgroups && is_required ? size_control.maxComputeWorkgroupSubgroups : 0;
}

static void read_n_cores(VkPhysicalDevice device, struct mb_gpu_info *info)
{
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nv = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV,
    };
    VkPhysicalDeviceShaderCorePropertiesAMD amd = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD,
    };
    VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM arm = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    };
    if (mb_features_has(&info->features, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) {
        properties.pNext = &nv;
    } else if (mb_features_has(&info->features, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) {
        properties.pNext = &amd;
    } else if (mb_features_has(&info->features, VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME)) {
        properties.pNext = &arm;
    }
    vkGetPhysicalDeviceProperties2(device, &properties);
    info->n_cores = nv.shaderSMCount +
                    amd.shaderEngineCount * amd.shaderArraysPerEngineCount *
                        amd.computeUnitsPerShaderArray +
                    arm.shaderCoreCount;
}

void mb_gpu_read_info(VkPhysicalDevice device, uint32_t index, struct mb_gpu_info *info)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    *info = (struct mb_gpu_info){
        .index = index, .type = properties.deviceType, .api_version = properties.apiVersion};
    mb_utf8_sanitize(properties.deviceName, info->name, sizeof info->name);
    choose_queue(device, info);
    if (properties.apiVersion < VK_API_VERSION_1_2) {
        snprintf(info->unusable, sizeof info->unusable,
                 "it has Vulkan %u.%u; 1.2 is needed, which a newer driver may have",
                 VK_API_VERSION_MAJOR(properties.apiVersion),
                 VK_API_VERSION_MINOR(properties.apiVersion));
        return;
    }
    if (info->queue_family == UINT32_MAX) {
        snprintf(info->unusable, sizeof info->unusable, "it has no compute queue");
        return;
    }
    /* Ask once: each time, the loader looks for every driver and layer again. */
    const uint32_t instance_version = volkGetInstanceVersion();
    info->usable_version =
        properties.apiVersion < instance_version ? properties.apiVersion : instance_version;
    mb_features_read(device, info->usable_version, &info->features);
    read_properties(device, info);
    read_n_cores(device, info);
    vkGetPhysicalDeviceMemoryProperties(device, &info->memory);
}
