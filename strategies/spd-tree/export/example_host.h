/* What example.c has besides the kernel: the command line, an image with its views, texels from
 * a file or a pattern, to a file, and a checksum of each level. Nothing here belongs to
 * spd_tree.h.
 *
 *     cc -std=c11 -O2 example.c -o example -lvulkan
 *     ./example [FORMAT [WIDTH HEIGHT [LEVEL0 LEVELS]]]
 *
 * FORMAT is one of spd_tree_formats.h. LEVEL0 is a file of its texels, row by row, LEVELS one
 * that is written: all levels one after the other. Without them level 0 is a pattern. */
#ifndef EXAMPLE_HOST_H
#define EXAMPLE_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spd_tree_formats.h"
#include "vk_min.h"

struct host {
    struct vk_min vk;
    const struct spd_tree_format *format;
    uint32_t width, height, n_levels;
    const char *in, *out;                          /* LEVEL0 and LEVELS, or NULL */
    VkBufferImageCopy levels[SPD_TREE_MAX_LEVELS]; /* where each lies in the buffer */
    VkBuffer buffer;
    uint8_t *texels; /* what it holds */
    size_t n_bytes;
};

/* A size in texels; if it is none, 0, which cannot be planned. */
static inline uint32_t host_size(const char *text)
{
    const bool is_number = text[strspn(text, "0123456789")] == '\0';
    const unsigned long size = is_number ? strtoul(text, NULL, 10) : 0;
    return size <= UINT16_MAX ? (uint32_t)size : 0;
}

/* What the command line asks for. A wrong number of words and an unknown format are noted as a
 * failure. */
static inline struct host host_parse(int argc, char **argv)
{
    struct host host = {.format = argc > 1 ? NULL : &spd_tree_formats[0],
                        .width = argc > 3 ? host_size(argv[2]) : 101,
                        .height = argc > 3 ? host_size(argv[3]) : 67,
                        .in = argc > 5 ? argv[4] : NULL,
                        .out = argc > 5 ? argv[5] : NULL};
    for (int i = 0; !host.format && i < SPD_TREE_N_FORMATS; i++) {
        const bool is_it = strcmp(spd_tree_formats[i].name, argv[1]) == 0;
        host.format = is_it ? &spd_tree_formats[i] : NULL;
    }
    if (!host.format) {
        host.vk.failed = "finding FORMAT in spd_tree_formats.h";
        host.format = &spd_tree_formats[0];
    }
    if (argc > 6 || argc == 3 || argc == 5) {
        host.vk.failed = "reading [FORMAT [WIDTH HEIGHT [LEVEL0 LEVELS]]]";
    }
    host.n_levels = spd_tree_full_chain(host.width, host.height);
    return host;
}

/* Bytes that are numbers in every format; or those of a file. */
static inline bool host_fill(uint8_t *texels, size_t n_bytes, const char *path)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    for (size_t i = 0; i < n_bytes && path == NULL; i++) {
        texels[i] = (uint8_t)(((uint32_t)i * 2654435761u >> 7) % 60);
    }
    const bool is_filled = path == NULL || (file && fread(texels, 1, n_bytes, file) == n_bytes);
    return (file == NULL || fclose(file) == 0) && is_filled;
}

static inline bool host_save(const uint8_t *texels, size_t n_bytes, const char *path)
{
    FILE *file = fopen(path, "wb");
    const bool is_written = file && fwrite(texels, 1, n_bytes, file) == n_bytes;
    return (file == NULL || fclose(file) == 0) && is_written;
}

/* One level after the other, rows tight. */
static inline void host_place(struct host *host)
{
    for (uint32_t i = 0; i < host->n_levels; i++) {
        const VkExtent3D extent = {spd_tree_level_size(host->width, i),
                                   spd_tree_level_size(host->height, i), 1};
        host->levels[i] = (VkBufferImageCopy){
            .bufferOffset = host->n_bytes,
            .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0, 1},
            .imageExtent = extent,
        };
        host->n_bytes += (size_t)extent.width * extent.height * host->format->texel_bytes;
    }
}

/* A device, the image with a view of each level, and level 0 in a buffer. `has_plan` false is a
 * failure: the size has no mip levels, or too many. */
static inline void host_open(struct host *host, bool has_plan)
{
    struct vk_min *vk = &host->vk;
    void *mapped = NULL;
    if (!has_plan && !vk->failed) {
        vk->failed = "planning: a size from 2x1 or 1x2 to 65535x65535 is needed";
    }
    if (vk->failed) {
        return;
    }
    host_place(host);
    vk_min_open(vk);
    vk_min_image(vk, host->format->format, host->format->view_format,
                 host->levels[0].imageExtent, host->n_levels);
    host->buffer = vk_min_buffer(vk, host->n_bytes, &mapped);
    host->texels = (uint8_t *)mapped;
    if (!vk->failed && !host_fill(host->texels, host->levels[1].bufferOffset, host->in)) {
        vk->failed = "reading LEVEL0";
    }
}

/* Record the copy to level 0, and a barrier to all that comes after. */
static inline void host_upload(struct host *host)
{
    vk_min_barrier(&host->vk, VK_IMAGE_LAYOUT_UNDEFINED);
    vkCmdCopyBufferToImage(host->vk.cmd, host->buffer, host->vk.image, VK_IMAGE_LAYOUT_GENERAL,
                           1, host->levels);
    vk_min_barrier(&host->vk, VK_IMAGE_LAYOUT_GENERAL);
}

/* Record a barrier and the copy of all levels back; run all that was recorded. */
static inline void host_download(struct host *host)
{
    vk_min_barrier(&host->vk, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyImageToBuffer(host->vk.cmd, host->vk.image, VK_IMAGE_LAYOUT_GENERAL, host->buffer,
                           host->n_levels, host->levels);
    vk_min_barrier(&host->vk, VK_IMAGE_LAYOUT_GENERAL);
    vk_min_submit(&host->vk);
}

/* A line for one level. */
static inline void host_show(const struct host *host, const VkBufferImageCopy *level)
{
    const VkExtent3D extent = level->imageExtent;
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < (size_t)extent.width * extent.height * host->format->texel_bytes;
         i++) {
        hash = (hash ^ host->texels[level->bufferOffset + i]) * 16777619u;
    }
    printf("level %2u  %5u x %-5u  %08x\n", level->imageSubresource.mipLevel, extent.width,
           extent.height, hash);
}

/* Show and save the levels, or say what failed. Returns the exit code. */
static inline int host_close(struct host *host)
{
    struct vk_min *vk = &host->vk;
    for (uint32_t i = 0; !vk->failed && i < host->n_levels; i++) {
        host_show(host, &host->levels[i]);
    }
    if (!vk->failed && host->out && !host_save(host->texels, host->n_bytes, host->out)) {
        vk->failed = "writing LEVELS";
    }
    vk_min_close(vk);
    if (vk->failed) {
        fprintf(stderr, "example: error: %s\n", vk->failed);
    }
    return vk->failed ? 1 : 0;
}

#endif
