/* What kernels are told of a format, of an image and of a task. */
#include "strategy/levels.h"

#include <string.h>

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

const struct mb_constant *
mb_levels_constants(const struct mb_layout *layout, const struct mb_task *task,
                    struct mb_constant constants[MB_N_LEVELS_CONSTANTS])
{
    const struct mb_format_constants format = mb_format_constants(layout->format);
    const struct mb_constant values[MB_N_LEVELS_CONSTANTS] = {
        {"HAS_NARROW_LEVELS", mb_layout_has_narrow_levels(layout)},
        {"UNORM_MAX", mb_float_bits(format.unorm_max)},
        {"UNORM_MAX_ALPHA", mb_float_bits(format.unorm_max_alpha)},
        {"IS_SRGB", format.is_srgb},
        {"DROPPED_BITS", format.dropped_bits},
        {"DROPPED_BITS_BLUE", format.dropped_bits_blue},
        {"REDUCE", (uint32_t)task->reduce},
        {"WEIGH_ALPHA", mb_weighs_alpha(task->reduce, task->alpha, layout->format)},
        {"IS_UPDATE", task->is_update},
    };
    return memcpy(constants, values, sizeof values);
}
