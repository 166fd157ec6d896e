/* spd-tree of averages of 8-bit codes of any size: tiles by strips.glsl, all further levels by
 * share_parts.glsl. */
#version 460
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma use_vulkan_memory_model
#define RAW
#define STRIPS
#include "tree.glsl"
#include "share_parts.glsl"
#include "strips.glsl"

void main()
{
    int layer = int(gl_WorkGroupID.z);
    ivec2 tile = tile_of_workgroup();
    make_tile(tile, layer, gl_SubgroupID, gl_SubgroupInvocationID);
    if (HAS_CELLS) {
        share_tile(tile, layer, gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID);
    }
}
