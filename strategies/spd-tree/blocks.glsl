/* Three levels of a block of 8x8 texels by one subgroup, where no size is odd. */
#ifndef BLOCKS_GLSL
#define BLOCKS_GLSL

/* Texels of 8x8 in Morton order; before that, where subgroups are small, of a tile's level 2 by rows. */
shared vec4 cells[IS_WIDE ? 64 : 256];

Joined shuffled(Joined own, uint mask)
{
    return Joined(subgroupShuffleXor(own.straight, mask),
                  WEIGH_ALPHA ? subgroupShuffleXor(own.weighted, mask) : vec3(0.0));
}

/* Lanes' texels joined along both axes of a level of size `extent`. */
vec4 join_lanes(vec4 texel, ivec2 extent, uint mask_x, uint mask_y)
{
    Joined all = joined_of(texel);
    all = join(all, is_narrow(extent.x) ? all : shuffled(all, mask_x));
    all = join(all, is_narrow(extent.y) ? all : shuffled(all, mask_y));
    return texel_of(all, 0.25);
}

void store_made(int level, ivec2 at, int layer, vec4 texel)
{
    if (n_levels > level) {
        store(level, at, layer, texel);
    }
}

/* Texel `i`, in Morton order, of a block of 8x8: of a tile's level 3, or of what a step begins with. */
vec4 block_texel(int step, ivec2 block, int layer, uint i);

/* Texel `index` of the first of the three levels that a block makes, `level` its own. */
vec4 make_first_level(int step, int level, ivec2 block, int layer, uint index, bool is_mine)
{
    vec4 made = reduce_2x2(block_texel(step, block, layer, 4u * index),
                           block_texel(step, block, layer, 4u * index + 1u),
                           block_texel(step, block, layer, 4u * index + 2u),
                           block_texel(step, block, layer, 4u * index + 3u),
                           level_extent(base_extent, level));
    if (is_mine) {
        store_made(level + 1, block * 4 + place(index), layer, made);
    }
    return made;
}

/* All three, by one subgroup; the texel of the last, in its first four lanes at least. */
vec4 make_levels(int step, ivec2 block, int layer, uint lane)
{
    int level = step == 0 ? 3 : source_level(step);
    ivec2 extent = level_extent(base_extent, level + 1);
    vec4 texel;
    if (IS_WIDE) {
        texel = make_first_level(step, level, block, layer, lane & 15u, lane < 16u);
        texel = join_lanes(texel, extent, 1u, 2u);
    } else {
        uint first = 4u * (lane & 3u);
        vec4 v00 = make_first_level(step, level, block, layer, first, lane < 4u);
        vec4 v10 = make_first_level(step, level, block, layer, first + 1u, lane < 4u);
        vec4 v01 = make_first_level(step, level, block, layer, first + 2u, lane < 4u);
        vec4 v11 = make_first_level(step, level, block, layer, first + 3u, lane < 4u);
        texel = reduce_2x2(v00, v10, v01, v11, extent);
    }
    uint index = IS_WIDE ? lane >> 2 : lane;
    if (index < 4u && (!IS_WIDE || (lane & 3u) == 0u)) {
        store_made(level + 2, block * 2 + place(index), layer, texel);
    }
    texel = join_lanes(texel, level_extent(base_extent, level + 2), IS_WIDE ? 4u : 1u,
                       IS_WIDE ? 8u : 2u);
    if (lane == 0u) {
        store_made(level + 3, block, layer, texel);
    }
    return texel;
}

#endif
