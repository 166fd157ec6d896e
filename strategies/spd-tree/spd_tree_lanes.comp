/* spd-tree of 8-bit codes where no size is odd and subgroups have 32 lanes: each makes a tile of 32x32
 * texels to level 5 on its own, without shared memory and barriers, and carries on from there by
 * carry.glsl. Sums are those of sums.glsl.
 *
 * Lanes lie in Morton order, 8x4: bits 0, 2 and 4 of their number are x, bits 1 and 3 y. Level 1 has
 * 16x16 texels, 2x4 such blocks, of which a lane has one texel each. Every halving joins what it can
 * within the lane's texels and gives half of what is left away:
 *
 *     level 1   8 a lane    blocks 0 to 7, of 8x4 texels
 *     level 2   2 a lane    bits 0 and 1 now say of which block of four; 4x2 texels each
 *     level 3   1 a lane    bit 2 says of which four; 2x1; lanes that differ in bit 3 have the same
 *     level 4   along x by bit 4, along y by bit 1
 *     level 5   along x by bit 0, along y by bit 2
 */
#version 460
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma use_vulkan_memory_model
#define RAW
#define N_INVOCATIONS 128
#define FIRST_CARRIED 6
#include "tree.glsl"
#include "wave.glsl"
#include "codes.glsl"
#include "carry.glsl"

uvec2 joined_x(uvec2 keep, uvec2 give, ivec2 extent, uint mask)
{
    return keep + (is_narrow(extent.x) ? keep : subgroupShuffleXor(give, mask));
}

uvec2 joined_y(uvec2 keep, uvec2 give, ivec2 extent, uint mask)
{
    return keep + (is_narrow(extent.y) ? keep : subgroupShuffleXor(give, mask));
}

/* Level 1 of four blocks, from `first` on, and level 2 of that which bits 0 and 1 of the lane say. */
uvec2 make_four_blocks(ivec2 first, int layer, uint lane)
{
    uvec2 sums[4];
    sums[0] = load_sums(2 * first, layer);
    sums[1] = load_sums(2 * first + ivec2(16, 0), layer);
    sums[2] = load_sums(2 * first + ivec2(0, 8), layer);
    sums[3] = load_sums(2 * first + ivec2(16, 8), layer);
    store_code(1, first, layer, average(sums[0], 1));
    store_code(1, first + ivec2(8, 0), layer, average(sums[1], 1));
    store_code(1, first + ivec2(0, 4), layer, average(sums[2], 1));
    store_code(1, first + ivec2(8, 4), layer, average(sums[3], 1));
    return scatter_sums(sums, lane);
}

/* Levels 1 to 5 of the tile; the sum of level 5 in all lanes. */
uvec4 make_tile(ivec2 tile, int layer, uint lane)
{
    ivec2 p = place(lane), at = tile * 16 + p;
    uvec2 upper = make_four_blocks(at, layer, lane);
    uvec2 lower = make_four_blocks(at + ivec2(0, 8), layer, lane);
    ivec2 block = ivec2(lane & 1u, lane >> 1 & 1u);
    at = tile * 8 + (p >> 1) + block * ivec2(4, 2);
    store_code(2, at, layer, average(upper, 2));
    store_code(2, at + ivec2(0, 4), layer, average(lower, 2));

    ivec2 extent = level_extent(base_extent, 2);
    bool is_lower = (lane & 4u) != 0u;
    uvec2 sums = joined_x(is_lower ? lower : upper, is_lower ? upper : lower, extent, 4u);
    sums = joined_y(sums, sums, extent, 8u);
    block.y += is_lower ? 2 : 0;
    if ((lane & 8u) == 0u) {
        store_code(3, tile * 4 + block * ivec2(2, 1) + ivec2(lane >> 4, 0), layer,
                   average(sums, 3));
    }
    extent = level_extent(base_extent, 3);
    sums = joined_x(sums, sums, extent, 16u);
    sums = joined_y(sums, sums, extent, 2u);
    if ((lane & 26u) == 0u) {
        store_code(4, tile * 2 + ivec2(block.x, is_lower ? 1 : 0), layer, average(sums, 4));
    }
    extent = level_extent(base_extent, 4);
    uvec4 words = words_of(sums);
    words += is_narrow(extent.x) ? words : subgroupShuffleXor(words, 1u);
    words += is_narrow(extent.y) ? words : subgroupShuffleXor(words, 4u);
    if (lane == 0u) {
        store_code(5, tile, layer, average_of_words(words, 5));
    }
    return words;
}

void main()
{
    int layer = int(gl_WorkGroupID.z);
    ivec2 tile = 2 * tile_of_workgroup() + ivec2(gl_SubgroupID & 1u, gl_SubgroupID >> 1);
    if (any(greaterThanEqual(32 * tile, base_extent))) {
        return;
    }
    uint lane = gl_SubgroupInvocationID;
    uvec4 words = make_tile(tile, layer, lane);
    if (n_levels > FIRST_CARRIED && HAS_CELLS) {
        carry(tile, words, layer, lane);
    }
}
