/* The table of texel formats and the conversions of their codecs. */
#include "image/format.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "image/srgb.h"

#define CHUNK_TEXELS 64u

/* Behind the codec: channels, bytes of a texel, DXGI_FORMAT. */
const struct mb_format mb_formats[] = {
    {"rgba8", MB_CODEC_UNORM8, 4, 4, 28, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM,
     "8-bit unsigned normalised, stored codes averaged as they are"},
    {"rgba8-srgb", MB_CODEC_SRGB8, 4, 4, 29, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8G8B8A8_UNORM,
     "8-bit sRGB, colour averaged as linear light"},
    {"r8", MB_CODEC_UNORM8, 1, 1, 61, VK_FORMAT_R8_UNORM, VK_FORMAT_R8_UNORM,
     "8-bit unsigned normalised, one channel"},
    {"rg8", MB_CODEC_UNORM8, 2, 2, 49, VK_FORMAT_R8G8_UNORM, VK_FORMAT_R8G8_UNORM,
     "8-bit unsigned normalised, two channels"},
    {"rgb10a2", MB_CODEC_UNORM10_2, 4, 4, 24, VK_FORMAT_A2B10G10R10_UNORM_PACK32,
     VK_FORMAT_A2B10G10R10_UNORM_PACK32, "10-bit unsigned normalised colour, 2-bit alpha"},
    {"r16f", MB_CODEC_SFLOAT16, 1, 2, 54, VK_FORMAT_R16_SFLOAT, VK_FORMAT_R16_SFLOAT,
     "16-bit float, one channel"},
    {"rg16f", MB_CODEC_SFLOAT16, 2, 4, 34, VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_R16G16_SFLOAT,
     "16-bit float, two channels"},
    {"rgba16f", MB_CODEC_SFLOAT16, 4, 8, 10, VK_FORMAT_R16G16B16A16_SFLOAT,
     VK_FORMAT_R16G16B16A16_SFLOAT, "16-bit float"},
    {"r32f", MB_CODEC_SFLOAT32, 1, 4, 41, VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32_SFLOAT,
     "32-bit float, one channel"},
    {"rg32f", MB_CODEC_SFLOAT32, 2, 8, 16, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32_SFLOAT,
     "32-bit float, two channels"},
    {"rgba32f", MB_CODEC_SFLOAT32, 4, 16, 2, VK_FORMAT_R32G32B32A32_SFLOAT,
     VK_FORMAT_R32G32B32A32_SFLOAT, "32-bit float"},
    {"rg11b10f", MB_CODEC_UFLOAT11_10, 3, 4, 26, VK_FORMAT_B10G11R11_UFLOAT_PACK32,
     VK_FORMAT_B10G11R11_UFLOAT_PACK32, "unsigned floats of 11, 11 and 10 bits"},
};

const size_t mb_format_count = MB_COUNTOF(mb_formats);

const struct mb_format *mb_format_find(const char *name)
{
    for (size_t i = 0; i < mb_format_count; i++) {
        if (strcmp(mb_formats[i].name, name) == 0) {
            return &mb_formats[i];
        }
    }
    return NULL;
}

static const struct mb_channel code_8 = {.n_bits = 8, .largest = 1.0};
static const struct mb_channel code_10 = {.n_bits = 10, .largest = 1.0};
static const struct mb_channel code_2 = {.n_bits = 2, .largest = 1.0};
static const struct mb_channel half = {16, 10, 15, -65504.0, 65504.0};
static const struct mb_channel single = {32, 23, 127, (double)-FLT_MAX, (double)FLT_MAX};
static const struct mb_channel ufloat_11 = {11, 6, 15, 0.0, 65024.0};
static const struct mb_channel ufloat_10 = {10, 5, 15, 0.0, 64512.0};

static const struct mb_channel *const channels[][4] = {
    [MB_CODEC_UNORM8] = {&code_8, &code_8, &code_8, &code_8},
    [MB_CODEC_SRGB8] = {&code_8, &code_8, &code_8, &code_8},
    [MB_CODEC_UNORM10_2] = {&code_10, &code_10, &code_10, &code_2},
    [MB_CODEC_SFLOAT16] = {&half, &half, &half, &half},
    [MB_CODEC_SFLOAT32] = {&single, &single, &single, &single},
    [MB_CODEC_UFLOAT11_10] = {&ufloat_11, &ufloat_11, &ufloat_10, &ufloat_11},
};

const struct mb_channel *mb_format_channel(const struct mb_format *format, uint32_t channel)
{
    return channels[format->codec][channel];
}

bool mb_format_is_unorm(const struct mb_format *format)
{
    return channels[format->codec][0]->mantissa_bits == 0;
}

double mb_format_max_code(const struct mb_format *format, uint32_t channel)
{
    const struct mb_channel *stored = channels[format->codec][channel];
    return stored->mantissa_bits == 0 ? (1u << stored->n_bits) - 1 : 1.0;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static int exponent_of(double value)
{
    return (int)(bits_of(value) >> 52 & 0x7ff) - 1023;
}

/* The distance of neighbours under an exponent: 2^(exponent - mantissa_bits). */
static double ulp(int exponent, uint32_t mantissa_bits)
{
    const uint64_t bits = (uint64_t)(exponent - (int)mantissa_bits + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t unorm_from_double(double value, uint32_t max_code)
{
    if (!(value > 0.0)) {
        return 0; /* NaN, too, as Vulkan's conversion says */
    }
    return value >= 1.0 ? max_code : (uint32_t)(value * max_code + 0.5);
}

/* Floats of five exponent bits without a sign, of value >= 0 or NaN, to nearest even. Straight
 * from double: by way of float it would be rounded twice. */
static uint32_t small_from_double(double value, uint32_t mantissa_bits)
{
    const uint32_t infinity = 0x1fu << mantissa_bits;
    const int least = 1 - half.max_exponent;
    int exponent = exponent_of(value);
    if (isnan(value)) {
        return infinity | 1u << (mantissa_bits - 1);
    }
    if (exponent > half.max_exponent) {
        return infinity;
    }
    exponent = exponent < least ? least : exponent;
    /* Adding a large number rounds off the fraction, to nearest even. */
    const double rounded = value / ulp(exponent, mantissa_bits) + 0x1p52 - 0x1p52;
    /* It holds the hidden bit, so that a carry moves up by itself: into the exponent, and from
     * the largest finite value into infinity. */
    return ((uint32_t)(exponent - least) << mantissa_bits) + (uint32_t)rounded;
}

static double small_to_double(uint32_t bits, uint32_t mantissa_bits)
{
    const uint32_t hidden = 1u << mantissa_bits;
    const uint32_t exponent = bits >> mantissa_bits, mantissa = bits & (hidden - 1);
    if (exponent == 31) {
        return mantissa != 0 ? (double)NAN : (double)INFINITY;
    }
    if (exponent == 0) {
        return mantissa * ulp(1 - half.max_exponent, mantissa_bits);
    }
    return (mantissa | hidden) * ulp((int)exponent - half.max_exponent, mantissa_bits);
}

/* The stored bits of a channel of up to 16 bits. Of a NaN only its sign is kept. */
static uint32_t to_bits(const struct mb_channel *stored, double value)
{
    if (stored->mantissa_bits == 0) {
        return unorm_from_double(value, (1u << stored->n_bits) - 1);
    }
    if (stored->least < 0.0) {
        const uint32_t sign = (signbit(value) != 0 ? 1u : 0u) << (stored->n_bits - 1);
        return sign | small_from_double(fabs(value), stored->mantissa_bits);
    }
    return small_from_double(value <= 0.0 ? 0.0 : value, stored->mantissa_bits);
}

static double from_bits(const struct mb_channel *stored, uint32_t bits)
{
    const uint32_t greatest = (1u << stored->n_bits) - 1;
    const uint32_t sign = stored->least < 0.0 ? bits & (greatest ^ greatest >> 1) : 0;
    if (stored->mantissa_bits == 0) {
        return (double)bits / greatest;
    }
    const double magnitude = small_to_double(bits ^ sign, stored->mantissa_bits);
    return sign != 0 ? -magnitude : magnitude;
}

/* Texels of up to 64 bits, whose first channel is in the lowest ones. */
static void unpack(const struct mb_format *format, const uint8_t *texels, size_t n,
                   double *values)
{
    for (size_t i = 0; i < n; i++, texels += format->texel_bytes) {
        uint64_t word = 0;
        memcpy(&word, texels, format->texel_bytes);
        for (uint32_t c = 0; c < format->n_channels; c++) {
            const struct mb_channel *stored = channels[format->codec][c];
            *values++ = from_bits(stored, (uint32_t)word & ((1u << stored->n_bits) - 1));
            word >>= stored->n_bits;
        }
    }
}

static void pack(const struct mb_format *format, const double *rgba, size_t n, uint8_t *texels)
{
    for (size_t i = 0; i < n; i++, rgba += 4, texels += format->texel_bytes) {
        uint64_t word = 0;
        for (uint32_t c = 0, shift = 0; c < format->n_channels; c++) {
            const struct mb_channel *stored = channels[format->codec][c];
            word |= (uint64_t)to_bits(stored, rgba[c]) << shift;
            shift += stored->n_bits;
        }
        memcpy(texels, &word, format->texel_bytes);
    }
}

void mb_format_decode(const struct mb_format *format, const void *texels, size_t n,
                      double *rgba)
{
    const uint8_t *const codes = texels;
    const float *const floats = texels;
    const size_t n_channels = format->n_channels, n_values = n * n_channels;
    if (format->codec == MB_CODEC_SRGB8) {
        mb_srgb_decode(codes, n, rgba);
    } else if (format->codec == MB_CODEC_UNORM8) { /* unpack() would do, at half the speed */
        for (size_t i = 0; i < n_values; i++) {
            rgba[i] = (double)codes[i] / 255.0;
        }
    } else if (format->codec == MB_CODEC_SFLOAT32) {
        for (size_t i = 0; i < n_values; i++) {
            rgba[i] = (double)floats[i];
        }
    } else {
        unpack(format, texels, n, rgba);
    }
    /* Spread from the end, so that no value is overwritten before it has moved. */
    for (size_t i = n; n_channels < 4 && i-- > 0;) {
        double texel[4] = {0.0, 0.0, 0.0, 1.0};
        memcpy(texel, rgba + i * n_channels, n_channels * sizeof *texel);
        memcpy(rgba + i * 4, texel, sizeof texel);
    }
}

static void encode_srgb(const double *rgba, size_t n, uint8_t *codes)
{
    double encoded[CHUNK_TEXELS * 4];
    for (size_t i = 0; i < n; i += CHUNK_TEXELS) {
        const size_t n_chunk = n - i < CHUNK_TEXELS ? n - i : CHUNK_TEXELS;
        mb_srgb_encode(rgba + i * 4, n_chunk, encoded);
        for (size_t k = 0; k < n_chunk * 4; k++) {
            codes[i * 4 + k] = (uint8_t)unorm_from_double(encoded[k], 255);
        }
    }
}

void mb_format_encode(const struct mb_format *format, const double *rgba, size_t n,
                      void *texels)
{
    float *floats = texels;
    if (format->codec == MB_CODEC_SRGB8) {
        encode_srgb(rgba, n, texels);
    } else if (format->codec == MB_CODEC_SFLOAT32) {
        for (size_t i = 0; i < n * 4; i++) {
            if (i % 4 < format->n_channels) {
                *floats++ = (float)rgba[i];
            }
        }
    } else {
        pack(format, rgba, n, texels);
    }
}

void mb_format_decode_coded(const struct mb_format *format, const void *texels, size_t n,
                            double *coded)
{
    struct mb_format as_stored = *format;
    if (format->codec == MB_CODEC_SRGB8) {
        as_stored.codec = MB_CODEC_UNORM8;
    }
    mb_format_decode(&as_stored, texels, n, coded);
}

void mb_format_to_coded(const struct mb_format *format, const double *rgba, size_t n,
                        double *coded)
{
    if (format->codec == MB_CODEC_SRGB8) {
        mb_srgb_encode(rgba, n, coded);
    } else if (coded != rgba) {
        memcpy(coded, rgba, n * 4 * sizeof *coded);
    }
}

void mb_format_hold(const struct mb_format *format, const double *rgba, size_t n, double *held)
{
    for (size_t i = 0; i < n * 4; i++) {
        const struct mb_channel *stored = channels[format->codec][i % 4];
        const double value = rgba[i] < stored->least ? stored->least : rgba[i];
        held[i] = value > stored->largest ? stored->largest : value;
    }
}

double mb_format_lsb(const struct mb_format *format, uint32_t channel, double value)
{
    const struct mb_channel *stored = channels[format->codec][channel];
    if (stored->mantissa_bits == 0) {
        return 1.0 / mb_format_max_code(format, channel);
    }
    const int least = 1 - stored->max_exponent, most = stored->max_exponent;
    const int exponent = exponent_of(value);
    return ulp(exponent < least  ? least
               : exponent > most ? most
                                 : exponent,
               stored->mantissa_bits);
}

void mb_format_convert(const struct mb_format *from, const void *texels, size_t n,
                       const struct mb_format *to, void *out)
{
    if (from == to || (from->codec == MB_CODEC_SRGB8 && to == mb_format_find("rgba8"))) {
        memcpy(out, texels, n * to->texel_bytes);
        return;
    }
    for (size_t i = 0; i < n; i += CHUNK_TEXELS) {
        double coded[CHUNK_TEXELS * 4];
        const size_t n_chunk = n - i < CHUNK_TEXELS ? n - i : CHUNK_TEXELS;
        mb_format_decode_coded(from, (const uint8_t *)texels + i * from->texel_bytes, n_chunk,
                               coded);
        for (size_t k = 0; from->n_channels == 1 && k < n_chunk * 4; k += 4) {
            coded[k + 1] = coded[k + 2] = coded[k];
        }
        mb_format_encode(to, coded, n_chunk, (uint8_t *)out + i * to->texel_bytes);
    }
}
