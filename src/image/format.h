/* Texel formats: one const table. A row says how a texel is stored, which Vulkan formats it
 * has, and how it is decoded and encoded. Vulkan's header is used for the enum only. */
#ifndef MB_IMAGE_FORMAT_H
#define MB_IMAGE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

enum mb_codec {
    MB_CODEC_UNORM8,
    MB_CODEC_SFLOAT16,
    MB_CODEC_SFLOAT32,
};

struct mb_format {
    const char *name;           /* as on the command line: "rgba8" */
    const char *title;          /* one line for `mipbench list formats` */
    VkFormat vk_format;         /* of the image and its sampled views */
    VkFormat vk_storage_format; /* of its storage views */
    uint32_t texel_bytes;
    uint32_t n_channels;
    enum mb_codec codec;
};

/* All formats; `mb_format_count` rows. */
extern const struct mb_format mb_formats[];
extern const size_t mb_format_count;

/* NULL if unknown. */
const struct mb_format *mb_format_find(const char *name);

/* Decode n texels to linear rgba[n][4] doubles; missing channels are 0, missing alpha 1. */
void mb_format_decode(const struct mb_format *format, const void *texels, size_t n,
                      double *rgba);

/* Encode rgba[n][4] doubles: UNORM clamps to [0,1] and rounds to nearest (ties away from zero,
 * as Vulkan's conversion allows); floats round to nearest even; half overflows to infinity. */
void mb_format_encode(const struct mb_format *format, const double *rgba, size_t n,
                      void *texels);

/* Size of one least significant bit at `value`: 1/255 for UNORM8; for floats the distance
 * between neighbours at |value| (one ulp), never below the smallest subnormal. */
double mb_format_lsb(const struct mb_format *format, double value);

uint16_t mb_half_from_double(double value);
double mb_half_to_double(uint16_t half);

#endif
