/* Image files that are written: pictures of a chain for people to look at, and texture files
 * for other programs to load. */
#pragma once

#include <stdbool.h>

#include "base/file.h"
#include "image/pyramid.h"

/* A PNG of rgba[height][width][4], encoded fast rather than small. A picture too large for one
 * chunk fails with MB_ERRC_OUTPUT, lack of memory with MB_ERRC_RUNTIME. `out` is owned by the
 * caller: mb_bytes_finish. */
MB_MUST_CHECK enum mb_status mb_png_encode(const uint8_t *rgba, uint32_t width, uint32_t height,
                                           struct mb_bytes *out, struct mb_err *err);

/* Size of the atlas: the base level at left, levels 1.. stacked at its right: about 1.5 w x h,
 * transparent where there is no level. */
struct mb_extent mb_atlas_extent(struct mb_extent base, uint32_t n_levels);

/* Draw the whole chain of one layer as new texels[height][width] of the atlas' size, in the
 * chain's own format or, by mb_format_convert, as rgba8; owned by the caller (mb_free). Fails
 * only if out of memory (MB_ERRC_RUNTIME). */
MB_MUST_CHECK enum mb_status mb_atlas_draw(const struct mb_layout *layout, const void *block,
                                           uint32_t layer, bool as_rgba8, void **texels,
                                           struct mb_err *err);

/* |output - wanted| of one level as an 8-bit RGBA picture [h][w][4], scaled so that one LSB of
 * 8 bits is 32. The picture is opaque, so that errors are visible; an error of alpha raises
 * red, green and blue to at least its own shade. `want` is linear rgba[h][w][4] doubles. */
void mb_error_picture(const struct mb_format *format, const void *output, const double *want,
                      struct mb_extent extent, uint8_t *rgba);

/* A Radiance HDR (RGBE) file, for values that PNG has to clamp: stored texels[height][width] of
 * `format` as linear RGB, one channel as grey, alpha left out. Colours are rounded to 8 bits
 * under a shared exponent; negative values and NaN become 0, infinity the largest value. `out`
 * is owned by the caller: mb_bytes_finish. Fails with MB_ERRC_RUNTIME if out of memory. */
MB_MUST_CHECK enum mb_status mb_hdr_encode(const struct mb_format *format,
                                           struct mb_extent extent, const void *texels,
                                           struct mb_bytes *out, struct mb_err *err);

/* A whole chain to be written to a texture file: every level and layer, uncompressed, texel for
 * texel as in the block. Files are little-endian, and so are blocks on every machine with a
 * Vulkan driver. */
struct mb_texture {
    const struct mb_layout *layout; /* for a cube map, n_layers is a multiple of six */
    bool is_cube;                   /* faces are layers in the order +X -X +Y -Y +Z -Z */
    const void *block;              /* packed by `layout` */
};

/* A KTX 2.0 file: Khronos' "KTX File Format", version 2.0, with a basic data format descriptor
 * of the "Khronos Data Format Specification" 1.3 and the keys KTXorientation (rows go down) and
 * KTXwriter. Texels hold straight alpha, however they were averaged. `out` is owned by the
 * caller: mb_bytes_finish. Fails with MB_ERRC_RUNTIME if out of memory. */
MB_MUST_CHECK enum mb_status mb_ktx2_encode(const struct mb_texture *texture,
                                            struct mb_bytes *out, struct mb_err *err);

/* A DDS file with the DX10 header: Microsoft's "Programming Guide for DDS". Ownership and
 * failures as above. */
MB_MUST_CHECK enum mb_status mb_dds_encode(const struct mb_texture *texture,
                                           struct mb_bytes *out, struct mb_err *err);
