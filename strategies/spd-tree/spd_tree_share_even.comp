/* spd-tree of averages of a size that is even for three levels at least: these by tile.glsl, the further ones
 * by share.glsl. */
#version 460
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma use_vulkan_memory_model
#include "tree.glsl"
#include "wave.glsl"
#include "share_sums.glsl"
#include "tile.glsl"
#include "even_tile.glsl"

void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint index = gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID;
    ivec2 tile = tile_of_workgroup();
    TileTexels made;
    make_levels_1_3(tile, layer, index, made);
    make_even_levels(tile, layer, index);
    if (HAS_CELLS) {
        share_tile(tile, layer, index);
    }
}
