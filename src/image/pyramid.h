/* Mip pyramids: sizes, the packed layout used for upload and read-back, and their storage. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "image/format.h"

#define MB_MAX_LEVELS 16 /* of an image 32768 texels wide */

struct mb_extent {
    uint32_t width, height;
};

/* Whether a size is a power of two: whether at most one bit is set. */
static inline bool mb_is_power_of_two(uint32_t size)
{
    return (size & (size - 1)) == 0;
}

/* Texels [x, x + width) by [y, y + height) of a level; empty if either size is 0. */
struct mb_rect {
    uint32_t x, y, width, height;
};

/* All of a level. */
struct mb_rect mb_rect_whole(struct mb_extent extent);

bool mb_rect_is_empty(struct mb_rect rect);

/* The tiles of tile_width x tile_width texels that a non-empty rectangle of texels touches, as
 * a rectangle counted in tiles: an update dispatches these. */
struct mb_rect mb_rect_tiles(struct mb_rect rect, uint32_t tile_width);

/* First x and y, last x and y (inclusive) of a rectangle that is not empty. */
void mb_rect_corners(struct mb_rect rect, int32_t corners[4]);

bool mb_rect_contains(struct mb_rect rect, uint32_t x, uint32_t y);

/* Size of mip level `level`: max(1, floor(size / 2^level)) per axis. */
struct mb_extent mb_level_extent(struct mb_extent base, uint32_t level);

/* The number of levels of a full chain, 1x1 included: 1 + floor(log2(max(width, height))). */
uint32_t mb_full_level_count(struct mb_extent base);

/* Where each level lies in one packed block: level by level, in a level layer by layer, rows
 * tightly packed. Every level's offset is a multiple of 16 bytes. */
struct mb_layout {
    const struct mb_format *format;
    struct mb_extent base;
    uint32_t n_layers, n_levels;
    size_t level_offset_bytes[MB_MAX_LEVELS];
    size_t level_layer_bytes[MB_MAX_LEVELS]; /* one layer of the level */
    size_t total_bytes;
};

/* n_levels in [1, mb_full_level_count], n_layers >= 1. */
void mb_layout_init(struct mb_layout *layout, const struct mb_format *format,
                    struct mb_extent base, uint32_t n_layers, uint32_t n_levels);

/* Texels of one layer of one level within `block`. */
const void *mb_layout_level(const struct mb_layout *layout, const void *block, uint32_t level,
                            uint32_t layer);

/* True if a level above the last is one texel wide or high (the base is not square enough). */
bool mb_layout_has_narrow_levels(const struct mb_layout *layout);

/* Compulsory traffic: level 0 read once, levels 1.. written once, all layers. */
uint64_t mb_layout_compulsory_bytes(const struct mb_layout *layout);
