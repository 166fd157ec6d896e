/* Of each kind of descriptor one, levels as an array without a length, and push constants beyond what
 * every device has. */
#version 460
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_nonuniform_qualifier : require

layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1, r32f) uniform writeonly image2DArray levels[];
layout(set = 0, binding = 2) uniform Sizes { uint n; } sizes;
layout(set = 0, binding = 3) buffer Counter { uint64_t n; } counter;
layout(push_constant) uniform Push { uint zero[33]; } push;

void main()
{
    counter.n += push.zero[32];
    for (uint i = 0; i < sizes.n; i++) {
        imageStore(levels[i], ivec3(0), texelFetch(source, ivec3(0), 0));
    }
}
