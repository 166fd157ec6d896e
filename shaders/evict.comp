/* Streams through a buffer. Afterwards the last-level cache holds only lines of it, and clean
 * ones, which cost no write-back later. The sums of the workgroups prove that all of it was
 * read. */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "noise.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool IS_FILL = false; /* fills the buffer with noise, once */

#define N_ITEMS 4u

layout(set = 0, binding = 0) restrict buffer Stream
{
    uvec4 stream[];
};
layout(set = 0, binding = 1) restrict writeonly buffer Sums
{
    uint sums[]; /* one per workgroup */
};

layout(push_constant) uniform Push
{
    uint n_groups; /* the grid may be larger */
};

shared uint group_sum;

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= n_groups) {
        return;
    }
    uint first = group * gl_WorkGroupSize.x * N_ITEMS + gl_LocalInvocationID.x;
    if (IS_FILL) {
        [[unroll]] for (uint k = 0u; k < N_ITEMS; k++) {
            stream[first + k * gl_WorkGroupSize.x] = noise_vector(first + k * gl_WorkGroupSize.x);
        }
        return;
    }
    if (gl_LocalInvocationID.x == 0u) {
        group_sum = 0u;
    }
    uvec4 v[N_ITEMS];
    [[unroll]] for (uint k = 0u; k < N_ITEMS; k++) {
        v[k] = stream[first + k * gl_WorkGroupSize.x];
    }
    uvec4 sum = v[0] ^ v[1] ^ v[2] ^ v[3];
    barrier();
    atomicXor(group_sum, sum.x ^ sum.y ^ sum.z ^ sum.w);
    barrier();
    if (gl_LocalInvocationID.x == 0u) {
        sums[group] = group_sum;
    }
}
