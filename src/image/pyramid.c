/* Sizes of mip levels and where they lie in one packed block. */
#include "image/pyramid.h"

#include <assert.h>

#define LEVEL_ALIGNMENT_BYTES 16u
#define NO_EDGE               UINT32_MAX

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

struct mb_rect mb_rect_enclosing(struct mb_rect a, struct mb_rect b)
{
    const uint32_t x = a.x < b.x ? a.x : b.x;
    const uint32_t y = a.y < b.y ? a.y : b.y;
    const uint32_t right = a.x + a.width > b.x + b.width ? a.x + a.width : b.x + b.width;
    const uint32_t bottom = a.y + a.height > b.y + b.height ? a.y + a.height : b.y + b.height;
    return (struct mb_rect){.x = x, .y = y, .width = right - x, .height = bottom - y};
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

struct mb_rect mb_rects_enclosing(const struct mb_rect *rects, size_t n_rects)
{
    struct mb_rect all = rects[0];
    for (size_t i = 1; i < n_rects; i++) {
        all = mb_rect_enclosing(all, rects[i]);
    }
    return all;
}

bool mb_rects_contain(const struct mb_rect *rects, size_t n_rects, uint32_t x, uint32_t y)
{
    bool is_contained = false;
    for (size_t i = 0; i < n_rects && !is_contained; i++) {
        is_contained = mb_rect_contains(rects[i], x, y);
    }
    return is_contained;
}

/* The first edge of any rectangle along an axis beyond `at`, or NO_EDGE. */
static uint32_t next_edge(const struct mb_rect *rects, size_t n_rects, bool is_down,
                          uint32_t at)
{
    uint32_t next = NO_EDGE;
    for (size_t i = 0; i < n_rects; i++) {
        const uint32_t begin = is_down ? rects[i].y : rects[i].x;
        const uint32_t edges[2] = {begin, begin + (is_down ? rects[i].height : rects[i].width)};
        for (size_t k = 0; k < 2; k++) {
            next = edges[k] > at && edges[k] < next ? edges[k] : next;
        }
    }
    return next;
}

/* The edges of all rectangles cut the level into blocks, each of which is covered as its first
 * texel is. */
uint64_t mb_rects_count_texels(const struct mb_rect *rects, size_t n_rects)
{
    uint64_t n_texels = 0;
    uint32_t next_x, next_y;
    for (uint32_t y = 0; (next_y = next_edge(rects, n_rects, true, y)) != NO_EDGE; y = next_y) {
        for (uint32_t x = 0; (next_x = next_edge(rects, n_rects, false, x)) != NO_EDGE;
             x = next_x) {
            if (mb_rects_contain(rects, n_rects, x, y)) {
                n_texels += (uint64_t)(next_x - x) * (next_y - y);
            }
        }
    }
    return n_texels;
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
