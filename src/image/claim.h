/* What an output promises, and what it is held to. */
#ifndef MB_IMAGE_CLAIM_H
#define MB_IMAGE_CLAIM_H

#include "image/filter.h"

enum mb_arithmetic {
    MB_ARITHMETIC_FP32,   /* weights and sums in 32-bit float or exact integers */
    MB_ARITHMETIC_FP16,   /* sums in 16-bit float */
    MB_ARITHMETIC_FILTER, /* the fixed-function filter weighs the taps */
};

struct mb_claim {
    struct mb_filter filter;
    enum mb_arithmetic arithmetic;
    uint32_t reread_levels; /* bit n: level n is re-read from its stored texels; bit 0
                               is implied */
    double max_error_lsb;   /* a tighter bound for UNORM and sRGB than the arithmetic's, or 0 */
    uint32_t sub_texel_precision_bits; /* of the device's filter (FILTER only) */
};

/* Axes of a source level along which the filter's weights are not exactly representable: those
 * of odd size above 1 under MB_POLICY_BLIT with MB_ARITHMETIC_FILTER. 0, 1 or 2. */
uint32_t mb_claim_quantised_axes(const struct mb_claim *claim, struct mb_extent source);

/* True if the bound depends on the spread of the taps: the golden model is then asked for it.
 */
bool mb_claim_needs_range(const struct mb_claim *claim, const struct mb_format *format,
                          uint32_t n_quantised_axes);

/* Largest step error allowed, in LSB of the stored value, for a texel of golden value `want`
 * (linear) whose taps spread over `range`, `n_carried` levels after the last stored one (>= 1):
 *   MIN and MAX: 0, since what is stored is one of the stored values that were read;
 *   UNORM and sRGB: 0.5 + 0.01 (FP32), 0.5 + 0.51 (FP16), 1 (FILTER), or the claim's tighter
 *   bound; for sRGB in codes, after the curve;
 *   half and the small unsigned floats: 1 ulp; 32-bit float: 4 ulp per level carried;
 *   FILTER on floats: the same, plus range * 2^(1 - sub_texel_precision_bits).
 * A filter's weights have sub_texel_precision_bits fractional bits (Vulkan, "Texel Filtering"
 * and the limit subTexelPrecisionBits). 1/2 is among them; other weights are off by up to one
 * step, which moves the result by up to range * 2^-sub_texel_precision_bits per quantised axis,
 * and codes made by FILTER are allowed that much more there. */
double mb_claim_bound_lsb(const struct mb_claim *claim, const struct mb_format *format,
                          uint32_t channel, double want, double range, uint32_t n_carried,
                          uint32_t n_quantised_axes);

#endif
