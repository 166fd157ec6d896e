/* Fetches, decodes, encodes and stores texels. A module is compiled for:
 *
 *     CHANNELS    1 to 4
 *     RAW         texels are fetched and stored as 1 or 2 words of four bytes; undefined: as separate channels,
 *                 through views of the format itself
 *     ALPHA       weights colour by alpha; four channels
 *     SUMS        averages of four 8-bit channels whose first levels are integer sums (even.glsl)
 *
 *     ENCODED     a texel as it is fetched and stored
 *     TEXEL       a texel as it is reduced: a float per channel; with ALPHA two columns, straight and weighted
 *
 * Codes are in units of one code; floats and normalised values are unchanged. */

/* FOUR_OF pads a texel to the four channels of a view. */
#if CHANNELS == 1
#define CHANNELS_OF float
#define FOUR_OF(texel) vec4(texel, 0.0, 0.0, 0.0)
#define OF_FOUR(four) (four).x
#elif CHANNELS == 2
#define CHANNELS_OF vec2
#define FOUR_OF(texel) vec4(texel, 0.0, 0.0)
#define OF_FOUR(four) (four).xy
#elif CHANNELS == 3
#define CHANNELS_OF vec3
#define FOUR_OF(texel) vec4(texel, 0.0)
#define OF_FOUR(four) (four).xyz
#else
#define CHANNELS_OF vec4
#define FOUR_OF(texel) texel
#define OF_FOUR(four) four
#endif

#ifdef ALPHA
#define TEXEL mat2x4
#else
#define TEXEL CHANNELS_OF
#endif

#ifndef RAW
#define ENCODED CHANNELS_OF
#define STORED_OF(texel) FOUR_OF(texel)
#define ENCODED_IN(stored) OF_FOUR(stored)
#elif RAW == 1
#define ENCODED uint
#define STORED_OF(texel) uvec4(texel, 0u, 0u, 0u)
#define ENCODED_IN(stored) (stored).x
#else
#define ENCODED uvec2
#define STORED_OF(texel) uvec4(texel, 0u, 0u)
#define ENCODED_IN(stored) (stored).xy
#endif

/* Whether texels are floats, which may be infinite; sums of 32-bit floats may overflow. */
#if CHANNELS == 4 && RAW == 1 || !defined(SLOTS) && !defined(EXTREME)
#define IS_FLOAT false
#elif defined(RAW)
#define IS_FLOAT true
#else
#define IS_FLOAT (UNORM_MAX == 0.0)
#endif
#ifdef ALPHA /* sums of products with alpha may overflow */
#define IS_FLOAT32 false
#else
#define IS_FLOAT32 (IS_FLOAT && DROPPED_BITS == 0)
#endif
#define LARGEST uintBitsToFloat(0x7f7fffffu)

#define WHITE 255.0
#define TWO_10 1024.0
#define TWO_23 8388608.0

/* The codec of four channels in four bytes. */
#define CODEC_UNORM8 0
#define CODEC_SRGB8 1
#define CODEC_UNORM10_2 2
layout(constant_id = 20) const int CODEC = CODEC_UNORM8;

#if CHANNELS == 4 && RAW == 1

/* Adding these constants rounds codes: the low bits of the sum are then the integer. The constant's own bits,
 * 0x4b000000, are shifted out of all channels but the first. The third constant has 0xb5 above its byte, which together
 * with the first channel's 0x4b adds up to 2^32 and vanishes. */
#define TO_BYTES vec4(TWO_23, TWO_23, TWO_23 + 46336.0, TWO_23)

/* Packs codes to which TO_BYTES was added. */
uint bytes_of(const vec4 codes)
{
    uvec4 bits = floatBitsToUint(codes);
    return bits.x + (bits.y << 8) + (bits.z << 16) + (bits.w << 24);
}

/* As srgb_from_linear() in levels.glsl, but returns codes; for values that are not negative. */
vec3 srgb_codes(const vec3 linear)
{
    vec3 curve = fma(pow(linear, vec3(1.0 / 2.4)), vec3(1.055 * WHITE), vec3(-0.055 * WHITE));
    return mix(curve, 12.92 * WHITE * linear, lessThanEqual(linear, vec3(0.0031308)));
}

/* Decoded codes are too large by BIAS. UNIT scales codes to numbers from 0 to 1. */
#ifdef SUMS
#define BIAS 0.0
#else
#define BIAS (CODEC == CODEC_SRGB8 ? 0.0 : TWO_10)
#endif
#define UNIT (CODEC == CODEC_SRGB8 ? vec4(1.0) : 1.0 / vec4(vec3(UNORM_MAX), UNORM_MAX_ALPHA))

/* Decodes four bytes to codes that are too large by 2^10: half floats from 2^10 to 2^11 hold integers in their lowest
 * bits. The compiler does not know the exponents (0x6400, twice): known constants would take two instructions instead
 * of one. */
vec4 biased_codes(const uint bytes)
{
    if (!IS_GPU) {
        return vec4(uvec4(bytes, bytes >> 8, bytes >> 16, bytes >> 24) & 0xffu) + TWO_10;
    }
    uint exponents = 0x64006400u ^ zero;
    vec2 even = unpackHalf2x16(bytes & 0x00ff00ffu | exponents);
    vec2 odd = unpackHalf2x16(bytes >> 8 & 0x00ff00ffu | exponents);
    return vec4(even.x, odd.x, even.y, odd.y);
}

shared float linear_of_code[CODEC == CODEC_SRGB8 ? 256 : 1];

void prepare_codec(const uint index)
{
    if (CODEC == CODEC_SRGB8) {
        for (uint i = index; i < 256u; i += N_INVOCATIONS) {
            linear_of_code[i] = linear_from_srgb(vec3(float(i) * (1.0 / WHITE))).x;
        }
        barrier();
    }
}

vec4 decode_channels(const uint word)
{
    if (CODEC == CODEC_UNORM8) {
        return biased_codes(word);
    }
    if (CODEC == CODEC_SRGB8) {
        return vec4(linear_of_code[word & 0xffu], linear_of_code[(word & 0xff00u) >> 8],
                    linear_of_code[(word & 0xff0000u) >> 16], float(word >> 24) * (1.0 / WHITE));
    }
    /* Each code in the upper ten bits of a mantissa: the float is then 2^10 plus the code. Alpha has two bits. */
    uvec4 codes = uvec4(word << 13, word << 3, word >> 7, word >> 17) & uvec4(uvec3(0x7fe000u), 0x6000u);
    return uintBitsToFloat(codes | 0x44800000u);
}

/* The sums are precise: if compilers added the constant to a term first, each term would be rounded. */
uint encode_channels(const vec4 texel)
{
    if (CODEC == CODEC_UNORM10_2) {
        precise vec4 sums = texel + TWO_23;
        uvec4 bits = floatBitsToUint(sums);
        return (bits.r & 0x3ffu) + (bits.g << 10) + (bits.b << 20) + (bits.a << 30);
    }
    vec4 codes = CODEC == CODEC_SRGB8 ? vec4(srgb_codes(texel.rgb), texel.a * WHITE) : texel;
    precise vec4 sums = codes + TO_BYTES;
    return bytes_of(sums);
}

#else

#define BIAS 0.0
#define UNIT 1.0

void prepare_codec(const uint index)
{
}

#ifndef RAW
CHANNELS_OF decode_channels(const CHANNELS_OF texel)
{
    return texel;
}

CHANNELS_OF encode_channels(const CHANNELS_OF texel)
{
    return OF_FOUR(rounded(FOUR_OF(texel)));
}
#elif CHANNELS == 1
float decode_channels(const uint word)
{
    return uintBitsToFloat(word);
}

uint encode_channels(const float texel)
{
    return floatBitsToUint(texel);
}
#elif CHANNELS == 2
vec2 decode_channels(const uint word)
{
    return unpackHalf2x16(word);
}

uint encode_channels(const vec2 texel)
{
    return packHalf2x16(nearest_float(vec4(texel, 0.0, 0.0)).xy);
}
#elif CHANNELS == 3 /* unsigned floats of 11, 11 and 10 bits: half floats without a sign and with fewer bits */
vec3 decode_channels(const uint word)
{
    vec2 rg = unpackHalf2x16((word & 0x7ffu) << 4 | (word & 0x3ff800u) << 9);
    return vec3(rg, unpackHalf2x16(word >> 17 & 0x7fe0u).x);
}

uint encode_channels(const vec3 texel)
{
    vec3 nearest = nearest_float(vec4(texel, 0.0)).rgb;
    uint rg = packHalf2x16(nearest.rg), b = packHalf2x16(vec2(nearest.b, 0.0));
    uvec3 halves = uvec3(rg & 0xffffu, rg >> 16, b);
    return (halves.r >> 4 & 0x7ffu) | (halves.g << 7 & 0x3ff800u) | (halves.b << 17 & 0xffc00000u);
}
#else
vec4 decode_channels(const uvec2 words)
{
    return vec4(unpackHalf2x16(words.x), unpackHalf2x16(words.y));
}

uvec2 encode_channels(vec4 texel)
{
    texel = nearest_float(texel);
    return uvec2(packHalf2x16(texel.rg), packHalf2x16(texel.ba));
}
#endif
#endif

#ifdef ALPHA
/* Weighted by alpha, colour is the sum of products over the sum of alphas. If the sum of alphas is 0, nothing is
 * visible, and the straight average is used. */
TEXEL decode(const ENCODED fetched)
{
    vec4 texel = decode_channels(fetched) - BIAS;
    return TEXEL(texel, texel * texel.a);
}

ENCODED encode(const TEXEL texel)
{
    vec4 straight = texel[0];
    if (straight.a != 0.0) {
        straight.rgb = quotient(texel[1].rgb, straight.a);
    }
    return encode_channels(straight);
}

/* Removes BIAS from a texel. */
TEXEL unbiased(const TEXEL texel)
{
    return texel;
}

/* w * texel + sum */
TEXEL add_weighted(const float w, const TEXEL texel, const TEXEL sum)
{
    return TEXEL(fma(vec4(w), texel[0], sum[0]), fma(vec4(w), texel[1], sum[1]));
}

TEXEL extreme(const TEXEL a, const TEXEL b)
{
    return a; /* only averages are weighted by alpha */
}

#define halved(texel) (texel)
#define doubled(texel) (texel)
#else
/* NMin and NMax return the number if the other operand is NaN; min() and max() may return either operand. */
spirv_instruction(set = "GLSL.std.450", id = 79) TEXEL least(TEXEL a, TEXEL b);
spirv_instruction(set = "GLSL.std.450", id = 80) TEXEL greatest(TEXEL a, TEXEL b);

TEXEL decode(const ENCODED fetched)
{
    return decode_channels(fetched);
}

ENCODED encode(const TEXEL texel)
{
    return encode_channels(texel);
}

TEXEL unbiased(const TEXEL texel)
{
    return texel - BIAS;
}

TEXEL add_weighted(const float w, const TEXEL texel, const TEXEL sum)
{
    return fma(TEXEL(w), texel, sum);
}

TEXEL extreme(const TEXEL a, const TEXEL b)
{
    return REDUCE == REDUCE_MIN ? least(a, b) : greatest(a, b);
}

/* Halves partials of 32-bit floats: rounded weights may add up to a few ulp more than 1, which could make the sum
 * infinite. */
TEXEL halved(const TEXEL texel)
{
    return !IS_EXTREME && IS_FLOAT32 ? 0.5 * texel : texel;
}

TEXEL doubled(const TEXEL texel)
{
    if (IS_EXTREME || !IS_FLOAT32) {
        return texel;
    }
    TEXEL twice = clamp(2.0 * texel, TEXEL(-LARGEST), TEXEL(LARGEST));
    return mix(mix(twice, texel, isinf(texel)), texel, isnan(texel));
}
#endif

/* Encodes sums of decoded texels; `scale` turns them into averages. */
ENCODED encode_sums(const float scale, const TEXEL sums)
{
#if CHANNELS == 4 && RAW == 1 && !defined(ALPHA)
    if (CODEC == CODEC_UNORM8) {
        return bytes_of(fma(vec4(scale), sums, TO_BYTES - BIAS));
    }
    if (CODEC == CODEC_UNORM10_2) {
        return encode(fma(vec4(scale), sums, vec4(-TWO_10)));
    }
#endif
    return encode(scale * sums);
}

STORED stored_of(const ENCODED texel)
{
    return STORED_OF(texel);
}

/* Stores to a level below the tiles' levels. Only texels that are to be written reach this. */
void store_below(const int level, const ivec2 at, const int layer, const TEXEL texel)
{
    store_any(level, at, layer, stored_of(encode(texel)));
}

/* Texels (x, y), (x + 1, y), (x, y + 1) and (x + 1, y + 1) of level 0, clamped to its edges. */
struct Block {
    ENCODED v00, v10, v01, v11;
};

/* Fetches the block `dx` columns to the right of the one whose four texels meet at `corner` (as a gather expects it)
 * and whose first texel is `at`. */
#if !defined(RAW) && CHANNELS == 4
ENCODED fetch_texel(const ivec2 at, const int layer)
{
    return texelFetch(source, ivec3(min(at, base_extent - 1), layer), 0);
}

#define FETCH_BLOCK(corner, at, dx)                                                                 \
    Block(fetch_texel(at + ivec2(dx, 0), int(corner.z)), fetch_texel(at + ivec2(dx + 1, 0), int(corner.z)),   \
          fetch_texel(at + ivec2(dx, 1), int(corner.z)), fetch_texel(at + ivec2(dx + 1, 1), int(corner.z)))
#elif RAW == 2 || !defined(RAW) && CHANNELS == 2
Block block_of(const STORED x, const STORED y)
{
    return Block(ENCODED(x.w, y.w), ENCODED(x.z, y.z), ENCODED(x.x, y.x), ENCODED(x.y, y.y));
}

#define FETCH_BLOCK(corner, at, dx)                                                                 \
    block_of(textureGatherOffset(source, corner, ivec2(dx, 0), 0),                                  \
             textureGatherOffset(source, corner, ivec2(dx, 0), 1))
#else
Block block_of(const STORED x)
{
    return Block(x.w, x.z, x.x, x.y);
}

#define FETCH_BLOCK(corner, at, dx) block_of(textureGatherOffset(source, corner, ivec2(dx, 0)))
#endif
