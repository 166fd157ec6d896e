/* Synthetic images, each aimed at one kind of error. */
#pragma once

#include <stdbool.h>

#include "image/image.h"

/* The place of a texel, and the size and the seed of its image: all that it may depend on. */
struct mb_place {
    uint32_t x, y, width, height;
    uint64_t seed;
};

struct mb_pattern {
    const char *name;
    const char *title;                                        /* one line: what it shows */
    void (*texel)(const struct mb_place *at, double rgba[4]); /* pure */
    bool is_float; /* false: values from 0 to 1, rounded to codes */
};

/* gradient, noise, checker, impulse, zoneplate, flat, signed, probe, probe-float; terminated by
 * a NULL name. */
extern const struct mb_pattern mb_patterns[];

/* True if `spec` begins with "pattern:". */
bool mb_pattern_is_spec(const char *spec);

/* Make "pattern:NAME:WxH" as an image of 8-bit codes or floats. An unknown name (with a "did
 * you mean") or bad size is MB_ERRC_INPUT. `seed` feeds noise, signed and both probes. */
MB_MUST_CHECK enum mb_status mb_pattern_make(struct mb_image *image, const char *spec,
                                             uint64_t seed, struct mb_err *err);
