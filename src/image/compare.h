/* Judging an output chain: step error (pass or fail) and drift (reported).
 *
 * Step error: a strategy states at which levels it re-reads stored texels. From each such level
 * the golden model restarts from the output's own stored texels and carries doubles up to the
 * next one. Drift: distance to the chain that is never rounded. */
#ifndef MB_IMAGE_COMPARE_H
#define MB_IMAGE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "image/golden.h"

enum mb_arithmetic {
    MB_ARITHMETIC_FP32,   /* weights and sums in 32-bit float or exact integers */
    MB_ARITHMETIC_FP16,   /* sums in 16-bit float */
    MB_ARITHMETIC_FILTER, /* the fixed-function filter weighs the taps */
};

/* What an output promises, so that it can be held to it. */
struct mb_claim {
    enum mb_policy policy;
    enum mb_arithmetic arithmetic;
    uint32_t reread_levels; /* bit n: level n is re-read from its stored texels; bit 0
                               is implied */
    double max_error_lsb;   /* a tighter bound for UNORM than the arithmetic's, or 0 */
    uint32_t sub_texel_precision_bits; /* of the device's filter (FILTER only) */
};

/* Axes of a source level along which the filter's weights are not exactly representable: those
 * of odd size above 1 under MB_POLICY_BLIT with MB_ARITHMETIC_FILTER. 0, 1 or 2. */
uint32_t mb_claim_quantised_axes(const struct mb_claim *claim, struct mb_extent source);

/* The bound, in LSB of UNORM8, of a kernel that fetches 2x2 texels at their common corner by
 * the filter and rounds what it stores: the weights there are 1/2, which filters hold exactly,
 * so that only the coordinate is in doubt, a 32-bit float that is off by up to size * 2^-24
 * texels. For mb_claim.max_error_lsb. */
double mb_corner_fetch_bound_lsb(struct mb_extent base);

/* Largest step error allowed, in LSB of the stored value, for a texel of golden value `want`
 * whose taps spread over `range`, `n_carried` levels after the last stored one (>= 1):
 *   UNORM8: 0.5 + 0.01 (FP32), 0.5 + 0.51 (FP16), 1 (FILTER), or the claim's tighter bound;
 *   SFLOAT16: 1 ulp; SFLOAT32: 4 ulp per level carried;
 *   FILTER on floats: the same, plus range * 2^(1 - sub_texel_precision_bits).
 * A filter's weights have sub_texel_precision_bits fractional bits (Vulkan, "Texel Filtering"
 * and the limit subTexelPrecisionBits). 1/2 is among them; other weights are off by up to one
 * step, which moves the result by up to range * 2^-sub_texel_precision_bits per quantised axis,
 * and UNORM8 with FILTER is allowed that much more there. */
double mb_claim_bound_lsb(const struct mb_claim *claim, const struct mb_format *format,
                          double want, double range, uint32_t n_carried,
                          uint32_t n_quantised_axes);

struct mb_level_verdict {
    struct mb_extent extent;
    double max_error_lsb; /* step error */
    double drift_lsb;     /* max distance to the policy's unrounded chain */
    double psnr_db;       /* of the level against the unrounded chain; infinite if equal; peak 1
                             for UNORM, else the largest magnitude of the unrounded level;
                             over layers: of the mean relative noise power */
    double box_lsb; /* max distance to the unrounded box chain: quality, not correctness */
    uint64_t n_bad_texels;
};

struct mb_bad_texel {
    bool found;
    uint32_t level, layer, x, y, channel;
    double want, got; /* as decoded values; UNORM8 as codes 0..255 */
    double error_lsb, bound_lsb;
};

struct mb_verdict {
    bool pass;
    uint32_t n_levels;
    struct mb_level_verdict level[MB_MAX_LEVELS]; /* [0]: level 0 unchanged */
    struct mb_bad_texel first_bad;                /* in order of level, layer, y, x, channel */
    double max_error_lsb, drift_lsb, box_lsb;     /* over all levels */
};

/* Judge one layer of `output` (a packed block of `layout`). `source` is level 0 as uploaded:
 * output level 0 must equal it bit for bit. `ideal` is the unrounded chain of claim->policy,
 * `box` that of MB_POLICY_BOX (may be the same pointer); both from `source`.
 * Layers add up: zero *verdict before the first, pass layer 0, 1, ... in turn.
 * NaN in the output where none is wanted is bad. Fails only without memory. */
MB_MUST_CHECK enum mb_status
mb_compare_chain(const struct mb_layout *layout, const void *output, uint32_t layer,
                 const void *source, const struct mb_claim *claim, const struct mb_ideal *ideal,
                 const struct mb_ideal *box, struct mb_verdict *verdict, struct mb_err *err);

/* A passing verdict in words. "exact": UNORM rounded to the nearest code everywhere (half a
 * step, and the 1e-4 that 32-bit sums of ties may leave above it); else "max 0.56 LSB", for
 * floats "max 0.56 ulp". */
void mb_verdict_describe(const struct mb_verdict *verdict, const struct mb_format *format,
                         char *out, size_t out_bytes);

/* |output - wanted| of one level as an 8-bit RGBA picture [h][w][4], scaled so that one LSB of
 * UNORM8 is 32 and alpha is opaque; `want` is rgba[h][w][4] doubles. */
void mb_error_picture(const struct mb_format *format, const void *output, const double *want,
                      struct mb_extent extent, uint8_t *rgba);

/* As `first_bad` in words: "level 3 layer 0 texel (5, 7) channel g: wanted 127.5, got 0". */
void mb_bad_texel_describe(const struct mb_bad_texel *bad, char *out, size_t out_bytes);

#endif
