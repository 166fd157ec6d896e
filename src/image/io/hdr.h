/* Radiance HDR (RGBE) output, for what PNG has to clamp. */
#pragma once

#include "base/file.h"
#include "image/pyramid.h"

/* Encode stored texels[height][width] of `format`: linear RGB, one channel as grey, alpha left
 * out. Colours are rounded to the nearest of 8 bits under a shared exponent; negative values
 * and NaN become 0, infinity the largest value. `out` is owned by the caller: mb_bytes_finish.
 * Fails with MB_ERRC_RUNTIME without memory. */
MB_MUST_CHECK enum mb_status mb_hdr_encode(const struct mb_format *format,
                                           struct mb_extent extent, const void *texels,
                                           struct mb_bytes *out, struct mb_err *err);
