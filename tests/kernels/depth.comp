/* A pyramid of the nearest or farthest depth: an odd size has three texels to look at. */
#version 450

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1, r32f) uniform writeonly image2DArray target;

void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID);
    ivec2 size = textureSize(source, 0).xy;
    ivec2 end = min(2 * at.xy + 2 + (size & 1), size);
    float depth = texelFetch(source, ivec3(min(2 * at.xy, size - 1), at.z), 0).r;
    for (int y = 2 * at.y; y < end.y; y++) {
        for (int x = 2 * at.x; x < end.x; x++) {
            depth = REDUCE(depth, texelFetch(source, ivec3(x, y, at.z), 0).r);
        }
    }
    imageStore(target, at, vec4(depth));
}
