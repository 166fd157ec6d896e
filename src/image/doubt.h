/* Errors that a shader may make with unusual numbers, and that no bound in ulp covers.
 *
 * A mean of both signs may be far smaller than its terms, whose rounding it keeps. Denormal
 * values may be taken and given as zero: shaders and formats are free to (Vulkan 1.3,
 * "Precision of Core SPIR-V Instructions" and "16-Bit Floating-Point Numbers"). Which operand a
 * minimum or maximum returns where one is NaN is undefined (GLSL.std.450, FMin and FMax). And
 * sums with integer weights may overflow before they are divided. A strict tolerance allows
 * neither of the last two.
 *
 * Each value of a source level is given a doubt: by how much it may be off, besides the bound
 * of the tolerance. The golden model then filters doubts as it does values. Of images that are
 * positive, finite, normal and not very large there are none. */
#pragma once

#include "image/tolerance.h"
#include "image/golden.h"

/* True if one of `n` values of a float format is negative, not finite, a denormal, or so large
 * that sums overflow. Zeros are ordinary, both of them. */
bool mb_doubt_is_due(const struct mb_format *format, const double *values, size_t n);

/* The doubts of the level below `source`, linear rgba[h'][w'][4]. Where source->format is NULL
 * nothing was stored of it, and `carried` are the doubts of its values, to which is added that
 * they may overflow; otherwise `carried` is not looked at. `weight_error` is the
 * filter's on that source (mb_tolerance_weight_error). Where colour is weighted by alpha, alpha
 * itself is in the place of its doubt. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_doubt_level(const struct mb_tolerance *tolerance,
                                            const struct mb_plane *source, double *carried,
                                            double weight_error, double *dst,
                                            struct mb_err *err);

/* What to add to the tolerance's bound, in LSB at `want`, where the doubt is `doubt` and the
 * output has `got`; infinite where that will do whatever it is. An extreme beside NaN may be
 * any operand: none is beyond `want`, the extreme of those that are numbers. */
double mb_doubt_lsb(const struct mb_step *step, uint32_t channel, double want, double got,
                    double doubt);
