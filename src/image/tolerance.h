/* The tolerance: what a strategy promises of its output, and the bounds that follow. */
#pragma once

#include "image/reference.h"

enum mb_arithmetic {
    MB_ARITHMETIC_FP32,        /* weights and sums in 32-bit float or exact integers */
    MB_ARITHMETIC_FP16,        /* sums in 16-bit float */
    MB_ARITHMETIC_FILTER,      /* the fixed-function filter weighs the taps and rounds */
    MB_ARITHMETIC_CORNER,      /* the filter averages 2x2 texels at their common corner, where
                                  its weights are exact; the kernel rounds */
    MB_ARITHMETIC_FILTER_FP16, /* FILTER, and the kernel sums in 16-bit float */
    MB_ARITHMETIC_ROOT,        /* sRGB by square and square root instead of its curve */
};

struct mb_tolerance {
    struct mb_filter filter;
    enum mb_arithmetic arithmetic;
    bool is_rounded_by_device; /* the device rounds to codes when it stores; Vulkan does not
                                  say how */
    uint32_t reread_levels;    /* bit n: level n is re-read from its stored texels; bit 0
                                  is implied */
    double max_error_lsb; /* replaces the computed bound, in LSB of codes or ulp of floats; 0:
                             the bound is computed */
    bool is_strict; /* for floats: a mean is infinite only if one of its values is; an extreme
                       is NaN only if all values are */
    bool has_no_policy; /* no policy describes the output: it is timed, but not judged */
    uint32_t sub_texel_precision_bits; /* of the device's filter (FILTER only) */
};

/* True if max_error_lsb is so large that an output of 0 always passes, so that no error can be
 * found: 255 codes of rgba8, 2047 ulp of a half. */
bool mb_tolerance_is_void(const struct mb_tolerance *tolerance, const struct mb_format *format);

/* The step from the last stored level to the level that is judged, with its tolerance. */
struct mb_step {
    const struct mb_tolerance *tolerance;
    const struct mb_format *format;
    uint32_t n_carried;  /* levels since the stored one, >= 1 */
    double weight_error; /* of the filter on the stored level (mb_tolerance_weight_error) */
};

/* The error that the weights of all taps together may have, for a source level of this size: of
 * wide kernels, and of weights that the fixed-function filter makes; otherwise 0.
 *
 * Coordinates are 32-bit floats, exact if the size is a power of two. Otherwise the inverse
 * size, the product with the inverse and the product of that with the size are each rounded.
 * Float formats, which show the error, are allowed size * 2^-23 texels per axis; codes are
 * allowed half of that, which has been enough.
 *
 * FILTER: weights have sub_texel_precision_bits fractional bits (Vulkan, "Texel Filtering" and
 * the limit subTexelPrecisionBits). A weight of 1/2 is exact, but not the weights of an odd
 * size above 1 under MB_POLICY_BLIT: the position may be truncated to a step, and the weight
 * rounded to a step, which makes 1.5 steps per axis. If the other axis halves such weights, all
 * four are rounded again, by half a step each: one step more. An H200's blits were off by 1.35
 * steps on a single odd axis, and by 2.3 if the other axis is even.
 *
 * Wide kernels, whatever the arithmetic: a sum of positive and negative terms may be much
 * smaller than its terms. Its error then is not some ulp of the sum, but a part of the spread
 * of the taps. With u = 2^-24, n terms that are rounded one by one are off by at most n * u of
 * the sum of their magnitudes (Higham, "Accuracy and Stability of Numerical Algorithms", 3.1).
 * Magnitudes of weights add up to less than 2, both axes together, so that taps differ from the
 * weighted sum by at most 1.5 * range: 4 * u * (taps of both axes + 2). If the format is 32-bit
 * float, kernels compensate their sums, and only the rounding of the intermediate image
 * remains: 4 * u. Codes do not show these errors: 0. */
double mb_tolerance_weight_error(const struct mb_tolerance *tolerance,
                                 const struct mb_format *format, struct mb_extent source);

/* True if the bound depends on the spread of the taps: the reference then computes it. */
bool mb_tolerance_needs_range(const struct mb_step *step);

/* Largest step error allowed, in LSB of the stored value, for a texel of reference value `want`
 * (linear) whose taps spread over `range`: tolerance->max_error_lsb if set, else as follows.
 *
 * MIN and MAX: 0, since the result is one of the stored values that were read.
 *
 * UNORM and sRGB: 0.5 + 0.01 (FP32, CORNER), 0.5 + 0.51 (FP16), 1 (FILTER), 1 + 0.51
 * (FILTER_FP16), 0.5 + 10 (ROOT: mixtures of two codes differ by up to 9.9); 0.1 more if the
 * device rounds. sRGB is measured in codes, after the curve; FILTER gets 0.5 more for decoding
 * and 0.6 for encoding, the errors that Direct3D allows hardware (Direct3D 11.3 functional
 * specification, 3.2.3). An H200's blit was seen to be off by 1.93 in all.
 *
 * 32-bit float: 4 ulp per level carried, and twice that for colour weighted by alpha, a
 * quotient of two such sums. Half and the small unsigned floats: the same number of ulp of a
 * 32-bit float, which is little, and 1 ulp of their own format for storing. FP16 and
 * FILTER_FP16: 4 ulp per level of a 16-bit float as large as the largest tap, since a sum of
 * both signs may be much smaller than its taps.
 *
 * To each bound is added how far an error of weight_error in the weights moves a value: range *
 * weight_error. CORNER may carry values over several levels, but filters only in the first.
 * There, taps that average to `want` differ by at most 4 * want in the mean, codes by 1. */
double mb_tolerance_bound_lsb(const struct mb_step *step, uint32_t channel, double want,
                              double range);

/* ---- Doubts
 *
 * Doubts cover errors that a shader may make with unusual numbers, beyond any bound in ulp.
 *
 * A mean of terms of both signs may be far smaller than the terms, but keeps their rounding.
 * Shaders and formats are free to read and write denormal values as zero (Vulkan 1.3,
 * "Precision of Core SPIR-V Instructions" and "16-Bit Floating-Point Numbers"). Which operand a
 * minimum or maximum returns if one is NaN is undefined (GLSL.std.450, FMin and FMax). And sums
 * with integer weights may overflow before they are divided. A strict tolerance allows neither
 * NaN beside numbers nor overflow.
 *
 * Each value of a source level gets a doubt: the error that it may have in addition to the
 * tolerance's bound. The reference then filters doubts as it does values. An image whose values
 * are all positive, finite, normal and not very large has no doubts. */

/* True if one of `n` values of a float format is negative, not finite, a denormal, or so large
 * that sums overflow. 0 and -0 are ordinary. */
bool mb_doubt_is_due(const struct mb_format *format, const double *values, size_t n);

/* Make the doubts of the level below `source` at `dst`, linear rgba[h'][w'][4]. If
 * source->format is NULL, the source was not stored: `carried` holds the doubts of its values,
 * and a doubt becomes infinite if its value may overflow. Otherwise `carried` is not read. If
 * colour is weighted by alpha, channel 3 holds alpha itself. Fails only if out of memory. */
MB_MUST_CHECK enum mb_status mb_doubt_level(const struct mb_step *step,
                                            const struct mb_plane *source, double *carried,
                                            double *dst, struct mb_err *err);

/* What to add to the tolerance's bound, in LSB at `want`, if the doubt is `doubt` and the
 * output has `got`; infinite if any `got` is accepted. If an operand of an extreme is NaN, the
 * result may be any operand, but no number beyond `want`, the extreme of the numbers. */
double mb_doubt_lsb(const struct mb_step *step, uint32_t channel, double want, double got,
                    double doubt);
