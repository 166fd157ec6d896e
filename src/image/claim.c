/* The bounds that an output is held to. */
#include "image/claim.h"

#include <math.h>

#include "image/srgb.h"

uint32_t mb_claim_quantised_axes(const struct mb_claim *claim, struct mb_extent source)
{
    if (claim->filter.policy != MB_POLICY_BLIT || claim->arithmetic != MB_ARITHMETIC_FILTER) {
        return 0;
    }
    return (uint32_t)(source.width > 1 && source.width % 2 == 1) +
           (uint32_t)(source.height > 1 && source.height % 2 == 1);
}

bool mb_claim_needs_range(const struct mb_claim *claim, const struct mb_format *format,
                          uint32_t n_quantised_axes)
{
    return claim->arithmetic == MB_ARITHMETIC_FILTER && claim->filter.reduce == MB_REDUCE_AVG &&
           (!mb_format_is_unorm(format) || n_quantised_axes > 0);
}

/* How many codes an error of `offset` in linear light is at `want`. The curve gets flatter
 * towards 1, so the way down is the longer one. */
static double codes_of_offset(const struct mb_format *format, uint32_t channel, double want,
                              double offset)
{
    const double max_code = mb_format_max_code(format, channel);
    if (format->codec != MB_CODEC_SRGB8 || channel == 3) {
        return offset * max_code;
    }
    const double low = want > offset ? want - offset : 0.0;
    const double down = mb_srgb_from_linear(want) - mb_srgb_from_linear(low);
    const double up = mb_srgb_from_linear(want + offset) - mb_srgb_from_linear(want);
    return fmax(down, up) * max_code;
}

static double unorm_bound_lsb(const struct mb_claim *claim, const struct mb_format *format,
                              uint32_t channel, double want, double range,
                              uint32_t n_quantised_axes)
{
    static const double bounds_lsb[] = {
        [MB_ARITHMETIC_FP32] = 0.5 + 0.01,
        [MB_ARITHMETIC_FP16] = 0.5 + 0.51,
        [MB_ARITHMETIC_FILTER] = 1.0,
    };
    const double bound_lsb = bounds_lsb[claim->arithmetic];
    if (claim->max_error_lsb > 0.0 && claim->max_error_lsb < bound_lsb) {
        return claim->max_error_lsb;
    }
    if (n_quantised_axes == 0) {
        return bound_lsb;
    }
    const double offset =
        n_quantised_axes * ldexp(range, -(int)claim->sub_texel_precision_bits);
    return bound_lsb + codes_of_offset(format, channel, want, offset);
}

double mb_claim_bound_lsb(const struct mb_claim *claim, const struct mb_format *format,
                          uint32_t channel, double want, double range, uint32_t n_carried,
                          uint32_t n_quantised_axes)
{
    if (claim->filter.reduce != MB_REDUCE_AVG) {
        return 0.0;
    }
    if (mb_format_is_unorm(format)) {
        return unorm_bound_lsb(claim, format, channel, want, range, n_quantised_axes);
    }
    double bound_lsb = format->codec == MB_CODEC_SFLOAT32 ? 4.0 * n_carried : 1.0;
    if (claim->arithmetic == MB_ARITHMETIC_FILTER) {
        bound_lsb += ldexp(range, 1 - (int)claim->sub_texel_precision_bits) /
                     mb_format_lsb(format, channel, want);
    }
    return bound_lsb;
}
