/* spd-tree of 8-bit sRGB codes where no size is odd: tiles by tile.glsl, from texels that curve.glsl decodes,
 * and from there by carry.glsl. */
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
#include "curve.glsl"
#include "tile.glsl"
#include "carry.glsl"

vec4 block_texel(int step, ivec2 block, int layer, uint i)
{
    return cells[i]; /* there are tiles only */
}

void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint lane = gl_SubgroupInvocationID;
    ivec2 tile = tile_of_workgroup();
    vec4 texel;
    if (make_tile(tile, layer, lane, texel) && n_levels > 7 && HAS_CELLS) {
        carry(Node(0u, 0u), tile, fixed_point(texel), layer, lane);
    }
}
