/* Levels 1 to 6 of a tile of 8-bit codes, where no size is odd, in whole numbers. Texels are fetched and
 * stored as they are, four bytes in a word: a gather brings 2x2 of them, two channels are summed by
 * one addition, and shuffles carry two at once, as far as sixteen bits hold their sums, to level 4:
 *
 *     texel     a b g r      bytes, the last lowest
 *     sums.x    .b .r        sixteen bits each: at most 4^4 * 255
 *     sums.y    .a .g
 *
 * Averages are rounded once per stored texel, from exact sums. */
#ifndef SUMS_GLSL
#define SUMS_GLSL

/* Of level 3, in Morton order; before it, where subgroups are small, of level 2 by rows. */
shared uvec2 sum_cells[IS_WIDE ? 64 : 256];

uvec2 sums_of(uint texel)
{
    return uvec2(texel, texel >> 8) & 0x00ff00ffu;
}

/* The texel that 4^n_halved texels average to. */
uint average(uvec2 sums, int n_halved)
{
    uint half_of_both = 0x00010001u << 2 * n_halved - 1;
    uvec2 codes = (sums + half_of_both >> 2 * n_halved) & 0x00ff00ffu;
    return codes.x | codes.y << 8;
}

/* The same of a sum per channel. */
uint average_of_words(uvec4 sums, int n_halved)
{
    uvec4 codes = sums + (1u << 2 * n_halved - 1) >> 2 * n_halved;
    return codes.x | codes.y << 8 | codes.z << 16 | codes.w << 24;
}

void store_code(int level, ivec2 at, int layer, uint code)
{
    if (N_LEVELS > level) {
        store_as(level, at, layer, uvec4(code, 0u, 0u, 0u));
    }
}

/* 2x2 texels of level 0 from `at` on; what lies beyond an axis of one texel is that texel again. */
uvec4 gather(ivec2 at, int layer)
{
    return textureGather(source, vec3(vec2(at + 1) * inv_base_extent, layer));
}

uvec2 sum_of_four(uvec4 texels)
{
    return sums_of(texels.x) + sums_of(texels.y) + sums_of(texels.z) + sums_of(texels.w);
}

/* As scatter_quad() of tile.glsl. */
uvec2 scatter_sums(uvec2 sums[4], uint lane)
{
    ivec2 extent = level_extent(base_extent, 1);
    bool is_right = (lane & 1u) != 0u, is_below = (lane & 2u) != 0u;
    uvec2 upper = is_right ? sums[1] : sums[0], lower = is_right ? sums[3] : sums[2];
    uvec2 give_upper = is_right ? sums[0] : sums[1], give_lower = is_right ? sums[2] : sums[3];
    upper += is_narrow(extent.x) ? upper : subgroupQuadSwapHorizontal(give_upper);
    lower += is_narrow(extent.x) ? lower : subgroupQuadSwapHorizontal(give_lower);
    uvec2 keep = is_below ? lower : upper, give = is_below ? upper : lower;
    return keep + (is_narrow(extent.y) ? keep : subgroupQuadSwapVertical(give));
}

/* What there is time for while texels are on their way. */
void while_gathering(int layer);

/* What an invocation has still to store: if STORES_LATE, levels 1 and 2, as sums; if its subgroup goes on,
 * codes of levels 4 to 6. */
struct Unstored {
    uvec2 level1[4], level2;
    uint level4, level5, level6;
};

uvec4 averages_of_four(uvec2 sums[4])
{
    return uvec4(average(sums[0], 1), average(sums[1], 1), average(sums[2], 1),
                 average(sums[3], 1));
}

/* A texel in each quadrant. */
void store_level1(ivec2 tile, int layer, uint index, uvec4 codes)
{
    ivec2 first = tile * 32 + place(index);
    store_code(1, first, layer, codes.x);
    store_code(1, first + ivec2(16, 0), layer, codes.y);
    store_code(1, first + ivec2(0, 16), layer, codes.z);
    store_code(1, first + 16, layer, codes.w);
}

void store_level2(ivec2 tile, int layer, uint index, uint code)
{
    store_code(2, tile * 16 + place_in_level2(index), layer, code);
}

/* Levels 1 and 2 of a tile; the sums of level 2. */
uvec2 sum_levels_1_2(ivec2 tile, int layer, uint index, inout Unstored unstored)
{
    ivec2 first = tile * 32 + place(index);
    uvec4 texels[4];
    texels[0] = gather(2 * first, layer);
    texels[1] = gather(2 * first + ivec2(32, 0), layer);
    texels[2] = gather(2 * first + ivec2(0, 32), layer);
    texels[3] = gather(2 * first + 32, layer);
    while_gathering(layer);
    uvec2 sums[4];
    sums[0] = sum_of_four(texels[0]);
    sums[1] = sum_of_four(texels[1]);
    sums[2] = sum_of_four(texels[2]);
    sums[3] = sum_of_four(texels[3]);
    uvec4 codes = averages_of_four(sums);
    if (!STORES_LATE) {
        store_level1(tile, layer, index, codes);
    }
    uvec2 made = scatter_sums(sums, index);
    uint code = average(made, 2);
    if (!STORES_LATE) {
        store_level2(tile, layer, index, code);
    } else {
        unstored.level1 = sums;
        unstored.level2 = made;
    }
    return made;
}

/* Texel `i` of level 3 of a tile. */
void store_level3(ivec2 tile, int layer, uint i, uvec2 sums)
{
    store_code(3, tile * 8 + place(i), layer, average(sums, 3));
}

/* Level 3, by lanes that differ in bits 2 (x) and 3 (y) of their index; to the cells. */
void sum_level3_by_lanes(uvec2 sums, uint index)
{
    ivec2 extent = level_extent(base_extent, 2);
    sums += is_narrow(extent.x) ? sums : subgroupShuffleXor(sums, 4u);
    sums += is_narrow(extent.y) ? sums : subgroupShuffleXor(sums, 8u);
    if ((index & 12u) == 0u) {
        sum_cells[(index & 3u) << 4 | index >> 4] = sums;
    }
}

/* Each subgroup has made a few texels of every quadrant. They are stored from the cells, so that a
 * subgroup's lie together, by subgroups that have nothing else to do then. */
void store_level3_of_cells(ivec2 tile, int layer, uint index)
{
    uint i = index - uint(SUBGROUP_SIZE);
    if (i < 64u) {
        store_level3(tile, layer, i, sum_cells[i]);
    }
}

/* The same through the cells, where subgroups are too small. */
void sum_level3_by_cells(ivec2 tile, uvec2 sums, int layer, uint index)
{
    ivec2 extent = level_extent(base_extent, 2), at = place_in_level2(index);
    sum_cells[at.y * 16 + at.x] = sums;
    barrier();
    ivec2 p = place(index & 63u);
    int corner = p.y * 32 + p.x * 2;
    int right = is_narrow(extent.x) ? 0 : 1, below = is_narrow(extent.y) ? 0 : 16;
    sums = sum_cells[corner] + sum_cells[corner + right] + sum_cells[corner + below] +
           sum_cells[corner + right + below];
    barrier();
    if (index < 64u) {
        sum_cells[index] = sums;
        store_level3(tile, layer, index, sums);
    }
}

/* Levels 1 to 3, the last to the cells; `index` counts lanes, subgroup by subgroup. */
void sum_levels_1_3(ivec2 tile, int layer, uint index, inout Unstored unstored)
{
    uvec2 sums = sum_levels_1_2(tile, layer, index, unstored);
    if (IS_WIDE) {
        sum_level3_by_lanes(sums, index);
    } else {
        sum_level3_by_cells(tile, sums, layer, index);
    }
    barrier();
    if (IS_WIDE) {
        store_level3_of_cells(tile, layer, index);
    }
}

/* Level 4 from 2x2 cells; where an axis is one texel wide, from the first twice. */
uvec2 sum_of_cells(uint index)
{
    ivec2 extent = level_extent(base_extent, 3);
    uint right = is_narrow(extent.x) ? 0u : 1u, below = is_narrow(extent.y) ? 0u : 2u;
    uint first = 4u * index;
    return sum_cells[first] + sum_cells[first + right] + sum_cells[first + below] +
           sum_cells[first + right + below];
}

uvec4 words_of(uvec2 sums)
{
    return uvec4(sums.x & 0xffffu, sums.y & 0xffffu, sums.x >> 16, sums.y >> 16);
}

/* Level 5 of a quad of cells' sums of level 4, one after the other, all four stored by their lane. */
uvec4 sum_of_quad(ivec2 tile, int layer, uint lane)
{
    ivec2 extent = level_extent(base_extent, 4);
    uvec4 words[4];
    [[unroll]] for (int i = 0; i < 4; i++) {
        uint index = 4u * (lane & 3u) + uint(i);
        uvec2 sums = sum_of_cells(index);
        words[i] = words_of(sums);
        if (lane < 4u) {
            store_code(4, tile * 4 + place(index), layer, average(sums, 4));
        }
    }
    uvec4 upper = words[0] + (is_narrow(extent.x) ? words[0] : words[1]);
    uvec4 lower = words[2] + (is_narrow(extent.x) ? words[2] : words[3]);
    return upper + (is_narrow(extent.y) ? upper : lower);
}

/* Levels 4 to 6 of a tile from its cells, by one subgroup; the sum of level 6, in its first four lanes at
 * least. Where lanes have four texels of level 4, they are stored. */
uvec4 sum_levels_4_6(ivec2 tile, int layer, uint lane, inout Unstored unstored)
{
    ivec2 extent4 = level_extent(base_extent, 4), extent5 = level_extent(base_extent, 5);
    uvec4 words;
    if (IS_WIDE) {
        uvec2 sums = sum_of_cells(lane & 15u);
        unstored.level4 = average(sums, 4);
        words = words_of(sums);
        words += is_narrow(extent4.x) ? words : subgroupShuffleXor(words, 1u);
        words += is_narrow(extent4.y) ? words : subgroupShuffleXor(words, 2u);
    } else {
        words = sum_of_quad(tile, layer, lane);
    }
    unstored.level5 = average_of_words(words, 5);
    words += is_narrow(extent5.x) ? words : subgroupShuffleXor(words, IS_WIDE ? 4u : 1u);
    words += is_narrow(extent5.y) ? words : subgroupShuffleXor(words, IS_WIDE ? 8u : 2u);
    unstored.level6 = average_of_words(words, 6);
    return words;
}

void store_levels_4_6(ivec2 tile, int layer, uint lane, Unstored unstored)
{
    uint index5 = IS_WIDE ? lane >> 2 : lane;
    if (IS_WIDE && lane < 16u) {
        store_code(4, tile * 4 + place(lane), layer, unstored.level4);
    }
    if (index5 < 4u && (!IS_WIDE || (lane & 3u) == 0u)) {
        store_code(5, tile * 2 + place(index5), layer, unstored.level5);
    }
    if (lane == 0u) {
        store_code(6, tile, layer, unstored.level6);
    }
}

/* Levels 1 to 6; true in the one subgroup that goes on, with the sum of level 6, and has still to store levels
 * 4 to 6. If STORES_LATE, all have to store levels 1 and 2. */
bool sum_tile(ivec2 tile, int layer, uint lane, out uvec4 words, inout Unstored unstored)
{
    sum_levels_1_3(tile, layer, gl_SubgroupID * SUBGROUP_SIZE + lane, unstored);
    if (gl_SubgroupID != 0u || N_LEVELS <= 4) {
        return false;
    }
    words = sum_levels_4_6(tile, layer, lane, unstored);
    return true;
}

#endif
