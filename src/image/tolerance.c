/* The bounds that an output is held to. */
#include "image/tolerance.h"

#include <math.h>

#include "image/srgb.h"

bool mb_tolerance_is_void(const struct mb_tolerance *tolerance, const struct mb_format *format)
{
    bool is_void = tolerance->max_error_lsb > 0.0;
    for (uint32_t c = 0; c < format->n_channels; c++) {
        const double largest = mb_format_channel(format, c)->largest;
        is_void =
            is_void && tolerance->max_error_lsb >= largest / mb_format_lsb(format, c, largest);
    }
    return is_void;
}

bool mb_tolerance_is_filtered(const struct mb_tolerance *tolerance)
{
    return tolerance->arithmetic == MB_ARITHMETIC_FILTER ||
           tolerance->arithmetic == MB_ARITHMETIC_FILTER_FP16;
}

/* Whether floats are summed in 16 bits. */
static bool sums_halves(const struct mb_step *step)
{
    const enum mb_arithmetic arithmetic = step->tolerance->arithmetic;
    return (arithmetic == MB_ARITHMETIC_FP16 || arithmetic == MB_ARITHMETIC_FILTER_FP16) &&
           !mb_format_is_unorm(step->format);
}

/* True if the filter's weights along an axis of this size are no fractions of a power of two.
 */
static bool is_quantised(const struct mb_tolerance *tolerance, uint32_t size)
{
    return tolerance->filter.policy == MB_POLICY_BLIT && size > 1 && size % 2 == 1;
}

/* In steps of the filter's weights. */
static double steps_off(const struct mb_tolerance *tolerance, struct mb_extent source)
{
    const bool across = is_quantised(tolerance, source.width);
    const bool down = is_quantised(tolerance, source.height);
    const bool halves_them = across != down && source.width > 1 && source.height > 1;
    return 1.5 * (across + down) + (halves_them ? 1.0 : 0.0);
}

/* In texels along an axis of this size. */
static double coordinate_error(uint32_t size)
{
    const bool is_power_of_two = (size & (size - 1)) == 0;
    return is_power_of_two ? 0.0 : ldexp((double)size, -24);
}

/* What the sums of both passes of a wide kernel are off by. */
static double kernel_error(enum mb_policy policy, const struct mb_format *format,
                           struct mb_extent source)
{
    int32_t first;
    if (mb_format_is_unorm(format)) {
        return 0.0;
    }
    if (format->codec == MB_CODEC_SFLOAT32) {
        return ldexp(4.0, -24);
    }
    const uint32_t n_taps = mb_filter_kernel_span(policy, source.width, 0, &first) +
                            mb_filter_kernel_span(policy, source.height, 0, &first);
    return ldexp(4.0 * (n_taps + 2), -24);
}

double mb_tolerance_weight_error(const struct mb_tolerance *tolerance,
                                 const struct mb_format *format, struct mb_extent source)
{
    if (mb_policy_is_wide(tolerance->filter.policy)) {
        return kernel_error(tolerance->filter.policy, format, source);
    }
    if (!mb_tolerance_is_filtered(tolerance) && tolerance->arithmetic != MB_ARITHMETIC_CORNER) {
        return 0.0;
    }
    if (tolerance->arithmetic == MB_ARITHMETIC_CORNER &&
        tolerance->filter.policy == MB_POLICY_BOX && !mb_policies_agree(source, 2)) {
        return 0.0; /* three taps on an axis: no filter joins them, they are fetched */
    }
    double error = coordinate_error(source.width) + coordinate_error(source.height);
    if (!mb_format_is_unorm(format)) {
        error *= 2.0;
    }
    if (mb_tolerance_is_filtered(tolerance)) {
        error += ldexp(steps_off(tolerance, source), -(int)tolerance->sub_texel_precision_bits);
    }
    return error;
}

bool mb_tolerance_needs_range(const struct mb_step *step)
{
    if (step->tolerance->filter.reduce != MB_REDUCE_AVG) {
        return false;
    }
    return sums_halves(step) ||
           (step->weight_error != 0.0 &&
            (mb_tolerance_is_filtered(step->tolerance) || !mb_format_is_unorm(step->format)));
}

/* An ulp of the largest tap, as a 16-bit float. */
static double half_of_taps(double want, double range)
{
    return mb_format_lsb(mb_format_find("r16f"), 0,
                         fabs(want) + (isfinite(range) ? range : 0.0));
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

/* By how much a value may be off, in linear light, for weights that are. */
static double offset_of_weights(const struct mb_step *step, double want, double range)
{
    if (!isfinite(range) || !isfinite(want)) {
        return 0.0; /* with an infinite tap, only infinity itself is right */
    }
    const double in_mean = 4.0 * fabs(want);
    if (step->tolerance->arithmetic == MB_ARITHMETIC_CORNER &&
        mb_format_is_unorm(step->format)) {
        range = fmin(in_mean, 1.0);
    } else if (step->n_carried > 1) {
        range = fmax(range, in_mean);
    }
    return range * step->weight_error;
}

static double unorm_bound_lsb(const struct mb_step *step, uint32_t channel, double want,
                              double offset)
{
    static const double bounds_lsb[] = {
        [MB_ARITHMETIC_FP32] = 0.5 + 0.01, [MB_ARITHMETIC_FP16] = 0.5 + 0.51,
        [MB_ARITHMETIC_FILTER] = 1.0,      [MB_ARITHMETIC_CORNER] = 0.5 + 0.01,
        [MB_ARITHMETIC_ROOT] = 0.5 + 10.0, [MB_ARITHMETIC_FILTER_FP16] = 1.0 + 0.51,
    };
    const enum mb_arithmetic arithmetic = step->tolerance->arithmetic;
    const bool is_decoded = step->format->codec == MB_CODEC_SRGB8 && channel < 3 &&
                            mb_tolerance_is_filtered(step->tolerance);
    /* An H200 was seen to be off by 0.06 of a code when it rounds. */
    const double bound_lsb = bounds_lsb[arithmetic] + (is_decoded ? 0.5 + 0.6 : 0.0) +
                             (step->tolerance->is_rounded_by_device ? 0.1 : 0.0);
    return bound_lsb +
           (offset > 0.0 ? codes_of_offset(step->format, channel, want, offset) : 0.0);
}

double mb_tolerance_bound_lsb(const struct mb_step *step, uint32_t channel, double want,
                              double range)
{
    const struct mb_tolerance *tolerance = step->tolerance;
    const struct mb_format *format = step->format;
    if (tolerance->max_error_lsb > 0.0) {
        return tolerance->max_error_lsb;
    }
    if (tolerance->filter.reduce != MB_REDUCE_AVG) {
        return 0.0;
    }
    const double offset = offset_of_weights(step, want, range);
    if (mb_format_is_unorm(format)) {
        return unorm_bound_lsb(step, channel, want, offset);
    }
    const bool is_quotient = channel < 3 && mb_weighs_alpha(tolerance->filter.reduce,
                                                            tolerance->filter.alpha, format);
    const double sums_ulp = 4.0 * step->n_carried * (is_quotient ? 2.0 : 1.0);
    const double lsb = mb_format_lsb(format, channel, want);
    /* A device may cut off what a smaller float has no room for, even from a sum just below it.
     */
    const uint32_t n_cut_bits = 23 - mb_format_channel(format, channel)->mantissa_bits;
    const double stored_lsb = n_cut_bits > 0 ? 1.0 : 0.0;
    const double sums_lsb = sums_halves(step) ? sums_ulp * half_of_taps(want, range) / lsb
                                              : ldexp(sums_ulp, -(int)n_cut_bits);
    return stored_lsb + sums_lsb + offset / lsb;
}
