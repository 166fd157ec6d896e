/* The golden model: what the right answer is, in double precision.
 *
 * A level is made from the one above it by a separable, per-axis weighting. Three policies
 * differ only in their taps (see mb_golden_taps); min and max reductions and wider filters join
 * here. */
#ifndef MB_IMAGE_GOLDEN_H
#define MB_IMAGE_GOLDEN_H

#include <stdbool.h>
#include <stdint.h>

#include "image/pyramid.h"

enum mb_policy {
    MB_POLICY_BOX,   /* exact area average; Guthe and Heckbert, "Non-Power-of-Two Mipmap
                        Creation", NVIDIA 2005 */
    MB_POLICY_FLOOR, /* texels (2x, 2x+1); the last row or column of an odd size is dropped */
    MB_POLICY_BLIT, /* a linear vkCmdBlitImage: two taps at (x + 1/2) * w / w' - 1/2, clamped */
};

const char *mb_policy_name(enum mb_policy policy);

struct mb_taps {
    uint32_t first;   /* source texel of weight[0] */
    uint32_t n_taps;  /* 1 to 3 */
    double weight[3]; /* sum 1 */
};

/* Taps along one axis of `n_source` texels for texel `x` of the next level,
 * x < max(1, n_source / 2). */
struct mb_taps mb_golden_taps(enum mb_policy policy, uint32_t n_source, uint32_t x);

/* True if two policies give the same chain for these sizes (every odd size on the way is 1). */
bool mb_policies_agree(struct mb_extent base, uint32_t n_levels);

/* One level as source: stored texels of `format`, or doubles rgba[height][width][4] where
 * format is NULL. */
struct mb_plane {
    struct mb_extent extent;
    const struct mb_format *format;
    const void *texels;
};

/* Make the next level, rows [row_begin, row_end) of it, from `source`.
 * dst: rgba[h'][w'][4] doubles of the whole next level; only those rows are written.
 * range: same shape or NULL; the spread (max - min) of the taps under each texel and channel,
 * which bounds the error of filters with quantised weights.
 * Uses no shared state, so rows can be split over threads. Fails only without memory. */
MB_MUST_CHECK enum mb_status
mb_golden_downsample(enum mb_policy policy, const struct mb_plane *source, uint32_t row_begin,
                     uint32_t row_end, double *dst, double *range, struct mb_err *err);

/* The whole next level, its rows split over the processors; otherwise as above. */
MB_MUST_CHECK enum mb_status mb_golden_level(enum mb_policy policy,
                                             const struct mb_plane *source, double *dst,
                                             double *range, struct mb_err *err);

/* An ideal chain, never rounded between levels: doubles of levels 1..n-1 of one layer. */
struct mb_ideal {
    struct mb_extent base;
    uint32_t n_levels;
    double *level[MB_MAX_LEVELS]; /* rgba[h][w][4]; level[0] is NULL; owned */
};

MB_MUST_CHECK enum mb_status mb_ideal_init(struct mb_ideal *ideal, enum mb_policy policy,
                                           const struct mb_plane *level0, uint32_t n_levels,
                                           struct mb_err *err);
void mb_ideal_finish(struct mb_ideal *ideal);

#endif
