/* The test image: upload, poison and read-back. */
#include "bench/test_image.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/os.h"
#include "base/rng.h"
#include "vk/barrier.h"

VkImageUsageFlags mb_test_image_usage(const struct mb_gpu *gpu, const struct mb_format *format)
{
    VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    VkFormatProperties sampled, stored;
    vkGetPhysicalDeviceFormatProperties(gpu->physical_device, format->vk_format, &sampled);
    vkGetPhysicalDeviceFormatProperties(gpu->physical_device, format->vk_storage_format,
                                        &stored);
    if (sampled.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) {
        usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
    }
    if (stored.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) {
        usage |= VK_IMAGE_USAGE_STORAGE_BIT;
    }
    if (stored.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) {
        usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    }
    return usage;
}

/* The copy region of one level, all layers, in a packed block. */
static VkBufferImageCopy level_region(const struct mb_layout *layout, uint32_t level)
{
    const struct mb_extent extent = mb_level_extent(layout->base, level);
    return (VkBufferImageCopy){
        .bufferOffset = layout->level_offset_bytes[level],
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, layout->n_layers},
        .imageExtent = {extent.width, extent.height, 1},
    };
}

void mb_record_image_copy(VkCommandBuffer cmd, const struct mb_vk_image *from,
                          const struct mb_vk_image *to, uint32_t n_levels)
{
    const uint32_t n_layers = from->layout.n_layers;
    mb_barrier_levels(cmd, from, 0, n_levels, &mb_access_readable, &mb_access_transfer_read);
    mb_barrier_levels(cmd, to, 0, n_levels, &mb_access_undefined, &mb_access_transfer_write);
    for (uint32_t level = 0; level < n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(from->layout.base, level);
        for (uint32_t layer = 0; layer < n_layers; layer += MB_MAX_COPIED_LAYERS) {
            const uint32_t n_left = n_layers - layer;
            const VkImageSubresourceLayers layers = {
                VK_IMAGE_ASPECT_COLOR_BIT, level, layer,
                n_left < MB_MAX_COPIED_LAYERS ? n_left : MB_MAX_COPIED_LAYERS};
            const VkImageCopy region = {
                .srcSubresource = layers,
                .dstSubresource = layers,
                .extent = {extent.width, extent.height, 1},
            };
            vkCmdCopyImage(cmd, from->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to->image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
        }
    }
    mb_barrier_levels(cmd, from, 0, n_levels, &mb_access_transfer_read, &mb_access_readable);
    mb_barrier_levels(cmd, to, 0, n_levels, &mb_access_transfer_write, &mb_access_readable);
}

void mb_record_depth_copy(VkCommandBuffer cmd, const struct mb_vk_image *from,
                          const struct mb_vk_image *to, const struct mb_buffer *between)
{
    VkBufferImageCopy region = level_region(&from->layout, 0);
    mb_barrier_levels(cmd, from, 0, 1, &mb_access_readable, &mb_access_transfer_read);
    mb_barrier_levels(cmd, to, 0, 1, &mb_access_undefined, &mb_access_transfer_write);
    vkCmdCopyImageToBuffer(cmd, from->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           between->buffer, 1, &region);
    mb_barrier_full(cmd);
    region.imageSubresource.aspectMask = to->aspect;
    vkCmdCopyBufferToImage(cmd, between->buffer, to->image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    mb_barrier_levels(cmd, from, 0, 1, &mb_access_transfer_read, &mb_access_readable);
    mb_barrier_levels(cmd, to, 0, 1, &mb_access_transfer_write, &mb_access_readable);
}

enum mb_status mb_test_image_upload(struct mb_test_image *test_image, const void *block,
                                    uint32_t n_levels, struct mb_err *err)
{
    const struct mb_vk_image *image = &test_image->image;
    const struct mb_layout *layout = &test_image->full;
    const size_t n_bytes = layout->level_offset_bytes[n_levels - 1] +
                           layout->level_layer_bytes[n_levels - 1] * layout->n_layers;
    MB_SCOPED(mb_buffer) buffer = {0};
    VkCommandBuffer cmd = test_image->submission.cmd;
    MB_DO(mb_buffer_init(&buffer, image->gpu, MB_BUFFER_UPLOAD, n_bytes, "upload", err));
    memcpy(buffer.mapped, block, n_bytes);
    MB_DO(mb_submission_begin(&test_image->submission, err));
    mb_barrier_levels(cmd, image, 0, n_levels, &mb_access_undefined, &mb_access_transfer_write);
    for (uint32_t level = 0; level < n_levels; level++) {
        const VkBufferImageCopy region = level_region(layout, level);
        vkCmdCopyBufferToImage(cmd, buffer.buffer, image->image,
                               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    }
    mb_barrier_levels(cmd, image, 0, n_levels, &mb_access_transfer_write, &mb_access_readable);
    return mb_submission_run(&test_image->submission, err);
}

/* Copies are made on the device; nothing is uploaded again. */
enum mb_status mb_test_image_copy(struct mb_test_image *test_image, struct mb_vk_image *copies,
                                  uint32_t n, struct mb_err *err)
{
    const struct mb_vk_image *image = &test_image->image;
    const struct mb_vk_image_options options = {
        .layout = &image->layout,
        .n_levels = image->n_levels,
        .is_cube = image->is_cube,
        .usage = image->usage,
        .is_raw = image->is_raw,
        .name = "copy of the image",
    };
    for (uint32_t i = 0; i < n; i++) {
        MB_DO(mb_vk_image_init(&copies[i], image->gpu, &options, err));
    }
    MB_DO(mb_submission_begin(&test_image->submission, err));
    for (uint32_t i = 0; i < n; i++) {
        mb_record_image_copy(test_image->submission.cmd, image, &copies[i], image->n_levels);
    }
    return mb_submission_run(&test_image->submission, err);
}

enum mb_status mb_test_image_init(struct mb_test_image *test_image, const struct mb_gpu *gpu,
                                  const struct mb_vk_image_options *options, const void *source,
                                  struct mb_err *err)
{
    const struct mb_layout *layout = options->layout;
    struct mb_layout *full = &test_image->full;
    *test_image = (struct mb_test_image){.image_ms = 0.0};
    mb_layout_init(full, layout->format, layout->base, layout->n_layers, options->n_levels);
    if (layout->n_levels < full->n_levels) {
        test_image->poisoned = mb_malloc(full->total_bytes);
        MB_DO(MB_NEED(test_image->poisoned, "test image"));
    }
    const uint64_t start_ns = mb_now_ns();
    MB_DO(mb_vk_image_init(&test_image->image, gpu, options, err));
    test_image->image_ms = (double)(mb_now_ns() - start_ns) * 1e-6;
    MB_DO(mb_buffer_init(&test_image->readback, gpu, MB_BUFFER_READBACK, full->total_bytes,
                         "read-back", err));
    MB_DO(mb_submission_init(&test_image->submission, gpu, "test image", err));
    MB_DO(mb_test_image_upload(test_image, source, 1, err));
    return MB_OK;
}

void mb_test_image_finish(struct mb_test_image *test_image)
{
    mb_submission_finish(&test_image->submission);
    mb_buffer_finish(&test_image->readback);
    mb_vk_image_finish(&test_image->image);
    mb_free(test_image->poisoned);
    test_image->poisoned = NULL;
}

void mb_record_poison(const struct mb_vk_image *image, uint32_t n_levels, uint32_t index,
                      VkCommandBuffer cmd)
{
    static const VkClearColorValue colors[MB_N_POISONS] = {
        {.float32 = {0.25f, 0.75f, 0.125f, 0.625f}},
        {.float32 = {0.875f, 0.375f, 0.5625f, 0.0625f}},
    };
    static const VkClearColorValue nan_color = {.float32 = {NAN, NAN, NAN, NAN}};
    const VkImageSubresourceRange range = {
        .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
        .baseMipLevel = 1,
        .levelCount = n_levels - 1,
        .layerCount = image->layout.n_layers,
    };
    const bool has_nan = index > 0 && !mb_format_is_unorm(image->layout.format);
    if (n_levels == 1) {
        return;
    }
    mb_barrier_levels(cmd, image, 1, n_levels - 1, &mb_access_undefined,
                      &mb_access_transfer_write);
    vkCmdClearColorImage(cmd, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         has_nan ? &nan_color : &colors[index], 1, &range);
    mb_barrier_levels(cmd, image, 1, n_levels - 1, &mb_access_transfer_write,
                      &mb_access_readable);
}

void mb_record_spots(const struct mb_vk_image *image, const struct mb_buffer *texels,
                     uint64_t seed, VkCommandBuffer cmd)
{
    const struct mb_layout *layout = &image->layout;
    VkBufferImageCopy regions[MB_MAX_LEVELS];
    struct mb_rng rng;
    if (layout->n_levels == 1) {
        return;
    }
    mb_rng_init(&rng, seed);
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(layout->base, level);
        regions[level - 1] = (VkBufferImageCopy){
            .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, layout->n_layers},
            .imageOffset = {(int32_t)mb_rng_below(&rng, extent.width),
                            (int32_t)mb_rng_below(&rng, extent.height), 0},
            .imageExtent = {1, 1, 1},
        };
    }
    mb_barrier_levels(cmd, image, 1, layout->n_levels - 1, &mb_access_readable,
                      &mb_access_transfer_write);
    vkCmdCopyBufferToImage(cmd, texels->buffer, image->image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, layout->n_levels - 1, regions);
    mb_barrier_levels(cmd, image, 1, layout->n_levels - 1, &mb_access_transfer_write,
                      &mb_access_readable);
}

enum mb_status mb_test_image_poison(struct mb_test_image *test_image, uint32_t index,
                                    struct mb_err *err)
{
    MB_DO(mb_submission_begin(&test_image->submission, err));
    mb_record_poison(&test_image->image, test_image->full.n_levels, index,
                     test_image->submission.cmd);
    MB_DO(mb_submission_run(&test_image->submission, err));
    if (test_image->poisoned) {
        MB_DO(mb_test_image_read(test_image, err));
        memcpy(test_image->poisoned, test_image->readback.mapped, test_image->full.total_bytes);
    }
    return MB_OK;
}

void mb_test_image_record_read(const struct mb_test_image *test_image, VkCommandBuffer cmd)
{
    const struct mb_layout *layout = &test_image->full;
    mb_barrier_levels(cmd, &test_image->image, 0, layout->n_levels, &mb_access_readable,
                      &mb_access_transfer_read);
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        const VkBufferImageCopy region = level_region(layout, level);
        vkCmdCopyImageToBuffer(cmd, test_image->image.image,
                               VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                               test_image->readback.buffer, 1, &region);
    }
    mb_barrier_levels(cmd, &test_image->image, 0, layout->n_levels, &mb_access_transfer_read,
                      &mb_access_readable);
    mb_barrier_memory(cmd, &mb_access_transfer_write, &mb_access_host_read);
}

enum mb_status mb_test_image_read(struct mb_test_image *test_image, struct mb_err *err)
{
    MB_DO(mb_submission_begin(&test_image->submission, err));
    mb_test_image_record_read(test_image, test_image->submission.cmd);
    return mb_submission_run(&test_image->submission, err);
}
