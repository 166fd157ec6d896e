/* Barriers by purpose, with the commands of Vulkan 1.0, which every device has. */
#pragma once

#include "vk/image.h"

/* Wait for all commands before, and make their writes visible to shaders, transfers and
 * attachments. The accesses are listed one by one: on an H200 a barrier to MEMORY_READ takes
 * 2 us longer. */
void mb_barrier_full(VkCommandBuffer cmd);

/* Wait for all commands before: an execution dependency without a memory dependency. */
void mb_barrier_execution(VkCommandBuffer cmd);

/* One side of a barrier. */
struct mb_access {
    VkPipelineStageFlags stages;
    VkAccessFlags access;
    VkImageLayout layout;
};

/* The state of a readable level at entry and exit, as strategy.h defines it. */
extern const struct mb_access mb_access_readable; /* every stage, SHADER_READ_ONLY_OPTIMAL */
extern const struct mb_access
    mb_access_undefined; /* discards the contents; waits for every stage */
extern const struct mb_access mb_access_compute_write; /* storage image, GENERAL */
extern const struct mb_access
    mb_access_compute_read_write;             /* the same, and sampled in GENERAL */
extern const struct mb_access mb_access_draw; /* colour attachment that is not read */
extern const struct mb_access mb_access_transfer_read;
extern const struct mb_access mb_access_transfer_write;
extern const struct mb_access mb_access_host_read; /* once the submission is complete */

/* Make what `from` wrote visible to `to`, in any memory. */
void mb_barrier_memory(VkCommandBuffer cmd, const struct mb_access *from,
                       const struct mb_access *to);

/* Levels [first_level, first_level + n_levels) of all layers, from one use to another. */
struct mb_level_barrier {
    const struct mb_vk_image *image;
    uint32_t first_level, n_levels;
    const struct mb_access *from, *to;
};

/* One vkCmdPipelineBarrier with `n` <= MB_MAX_LEVELS such barriers. */
void mb_barrier_images(VkCommandBuffer cmd, const struct mb_level_barrier *barriers,
                       uint32_t n);

/* One vkCmdPipelineBarrier over levels [first_level, first_level + n_levels) of all layers. */
void mb_barrier_levels(VkCommandBuffer cmd, const struct mb_vk_image *image,
                       uint32_t first_level, uint32_t n_levels, const struct mb_access *from,
                       const struct mb_access *to);
