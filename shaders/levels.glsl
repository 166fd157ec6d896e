/* Sizes of mip levels, joining 2x2 texels and exact rounding, shared by the kernels.
 *
 * Level n+1 has max(1, size / 2) texels per axis. */
#ifndef LEVELS_GLSL
#define LEVELS_GLSL

/* True if some level except the last is one texel wide or high. */
layout(constant_id = 10) const bool HAS_NARROW_LEVELS = true;

/* The largest code of a UNORM or sRGB channel (255 for 8 bits), for colour and for alpha; 0 for
 * float formats. */
layout(constant_id = 11) const float UNORM_MAX = 0.0;
layout(constant_id = 12) const float UNORM_MAX_ALPHA = 0.0;

/* True if colour is stored with the sRGB curve, through a UNORM view. */
layout(constant_id = 13) const bool IS_SRGB = false;

/* Mantissa bits of a 32-bit float that a channel lacks: 13 for half floats. */
layout(constant_id = 14) const int DROPPED_BITS = 0;
layout(constant_id = 15) const int DROPPED_BITS_BLUE = 0;

#define REDUCE_AVG 0
#define REDUCE_MIN 1
#define REDUCE_MAX 2
layout(constant_id = 16) const int REDUCE = REDUCE_AVG;

/* True if averages weight colour by alpha. Stored texels are straight either way. */
layout(constant_id = 17) const bool WEIGH_ALPHA = false;

/* True if only the texels that a changed rectangle affects are written. */
layout(constant_id = 18) const bool IS_UPDATE = false;

ivec2 level_extent(const ivec2 base, const int level)
{
    return max(base >> level, ivec2(1));
}

/* True if an axis of `n` texels has no second texel to add. */
bool is_narrow(const int n)
{
    return HAS_NARROW_LEVELS && n == 1;
}

/* True if texel `at` depends on `region` (first corner xy, last corner zw, inclusive) of the
 * level `step` levels above. Halving the corners is exact for the floor policy, and for box
 * where sizes are even. The region must not be empty: if a dropped row or column emptied it,
 * halving would make it reappear on a level that is one texel wide. */
bool depends_on(const ivec4 region, const int step, const ivec2 at)
{
    return all(greaterThanEqual(at, region.xy >> step)) && all(lessThanEqual(at, region.zw >> step));
}

/* A kernel may approximate the sRGB curve by a square and its root. */
#ifndef SRGB_BY_ROOT
#define SRGB_BY_ROOT false
#endif

/* IEC 61966-2-1. */
vec3 srgb_from_linear(const vec3 linear)
{
    if (SRGB_BY_ROOT) {
        return sqrt(linear);
    }
    vec3 curve = 1.055 * pow(max(linear, 0.0), vec3(1.0 / 2.4)) - 0.055;
    return mix(curve, 12.92 * linear, lessThanEqual(linear, vec3(0.0031308)));
}

vec3 linear_from_srgb(const vec3 srgb)
{
    if (SRGB_BY_ROOT) {
        return srgb * srgb;
    }
    vec3 curve = pow((srgb + 0.055) * (1.0 / 1.055), vec3(2.4));
    return mix(curve, srgb * (1.0 / 12.92), lessThanEqual(srgb, vec3(0.04045)));
}

/* Converts a texel, fetched through a view of the storage format, to linear light. A view of
 * the sRGB format would decode in hardware, but H200 and llvmpipe are off by up to 0.3 of a
 * code, which shows after rounding. */
vec4 loaded(const vec4 texel)
{
    return IS_SRGB ? vec4(linear_from_srgb(texel.rgb), texel.a) : texel;
}

/* The texture coordinates at which the 2x2 source texels of texel `at` of the next level meet.
 * On an axis of one texel: the texel's centre, so that nothing beyond the edge contributes. */
vec2 pair_corner(const ivec2 at, const vec2 inv_extent)
{
    return min(vec2(2 * at + 1) * inv_extent, 1.0 - 0.5 * inv_extent);
}

/* n / d. For formats with all the bits of a 32-bit float, corrects the quotient by its
 * remainder, because division alone may be off by 2.5 ulp. */
vec3 quotient(const vec3 n, const float d)
{
    vec3 guess = n / d;
    if (UNORM_MAX > 0.0) {
        return guess;
    }
    vec3 better = guess + fma(-guess, vec3(d), n) / d;
    return mix(better, guess, isinf(guess));
}

/* Joined texels: their sum, minimum or maximum and, if requested, the sum of their colours
 * times alpha. */
struct Joined {
    vec4 straight;
    vec3 weighted;
};

Joined joined_of(const vec4 texel)
{
    return Joined(texel, WEIGH_ALPHA ? texel.rgb * texel.a : vec3(0.0));
}

Joined join(Joined a, const Joined b)
{
    if (REDUCE == REDUCE_MIN) {
        a.straight = min(a.straight, b.straight);
    } else if (REDUCE == REDUCE_MAX) {
        a.straight = max(a.straight, b.straight);
    } else {
        a.straight += b.straight;
    }
    if (WEIGH_ALPHA) {
        a.weighted += b.weighted;
    }
    return a;
}

/* Turns joined texels into one; `scale` turns their sum into their average. Weighted by alpha,
 * colour is the sum of products over the sum of alphas. If the sum of alphas is 0, nothing is
 * visible and the straight average is used. */
vec4 texel_of(const Joined all, const float scale)
{
    if (REDUCE != REDUCE_AVG) {
        return all.straight;
    }
    vec4 texel = all.straight * scale;
    if (WEIGH_ALPHA && all.straight.a != 0.0) {
        texel.rgb = quotient(all.weighted, all.straight.a);
    }
    return texel;
}

/* The 2x2 texels of a level of size `extent` that make one texel of the next:
 *     v00 v10
 *     v01 v11
 * A level that is one texel wide has no right neighbour: its one column then counts twice,
 * which does not change the average. */
vec4 reduce_2x2(const vec4 v00, vec4 v10, vec4 v01, vec4 v11, const ivec2 extent)
{
    if (is_narrow(extent.x)) {
        v10 = v00;
        v11 = v01;
    }
    if (is_narrow(extent.y)) {
        v01 = v00;
        v11 = v10;
    }
    return texel_of(join(join(joined_of(v00), joined_of(v10)),
                         join(joined_of(v01), joined_of(v11))),
                    0.25);
}

/* Rounds to the nearest float with fewer bits, ties to even, because a driver may round either
 * way. Values that are subnormal in the shorter format are left to the driver.
 *
 * Only scalars are computed from specialization constants: when SPIRV-Tools 2023.1 folds
 * vectors of such constants, it uses a value before its definition, and the validation layer
 * then rejects the module. The number of bits must not be a parameter either: an H200 then took
 * 1.6 times as long for spd, even for formats that drop no bits. */
vec4 nearest_float(const vec4 texel)
{
    const uint mask = (1u << DROPPED_BITS) - 1u, mask_blue = (1u << DROPPED_BITS_BLUE) - 1u;
    const uint half_bit = mask >> 1, half_blue = mask_blue >> 1;
    const uint kept = ~mask, kept_blue = ~mask_blue;
    uvec4 bits = floatBitsToUint(texel);
    uvec4 last = bits >> uvec4(DROPPED_BITS, DROPPED_BITS, DROPPED_BITS_BLUE, DROPPED_BITS) & 1u;
    uvec4 rounded = bits + uvec4(half_bit, half_bit, half_blue, half_bit) + last;
    vec4 nearest = uintBitsToFloat(rounded & uvec4(kept, kept, kept_blue, kept));
    return mix(nearest, texel, isnan(texel)); /* the addition may carry a NaN into its sign */
}

/* The texel to store so that the format holds the nearest code. Vulkan leaves the rounding of
 * float to UNORM open (3.9.2 "Conversion from Floating-Point to Normalized Fixed-Point"), and
 * an H200 is off by up to 0.06 of a code. Adding 2^23 rounds to the nearest integer, which is
 * then the low bits of the sum, at full rate, unlike round(). The mask changes nothing for
 * texels within [0, 1] but keeps the compiler from folding the addition with the
 * subtraction. */
vec4 rounded(vec4 texel)
{
    if (UNORM_MAX == 0.0) {
        return DROPPED_BITS > 0 ? nearest_float(texel) : texel;
    }
    if (IS_SRGB) {
        texel.rgb = srgb_from_linear(texel.rgb);
    }
    const float two_23 = 8388608.0; /* 0x4b000000 */
    const vec4 max_code = vec4(vec3(UNORM_MAX), UNORM_MAX_ALPHA);
    uvec4 bits = floatBitsToUint(texel * max_code + two_23) & 0x4b00ffffu;
    return (uintBitsToFloat(bits) - two_23) * (1.0 / max_code);
}

/* The texel as a store and a load would return it, computed here so that all callers get the
 * same bits. */
vec4 as_stored(const vec4 texel)
{
    return loaded(rounded(texel));
}

#endif
