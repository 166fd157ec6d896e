/* Barriers. */
#include "vk/barrier.h"

const struct mb_access mb_access_readable = {
    .stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
    .access = VK_ACCESS_SHADER_READ_BIT,
    .layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
};
const struct mb_access mb_access_undefined = {
    .stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
    .access = 0,
    .layout = VK_IMAGE_LAYOUT_UNDEFINED,
};
const struct mb_access mb_access_compute_write = {
    .stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
    .access = VK_ACCESS_SHADER_WRITE_BIT,
    .layout = VK_IMAGE_LAYOUT_GENERAL,
};
const struct mb_access mb_access_compute_read_write = {
    .stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
    .access = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
    .layout = VK_IMAGE_LAYOUT_GENERAL,
};
const struct mb_access mb_access_draw = {
    .stages = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
    .access = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
    .layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
};
const struct mb_access mb_access_transfer_read = {
    .stages = VK_PIPELINE_STAGE_TRANSFER_BIT,
    .access = VK_ACCESS_TRANSFER_READ_BIT,
    .layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
};
const struct mb_access mb_access_transfer_write = {
    .stages = VK_PIPELINE_STAGE_TRANSFER_BIT,
    .access = VK_ACCESS_TRANSFER_WRITE_BIT,
    .layout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
};
const struct mb_access mb_access_host_read = {
    .stages = VK_PIPELINE_STAGE_HOST_BIT,
    .access = VK_ACCESS_HOST_READ_BIT,
};

void mb_barrier_memory(VkCommandBuffer cmd, const struct mb_access *from,
                       const struct mb_access *to)
{
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = from->access,
        .dstAccessMask = to->access,
    };
    vkCmdPipelineBarrier(cmd, from->stages, to->stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}

void mb_barrier_full(VkCommandBuffer cmd)
{
    static const struct mb_access from = {
        .stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        .access = VK_ACCESS_MEMORY_WRITE_BIT,
    };
    static const struct mb_access to = {
        .stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        .access = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                  VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                  VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
    };
    mb_barrier_memory(cmd, &from, &to);
}

void mb_barrier_execution(VkCommandBuffer cmd)
{
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 0, NULL);
}

static VkImageMemoryBarrier image_barrier(const struct mb_level_barrier *barrier)
{
    return (VkImageMemoryBarrier){
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = barrier->from->access,
        .dstAccessMask = barrier->to->access,
        .oldLayout = barrier->from->layout,
        .newLayout = barrier->to->layout,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = barrier->image->image,
        .subresourceRange =
            {
                .aspectMask = barrier->image->aspect,
                .baseMipLevel = barrier->first_level,
                .levelCount = barrier->n_levels,
                .layerCount = barrier->image->layout.n_layers,
            },
    };
}

void mb_barrier_images(VkCommandBuffer cmd, const struct mb_level_barrier *barriers, uint32_t n)
{
    VkImageMemoryBarrier image_barriers[MB_MAX_LEVELS];
    VkPipelineStageFlags from = 0, to = 0;
    for (uint32_t i = 0; i < n; i++) {
        image_barriers[i] = image_barrier(&barriers[i]);
        from |= barriers[i].from->stages;
        to |= barriers[i].to->stages;
    }
    vkCmdPipelineBarrier(cmd, from, to, 0, 0, NULL, 0, NULL, n, image_barriers);
}

void mb_barrier_levels(VkCommandBuffer cmd, const struct mb_vk_image *image,
                       uint32_t first_level, uint32_t n_levels, const struct mb_access *from,
                       const struct mb_access *to)
{
    const struct mb_level_barrier barrier = {image, first_level, n_levels, from, to};
    mb_barrier_images(cmd, &barrier, 1);
}
