/* What kernels are told of a format. */
#include "vk/pipeline.h"

/* Bits of a 32-bit float's mantissa that a channel does not hold. */
static uint32_t dropped_bits(const struct mb_format *format, uint32_t channel)
{
    switch (format->codec) {
    case MB_CODEC_SFLOAT16:
        return 13;
    case MB_CODEC_UFLOAT11_10:
        return channel == 2 ? 18 : 17;
    default:
        return 0;
    }
}

struct mb_format_constants mb_format_constants(const struct mb_format *format)
{
    const bool is_unorm = mb_format_is_unorm(format);
    return (struct mb_format_constants){
        .unorm_max = is_unorm ? mb_format_max_code(format, 0) : 0.0,
        .unorm_max_alpha = is_unorm ? mb_format_max_code(format, 3) : 0.0,
        .is_srgb = format->codec == MB_CODEC_SRGB8,
        .dropped_bits = dropped_bits(format, 0),
        .dropped_bits_blue = dropped_bits(format, 2),
    };
}
