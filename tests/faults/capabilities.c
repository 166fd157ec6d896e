#include "capabilities.h"

/* Members of structures, and what they are set to. */
#define MEMBER(s_type, structure, member, to)                                                  \
    {                                                                                          \
        .what = MB_EDIT_MEMBER, .type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##s_type,            \
        .offset = offsetof(structure, member), .n_bytes = sizeof(((structure *)0)->member),    \
        .value = (to)                                                                          \
    }
#define LIMIT(member, to)                                                                      \
    MEMBER(PROPERTIES_2, VkPhysicalDeviceProperties2, properties.limits.member, to)
#define SUBGROUP(member, to)                                                                   \
    MEMBER(VULKAN_1_1_PROPERTIES, VkPhysicalDeviceVulkan11Properties, member, to)
#define NO_OPERATION(name)                                                                     \
    SUBGROUP(subgroupSupportedOperations, 0xff & ~VK_SUBGROUP_FEATURE_##name##_BIT)
#define SIZES(member, to)                                                                      \
    MEMBER(SUBGROUP_SIZE_CONTROL_PROPERTIES, VkPhysicalDeviceSubgroupSizeControlProperties,    \
           member, to)
#define SIZE_CONTROL(member, to)                                                               \
    MEMBER(SUBGROUP_SIZE_CONTROL_FEATURES, VkPhysicalDeviceSubgroupSizeControlFeatures,        \
           member, to)
#define CORE(member, to) MEMBER(FEATURES_2, VkPhysicalDeviceFeatures2, features.member, to)
#define V12(member, to)                                                                        \
    MEMBER(VULKAN_1_2_FEATURES, VkPhysicalDeviceVulkan12Features, member, to)
#define RENDERING(to)                                                                          \
    MEMBER(DYNAMIC_RENDERING_FEATURES, VkPhysicalDeviceDynamicRenderingFeatures,               \
           dynamicRendering, to)
#define ALLOCATION(to)                                                                         \
    MEMBER(VULKAN_1_1_PROPERTIES, VkPhysicalDeviceVulkan11Properties, maxMemoryAllocationSize, \
           to)
#define API_VERSION(to)                                                                        \
    MEMBER(PROPERTIES_2, VkPhysicalDeviceProperties2, properties.apiVersion, to)
#define WITHOUT(features)                                                                      \
    {                                                                                          \
        .what = MB_EDIT_FORMAT_FEATURES, .value = VK_FORMAT_FEATURE_##features                 \
    }
#define EDIT(kind, to)                                                                         \
    {                                                                                          \
        .what = MB_EDIT_##kind, .value = (to)                                                  \
    }

/* Subgroups of one size, as the device says; of another driver's name, for llvmpipe's own sizes
 * are known. */
#define SUBGROUPS_OF(n)                                                                        \
    SUBGROUP(subgroupSize, n), SIZES(minSubgroupSize, n), SIZES(maxSubgroupSize, n),           \
        MEMBER(VULKAN_1_2_PROPERTIES, VkPhysicalDeviceVulkan12Properties, driverName[0], 'L')

#define ALL .strategies = NULL

/* Where it is no matter of what the strategies do. */
#define FEW .strategies = "blit,compute"

/* Where it is blits that cannot be timed. */
#define BLITS .strategies = "blit,compute", .untimed = "blit", .exit_code = 6

/* Where it is of what draws and blits. */
#define DRAWN .strategies = "blit,raster,compute"

/* All that store to images. */
#define KERNELS "compute subgroup spd separable spd-tree"

#define BASIC VK_SUBGROUP_FEATURE_BASIC_BIT

const struct mb_lack mb_lacks[] = {
    /* the clock */
    {"valid bits 0", {EDIT(QUEUE_BITS, 0)}, ALL},
    {"valid bits 1", {EDIT(QUEUE_BITS, 1)}, FEW, .exit_code = 6},
    {"valid bits 32", {EDIT(QUEUE_BITS, 32)}, FEW},
    {"valid bits 36", {EDIT(QUEUE_BITS, 36)}, FEW},
    {"valid bits 64", {EDIT(QUEUE_BITS, 64)}, FEW},
    {"valid bits 80", {EDIT(QUEUE_BITS, 80)}, FEW},
    {"period 0", {LIMIT(timestampPeriod, 0)}, FEW},
    {"period of a second", {LIMIT(timestampPeriod, 0x4e6e6b28)}, FEW, .exit_code = 6}, /* 1e9 */
    {"a clock that runs backward after blits",
     {EDIT(STAMPS, MB_CLOCK_BACKWARD)},
     BLITS,
     .reason = "the second timestamp lies before the first"},
    {"a clock that stands still in blits",
     {EDIT(STAMPS, MB_CLOCK_STUCK)},
     BLITS,
     .reason = "both timestamps are the same"},
    {"a clock that stands still in batches of blits",
     {EDIT(STAMPS, MB_CLOCK_STUCK)},
     {"--mode", "throughput"},
     BLITS,
     .reason = "both timestamps are the same"},
    {"a clock that stands still in blits, beside half a chain",
     {EDIT(STAMPS, MB_CLOCK_STUCK)},
     .strategies = "blit,spd:parts=tiles",
     .untimed = "blit",
     .skipped = "spd",
     .reason = "not timed: no strategy is left",
     .exit_code = 6},
    {"a clock that jumps ahead in blits",
     {EDIT(STAMPS, MB_CLOCK_AHEAD)},
     BLITS,
     .reason = "but the host waited"},
    {"a clock that runs backward now and then",
     {EDIT(STAMPS, MB_CLOCK_SOMETIMES)},
     {"-n", "40", "--per-level"},
     FEW,
     .drops = true},
    {"a clock that has stopped", {EDIT(STAMPS, MB_CLOCK_STOPPED)}, FEW, .exit_code = 6},
    /* subgroups */
    {"subgroups of 1", {SUBGROUPS_OF(1)}, .skipped = "subgroup spd"},
    {"subgroups of 2", {SUBGROUPS_OF(2)}, .skipped = "subgroup spd"},
    {"subgroups of 4", {SUBGROUPS_OF(4)}, ALL},
    {"subgroups of 16", {SUBGROUPS_OF(16)}, .failed = "subgroup spd spd-tree", .exit_code = 1},
    {"subgroups of 32", {SUBGROUPS_OF(32)}, .failed = "subgroup spd spd-tree", .exit_code = 1},
    {"subgroups of 128",
     {SUBGROUPS_OF(128)},
     .failed = "subgroup spd spd-tree",
     .exit_code = 1},
    {"no subgroup operations",
     {SUBGROUP(subgroupSupportedOperations, 0)},
     .skipped = "subgroup spd"},
    {"basic operations",
     {SUBGROUP(subgroupSupportedOperations, BASIC)},
     .skipped = "subgroup spd"},
    {"no shuffle", {NO_OPERATION(SHUFFLE)}, .skipped = "subgroup"},
    {"no quads", {NO_OPERATION(QUAD)}, .skipped = "spd"},
    {"no quads, subgroups of 16",
     {SUBGROUPS_OF(16), NO_OPERATION(QUAD)},
     .failed = "subgroup spd spd-tree",
     .exit_code = 1},
    {"no arithmetic", {NO_OPERATION(ARITHMETIC)}, ALL},
    {"no ballot", {NO_OPERATION(BALLOT)}, ALL},
    {"no subgroups in compute",
     {SUBGROUP(subgroupSupportedStages, VK_SHADER_STAGE_FRAGMENT_BIT)},
     .skipped = "subgroup spd"},
    {"one size, not to be required", {SIZES(requiredSubgroupSizeStages, 0)}, ALL},
    {"no required size",
     {SIZES(requiredSubgroupSizeStages, 0), SIZES(minSubgroupSize, 1)},
     .skipped = "subgroup spd"},
    {"one subgroup a workgroup", {SIZES(maxComputeWorkgroupSubgroups, 1)}, ALL},
    {"no size control",
     {SIZE_CONTROL(subgroupSizeControl, VK_FALSE)},
     .skipped = "subgroup spd"},
    {"no full subgroups",
     {SIZE_CONTROL(computeFullSubgroups, VK_FALSE)},
     .skipped = "subgroup spd"},
    /* other features */
    {"no memory model", {V12(vulkanMemoryModel, VK_FALSE)}, .skipped = "spd spd-tree"},
    {"no device scope",
     {V12(vulkanMemoryModelDeviceScope, VK_FALSE)},
     .skipped = "spd spd-tree"},
    {"no halves",
     {V12(shaderFloat16, VK_FALSE)},
     .strategies = "blit,spd:fp16=on",
     .skipped = "spd"},
    {"no 64-bit atomics",
     {V12(shaderBufferInt64Atomics, VK_FALSE)},
     .strategies = "spd-tree,blit,spd-tree:shape=even",
     .skipped = "spd-tree"},
    {"no 64-bit integers",
     {CORE(shaderInt64, VK_FALSE)},
     .strategies = "spd-tree,blit,spd-tree:shape=even",
     .skipped = "spd-tree"},
    {"no min and max by samplers",
     {V12(samplerFilterMinmax, VK_FALSE)},
     .args = {"-r", "max"},
     .strategies = "compute,spd,spd-tree,compute:load=sampler",
     .skipped = "compute"},
    {"no stores without a format",
     {CORE(shaderStorageImageWriteWithoutFormat, VK_FALSE)},
     .skipped = KERNELS},
    {"no dynamic rendering",
     {RENDERING(VK_FALSE)},
     .skipped = "raster",
     .reason = "dynamicRendering",
     DRAWN},
    {"no extensions", {EDIT(NO_EXTENSIONS, 0)}, ALL},
    {"Vulkan 1.2", {API_VERSION(VK_API_VERSION_1_2)}, DRAWN},
    {"Vulkan 1.2, no extensions",
     {API_VERSION(VK_API_VERSION_1_2), EDIT(NO_EXTENSIONS, 0)},
     .skipped = "raster subgroup spd"},
    {"Vulkan 1.1",
     {API_VERSION(VK_API_VERSION_1_1)},
     FEW,
     .reason = "cannot be used: it has Vulkan 1.1; 1.2 is needed",
     .exit_code = 4},
    {"loader of 1.2", {EDIT(LOADER_VERSION, VK_API_VERSION_1_2)}, FEW},
    {"loader of 1.1", {EDIT(LOADER_VERSION, VK_API_VERSION_1_1)}, FEW},
    /* formats */
    {"no linear filter", {WITHOUT(SAMPLED_IMAGE_FILTER_LINEAR_BIT)}, .skipped = "blit", DRAWN},
    {"no source of blits", {WITHOUT(BLIT_SRC_BIT)}, .skipped = "blit", DRAWN},
    {"no target of blits", {WITHOUT(BLIT_DST_BIT)}, .skipped = "blit", DRAWN},
    {"no storage", {WITHOUT(STORAGE_IMAGE_BIT)}, .skipped = KERNELS},
    {"no storage, r32f",
     {WITHOUT(STORAGE_IMAGE_BIT)},
     .args = {"-f", "r32f"},
     .skipped = KERNELS},
    {"no storage, sRGB", {WITHOUT(STORAGE_IMAGE_BIT)}, .args = {"--srgb"}, .skipped = KERNELS},
    {"no attachments",
     {WITHOUT(COLOR_ATTACHMENT_BIT)},
     .skipped = "raster",
     .reason = "needs an image usage that the device lacks for format rgba8",
     DRAWN},
    {"no sampling",
     {WITHOUT(SAMPLED_IMAGE_BIT)},
     .skipped = "raster compute subgroup spd separable spd-tree"},
    {"no transfers",
     {EDIT(FORMAT_FEATURES,
           VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT)},
     ALL},
    {"no format at all",
     {EDIT(FORMAT_FEATURES, ~0u)},
     .skipped = "blit raster compute subgroup spd separable spd-tree"},
    {"no image of the format", {EDIT(NO_IMAGES, 0)}, FEW, .skipped = "blit compute"},
    {"one level", {EDIT(MIP_LEVELS, 1)}, FEW, .skipped = "blit compute"},
    {"three levels", {EDIT(MIP_LEVELS, 3)}, FEW, .skipped = "blit compute"},
    {"no linear filter, where it is asked for",
     {WITHOUT(SAMPLED_IMAGE_FILTER_LINEAR_BIT)},
     .strategies = "compute,compute:load=sampler",
     .skipped = "compute"},
    /* limits */
    {"images of 64", {LIMIT(maxImageDimension2D, 64)}, FEW},
    {"images of 64, 65 texels",
     {LIMIT(maxImageDimension2D, 64)},
     .args = {"--size", "65x3"},
     FEW,
     .skipped = "blit compute"},
    {"images of 8", {LIMIT(maxImageDimension2D, 8)}, FEW, .skipped = "blit compute"},
    {"one layer",
     {LIMIT(maxImageArrayLayers, 1)},
     .args = {"--layers", "2"},
     FEW,
     .skipped = "blit compute"},
    {"framebuffers of 6, as level 1", {LIMIT(maxFramebufferWidth, 6)}, DRAWN},
    {"framebuffers of 5",
     {LIMIT(maxFramebufferWidth, 5)},
     .skipped = "raster",
     .reason = "draws to at most 5x",
     DRAWN},
    {"viewports of 8", {LIMIT(maxViewportDimensions[1], 8)}, DRAWN},
    {"128 invocations", {LIMIT(maxComputeWorkGroupInvocations, 128)}, .skipped = KERNELS},
    {"64 invocations", {LIMIT(maxComputeWorkGroupInvocations, 64)}, .skipped = KERNELS},
    {"workgroups 128 wide", {LIMIT(maxComputeWorkGroupSize[0], 128)}, .skipped = KERNELS},
    {"workgroups 64 wide", {LIMIT(maxComputeWorkGroupSize[0], 64)}, .skipped = KERNELS},
    {"4 storage images",
     {LIMIT(maxPerStageDescriptorStorageImages, 4)},
     .skipped = "subgroup spd spd-tree"},
    {"1 storage image",
     {LIMIT(maxPerStageDescriptorStorageImages, 1)},
     .skipped = "subgroup spd spd-tree"},
    {"no storage image", {LIMIT(maxPerStageDescriptorStorageImages, 0)}, .skipped = KERNELS},
    {"16 KiB of shared memory", {LIMIT(maxComputeSharedMemorySize, 16384)}, ALL},
    {"storage buffers of 16 bytes", {LIMIT(maxStorageBufferRange, 16)}, ALL},
    {"no bits between texels", {LIMIT(subTexelPrecisionBits, 0)}, DRAWN},
    {"4 bits between texels", {LIMIT(subTexelPrecisionBits, 4)}, DRAWN},
    /* memory */
    {"allocations of 0", {ALLOCATION(0)}, FEW},
    {"allocations of 64 bytes", {ALLOCATION(64)}, FEW, .exit_code = 6},
    {"allocations of 4 KiB",
     {ALLOCATION(4096)},
     .args = {"--size", "64x64"},
     FEW,
     .exit_code = 6},
    {"heaps of 0", {EDIT(HEAP_BYTES, 0)}, FEW, .exit_code = 6},
    {"heaps of 1 KiB", {EDIT(HEAP_BYTES, 1024)}, FEW, .exit_code = 6},
    {"heaps of 64 KiB", {EDIT(HEAP_BYTES, 65536)}, FEW},
    {"heaps of 64 KiB, larger image",
     {EDIT(HEAP_BYTES, 65536)},
     .args = {"--size", "256x256"},
     FEW,
     .exit_code = 6},
    {"no device-local memory",
     {EDIT(MEMORY_FLAGS, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)},
     FEW,
     .exit_code = 6},
    {"no mapped memory",
     {EDIT(MEMORY_FLAGS, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)},
     FEW,
     .exit_code = 6},
    {"no coherent memory",
     {EDIT(MEMORY_FLAGS, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)},
     FEW,
     .exit_code = 6},
    {"no cached memory", {EDIT(MEMORY_FLAGS, VK_MEMORY_PROPERTY_HOST_CACHED_BIT)}, FEW},
    /* devices and queues */
    {"no device", {EDIT(DEVICES, 0)}, FEW, .exit_code = 4},
    {"two devices", {EDIT(DEVICES, 2)}, FEW},
    {"two devices, the second", {EDIT(DEVICES, 2)}, .args = {"-d", "1"}, FEW},
    {"two devices, a third", {EDIT(DEVICES, 2)}, .args = {"-d", "2"}, FEW, .exit_code = 4},
    {"a hundred devices", {EDIT(DEVICES, 100)}, FEW},
    {"no compute",
     {EDIT(QUEUE_FLAGS, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_TRANSFER_BIT)},
     FEW,
     .reason = "cannot be used: it has no compute queue",
     .exit_code = 4},
    {"no graphics",
     {EDIT(QUEUE_FLAGS, VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT)},
     .skipped = "blit raster",
     .reason = "graphics",
     DRAWN},
    {"family 40", {EDIT(QUEUE_FAMILY, 40)}, ALL},
    {"no queue", {EDIT(QUEUE_COUNT, 0)}, FEW, .exit_code = 4},
};

const size_t mb_n_lacks = sizeof mb_lacks / sizeof mb_lacks[0];
