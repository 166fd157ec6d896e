/* Synthetic images, each aimed at one way of being wrong. */
#ifndef MB_IMAGE_PATTERN_H
#define MB_IMAGE_PATTERN_H

#include <stdbool.h>

#include "image/image.h"

struct mb_pattern {
    const char *name;
    const char *title; /* one line: what it shows */
    /* rgba of texel (x, y), in codes or in floats: one of the two is NULL. Pure. */
    void (*texel)(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint64_t seed,
                  uint8_t rgba[4]);
    void (*float_texel)(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint64_t seed,
                        float rgba[4]);
};

/* gradient, noise, checker, impulse, zoneplate, flat, signed; terminated by a NULL name. */
extern const struct mb_pattern mb_patterns[];

/* True if `spec` begins with "pattern:". */
bool mb_pattern_is_spec(const char *spec);

/* The pattern of that name, or NULL. */
const struct mb_pattern *mb_pattern_find(const char *name);

/* What an image of the pattern holds: 8-bit codes or floats. */
enum mb_depth mb_pattern_depth(const struct mb_pattern *p);

/* Make "pattern:NAME:WxH" as an image. Unknown names (with a "did you mean"), missing or bad
 * sizes are MB_ERRC_INPUT. `seed` feeds noise and signed. */
MB_MUST_CHECK enum mb_status mb_pattern_make(struct mb_image *image, const char *spec,
                                             uint64_t seed, struct mb_err *err);

/* Fill rgba[height][width][4], of the pattern's depth, with pattern `p`. */
void mb_pattern_fill(const struct mb_pattern *p, uint32_t width, uint32_t height, uint64_t seed,
                     void *rgba);

#endif
