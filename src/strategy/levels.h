/* What shaders/levels.glsl is told of a format, of an image and of a task. */
#ifndef MB_STRATEGY_LEVELS_H
#define MB_STRATEGY_LEVELS_H

#include "strategy.h"
#include "vk/pipeline.h"

struct mb_format_constants {
    double unorm_max, unorm_max_alpha; /* codes less one of colour and alpha; 0: floats */
    bool is_srgb;
    uint32_t dropped_bits, dropped_bits_blue; /* of a 32-bit mantissa, not held */
};

struct mb_format_constants mb_format_constants(const struct mb_format *format);

#define MB_N_LEVELS_CONSTANTS 9u

/* The constants of levels.glsl, for mb_pipeline_options.shared. Returns `constants`. */
const struct mb_constant *
mb_levels_constants(const struct mb_layout *layout, const struct mb_task *task,
                    struct mb_constant constants[MB_N_LEVELS_CONSTANTS]);

#endif
