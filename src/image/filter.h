/* How a level is made from the one above it: which texels weigh in (policy), how they are
 * joined (reduction), and what alpha has to do with it; and how far a change reaches. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "image/pyramid.h"

/* Which texels of the level above weigh in a texel, and by how much. */
enum mb_policy {
    MB_POLICY_BOX,   /* exact area average; Guthe and Heckbert, "Non-Power-of-Two Mipmap
                        Creation", NVIDIA 2005 */
    MB_POLICY_FLOOR, /* texels (2x, 2x+1); the last row or column of an odd size is dropped */
    MB_POLICY_BLIT, /* a linear vkCmdBlitImage: two taps at (x + 1/2) * w / w' - 1/2, clamped */
    /* Wide kernels, radii in texels of the next level. Averages only. */
    MB_POLICY_KAISER,     /* sinc, windowed: radius 3, alpha 4 */
    MB_POLICY_LANCZOS,    /* sinc, windowed by its own main lobe: radius 3 */
    MB_POLICY_GAUSSIAN,   /* standard deviation 1/2, radius 2 */
    MB_POLICY_GAUSSIAN16, /* standard deviation 2, radius 8: 16 texels of the source */
};
#define MB_N_POLICIES 7u

/* True for wide kernels: unlike the other policies, they do not average areas even if all sizes
 * are even, and their weights may be negative. */
bool mb_policy_is_wide(enum mb_policy policy);

enum mb_reduce {
    MB_REDUCE_AVG,
    MB_REDUCE_MIN, /* per channel, over every texel of non-zero weight: three on odd axes under
                      MB_POLICY_BOX, so that a depth pyramid stays conservative */
    MB_REDUCE_MAX,
};
#define MB_N_REDUCES 3u

enum mb_alpha {
    MB_ALPHA_STRAIGHT,      /* a channel like any other */
    MB_ALPHA_PREMULTIPLIED, /* averages weigh colour by alpha and divide by the averaged alpha;
                               where that is 0, the straight average. Texels stay in straight
                               form. MIN and MAX have no weights, and so no use for it */
};
#define MB_N_ALPHAS 2u

/* Zero is the default: box, average, straight. */
struct mb_filter {
    enum mb_policy policy;
    enum mb_reduce reduce;
    enum mb_alpha alpha;
};

/* As on the command line and in the JSON: "box", "avg", "straight". */
extern const char *const mb_policy_names[];
extern const char *const mb_reduce_names[];
extern const char *const mb_alpha_names[];

/* True if averages of a format weigh colour by alpha: PREMULTIPLIED, and there is an alpha, as
 * in doubles (NULL). */
bool mb_weighs_alpha(enum mb_reduce reduce, enum mb_alpha alpha,
                     const struct mb_format *format);

#define MB_MAX_TAPS 33u /* within the image; of wide kernels. Others have at most 3 */

struct mb_taps {
    uint32_t first;             /* source texel of weight[0] */
    uint32_t n_taps;            /* 1 to MB_MAX_TAPS */
    double weight[MB_MAX_TAPS]; /* sum 1; none 0 but of wide kernels */
};

/* Taps along one axis of `n_source` texels for texel `x` of the next level,
 * x < max(1, n_source / 2). What a wide kernel takes from beyond an edge is added to the edge
 * texel.
 */
struct mb_taps mb_filter_taps(enum mb_policy policy, uint32_t n_source, uint32_t x);

/* Wide kernels: their taps follow a function of the distance, over more texels than the two or
 * three of a box.
 *
 * Texel x of the next level has its centre at (x + 1/2) * n / n' in the source. A source texel
 * weighs what the kernel is at the distance of its own centre, in units of n / n', texels of
 * the next level: on odd sizes the kernel gets wider with the ratio, and its phase moves from
 * texel to texel. Weights are divided by their sum. Texels beyond an edge are the edge texel
 * again. */

/* Most taps along an axis, those beyond the edges included: 3 texels of the source make one. */
#define MB_MAX_FILTER_KERNEL_TAPS 48u

/* Distance, in texels of the next level, from which a wide kernel is 0; 0 for other policies.
 */
uint32_t mb_filter_kernel_radius(enum mb_policy policy);

/* Texels [first, end) of an axis. */
struct mb_span {
    int32_t first, end;
};

/* The texels of an axis of `n_source` that weigh in texel `x` of the next level, with those
 * beyond the edges, at most MB_MAX_FILTER_KERNEL_TAPS. Of wide kernels. */
struct mb_span mb_filter_kernel_span(enum mb_policy policy, uint32_t n_source, uint32_t x);

/* Their weights: `n` of them, sum 1. A weight may be negative, and 0 where a kernel that has
 * zeros meets one. Returns n. */
uint32_t mb_filter_kernel_weights(enum mb_policy policy, uint32_t n_source, uint32_t x,
                                  double weight[MB_MAX_FILTER_KERNEL_TAPS]);

/* The texels of the next level with a tap in `rect` of a level of size `source`, which are
 * those that a change in `rect` reaches; empty if there are none (a dropped row). */
struct mb_rect mb_filter_affected(enum mb_policy policy, struct mb_extent source,
                                  struct mb_rect rect);

/* The same level by level: affected[0] is `rect` of level 0, affected[n] what it reaches of
 * level n, for all levels of the layout. */
void mb_filter_affected_levels(enum mb_policy policy, const struct mb_layout *layout,
                               struct mb_rect rect, struct mb_rect affected[MB_MAX_LEVELS]);

/* How many levels such a change reaches, level 0 included: those before the first empty region.
 */
uint32_t mb_filter_n_reached(const struct mb_layout *layout,
                             const struct mb_rect affected[MB_MAX_LEVELS]);

/* Compulsory traffic of an update after a change in `rect` of level 0: that read once, the
 * affected regions of levels 1.. written once, in all layers. */
uint64_t mb_filter_affected_bytes(enum mb_policy policy, const struct mb_layout *layout,
                                  struct mb_rect rect);

/* Traffic of an update if each level is made from the one above it as stored:
 * two texels per axis read for one written, so not of wide kernels. With the whole image as
 * rectangle, that of a chain. */
uint64_t mb_filter_per_level_bytes(enum mb_policy policy, const struct mb_layout *layout,
                                   struct mb_rect rect);

/* True if all policies but the wide kernels give the same chain for these sizes (every odd size
 * on the way is 1). */
bool mb_policies_agree(struct mb_extent base, uint32_t n_levels);
