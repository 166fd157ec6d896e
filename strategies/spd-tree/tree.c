/* The tree of tiles and cells of spd-tree. */
#include "tree.h"

#include <string.h>

#define MIN_FIRST_LEVELS 3u
#define MAX_FIRST_LEVELS 6u /* that tiles make: down to one texel */

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool is_odd(uint32_t size)
{
    return size % 2 != 0 && size > 1;
}

/* Levels from the base on without an odd axis. */
static uint32_t count_even_levels(const struct mb_layout *layout)
{
    uint32_t n = 0;
    while (n < layout->n_levels - 1) {
        const struct mb_extent extent = mb_level_extent(layout->base, n);
        if (is_odd(extent.width) || is_odd(extent.height)) {
            break;
        }
        n++;
    }
    return n;
}

/* How far from its first one the source texels lie of `size` texels some levels further down.
 */
static struct mb_extent reach_of(const struct mb_layout *layout, uint32_t source_level,
                                 uint32_t last_level, struct mb_extent size)
{
    struct mb_extent reach = {size.width - 1, size.height - 1};
    for (uint32_t level = last_level; level-- > source_level;) {
        const struct mb_extent extent = mb_level_extent(layout->base, level);
        reach.width = 2 * reach.width + 1 + extent.width % 2;
        reach.height = 2 * reach.height + 1 + extent.height % 2;
    }
    return reach;
}

static void add_step(struct mb_tree *tree, const struct mb_layout *layout,
                     uint32_t source_level, uint32_t n_levels, struct mb_extent size)
{
    const uint32_t last_level = source_level + n_levels;
    const struct mb_extent extent = mb_level_extent(layout->base, last_level);
    tree->step[tree->n_steps++] = (struct mb_tree_step){
        .source_level = source_level,
        .last_level = last_level,
        .size = size,
        .span = {size.width << n_levels, size.height << n_levels},
        .reach = reach_of(layout, source_level, last_level, size),
        .grid = {(extent.width - 1) / size.width + 1, (extent.height - 1) / size.height + 1},
    };
}

/* One cell of whatever is left. */
static void add_final_step(struct mb_tree *tree, const struct mb_layout *layout,
                           uint32_t source_level)
{
    const struct mb_extent extent = mb_level_extent(layout->base, source_level);
    tree->has_final_step = true;
    tree->step[tree->n_steps++] = (struct mb_tree_step){
        .source_level = source_level,
        .last_level = layout->n_levels - 1,
        .size = extent,
        .span = {UINT32_C(1) << MB_MAX_LEVELS, UINT32_C(1) << MB_MAX_LEVELS},
        .reach = {extent.width - 1, extent.height - 1},
        .grid = {1, 1},
    };
}

/* How many levels tiles make, and of which kind they are. */
static uint32_t plan_tiles(struct mb_tree *tree, const struct mb_layout *layout,
                           const struct mb_tree_options *options)
{
    const uint32_t last = layout->n_levels - 1;
    const uint32_t n_most = min_u32(last, MAX_FIRST_LEVELS);
    const uint32_t n_even = min_u32(count_even_levels(layout), n_most);
    const bool can_be_even = options->tile_width == MB_TREE_EVEN_TILE;
    const bool is_deep = options->is_deep && can_be_even && n_even >= 2 && n_even < n_most;
    tree->is_even = can_be_even && !is_deep && n_even >= min_u32(last, MIN_FIRST_LEVELS);
    tree->are_cells_even = can_be_even && count_even_levels(layout) == last;
    tree->has_even_pair = !tree->is_even && n_even >= 2;
    if (is_deep) {
        return n_most;
    }
    return tree->is_even ? n_even : min_u32(last, MIN_FIRST_LEVELS);
}

static struct mb_extent square(uint32_t width)
{
    return (struct mb_extent){width, width};
}

void mb_tree_init(struct mb_tree *tree, const struct mb_layout *layout,
                  const struct mb_tree_options *options)
{
    const uint32_t last = layout->n_levels - 1, final_width = options->final_width;
    *tree = (struct mb_tree){0};
    const uint32_t n_first = plan_tiles(tree, layout, options);
    add_step(tree, layout, 0, n_first, square(options->tile_width >> n_first));
    for (uint32_t level = n_first; level < last; level += MB_TREE_CELL_LEVELS) {
        const struct mb_extent extent = mb_level_extent(layout->base, level);
        if (extent.width <= final_width && extent.height <= final_width) {
            add_final_step(tree, layout, level);
            break;
        }
        /* Where the chain ends before, cells are as wide as ever: no more than 2x2 need a tile.
         */
        const uint32_t n_levels = min_u32(MB_TREE_CELL_LEVELS, last - level);
        add_step(tree, layout, level, n_levels, square(1u << (MB_TREE_CELL_LEVELS - n_levels)));
    }
}

void mb_tree_init_shared(struct mb_tree *tree, const struct mb_layout *layout, uint32_t n_first,
                         struct mb_extent tile)
{
    *tree = (struct mb_tree){0};
    add_step(tree, layout, 0, n_first, tile);
}

/* Along one axis: the first cell whose reach comes to `texel`. */
static uint32_t first_reaching(uint32_t span, uint32_t reach, uint32_t texel)
{
    return texel > reach ? (texel - reach + span - 1) / span : 0;
}

struct mb_rect mb_tree_needing(const struct mb_tree *tree, uint32_t step, struct mb_rect rect)
{
    const struct mb_tree_step *s = &tree->step[step];
    const uint32_t x = first_reaching(s->span.width, s->reach.width, rect.x);
    const uint32_t y = first_reaching(s->span.height, s->reach.height, rect.y);
    /* Up to those that begin at or before the last texel. */
    const uint32_t last_x = (rect.x + rect.width - 1) / s->span.width;
    const uint32_t last_y = (rect.y + rect.height - 1) / s->span.height;
    return (struct mb_rect){x, y, min_u32(last_x, s->grid.width - 1) - x + 1,
                            min_u32(last_y, s->grid.height - 1) - y + 1};
}

struct mb_rect mb_tree_made(const struct mb_tree *tree, const struct mb_layout *layout,
                            uint32_t step, uint32_t x, uint32_t y)
{
    const struct mb_tree_step *s = &tree->step[step];
    const struct mb_extent extent = mb_level_extent(layout->base, s->last_level);
    const uint32_t first_x = x * s->size.width, first_y = y * s->size.height;
    return (struct mb_rect){first_x, first_y, min_u32(s->size.width, extent.width - first_x),
                            min_u32(s->size.height, extent.height - first_y)};
}

static size_t cells_of(const struct mb_tree_step *step)
{
    return (size_t)step->grid.width * step->grid.height;
}

size_t mb_tree_n_cells(const struct mb_tree *tree)
{
    size_t n = 0;
    for (uint32_t i = 0; i < tree->n_steps; i++) {
        n += cells_of(&tree->step[i]);
    }
    return n;
}

/* Add one to each of a rectangle of cells. */
static void add_one(const struct mb_tree_step *step, struct mb_rect cells, uint32_t *n_made)
{
    for (uint32_t y = cells.y; y < cells.y + cells.height; y++) {
        for (uint32_t x = cells.x; x < cells.x + cells.width; x++) {
            n_made[(size_t)y * step->grid.width + x]++;
        }
    }
}

/* What is made anew in one step, for the cells of the next. */
static void pass_on(const struct mb_tree *tree, const struct mb_layout *layout, uint32_t step,
                    const uint32_t *n_made, uint32_t *n_made_next)
{
    const struct mb_extent grid = tree->step[step].grid;
    for (uint32_t i = 0; i < grid.width * grid.height; i++) {
        if (n_made[i] > 0) {
            const struct mb_rect made =
                mb_tree_made(tree, layout, step, i % grid.width, i / grid.width);
            add_one(&tree->step[step + 1], mb_tree_needing(tree, step + 1, made), n_made_next);
        }
    }
}

void mb_tree_count_made(const struct mb_tree *tree, const struct mb_layout *layout,
                        const struct mb_rect *rects, size_t n_rects, uint32_t *n_made)
{
    const size_t n_tiles = cells_of(&tree->step[0]);
    memset(n_made, 0, mb_tree_n_cells(tree) * sizeof *n_made);
    for (size_t i = 0; i < n_rects; i++) {
        add_one(&tree->step[0], mb_tree_needing(tree, 0, rects[i]), n_made);
    }
    for (size_t i = 0; i < n_tiles; i++) {
        n_made[i] = n_made[i] > 0;
    }
    for (uint32_t step = 0; step + 1 < tree->n_steps; step++) {
        uint32_t *next = n_made + cells_of(&tree->step[step]);
        pass_on(tree, layout, step, n_made, next);
        n_made = next;
    }
}
