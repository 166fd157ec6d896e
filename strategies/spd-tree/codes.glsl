/* Box weights, and 8-bit codes as floats between 0 and 255. */
#ifndef CODES_GLSL
#define CODES_GLSL

#define WHITE 255.0
#define TWO_10 1024.0
#define TWO_23 8388608.0

/* Weights of the texels 2x, 2x + 1 and 2x + 2 of an axis; see box.glsl. Those of the first and the last
 * change from one x to the next, if the size is odd. */
struct Axis {
    float first, middle, last, slope;
};

Axis axis_of(int n)
{
    float inv = 1.0 / float(n), half_n = float(n >> 1) * inv;
    if (n == 1) {
        return Axis(1.0, 0.0, 0.0, 0.0);
    }
    if ((n & 1) == 0) {
        return Axis(0.5, 0.5, 0.0, 0.0);
    }
    return Axis(half_n, half_n, inv, inv);
}

vec3 weights_of(Axis axis, int at)
{
    float x = float(at);
    return vec3(fma(-axis.slope, x, axis.first), axis.middle, fma(axis.slope, x, axis.last));
}

/* Four codes from four bytes, each too large by 2^10: as halves, numbers from there to 2^11 have integers
 * in their lowest bits. The exponents, 0x6400 twice, are ones that no compiler can know: with a
 * mask and another constant they are two instructions where this is one. */
vec4 biased_codes(uint bytes)
{
    uint exponents = 0x64006400u ^ uint(n_levels) >> 16;
    vec2 even = unpackHalf2x16(bytes & 0x00ff00ffu | exponents);
    vec2 odd = unpackHalf2x16(bytes >> 8 & 0x00ff00ffu | exponents);
    return vec4(even.x, odd.x, even.y, odd.y);
}

/* Of three such. Their weights add up to 1, so that the sum is too large by 2^10, too. */
vec4 weigh_biased(vec3 weights, vec4 a, vec4 b, vec4 c)
{
    return fma(vec4(weights.x), a,
               fma(vec4(weights.y), b, fma(vec4(weights.z), c, vec4(-TWO_10))));
}

/* Rounded to bytes: beneath 2^23 integers are the low bits of the sum with it, whose own are shifted out. */
uint bytes_of(vec4 codes)
{
    uvec4 bits = floatBitsToUint(codes + TWO_23);
    return (bits.x & 0xffu) + (bits.y << 8) + (bits.z << 16) + (bits.w << 24);
}

/* As srgb_from_linear() of levels.glsl, of what is not below zero. */
vec3 srgb_codes(vec3 linear)
{
    vec3 curve = fma(pow(linear, vec3(1.0 / 2.4)), vec3(1.055 * WHITE), vec3(-0.055 * WHITE));
    return mix(curve, 12.92 * WHITE * linear, lessThanEqual(linear, vec3(0.0031308)));
}

uvec4 to_store(vec4 texel)
{
    vec3 colour = IS_SRGB ? srgb_codes(texel.rgb) : texel.rgb * WHITE;
    return uvec4(bytes_of(vec4(colour, texel.a * WHITE)), 0u, 0u, 0u);
}

#endif
