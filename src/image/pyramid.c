/* Sizes of mip levels and where they lie in one packed block. */
#include "image/pyramid.h"

#include <assert.h>

#define LEVEL_ALIGNMENT_BYTES 16u

struct mb_extent mb_level_extent(struct mb_extent base, uint32_t level)
{
    /* A shift by 32 or more is undefined; by then every size is 1. */
    const uint32_t shift = level < 31 ? level : 31;
    const uint32_t width = base.width >> shift;
    const uint32_t height = base.height >> shift;
    return (struct mb_extent){width == 0 ? 1 : width, height == 0 ? 1 : height};
}

uint32_t mb_full_level_count(struct mb_extent base)
{
    uint32_t longest = base.width > base.height ? base.width : base.height;
    uint32_t n_levels = 1;
    while (longest > 1) {
        longest >>= 1;
        n_levels++;
    }
    return n_levels;
}

struct mb_rect mb_rect_tiles(struct mb_rect rect, uint32_t tile_width)
{
    const uint32_t x = rect.x / tile_width, y = rect.y / tile_width;
    return (struct mb_rect){
        .x = x,
        .y = y,
        .width = (rect.x + rect.width - 1) / tile_width + 1 - x,
        .height = (rect.y + rect.height - 1) / tile_width + 1 - y,
    };
}

void mb_rect_corners(struct mb_rect rect, int32_t corners[4])
{
    corners[0] = (int32_t)rect.x;
    corners[1] = (int32_t)rect.y;
    corners[2] = (int32_t)(rect.x + rect.width) - 1;
    corners[3] = (int32_t)(rect.y + rect.height) - 1;
}

struct mb_rect mb_rect_whole(struct mb_extent extent)
{
    return (struct mb_rect){.width = extent.width, .height = extent.height};
}

bool mb_rect_is_empty(struct mb_rect rect)
{
    return rect.width == 0 || rect.height == 0;
}

bool mb_rect_contains(struct mb_rect rect, uint32_t x, uint32_t y)
{
    return x - rect.x < rect.width && y - rect.y < rect.height; /* unsigned: below wraps */
}

void mb_layout_init(struct mb_layout *layout, const struct mb_format *format,
                    struct mb_extent base, uint32_t n_layers, uint32_t n_levels)
{
    assert(n_layers >= 1 && n_levels >= 1 && n_levels <= MB_MAX_LEVELS);
    assert(n_levels <= mb_full_level_count(base));

    *layout = (struct mb_layout){
        .format = format,
        .base = base,
        .n_layers = n_layers,
        .n_levels = n_levels,
    };
    size_t offset_bytes = 0;
    for (uint32_t level = 0; level < n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(base, level);
        const size_t layer_bytes = (size_t)extent.width * extent.height * format->texel_bytes;
        layout->level_offset_bytes[level] = offset_bytes;
        layout->level_layer_bytes[level] = layer_bytes;
        offset_bytes += layer_bytes * n_layers;
        offset_bytes += -offset_bytes % LEVEL_ALIGNMENT_BYTES;
    }
    layout->total_bytes = offset_bytes;
}

const void *mb_layout_level(const struct mb_layout *layout, const void *block, uint32_t level,
                            uint32_t layer)
{
    assert(level < layout->n_levels && layer < layout->n_layers);
    return (const uint8_t *)block + layout->level_offset_bytes[level] +
           layout->level_layer_bytes[level] * layer;
}

bool mb_layout_has_narrow_levels(const struct mb_layout *layout)
{
    if (layout->n_levels < 2) {
        return false;
    }
    const struct mb_extent extent = mb_level_extent(layout->base, layout->n_levels - 2);
    return extent.width == 1 || extent.height == 1;
}

uint64_t mb_layout_compulsory_bytes(const struct mb_layout *layout)
{
    uint64_t n_bytes = 0;
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        n_bytes += (uint64_t)layout->level_layer_bytes[level] * layout->n_layers;
    }
    return n_bytes;
}
