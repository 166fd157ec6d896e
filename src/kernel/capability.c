/* What capabilities ask of a device (Vulkan specification, "SPIR-V Capabilities"). Devices are
 * made with all features that are known (vk/features.c).
 */
#include "kernel/spirv.h"

#include <stddef.h>

#include <spirv_cross_c.h> /* and with it spirv.h */

#define SUBGROUP(operation) VK_SUBGROUP_FEATURE_##operation##_BIT

/* clang-format off */
static const struct mb_spirv_capability known[] = {
    {SpvCapabilityMatrix, 0, {0}}, {SpvCapabilityShader, 0, {0}},
    {SpvCapabilityFloat16, 0, {"shaderFloat16"}},
    {SpvCapabilityInt64, 0, {"shaderInt64"}},
    {SpvCapabilityInt64Atomics, 0, {"shaderBufferInt64Atomics", "shaderSharedInt64Atomics", "shaderImageInt64Atomics"}},
    {SpvCapabilityInt16, 0, {"shaderInt16"}},
    {SpvCapabilityImageGatherExtended, 0, {"shaderImageGatherExtended"}},
    {SpvCapabilityUniformBufferArrayDynamicIndexing, 0, {"shaderUniformBufferArrayDynamicIndexing"}},
    {SpvCapabilitySampledImageArrayDynamicIndexing, 0, {"shaderSampledImageArrayDynamicIndexing"}},
    {SpvCapabilityStorageBufferArrayDynamicIndexing, 0, {"shaderStorageBufferArrayDynamicIndexing"}},
    {SpvCapabilityStorageImageArrayDynamicIndexing, 0, {"shaderStorageImageArrayDynamicIndexing"}},
    {SpvCapabilityInt8, 0, {"shaderInt8"}},
    {SpvCapabilityStorageImageExtendedFormats, 0, {"shaderStorageImageExtendedFormats"}},
    {SpvCapabilityImageQuery, 0, {0}},
    {SpvCapabilityStorageImageReadWithoutFormat, 0, {"shaderStorageImageReadWithoutFormat"}},
    {SpvCapabilityStorageImageWriteWithoutFormat, 0, {"shaderStorageImageWriteWithoutFormat"}},
    {SpvCapabilityGroupNonUniform, SUBGROUP(BASIC), {0}},
    {SpvCapabilityGroupNonUniformVote, SUBGROUP(VOTE), {0}},
    {SpvCapabilityGroupNonUniformArithmetic, SUBGROUP(ARITHMETIC), {0}},
    {SpvCapabilityGroupNonUniformBallot, SUBGROUP(BALLOT), {0}},
    {SpvCapabilityGroupNonUniformShuffle, SUBGROUP(SHUFFLE), {0}},
    {SpvCapabilityGroupNonUniformShuffleRelative, SUBGROUP(SHUFFLE_RELATIVE), {0}},
    {SpvCapabilityGroupNonUniformClustered, SUBGROUP(CLUSTERED), {0}},
    {SpvCapabilityGroupNonUniformQuad, SUBGROUP(QUAD), {0}},
    {SpvCapabilitySubgroupBallotKHR, SUBGROUP(BALLOT), {0}},
    {SpvCapabilityWorkgroupMemoryExplicitLayoutKHR, 0, {"workgroupMemoryExplicitLayout"}},
    {SpvCapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR, 0, {"workgroupMemoryExplicitLayout16BitAccess"}},
    {SpvCapabilitySubgroupVoteKHR, SUBGROUP(VOTE), {0}},
    {SpvCapabilityStorageBuffer16BitAccess, 0, {"storageBuffer16BitAccess"}},
    {SpvCapabilityStorageUniform16, 0, {"uniformAndStorageBuffer16BitAccess"}},
    {SpvCapabilityStoragePushConstant16, 0, {"storagePushConstant16"}},
    {SpvCapabilityStorageBuffer8BitAccess, 0, {"storageBuffer8BitAccess"}},
    {SpvCapabilityUniformAndStorageBuffer8BitAccess, 0, {"uniformAndStorageBuffer8BitAccess"}},
    {SpvCapabilityStoragePushConstant8, 0, {"storagePushConstant8"}},
    {SpvCapabilityDenormPreserve, 0, {0}},
    {SpvCapabilityDenormFlushToZero, 0, {0}},
    {SpvCapabilitySignedZeroInfNanPreserve, 0, {0}},
    {SpvCapabilityRoundingModeRTE, 0, {0}},
    {SpvCapabilityRoundingModeRTZ, 0, {0}},
    {SpvCapabilityShaderNonUniform, 0, {"descriptorIndexing"}},
    {SpvCapabilityRuntimeDescriptorArray, 0, {"runtimeDescriptorArray"}},
    {SpvCapabilityUniformBufferArrayNonUniformIndexing, 0, {"shaderUniformBufferArrayNonUniformIndexing"}},
    {SpvCapabilitySampledImageArrayNonUniformIndexing, 0, {"shaderSampledImageArrayNonUniformIndexing"}},
    {SpvCapabilityStorageBufferArrayNonUniformIndexing, 0, {"shaderStorageBufferArrayNonUniformIndexing"}},
    {SpvCapabilityStorageImageArrayNonUniformIndexing, 0, {"shaderStorageImageArrayNonUniformIndexing"}},
    {SpvCapabilityVulkanMemoryModel, 0, {"vulkanMemoryModel"}},
    {SpvCapabilityVulkanMemoryModelDeviceScope, 0, {"vulkanMemoryModelDeviceScope"}},
    {SpvCapabilityPhysicalStorageBufferAddresses, 0, {"bufferDeviceAddress"}},
    {SpvCapabilityAtomicFloat32MinMaxEXT, 0, {"shaderBufferFloat32AtomicMinMax", "shaderSharedFloat32AtomicMinMax"}},
    {SpvCapabilityAtomicFloat16MinMaxEXT, 0, {"shaderBufferFloat16AtomicMinMax"}},
    {SpvCapabilityDotProductInputAll, 0, {"shaderIntegerDotProduct"}},
    {SpvCapabilityDotProductInput4x8Bit, 0, {"shaderIntegerDotProduct"}},
    {SpvCapabilityDotProductInput4x8BitPacked, 0, {"shaderIntegerDotProduct"}},
    {SpvCapabilityDotProduct, 0, {"shaderIntegerDotProduct"}},
    {SpvCapabilityAtomicFloat32AddEXT, 0, {"shaderBufferFloat32AtomicAdd", "shaderSharedFloat32AtomicAdd", "shaderImageFloat32AtomicAdd"}},
    {SpvCapabilityAtomicFloat16AddEXT, 0, {"shaderBufferFloat16AtomicAdd", "shaderSharedFloat16AtomicAdd"}},
    {MB_SPIRV_MODE | SpvExecutionModeSubgroupUniformControlFlowKHR, 0, {"shaderSubgroupUniformControlFlow"}},
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
