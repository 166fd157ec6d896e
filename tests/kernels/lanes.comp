/* A row of texels in each subgroup of LANES invocations, by shuffles; a module for each size. */
#version 460
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_samplerless_texture_functions : require

layout(local_size_x = LANES, local_size_y = 64 / LANES) in;

layout(set = 0, binding = 0) uniform texture2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray target;

void main()
{
    /* Two lanes have the columns that become one. */
    ivec2 size = textureSize(source, 0).xy;
    uint row = gl_WorkGroupID.y * gl_NumSubgroups + gl_SubgroupID;
    ivec3 at = ivec3(gl_WorkGroupID.x * LANES + gl_SubgroupInvocationID, 2 * row, gl_WorkGroupID.z);
    ivec3 here = ivec3(min(at.xy, size - 1), at.z);
    ivec3 below = ivec3(here.x, min(at.y + 1, size.y - 1), at.z);
    vec4 column = texelFetch(source, here, 0) + texelFetch(source, below, 0);
    vec4 texel = 0.25 * (column + subgroupShuffleXor(column, 1));
    if (at.x % 2 == 0) { /* what lies beyond the level is not stored */
        imageStore(target, ivec3(at.x / 2, row, at.z), texel);
    }
}
