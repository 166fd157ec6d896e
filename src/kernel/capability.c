/* The table of capabilities. Devices are made with all features that are known (vk/features.c).
 */
#include "kernel/capability.h"

#include <stddef.h>

#include "base/err.h"

#define SUBGROUP(operation) VK_SUBGROUP_FEATURE_##operation##_BIT

/* clang-format off */
static const struct mb_spirv_capability known[] = {
    {0, 0, {0}}, {1, 0, {0}}, /* Matrix, Shader */
    {9, 0, {"shaderFloat16"}},
    {10, 0, {"shaderFloat64"}},
    {11, 0, {"shaderInt64"}},
    {12, 0, {"shaderBufferInt64Atomics", "shaderSharedInt64Atomics", "shaderImageInt64Atomics"}},
    {22, 0, {"shaderInt16"}},
    {25, 0, {"shaderImageGatherExtended"}},
    {28, 0, {"shaderUniformBufferArrayDynamicIndexing"}},
    {29, 0, {"shaderSampledImageArrayDynamicIndexing"}},
    {30, 0, {"shaderStorageBufferArrayDynamicIndexing"}},
    {31, 0, {"shaderStorageImageArrayDynamicIndexing"}},
    {34, 0, {"imageCubeArray"}},
    {39, 0, {"shaderInt8"}},
    {42, 0, {"shaderResourceMinLod"}},
    {43, 0, {0}}, {44, 0, {0}}, /* Sampled1D, Image1D */
    {45, 0, {"imageCubeArray"}},
    {46, 0, {0}}, {47, 0, {0}}, /* SampledBuffer, ImageBuffer */
    {49, 0, {"shaderStorageImageExtendedFormats"}},
    {50, 0, {0}}, /* ImageQuery */
    {55, 0, {"shaderStorageImageReadWithoutFormat"}},
    {56, 0, {"shaderStorageImageWriteWithoutFormat"}},
    {61, SUBGROUP(BASIC), {0}},
    {62, SUBGROUP(VOTE), {0}},
    {63, SUBGROUP(ARITHMETIC), {0}},
    {64, SUBGROUP(BALLOT), {0}},
    {65, SUBGROUP(SHUFFLE), {0}},
    {66, SUBGROUP(SHUFFLE_RELATIVE), {0}},
    {67, SUBGROUP(CLUSTERED), {0}},
    {68, SUBGROUP(QUAD), {0}},
    {4423, SUBGROUP(BALLOT), {0}}, /* SPV_KHR_shader_ballot */
    {4428, 0, {"workgroupMemoryExplicitLayout"}},
    {4429, 0, {"workgroupMemoryExplicitLayout8BitAccess"}},
    {4430, 0, {"workgroupMemoryExplicitLayout16BitAccess"}},
    {4431, SUBGROUP(VOTE), {0}}, /* SPV_KHR_subgroup_vote */
    {4433, 0, {"storageBuffer16BitAccess"}},
    {4434, 0, {"uniformAndStorageBuffer16BitAccess"}},
    {4435, 0, {"storagePushConstant16"}},
    {4441, 0, {"variablePointersStorageBuffer"}},
    {4442, 0, {"variablePointers"}},
    {4448, 0, {"storageBuffer8BitAccess"}},
    {4449, 0, {"uniformAndStorageBuffer8BitAccess"}},
    {4450, 0, {"storagePushConstant8"}},
    {4464, 0, {0}}, {4465, 0, {0}}, {4466, 0, {0}}, {4467, 0, {0}}, {4468, 0, {0}}, /* float controls */
    {5016, 0, {"shaderImageInt64Atomics"}},
    {5055, 0, {"shaderSubgroupClock", "shaderDeviceClock"}},
    {5297, VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV, {0}},
    {5301, 0, {"descriptorIndexing"}},
    {5302, 0, {"runtimeDescriptorArray"}},
    {5306, 0, {"shaderUniformBufferArrayNonUniformIndexing"}},
    {5307, 0, {"shaderSampledImageArrayNonUniformIndexing"}},
    {5308, 0, {"shaderStorageBufferArrayNonUniformIndexing"}},
    {5309, 0, {"shaderStorageImageArrayNonUniformIndexing"}},
    {5345, 0, {"vulkanMemoryModel"}},
    {5346, 0, {"vulkanMemoryModelDeviceScope"}},
    {5347, 0, {"bufferDeviceAddress"}},
    {5612, 0, {"shaderBufferFloat32AtomicMinMax", "shaderSharedFloat32AtomicMinMax"}},
    {5616, 0, {"shaderBufferFloat16AtomicMinMax"}},
    {6016, 0, {"shaderIntegerDotProduct"}},
    {6017, 0, {"shaderIntegerDotProduct"}},
    {6018, 0, {"shaderIntegerDotProduct"}},
    {6019, 0, {"shaderIntegerDotProduct"}},
    {6033, 0, {"shaderBufferFloat32AtomicAdd", "shaderSharedFloat32AtomicAdd", "shaderImageFloat32AtomicAdd"}},
    {6095, 0, {"shaderBufferFloat16AtomicAdd", "shaderSharedFloat16AtomicAdd"}},
};
/* clang-format on */

const struct mb_spirv_capability *mb_spirv_capability_find(uint32_t number)
{
    for (size_t i = 0; i < MB_COUNTOF(known); i++) {
        if (known[i].number == number) {
            return &known[i];
        }
    }
    return NULL;
}
