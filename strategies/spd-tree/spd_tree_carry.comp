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
#include "wave.glsl"

/* The code that 4^level texels average to. */
uint code_of_sum(uint64_t sum, int level, int channel)
{
    return uint(sum + (uint64_t(1) << 2 * level - 1) >> 2 * level);
}

#include "carry.glsl"
#define STORES_LATE (LATE == 2)
#include "sums.glsl"

void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint lane = gl_SubgroupInvocationID;
    ivec2 tile = tile_of_workgroup();
    uvec4 words;
    uvec3 codes;
    Late late;
    bool goes_on = sum_tile(tile, layer, lane, words, codes, late);
    if (goes_on && LATE == 0) {
        store_levels_4_6(tile, layer, lane, codes);
    }
    if (goes_on && n_levels > 7 && HAS_CELLS) {
        carry(tile, words, layer, lane);
    }
    if (goes_on && LATE > 0) {
        store_levels_4_6(tile, layer, lane, codes);
    }
    if (STORES_LATE) {
        store_late(tile, layer, gl_SubgroupID * SUBGROUP_SIZE + lane, late);
    }
}
