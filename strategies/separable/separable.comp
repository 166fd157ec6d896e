/* One pass of a wide kernel: along x from a level into the intermediate image, or along y from
 * there into the next level.
 *
 * A workgroup of N invocations makes N/2 texels of one row (or column). It first caches their N
 * source texels and a halo of the kernel's radius R on both sides. Each source texel is fetched
 * and decoded once; texels beyond an edge repeat the edge. Then each of the first N/2
 * invocations sums one target texel:
 *
 *     source   |  R  |          N           |  R  |    cached, N + 2R
 *                 \  |                      |  /
 *     target         |         N/2          |          one invocation each
 *
 * On odd sizes the ratio is above 2, so a few more texels are cached. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "levels.glsl"
#include "sum.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int N_INVOCATIONS = 256; /* equals constant 0 */
layout(constant_id = 2) const int RADIUS = 3;          /* in target texels */
layout(constant_id = 3) const bool IS_VERTICAL = false;

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray target;

/* A weight is .x + .y: .x is the weight as a float, .y what that rounding loses. */
layout(set = 0, binding = 2) readonly buffer Weights
{
    vec2 weights[];
};

layout(push_constant) uniform Push
{
    int n_source, n_target; /* texels along the pass */
    int n_taps;
    int first_weight;  /* of target texel 0 */
    int weight_stride; /* from one target texel to the next; 0: all use the same weights */
    int begin, end;    /* the range to make along the pass */
    int first_across;
};

/* The ratio is at most three source texels to a target texel. */
shared vec4 cache[N_INVOCATIONS + 6 * RADIUS];

/* The first tap of target texel x, as mb_filter_kernel_span() has it. Division in GLSL rounds
 * towards zero, so an offset larger than any kernel's radius keeps the dividend positive. */
int first_tap_of(int x)
{
    const int offset = 4 * RADIUS;
    if (n_source == 1) {
        return 0;
    }
    return ((2 * x + 1 - 2 * RADIUS) * n_source - n_target + offset * 2 * n_target) /
               (2 * n_target) -
           offset + 1;
}

ivec3 place_of(int along, int across)
{
    return ivec3(IS_VERTICAL ? ivec2(across, along) : ivec2(along, across),
                 gl_WorkGroupID.z);
}

vec4 fetch(int along, int across)
{
    vec4 texel = texelFetch(source, place_of(clamp(along, 0, n_source - 1), across), 0);
    return IS_VERTICAL ? texel : loaded(texel);
}

/* The weighted sum of cached texels. Skips taps of weight 0: their texels may be infinite. */
vec4 weighted(int first_cached, int row)
{
    Sum sum = Sum(vec4(0.0), vec4(0.0));
    for (int i = 0; i < n_taps; i++) {
        vec2 weight = weights[row + i];
        if (weight.x != 0.0) {
            vec4 texel = cache[first_cached + i];
            sum = add_tap(sum, weight.x, texel);
            if (is_compensated()) {
                sum.lost = fma(vec4(weight.y), texel, sum.lost);
            }
        }
    }
    return is_compensated() ? mix(sum.sum + sum.lost, sum.sum, isinf(sum.sum)) : sum.sum;
}

void main()
{
    const int n_made_at_most = N_INVOCATIONS / 2;
    int local = int(gl_LocalInvocationIndex);
    int at = begin + int(gl_WorkGroupID.x) * n_made_at_most;
    int across = first_across + int(gl_WorkGroupID.y);
    int n_made = min(n_made_at_most, end - at);
    int first = first_tap_of(at);
    int n_cached = first_tap_of(at + n_made - 1) + n_taps - first;
    for (int i = local; i < n_cached; i += N_INVOCATIONS) {
        cache[i] = fetch(first + i, across);
    }
    barrier();
    if (local >= n_made) {
        return;
    }
    at += local;
    vec4 texel = weighted(first_tap_of(at) - first, first_weight + at * weight_stride);
    imageStore(target, place_of(at, across), IS_VERTICAL ? rounded(texel) : texel);
}
