/* One texel of the next level by the box policy: the exact area average at any size.
 *
 * On an axis of even size a texel is the average of two texels above it. On an odd size n = 2m
 * + 1 the box weights three (Guthe and Heckbert, "Non-Power-of-Two Mipmap Creation", NVIDIA
 * 2005); texel x of the m in the next level covers n / m texels:
 *
 *     source   | 2x  | 2x+1 | 2x+2 |
 *     weight    m-x     m     x+1      each over n
 *
 * The kernel that includes this declares
 *
 *     vec4 fetch(ivec2 at, int layer)
 *
 * which clamps `at` to the level. */
#ifndef BOX_GLSL
#define BOX_GLSL
#include "sum.glsl"

/* The integer weights of the taps along one axis, and their sum with its inverse. */
struct Taps {
    vec3 weight;
    float sum, inv_sum;
};

/* The weights add up to the size of the axis if it is odd, to 2 if it is even, and to 1 if it
 * has one texel. */
Taps box_taps(int at, int n_source, int n_target, float inv_source)
{
    if (n_source == 1) {
        return Taps(vec3(1.0, 0.0, 0.0), 1.0, 1.0);
    }
    if ((n_source & 1) == 0) {
        return Taps(vec3(1.0, 1.0, 0.0), 2.0, 0.5);
    }
    return Taps(vec3(n_target - at, n_target, at + 1), float(n_source), inv_source);
}

/* True if an axis of the source has three taps. */
bool is_weighted(ivec2 source_extent)
{
    return any(bvec2((source_extent.x & 1) == 1 && source_extent.x > 1,
                     (source_extent.y & 1) == 1 && source_extent.y > 1));
}

/* sum / taps.sum. If the sum is compensated: corrects the quotient by its remainder. */
vec4 divided(Sum sum, Taps taps)
{
    vec4 guess = sum.sum * taps.inv_sum;
    if (!is_compensated()) {
        return guess;
    }
    precise vec4 rest = fma(-guess, vec4(taps.sum), sum.sum) + sum.lost;
    vec4 better = fma(rest, vec4(taps.inv_sum), guess);
    return mix(better, guess, isinf(guess));
}

/* The weighted average of one row. Skips taps of weight 0: their texels may be infinite. */
vec4 average_row(ivec2 first, Taps taps, int layer)
{
    Sum sum = first_tap(taps.weight.x, fetch(first, layer));
    if (taps.weight.y > 0.0) {
        sum = add_tap(sum, taps.weight.y, fetch(first + ivec2(1, 0), layer));
    }
    if (taps.weight.z > 0.0) {
        sum = add_tap(sum, taps.weight.z, fetch(first + ivec2(2, 0), layer));
    }
    return divided(sum, taps);
}

vec4 average_box(ivec2 first, Taps along_x, Taps along_y, int layer)
{
    Sum sum = first_tap(along_y.weight.x, average_row(first, along_x, layer));
    if (along_y.weight.y > 0.0) {
        sum = add_tap(sum, along_y.weight.y, average_row(first + ivec2(0, 1), along_x, layer));
    }
    if (along_y.weight.z > 0.0) {
        sum = add_tap(sum, along_y.weight.z, average_row(first + ivec2(0, 2), along_x, layer));
    }
    return divided(sum, along_y);
}

/* The minimum or maximum of every texel that the box touches. */
vec4 extreme_box(ivec2 first, Taps along_x, Taps along_y, int layer)
{
    Joined extreme = joined_of(fetch(first, layer));
    for (int i = 1; i < 9; i++) {
        ivec2 tap = ivec2(i % 3, i / 3);
        if (along_x.weight[tap.x] > 0.0 && along_y.weight[tap.y] > 0.0) {
            extreme = join(extreme, joined_of(fetch(first + tap, layer)));
        }
    }
    return extreme.straight;
}

/* The weighted sums of one row: of colour times alpha in rgb, of alpha in a. */
vec4 weigh_row(ivec2 first, Taps taps, int layer)
{
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 3; i++) {
        if (taps.weight[i] > 0.0) {
            vec4 texel = fetch(first + ivec2(i, 0), layer);
            float weight = taps.weight[i] * texel.a;
            sum.rgb = fma(vec3(weight), texel.rgb, sum.rgb);
            sum.a = fma(taps.weight[i], texel.a, sum.a);
        }
    }
    return sum;
}

/* The average colour weighted by alpha. The sum of alpha must not be 0. */
vec3 weigh_box(ivec2 first, Taps along_x, Taps along_y, int layer)
{
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 3; i++) {
        if (along_y.weight[i] > 0.0) {
            sum = fma(vec4(along_y.weight[i]), weigh_row(first + ivec2(0, i), along_x, layer), sum);
        }
    }
    return quotient(sum.rgb, sum.a);
}

/* Reduces up to 3x3 taps, the first of them at `first`, by any reduction. */
vec4 reduce_taps(ivec2 first, Taps along_x, Taps along_y, int layer)
{
    if (REDUCE != REDUCE_AVG) {
        return extreme_box(first, along_x, along_y, layer);
    }
    vec4 texel = average_box(first, along_x, along_y, layer);
    if (WEIGH_ALPHA && texel.a != 0.0) {
        texel.rgb = weigh_box(first, along_x, along_y, layer);
    }
    return texel;
}

vec4 reduce_box(ivec2 at, ivec2 source_extent, vec2 inv_source_extent, int layer)
{
    ivec2 target_extent = level_extent(source_extent, 1);
    Taps along_x = box_taps(at.x, source_extent.x, target_extent.x, inv_source_extent.x);
    Taps along_y = box_taps(at.y, source_extent.y, target_extent.y, inv_source_extent.y);
    return reduce_taps(2 * at, along_x, along_y, layer);
}

#endif
