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
    MEMBER(SUBGROUP_PROPERTIES, VkPhysicalDeviceSubgroupProperties, member, to)
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
    MEMBER(MAINTENANCE_3_PROPERTIES, VkPhysicalDeviceMaintenance3Properties,                   \
           maxMemoryAllocationSize, to)
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
        MEMBER(DRIVER_PROPERTIES, VkPhysicalDeviceDriverProperties, driverName[0], 'L')

/* Where it is no matter of what the strategies do. */
#define FEW "blit,compute"

/* Where it is of what draws and blits. */
#define DRAWN "blit,raster,compute"

/* All that store to images. */
#define KERNELS "compute subgroup spd separable spd-tree"

#define BASIC VK_SUBGROUP_FEATURE_BASIC_BIT

const struct mb_lack mb_lacks[] = {
    /* the clock */
    {.name = "valid bits 0", .edits = {EDIT(QUEUE_BITS, 0)}},
    {.name = "valid bits 1", .edits = {EDIT(QUEUE_BITS, 1)}, .strategies = FEW, .exit_code = 6},
    {.name = "valid bits 32", .edits = {EDIT(QUEUE_BITS, 32)}, .strategies = FEW},
    {.name = "valid bits 36", .edits = {EDIT(QUEUE_BITS, 36)}, .strategies = FEW},
    {.name = "valid bits 64", .edits = {EDIT(QUEUE_BITS, 64)}, .strategies = FEW},
    {.name = "period 0", .edits = {LIMIT(timestampPeriod, 0)}, .strategies = FEW},
    /* subgroups */
    {.name = "subgroups of 1", .edits = {SUBGROUPS_OF(1)}, .skipped = "subgroup spd"},
    {.name = "subgroups of 2", .edits = {SUBGROUPS_OF(2)}, .skipped = "subgroup spd"},
    {.name = "subgroups of 4", .edits = {SUBGROUPS_OF(4)}},
    {.name = "subgroups of 16",
     .edits = {SUBGROUPS_OF(16)},
     .failed = "subgroup spd",
     .exit_code = 1},
    {.name = "subgroups of 32",
     .edits = {SUBGROUPS_OF(32)},
     .failed = "subgroup spd",
     .exit_code = 1},
    {.name = "subgroups of 128",
     .edits = {SUBGROUPS_OF(128)},
     .failed = "subgroup spd",
     .exit_code = 1},
    {.name = "no subgroup operations",
     .edits = {SUBGROUP(supportedOperations, 0)},
     .skipped = "subgroup spd"},
    {.name = "basic operations",
     .edits = {SUBGROUP(supportedOperations, BASIC)},
     .skipped = "subgroup spd"},
    {.name = "no shuffle",
     .edits = {SUBGROUP(supportedOperations, 0xff & ~VK_SUBGROUP_FEATURE_SHUFFLE_BIT)},
     .skipped = "subgroup"},
    {.name = "no quads",
     .edits = {SUBGROUP(supportedOperations, 0xff & ~VK_SUBGROUP_FEATURE_QUAD_BIT)},
     .skipped = "spd"},
    {.name = "no arithmetic",
     .edits = {SUBGROUP(supportedOperations, 0xff & ~VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)}},
    {.name = "no ballot",
     .edits = {SUBGROUP(supportedOperations, 0xff & ~VK_SUBGROUP_FEATURE_BALLOT_BIT)}},
    {.name = "no subgroups in compute",
     .edits = {SUBGROUP(supportedStages, VK_SHADER_STAGE_FRAGMENT_BIT)},
     .skipped = "subgroup spd"},
    {.name = "no required size",
     .edits = {SIZES(requiredSubgroupSizeStages, 0)},
     .skipped = "subgroup spd"},
    {.name = "one subgroup a workgroup", .edits = {SIZES(maxComputeWorkgroupSubgroups, 1)}},
    {.name = "no size control",
     .edits = {SIZE_CONTROL(subgroupSizeControl, VK_FALSE)},
     .skipped = "subgroup spd"},
    {.name = "no full subgroups",
     .edits = {SIZE_CONTROL(computeFullSubgroups, VK_FALSE)},
     .skipped = "subgroup spd"},
    /* other features */
    {.name = "no memory model",
     .edits = {V12(vulkanMemoryModel, VK_FALSE)},
     .skipped = "spd spd-tree"},
    {.name = "no device scope",
     .edits = {V12(vulkanMemoryModelDeviceScope, VK_FALSE)},
     .skipped = "spd spd-tree"},
    {.name = "no halves",
     .edits = {V12(shaderFloat16, VK_FALSE)},
     .strategies = "blit,spd:fp16=on",
     .skipped = "spd"},
    {.name = "no 64-bit atomics",
     .edits = {V12(shaderBufferInt64Atomics, VK_FALSE)},
     .strategies = "spd-tree,blit,spd-tree:carry=atomics",
     .skipped = "spd-tree"},
    {.name = "no 64-bit integers",
     .edits = {CORE(shaderInt64, VK_FALSE)},
     .strategies = "spd-tree,blit,spd-tree:carry=atomics",
     .skipped = "spd-tree"},
    {.name = "no min and max by samplers",
     .edits = {V12(samplerFilterMinmax, VK_FALSE)},
     .args = {"-r", "max"},
     .strategies = "compute,spd,spd-tree,compute:load=sampler",
     .skipped = "compute"},
    {.name = "no stores without a format",
     .edits = {CORE(shaderStorageImageWriteWithoutFormat, VK_FALSE)},
     .skipped = KERNELS},
    {.name = "no dynamic rendering",
     .edits = {RENDERING(VK_FALSE)},
     .skipped = "raster",
     .strategies = DRAWN},
    {.name = "no extensions", .edits = {EDIT(NO_EXTENSIONS, 0)}},
    {.name = "Vulkan 1.2", .edits = {API_VERSION(VK_API_VERSION_1_2)}, .strategies = DRAWN},
    {.name = "Vulkan 1.2, no extensions",
     .edits = {API_VERSION(VK_API_VERSION_1_2), EDIT(NO_EXTENSIONS, 0)},
     .skipped = "raster subgroup spd"},
    {.name = "Vulkan 1.1",
     .edits = {API_VERSION(VK_API_VERSION_1_1)},
     .strategies = FEW,
     .exit_code = 4},
    {.name = "loader of 1.2",
     .edits = {EDIT(LOADER_VERSION, VK_API_VERSION_1_2)},
     .strategies = FEW},
    {.name = "loader of 1.1",
     .edits = {EDIT(LOADER_VERSION, VK_API_VERSION_1_1)},
     .strategies = FEW},
    /* formats */
    {.name = "no linear filter",
     .edits = {WITHOUT(SAMPLED_IMAGE_FILTER_LINEAR_BIT)},
     .skipped = "blit",
     .strategies = DRAWN},
    {.name = "no source of blits",
     .edits = {WITHOUT(BLIT_SRC_BIT)},
     .skipped = "blit",
     .strategies = DRAWN},
    {.name = "no target of blits",
     .edits = {WITHOUT(BLIT_DST_BIT)},
     .skipped = "blit",
     .strategies = DRAWN},
    {.name = "no storage", .edits = {WITHOUT(STORAGE_IMAGE_BIT)}, .skipped = KERNELS},
    {.name = "no storage, r32f",
     .edits = {WITHOUT(STORAGE_IMAGE_BIT)},
     .args = {"-f", "r32f"},
     .skipped = KERNELS},
    {.name = "no storage, sRGB",
     .edits = {WITHOUT(STORAGE_IMAGE_BIT)},
     .args = {"--srgb"},
     .skipped = KERNELS},
    {.name = "no attachments",
     .edits = {WITHOUT(COLOR_ATTACHMENT_BIT)},
     .skipped = "raster",
     .strategies = DRAWN},
    {.name = "no sampling",
     .edits = {WITHOUT(SAMPLED_IMAGE_BIT)},
     .skipped = "raster compute subgroup spd separable spd-tree"},
    {.name = "no transfers",
     .edits = {EDIT(FORMAT_FEATURES,
                    VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT)}},
    {.name = "no format at all",
     .edits = {EDIT(FORMAT_FEATURES, ~0u)},
     .skipped = "blit raster compute subgroup spd separable spd-tree"},
    {.name = "no image of the format",
     .edits = {EDIT(NO_IMAGES, 0)},
     .strategies = FEW,
     .skipped = "blit compute"},
    {.name = "one level",
     .edits = {EDIT(MIP_LEVELS, 1)},
     .strategies = FEW,
     .skipped = "blit compute"},
    {.name = "three levels",
     .edits = {EDIT(MIP_LEVELS, 3)},
     .strategies = FEW,
     .skipped = "blit compute"},
    {.name = "no linear filter, where it is asked for",
     .edits = {WITHOUT(SAMPLED_IMAGE_FILTER_LINEAR_BIT)},
     .strategies = "compute,compute:load=sampler",
     .skipped = "compute"},
    /* limits */
    {.name = "images of 64", .edits = {LIMIT(maxImageDimension2D, 64)}, .strategies = FEW},
    {.name = "images of 64, 65 texels",
     .edits = {LIMIT(maxImageDimension2D, 64)},
     .args = {"--size", "65x3"},
     .strategies = FEW,
     .skipped = "blit compute"},
    {.name = "images of 8",
     .edits = {LIMIT(maxImageDimension2D, 8)},
     .strategies = FEW,
     .skipped = "blit compute"},
    {.name = "one layer",
     .edits = {LIMIT(maxImageArrayLayers, 1)},
     .args = {"--layers", "2"},
     .strategies = FEW,
     .skipped = "blit compute"},
    {.name = "framebuffers of 8",
     .edits = {LIMIT(maxFramebufferWidth, 8)},
     .strategies = DRAWN},
    {.name = "viewports of 8",
     .edits = {LIMIT(maxViewportDimensions[1], 8)},
     .strategies = DRAWN},
    {.name = "128 invocations",
     .edits = {LIMIT(maxComputeWorkGroupInvocations, 128)},
     .skipped = KERNELS},
    {.name = "64 invocations",
     .edits = {LIMIT(maxComputeWorkGroupInvocations, 64)},
     .skipped = KERNELS},
    {.name = "workgroups 128 wide",
     .edits = {LIMIT(maxComputeWorkGroupSize[0], 128)},
     .skipped = KERNELS},
    {.name = "workgroups 64 wide",
     .edits = {LIMIT(maxComputeWorkGroupSize[0], 64)},
     .skipped = KERNELS},
    {.name = "4 storage images",
     .edits = {LIMIT(maxPerStageDescriptorStorageImages, 4)},
     .skipped = "subgroup spd spd-tree"},
    {.name = "1 storage image",
     .edits = {LIMIT(maxPerStageDescriptorStorageImages, 1)},
     .skipped = "subgroup spd spd-tree"},
    {.name = "no storage image",
     .edits = {LIMIT(maxPerStageDescriptorStorageImages, 0)},
     .skipped = KERNELS},
    {.name = "16 KiB of shared memory",
     .edits = {LIMIT(maxComputeSharedMemorySize, 16384)},
     .skipped = "spd-tree"},
    {.name = "storage buffers of 16 bytes", .edits = {LIMIT(maxStorageBufferRange, 16)}},
    {.name = "no bits between texels",
     .edits = {LIMIT(subTexelPrecisionBits, 0)},
     .strategies = DRAWN},
    {.name = "4 bits between texels",
     .edits = {LIMIT(subTexelPrecisionBits, 4)},
     .strategies = DRAWN},
    /* memory */
    {.name = "allocations of 0", .edits = {ALLOCATION(0)}, .strategies = FEW},
    {.name = "allocations of 64 bytes",
     .edits = {ALLOCATION(64)},
     .strategies = FEW,
     .exit_code = 6},
    {.name = "allocations of 4 KiB",
     .edits = {ALLOCATION(4096)},
     .args = {"--size", "64x64"},
     .strategies = FEW,
     .exit_code = 6},
    {.name = "heaps of 0", .edits = {EDIT(HEAP_BYTES, 0)}, .strategies = FEW, .exit_code = 6},
    {.name = "heaps of 1 KiB",
     .edits = {EDIT(HEAP_BYTES, 1024)},
     .strategies = FEW,
     .exit_code = 6},
    {.name = "heaps of 64 KiB", .edits = {EDIT(HEAP_BYTES, 65536)}, .strategies = FEW},
    {.name = "heaps of 64 KiB, larger image",
     .edits = {EDIT(HEAP_BYTES, 65536)},
     .args = {"--size", "256x256"},
     .strategies = FEW,
     .exit_code = 6},
    {.name = "no device-local memory",
     .edits = {EDIT(MEMORY_FLAGS, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)},
     .strategies = FEW,
     .exit_code = 6},
    {.name = "no mapped memory",
     .edits = {EDIT(MEMORY_FLAGS, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)},
     .strategies = FEW,
     .exit_code = 6},
    {.name = "no coherent memory",
     .edits = {EDIT(MEMORY_FLAGS, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)},
     .strategies = FEW,
     .exit_code = 6},
    {.name = "no cached memory",
     .edits = {EDIT(MEMORY_FLAGS, VK_MEMORY_PROPERTY_HOST_CACHED_BIT)},
     .strategies = FEW},
    /* devices and queues */
    {.name = "no device", .edits = {EDIT(DEVICES, 0)}, .strategies = FEW, .exit_code = 4},
    {.name = "two devices", .edits = {EDIT(DEVICES, 2)}, .strategies = FEW},
    {.name = "two devices, the second",
     .edits = {EDIT(DEVICES, 2)},
     .args = {"-d", "1"},
     .strategies = FEW},
    {.name = "two devices, a third",
     .edits = {EDIT(DEVICES, 2)},
     .args = {"-d", "2"},
     .strategies = FEW,
     .exit_code = 4},
    {.name = "a hundred devices", .edits = {EDIT(DEVICES, 100)}, .strategies = FEW},
    {.name = "no compute",
     .edits = {EDIT(QUEUE_FLAGS, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_TRANSFER_BIT)},
     .strategies = FEW,
     .exit_code = 4},
    {.name = "no graphics",
     .edits = {EDIT(QUEUE_FLAGS, VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT)},
     .skipped = "blit raster",
     .strategies = DRAWN},
    {.name = "no queue", .edits = {EDIT(QUEUE_COUNT, 0)}, .strategies = FEW, .exit_code = 4},
    {.name = "one queue, a load beside",
     .edits = {EDIT(QUEUE_COUNT, 1)},
     .args = {"--mode", "beside"},
     .strategies = FEW,
     .skipped = "blit compute"},
};

const size_t mb_n_lacks = sizeof mb_lacks / sizeof mb_lacks[0];
