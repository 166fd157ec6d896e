/* The door to stb_image and stb_image_write, which are compiled in stb.c alone, without
 * warnings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/pyramid.h"

/* Decode a PNG, BMP or TGA of `extent` to new rgba[height][width][4] of 8 bits, of 16 if
 * `is_wide`; owned by the caller: mb_free. stb_image takes what is cut for zeros, and trusts
 * sizes and indices: the file must be one that our readers have checked. NULL: `*reason` says
 * what is wrong with it, or is NULL where there was no memory. */
void *mb_stb_decode(const uint8_t *file, size_t n_bytes, struct mb_extent extent, bool is_wide,
                    const char **reason);

/* Encode rgba[height][width][4] as a PNG, fast rather than small, of `*n_bytes`; owned by the
 * caller: mb_free. Sizes are ints in stb_image_write: the rows, and what they may be deflated
 * to, must be below 2 GiB. NULL: no memory. */
uint8_t *mb_stb_encode_png(const uint8_t *rgba, struct mb_extent extent, size_t *n_bytes);
