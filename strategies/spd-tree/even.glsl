/* Blocks (tiles and cells) that meet no odd size. */
#ifndef EVEN_GLSL
#define EVEN_GLSL

/* Blocks that meet no odd size have no halo. Each is a tile of 64x64 texels, or what a tile is after
 * some halvings: a cell of 8x8 texels after three, the final one, of up to 32x32, after at least one.
 * What lies beyond the image is made, too, of whatever is there, and not stored. */
struct EvenBlock {
    int base_level; /* that the tile would begin with */
    int n_halved;   /* how often it has been halved */
    ivec2 tile;     /* which one it is */
};

EvenBlock even_block(int step, Block block, ivec2 cell)
{
    int n_halved = step == 0 ? 0 : CELL_LEVELS;
    if (step == final_step) {
        ivec2 extent = level_extent(base_extent, block.source_level);
        n_halved = 6 - findMSB(2 * max(extent.x, extent.y) - 1);
    }
    return EvenBlock(block.source_level - n_halved, n_halved, cell);
}

/* What the block begins with, clamped to what is there. */
vec4 load_even(int step, int level, ivec2 at, int layer)
{
    return load_source(step, min(at, level_extent(base_extent, level) - 1), layer);
}

/* A texel that the block makes, which may lie beyond the image. */
void finish_even_texel(int step, int last_level, int level, ivec2 at, int layer, vec4 texel)
{
    store(level, at, layer, texel);
    if (level == last_level && step + 1 < n_steps &&
        all(lessThan(at, level_extent(base_extent, level)))) {
        leave_source(step + 1, at, layer, texel);
    }
}

/* The 16x16 texels after two halvings, which are left in the cells: each invocation makes one, of
 * 2x2 that it loads and, of a tile, stores. */
void make_even_quarter(int step, Block block, EvenBlock even, int layer, uint index)
{
    ivec2 at = even.tile * 16 + ivec2(index & 15u, index >> 4);
    int level = even.base_level + 2;
    vec4 made;
    if (even.n_halved < 2) {
        vec4 texel[4];
        for (int i = 0; i < 4; i++) {
            ivec2 p = 2 * at + ivec2(i & 1, i >> 1);
            texel[i] = step == 0 ? load_level1(p, layer) : load_even(step, level - 1, p, layer);
        }
        for (int i = 0; i < 4 && step == 0; i++) {
            store(1, 2 * at + ivec2(i & 1, i >> 1), layer, texel[i]);
        }
        made = reduce_2x2(texel[0], texel[1], texel[2], texel[3],
                          level_extent(base_extent, level - 1));
        if (level <= block.last_level) {
            finish_even_texel(step, block.last_level, level, at, layer, made);
        }
    } else if (even.n_halved == 2) {
        made = load_even(step, level, at, layer);
    }
    cells[FIRST_CELLS + index] = made;
}

/* After `n_halved` >= 3 halvings `width` x `width` texels, from those before, in the cells. */
void make_even_rest(int step, Block block, EvenBlock even, int n_halved, int layer, uint index)
{
    int width = 64 >> n_halved;
    int level = even.base_level + n_halved;
    uint to = (n_halved & 1) == 0 ? uint(FIRST_CELLS) : 0u;
    uint corner = uint(FIRST_CELLS) - to;
    barrier();
    if (n_halved < even.n_halved || level > block.last_level || index >= uint(width * width)) {
        return;
    }
    ivec2 p = ivec2(index & uint(width - 1), index >> 6 - n_halved);
    ivec2 at = even.tile * width + p;
    vec4 texel;
    if (n_halved > even.n_halved) {
        corner += uint(4 * width * p.y + 2 * p.x);
        texel = reduce_2x2(cells[corner], cells[corner + 1], cells[corner + 2 * width],
                           cells[corner + 2 * width + 1],
                           level_extent(base_extent, level - 1));
        finish_even_texel(step, block.last_level, level, at, layer, texel);
    } else {
        texel = load_even(step, level, at, layer);
    }
    cells[to + index] = texel;
}

void make_even_block(int step, Block block, ivec2 cell, int layer, uint index)
{
    EvenBlock even = even_block(step, block, cell);
    make_even_quarter(step, block, even, layer, index);
    make_even_rest(step, block, even, 3, layer, index);
    make_even_rest(step, block, even, 4, layer, index);
    make_even_rest(step, block, even, 5, layer, index);
    make_even_rest(step, block, even, 6, layer, index);
}

#endif
