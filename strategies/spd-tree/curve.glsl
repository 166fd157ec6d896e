/* Texels of 8-bit sRGB codes as they are, four bytes in a word: a gather brings 2x2 of them, which a table
 * decodes, and powers some of. Fetches from a view that decodes would bring floats, four times the bytes,
 * and not quite the curve's (levels.glsl). */
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

/* A quarter of the lowest byte's code in linear light, by powers; the byte becomes the upper bits of a mantissa.
 * N_POWERS of the four texels that make one of level 1 have their red so. When 32 lanes look up codes at random,
 * three meet at some bank of shared memory, on average, and an H200 is held up by that, not by powers. Where
 * neighbours have the same codes, it is the other way round. */
float quarter_by_power(uint bytes)
{
    const float scale = 256.0 / WHITE;
    float one_and_code = uintBitsToFloat(bytes << 15 & 0x7f8000u | 0x3f800000u); /* 1 + code / 256 */
    float root = fma(one_and_code, scale / 1.055, (0.055 - scale) / 1.055);
    float line = fma(one_and_code, 0.25 * scale / 12.92, -0.25 * scale / 12.92);
    float curve = exp2(fma(log2(root), 2.4, -2.0));
    return one_and_code < 1.0 + 10.5 / 256.0 ? line : curve; /* up to 10.3 */
}

/* A quarter of each channel in linear light, of texel `i` of four. Codes are masked before they are shifted: so an
 * H200's compiler makes one shift of two for each, 0.7 us of 39 for 4096x4096. */
vec3 quarter_of(uint bytes, int i)
{
    return vec3(i < N_POWERS ? quarter_by_power(bytes) : quarter_of_code[bytes & 0xffu],
                quarter_of_code[(bytes & 0xff00u) >> 8], quarter_of_code[(bytes & 0xff0000u) >> 16]);
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
    vec3 colour = quarter_of(texels.x, 0) + quarter_of(texels.y, 1) + quarter_of(texels.z, 2) +
                  quarter_of(texels.w, 3);
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
