/* spd-tree of averages of 8-bit codes of any size: as spd_tree_share.comp, with texels fetched and stored as
 * they are. */
#version 460
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma use_vulkan_memory_model
#define RAW
#include "tree.glsl"
#include "codes.glsl"
#include "wave.glsl"
#include "share_sums.glsl"
#include "odd.glsl"

void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint index = gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID;
    ivec2 tile = tile_of_workgroup();
    make_odd_tile(tile, layer, index);
    if (HAS_CELLS) {
        share_tile(tile, layer, index);
    }
}
