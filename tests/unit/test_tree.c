/* The tree of spd-tree against the definition of the filter: what a cell is said to need is
 * what its texels have taps in, and what is said to need a texel does. */
#include "base/alloc.h"
#include "check.h"
#include "image/filter.h"
#include "../../strategies/spd-tree/tree.h"

/* Texels of `level` that texels [first, first + n) of `last_level` have taps in, along one
 * axis, through all levels between: [*out_first, *out_end). */
static void taps_of(uint32_t base, uint32_t level, uint32_t last_level, uint32_t first,
                    uint32_t n, uint32_t *out_first, uint32_t *out_end)
{
    uint32_t end = first + n;
    while (last_level > level) {
        last_level--;
        const uint32_t size = mb_level_extent((struct mb_extent){base, 1}, last_level).width;
        const struct mb_taps low = mb_filter_taps(MB_POLICY_BOX, size, first);
        const struct mb_taps high = mb_filter_taps(MB_POLICY_BOX, size, end - 1);
        first = low.first;
        end = high.first + high.n_taps;
    }
    *out_first = first;
    *out_end = end;
}

/* All texels that a tile or cell stores at the last level, or all at the edge of the image. */
static void check_needs(const struct mb_tree *tree, const struct mb_layout *layout,
                        uint32_t step, uint32_t x)
{
    const struct mb_tree_step *s = &tree->step[step];
    const struct mb_rect made = mb_tree_made(tree, layout, step, x, 0);
    const uint32_t size = mb_level_extent(layout->base, s->source_level).width;
    uint32_t first, end;
    taps_of(layout->base.width, s->source_level, s->last_level, made.x, made.width, &first,
            &end);
    CHECK_EQ_INT(first, x * s->span.width);
    CHECK(end <= size && end - 1 - first <= s->reach.width);
    for (uint32_t texel = 0; texel < size; texel++) {
        const struct mb_rect needing =
            mb_tree_needing(tree, step, (struct mb_rect){texel, 0, 1, 1});
        const bool is_said = x >= needing.x && x < needing.x + needing.width;
        /* Past the last texel that has taps nothing needs it, but the last cell gets it. */
        CHECK(is_said == (texel >= first && texel < end) ||
              (texel >= end && x + 1 == s->grid.width && is_said));
        CHECK(needing.width >= 1 && needing.width <= 2);
    }
}

/* Each level's texels are stored by exactly one step, and the chain is whole. */
static void check_steps(const struct mb_tree *tree, const struct mb_layout *layout,
                        uint32_t tile_width)
{
    uint32_t level = 0;
    for (uint32_t i = 0; i < tree->n_steps; i++) {
        const struct mb_tree_step *s = &tree->step[i];
        const bool is_final = i + 1 == tree->n_steps && tree->has_final_step;
        CHECK_EQ_INT(s->source_level, level);
        CHECK(s->last_level > level);
        level = s->last_level;
        const struct mb_extent made = mb_level_extent(layout->base, level);
        CHECK((s->grid.width - 1) * s->size.width < made.width &&
              s->grid.width * s->size.width >= made.width);
        if (is_final) {
            const struct mb_extent source = mb_level_extent(layout->base, s->source_level);
            CHECK(source.width <= tile_width / 2 && source.height <= tile_width / 2);
        } else {
            CHECK(i == 0 || s->span.width == 8);
            CHECK(i == 0 || s->size.width == 1 || i + 1 == tree->n_steps);
        }
    }
    CHECK_EQ_INT(level, layout->n_levels - 1);
    CHECK(tree->n_steps <= MB_MAX_TREE_STEPS);
}

static void check_levels(uint32_t width, uint32_t tile_width, bool is_deep, uint32_t n_levels)
{
    struct mb_layout layout;
    struct mb_tree tree;
    const struct mb_extent extent = {width, 1};
    mb_layout_init(&layout, mb_format_find("rgba8"), extent, 1, n_levels);
    mb_tree_init(&tree, &layout,
                 &(struct mb_tree_options){tile_width, tile_width / 2, is_deep});
    check_steps(&tree, &layout, tile_width);
    for (uint32_t step = 0; step < tree.n_steps; step++) {
        for (uint32_t x = 0; x < tree.step[step].grid.width; x++) {
            check_needs(&tree, &layout, step, x);
        }
    }
}

/* All levels, and some. */
static void check_width(uint32_t width, uint32_t tile_width, bool is_deep)
{
    const uint32_t n_full = mb_full_level_count((struct mb_extent){width, 1});
    for (uint32_t n_levels = n_full; n_levels >= 2; n_levels -= n_levels > 7 ? 1 : 2) {
        check_levels(width, tile_width, is_deep, n_levels);
        if (n_levels == 3) {
            break;
        }
    }
}

/* How many of the tiles or cells of `step` that are made anew (n_made above 0) a cell of the
 * next needs: all are asked. */
static uint32_t count_sources(const struct mb_tree *tree, const struct mb_layout *layout,
                              uint32_t step, const uint32_t *n_made, uint32_t x, uint32_t y)
{
    const struct mb_extent grid = tree->step[step].grid;
    uint32_t n = 0;
    for (uint32_t i = 0; i < grid.width * grid.height; i++) {
        const struct mb_rect made =
            mb_tree_made(tree, layout, step, i % grid.width, i / grid.width);
        n += n_made[i] > 0 && mb_rect_contains(mb_tree_needing(tree, step + 1, made), x, y);
    }
    return n;
}

/* Whether any of the rectangles reaches a tile. */
static bool is_dirty(const struct mb_tree *tree, const struct mb_rect *rects, size_t n_rects,
                     uint32_t x, uint32_t y)
{
    bool is_reached = false;
    for (size_t i = 0; i < n_rects; i++) {
        is_reached = is_reached || mb_rect_contains(mb_tree_needing(tree, 0, rects[i]), x, y);
    }
    return is_reached;
}

/* Made anew are the tiles that the changes reach, `n_dirty` of them, and cells have as many
 * sources made anew as there are such that need them. */
static void check_made(struct mb_extent base, const struct mb_rect *rects, size_t n_rects,
                       uint32_t n_dirty, uint32_t tile_width, bool is_deep)
{
    struct mb_layout layout;
    struct mb_tree tree;
    mb_layout_init(&layout, mb_format_find("rgba8"), base, 1, mb_full_level_count(base));
    mb_tree_init(&tree, &layout,
                 &(struct mb_tree_options){tile_width, tile_width / 2, is_deep});
    uint32_t *n_made = mb_alloc(mb_tree_n_cells(&tree), sizeof *n_made);
    CHECK(n_made);
    mb_tree_count_made(&tree, &layout, rects, n_rects, n_made);
    const uint32_t *sources = NULL, *cells = n_made;
    for (uint32_t step = 0; step < tree.n_steps; step++) {
        const struct mb_extent grid = tree.step[step].grid;
        for (uint32_t i = 0; i < grid.width * grid.height; i++) {
            const uint32_t x = i % grid.width, y = i / grid.width;
            CHECK_EQ_INT(cells[i],
                         step == 0 ? is_dirty(&tree, rects, n_rects, x, y)
                                   : count_sources(&tree, &layout, step - 1, sources, x, y));
            n_dirty -= step == 0 && cells[i] > 0;
        }
        sources = cells;
        cells += (size_t)grid.width * grid.height;
    }
    CHECK_EQ_INT(n_dirty, 0);
    mb_free(n_made);
}

static void test_shapes(void)
{
    struct mb_layout layout;
    struct mb_tree tree;
    const struct mb_extent even = {4096, 4096}, odd = {4095, 4095}, hd = {1920, 1080};
    mb_layout_init(&layout, mb_format_find("rgba8"), even, 1, 13);
    mb_tree_init(&tree, &layout, &(struct mb_tree_options){64, 32, false});
    CHECK(tree.is_even);
    CHECK_EQ_INT(tree.n_steps, 3); /* 1 to 6, 7 to 9, 10 to 12 */
    CHECK_EQ_INT(tree.step[0].grid.width, 64);
    CHECK_EQ_INT(tree.step[0].reach.width, 63);
    CHECK_EQ_INT(tree.step[1].grid.width, 8);
    mb_layout_init(&layout, mb_format_find("rgba8"), odd, 1, 12);
    mb_tree_init(&tree, &layout, &(struct mb_tree_options){64, 32, false});
    CHECK(!tree.is_even);
    CHECK_EQ_INT(tree.n_steps, 4); /* 1 to 3, 4 to 6, 7 to 9, 10 to 11 */
    CHECK_EQ_INT(tree.step[0].reach.width, 70);
    CHECK_EQ_INT(tree.step[1].reach.width, 14);
    mb_layout_init(&layout, mb_format_find("rgba8"), hd, 1, 11);
    mb_tree_init(&tree, &layout, &(struct mb_tree_options){64, 32, false});
    CHECK(tree.is_even);
    CHECK_EQ_INT(tree.step[0].last_level, 3);
    CHECK_EQ_INT(tree.step[1].reach.width, 7);
    CHECK_EQ_INT(tree.step[1].reach.height, 14); /* 135, 67 and 33 are odd */
}

/* Alone and together: apart, touching at a corner of tiles, one within another. */
static void check_changes(void)
{
    static const struct {
        struct mb_extent base;
        struct mb_rect rects[3];
        uint32_t n_dirty[3]; /* tiles, after the first, the first two and all three */
        uint32_t tile_width;
        bool is_deep;
    } cases[] = {
        {{300, 200}, {{63, 63, 2, 2}, {299, 199, 1, 1}, {64, 64, 1, 1}}, {4, 5, 5}, 64, false},
        {{511, 317},
         {{64, 0, 1, 300}, {0, 0, 64, 1}, {510, 316, 1, 1}},
         {10, 10, 11},
         64,
         false},
        {{1023, 130}, {{500, 70, 100, 3}, {500, 70, 9, 9}, {0, 0, 1, 1}}, {4, 4, 5}, 32, false},
        {{512, 256}, {{0, 0, 512, 256}, {7, 7, 7, 7}, {511, 0, 1, 1}}, {32, 32, 32}, 64, false},
        {{512, 256},
         {{63, 63, 2, 2}, {128, 128, 1, 1}, {130, 0, 2, 129}},
         {4, 5, 7},
         64,
         false},
        {{1000, 300}, {{500, 70, 100, 3}, {0, 0, 1, 1}, {999, 299, 1, 1}}, {6, 7, 8}, 64, true},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        for (size_t n = 1; n <= 3; n++) {
            check_made(cases[i].base, cases[i].rects, n, cases[i].n_dirty[n - 1],
                       cases[i].tile_width, cases[i].is_deep);
        }
    }
}

/* Tiles that are neither square nor a power of two: each texel of level 0 is needed by one or
 * two of them per axis, and those that are made anew after a change are those. */
static void test_shared(void)
{
    struct mb_layout layout;
    struct mb_tree tree;
    const struct mb_extent base = {1023, 517}, size = {60, 12};
    mb_layout_init(&layout, mb_format_find("rgba8"), base, 1, 10);
    mb_tree_init_shared(&tree, &layout, 3, size);
    const struct mb_tree_step *tiles = &tree.step[0];
    CHECK_EQ_INT(tree.n_steps, 1);
    CHECK(!tree.has_final_step && !tree.is_even);
    CHECK_EQ_INT(tiles->last_level, 3);
    CHECK_EQ_INT(tiles->grid.width, 3);  /* of 127 texels */
    CHECK_EQ_INT(tiles->grid.height, 6); /* of 64 */
    CHECK_EQ_INT(tiles->span.width, 480);
    CHECK_EQ_INT(tiles->reach.width, 479 + 7);     /* 1023, 511 and 255 are odd */
    CHECK_EQ_INT(tiles->reach.height, 95 + 1 + 4); /* 517 and 129 are, 258 is not */
    for (uint32_t x = 0; x < tiles->grid.width; x++) {
        check_needs(&tree, &layout, 0, x);
    }
    const struct mb_rect last = mb_tree_made(&tree, &layout, 0, 2, 5);
    CHECK(last.x == 120 && last.width == 7 && last.y == 60 && last.height == 4);
}

int main(void)
{
    test_shapes();
    test_shared();
    for (uint32_t width = 2; width < 400; width++) {
        check_width(width, 64, false);
        check_width(width, 32, false);
        check_width(width, 64, true);
    }
    for (uint32_t width = 1000; width < 9000; width += 997) {
        check_width(width, 64, false);
    }
    check_changes();
    return check_summary("tree");
}
