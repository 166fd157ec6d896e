/* Traffic on buffers, for the roofline. Each load reads a vector of 16 bytes, neighbouring
 * invocations read neighbouring vectors, and the items of a workgroup follow one another:
 *
 *   vector  0 .. w-1 | w .. 2w-1 | ...        w: size of the workgroup
 *           item 0     item 1                 of invocations 0 .. w-1
 *
 * A dispatch may make several passes over the same vectors: later workgroups begin again. All
 * passes write the same values, so it does not matter which writes last. */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "noise.glsl"
#include "traffic.glsl"

layout(set = 0, binding = 0) restrict readonly buffer Source
{
    uvec4 source[];
};
layout(set = 0, binding = 1) restrict writeonly buffer Target
{
    uvec4 target[];
};

layout(push_constant) uniform Push
{
    uint n_vectors;         /* of one stream; mixed traffic reads three streams, one behind the other */
    uint n_groups_per_pass;
    uint n_groups;          /* of all passes; the grid may be larger */
    uint key, mask;         /* reads store their sum if sum & mask == key: never or always */
};

void read_vectors(uint first, uint result)
{
    uvec4 v[MAX_ITEMS];
    [[unroll]] for (uint k = 0u; k < N_ITEMS; k++) {
        v[k] = source[first + k * gl_WorkGroupSize.x];
    }
    uvec4 sum = v[0];
    [[unroll]] for (uint k = 1u; k < N_ITEMS; k++) {
        sum ^= v[k];
    }
    if (all(equal(sum & mask, uvec4(key)))) {
        target[result] = sum;
    }
}

void write_vectors(uint first)
{
    [[unroll]] for (uint k = 0u; k < N_ITEMS; k++) {
        uint at = first + k * gl_WorkGroupSize.x;
        target[at] = noise_vector(at);
    }
}

void mix_vectors(uint first)
{
    uvec4 a[MAX_ITEMS], b[MAX_ITEMS], c[MAX_ITEMS];
    [[unroll]] for (uint k = 0u; k < N_ITEMS; k++) {
        uint at = first + k * gl_WorkGroupSize.x;
        a[k] = source[at];
        b[k] = source[at + n_vectors];
        c[k] = source[at + 2u * n_vectors];
    }
    [[unroll]] for (uint k = 0u; k < N_ITEMS; k++) {
        target[first + k * gl_WorkGroupSize.x] = a[k] ^ b[k] ^ c[k];
    }
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= n_groups) {
        return;
    }
    group %= n_groups_per_pass;
    uint first = group * gl_WorkGroupSize.x * N_ITEMS + gl_LocalInvocationID.x;
    switch (TRAFFIC) {
    case TRAFFIC_READ:
        read_vectors(first, group * gl_WorkGroupSize.x + gl_LocalInvocationID.x);
        break;
    case TRAFFIC_FILL:
        write_vectors(first);
        break;
    default:
        mix_vectors(first);
        break;
    }
}
