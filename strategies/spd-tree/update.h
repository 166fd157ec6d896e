/* What update.glsl has to know of the rectangles of an update. */
#pragma once

#include "lib/spd_tree.h"

/* Texels of level 0 that changed: corners, included. */
struct spd_tree_rect {
    uint32_t x0, y0, x1, y1;
};

/* What a change of texels `first` to `last` reaches along an axis of `size` texels, one level
 * further down. */
static inline void spd_tree_reach(uint32_t size, uint32_t *first, uint32_t *last)
{
    const uint32_t n = size > 1 ? size / 2 : 1, added = size > 1 && size % 2 != 0;
    *first = *first > 1 + added ? (*first - added) / 2 : 0;
    *last = *last / 2 < n ? *last / 2 : n - 1;
}

/* The tiles that make these texels of a level that tiles make. */
static inline void spd_tree_mark_tiles(const struct spd_tree_plan *plan, uint32_t level,
                                       const struct spd_tree_rect *at, uint32_t *tiles)
{
    const uint32_t shift = plan->n_first - level;
    const uint32_t n_x = plan->n_groups[0], n_y = plan->n_groups[1];
    const uint32_t last_x = (at->x1 >> shift) / plan->tile_x;
    const uint32_t last_y = (at->y1 >> shift) / plan->tile_y;
    /* What the tiles' last level has no texel for any more is the last tile's. */
    for (uint32_t y = (at->y0 >> shift) / plan->tile_y; y <= last_y; y++) {
        for (uint32_t x = (at->x0 >> shift) / plan->tile_x; x <= last_x; x++) {
            tiles[(y < n_y ? y : n_y - 1) * n_x + (x < n_x ? x : n_x - 1)] = 1;
        }
    }
}

/* Along an axis of `size` texels, what the texels of the next level weigh that any rectangle
 * reaches: the first, and how many << 16. */
static inline uint32_t spd_tree_taken(uint32_t size, uint32_t n_rects, uint32_t next,
                                      uint32_t axis, int32_t (*cones)[SPD_TREE_MAX_LEVELS][4])
{
    uint32_t first = UINT32_MAX, end = 0;
    for (uint32_t r = 0; r < n_rects; r++) {
        const uint32_t own_first = 2 * (uint32_t)cones[r][next][axis],
                       own_end = 2 * (uint32_t)cones[r][next][axis + 2] + 2 + size % 2;
        first = own_first < first ? own_first : first;
        end = own_end > end ? own_end : end;
    }
    return first | ((end < size ? end : size) - first) << 16;
}

/* What makes averages of texels as update.glsl weighs them: of an axis of one texel two. */
static inline float spd_tree_scale_of_update(const struct spd_tree_image *image, uint32_t x,
                                             uint32_t y)
{
    return spd_tree_rounded_scale(image, spd_tree_scale(x > 1 ? x : 2, image) *
                                             spd_tree_scale(y > 1 ? y : 2, image));
}

/* Boxes (update.glsl): the last level's lie first; from the level on, upwards, for which there
 * is no room, none do. */
static inline uint32_t spd_tree_set_boxes(const struct spd_tree_image *image,
                                          const struct spd_tree_plan *plan, uint32_t n_rects,
                                          int32_t (*cones)[SPD_TREE_MAX_LEVELS][4])
{
    uint32_t n = 0;
    bool has_room = true;
    for (uint32_t level = image->n_levels - 1; level-- > 0;) {
        const uint32_t x = spd_tree_size_of_level(image->width, level),
                       y = spd_tree_size_of_level(image->height, level);
        const uint32_t taken_x = spd_tree_taken(x, n_rects, level + 1, 0, cones),
                       taken_y = spd_tree_taken(y, n_rects, level + 1, 1, cones),
                       n_texels = (taken_x >> 16) * (taken_y >> 16);
        const float scale = spd_tree_scale_of_update(image, x, y);
        has_room = has_room && level >= plan->n_first && n_texels <= plan->max_held - n;
        const uint32_t box[4] = {taken_x, taken_y, has_room ? n : UINT32_MAX,
                                 spd_tree_float_bits(scale)};
        memcpy(cones[n_rects][level], box, sizeof box);
        n += has_room ? n_texels : 0;
    }
    return n;
}

/* What update.glsl has to know: of each of `n_rects` rectangles the texels that it reaches,
 * level by level, cones[n_rects + 1][SPD_TREE_MAX_LEVELS][4], of which the last are boxes; and
 * the tiles that are made, of which there are no more than tiles[] has room for: n_groups[0] *
 * n_groups[1] of the plan, which is changed to dispatch these. */
static inline void spd_tree_plan_update(const struct spd_tree_image *image,
                                        const struct spd_tree_rect *rects, uint32_t n_rects,
                                        struct spd_tree_plan *plan,
                                        int32_t (*cones)[SPD_TREE_MAX_LEVELS][4],
                                        uint32_t *tiles)
{
    const uint32_t n_x = plan->n_groups[0], n_all = n_x * plan->n_groups[1];
    uint32_t n_tiles = 0;
    memset(tiles, 0, n_all * sizeof *tiles);
    for (uint32_t r = 0; r < n_rects; r++) {
        struct spd_tree_rect at = rects[r];
        for (uint32_t level = 0; level < image->n_levels; level++) {
            const int32_t corners[4] = {(int32_t)at.x0, (int32_t)at.y0, (int32_t)at.x1,
                                        (int32_t)at.y1};
            memcpy(cones[r][level], corners, sizeof corners);
            if (level > 0 && level <= plan->n_first) {
                spd_tree_mark_tiles(plan, level, &at, tiles);
            }
            spd_tree_reach(spd_tree_size_of_level(image->width, level), &at.x0, &at.x1);
            spd_tree_reach(spd_tree_size_of_level(image->height, level), &at.y0, &at.y1);
        }
    }
    const uint32_t n_held = spd_tree_set_boxes(image, plan, n_rects, cones);
    for (uint32_t i = 0; i < n_all; i++) {
        if (tiles[i] != 0) {
            tiles[n_tiles++] = i % n_x | (i / n_x) << 16;
        }
    }
    plan->constants[SPD_TREE_N_CONSTANTS - 2].value = n_held > 0 ? n_held : 1;
    plan->constants[SPD_TREE_N_CONSTANTS - 1].value = n_rects;
    plan->push.n_tiles = n_tiles;
    plan->n_groups[0] = n_tiles < 32768 ? n_tiles : 32768; /* fewer than any device's limit */
    plan->n_groups[1] = n_tiles > 0 ? (n_tiles - 1) / 32768 + 1 : 1;
}
