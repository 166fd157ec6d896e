/* spd-tree of 8-bit codes where no size is odd: as spd_tree_wave.comp, but in whole numbers as far as
 * sixteen bits hold their sums, to level 4. Texels are fetched and stored as they are, four bytes in a
 * word: a gather brings 2x2 of them, two channels are summed by one addition, and shuffles carry two
 * at once:
 *
 *     texel     a b g r      bytes, the last lowest
 *     sums.x    .b .r        sixteen bits each: at most 4^4 * 255
 *     sums.y    .a .g
 *
 * Averages are rounded once per stored texel, from exact sums. */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma use_vulkan_memory_model
#define RAW
#include "tree.glsl"
#include "wave.glsl"

shared uvec2 cells[256];

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

void store_average(int level, ivec2 at, int layer, uvec2 sums)
{
    if (n_levels > level) {
        store_as(level, at, layer, uvec4(average(sums, level), 0u, 0u, 0u));
    }
}

/* Of 2x2 texels of level 0 from `at` on; what lies beyond an axis of one texel is that texel again. */
uvec2 load_sums(ivec2 at, int layer)
{
    uvec4 texels = textureGather(source, vec3(vec2(at + 1) * inv_base_extent, layer));
    return sums_of(texels.x) + sums_of(texels.y) + sums_of(texels.z) + sums_of(texels.w);
}

/* As scatter_quad() of spd_tree_wave.comp. */
uvec2 scatter_sums(uvec2 sums[4], uint lane)
{
    ivec2 extent = level_extent(base_extent, 1);
    bool is_right = (lane & 1u) != 0u, is_below = (lane & 2u) != 0u;
    uvec2 row[2];
    for (int y = 0; y < 2; y++) {
        uvec2 keep = is_right ? sums[2 * y + 1] : sums[2 * y];
        uvec2 give = is_right ? sums[2 * y] : sums[2 * y + 1];
        row[y] = keep + (is_narrow(extent.x) ? keep : subgroupQuadSwapHorizontal(give));
    }
    uvec2 keep = is_below ? row[1] : row[0];
    uvec2 give = is_below ? row[0] : row[1];
    return keep + (is_narrow(extent.y) ? keep : subgroupQuadSwapVertical(give));
}

/* Levels 1 and 2 of a tile; the sums of level 2 and their place among 16x16. */
uvec2 make_levels_1_2(ivec2 tile, int layer, uint index, out ivec2 at)
{
    ivec2 p = place(index);
    uvec2 sums[4];
    for (int i = 0; i < 4; i++) {
        sums[i] = load_sums(2 * (tile * 32 + quadrant(i) * 16 + p), layer);
    }
    for (int i = 0; i < 4; i++) {
        store_average(1, tile * 32 + quadrant(i) * 16 + p, layer, sums[i]);
    }
    at = (p >> 1) + quadrant(int(index & 3u)) * 8;
    uvec2 made = scatter_sums(sums, index);
    store_average(2, tile * 16 + at, layer, made);
    return made;
}

/* Level 3, by lanes that differ in bits 2 (x) and 3 (y) of their index; to the cells. */
void make_level3_by_lanes(ivec2 tile, ivec2 at, uvec2 sums, int layer, uint index)
{
    ivec2 extent = level_extent(base_extent, 2);
    sums += is_narrow(extent.x) ? sums : subgroupShuffleXor(sums, 4u);
    sums += is_narrow(extent.y) ? sums : subgroupShuffleXor(sums, 8u);
    if ((index & 12u) == 0u) {
        ivec2 p = at >> 1;
        cells[p.y * 8 + p.x] = sums;
        store_average(3, tile * 8 + p, layer, sums);
    }
    barrier();
}

/* The same through the cells, where subgroups are too small. */
void make_level3_by_cells(ivec2 tile, ivec2 at, uvec2 sums, int layer, uint index)
{
    ivec2 extent = level_extent(base_extent, 2);
    cells[at.y * 16 + at.x] = sums;
    barrier();
    ivec2 p = ivec2(index & 7u, index >> 3 & 7u);
    int corner = p.y * 32 + p.x * 2;
    int right = is_narrow(extent.x) ? 0 : 1, below = is_narrow(extent.y) ? 0 : 16;
    sums = cells[corner] + cells[corner + right] + cells[corner + below] +
           cells[corner + right + below];
    barrier();
    if (index < 64u) {
        cells[index] = sums;
        store_average(3, tile * 8 + p, layer, sums);
    }
    barrier();
}

/* What a lane has of 64 sums, halved along the axis that a bit of the index counts, as halve(). */
void add(inout uvec2 v[PER_LANE], int bit, bool is_narrow_axis)
{
    if (bit < LANE_BITS) {
        for (int i = 0; i < PER_LANE >> bit + 1; i++) {
            v[i] = v[2 * i] + (is_narrow_axis ? v[2 * i] : v[2 * i + 1]);
        }
    } else {
        v[0] += is_narrow_axis ? v[0] : subgroupShuffleXor(v[0], 1u << bit - LANE_BITS);
    }
}

vec4 texel_of_level4(uvec2 sums)
{
    return vec4(sums.x & 0xffffu, sums.y & 0xffffu, sums.x >> 16, sums.y >> 16) *
           (1.0 / (255.0 * 256.0));
}

/* Level 4 of the tile's 8x8 texels of level 3, stored; as floats from there. */
void make_level4(ivec2 tile, int layer, uint lane, out vec4 texel[PER_LANE])
{
    ivec2 extent = level_extent(base_extent, 3);
    uvec2 v[PER_LANE];
    for (int i = 0; i < PER_LANE; i++) {
        ivec2 p = place((lane & 63u) * PER_LANE + uint(i));
        v[i] = cells[p.y * 8 + p.x];
    }
    add(v, 0, is_narrow(extent.x));
    add(v, 1, is_narrow(extent.y));
    for (int i = 0; i < n_left(2); i++) {
        if (is_first_lane(lane, 2)) {
            store_average(4, tile * 4 + place((lane * PER_LANE >> 2) + uint(i)), layer, v[i]);
        }
        texel[i] = texel_of_level4(v[i]);
    }
}

void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint lane = gl_SubgroupInvocationID;
    uint index = gl_SubgroupID * SUBGROUP_SIZE + lane;
    ivec2 tile = tile_of_workgroup(), at;
    uvec2 sums = make_levels_1_2(tile, layer, index, at);
    if (SUBGROUP_SIZE >= 16) {
        make_level3_by_lanes(tile, at, sums, layer, index);
    } else {
        make_level3_by_cells(tile, at, sums, layer, index);
    }
    if (gl_SubgroupID != 0u || n_levels <= 4) {
        return;
    }
    vec4 v[PER_LANE];
    make_level4(tile, layer, lane, v);
    make_levels(v, 1, 3, tile, layer, lane);
    make_cells(tile, v, layer, lane);
}
