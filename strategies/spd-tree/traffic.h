/* The bytes that tiles of spd-tree read and write to hand on partials, besides texels of
 * levels. */
#pragma once

#include "lib/spd_tree_plan.h"

/* The bytes for `n_texels` texels, whose partials are `n_parts` in all: each partial is written
 * and read, and each texel's counter is reset. */
static inline uint64_t mb_handed_bytes(const struct spd_tree_plan *plan, uint64_t n_parts,
                                       uint64_t n_texels)
{
    const uint64_t n_channels = plan->image.format.n_channels, n_count = sizeof(uint32_t);
    if (plan->module.has_slots) {
        const uint64_t n_slot = spd_tree_slot_bytes(&plan->image);
        return n_parts * 2 * (n_slot + n_count) + n_texels * n_count;
    }
    if (plan->module.is_extreme) {
        const uint64_t n_word = n_channels * sizeof(uint32_t);
        return n_parts * 2 * (n_word + n_count) + n_texels * (2 * n_word + n_count);
    }
    const uint64_t n_words = plan->push.is_many ? n_channels : (n_channels + 1) / 2;
    return (n_parts * 2 + n_texels) * n_words * sizeof(uint64_t);
}

/* The number of tiles along an axis that contribute to texel `at`, `n` levels below the tiles'
 * level, which has `size` texels (sharing.glsl). */
static inline uint32_t mb_n_sharing(uint32_t size, uint32_t tile, uint32_t n, uint32_t at)
{
    const uint32_t mask = (1u << n) - 1, first = at << n, end = first + mask + (size & mask);
    return (end < size ? end : size - 1) / tile - first / tile + 1;
}

/* The bytes for texels `n` levels below `from` to which several tiles contribute. */
static inline uint64_t mb_shared_bytes(const struct spd_tree_plan *plan, uint32_t from,
                                       uint32_t n)
{
    const uint32_t width = spd_tree_size_of_level(plan->image.width, from);
    const uint32_t height = spd_tree_size_of_level(plan->image.height, from);
    uint64_t n_parts = 0, n_texels = 0;
    for (uint32_t y = 0; y < spd_tree_size_of_level(height, n); y++) {
        const uint32_t n_rows = mb_n_sharing(height, plan->tile_y, n, y);
        for (uint32_t x = 0; x < spd_tree_size_of_level(width, n); x++) {
            const uint32_t n_tiles = n_rows * mb_n_sharing(width, plan->tile_x, n, x);
            n_parts += n_tiles > 1 ? n_tiles : 0;
            n_texels += n_tiles > 1;
        }
    }
    return mb_handed_bytes(plan, n_parts, n_texels);
}

/* The bytes for all layers. For updates, only the texels that tiles leave of their last level
 * count: the levels below are made by one workgroup and are small. The tail starts again every
 * levels_per_round levels, and each texel there then acts as a tile. Slots are counted once for
 * all levels of a round (tail.glsl). */
static inline uint64_t mb_spd_tree_traffic_bytes(const struct spd_tree_plan *plan)
{
    const uint32_t n_levels = plan->image.n_levels;
    const uint32_t step = plan->has_tail ? plan->levels_per_round : n_levels;
    const bool by_cells = plan->has_tail && plan->module.has_slots;
    uint64_t n_bytes = 0;
    if (plan->module.is_update) {
        n_bytes = (uint64_t)plan->tile_x * plan->tile_y * spd_tree_fetched_bytes(&plan->image);
        return 2 * (n_bytes + sizeof(uint32_t)) * plan->push.n_tiles * plan->image.n_layers;
    }
    for (uint32_t from = plan->n_first; from + 1 < n_levels; from += step) {
        for (uint32_t n = by_cells ? step : 1; n <= step && (by_cells || from + n < n_levels);
             n++) {
            n_bytes += mb_shared_bytes(plan, from, n);
        }
    }
    return n_bytes * plan->image.n_layers;
}
