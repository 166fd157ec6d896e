/* Texels as kernels of strips have them: CHANNELS floats, fetched, decoded, encoded and stored by one of the
 * codecs below.
 *
 *     RAW         four bytes in a word, which a gather brings 2x2 of and a store takes: CODEC says how
 *     otherwise   channels by themselves, as the format's own views have them
 *
 * Codes are in units of one code, floats and what views normalise are as they are. */
#ifndef TEXEL_GLSL
#define TEXEL_GLSL
#ifdef RAW
#include "codes.glsl"
#endif

#if CHANNELS == 1
#define TEXEL float
#elif CHANNELS == 2
#define TEXEL vec2
#elif CHANNELS == 3
#define TEXEL vec3
#else
#define TEXEL vec4
#endif

/* Floats: what is averaged may be infinite, or so large that sums of it are. */
#define IS_FLOAT (UNORM_MAX == 0.0)

#ifdef RAW
#define FETCHED uint
#define ENCODED uint

#if CHANNELS == 4
#define CODEC_UNORM8 0
#define CODEC_SRGB8 1
#define CODEC_UNORM10_2 2
layout(constant_id = 20) const int CODEC = CODEC_UNORM8;

#define TWO_10 1024.0

/* What decoded texels are too large by. */
#define BIAS (CODEC == CODEC_SRGB8 ? 0.0 : TWO_10)

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

shared float linear_of_code[256];

void prepare_codec(uint index)
{
    if (CODEC == CODEC_SRGB8) {
        for (uint i = index; i < 256u; i += N_INVOCATIONS) {
            linear_of_code[i] = linear_from_srgb(vec3(float(i) * (1.0 / WHITE))).x;
        }
        barrier();
    }
}

vec4 decode(uint word)
{
    if (CODEC == CODEC_UNORM8) {
        return biased_codes(word);
    }
    if (CODEC == CODEC_SRGB8) {
        return vec4(linear_of_code[word & 0xffu], linear_of_code[(word & 0xff00u) >> 8],
                    linear_of_code[(word & 0xff0000u) >> 16], float(word >> 24) * (1.0 / WHITE));
    }
    /* The upper ten bits of a mantissa: 2^10 and the code, or of alpha its two bits. */
    uvec4 codes = uvec4(word << 13, word << 3, word >> 7, word >> 17) & uvec4(uvec3(0x7fe000u), 0x6000u);
    return uintBitsToFloat(codes | 0x44800000u);
}

uint encode(vec4 texel)
{
    if (CODEC == CODEC_UNORM8) {
        return bytes_of(texel);
    }
    if (CODEC == CODEC_SRGB8) {
        return bytes_of(vec4(srgb_codes(texel.rgb), texel.a * WHITE));
    }
    uvec4 bits = floatBitsToUint(texel + TWO_23);
    return (bits.r & 0x3ffu) + (bits.g << 10) + (bits.b << 20) + (bits.a << 30);
}

/* Of sums of decoded texels; `scale` makes them averages. */
uint encode_sums(float scale, vec4 sums)
{
    if (CODEC == CODEC_UNORM8) {
        return bytes_of_sums(fma(vec4(scale), sums, TO_BYTES - TWO_10));
    }
    return encode(CODEC == CODEC_SRGB8 ? scale * sums : fma(vec4(scale), sums, vec4(-TWO_10)));
}

#else

#define BIAS 0.0
void prepare_codec(uint index)
{
}

TEXEL decode(uint word)
{
#if CHANNELS == 1
    return uintBitsToFloat(word);
#elif CHANNELS == 2
    return unpackHalf2x16(word);
#else /* unsigned floats of 11, 11 and 10 bits: halves without a sign, and with fewer bits */
    vec2 rg = unpackHalf2x16((word & 0x7ffu) << 4 | (word & 0x3ff800u) << 9);
    return vec3(rg, unpackHalf2x16(word >> 17 & 0x7fe0u).x);
#endif
}

ENCODED encode(TEXEL texel)
{
#if CHANNELS == 1
    return floatBitsToUint(texel);
#elif CHANNELS == 2
    return packHalf2x16(nearest_float(vec4(texel, 0.0, 0.0)).xy);
#else
    vec3 nearest = nearest_float(vec4(texel, 0.0)).rgb;
    uint rg = packHalf2x16(nearest.rg), b = packHalf2x16(vec2(nearest.b, 0.0));
    uvec3 halves = uvec3(rg & 0xffffu, rg >> 16, b);
    halves = mix(halves, uvec3(0u), equal(clamp(halves, uvec3(0x8000u), uvec3(0xfc00u)), halves));
    return (halves.r >> 4 & 0x7ffu) | (halves.g << 7 & 0x3ff800u) | (halves.b << 17 & 0xffc00000u);
#endif
}

ENCODED encode_sums(float scale, TEXEL sums)
{
    return encode(scale * sums);
}

#endif

void store_encoded(int level, ivec2 at, int layer, ENCODED texel)
{
    store_as(level, at, layer, uvec4(texel, 0u, 0u, 0u));
}

#else

#define FETCHED TEXEL
#define ENCODED TEXEL
#define BIAS 0.0
void prepare_codec(uint index)
{
}

TEXEL decode(TEXEL texel)
{
    return texel;
}

TEXEL encode(TEXEL texel)
{
#if CHANNELS == 1
    return rounded(vec4(texel, 0.0, 0.0, 0.0)).r;
#elif CHANNELS == 2
    return rounded(vec4(texel, 0.0, 0.0)).rg;
#else
    return rounded(texel);
#endif
}

TEXEL encode_sums(float scale, TEXEL sums)
{
    return encode(scale * sums);
}

void store_encoded(int level, ivec2 at, int layer, TEXEL texel)
{
#if CHANNELS == 1
    store_as(level, at, layer, vec4(texel, 0.0, 0.0, 1.0));
#elif CHANNELS == 2
    store_as(level, at, layer, vec4(texel, 0.0, 1.0));
#else
    store_as(level, at, layer, texel);
#endif
}

#endif

/* Of a row of level 0 the four texels of a lane; and of the last lane, if asked for, the one beyond. */
struct Row {
    FETCHED a, b, c, d, beyond;
};

struct Rows {
    Row upper, lower;
};

/* Two rows from `y` on of the columns from `x` on; `corner`: where texels x, x + 1 of both meet. */
#if !defined(RAW) && CHANNELS == 4
FETCHED fetch_texel(int x, int y, int layer)
{
    return texelFetch(source, ivec3(min(ivec2(x, y), base_extent - 1), layer), 0);
}

Row fetch_row(int x, int y, int layer, bool goes_beyond)
{
    Row row = Row(fetch_texel(x, y, layer), fetch_texel(x + 1, y, layer), fetch_texel(x + 2, y, layer),
                  fetch_texel(x + 3, y, layer), TEXEL(0.0));
    if (goes_beyond) {
        row.beyond = fetch_texel(x + 4, y, layer);
    }
    return row;
}

Rows fetch_rows(int x, int y, vec3 corner, bool goes_beyond)
{
    int layer = int(corner.z);
    return Rows(fetch_row(x, y, layer, goes_beyond), fetch_row(x, y + 1, layer, goes_beyond));
}
#elif !defined(RAW) && CHANNELS == 2
Rows fetch_rows(int x, int y, vec3 corner, bool goes_beyond)
{
    vec4 r = textureGather(source, corner, 0), g = textureGather(source, corner, 1);
    vec4 r2 = textureGatherOffset(source, corner, ivec2(2, 0), 0);
    vec4 g2 = textureGatherOffset(source, corner, ivec2(2, 0), 1);
    Rows rows = Rows(Row(vec2(r.w, g.w), vec2(r.z, g.z), vec2(r2.w, g2.w), vec2(r2.z, g2.z), vec2(0.0)),
                     Row(vec2(r.x, g.x), vec2(r.y, g.y), vec2(r2.x, g2.x), vec2(r2.y, g2.y), vec2(0.0)));
    if (goes_beyond) {
        r = textureGatherOffset(source, corner, ivec2(4, 0), 0);
        g = textureGatherOffset(source, corner, ivec2(4, 0), 1);
        rows.upper.beyond = vec2(r.w, g.w);
        rows.lower.beyond = vec2(r.x, g.x);
    }
    return rows;
}
#else
#ifdef RAW
#define GATHERED uvec4
#else
#define GATHERED vec4
#endif
Rows fetch_rows(int x, int y, vec3 corner, bool goes_beyond)
{
    GATHERED left = textureGather(source, corner);
    GATHERED right = textureGatherOffset(source, corner, ivec2(2, 0));
    Rows rows = Rows(Row(left.w, left.z, right.w, right.z, FETCHED(0)),
                     Row(left.x, left.y, right.x, right.y, FETCHED(0)));
    if (goes_beyond) {
        GATHERED beyond = textureGatherOffset(source, corner, ivec2(4, 0));
        rows.upper.beyond = beyond.w;
        rows.lower.beyond = beyond.x;
    }
    return rows;
}
#endif

#endif
