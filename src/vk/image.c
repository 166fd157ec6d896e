/* The mip-mapped image: creation, memory and per-level views. */
#include "vk/image.h"

#include "vk/memory.h"

static enum mb_status check_limits(const struct mb_gpu *gpu, const struct mb_layout *layout,
                                   VkImageUsageFlags usage, struct mb_err *err)
{
    const struct mb_gpu_info *info = &gpu->info;
    if (layout->base.width > info->max_image_dimension_2d ||
        layout->base.height > info->max_image_dimension_2d) {
        return MB_FAIL(err, MB_ERRC_UNSUPPORTED, "image %ux%u: the device's limit is %ux%u",
                       layout->base.width, layout->base.height, info->max_image_dimension_2d,
                       info->max_image_dimension_2d);
    }
    if (layout->n_layers > info->max_image_array_layers) {
        return MB_FAIL(err, MB_ERRC_UNSUPPORTED, "image: %u layers, the device's limit is %u",
                       layout->n_layers, info->max_image_array_layers);
    }
    VkImageFormatProperties properties;
    VkResult result = vkGetPhysicalDeviceImageFormatProperties(
        gpu->physical_device, layout->format->vk_format, VK_IMAGE_TYPE_2D,
        VK_IMAGE_TILING_OPTIMAL, usage, 0, &properties);
    if (result == VK_ERROR_FORMAT_NOT_SUPPORTED) {
        return MB_FAIL(err, MB_ERRC_UNSUPPORTED,
                       "format %s: the device cannot use it as image in the ways asked for",
                       layout->format->name);
    }
    if (result < 0) {
        return mb_err_vk(err, result, "vkGetPhysicalDeviceImageFormatProperties", __FILE__,
                         __LINE__);
    }
    if (layout->base.width > properties.maxExtent.width ||
        layout->base.height > properties.maxExtent.height ||
        layout->n_levels > properties.maxMipLevels ||
        layout->n_layers > properties.maxArrayLayers) {
        return MB_FAIL(err, MB_ERRC_UNSUPPORTED,
                       "format %s: the device's limit is %ux%u, %u levels, %u layers",
                       layout->format->name, properties.maxExtent.width,
                       properties.maxExtent.height, properties.maxMipLevels,
                       properties.maxArrayLayers);
    }
    return MB_OK;
}

static enum mb_status create_view(const struct mb_vk_image *image, VkFormat format,
                                  VkImageUsageFlags usage, uint32_t level, uint32_t n_levels,
                                  VkImageView *view, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    VkImageViewUsageCreateInfo view_usage = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
        .usage = usage,
    };
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .pNext = &view_usage,
        .image = image->image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
        .format = format,
        .subresourceRange =
            {
                .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                .baseMipLevel = level,
                .levelCount = n_levels,
                .layerCount = image->layout.n_layers,
            },
    };
    MB_VK(vkCreateImageView(image->gpu->device, &info, NULL, view));
fail:
    return status;
}

static enum mb_status create_views(struct mb_vk_image *image, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_layout *layout = &image->layout;
    const struct mb_format *format = layout->format;
    if (image->usage & VK_IMAGE_USAGE_SAMPLED_BIT) {
        MB_TRY(create_view(image, format->vk_format, VK_IMAGE_USAGE_SAMPLED_BIT, 0,
                           layout->n_levels, &image->sampled_all, err));
    }
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        if (image->usage & VK_IMAGE_USAGE_SAMPLED_BIT) {
            MB_TRY(create_view(image, format->vk_format, VK_IMAGE_USAGE_SAMPLED_BIT, level, 1,
                               &image->sampled[level], err));
        }
        if (image->usage & VK_IMAGE_USAGE_STORAGE_BIT) {
            MB_TRY(create_view(image, format->vk_storage_format, VK_IMAGE_USAGE_STORAGE_BIT,
                               level, 1, &image->storage[level], err));
        }
    }
fail:
    return status;
}

enum mb_status mb_vk_image_init(struct mb_vk_image *image, const struct mb_gpu *gpu,
                                const struct mb_layout *layout, VkImageUsageFlags usage,
                                const char *name, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    *image = (struct mb_vk_image){.gpu = gpu, .layout = *layout, .usage = usage};
    MB_TRY(check_limits(gpu, layout, usage, err));
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = layout->format->vk_format,
        .extent = {layout->base.width, layout->base.height, 1},
        .mipLevels = layout->n_levels,
        .arrayLayers = layout->n_layers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = usage,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
    MB_VK(vkCreateImage(gpu->device, &info, NULL, &image->image));
    mb_gpu_name(gpu, VK_OBJECT_TYPE_IMAGE, (uint64_t)image->image, name);
    VkMemoryRequirements requirements;
    vkGetImageMemoryRequirements(gpu->device, image->image, &requirements);
    MB_TRY(mb_memory_allocate(gpu, &requirements, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, name,
                              &image->memory, err));
    MB_VK(vkBindImageMemory(gpu->device, image->image, image->memory, 0));
    MB_TRY(create_views(image, err));
    return MB_OK;
fail:
    mb_vk_image_finish(image);
    return status;
}

void mb_vk_image_finish(struct mb_vk_image *image)
{
    if (!image->gpu || image->gpu->state->is_lost) {
        return;
    }
    VkDevice device = image->gpu->device;
    for (uint32_t level = 0; level < MB_MAX_LEVELS; level++) {
        vkDestroyImageView(device, image->storage[level], NULL);
        vkDestroyImageView(device, image->sampled[level], NULL);
    }
    vkDestroyImageView(device, image->sampled_all, NULL);
    vkDestroyImage(device, image->image, NULL);
    vkFreeMemory(device, image->memory, NULL);
    *image = (struct mb_vk_image){0};
}
