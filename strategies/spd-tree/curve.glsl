/* Texels of 8-bit sRGB codes as they are, four bytes in a word: a gather brings 2x2 of them, which a table
 * decodes. Fetches from a view that decodes would bring floats, four times the bytes, and not quite the
 * curve's (levels.glsl). */
#ifndef CURVE_GLSL
#define CURVE_GLSL

#define ENCODES true /* for carry.glsl, which comes after it */

shared float quarter_of_code[N_INVOCATIONS]; /* of 256 codes: a quarter of what it is in linear light */

/* The table is filled. */
void while_fetching(uint index)
{
    quarter_of_code[index] = 0.25 * linear_from_srgb(vec3(float(index) * (1.0 / WHITE))).x;
    barrier();
}

/* A quarter of each channel in linear light. Codes are masked before they are shifted: so an H200's compiler
 * makes one shift of two for each, 0.7 us of 39 for 4096x4096. */
vec3 quarter_of(uint bytes)
{
    return vec3(quarter_of_code[bytes & 0xffu], quarter_of_code[(bytes & 0xff00u) >> 8],
                quarter_of_code[(bytes & 0xff0000u) >> 16]);
}

/* The texels that texel `at` of level 1 is made of; what lies beyond an axis of one texel is that texel
 * again. */
#define FETCHED uvec4
FETCHED fetch_level1(ivec2 at, int layer)
{
    return textureGather(source, corner_of(at, layer));
}

vec4 level1_of(FETCHED texels)
{
    vec3 colour = quarter_of(texels.x) + quarter_of(texels.y) + quarter_of(texels.z) +
                  quarter_of(texels.w);
    uvec4 alphas = texels >> 24;
    uint alpha = alphas.x + alphas.y + alphas.z + alphas.w;
    return vec4(colour, float(alpha) * (0.25 / WHITE));
}

/* What carry.glsl adds up: of a texel of level n, 4^n times it, with so many bits below the binary point that
 * the last level still fits into 40. */
int bits_below_point()
{
    return min(39 - 2 * (n_levels - 1), 16);
}

/* Exponents from -126 to 127; ldexp() of an H200's compiler has branches for others. */
float power_of_two(int exponent)
{
    return uintBitsToFloat(uint(127 + exponent) << 23);
}

uvec4 fixed_point(vec4 texel_of_level6)
{
    return uvec4(texel_of_level6 * power_of_two(12 + bits_below_point()) + 0.5);
}

uint code_of_sum(uint64_t sum, int level, int channel)
{
    uvec2 words = unpackUint2x32(sum);
    float value = (float(words.y) * 4294967296.0 + float(words.x)) *
                  power_of_two(-(2 * level + bits_below_point()));
    return uint((channel < 3 ? srgb_from_linear(vec3(value)).x : value) * WHITE + 0.5);
}

#endif
