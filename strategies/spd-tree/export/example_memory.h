/* Buffers, images and barriers of the examples. */
#ifndef EXAMPLE_MEMORY_H
#define EXAMPLE_MEMORY_H

#include "example_host.h"

static VkResult host_allocate(struct host *host, const VkMemoryRequirements *needs,
                              VkMemoryPropertyFlags flags)
{
    VkPhysicalDeviceMemoryProperties types;
    uint32_t i = 0;
    vkGetPhysicalDeviceMemoryProperties(host->physical, &types);
    while (i + 1 < types.memoryTypeCount &&
           !(needs->memoryTypeBits >> i & 1 &&
             (types.memoryTypes[i].propertyFlags & flags) == flags)) {
        i++;
    }
    const VkMemoryAllocateInfo info = {TYPE(MEMORY_ALLOCATE_INFO), NULL, needs->size, i};
    return vkAllocateMemory(host->device, &info, NULL, &host->memory);
}

/* Makes a zeroed, mapped buffer. */
static bool host_buffer(struct host *host, VkDeviceSize n_bytes, VkBuffer *buffer,
                        void **mapped)
{
    const VkBufferCreateInfo info = {TYPE(BUFFER_CREATE_INFO), .size = n_bytes,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                              VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkMemoryRequirements needs;
    TRY(vkCreateBuffer(host->device, &info, NULL, buffer));
    vkGetBufferMemoryRequirements(host->device, *buffer, &needs);
    TRY(host_allocate(host, &needs,
                      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT));
    TRY(vkBindBufferMemory(host->device, *buffer, host->memory, 0));
    TRY(vkMapMemory(host->device, host->memory, 0, VK_WHOLE_SIZE, 0, mapped));
    memset(*mapped, 0, (size_t)n_bytes);
    return true;
}

static bool host_image(struct host *host, const VkImageCreateInfo *info, VkImage *image)
{
    VkMemoryRequirements needs;
    TRY(vkCreateImage(host->device, info, NULL, image));
    vkGetImageMemoryRequirements(host->device, *image, &needs);
    TRY(host_allocate(host, &needs, 0));
    TRY(vkBindImageMemory(host->device, *image, host->memory, 0));
    return true;
}

/* A barrier for levels of an image: from what was done before to what is done next. */
struct change {
    VkImage image;
    VkImageAspectFlags aspect;
    uint32_t first_level, n_levels;
    VkImageLayout old_layout, layout;
    VkAccessFlags from, to;
};

static void host_barrier(struct host *host, struct change c)
{
    const VkPipelineStageFlags stages =
        VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const VkImageMemoryBarrier info = {TYPE(IMAGE_MEMORY_BARRIER),
                                       .srcAccessMask = c.from,
                                       .dstAccessMask = c.to,
                                       .oldLayout = c.old_layout,
                                       .newLayout = c.layout,
                                       .image = c.image,
                                       .subresourceRange = {c.aspect, c.first_level, c.n_levels,
                                                            0, VK_REMAINING_ARRAY_LAYERS}};
    vkCmdPipelineBarrier(host->cmd, stages, stages, 0, 0, NULL, 0, NULL, 1, &info);
}

#endif
