/* One level per dispatch: each invocation makes one texel of the next level.
 *
 * The box policy is that of shaders/box.glsl. The floor policy uses texels 2x and 2x+1 at any
 * size, and so drops the last row or column of an odd size. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "levels.glsl"

layout(local_size_x = 16, local_size_y = 16) in;

layout(constant_id = 0) const bool NPOT_BOX = true;     /* otherwise floor */
layout(constant_id = 1) const bool LOAD_SAMPLER = false; /* one fetch per 2x2 texels */

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray target;

layout(push_constant) uniform Push
{
    ivec2 source_extent;
    vec2 inv_source_extent; /* rounded once, by the host */
    ivec2 first;            /* the part of the target to make: all of it, or an update's affected region */
    ivec2 n_texels;
};

#include "pair.glsl"
#include "box.glsl"

void main()
{
    ivec2 at = first + ivec2(gl_GlobalInvocationID.xy);
    int layer = int(gl_GlobalInvocationID.z);
    if (any(greaterThanEqual(gl_GlobalInvocationID.xy, uvec2(n_texels)))) {
        return;
    }
    vec4 texel = NPOT_BOX && is_weighted(source_extent)
                     ? reduce_box(at, source_extent, inv_source_extent, layer)
                     : reduce_pair(at, layer);
    imageStore(target, ivec3(at, layer), rounded(texel));
}
