/* What update.glsl has to know of the rectangles of an update. */
#pragma once

#include "image/filter.h"
#include "lib/spd_tree.h"
#include "strategy.h"

/* Corners, included, of what a rectangle reaches of a level; and last, boxes. */
typedef int32_t mb_cones[MB_MAX_RECTS + 1][SPD_TREE_MAX_LEVELS][4];

/* The tiles that make these texels of a level that tiles make. */
static inline void mb_mark_tiles(const struct spd_tree_plan *plan, uint32_t level,
                                 struct mb_rect at, uint32_t *tiles)
{
    const uint32_t shift = plan->n_first - level;
    const uint32_t n_x = plan->n_groups[0], n_y = plan->n_groups[1];
    const uint32_t last_x = ((at.x + at.width - 1) >> shift) / plan->tile_x;
    const uint32_t last_y = ((at.y + at.height - 1) >> shift) / plan->tile_y;
    /* What the tiles' last level has no texel for any more is the last tile's. */
    for (uint32_t y = (at.y >> shift) / plan->tile_y; y <= last_y; y++) {
        for (uint32_t x = (at.x >> shift) / plan->tile_x; x <= last_x; x++) {
            tiles[(y < n_y ? y : n_y - 1) * n_x + (x < n_x ? x : n_x - 1)] = 1;
        }
    }
}

/* Along an axis of `size` texels, what texels of the next level, `first` to `last`, weigh: the
 * first, and how many << 16. */
static inline uint32_t mb_weighed(uint32_t size, uint32_t first, uint32_t last)
{
    const uint32_t end = 2 * last + 2 + size % 2;
    return 2 * first | ((end < size ? end : size) - 2 * first) << 16;
}

/* What makes averages of texels as update.glsl weighs them: of an axis of one texel two. */
static inline float mb_scale_of_update(const struct spd_tree_image *image, uint32_t x,
                                       uint32_t y)
{
    return spd_tree_rounded_scale(image, spd_tree_scale(x > 1 ? x : 2, image) *
                                             spd_tree_scale(y > 1 ? y : 2, image));
}

/* Boxes (update.glsl): the last level's lie first; from the level on, upwards, for which there
 * is no room, none do. How many texels they hold. */
static inline uint32_t mb_set_boxes(const struct spd_tree_image *image,
                                    const struct spd_tree_plan *plan, uint32_t n_rects,
                                    struct mb_rect affected[MB_MAX_LEVELS][MB_MAX_RECTS],
                                    int32_t boxes[SPD_TREE_MAX_LEVELS][4])
{
    uint32_t n = 0;
    bool has_room = true;
    for (uint32_t level = image->n_levels - 1; level-- > 0;) {
        const uint32_t x = spd_tree_size_of_level(image->width, level),
                       y = spd_tree_size_of_level(image->height, level);
        const struct mb_rect made = mb_rects_enclosing(affected[level + 1], n_rects);
        const uint32_t weighed_x = mb_weighed(x, made.x, made.x + made.width - 1),
                       weighed_y = mb_weighed(y, made.y, made.y + made.height - 1),
                       n_texels = (weighed_x >> 16) * (weighed_y >> 16);
        has_room = has_room && level >= plan->n_first && n_texels <= plan->max_held - n;
        const uint32_t box[4] = {weighed_x, weighed_y, has_room ? n : UINT32_MAX,
                                 spd_tree_float_bits(mb_scale_of_update(image, x, y))};
        memcpy(boxes[level], box, sizeof box);
        n += has_room ? n_texels : 0;
    }
    return n;
}

/* Of each rectangle of the task the texels that it reaches, level by level, and boxes; and the
 * tiles that are made, of which there are no more than tiles[] has room for: n_groups[0] *
 * n_groups[1] of the plan, which is changed to dispatch these. */
static inline void mb_plan_update(const struct mb_layout *layout, const struct mb_task *task,
                                  const struct spd_tree_image *image,
                                  struct spd_tree_plan *plan, mb_cones cones, uint32_t *tiles)
{
    const uint32_t n_x = plan->n_groups[0], n_all = n_x * plan->n_groups[1];
    struct mb_rect affected[MB_MAX_LEVELS][MB_MAX_RECTS];
    uint32_t n_tiles = 0;
    memset(tiles, 0, n_all * sizeof *tiles);
    mb_filter_affected_of(MB_POLICY_BOX, layout, task->rects, task->n_rects, affected);
    for (uint32_t r = 0; r < task->n_rects; r++) {
        for (uint32_t level = 0; level < layout->n_levels; level++) {
            const struct mb_rect at = affected[level][r];
            const uint32_t corners[4] = {at.x, at.y, at.x + at.width - 1, at.y + at.height - 1};
            memcpy(cones[r][level], corners, sizeof corners);
            if (level > 0 && level <= plan->n_first) {
                mb_mark_tiles(plan, level, at, tiles);
            }
        }
    }
    const uint32_t n_held =
        mb_set_boxes(image, plan, task->n_rects, affected, cones[task->n_rects]);
    for (uint32_t i = 0; i < n_all; i++) {
        if (tiles[i] != 0) {
            tiles[n_tiles++] = i % n_x | (i / n_x) << 16;
        }
    }
    plan->constants[SPD_TREE_N_CONSTANTS - 2].value = n_held > 0 ? n_held : 1;
    plan->constants[SPD_TREE_N_CONSTANTS - 1].value = task->n_rects;
    plan->push.n_tiles = n_tiles;
    plan->n_groups[0] = n_tiles < 32768 ? n_tiles : 32768; /* fewer than any device's limit */
    plan->n_groups[1] = n_tiles > 0 ? (n_tiles - 1) / 32768 + 1 : 1;
}
