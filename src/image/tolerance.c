/* Bounds on the error of an output; and doubts, for unusual numbers: cancelled sums, denormals,
 * NaN and overflow. */
#include "image/tolerance.h"

#include <float.h>
#include <math.h>

#include "base/alloc.h"
#include "image/srgb.h"

/* A texel below MAX_SMALL may lose MAX_LOST, both in units of the least normal 32-bit float.
 * Weights below 1 keep sums from overflowing, but make denormal products of normal texels:
 * three along each axis, and the rest of a sum may be doubled for each. If all are flushed to
 * zero, the sum loses at most MAX_LOST, which mb_doubt_lsb() doubles: less than 4 ulp of a
 * value above MAX_SMALL. An H200 was off by 2. */
#define MAX_LOST  12.0
#define MAX_SMALL 0x1p27

/* Sums of values below LARGE, weighted along both axes, cannot overflow. */
#define LARGE 0x1p97

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

/* Whether the fixed-function filter weighs the taps and rounds. */
static bool is_weighed(const struct mb_tolerance *tolerance)
{
    return tolerance->arithmetic == MB_ARITHMETIC_FILTER ||
           tolerance->arithmetic == MB_ARITHMETIC_FILTER_FP16;
}

/* Whether the fixed-function filter averages the taps, with exact weights or not. */
static bool is_filtered(const struct mb_tolerance *tolerance)
{
    return is_weighed(tolerance) || tolerance->arithmetic == MB_ARITHMETIC_CORNER;
}

/* Whether floats are summed in 16 bits. */
static bool sums_halves(const struct mb_step *step)
{
    const enum mb_arithmetic arithmetic = step->tolerance->arithmetic;
    return (arithmetic == MB_ARITHMETIC_FP16 || arithmetic == MB_ARITHMETIC_FILTER_FP16) &&
           !mb_format_is_unorm(step->format);
}

/* True if the filter cannot hold the weights of an axis of this size exactly. */
static bool is_quantised(const struct mb_tolerance *tolerance, uint32_t size)
{
    return tolerance->filter.policy == MB_POLICY_BLIT && size > 1 && size % 2 == 1;
}

/* The error of the filter's weights, in steps of 2^-sub_texel_precision_bits. */
static double steps_off(const struct mb_tolerance *tolerance, struct mb_extent source)
{
    const bool across = is_quantised(tolerance, source.width);
    const bool down = is_quantised(tolerance, source.height);
    const bool halves_them = across != down && source.width > 1 && source.height > 1;
    return 1.5 * (across + down) + (halves_them ? 1.0 : 0.0);
}

/* The error of a coordinate, in texels along an axis of this size. */
static double coordinate_error(uint32_t size)
{
    return mb_is_power_of_two(size) ? 0.0 : ldexp((double)size, -24);
}

/* The error of a wide kernel's sums, of both passes, as a part of the taps' spread. */
static double kernel_error(enum mb_policy policy, const struct mb_format *format,
                           struct mb_extent source)
{
    if (mb_format_is_unorm(format)) {
        return 0.0;
    }
    if (format->codec == MB_CODEC_SFLOAT32) {
        return ldexp(4.0, -24);
    }
    const struct mb_span across = mb_filter_kernel_span(policy, source.width, 0);
    const struct mb_span down = mb_filter_kernel_span(policy, source.height, 0);
    return ldexp(4.0 * (across.end - across.first + down.end - down.first + 2), -24);
}

double mb_tolerance_weight_error(const struct mb_tolerance *tolerance,
                                 const struct mb_format *format, struct mb_extent source)
{
    if (mb_policy_is_wide(tolerance->filter.policy)) {
        return kernel_error(tolerance->filter.policy, format, source);
    }
    if (!is_filtered(tolerance)) {
        return 0.0;
    }
    if (tolerance->arithmetic == MB_ARITHMETIC_CORNER &&
        tolerance->filter.policy == MB_POLICY_BOX && !mb_policies_agree(source, 2)) {
        return 0.0; /* three taps on an axis are fetched, not filtered */
    }
    double error = coordinate_error(source.width) + coordinate_error(source.height);
    if (!mb_format_is_unorm(format)) {
        error *= 2.0;
    }
    if (is_weighed(tolerance)) {
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
            (is_weighed(step->tolerance) || !mb_format_is_unorm(step->format)));
}

/* One ulp of a 16-bit float as large as the largest tap. */
static double half_of_taps(double want, double range)
{
    return mb_format_lsb(mb_format_find("r16f"), 0,
                         fabs(want) + (isfinite(range) ? range : 0.0));
}

/* An error of `offset` in linear light at `want`, in codes: the larger of the errors upwards
 * and downwards, which differ on the curve of sRGB. */
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

/* How far the errors of the weights may move a value, in linear light. */
static double offset_of_weights(const struct mb_step *step, double want, double range)
{
    if (!isfinite(range) || !isfinite(want)) {
        return 0.0; /* if a tap is infinite, only infinity is right */
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
    const bool is_decoded =
        step->format->codec == MB_CODEC_SRGB8 && channel < 3 && is_weighed(step->tolerance);
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
    /* A device may truncate when it stores a smaller float, even a sum just below a value. */
    const uint32_t n_cut_bits = 23 - mb_format_channel(format, channel)->mantissa_bits;
    const double stored_lsb = n_cut_bits > 0 ? 1.0 : 0.0;
    const double sums_lsb = sums_halves(step) ? sums_ulp * half_of_taps(want, range) / lsb
                                              : ldexp(sums_ulp, -(int)n_cut_bits);
    return stored_lsb + sums_lsb + offset / lsb;
}

/* ---- Doubts */

/* The least normal value. */
static double least_normal(const struct mb_format *format)
{
    return ldexp(1.0, 1 - mb_format_channel(format, 0)->max_exponent);
}

bool mb_doubt_is_due(const struct mb_format *format, const double *values, size_t n)
{
    const double least = least_normal(format);
    bool is_due = false;
    for (size_t i = 0; i < n; i++) {
        const double magnitude = fabs(values[i]); /* NaN fails every comparison */
        is_due |=
            values[i] < 0.0 || !(magnitude < LARGE) || (magnitude > 0.0 && magnitude < least);
    }
    return is_due;
}

/* What the doubts of all values of a level depend on. */
struct level_doubt {
    bool is_average, is_strict;
    bool is_interpolated;  /* infinite taps may give NaN: a + w (b - a) */
    double rounding;       /* of the sums, relative to their terms */
    double largest;        /* sums of magnitudes up to this do not overflow */
    double small, flushed; /* magnitudes below `small` may lose as much as `flushed` */
};

/* The sum of a kernel's integer weights along an axis, the divisor (shaders/box.glsl). */
static double weight_sum(uint32_t size)
{
    return size > 1 && size % 2 == 1 ? size : 2.0;
}

/* The largest magnitude of texels whose sums do not overflow. */
static double largest_summed(const struct mb_tolerance *tolerance, struct mb_extent extent)
{
    return tolerance->is_strict
               ? INFINITY
               : (double)FLT_MAX / (weight_sum(extent.width) * weight_sum(extent.height));
}

/* The rounding of a sum, relative to its terms: 4 ulp; 2^-14 if the fixed-function filter sums
 * floats below 32 bits, as an H200 rounds such products to 2^-17 of the largest; 0 for wide
 * kernels, where weight_error covers it. */
static double rounding_of(const struct mb_step *step)
{
    const bool is_float32 = step->format->codec == MB_CODEC_SFLOAT32;
    const double unit = is_filtered(step->tolerance) && !is_float32 ? 0x1p-14 : 0x1p-21;
    const bool is_wide = mb_policy_is_wide(step->tolerance->filter.policy);
    return is_wide ? 0.0 : unit + 4.0 * step->weight_error;
}

static double doubt_of(const struct level_doubt *level, double value)
{
    const double magnitude = fabs(value);
    if (!level->is_average) {
        return isnan(value) && !level->is_strict ? INFINITY : 0.0;
    }
    if (!isfinite(value)) {
        return level->is_interpolated ? INFINITY : 0.0;
    }
    if (magnitude > level->largest) {
        return INFINITY;
    }
    const double flushed =
        magnitude > 0.0 && magnitude < level->small ? fmin(magnitude, level->flushed) : 0.0;
    return magnitude * level->rounding + flushed;
}

/* Replace the values of a level's `n_texels` texels by their doubts. */
static void fill(const struct mb_step *step, struct mb_extent extent, size_t n_texels,
                 double *rgba)
{
    const struct mb_tolerance *tolerance = step->tolerance;
    const double least = least_normal(step->format);
    const bool is_float32 = step->format->codec == MB_CODEC_SFLOAT32;
    const struct level_doubt level = {
        .is_average = tolerance->filter.reduce == MB_REDUCE_AVG,
        .is_strict = tolerance->is_strict,
        /* Wide kernels have weights of both signs: infinite taps may give anything. */
        .is_interpolated =
            mb_policy_is_wide(tolerance->filter.policy) || is_filtered(tolerance),
        .rounding = rounding_of(step),
        .largest = largest_summed(tolerance, extent),
        .small = is_float32 ? least * MAX_SMALL : least,
        .flushed = is_float32 ? least * MAX_LOST : least,
    };
    const bool is_weighted =
        mb_weighs_alpha(tolerance->filter.reduce, tolerance->filter.alpha, step->format);
    for (size_t i = 0; i < n_texels * 4; i++) {
        if (!is_weighted || i % 4 != 3) {
            rgba[i] = doubt_of(&level, rgba[i]);
        }
    }
}

/* Set doubts to infinity if their values, carried and not stored, may overflow. */
static void add_overflow(const struct mb_tolerance *tolerance, const struct mb_plane *source,
                         double *doubts)
{
    const double largest = largest_summed(tolerance, source->extent);
    const bool is_average = tolerance->filter.reduce == MB_REDUCE_AVG;
    const size_t n_values = (size_t)source->extent.width * source->extent.height * 4;
    const double *values = source->texels;
    for (size_t i = 0; is_average && i < n_values; i++) {
        doubts[i] = fabs(values[i]) > largest ? INFINITY : doubts[i];
    }
}

/* Filter doubts into the doubts of the next level. The fixed-function filter may read a
 * neighbour with a weight of 0, and 0 times a value that is not finite is NaN: so a neighbour's
 * infinite doubt counts, too. */
MB_MUST_CHECK static enum mb_status filter_doubts(const struct mb_tolerance *tolerance,
                                                  const struct mb_plane *doubts, double *dst,
                                                  struct mb_err *err)
{
    const struct mb_extent extent = mb_level_extent(doubts->extent, 1);
    const size_t n_values = (size_t)extent.width * extent.height * 4;
    const bool is_average = tolerance->filter.reduce == MB_REDUCE_AVG;
    /* Weights of both signs would cancel doubts. */
    const bool is_wide = mb_policy_is_wide(tolerance->filter.policy);
    const struct mb_filter filter = {
        .policy = tolerance->filter.policy,
        .reduce = is_wide ? MB_REDUCE_MAX : MB_REDUCE_AVG,
        .alpha = is_average ? tolerance->filter.alpha : MB_ALPHA_STRAIGHT,
    };
    MB_FREED double *spread = NULL;
    if (is_average && is_weighed(tolerance)) {
        spread = mb_malloc(n_values * sizeof *spread);
        MB_DO(MB_NEED(spread, "verification"));
    }
    MB_DO(mb_golden_level(&filter, doubts, dst, spread, err));
    for (size_t i = 0; spread != NULL && i < n_values; i++) {
        dst[i] = isfinite(spread[i]) ? dst[i] : INFINITY;
    }
    return MB_OK;
}

enum mb_status mb_doubt_level(const struct mb_step *step, const struct mb_plane *source,
                              double *carried, double *dst, struct mb_err *err)
{
    const size_t n_texels = (size_t)source->extent.width * source->extent.height;
    struct mb_plane doubts = {.extent = source->extent, .texels = carried};
    MB_FREED double *values = NULL;
    if (source->format != NULL) {
        values = mb_malloc(n_texels * 4 * sizeof *values);
        MB_DO(MB_NEED(values, "verification"));
        mb_format_decode(source->format, source->texels, n_texels, values);
        fill(step, source->extent, n_texels, values);
        doubts.texels = values;
    } else {
        add_overflow(step->tolerance, source, carried);
    }
    return filter_doubts(step->tolerance, &doubts, dst, err);
}

/* True if `got` is beyond the extreme `want`; false if either is NaN, and for averages. */
static bool is_beyond(enum mb_reduce reduce, double want, double got)
{
    return (reduce == MB_REDUCE_MAX && got > want) || (reduce == MB_REDUCE_MIN && got < want);
}

double mb_doubt_lsb(const struct mb_step *step, uint32_t channel, double want, double got,
                    double doubt)
{
    const struct mb_tolerance *tolerance = step->tolerance;
    const struct mb_format *format = step->format;
    const double least = least_normal(format);
    const double lsb = mb_format_lsb(format, channel, want);
    const bool is_average = tolerance->filter.reduce == MB_REDUCE_AVG;
    const bool is_alpha = channel == 3 && mb_weighs_alpha(tolerance->filter.reduce,
                                                          tolerance->filter.alpha, format);
    double off = is_alpha ? 0.0 : doubt * (is_average ? 2.0 * step->n_carried : 1.0);
    if ((isnan(off) || isinf(off)) && !is_beyond(tolerance->filter.reduce, want, got)) {
        return INFINITY; /* a NaN doubt is an infinite one times a weight of 0 */
    }
    /* Extremes: if a denormal is wanted, any other denormal or zero will do. */
    if (!is_average) {
        return fabs(want) < least ? 2.0 * least / lsb : 0.0;
    }
    /* Subtract what the tolerance's bound covers: all rounding, if the terms have one sign. */
    off = fmax(0.0, off - 2.0 * step->n_carried * rounding_of(step) * fabs(want));
    if (fabs(want) - off < least) {
        off += fmin(fabs(want) + off, least);
    }
    return off / lsb;
}
