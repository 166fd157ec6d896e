/* As spd_tree_wave.comp, of texels of four bytes, fetched by gathers and stored as they are. */
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
#include "tile.glsl"
#include "climb.glsl"

void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint lane = gl_SubgroupInvocationID;
    ivec2 tile = tile_of_workgroup();
    vec4 texel;
    if (make_tile(tile, layer, lane, texel)) {
        make_cells(tile, texel, layer, lane);
    }
}
