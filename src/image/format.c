/* The table of texel formats and the conversions of their codecs. */
#include "image/format.h"

#include <float.h>
#include <string.h>

#include "base/err.h"
#include "image/minifloat.h"
#include "image/srgb.h"

#define CHUNK_TEXELS 64u

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
        .name = "rgba8-srgb",
        .title = "8-bit sRGB, colour averaged as linear light",
        .vk_format = VK_FORMAT_R8G8B8A8_SRGB,
        .vk_storage_format = VK_FORMAT_R8G8B8A8_UNORM,
        .texel_bytes = 4,
        .n_channels = 4,
        .codec = MB_CODEC_SRGB8,
    },
    {
        .name = "r8",
        .title = "8-bit unsigned normalised, one channel",
        .vk_format = VK_FORMAT_R8_UNORM,
        .vk_storage_format = VK_FORMAT_R8_UNORM,
        .texel_bytes = 1,
        .n_channels = 1,
        .codec = MB_CODEC_UNORM8,
    },
    {
        .name = "rg8",
        .title = "8-bit unsigned normalised, two channels",
        .vk_format = VK_FORMAT_R8G8_UNORM,
        .vk_storage_format = VK_FORMAT_R8G8_UNORM,
        .texel_bytes = 2,
        .n_channels = 2,
        .codec = MB_CODEC_UNORM8,
    },
    {
        .name = "rgb10a2",
        .title = "10-bit unsigned normalised colour, 2-bit alpha",
        .vk_format = VK_FORMAT_A2B10G10R10_UNORM_PACK32,
        .vk_storage_format = VK_FORMAT_A2B10G10R10_UNORM_PACK32,
        .texel_bytes = 4,
        .n_channels = 4,
        .codec = MB_CODEC_UNORM10_2,
    },
    {
        .name = "r16f",
        .title = "16-bit float, one channel",
        .vk_format = VK_FORMAT_R16_SFLOAT,
        .vk_storage_format = VK_FORMAT_R16_SFLOAT,
        .texel_bytes = 2,
        .n_channels = 1,
        .codec = MB_CODEC_SFLOAT16,
    },
    {
        .name = "rg16f",
        .title = "16-bit float, two channels",
        .vk_format = VK_FORMAT_R16G16_SFLOAT,
        .vk_storage_format = VK_FORMAT_R16G16_SFLOAT,
        .texel_bytes = 4,
        .n_channels = 2,
        .codec = MB_CODEC_SFLOAT16,
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
        .name = "r32f",
        .title = "32-bit float, one channel",
        .vk_format = VK_FORMAT_R32_SFLOAT,
        .vk_storage_format = VK_FORMAT_R32_SFLOAT,
        .texel_bytes = 4,
        .n_channels = 1,
        .codec = MB_CODEC_SFLOAT32,
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
    {
        .name = "rg11b10f",
        .title = "unsigned floats of 11, 11 and 10 bits",
        .vk_format = VK_FORMAT_B10G11R11_UFLOAT_PACK32,
        .vk_storage_format = VK_FORMAT_B10G11R11_UFLOAT_PACK32,
        .texel_bytes = 4,
        .n_channels = 3,
        .codec = MB_CODEC_UFLOAT11_10,
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

bool mb_format_is_unorm(const struct mb_format *format)
{
    return format->codec == MB_CODEC_UNORM8 || format->codec == MB_CODEC_SRGB8 ||
           format->codec == MB_CODEC_UNORM10_2;
}

double mb_format_max_code(const struct mb_format *format, uint32_t channel)
{
    switch (format->codec) {
    case MB_CODEC_UNORM8:
    case MB_CODEC_SRGB8:
        return 255.0;
    case MB_CODEC_UNORM10_2:
        return channel == 3 ? 3.0 : 1023.0;
    case MB_CODEC_SFLOAT16:
    case MB_CODEC_SFLOAT32:
    case MB_CODEC_UFLOAT11_10:
        break;
    }
    return 1.0;
}

static void decode_rgb10a2(const uint32_t *words, size_t n, double *rgba)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t word = words[i];
        rgba[i * 4] = (double)(word & 1023u) / 1023.0;
        rgba[i * 4 + 1] = (double)(word >> 10 & 1023u) / 1023.0;
        rgba[i * 4 + 2] = (double)(word >> 20 & 1023u) / 1023.0;
        rgba[i * 4 + 3] = (double)(word >> 30) / 3.0;
    }
}

static void decode_rg11b10f(const uint32_t *words, size_t n, double *rgb)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t word = words[i];
        rgb[i * 3] = mb_ufloat_to_double(word & 0x7ffu, MB_UFLOAT11_MANTISSA_BITS);
        rgb[i * 3 + 1] = mb_ufloat_to_double(word >> 11 & 0x7ffu, MB_UFLOAT11_MANTISSA_BITS);
        rgb[i * 3 + 2] = mb_ufloat_to_double((uint16_t)(word >> 22), MB_UFLOAT10_MANTISSA_BITS);
    }
}

/* Decode `n` texels to doubles, only the channels that there are. */
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
    case MB_CODEC_UNORM10_2:
        decode_rgb10a2(texels, n, values);
        break;
    case MB_CODEC_SFLOAT16:
        for (size_t i = 0; i < n_values; i++) {
            values[i] = mb_half_to_double(u16[i]);
        }
        break;
    case MB_CODEC_SFLOAT32:
        for (size_t i = 0; i < n_values; i++) {
            values[i] = (double)f32[i];
        }
        break;
    case MB_CODEC_UFLOAT11_10:
        decode_rg11b10f(texels, n, values);
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

static uint32_t encode_rgb10a2(const double rgba[4])
{
    return unorm_from_double(rgba[0], 1023) | unorm_from_double(rgba[1], 1023) << 10 |
           unorm_from_double(rgba[2], 1023) << 20 | unorm_from_double(rgba[3], 3) << 30;
}

static uint32_t encode_rg11b10f(const double rgb[3])
{
    const uint32_t red = mb_ufloat_from_double(rgb[0], MB_UFLOAT11_MANTISSA_BITS);
    const uint32_t green = mb_ufloat_from_double(rgb[1], MB_UFLOAT11_MANTISSA_BITS);
    const uint32_t blue = mb_ufloat_from_double(rgb[2], MB_UFLOAT10_MANTISSA_BITS);
    return red | green << 11 | blue << 22;
}

/* Value `i` of the stored ones is channel i % n_channels of texel i / n_channels. */
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
    case MB_CODEC_UNORM10_2:
        for (size_t i = 0; i < n; i++) {
            u32[i] = encode_rgb10a2(rgba + i * 4);
        }
        break;
    case MB_CODEC_SFLOAT16:
        for (size_t i = 0; i < n_values; i++) {
            u16[i] = mb_half_from_double(stored_value(rgba, i, n_channels));
        }
        break;
    case MB_CODEC_SFLOAT32:
        for (size_t i = 0; i < n_values; i++) {
            f32[i] = (float)stored_value(rgba, i, n_channels);
        }
        break;
    case MB_CODEC_UFLOAT11_10:
        for (size_t i = 0; i < n; i++) {
            u32[i] = encode_rg11b10f(rgba + i * 4);
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

double mb_format_largest(const struct mb_format *format, uint32_t channel)
{
    switch (format->codec) {
    case MB_CODEC_SFLOAT16:
        return 65504.0;
    case MB_CODEC_SFLOAT32:
        return (double)FLT_MAX;
    case MB_CODEC_UFLOAT11_10:
        return channel == 2 ? 64512.0 : 65024.0;
    default:
        return 1.0;
    }
}

double mb_format_least(const struct mb_format *format, uint32_t channel)
{
    const bool is_signed =
        format->codec == MB_CODEC_SFLOAT16 || format->codec == MB_CODEC_SFLOAT32;
    return is_signed ? -mb_format_largest(format, channel) : 0.0;
}

void mb_format_hold(const struct mb_format *format, const double *rgba, size_t n, double *held)
{
    for (size_t i = 0; i < n * 4; i++) {
        const double low = mb_format_least(format, i % 4);
        const double high = mb_format_largest(format, i % 4);
        const double value = rgba[i] < low ? low : rgba[i];
        held[i] = value > high ? high : value;
    }
}

/* 2^(exponent of value - mantissa_bits), the exponent held within [min, max]. */
static double ulp(double value, int mantissa_bits, int min_exponent, int max_exponent)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    exponent = exponent < min_exponent ? min_exponent : exponent;
    exponent = exponent > max_exponent ? max_exponent : exponent;
    bits = (uint64_t)(exponent - mantissa_bits + 1023) << 52;
    double unit;
    memcpy(&unit, &bits, sizeof unit);
    return unit;
}

double mb_format_lsb(const struct mb_format *format, uint32_t channel, double value)
{
    switch (format->codec) {
    case MB_CODEC_SFLOAT16:
        return ulp(value, MB_HALF_MANTISSA_BITS, -14, 15);
    case MB_CODEC_SFLOAT32:
        return ulp(value, 23, -126, 127);
    case MB_CODEC_UFLOAT11_10:
        return ulp(value, channel == 2 ? MB_UFLOAT10_MANTISSA_BITS : MB_UFLOAT11_MANTISSA_BITS,
                   -14, 15);
    case MB_CODEC_UNORM8:
    case MB_CODEC_SRGB8:
    case MB_CODEC_UNORM10_2:
        break;
    }
    return 1.0 / mb_format_max_code(format, channel);
}
