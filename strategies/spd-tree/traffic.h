/* What tiles of spd-tree read and write of what they hand on, besides texels of levels. */
#pragma once

#include "lib/spd_tree_plan.h"

#define MB_COUNT_BYTES 8u /* read and written by an arrival that is counted */

/* Texels of an axis, `n` levels below those of tiles: how many parts tiles have in them, and
 * how many texels are one tile's alone (sharing.glsl). */
struct mb_shared_axis {
    uint64_t n_texels, n_parts, n_alone;
};

static inline struct mb_shared_axis mb_shared_axis_of(uint32_t base, uint32_t n_first,
                                                      uint32_t tile, uint32_t n)
{
    const uint32_t size = spd_tree_size_of_level(base, n_first), mask = (1u << n) - 1;
    struct mb_shared_axis axis = {.n_texels = spd_tree_size_of_level(base, n_first + n)};
    for (uint32_t x = 0; x < axis.n_texels; x++) {
        const uint32_t first = x << n, end = first + mask + (size & mask);
        const uint32_t n_tiles = (end < size ? end : size - 1) / tile - first / tile + 1;
        axis.n_parts += n_tiles;
        axis.n_alone += n_tiles == 1;
    }
    return axis;
}

/* Levels whose texels several tiles have a part in: each part is left and read again, or is
 * added to a word, which the last tile sets back. */
static inline uint64_t mb_shared_bytes(const struct spd_tree_plan *plan,
                                       const struct spd_tree_image *image, uint32_t n_word)
{
    uint64_t n_bytes = 0;
    for (uint32_t n = 1; plan->n_first + n < image->n_levels; n++) {
        const struct mb_shared_axis x =
            mb_shared_axis_of(image->width, plan->n_first, plan->tile_x, n);
        const struct mb_shared_axis y =
            mb_shared_axis_of(image->height, plan->n_first, plan->tile_y, n);
        const uint64_t n_parts = x.n_parts * y.n_parts - x.n_alone * y.n_alone;
        const uint64_t n_shared = x.n_texels * y.n_texels - x.n_alone * y.n_alone;
        n_bytes += plan->module.has_slots
                       ? n_parts * (2 * n_word + MB_COUNT_BYTES) + n_shared * 4
                   : plan->module.is_extreme
                       ? n_parts * (2 * n_word + MB_COUNT_BYTES) + n_shared * (2 * n_word + 4)
                       : n_parts * 2 * n_word + n_shared * n_word;
    }
    return n_bytes;
}

/* Powers of two (climb.glsl): texels of every span-th level go to a slot each, and are read
 * again; or each of those is added to a word of the `span` levels below. */
static inline uint64_t mb_climb_bytes(const struct spd_tree_plan *plan,
                                      const struct spd_tree_image *image, uint32_t n_word)
{
    uint64_t n_bytes = 0;
    for (uint32_t from = plan->n_first; from + 1 < image->n_levels; from += plan->span) {
        const uint64_t n_texels = (uint64_t)spd_tree_size_of_level(image->width, from) *
                                  spd_tree_size_of_level(image->height, from);
        const uint32_t last = from + plan->span;
        if (plan->module.has_slots) {
            n_bytes += n_texels * (2 * n_word + MB_COUNT_BYTES) +
                       4 * (uint64_t)spd_tree_size_of_level(image->width, last) *
                           spd_tree_size_of_level(image->height, last);
            continue;
        }
        const uint32_t n_count = plan->module.is_extreme ? MB_COUNT_BYTES : 0,
                       n_last = plan->module.is_extreme ? 2 * n_word + 4 : n_word;
        for (uint32_t to = from + 1; to <= last && to < image->n_levels; to++) {
            n_bytes += n_texels * (2 * n_word + n_count) +
                       (uint64_t)spd_tree_size_of_level(image->width, to) *
                           spd_tree_size_of_level(image->height, to) * n_last;
        }
    }
    return n_bytes;
}

/* Of all layers. Of updates what tiles leave of their last level, once each: the levels below,
 * made by one workgroup, are few. */
static inline uint64_t mb_spd_tree_traffic_bytes(const struct spd_tree_plan *plan)
{
    const struct spd_tree_image *image = &plan->image;
    const uint32_t n_word =
        plan->module.has_slots    ? spd_tree_slot_bytes(image)
        : plan->module.is_extreme ? image->format.n_channels * 4
        : plan->push.is_many      ? image->format.n_channels * (uint32_t)sizeof(uint64_t)
                             : (image->format.n_channels + 1) / 2 * (uint32_t)sizeof(uint64_t);
    const uint64_t n_bytes =
        spd_tree_is_update(image)
            ? (uint64_t)plan->push.n_tiles *
                  (2ull * plan->tile_x * plan->tile_y * spd_tree_fetched_bytes(image) +
                   MB_COUNT_BYTES)
        : plan->is_climbing ? mb_climb_bytes(plan, image, n_word)
                            : mb_shared_bytes(plan, image, n_word);
    return n_bytes * image->n_layers;
}
