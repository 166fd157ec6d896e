/* A correct floor chain, one level per dispatch, with one defect on request. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "levels.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(constant_id = 0) const int DEFECT = 0; /* enum defect of wrong_strategy.h */

const int SWAP = 2, BIAS = 4, HALF_BIAS = 5, TRUNCATE = 8, SRGB_CODES = 9, SWAP_RG = 10,
          LAYER = 11, ALPHA = 15, MAX_ROUNDS = 16;

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray target;

layout(push_constant) uniform Push
{
    ivec2 source_extent;
    ivec2 first, n_texels; /* what is made of the target */
    ivec2 unwritten;       /* a texel to leave out */
    int target_level;
};

vec4 fetch(ivec2 at, int layer)
{
    if (DEFECT == LAYER && layer == 2) {
        layer = 1;
    }
    vec4 texel = texelFetch(source, ivec3(min(at, source_extent - 1), layer), 0);
    return DEFECT == SRGB_CODES ? texel : loaded(texel);
}

vec4 reduced(ivec2 p, int layer)
{
    vec4 v00 = fetch(p, layer), v10 = fetch(p + ivec2(1, 0), layer);
    vec4 v01 = fetch(p + ivec2(0, 1), layer), v11 = fetch(p + 1, layer);
    vec4 texel = reduce_2x2(v00, v10, v01, v11, source_extent);
    if (DEFECT == ALPHA) {
        texel = (v00 + v10 + v01 + v11) * 0.25;
    }
    return DEFECT == SRGB_CODES ? loaded(texel) : texel;
}

/* Brighter by so many codes. */
vec4 biased(vec4 texel, float n_codes)
{
    if (IS_SRGB) {
        return vec4(linear_from_srgb(srgb_from_linear(texel.rgb) + n_codes / UNORM_MAX),
                    texel.a + n_codes / UNORM_MAX_ALPHA);
    }
    return texel + n_codes / vec4(vec3(UNORM_MAX), UNORM_MAX_ALPHA);
}

/* Half a code brighter in the mean: up instead of to the nearest. Adding half a code would be
 * lost where a compiler joins it with the 2^23 of rounded(). */
vec4 rounded_up(vec4 texel)
{
    const vec4 max_code = vec4(vec3(UNORM_MAX), UNORM_MAX_ALPHA);
    if (IS_SRGB) {
        texel.rgb = srgb_from_linear(texel.rgb);
    }
    return loaded(ceil(texel * max_code - 1e-3) / max_code);
}

/* Off by a code, or by about an ulp of half. */
vec4 roughened(vec4 texel)
{
    return UNORM_MAX > 0.0 ? biased(texel, 1.0) : texel * (1.0 + 1.0 / 1024.0);
}

vec4 spoilt(vec4 texel)
{
    switch (DEFECT) {
    case SWAP:
        return target_level == 2 ? texel.bgra : texel;
    case SWAP_RG:
        return target_level == 2 ? texel.grba : texel;
    case BIAS:
        return biased(texel, 1.0);
    case HALF_BIAS:
        return rounded_up(texel);
    case TRUNCATE:
        return floor(texel * UNORM_MAX + 1e-3) / UNORM_MAX;
    case MAX_ROUNDS:
        return roughened(texel);
    }
    return texel;
}

void main()
{
    if (any(greaterThanEqual(gl_GlobalInvocationID.xy, uvec2(n_texels)))) {
        return;
    }
    ivec2 at = first + ivec2(gl_GlobalInvocationID.xy);
    int layer = int(gl_GlobalInvocationID.z);
    if (at != unwritten) {
        imageStore(target, ivec3(at, layer), rounded(spoilt(reduced(2 * at, layer))));
    }
}
