/* The transfer curve of sRGB, IEC 61966-2-1. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Convert encoded [0,1] to linear and back, by the definition. Values above 1 follow the curve,
 * values below 0 its straight piece; NaN stays. */
double mb_srgb_to_linear(double encoded);
double mb_srgb_from_linear(double linear);

/* rgba8 codes to rgba[n][4]: RGB linear, alpha code / 255. From a table. */
void mb_srgb_decode(const uint8_t *codes, size_t n, double *rgba);

/* Linear rgba[n][4] to encoded, alpha unchanged: within 1e-14 of mb_srgb_from_linear but ten
 * times as fast, since verification converts millions of texels. `out` may be `rgba`. */
void mb_srgb_encode(const double *rgba, size_t n, double *out);
