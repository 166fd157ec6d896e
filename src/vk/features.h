/* Features and extensions by name. A device is created with all known features that it offers;
 * a strategy names those that it needs. */
#pragma once

#include <stdbool.h>

#include <volk.h>

#include "base/err.h"

#define MB_N_FEATURE_GROUPS 20u

/* The known features that a device offers, all of which are enabled. The structures are not
 * chained; a structure is zero if the device does not know it. */
struct mb_features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceSubgroupSizeControlFeatures size_control;
    VkPhysicalDeviceDynamicRenderingFeatures rendering;
    VkPhysicalDeviceSynchronization2Features synchronization2;
    VkPhysicalDeviceMaintenance4Features maintenance4;
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero_memory;
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2;
    VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT image_int64;
    VkPhysicalDeviceShaderClockFeaturesKHR clock;
    VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicit_layout;
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR uniform_control_flow;
    VkPhysicalDevicePortabilitySubsetFeaturesKHR portability; /* other devices have them all */
    /* Whether row i of the table in features.c is offered, by the API version or else as an
     * extension. */
    VkBool32 groups[MB_N_FEATURE_GROUPS];
};

/* Query the features that a program may use at API version `version`. */
void mb_features_read(VkPhysicalDevice device, uint32_t version, struct mb_features *features);

/* For VkDeviceCreateInfo: chain the structures behind `features->core`, and list the extensions
 * that the features need at API version `version`. Returns how many. */
uint32_t mb_features_enable(struct mb_features *features, uint32_t version,
                            const char *extensions[MB_N_FEATURE_GROUPS]);

/* Whether the name is known, to tell a misspelt name from a missing feature. */
bool mb_features_is_known(const char *name);

/* `name` is spelt as in the specification: "shaderInt64", "VK_KHR_push_descriptor". */
bool mb_features_has(const struct mb_features *features, const char *name);

/* MB_OK if a device has all of `names`, else MB_UNSUPPORTED with a sentence that names the
 * first that it lacks. `names` is NULL-terminated; NULL: none. */
MB_MUST_CHECK enum mb_status mb_features_require(const struct mb_features *features,
                                                 const char *const *names, struct mb_err *why);
