/* PNG output, and the pictures that are written: single levels and the atlas of a chain. */
#pragma once

#include "base/file.h"
#include "image/pyramid.h"

/* Encode rgba[height][width][4], fast rather than small. What is too large for one chunk fails
 * with MB_ERRC_OUTPUT, and without memory with MB_ERRC_RUNTIME. `out` is owned by the caller:
 * mb_bytes_finish. */
MB_MUST_CHECK enum mb_status mb_png_encode(const uint8_t *rgba, uint32_t width, uint32_t height,
                                           struct mb_bytes *out, struct mb_err *err);

/* One level of one layer of a packed block as rgba8 [h][w][4]: UNORM and sRGB codes as they
 * are, scaled to 8 bits; floats clamped to [0,1] (tone-clamped); one channel as grey. */
void mb_level_to_rgba8(const struct mb_layout *layout, const void *block, uint32_t level,
                       uint32_t layer, uint8_t *rgba);

/* Size of the atlas: the base level at left, levels 1.. stacked at its right: about 1.5 w x h,
 * transparent where there is no level. */
struct mb_extent mb_atlas_extent(struct mb_extent base, uint32_t n_levels);

/* Draw the whole chain of one layer as new texels[height][width] of the atlas' size, in the
 * chain's own format or as by mb_level_to_rgba8; owned by the caller (mb_free). Fails without
 * memory (MB_ERRC_RUNTIME). */
MB_MUST_CHECK enum mb_status mb_atlas_draw(const struct mb_layout *layout, const void *block,
                                           uint32_t layer, bool as_rgba8, void **texels,
                                           struct mb_err *err);

/* |output - wanted| of one level as an 8-bit RGBA picture [h][w][4], scaled so that one LSB of
 * 8 bits is 32. The picture is opaque, or what is off could not be seen: an error of alpha is
 * grey, red, green and blue at least as bright as it. `want` is linear rgba[h][w][4] doubles.
 */
void mb_error_picture(const struct mb_format *format, const void *output, const double *want,
                      struct mb_extent extent, uint8_t *rgba);
