/* The table of texel formats and the conversions of their codecs. */
#include "image/format.h"

#include <stdbool.h>
#include <string.h>

#include "base/err.h"

const struct mb_format mb_formats[] = {
    {
        .name = "rgba8",
        .title = "8-bit unsigned normalised, stored codes averaged as they are",
        .vk_format = VK_FORMAT_R8G8B8A8_UNORM,
        .vk_storage_format = VK_FORMAT_R8G8B8A8_UNORM,
        .texel_bytes = 4,
        .n_channels = 4,
        .codec = MB_CODEC_UNORM8,
    },
    {
        .name = "rgba16f",
        .title = "16-bit float",
        .vk_format = VK_FORMAT_R16G16B16A16_SFLOAT,
        .vk_storage_format = VK_FORMAT_R16G16B16A16_SFLOAT,
        .texel_bytes = 8,
        .n_channels = 4,
        .codec = MB_CODEC_SFLOAT16,
    },
    {
        .name = "rgba32f",
        .title = "32-bit float",
        .vk_format = VK_FORMAT_R32G32B32A32_SFLOAT,
        .vk_storage_format = VK_FORMAT_R32G32B32A32_SFLOAT,
        .texel_bytes = 16,
        .n_channels = 4,
        .codec = MB_CODEC_SFLOAT32,
    },
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

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Round straight from double: going through float first would round twice. */
uint16_t mb_half_from_double(double value)
{
    const uint64_t bits = bits_of_double(value);
    const uint16_t sign = (uint16_t)(bits >> 48 & 0x8000u);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    const uint64_t mantissa = bits & 0xfffffffffffffu;

    if (exponent == 1024) {
        const unsigned quiet = mantissa != 0 ? 0x200u | (unsigned)(mantissa >> 42) : 0;
        return (uint16_t)(sign | 0x7c00u | quiet);
    }
    if (exponent > 15) {
        return (uint16_t)(sign | 0x7c00u);
    }
    if (exponent < -25) {
        return sign;
    }
    /* Below 2^-14 the exponent stays and more bits fall off. */
    const bool is_subnormal = exponent < -14;
    const unsigned shift = is_subnormal ? (unsigned)(28 - exponent) : 42u;
    const uint64_t full = mantissa | 1ull << 52;
    const uint64_t kept = full >> shift;
    const uint64_t rest = full & ((1ull << shift) - 1);
    const uint64_t tie = 1ull << (shift - 1);
    const uint64_t rounded = kept + (rest > tie || (rest == tie && (kept & 1) != 0));

    /* `rounded` holds the hidden bit, so adding (exponent - 1) lets a carry move up by itself:
     * into the exponent, and from the largest finite value into infinity. */
    const uint64_t biased = is_subnormal ? 0 : (uint64_t)(exponent + 14) << 10;
    return (uint16_t)(sign | (biased + rounded));
}

double mb_half_to_double(uint16_t half)
{
    const uint64_t sign = (uint64_t)(half & 0x8000u) << 48;
    const uint64_t exponent = half >> 10 & 0x1fu;
    const uint64_t mantissa = half & 0x3ffu;

    if (exponent == 31) {
        return double_of_bits(sign | 0x7ffull << 52 | mantissa << 42);
    }
    if (exponent == 0) {
        const double magnitude = (double)mantissa * 0x1p-24;
        return sign != 0 ? -magnitude : magnitude;
    }
    return double_of_bits(sign | (exponent + 1008) << 52 | mantissa << 42);
}

/* Decode `n` stored values to as many doubles. */
static void decode_values(enum mb_codec codec, const void *stored, size_t n, double *values)
{
    switch (codec) {
    case MB_CODEC_UNORM8: {
        const uint8_t *code = stored;
        for (size_t i = 0; i < n; i++) {
            values[i] = (double)code[i] / 255.0;
        }
        break;
    }
    case MB_CODEC_SFLOAT16: {
        const uint16_t *half = stored;
        for (size_t i = 0; i < n; i++) {
            values[i] = mb_half_to_double(half[i]);
        }
        break;
    }
    case MB_CODEC_SFLOAT32: {
        const float *single = stored;
        for (size_t i = 0; i < n; i++) {
            values[i] = (double)single[i];
        }
        break;
    }
    }
}

void mb_format_decode(const struct mb_format *format, const void *texels, size_t n,
                      double *rgba)
{
    const size_t n_channels = format->n_channels;
    decode_values(format->codec, texels, n * n_channels, rgba);
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

static uint8_t unorm8_from_double(double value)
{
    if (!(value > 0.0)) {
        return 0; /* NaN, too, as Vulkan's conversion says */
    }
    return value >= 1.0 ? 255 : (uint8_t)(value * 255.0 + 0.5);
}

/* Encode `n` values into stored ones. */
static void encode_values(enum mb_codec codec, const double *values, size_t n, void *stored)
{
    switch (codec) {
    case MB_CODEC_UNORM8: {
        uint8_t *code = stored;
        for (size_t i = 0; i < n; i++) {
            code[i] = unorm8_from_double(values[i]);
        }
        break;
    }
    case MB_CODEC_SFLOAT16: {
        uint16_t *half = stored;
        for (size_t i = 0; i < n; i++) {
            half[i] = mb_half_from_double(values[i]);
        }
        break;
    }
    case MB_CODEC_SFLOAT32: {
        float *single = stored;
        for (size_t i = 0; i < n; i++) {
            single[i] = (float)values[i];
        }
        break;
    }
    }
}

void mb_format_encode(const struct mb_format *format, const double *rgba, size_t n,
                      void *texels)
{
    if (format->n_channels == 4) {
        encode_values(format->codec, rgba, n * 4, texels);
        return;
    }
    uint8_t *out = texels;
    for (size_t i = 0; i < n; i++) {
        encode_values(format->codec, rgba + i * 4, format->n_channels,
                      out + i * format->texel_bytes);
    }
}

/* 2^(exponent of value - mantissa_bits), the exponent held within [min, max]. */
static double ulp(double value, int mantissa_bits, int min_exponent, int max_exponent)
{
    int exponent = (int)(bits_of_double(value) >> 52 & 0x7ff) - 1023;
    exponent = exponent < min_exponent ? min_exponent : exponent;
    exponent = exponent > max_exponent ? max_exponent : exponent;
    return double_of_bits((uint64_t)(exponent - mantissa_bits + 1023) << 52);
}

double mb_format_lsb(const struct mb_format *format, double value)
{
    switch (format->codec) {
    case MB_CODEC_SFLOAT16:
        return ulp(value, 10, -14, 15);
    case MB_CODEC_SFLOAT32:
        return ulp(value, 23, -126, 127);
    case MB_CODEC_UNORM8:
        break;
    }
    return 1.0 / 255.0;
}
