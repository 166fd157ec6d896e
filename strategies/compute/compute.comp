/* One level per dispatch: each invocation makes one texel of the next level.
 *
 * On an axis of even size a texel is the average of two texels above it. On an odd size n = 2m + 1
 * the box policy weighs three (Guthe and Heckbert, "Non-Power-of-Two Mipmap Creation", NVIDIA
 * 2005); texel x of the m below covers n / m source texels:
 *
 *     source   | 2x  | 2x+1 | 2x+2 |
 *     weight    m-x     m     x+1      each over n
 *
 * The floor policy takes 2x and 2x+1 whatever the size, and so drops the last row or column. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "levels.glsl"

layout(local_size_x = 16, local_size_y = 16) in;

layout(constant_id = 0) const bool NPOT_BOX = true;     /* else floor */
layout(constant_id = 1) const bool LOAD_SAMPLER = false; /* bilinear fetch of 2x2 texels */

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray target;

layout(push_constant) uniform Push
{
    ivec2 source_extent;
    ivec2 target_extent;
    vec2 inv_source_extent; /* 1 / source_extent, rounded once by the host */
};

vec4 fetch(ivec2 at, int layer)
{
    return texelFetch(source, ivec3(min(at, source_extent - 1), layer), 0);
}

/* Two taps per axis at 2x and 2x+1, clamped where the axis has one texel. */
vec4 average_pair(ivec2 at, int layer)
{
    ivec2 first = 2 * at;
    if (LOAD_SAMPLER) {
        vec2 corner = vec2(first + 1) * inv_source_extent;
        return textureLod(source, vec3(corner, layer), 0.0);
    }
    return ((fetch(first, layer) + fetch(first + ivec2(1, 0), layer)) +
            (fetch(first + ivec2(0, 1), layer) + fetch(first + ivec2(1, 1), layer))) *
           0.25;
}

/* Integer weights of the taps 2x, 2x+1, 2x+2; they add up to the size of the axis, or to 2 where
 * it is even and to 1 where it is one texel. */
vec3 weights(int at, int n_source, int n_target)
{
    if (n_source == 1) {
        return vec3(1.0, 0.0, 0.0);
    }
    if ((n_source & 1) == 0) {
        return vec3(1.0, 1.0, 0.0);
    }
    return vec3(n_target - at, n_target, at + 1);
}

/* The sum of those weights and its inverse. */
vec2 weight_sum(int n_source, float inv_source)
{
    if (n_source == 1) {
        return vec2(1.0, 1.0);
    }
    return (n_source & 1) == 0 ? vec2(2.0, 0.5) : vec2(n_source, inv_source);
}

/* sum / n.x, where n.y is 1 / n.x. Formats that hold all the bits of a 32-bit float get the
 * remainder of the first guess added: one rounding instead of two. */
vec4 divided(vec4 sum, vec2 n)
{
    vec4 guess = sum * n.y;
    if (UNORM_MAX > 0.0) {
        return guess;
    }
    vec4 better = fma(fma(-guess, vec4(n.x), sum), vec4(n.y), guess);
    return mix(better, guess, isinf(guess));
}

/* Taps of weight 0 are left out, not multiplied: they may be infinite. */
vec4 weighted_row(ivec2 first, vec3 weight, vec2 n, int layer)
{
    vec4 sum = weight.x * fetch(first, layer);
    if (weight.y > 0.0) {
        sum = fma(vec4(weight.y), fetch(first + ivec2(1, 0), layer), sum);
    }
    if (weight.z > 0.0) {
        sum = fma(vec4(weight.z), fetch(first + ivec2(2, 0), layer), sum);
    }
    return divided(sum, n);
}

vec4 average_box(ivec2 at, int layer)
{
    vec3 wx = weights(at.x, source_extent.x, target_extent.x);
    vec3 wy = weights(at.y, source_extent.y, target_extent.y);
    vec2 nx = weight_sum(source_extent.x, inv_source_extent.x);
    vec2 ny = weight_sum(source_extent.y, inv_source_extent.y);
    ivec2 first = 2 * at;
    vec4 sum = wy.x * weighted_row(first, wx, nx, layer);
    if (wy.y > 0.0) {
        sum = fma(vec4(wy.y), weighted_row(first + ivec2(0, 1), wx, nx, layer), sum);
    }
    if (wy.z > 0.0) {
        sum = fma(vec4(wy.z), weighted_row(first + ivec2(0, 2), wx, nx, layer), sum);
    }
    return divided(sum, ny);
}

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    int layer = int(gl_GlobalInvocationID.z);
    if (any(greaterThanEqual(at, target_extent))) {
        return;
    }
    bool weighted = (source_extent.x & 1) == 1 && source_extent.x > 1 ||
                    (source_extent.y & 1) == 1 && source_extent.y > 1;
    vec4 texel = NPOT_BOX && weighted ? average_box(at, layer) : average_pair(at, layer);
    imageStore(target, ivec3(at, layer), rounded(texel));
}
