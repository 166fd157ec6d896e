/* One level per dispatch, one invocation per texel: the average of 2x2 texels of the level above.
 * On an odd size the last row or column is left out (the floor policy). */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "levels.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray target;

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    int layer = int(gl_GlobalInvocationID.z);
    if (any(greaterThanEqual(at, imageSize(target).xy))) {
        return;
    }
    ivec2 extent = textureSize(source, 0).xy;
    ivec2 near = 2 * at;
    ivec2 far = min(near + 1, extent - 1);
    vec4 texel = average_2x2(texelFetch(source, ivec3(near, layer), 0),
                             texelFetch(source, ivec3(far.x, near.y, layer), 0),
                             texelFetch(source, ivec3(near.x, far.y, layer), 0),
                             texelFetch(source, ivec3(far, layer), 0), extent);
    imageStore(target, ivec3(at, layer), rounded(texel));
}
