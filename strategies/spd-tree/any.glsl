/* Blocks (tiles and cells) of any size, with the halo that odd sizes take. */
#ifndef ANY_GLSL
#define ANY_GLSL

/* Where fetch() reads: a constant wherever it is called, so that no branch remains. */
#define FROM_IMAGE 0
#define FROM_HAND_OFF 1 /* what the step begins with */
#define FROM_CELLS 2
int from, from_step;
ivec2 from_first; /* in the cells: the texel that lies first, where, and how many are in a row */
uint from_offset;
int from_pitch;

/* Coordinates are those of the level; none are beyond what is there. */
vec4 fetch(ivec2 at, int layer)
{
    if (from == FROM_IMAGE) {
        return loaded(texelFetch(source, ivec3(at, layer), 0));
    }
    if (from == FROM_HAND_OFF) {
        return load_source(from_step, at, layer);
    }
    ivec2 p = at - from_first;
    return cells[from_offset + uint(p.y * from_pitch + p.x)];
}

#include "box.glsl"

/* Store a texel, and leave it to the next step if it is of the last level of this one. */
void finish_texel(int step, int level, bool is_last_level, ivec2 at, int layer, vec4 texel)
{
    store(level, at, layer, texel);
    if (is_last_level && step + 1 < n_steps) {
        leave_source(step + 1, at, layer, texel);
    }
}

/* The first level that the block leaves in the cells. */
int first_kept(Block block)
{
    return block.source_level + (HAS_EVEN_PAIR && block.source_level == 0 ? 2 : 1);
}

uint cells_of(Block block, int level)
{
    return (level - first_kept(block) & 1) == 0 ? 0u : uint(FIRST_CELLS);
}

/* All texels of `level` that the block needs, from what fetch() reads; to the cells. */
void make_level(int step, Block block, int level, int layer, uint index)
{
    ivec2 first = block.first << block.last_level - level;
    ivec2 size = last_needed(block, level) - first + 1;
    ivec2 owned = last_owned(block, level);
    ivec2 extent = level_extent(base_extent, level - 1);
    vec2 inv_extent = 1.0 / vec2(extent);
    uint offset = cells_of(block, level);
    uint n = uint(size.x * size.y);
    float inv_width = 1.0 / float(size.x);
    /* As often for every invocation: where some never enter a loop, llvmpipe lets them pass the
     * barrier behind it. */
    for (uint first_i = 0u; first_i < n; first_i += N_INVOCATIONS) {
        uint i = first_i + index;
        if (i < n) {
            int y = int((float(i) + 0.5) * inv_width); /* far from where rounding would matter */
            ivec2 at = first + ivec2(int(i) - y * size.x, y);
            vec4 texel = reduce_box(at, extent, inv_extent, layer);
            if (all(lessThanEqual(at, owned))) {
                finish_texel(step, level, level == block.last_level, at, layer, texel);
            }
            if (level < block.last_level) {
                cells[offset + i] = texel;
            }
        }
    }
    barrier();
}

/* A further level than the first of a block. */
void make_further_level(int step, Block block, int level, int layer, uint index)
{
    from = FROM_CELLS;
    from_first = block.first << block.last_level - level + 1;
    from_pitch = last_needed(block, level - 1).x - from_first.x + 1;
    from_offset = cells_of(block, level - 1);
    make_level(step, block, level, layer, index);
}

/* The first level of a cell, which is left in the cells of shared memory. */
void make_cell_level(int step, Block block, int layer, uint index)
{
    from = FROM_HAND_OFF;
    from_step = step;
    make_level(step, block, block.source_level + 1, layer, index);
}

/* Levels 1 and 2 of a tile that begins with two levels of even size: 2x2 texels of level 1 at a time,
 * stored and no more, and what they make, which is left in the cells. */
void make_even_pair(Block block, int layer, uint index)
{
    ivec2 first = block.first << block.last_level - 2;
    ivec2 size = last_needed(block, 2) - first + 1;
    ivec2 owned = last_owned(block, 2);
    uint n = uint(size.x * size.y);
    float inv_width = 1.0 / float(size.x);
    for (uint first_i = 0u; first_i < n; first_i += N_INVOCATIONS) {
        uint i = first_i + index;
        if (i < n) {
            int y = int((float(i) + 0.5) * inv_width);
            ivec2 at = first + ivec2(int(i) - y * size.x, y);
            vec4 texel[4];
            for (int k = 0; k < 4; k++) {
                texel[k] = load_level1(2 * at + ivec2(k & 1, k >> 1), layer);
            }
            vec4 made = reduce_2x2(texel[0], texel[1], texel[2], texel[3],
                                   level_extent(base_extent, 1));
            if (all(lessThanEqual(at, owned))) {
                for (int k = 0; k < 4; k++) {
                    store(1, 2 * at + ivec2(k & 1, k >> 1), layer, texel[k]);
                }
                finish_texel(0, 2, 2 == block.last_level, at, layer, made);
            }
            cells[i] = made;
        }
    }
    barrier();
}

/* A block of any size: the first level, or two, from the image or from what was handed on, the others
 * from the cells. */
void make_any_block(int step, Block block, int layer, uint index)
{
    int level = first_kept(block);
    if (step > 0) {
        make_cell_level(step, block, layer, index);
    } else if (HAS_EVEN_PAIR) {
        make_even_pair(block, layer, index);
    } else {
        from = FROM_IMAGE;
        make_level(0, block, 1, layer, index);
    }
    while (++level <= block.last_level) {
        make_further_level(step, block, level, layer, index);
    }
}

#endif
