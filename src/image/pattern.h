/* Synthetic images, each aimed at one kind of error. */
#pragma once

#include <stdbool.h>

#include "image/image.h"

/* A texel to be made: its place, and what it may depend on. */
struct mb_place {
    uint32_t x, y, width, height;
    uint64_t seed;
};

struct mb_pattern {
    const char *name;
    const char *title;                                        /* one line: what it shows */
    void (*texel)(const struct mb_place *at, double rgba[4]); /* pure */
    bool is_float; /* else from 0 to 1, and rounded to codes */
};

/* gradient, noise, checker, impulse, zoneplate, flat, signed, probe, probe-float; terminated by
 * a NULL name. */
extern const struct mb_pattern mb_patterns[];

/* True if `spec` begins with "pattern:". */
bool mb_pattern_is_spec(const char *spec);

/* Make "pattern:NAME:WxH" as an image of 8-bit codes or floats. Unknown names (with a "did you
 * mean"), missing or bad sizes are MB_ERRC_INPUT. `seed` feeds noise, signed, both probes. */
MB_MUST_CHECK enum mb_status mb_pattern_make(struct mb_image *image, const char *spec,
                                             uint64_t seed, struct mb_err *err);
