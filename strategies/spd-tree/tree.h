/* The tree of tiles and cells by which spd-tree makes a pyramid of any size in one dispatch:
 * which of them there are, and which need what. strategies/spd-tree/spd_tree.comp draws it. */
#ifndef MB_IMAGE_TREE_H
#define MB_IMAGE_TREE_H

#include "image/pyramid.h"

#define MB_MAX_TREE_STEPS   6u
#define MB_TREE_CELL_LEVELS 3u
#define MB_TREE_EVEN_TILE   64u /* width of tiles that can do without a halo */

/* Step 0 are tiles, which begin with the image; later ones begin with what the step before
 * made last. The final step, which is there unless the chain ends before, is a single cell of
 * all that is left. */
struct mb_tree_step {
    uint32_t source_level, last_level; /* what it begins with, and makes last */
    struct mb_extent size;             /* of a tile or cell, in texels of last_level */
    struct mb_extent span;  /* of its sources: where the next one's begin, in texels of
                               source_level */
    struct mb_extent reach; /* how far its sources lie from the first of them; at least span -
                               1, more where levels in between are odd */
    struct mb_extent grid;  /* tiles or cells */
};

struct mb_tree {
    bool is_even; /* tiles are of MB_TREE_EVEN_TILE, and no axis that tiles halve is odd, but
                     for those of one texel */
    bool are_cells_even; /* nor any axis further down */
    bool has_even_pair;  /* not is_even, but levels 0 and 1 are */
    bool has_final_step;
    uint32_t n_steps;
    struct mb_tree_step step[MB_MAX_TREE_STEPS];
};

struct mb_tree_options {
    uint32_t tile_width;  /* in texels of level 0: 32 or 64 */
    uint32_t final_width; /* texels per axis, at most, that the final step begins with */
    bool is_deep; /* tiles of 64 make six levels even if only the first two or more are even */
};

/* layout->n_levels >= 2. */
void mb_tree_init(struct mb_tree *tree, const struct mb_layout *layout,
                  const struct mb_tree_options *options);

/* Tiles alone, which make `n_first` levels, `tile` texels of the last: all that comes after is
 * shared (strategies/spd-tree/sharing.glsl). layout->n_levels > n_first. */
void mb_tree_init_shared(struct mb_tree *tree, const struct mb_layout *layout, uint32_t n_first,
                         struct mb_extent tile);

/* Those of a step that need any of the texels `rect` (not empty) of its source level: a
 * rectangle of tiles or cells. */
struct mb_rect mb_tree_needing(const struct mb_tree *tree, uint32_t step, struct mb_rect rect);

/* Texels of `last_level` that a tile or cell makes, as far as there are any. */
struct mb_rect mb_tree_made(const struct mb_tree *tree, const struct mb_layout *layout,
                            uint32_t step, uint32_t x, uint32_t y);

/* Tiles and cells of all steps; those of a step are row by row, steps one after the other. */
size_t mb_tree_n_cells(const struct mb_tree *tree);

/* After changes within rectangles of level 0, none of them empty: how many of its sources are
 * made anew for each cell, n_made[mb_tree_n_cells]; for tiles whether they are, 0 or 1. */
void mb_tree_count_made(const struct mb_tree *tree, const struct mb_layout *layout,
                        const struct mb_rect *rects, size_t n_rects, uint32_t *n_made);

#endif
