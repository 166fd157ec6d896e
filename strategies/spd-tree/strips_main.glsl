/* One dispatch of any size: tiles by strips.glsl, all further levels by share_parts.glsl. The kernel that
 * includes this says what texels are (texel.glsl) and how they are handed on: SLOTS, or words. */
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma use_vulkan_memory_model
#define STRIPS
#include "tree.glsl"
#include "share_parts.glsl"
#include "strips.glsl"

void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint index = gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID;
    ivec2 tile = tile_of_workgroup();
    prepare_codec(index);
    make_tile(tile, layer, gl_SubgroupID, gl_SubgroupInvocationID);
    if (HAS_CELLS) {
        share_tile(tile, layer, index);
    }
}
