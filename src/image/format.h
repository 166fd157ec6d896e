/* Texel formats: one const table. A row says how a texel is stored, which Vulkan formats it
 * has, and how it is decoded and encoded. Vulkan's header is used for the enum only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

enum mb_codec {
    MB_CODEC_UNORM8,
    MB_CODEC_UNORM16,   /* only for images in host memory */
    MB_CODEC_SRGB8,     /* RGB by the curve of IEC 61966-2-1, alpha linear; four channels */
    MB_CODEC_UNORM10_2, /* a 32-bit word: R in the low 10 bits, G, B, then 2 bits of A */
    MB_CODEC_SFLOAT16,
    MB_CODEC_SFLOAT32,
    MB_CODEC_UFLOAT11_10, /* a 32-bit word: R in the low 11 bits, G 11, B 10; no sign */
};

struct mb_format {
    const char *name;           /* as on the command line: "rgba8" */
    const char *title;          /* one line for `mipbench list formats` */
    VkFormat vk_format;         /* of the image and of its sampled views */
    VkFormat vk_storage_format; /* of its storage views: no device stores to sRGB */
    uint32_t dxgi_format;       /* DXGI_FORMAT of the same bits in the same order */
    uint32_t texel_bytes;
    uint32_t n_channels;
    enum mb_codec codec;
};

/* How one channel is stored. */
struct mb_channel {
    uint32_t n_bits;
    uint32_t mantissa_bits; /* of a float; 0 if the channel is a code of [0, 1] */
    int max_exponent;       /* of a float; normal exponents begin at 1 - max_exponent */
    double least, largest;  /* finite values */
};

/* All formats; `mb_format_count` rows. */
extern const struct mb_format mb_formats[];
extern const size_t mb_format_count;

/* NULL if unknown. */
const struct mb_format *mb_format_find(const char *name);

/* How a channel is stored; valid for all four channels, even if the format has fewer. */
const struct mb_channel *mb_format_channel(const struct mb_format *format, uint32_t channel);

/* True if texels are codes of a normalised range (sRGB included); false for floats. */
bool mb_format_is_unorm(const struct mb_format *format);

/* Largest code of a channel: 255, 1023, 3; 1 for floats, which have no codes. */
double mb_format_max_code(const struct mb_format *format, uint32_t channel);

/* Decode n texels to linear rgba[n][4] doubles; missing channels are 0, missing alpha 1. */
void mb_format_decode(const struct mb_format *format, const void *texels, size_t n,
                      double *rgba);

/* Encode linear rgba[n][4] doubles: UNORM and sRGB clamp to [0,1] and round to nearest (ties
 * away from zero, as Vulkan's conversion allows), NaN becomes 0; floats round to nearest even
 * and overflow to infinity; unsigned floats clamp negative values to 0. */
void mb_format_encode(const struct mb_format *format, const double *rgba, size_t n,
                      void *texels);

/* Decode texels to the scale of stored codes, on which errors are measured, or convert linear
 * rgba[n][4] to it without rounding. Only for sRGB does it differ from the linear scale. */
void mb_format_decode_coded(const struct mb_format *format, const void *texels, size_t n,
                            double *coded);
void mb_format_to_coded(const struct mb_format *format, const double *rgba, size_t n,
                        double *coded);

/* Clamp linear values to the finite range of the format: [0, 1] for UNORM and sRGB; for floats
 * the finite values, as a device may store the largest of them or infinity for a larger value.
 * `rgba` is rgba[n][4] and may be `held`; NaN stays. */
void mb_format_hold(const struct mb_format *format, const double *rgba, size_t n, double *held);

/* Size of one least significant bit at `value` on the scale of codes: 1 / mb_format_max_code
 * for UNORM and sRGB; for floats one ulp, the distance between neighbouring floats at |value|,
 * never below the smallest subnormal. */
double mb_format_lsb(const struct mb_format *format, uint32_t channel, double value);

/* Convert `n` texels from one format to another: UNORM and sRGB codes stay codes, scaled, and
 * one channel becomes grey. */
void mb_format_convert(const struct mb_format *from, const void *texels, size_t n,
                       const struct mb_format *to, void *out);
