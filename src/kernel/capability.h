/* What capabilities of SPIR-V ask of a device (Vulkan specification, "SPIR-V Capabilities"). */
#pragma once

#include <stdint.h>

#include <vulkan/vulkan_core.h>

/* With the number of an execution mode: one that needs a feature and has no capability. */
#define MB_SPIRV_MODE 0x80000000u

struct mb_spirv_capability {
    uint32_t number;
    VkSubgroupFeatureFlags operation; /* of subgroups, that it is */
    const char *features[4];          /* any of these; none: every device has it */
};

/* One that this program may enable, or NULL. */
const struct mb_spirv_capability *mb_spirv_capability_find(uint32_t number);
