/* One level per dispatch, one invocation per texel: 2x2 texels of the level above joined into one.
 * On an odd size the last row or column is left out (the floor policy). */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "levels.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray target;

vec4 fetch(ivec2 at, int layer)
{
    return loaded(texelFetch(source, ivec3(at, layer), 0));
}

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
    vec4 texel = reduce_2x2(fetch(near, layer), fetch(ivec2(far.x, near.y), layer),
                            fetch(ivec2(near.x, far.y), layer), fetch(far, layer), extent);
    imageStore(target, ivec3(at, layer), rounded(texel));
}
