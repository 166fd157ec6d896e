/* The reference: the exact result, computed in double precision.
 *
 * A level is made from the one above it by a separable filter (image/filter.h): along x, then
 * along y. */
#pragma once

#include "image/filter.h"

/* One level as source: stored texels of `format`; if `format` is NULL, linear doubles
 * rgba[height][width][4]. */
struct mb_plane {
    struct mb_extent extent;
    const struct mb_format *format;
    const void *texels;
};

/* Make the level below `source` at `dst`: linear rgba[h'][w'][4], its rows split over the
 * processors. MIN and MAX leave NaN out, as GLSL's may; with wide kernels MAX serves doubts
 * only. `range`, of the same shape or NULL, gets the spread (max - min) of the taps of each
 * texel and channel, which bounds the error of filters with quantised weights. Under
 * MB_POLICY_BLIT the spread includes the texels on both sides of a single tap: a device that
 * quantises the position may give them weight. Fails only if out of memory. */
MB_MUST_CHECK enum mb_status mb_golden_level(const struct mb_filter *filter,
                                             const struct mb_plane *source, double *dst,
                                             double *range, struct mb_err *err);

/* An ideal chain, never rounded between levels: doubles of levels 1..n-1 of one layer. */
struct mb_ideal {
    uint32_t n_levels;
    double *level[MB_MAX_LEVELS]; /* linear rgba[h][w][4]; level[0] is NULL; owned */
};

MB_MUST_CHECK enum mb_status mb_ideal_init(struct mb_ideal *ideal,
                                           const struct mb_filter *filter,
                                           const struct mb_plane *level0, uint32_t n_levels,
                                           struct mb_err *err);
void mb_ideal_finish(struct mb_ideal *ideal);
