/* Blocks that meet no odd size, and so have no halo: tiles of 64x64 texels, and cells of 8x8, which are
 * what a tile is after three halvings. What lies beyond the image is made, too, of whatever is there,
 * and not stored. */
#ifndef EVEN_GLSL
#define EVEN_GLSL

/* A texel that the block makes, which may lie beyond the image. */
void finish_even_texel(int step, int last_level, int level, ivec2 at, int layer, vec4 texel)
{
    store(level, at, layer, texel);
    if (level == last_level && step + 1 < n_steps &&
        all(lessThan(at, level_extent(base_extent, level)))) {
        leave_source(step + 1, at, layer, texel);
    }
}

/* Levels 1 and 2 of a tile: each invocation makes 2x2 texels of level 1, which it stores, and one of
 * level 2, which is left in the second part of the cells. */
void make_even_pair_of_tile(ivec2 tile, int layer, uint index)
{
    ivec2 at = tile * 16 + ivec2(index & 15u, index >> 4);
    vec4 texel[4];
    for (int i = 0; i < 4; i++) {
        texel[i] = load_level1(2 * at + ivec2(i & 1, i >> 1), layer);
    }
    for (int i = 0; i < 4; i++) {
        store(1, 2 * at + ivec2(i & 1, i >> 1), layer, texel[i]);
    }
    vec4 made = reduce_2x2(texel[0], texel[1], texel[2], texel[3], level_extent(base_extent, 1));
    if (n_levels > 2) {
        store(2, at, layer, made);
    }
    cells[FIRST_CELLS + index] = made;
}

/* The 8x8 texels that a cell begins with, to the first part. */
void load_even_cell(int step, ivec2 cell, int layer, uint index)
{
    if (index < 64u) {
        ivec2 last = level_extent(base_extent, source_level(step)) - 1;
        ivec2 at = min(cell * 8 + ivec2(index & 7u, index >> 3), last);
        cells[index] = load_source(step, at, layer);
    }
}

/* After `n_halved` halvings, 3 to 6, of a tile: `width` x `width` texels, from those before, in the
 * other part of the cells. */
void halve_even(int step, Block block, int n_halved, int level, ivec2 tile, int layer, uint index)
{
    int width = 64 >> n_halved;
    uint to = (n_halved & 1) == 0 ? uint(FIRST_CELLS) : 0u;
    barrier();
    if (level <= block.last_level && index < uint(width * width)) {
        ivec2 p = ivec2(index & uint(width - 1), index >> 6 - n_halved);
        uint corner = uint(FIRST_CELLS) - to + uint(4 * width * p.y + 2 * p.x);
        vec4 texel = reduce_2x2(cells[corner], cells[corner + 1], cells[corner + 2 * width],
                                cells[corner + 2 * width + 1],
                                level_extent(base_extent, level - 1));
        finish_even_texel(step, block.last_level, level, tile * width + p, layer, texel);
        cells[to + index] = texel;
    }
}

void make_even_block(int step, Block block, ivec2 cell, int layer, uint index)
{
    int n_halved = step == 0 ? 3 : 4;
    int base_level = step == 0 ? 0 : block.source_level - 3;
    if (step == 0) {
        make_even_pair_of_tile(cell, layer, index);
    } else {
        load_even_cell(step, cell, layer, index);
    }
    for (; n_halved <= 6; n_halved++) {
        halve_even(step, block, n_halved, base_level + n_halved, cell, layer, index);
    }
}

#endif
