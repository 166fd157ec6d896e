/* What the device really runs with: size of a subgroup, and the lanes that a sum counts. */
#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) buffer Sizes
{
    uint subgroup_size;
    uint n_lanes;
};

void main()
{
    uint lanes = subgroupAdd(1u);
    if (gl_LocalInvocationIndex == 0u) {
        subgroup_size = gl_SubgroupSize;
        n_lanes = lanes;
    }
}
