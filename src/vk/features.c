/* The table of known features and extensions.
 *
 * It leaves out features that cost something even when unused: robustBufferAccess and
 * robustImageAccess (every access is checked), protectedMemory and
 * bufferDeviceAddressCaptureReplay (allocations are restricted), VK_EXT_descriptor_buffer
 * (drivers place descriptors elsewhere). It also leaves out features that no kernel can use:
 * sparse images, depth, lines, points, blending, tessellation, queries, compressed and YCbCr
 * formats. */
#include "vk/features.h"

#include <string.h>

#define ALWAYS 0u
#define NEVER  UINT32_MAX

/* A feature structure, which an extension or a version of Vulkan provides; or an extension
 * without a structure. */
struct group {
    const char *extension;
    uint32_t core_version;
    VkStructureType type;
    size_t offset; /* of the structure within mb_features; 0: none */
};

#define GROUP(extension, version, type, member)                                                \
    {                                                                                          \
        extension, version, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type,                          \
            offsetof(struct mb_features, member)                                               \
    }

static const struct group groups[MB_N_FEATURE_GROUPS] = {
    GROUP(NULL, ALWAYS, VULKAN_1_1_FEATURES, v11),
    GROUP(NULL, ALWAYS, VULKAN_1_2_FEATURES, v12),
    GROUP("VK_EXT_subgroup_size_control", VK_API_VERSION_1_3, SUBGROUP_SIZE_CONTROL_FEATURES,
          size_control),
    GROUP("VK_KHR_dynamic_rendering", VK_API_VERSION_1_3, DYNAMIC_RENDERING_FEATURES,
          rendering),
    GROUP("VK_KHR_synchronization2", VK_API_VERSION_1_3, SYNCHRONIZATION_2_FEATURES,
          synchronization2),
    GROUP("VK_KHR_maintenance4", VK_API_VERSION_1_3, MAINTENANCE_4_FEATURES, maintenance4),
    GROUP("VK_KHR_zero_initialize_workgroup_memory", VK_API_VERSION_1_3,
          ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES, zero_memory),
    GROUP("VK_KHR_shader_integer_dot_product", VK_API_VERSION_1_3,
          SHADER_INTEGER_DOT_PRODUCT_FEATURES, dot_product),
    GROUP("VK_KHR_pipeline_executable_properties", NEVER,
          PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, executables),
    GROUP("VK_EXT_shader_atomic_float", NEVER, SHADER_ATOMIC_FLOAT_FEATURES_EXT, atomic_float),
    GROUP("VK_EXT_shader_atomic_float2", NEVER, SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
          atomic_float2),
    GROUP("VK_EXT_shader_image_atomic_int64", NEVER, SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT,
          image_int64),
    GROUP("VK_KHR_shader_clock", NEVER, SHADER_CLOCK_FEATURES_KHR, clock),
    GROUP("VK_KHR_workgroup_memory_explicit_layout", NEVER,
          WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, explicit_layout),
    GROUP("VK_KHR_shader_subgroup_uniform_control_flow", NEVER,
          SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR, uniform_control_flow),
    {.extension = "VK_KHR_push_descriptor", .core_version = NEVER},
    /* These three tell the number of cores. */
    {.extension = VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME, .core_version = NEVER},
    {.extension = VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME, .core_version = NEVER},
    {.extension = VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME, .core_version = NEVER},
    /* If a driver offers this one, it must be enabled (VUID-VkDeviceCreateInfo-04451). */
    GROUP("VK_KHR_portability_subset", NEVER, PORTABILITY_SUBSET_FEATURES_KHR, portability),
};

/* One feature: a VkBool32 within mb_features. */
struct feature {
    const char *name;
    size_t offset;
};

#define FEATURE(member, feature)                                                               \
    {                                                                                          \
#feature, offsetof(struct mb_features, member.feature)                                 \
    }
#define CORE(feature) FEATURE(core.features, feature)
#define V11(feature)  FEATURE(v11, feature)
#define V12(feature)  FEATURE(v12, feature)

/* clang-format off */
static const struct feature known[] = {
    CORE(imageCubeArray), CORE(independentBlend), CORE(geometryShader), CORE(multiViewport),
    CORE(samplerAnisotropy), CORE(vertexPipelineStoresAndAtomics), CORE(fragmentStoresAndAtomics),
    CORE(shaderImageGatherExtended), CORE(shaderStorageImageExtendedFormats),
    CORE(shaderStorageImageReadWithoutFormat), CORE(shaderStorageImageWriteWithoutFormat),
    CORE(shaderUniformBufferArrayDynamicIndexing), CORE(shaderSampledImageArrayDynamicIndexing),
    CORE(shaderStorageBufferArrayDynamicIndexing), CORE(shaderStorageImageArrayDynamicIndexing),
    CORE(shaderFloat64), CORE(shaderInt64), CORE(shaderInt16), CORE(shaderResourceMinLod),
    V11(storageBuffer16BitAccess), V11(uniformAndStorageBuffer16BitAccess),
    V11(storagePushConstant16), V11(multiview), V11(variablePointersStorageBuffer),
    V11(variablePointers), V11(shaderDrawParameters),
    V12(samplerMirrorClampToEdge), V12(drawIndirectCount), V12(storageBuffer8BitAccess),
    V12(uniformAndStorageBuffer8BitAccess), V12(storagePushConstant8),
    V12(shaderBufferInt64Atomics), V12(shaderSharedInt64Atomics), V12(shaderFloat16),
    V12(shaderInt8), V12(descriptorIndexing), V12(shaderUniformBufferArrayNonUniformIndexing),
    V12(shaderSampledImageArrayNonUniformIndexing), V12(shaderStorageBufferArrayNonUniformIndexing),
    V12(shaderStorageImageArrayNonUniformIndexing), V12(descriptorBindingPartiallyBound),
    V12(descriptorBindingVariableDescriptorCount), V12(runtimeDescriptorArray),
    V12(samplerFilterMinmax), V12(scalarBlockLayout), V12(imagelessFramebuffer),
    V12(uniformBufferStandardLayout), V12(shaderSubgroupExtendedTypes), V12(timelineSemaphore),
    V12(bufferDeviceAddress), V12(vulkanMemoryModel), V12(vulkanMemoryModelDeviceScope),
    V12(vulkanMemoryModelAvailabilityVisibilityChains), V12(shaderOutputViewportIndex),
    V12(shaderOutputLayer), V12(subgroupBroadcastDynamicId),
    FEATURE(size_control, subgroupSizeControl), FEATURE(size_control, computeFullSubgroups),
    FEATURE(rendering, dynamicRendering), FEATURE(synchronization2, synchronization2),
    FEATURE(maintenance4, maintenance4),
    FEATURE(zero_memory, shaderZeroInitializeWorkgroupMemory),
    FEATURE(dot_product, shaderIntegerDotProduct), FEATURE(executables, pipelineExecutableInfo),
    FEATURE(atomic_float, shaderBufferFloat32Atomics),
    FEATURE(atomic_float, shaderBufferFloat32AtomicAdd),
    FEATURE(atomic_float, shaderSharedFloat32Atomics),
    FEATURE(atomic_float, shaderSharedFloat32AtomicAdd),
    FEATURE(atomic_float, shaderImageFloat32Atomics),
    FEATURE(atomic_float, shaderImageFloat32AtomicAdd),
    FEATURE(atomic_float2, shaderBufferFloat16Atomics),
    FEATURE(atomic_float2, shaderBufferFloat16AtomicAdd),
    FEATURE(atomic_float2, shaderBufferFloat16AtomicMinMax),
    FEATURE(atomic_float2, shaderBufferFloat32AtomicMinMax),
    FEATURE(atomic_float2, shaderSharedFloat16AtomicAdd),
    FEATURE(atomic_float2, shaderSharedFloat32AtomicMinMax),
    FEATURE(image_int64, shaderImageInt64Atomics),
    FEATURE(clock, shaderSubgroupClock), FEATURE(clock, shaderDeviceClock),
    FEATURE(explicit_layout, workgroupMemoryExplicitLayout),
    FEATURE(explicit_layout, workgroupMemoryExplicitLayoutScalarBlockLayout),
    FEATURE(explicit_layout, workgroupMemoryExplicitLayout8BitAccess),
    FEATURE(explicit_layout, workgroupMemoryExplicitLayout16BitAccess),
    FEATURE(uniform_control_flow, shaderSubgroupUniformControlFlow),
    FEATURE(portability, events), FEATURE(portability, imageViewFormatReinterpretation),
};
/* clang-format on */

static void find_groups(VkPhysicalDevice device, uint32_t version, struct mb_features *features)
{
    VkExtensionProperties properties[512];
    uint32_t n = MB_COUNTOF(properties);
    const VkResult result = vkEnumerateDeviceExtensionProperties(device, NULL, &n, properties);
    n = result == VK_SUCCESS || result == VK_INCOMPLETE ? n : 0;
    for (uint32_t i = 0; i < MB_COUNTOF(groups); i++) {
        features->groups[i] = version >= groups[i].core_version;
        for (uint32_t k = 0; k < n && !features->groups[i]; k++) {
            features->groups[i] = strcmp(properties[k].extensionName, groups[i].extension) == 0;
        }
    }
}

static void chain(struct mb_features *features)
{
    features->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features->core.pNext = NULL;
    for (uint32_t i = 0; i < MB_COUNTOF(groups); i++) {
        if (groups[i].offset > 0 && features->groups[i]) {
            VkBaseOutStructure *link = (void *)((char *)features + groups[i].offset);
            link->sType = groups[i].type;
            link->pNext = features->core.pNext;
            features->core.pNext = link;
        }
    }
}

void mb_features_read(VkPhysicalDevice device, uint32_t version, struct mb_features *features)
{
    struct mb_features all = {0};
    find_groups(device, version, &all);
    chain(&all);
    vkGetPhysicalDeviceFeatures2(device, &all.core);
    *features = (struct mb_features){0};
    memcpy(features->groups, all.groups, sizeof all.groups);
    for (uint32_t i = 0; i < MB_COUNTOF(known); i++) {
        memcpy((char *)features + known[i].offset, (const char *)&all + known[i].offset,
               sizeof(VkBool32));
    }
}

uint32_t mb_features_enable(struct mb_features *features, uint32_t version,
                            const char *extensions[MB_N_FEATURE_GROUPS])
{
    uint32_t n = 0;
    chain(features);
    for (uint32_t i = 0; i < MB_COUNTOF(groups); i++) {
        if (features->groups[i] && version < groups[i].core_version) {
            extensions[n++] = groups[i].extension;
        }
    }
    return n;
}

/* The offset in mb_features of a feature's VkBool32, or an extension's; 0: unknown name. */
static size_t find_offset(const char *name)
{
    for (uint32_t i = 0; i < MB_COUNTOF(known); i++) {
        if (strcmp(known[i].name, name) == 0) {
            return known[i].offset;
        }
    }
    for (uint32_t i = 0; i < MB_COUNTOF(groups); i++) {
        if (groups[i].extension && strcmp(groups[i].extension, name) == 0) {
            return offsetof(struct mb_features, groups) + i * sizeof(VkBool32);
        }
    }
    return 0;
}

bool mb_features_is_known(const char *name)
{
    return find_offset(name) > 0;
}

bool mb_features_has(const struct mb_features *features, const char *name)
{
    const size_t offset = find_offset(name);
    VkBool32 has = VK_FALSE;
    if (offset > 0) {
        memcpy(&has, (const char *)features + offset, sizeof has);
    }
    return has != VK_FALSE;
}

enum mb_status mb_features_require(const struct mb_features *features, const char *const *names,
                                   struct mb_err *why)
{
    for (; names && *names; names++) {
        MB_FAIL_IF(!mb_features_has(features, *names), why, MB_ERRC_UNSUPPORTED,
                   "the device lacks %s", *names);
    }
    return MB_OK;
}
