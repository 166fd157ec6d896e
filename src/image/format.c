/* The table of texel formats and the conversions of their codecs. */
#include "image/format.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "image/srgb.h"

#define CHUNK_TEXELS 64u

const struct mb_format mb_formats[] = {
    {.name = "rgba8",
     .title = "8-bit unsigned normalised, stored codes averaged as they are",
     .vk_format = VK_FORMAT_R8G8B8A8_UNORM,
     .vk_storage_format = VK_FORMAT_R8G8B8A8_UNORM,
     .dxgi_format = 28,
     .texel_bytes = 4,
     .n_channels = 4,
     .codec = MB_CODEC_UNORM8},
    {.name = "rgba8-srgb",
     .title = "8-bit sRGB, colour averaged as linear light",
     .vk_format = VK_FORMAT_R8G8B8A8_SRGB,
     .vk_storage_format = VK_FORMAT_R8G8B8A8_UNORM,
     .dxgi_format = 29,
     .texel_bytes = 4,
     .n_channels = 4,
     .codec = MB_CODEC_SRGB8},
    {.name = "r8",
     .title = "8-bit unsigned normalised, one channel",
     .vk_format = VK_FORMAT_R8_UNORM,
     .vk_storage_format = VK_FORMAT_R8_UNORM,
     .dxgi_format = 61,
     .texel_bytes = 1,
     .n_channels = 1,
     .codec = MB_CODEC_UNORM8},
    {.name = "rg8",
     .title = "8-bit unsigned normalised, two channels",
     .vk_format = VK_FORMAT_R8G8_UNORM,
     .vk_storage_format = VK_FORMAT_R8G8_UNORM,
     .dxgi_format = 49,
     .texel_bytes = 2,
     .n_channels = 2,
     .codec = MB_CODEC_UNORM8},
    {.name = "rgb10a2",
     .title = "10-bit unsigned normalised colour, 2-bit alpha",
     .vk_format = VK_FORMAT_A2B10G10R10_UNORM_PACK32,
     .vk_storage_format = VK_FORMAT_A2B10G10R10_UNORM_PACK32,
     .dxgi_format = 24,
     .texel_bytes = 4,
     .n_channels = 4,
     .codec = MB_CODEC_UNORM10_2},
    {.name = "r16f",
     .title = "16-bit float, one channel",
     .vk_format = VK_FORMAT_R16_SFLOAT,
     .vk_storage_format = VK_FORMAT_R16_SFLOAT,
     .dxgi_format = 54,
     .texel_bytes = 2,
     .n_channels = 1,
     .codec = MB_CODEC_SFLOAT16},
    {.name = "rg16f",
     .title = "16-bit float, two channels",
     .vk_format = VK_FORMAT_R16G16_SFLOAT,
     .vk_storage_format = VK_FORMAT_R16G16_SFLOAT,
     .dxgi_format = 34,
     .texel_bytes = 4,
     .n_channels = 2,
     .codec = MB_CODEC_SFLOAT16},
    {.name = "rgba16f",
     .title = "16-bit float",
     .vk_format = VK_FORMAT_R16G16B16A16_SFLOAT,
     .vk_storage_format = VK_FORMAT_R16G16B16A16_SFLOAT,
     .dxgi_format = 10,
     .texel_bytes = 8,
     .n_channels = 4,
     .codec = MB_CODEC_SFLOAT16},
    {.name = "r32f",
     .title = "32-bit float, one channel",
     .vk_format = VK_FORMAT_R32_SFLOAT,
     .vk_storage_format = VK_FORMAT_R32_SFLOAT,
     .dxgi_format = 41,
     .texel_bytes = 4,
     .n_channels = 1,
     .codec = MB_CODEC_SFLOAT32},
    {.name = "rg32f",
     .title = "32-bit float, two channels",
     .vk_format = VK_FORMAT_R32G32_SFLOAT,
     .vk_storage_format = VK_FORMAT_R32G32_SFLOAT,
     .dxgi_format = 16,
     .texel_bytes = 8,
     .n_channels = 2,
     .codec = MB_CODEC_SFLOAT32},
    {.name = "rgba32f",
     .title = "32-bit float",
     .vk_format = VK_FORMAT_R32G32B32A32_SFLOAT,
     .vk_storage_format = VK_FORMAT_R32G32B32A32_SFLOAT,
     .dxgi_format = 2,
     .texel_bytes = 16,
     .n_channels = 4,
     .codec = MB_CODEC_SFLOAT32},
    {.name = "rg11b10f",
     .title = "unsigned floats of 11, 11 and 10 bits",
     .vk_format = VK_FORMAT_B10G11R11_UFLOAT_PACK32,
     .vk_storage_format = VK_FORMAT_B10G11R11_UFLOAT_PACK32,
     .dxgi_format = 26,
     .texel_bytes = 4,
     .n_channels = 3,
     .codec = MB_CODEC_UFLOAT11_10},
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

/* Encode a value >= 0 or NaN as an unsigned float of five exponent bits, rounded to nearest
 * even. Straight from double: by way of float it would be rounded twice. */
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
    /* `rounded` includes the hidden bit, so that a carry moves up by itself: into the exponent,
     * and from the largest finite value into infinity. */
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

/* NaN keeps its sign, but not its payload. */
static uint16_t half_from_double(double value)
{
    const uint32_t sign = (uint32_t)(bits_of(value) >> 48) & 0x8000u;
    return (uint16_t)(sign | small_from_double(fabs(value), half.mantissa_bits));
}

static double half_to_double(uint16_t bits)
{
    const double magnitude = small_to_double(bits & 0x7fffu, half.mantissa_bits);
    return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

/* Decode channels packed into a 32-bit word, the first in its lowest bits. */
static void unpack(const struct mb_format *format, const uint32_t *words, size_t n,
                   double *values)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t word = words[i];
        for (uint32_t c = 0; c < format->n_channels; c++) {
            const struct mb_channel *stored = channels[format->codec][c];
            const uint32_t max_code = (1u << stored->n_bits) - 1;
            const uint32_t bits = word & max_code;
            *values++ = stored->mantissa_bits == 0
                            ? (double)bits / max_code
                            : small_to_double(bits, stored->mantissa_bits);
            word >>= stored->n_bits;
        }
    }
}

/* Decode `n` texels to doubles, only the channels that the format has. */
static void decode_channels(const struct mb_format *format, const void *texels, size_t n,
                            double *values)
{
    const uint8_t *const u8 = texels;
    const uint16_t *const u16 = texels;
    const float *const f32 = texels;
    const size_t n_values = n * format->n_channels;
    switch (format->codec) {
    case MB_CODEC_UNORM8:
        for (size_t i = 0; i < n_values; i++) {
            values[i] = (double)u8[i] / 255.0;
        }
        break;
    case MB_CODEC_SRGB8:
        mb_srgb_decode(texels, n, values);
        break;
    case MB_CODEC_SFLOAT16:
        for (size_t i = 0; i < n_values; i++) {
            values[i] = half_to_double(u16[i]);
        }
        break;
    case MB_CODEC_SFLOAT32:
        for (size_t i = 0; i < n_values; i++) {
            values[i] = (double)f32[i];
        }
        break;
    case MB_CODEC_UNORM10_2:
    case MB_CODEC_UFLOAT11_10:
        unpack(format, texels, n, values);
        break;
    }
}

void mb_format_decode(const struct mb_format *format, const void *texels, size_t n,
                      double *rgba)
{
    const size_t n_channels = format->n_channels;
    decode_channels(format, texels, n, rgba);
    if (n_channels == 4) {
        return;
    }
    /* Spread from the end, so that no value is overwritten before it has moved. */
    for (size_t i = n; i-- > 0;) {
        double texel[4] = {0.0, 0.0, 0.0, 1.0};
        memcpy(texel, rgba + i * n_channels, n_channels * sizeof *texel);
        memcpy(rgba + i * 4, texel, sizeof texel);
    }
}

static uint32_t unorm_from_double(double value, uint32_t max_code)
{
    if (!(value > 0.0)) {
        return 0; /* NaN, too, as Vulkan's conversion says */
    }
    return value >= 1.0 ? max_code : (uint32_t)(value * max_code + 0.5);
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

static uint32_t pack(const struct mb_format *format, const double *rgba)
{
    uint32_t word = 0, shift = 0;
    for (uint32_t c = 0; c < format->n_channels; c++) {
        const struct mb_channel *stored = channels[format->codec][c];
        const uint32_t bits =
            stored->mantissa_bits == 0
                ? unorm_from_double(rgba[c], (1u << stored->n_bits) - 1)
                : small_from_double(rgba[c] <= 0.0 ? 0.0 : rgba[c], stored->mantissa_bits);
        word |= bits << shift;
        shift += stored->n_bits;
    }
    return word;
}

/* Stored value `i` is channel i % n_channels of texel i / n_channels. */
static double stored_value(const double *rgba, size_t i, size_t n_channels)
{
    return n_channels == 4 ? rgba[i] : rgba[i / n_channels * 4 + i % n_channels];
}

void mb_format_encode(const struct mb_format *format, const double *rgba, size_t n,
                      void *texels)
{
    uint8_t *const u8 = texels;
    uint16_t *const u16 = texels;
    uint32_t *const u32 = texels;
    float *const f32 = texels;
    const size_t n_channels = format->n_channels;
    const size_t n_values = n * n_channels;
    switch (format->codec) {
    case MB_CODEC_UNORM8:
        for (size_t i = 0; i < n_values; i++) {
            u8[i] = (uint8_t)unorm_from_double(stored_value(rgba, i, n_channels), 255);
        }
        break;
    case MB_CODEC_SRGB8:
        encode_srgb(rgba, n, texels);
        break;
    case MB_CODEC_SFLOAT16:
        for (size_t i = 0; i < n_values; i++) {
            u16[i] = half_from_double(stored_value(rgba, i, n_channels));
        }
        break;
    case MB_CODEC_SFLOAT32:
        for (size_t i = 0; i < n_values; i++) {
            f32[i] = (float)stored_value(rgba, i, n_channels);
        }
        break;
    case MB_CODEC_UNORM10_2:
    case MB_CODEC_UFLOAT11_10:
        for (size_t i = 0; i < n; i++) {
            u32[i] = pack(format, rgba + i * 4);
        }
        break;
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
