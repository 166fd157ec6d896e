/* spd-tree_share.comp of 8-bit codes, of a size that is even for three levels at least: these in whole
 * numbers, by sums.glsl. */
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
#include "tree.glsl"
#include "wave.glsl"
#include "share.glsl"
#include "sums.glsl"

shared vec4 cells[64];
#include "even_tile.glsl"

void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint index = gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID;
    ivec2 tile = tile_of_workgroup();
    sum_levels_1_3(tile, layer, index);
    if (index < 64u) {
        uvec4 words = words_of(sum_cells[index]);
        cells[index] = vec4(words) * (1.0 / (255.0 * 64.0));
    }
    barrier();
    make_even_levels(tile, layer, index);
    if (HAS_CELLS) {
        share_tile(tile, layer, index);
    }
}
