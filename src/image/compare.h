/* Judging an output chain: step error (pass or fail) and drift (reported).
 *
 * Step error: a strategy states at which levels it re-reads stored texels. At each such level
 * the reference restarts from the output's own stored texels; up to the next such level it
 * carries doubles. Drift: the distance to the chain that is never rounded.
 *
 * For floats, the step error is in ulp of each value. Drift and distance to box are in ulp of
 * the channel's largest finite magnitude in the unrounded level and the one above it: if a
 * minimum is 0 or the terms of a mean cancel, the ulp of the value itself measures nothing.
 * Both are infinite if only one of the two values is NaN or infinite. */
#pragma once

#include "base/text.h"
#include "image/tolerance.h"

struct mb_level_verdict {
    struct mb_extent extent;
    double max_error_lsb; /* step error */
    double drift_lsb;     /* max distance to the policy's unrounded chain */
    double psnr_db;       /* of the level against the unrounded chain, the least of all layers;
                             infinite if equal. Peak: 1 for UNORM and sRGB (codes are compared),
                             for floats the largest magnitude of the unrounded level */
    double box_lsb; /* max distance to the unrounded box chain: quality, not correctness */
    uint64_t n_bad_texels;
};

struct mb_bad_texel {
    bool found;
    uint32_t level, layer, x, y, channel;
    double want, got; /* as decoded values; UNORM and sRGB as codes */
    double error_lsb, bound_lsb;
};

struct mb_verdict {
    bool pass;
    uint32_t n_levels;
    struct mb_level_verdict level[MB_MAX_LEVELS]; /* [0]: level 0 unchanged */
    struct mb_bad_texel first_bad;                /* in order of level, layer, y, x, channel */
    double max_error_lsb, drift_lsb, box_lsb;     /* over all levels */
    double claimed_lsb; /* the bound that the strategy claims; 0: the bound is computed */
};

/* One layer of an output, and the chains and the tolerance that judge it. */
struct mb_judged_chain {
    const struct mb_layout *layout;
    const void *output; /* a packed block */
    uint32_t layer;     /* of `output` */
    const void *source; /* level 0 of the layer, as uploaded */
    const struct mb_tolerance *tolerance;
    const struct mb_ideal *ideal; /* of `source`: the unrounded chain of tolerance->filter */
    const struct mb_ideal *box;   /* as `ideal`, but of MB_POLICY_BOX; may equal `ideal` */
};

/* Judge one layer: its level 0 must equal the source bit for bit. Under a wide kernel all
 * chains are clamped to the range of the format (mb_format_hold). Layers add up: zero *verdict
 * before the first, pass layer 0, 1, ... in turn. NaN in the output is bad unless the reference
 * has it. Fails only if out of memory. */
MB_MUST_CHECK enum mb_status mb_compare_chain(const struct mb_judged_chain *chain,
                                              struct mb_verdict *verdict, struct mb_err *err);

/* Find the first texel outside `ignored`, in order of y and x, whose bytes differ between two
 * stored levels; if `allowed_lsb` is above 0, some channel must differ by more than that. Sets
 * found, x, y, channel, want and got of `*bad`; if no texel differs, `*bad` is unchanged. */
void mb_find_difference(const struct mb_plane *want, const void *got, struct mb_rect ignored,
                        double allowed_lsb, struct mb_bad_texel *bad);

/* "37.2 LSB", for floats "37.2 ulp"; LSB if `format` is NULL. */
struct mb_text mb_error_text(double error_lsb, const struct mb_format *format);

/* A passing verdict in words: "max 0.56 LSB", for floats "max 0.56 ulp"; if the strategy claims
 * a bound, "max 0.56 ulp of 2 claimed". */
struct mb_text mb_verdict_describe(const struct mb_verdict *verdict,
                                   const struct mb_format *format);

/* "level 3 layer 1 (5, 7) g: 0, not 127.5"; layer 0 is not named. */
struct mb_text mb_bad_texel_describe(const struct mb_bad_texel *bad,
                                     const struct mb_format *format);

/* A failing verdict: the first bad texel, and "; 35 texels wrong, worst 128 LSB, allowed 0.6",
 * where 0.6 is the bound of that texel. */
struct mb_text mb_failure_describe(const struct mb_verdict *verdict,
                                   const struct mb_format *format);
