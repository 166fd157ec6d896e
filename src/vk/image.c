/* The mip-mapped image: creation, memory and per-level views. */
#include "vk/image.h"

#include "vk/memory.h"

static VkFormat raw_format(const struct mb_format *format)
{
    return format->texel_bytes == 4   ? VK_FORMAT_R32_UINT
           : format->texel_bytes == 8 ? VK_FORMAT_R32G32_UINT
                                      : VK_FORMAT_UNDEFINED;
}

bool mb_vk_image_can_be_raw(const struct mb_gpu *gpu, const struct mb_format *format)
{
    const struct mb_features *features = &gpu->info.features;
    const bool keeps_components = format->texel_bytes == 4 * format->n_channels;
    return raw_format(format) != VK_FORMAT_UNDEFINED &&
           (keeps_components || !mb_features_has(features, "VK_KHR_portability_subset") ||
            mb_features_has(features, "imageViewFormatReinterpretation"));
}

static enum mb_status check_limits(const struct mb_gpu *gpu, const struct mb_layout *layout,
                                   const VkImageCreateInfo *info, struct mb_err *err)
{
    MB_FAIL_IF((info->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) &&
                   layout->base.width != layout->base.height,
               err, MB_ERRC_UNSUPPORTED, "%ux%u: the faces of a cube are square",
               layout->base.width, layout->base.height);
    VkImageFormatProperties properties;
    VkResult result = vkGetPhysicalDeviceImageFormatProperties(
        gpu->physical_device, info->format, info->imageType, info->tiling, info->usage,
        info->flags, &properties);
    MB_FAIL_IF(result == VK_ERROR_FORMAT_NOT_SUPPORTED, err, MB_ERRC_UNSUPPORTED,
               "format %s: the device does not support the requested image usage",
               layout->format->name);
    MB_DO(
        mb_err_vk(err, result, "vkGetPhysicalDeviceImageFormatProperties", __FILE__, __LINE__));
    MB_FAIL_IF(
        layout->base.width > properties.maxExtent.width ||
            layout->base.height > properties.maxExtent.height ||
            info->mipLevels > properties.maxMipLevels ||
            layout->n_layers > properties.maxArrayLayers,
        err, MB_ERRC_UNSUPPORTED,
        "image %ux%u, %u layers: the device's limit of %s is %ux%u, %u levels, %u layers",
        layout->base.width, layout->base.height, layout->n_layers, layout->format->name,
        properties.maxExtent.width, properties.maxExtent.height, properties.maxMipLevels,
        properties.maxArrayLayers);
    return MB_OK;
}

enum mb_status mb_vk_image_create_view(const struct mb_vk_image *image,
                                       const struct mb_view *part, VkImageView *view,
                                       struct mb_err *err)
{
    VkImageViewUsageCreateInfo view_usage = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
        .usage = part->usage,
    };
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .pNext = &view_usage,
        .image = image->image,
        .viewType = part->is_2d ? VK_IMAGE_VIEW_TYPE_2D : VK_IMAGE_VIEW_TYPE_2D_ARRAY,
        .format = part->format,
        .subresourceRange =
            {
                .aspectMask = image->aspect,
                .baseMipLevel = part->first_level,
                .levelCount = part->n_levels,
                .baseArrayLayer = part->first_layer,
                .layerCount = part->n_layers,
            },
    };
    if (image->gpu->state->only_compiles) {
        *view = VK_NULL_HANDLE;
        return MB_OK;
    }
    return MB_VK_MAKE(vkCreateImageView, image->gpu->device, &info, view);
}

static enum mb_status create_views(struct mb_vk_image *image, struct mb_err *err)
{
    const VkFormat format = image->aspect == VK_IMAGE_ASPECT_DEPTH_BIT
                                ? VK_FORMAT_D32_SFLOAT
                                : image->layout.format->vk_storage_format;
    const struct {
        VkImageView *views;
        VkFormat format;
        VkImageUsageFlags usage;
    } kinds[] = {
        {image->stored, format, VK_IMAGE_USAGE_SAMPLED_BIT},
        {image->storage, format, VK_IMAGE_USAGE_STORAGE_BIT},
        {image->raw, raw_format(image->layout.format),
         image->is_raw ? VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT : 0},
    };
    for (uint32_t i = 0; i < MB_COUNTOF(kinds) * image->layout.n_levels; i++) {
        const uint32_t kind = i % MB_COUNTOF(kinds), level = i / MB_COUNTOF(kinds);
        const struct mb_view part = {
            .format = kinds[kind].format,
            .usage = image->usage & kinds[kind].usage,
            .first_level = level,
            .n_levels = 1,
            .n_layers = image->layout.n_layers,
        };
        if (part.usage) {
            MB_DO(mb_vk_image_create_view(image, &part, &kinds[kind].views[level], err));
        }
    }
    return MB_OK;
}

static VkImageCreateInfo create_info(const struct mb_vk_image *image,
                                     const struct mb_vk_image_options *options)
{
    const struct mb_format *format = image->layout.format;
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = image->is_cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = options->is_depth ? VK_FORMAT_D32_SFLOAT : format->vk_format,
        .extent = {image->layout.base.width, image->layout.base.height, 1},
        .mipLevels = image->n_levels,
        .arrayLayers = image->layout.n_layers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = image->usage,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
    if (!options->is_depth &&
        (format->vk_format != format->vk_storage_format || image->is_raw)) {
        info.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
    }
    return info;
}

enum mb_status mb_vk_image_init(struct mb_vk_image *image, const struct mb_gpu *gpu,
                                const struct mb_vk_image_options *options, struct mb_err *err)
{
    const struct mb_layout *layout = options->layout;
    *image = (struct mb_vk_image){
        .gpu = gpu,
        .layout = *layout,
        .n_levels = options->n_levels,
        .usage = options->usage,
        .is_cube = options->is_cube,
        .is_raw = options->is_raw && !options->is_depth &&
                  mb_vk_image_can_be_raw(gpu, layout->format),
        .aspect = options->is_depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT,
    };
    VkImageCreateInfo info = create_info(image, options);
    MB_DO(check_limits(gpu, layout, &info, err));
    if (gpu->state->only_compiles) {
        return MB_OK;
    }
    const bool is_rgba8 = layout->format->vk_storage_format == VK_FORMAT_R8G8B8A8_UNORM;
    const VkFormat formats[] = {layout->format->vk_format, layout->format->vk_storage_format,
                                raw_format(layout->format), VK_FORMAT_R8G8B8A8_UINT};
    const VkImageFormatListCreateInfo format_list = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
        .viewFormatCount = !image->is_raw ? 2
                           : is_rgba8     ? 4
                                          : 3,
        .pViewFormats = formats,
    };
    if (info.flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) {
        info.pNext = &format_list;
    }
    MB_DO(MB_VK_MAKE(vkCreateImage, gpu->device, &info, &image->image));
    mb_gpu_name(gpu, VK_OBJECT_TYPE_IMAGE, (uint64_t)image->image, options->name);
    VkMemoryRequirements requirements;
    vkGetImageMemoryRequirements(gpu->device, image->image, &requirements);
    const struct mb_memory_options memory = {.required = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                             .what = options->name};
    MB_DO(mb_memory_allocate(gpu, &requirements, &memory, &image->memory, err));
    MB_DO(MB_VK(vkBindImageMemory(gpu->device, image->image, image->memory, 0)));
    MB_DO(create_views(image, err));
    return MB_OK;
}

void mb_vk_image_finish(struct mb_vk_image *image)
{
    if (!image->gpu || image->gpu->state->is_lost) {
        return;
    }
    VkDevice device = image->gpu->device;
    for (uint32_t level = 0; level < MB_MAX_LEVELS; level++) {
        vkDestroyImageView(device, image->raw[level], NULL);
        vkDestroyImageView(device, image->storage[level], NULL);
        vkDestroyImageView(device, image->stored[level], NULL);
    }
    vkDestroyImage(device, image->image, NULL);
    vkFreeMemory(device, image->memory, NULL);
    *image = (struct mb_vk_image){0};
}

enum mb_status mb_sampler_create(const struct mb_gpu *gpu,
                                 const struct mb_sampler_options *options, VkSampler *sampler,
                                 struct mb_err *err)
{
    static const VkSamplerReductionMode modes[MB_N_REDUCES] = {
        [MB_REDUCE_AVG] = VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE,
        [MB_REDUCE_MIN] = VK_SAMPLER_REDUCTION_MODE_MIN,
        [MB_REDUCE_MAX] = VK_SAMPLER_REDUCTION_MODE_MAX,
    };
    const VkSamplerReductionModeCreateInfo reduction = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO,
        .reductionMode = modes[options->reduction],
    };
    const bool is_extreme = options->is_linear && options->reduction != MB_REDUCE_AVG;
    const VkFilter filter = options->is_linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    const VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .pNext = is_extreme ? &reduction : NULL,
        .magFilter = filter,
        .minFilter = filter,
        .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
        .addressModeU = options->address,
        .addressModeV = options->address,
        .addressModeW = options->address,
        .maxLod = VK_LOD_CLAMP_NONE,
    };
    MB_DO(MB_VK_MAKE(vkCreateSampler, gpu->device, &info, sampler));
    mb_gpu_name(gpu, VK_OBJECT_TYPE_SAMPLER, (uint64_t)*sampler,
                options->is_linear ? "bilinear" : "nearest");
    return MB_OK;
}

void mb_sampler_destroy(const struct mb_gpu *gpu, VkSampler sampler)
{
    if (gpu && !gpu->state->is_lost) {
        vkDestroySampler(gpu->device, sampler, NULL);
    }
}
