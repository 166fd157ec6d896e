/* Texels for example.c: from a file or a pattern, to a file, where each level lies in a buffer,
 * and a checksum. Nothing here belongs to spd_tree.h. */
#ifndef TEXELS_H
#define TEXELS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <vulkan/vulkan.h>

/* Bytes that are numbers in every format; or those of a file. */
static inline bool texels_fill(uint8_t *texels, size_t n_bytes, const char *path)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    for (size_t i = 0; i < n_bytes && path == NULL; i++) {
        texels[i] = (uint8_t)(((uint32_t)i * 2654435761u >> 7) % 60);
    }
    const bool is_filled = path == NULL || (file && fread(texels, 1, n_bytes, file) == n_bytes);
    return (file == NULL || fclose(file) == 0) && is_filled;
}

static inline bool texels_save(const uint8_t *texels, size_t n_bytes, const char *path)
{
    FILE *file = fopen(path, "wb");
    const bool is_written = file && fwrite(texels, 1, n_bytes, file) == n_bytes;
    return (file == NULL || fclose(file) == 0) && is_written;
}

static inline uint32_t texels_half(uint32_t size, uint32_t level)
{
    return size >> level > 0 ? size >> level : 1;
}

/* One level after the other, rows tight; returns the bytes of all. */
static inline size_t texels_place(VkBufferImageCopy *levels, uint32_t n_levels, uint32_t width,
                                  uint32_t height, uint32_t texel_bytes)
{
    size_t n_bytes = 0;
    for (uint32_t i = 0; i < n_levels; i++) {
        const VkExtent3D extent = {texels_half(width, i), texels_half(height, i), 1};
        levels[i] = (VkBufferImageCopy){
            .bufferOffset = n_bytes,
            .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0, 1},
            .imageExtent = extent,
        };
        n_bytes += (size_t)extent.width * extent.height * texel_bytes;
    }
    return n_bytes;
}

/* A line for one level. */
static inline void texels_show(const uint8_t *texels, const VkBufferImageCopy *level,
                               uint32_t texel_bytes)
{
    const VkExtent3D extent = level->imageExtent;
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < (size_t)extent.width * extent.height * texel_bytes; i++) {
        hash = (hash ^ texels[level->bufferOffset + i]) * 16777619u;
    }
    printf("level %2u  %5u x %-5u  %08x\n", level->imageSubresource.mipLevel, extent.width,
           extent.height, hash);
}

#endif
