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
static const struct mb_channel code_16 = {.n_bits = 16, .largest = 1.0};
static const struct mb_channel code_10 = {.n_bits = 10, .largest = 1.0};
static const struct mb_channel code_2 = {.n_bits = 2, .largest = 1.0};
static const struct mb_channel half = {16, 10, 15, -65504.0, 65504.0};
static const struct mb_channel single = {32, 23, 127, (double)-FLT_MAX, (double)FLT_MAX};
static const struct mb_channel ufloat_11 = {11, 6, 15, 0.0, 65024.0};
static const struct mb_channel ufloat_10 = {10, 5, 15, 0.0, 64512.0};

static const struct mb_channel *const channels[][4] = {
    [MB_CODEC_UNORM8] = {&code_8, &code_8, &code_8, &code_8},
    [MB_CODEC_UNORM16] = {&code_16, &code_16, &code_16, &code_16},
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

/* The distance between neighbouring floats of this exponent: 2^(exponent - mantissa_bits). */
static double ulp(int exponent, uint32_t mantissa_bits)
{
    const uint64_t bits = (uint64_t)(exponent - (int)mantissa_bits + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Encode a value >= 0 or NaN as an unsigned float of five exponent bits, rounded to nearest
 * even. A conversion by way of float would round twice. */
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

/* The bits of a channel that begins at bit `bit` of a texel. */
static uint32_t get_bits(const uint8_t *texel, uint32_t bit, uint32_t n_bits)
{
    uint16_t short_word;
    uint32_t word;
    if (n_bits == 8) {
        return texel[bit / 8];
    }
    if (n_bits == 16) {
        memcpy(&short_word, texel + bit / 8, sizeof short_word);
        return short_word;
    }
    memcpy(&word, texel + bit / 32 * 4, sizeof word);
    return word >> bit % 32 & UINT32_MAX >> (32 - n_bits);
}

static double decode_channel(const struct mb_channel *stored, uint32_t bits)
{
    if (stored->mantissa_bits == 0) {
        return (double)bits / ((1u << stored->n_bits) - 1);
    }
    if (stored == &single) {
        float value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    const double magnitude = small_to_double(bits & 0x7fffu, stored->mantissa_bits);
    return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

void mb_format_decode(const struct mb_format *format, const void *texels, size_t n,
                      double *rgba)
{
    const uint8_t *const codes = texels;
    uint32_t bit = 0;
    if (format->codec == MB_CODEC_SRGB8) {
        mb_srgb_decode(codes, n, rgba);
        return;
    }
    /* The most frequent format, in a loop that the compiler vectorises. */
    const bool is_rgba8 = format->codec == MB_CODEC_UNORM8 && format->n_channels == 4;
    for (size_t i = 0; is_rgba8 && i < n * 4; i++) {
        rgba[i] = (double)codes[i] / 255.0;
    }
    for (uint32_t c = 0; !is_rgba8 && c < 4; c++) {
        const struct mb_channel *stored = channels[format->codec][c];
        const uint8_t *texel = texels;
        for (size_t i = c; i < n * 4 && c < format->n_channels; i += 4) {
            rgba[i] = decode_channel(stored, get_bits(texel, bit, stored->n_bits));
            texel += format->texel_bytes;
        }
        for (size_t i = c; i < n * 4 && c >= format->n_channels; i += 4) {
            rgba[i] = c == 3 ? 1.0 : 0.0;
        }
        bit += stored->n_bits;
    }
}

static uint32_t encode_channel(const struct mb_channel *stored, double value)
{
    if (stored->mantissa_bits == 0) {
        /* NaN becomes 0, as Vulkan's conversion says. */
        const double held = value >= 1.0 ? 1.0 : value > 0.0 ? value : 0.0;
        return (uint32_t)(held * ((1u << stored->n_bits) - 1) + 0.5);
    }
    if (stored == &single) {
        const float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    if (stored->least == 0.0) {
        return small_from_double(value <= 0.0 ? 0.0 : value, stored->mantissa_bits);
    }
    /* NaN keeps its sign, but not its payload. */
    const uint32_t sign = (uint32_t)(bits_of(value) >> 48) & 0x8000u;
    return sign | small_from_double(fabs(value), stored->mantissa_bits);
}

void mb_format_encode(const struct mb_format *format, const double *rgba, size_t n,
                      void *texels)
{
    uint8_t *texel = texels;
    for (size_t i = 0; i < n; i++, rgba += 4, texel += format->texel_bytes) {
        uint32_t words[4] = {0}, bit = 0;
        double coded[4];
        mb_format_to_coded(format, rgba, 1, coded);
        for (uint32_t c = 0; c < format->n_channels; c++) {
            const struct mb_channel *stored = channels[format->codec][c];
            words[bit / 32] |= encode_channel(stored, coded[c]) << bit % 32;
            bit += stored->n_bits;
        }
        memcpy(texel, words, format->texel_bytes);
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
