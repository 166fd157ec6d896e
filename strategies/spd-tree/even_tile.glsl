/* The levels of a tile from 4 on, as far as sizes are even: 8x8 texels of level 3 lie in cells[], in Morton
 * order. */
#ifndef EVEN_TILE_GLSL
#define EVEN_TILE_GLSL

/* By the whole workgroup; the last level to parts[] as well. */
void make_even_levels(ivec2 tile, int layer, uint index)
{
    for (int level = 4; level <= FIRST_LEVELS; level++) {
        uint n = 4096u >> 2 * level;
        vec4 texel;
        if (index < n) {
            texel = reduce_2x2(cells[4u * index], cells[4u * index + 1u], cells[4u * index + 2u],
                               cells[4u * index + 3u], level_extent(base_extent, level - 1));
            store(level, tile * (64 >> level) + place(index), layer, texel);
        }
        barrier();
        if (index < n) {
            cells[index] = texel;
        }
        barrier();
    }
    if (index < TILE_WIDTH * TILE_WIDTH) {
        ivec2 p = place(index);
        leave_part(uint(p.y * TILE_WIDTH + p.x), cells[index]);
    }
}

#endif
