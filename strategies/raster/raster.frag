/* One level per draw: each invocation makes one texel of the next level.
 *
 * The box policy is that of shaders/box.glsl. The blit policy is what a linear filter makes of
 * the point in the level above where the texel's centre falls: two texels along an axis, with
 * weights of their own on an odd one. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "levels.glsl"

layout(constant_id = 0) const bool NPOT_BOX = true;      /* otherwise blit */
layout(constant_id = 1) const bool LOAD_SAMPLER = false; /* one fetch per 2x2 texels */

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(location = 0) out vec4 target;

layout(push_constant) uniform Push
{
    ivec2 source_extent;
    vec2 inv_source_extent, inv_target_extent; /* rounded once, by the host */
    int layer;
};

#include "pair.glsl"
#include "box.glsl"

/* Along an odd axis, n = 2m + 1, the centre of texel x is at (x + 1/2) * n / m - 1/2; its taps
 * are the texels on both sides. In units of 1 / 2m all of these are integers. */
Taps blit_taps(int at, int n_source, int n_target, float inv_target, out int first)
{
    if (n_source == 1 || (n_source & 1) == 0) {
        first = 2 * at;
        return box_taps(at, n_source, n_target, 0.0);
    }
    int unit = 2 * n_target;
    int middle = (2 * at + 1) * n_source - n_target;
    int beyond = middle % unit;
    first = middle / unit;
    return Taps(vec3(unit - beyond, beyond, 0.0), float(unit), 0.5 * inv_target);
}

vec4 reduce_blit(ivec2 at)
{
    ivec2 target_extent = level_extent(source_extent, 1);
    ivec2 first;
    Taps along_x =
        blit_taps(at.x, source_extent.x, target_extent.x, inv_target_extent.x, first.x);
    Taps along_y =
        blit_taps(at.y, source_extent.y, target_extent.y, inv_target_extent.y, first.y);
    return reduce_taps(first, along_x, along_y, layer);
}

/* The filter's weights are fixed-point. That is good for averages, but a minimum or maximum
 * would miss a texel whose weight is rounded to 0, and an update would change where a weight of
 * 0 is rounded up, outside the affected region. */
vec4 reduce_weighted(ivec2 at)
{
    if (NPOT_BOX) {
        return reduce_box(at, source_extent, inv_source_extent, layer);
    }
    if (LOAD_SAMPLER && REDUCE == REDUCE_AVG && !IS_UPDATE) {
        vec2 middle = (vec2(at) + 0.5) * inv_target_extent;
        return loaded(textureLod(source, vec3(middle, layer), 0.0));
    }
    return reduce_blit(at);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    target = rounded(is_weighted(source_extent) ? reduce_weighted(at) : reduce_pair(at, layer));
}
