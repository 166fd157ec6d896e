/* spd-tree of 8-bit codes where no size is odd: as spd_tree_wave.comp, but in whole numbers to level 6, by
 * sums.glsl, and from there in floats. */
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma use_vulkan_memory_model
#define UPDATES
#define RAW
#include "tree.glsl"
#include "codes.glsl"
#include "wave.glsl"
#include "sums.glsl"
#include "climb.glsl"

void while_gathering(int layer)
{
}

void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint lane = gl_SubgroupInvocationID;
    ivec2 tile = tile_of_workgroup();
    uvec4 words;
    Unstored unstored;
    if (sum_tile(tile, layer, lane, words, unstored)) {
        store_levels_4_6(tile, layer, lane, unstored);
        make_cells(tile, vec4(words) * (1.0 / (255.0 * 4096.0)), layer, lane);
    }
}
