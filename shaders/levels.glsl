/* Sizes of mip levels, the 2x2 average and exact rounding, shared by the kernels.
 *
 * Level n+1 has max(1, size / 2) texels per axis. */
#ifndef LEVELS_GLSL
#define LEVELS_GLSL

/* True if some level but the last is one texel wide or high. */
layout(constant_id = 10) const bool HAS_NARROW_LEVELS = true;

/* Codes of a UNORM channel less one (255 for 8 bits), or 0 for float formats. */
layout(constant_id = 11) const float UNORM_MAX = 0.0;

/* True if the format's channels are 16-bit floats. */
layout(constant_id = 12) const bool IS_HALF = false;

ivec2 level_extent(ivec2 base, int level)
{
    return max(base >> level, ivec2(1));
}

/* True if an axis of `n` texels has no second texel to add. */
bool is_narrow(int n)
{
    return HAS_NARROW_LEVELS && n == 1;
}

/* Average of the 2x2 texels of a level of size `extent` that make one texel of the next:
 *     v00 v10
 *     v01 v11
 * A level that is one texel wide has no right neighbour: its one column then counts twice, which
 * leaves it as it is. */
vec4 average_2x2(vec4 v00, vec4 v10, vec4 v01, vec4 v11, ivec2 extent)
{
    if (is_narrow(extent.x)) {
        v10 = v00;
        v11 = v01;
    }
    if (is_narrow(extent.y)) {
        v01 = v00;
        v11 = v10;
    }
    return ((v00 + v10) + (v01 + v11)) * 0.25;
}

/* The nearest 16-bit float, ties to even: a driver may round floats to half either way, too.
 * Thirteen bits of the mantissa go; subnormal halves are left to the driver. */
vec4 nearest_half(vec4 texel)
{
    uvec4 bits = floatBitsToUint(texel);
    vec4 nearest = uintBitsToFloat((bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu);
    return mix(nearest, texel, isnan(texel)); /* the sum carries a NaN into its sign */
}

/* The texel to store so that the format holds the nearest code. Vulkan leaves the rounding of
 * float to UNORM open (3.9.2 "Conversion from Floating-Point to Normalized Fixed-Point"), and an
 * H200 is off by up to 0.06 of a code. Adding 2^23 rounds to the nearest integer, which then is
 * the low bits of the sum, at full rate, unlike round(); the mask, which changes nothing for
 * texels within [0, 1], keeps the compiler from folding the sum with the difference. */
vec4 rounded(vec4 texel)
{
    if (IS_HALF) {
        return nearest_half(texel);
    }
    if (UNORM_MAX == 0.0) {
        return texel;
    }
    const float two_23 = 8388608.0; /* 0x4b000000 */
    uvec4 bits = floatBitsToUint(texel * UNORM_MAX + two_23) & 0x4b00ffffu;
    return (uintBitsToFloat(bits) - two_23) * (1.0 / UNORM_MAX);
}

#endif
