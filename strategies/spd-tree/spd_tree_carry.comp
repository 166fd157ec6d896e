/* spd-tree of 8-bit codes where no size is odd, in whole numbers all the way: tiles by sums.glsl, and from
 * there by carry.glsl. */
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
#include "tree.glsl"
#include "codes.glsl"
#include "turns.glsl"
#include "wave.glsl"

/* The code that 4^level texels average to. */
uint code_of_sum(uint64_t sum, int level, int channel)
{
    return uint(sum + (uint64_t(1) << 2 * level - 1) >> 2 * level);
}

#include "carry.glsl"
#include "sums.glsl"

/* Have the device fetch what it needs to know of each level to store to it: stores beyond a level's size have no
 * other effect. */
void while_gathering(int layer)
{
    if (!TOUCHES_LEVELS || gl_SubgroupID != gl_NumSubgroups - 1u) {
        return;
    }
    [[unroll]] for (int level = 1; level < 7; level++) {
        store_code(level, ivec2(-1), layer, 0u);
    }
    [[unroll]] for (int level = 7; level < 16; level++) {
        if (level < N_LEVELS) {
            store_carried(level, ivec3(-1), uvec4(0u));
        }
    }
}

void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint lane = gl_SubgroupInvocationID;
    ivec2 tile = tile_of_workgroup();
    Node first = Node(0u, 0u);
    if (HAS_ONE_SPAN) {
        first = node_of_tile(tile, layer, lane);
    }
    uvec4 words;
    Unstored unstored;
    bool goes_on = sum_tile(tile, layer, lane, words, unstored);
    if (goes_on && LATE == 0) {
        store_levels_4_6(tile, layer, lane, unstored);
    }
    if (goes_on && N_LEVELS > FIRST_CARRIED && HAS_CELLS) {
        carry(first, tile, words, layer, lane);
    }
    if (goes_on && LATE > 0) {
        store_levels_4_6(tile, layer, lane, unstored);
    }
    if (STORES_LATE) {
        uint index = gl_SubgroupID * SUBGROUP_SIZE + lane;
        store_level1(tile, layer, index, averages_of_four(unstored.level1));
        store_level2(tile, layer, index, average(unstored.level2, 2));
    }
}
