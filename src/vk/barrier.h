/* Barriers, by what they are for. Vulkan 1.0 commands: every 1.2 device has them. */
#ifndef MB_VK_BARRIER_H
#define MB_VK_BARRIER_H

#include "vk/image.h"

/* Everything before is finished and drained, and its writes are visible to shaders, transfers
 * and attachments, before anything after starts. The accesses are named one by one: on an H200
 * a barrier to MEMORY_READ takes 2 us longer than one to these. */
void mb_barrier_full(VkCommandBuffer cmd);

/* Everything before is finished before anything after starts; no memory is made visible. */
void mb_barrier_execution(VkCommandBuffer cmd);

/* One side of an image barrier. */
struct mb_access {
    VkPipelineStageFlags stages;
    VkAccessFlags access;
    VkImageLayout layout;
};

/* What the contract of strategy.h promises for a level at entry and at exit. */
extern const struct mb_access mb_access_readable; /* every stage, SHADER_READ_ONLY_OPTIMAL */
extern const struct mb_access
    mb_access_undefined; /* contents not needed; waits for every stage */
extern const struct mb_access mb_access_compute_write; /* storage image, GENERAL */
extern const struct mb_access
    mb_access_compute_read_write;             /* the same, and sampled in GENERAL */
extern const struct mb_access mb_access_draw; /* colour attachment that is not read */
extern const struct mb_access mb_access_transfer_read;
extern const struct mb_access mb_access_transfer_write;

/* Levels [first_level, first_level + n_levels) of all layers of an image, from one use to
 * another.
 */
struct mb_level_barrier {
    const struct mb_vk_image *image;
    uint32_t first_level, n_levels;
    const struct mb_access *from, *to;
};

#define MB_MAX_LEVEL_BARRIERS 2u

/* One vkCmdPipelineBarrier over `n` <= MB_MAX_LEVEL_BARRIERS of them. */
void mb_barrier_images(VkCommandBuffer cmd, const struct mb_level_barrier *barriers,
                       uint32_t n);

/* One vkCmdPipelineBarrier over levels [first_level, first_level + n_levels) of all layers. */
void mb_barrier_levels(VkCommandBuffer cmd, const struct mb_vk_image *image,
                       uint32_t first_level, uint32_t n_levels, const struct mb_access *from,
                       const struct mb_access *to);

#endif
