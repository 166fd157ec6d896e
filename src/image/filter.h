/* How a level is made from the one above it: which texels weigh in (policy), how they are
 * reduced to one, and whether alpha weighs colour; and how far a change reaches. */
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

/* True for wide kernels. Their weights may be negative, and even if all sizes are even they do
 * not average areas, as the other policies do then. */
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
                               if that is 0, the average is straight. Texels stay in straight
                               form. MIN and MAX have no weights and ignore alpha */
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

/* True if averages weigh colour by alpha: `alpha` is PREMULTIPLIED and the format has an alpha
 * channel (doubles, format NULL, have one). */
bool mb_weighs_alpha(enum mb_reduce reduce, enum mb_alpha alpha,
                     const struct mb_format *format);

#define MB_MAX_TAPS 33u /* most taps of a wide kernel in the image; others have at most 3 */

struct mb_taps {
    uint32_t first;             /* source texel of weight[0] */
    uint32_t n_taps;            /* 1 to MB_MAX_TAPS */
    double weight[MB_MAX_TAPS]; /* sum 1; 0 only in wide kernels */
};

/* Taps along one axis of `n_source` texels for texel `x` of the next level,
 * x < max(1, n_source / 2). What a wide kernel weighs beyond an edge is added to the weight
 * of the edge texel. */
struct mb_taps mb_filter_taps(enum mb_policy policy, uint32_t n_source, uint32_t x);

/* Wide kernels: their taps follow a function of the distance, over more texels than the two or
 * three of a box.
 *
 * Texel x of the next level has its centre at (x + 1/2) * n / n' in the source. The weight of a
 * source texel is the kernel's value at the distance between the two centres, in texels of the
 * next level (n / n' source texels each): on odd sizes the kernel gets wider with the ratio,
 * and its phase moves from texel to texel. Weights are divided by their sum. Texels beyond an
 * edge repeat the edge texel. */

/* The most taps along an axis, including taps beyond the edges: 2 * 8 (radius) * 3 (ratio). */
#define MB_MAX_FILTER_KERNEL_TAPS 48u

/* Distance, in texels of the next level, from which a wide kernel is 0; 0 for other policies.
 */
uint32_t mb_filter_kernel_radius(enum mb_policy policy);

/* Texels [first, end) of an axis. */
struct mb_span {
    int32_t first, end;
};

/* Wide kernels: the texels of an axis of `n_source` that weigh in texel `x` of the next level,
 * including texels beyond the edges; at most MB_MAX_FILTER_KERNEL_TAPS. */
struct mb_span mb_filter_kernel_span(enum mb_policy policy, uint32_t n_source, uint32_t x);

/* The weights of the texels of mb_filter_kernel_span, sum 1; a weight may be negative or 0.
 * Returns how many there are. */
uint32_t mb_filter_kernel_weights(enum mb_policy policy, uint32_t n_source, uint32_t x,
                                  double weight[MB_MAX_FILTER_KERNEL_TAPS]);

/* A change in `rect` of a level of size `source` reaches these texels of the next level: those
 * with a tap in `rect`. Empty if there are none (a dropped row). */
struct mb_rect mb_filter_affected(enum mb_policy policy, struct mb_extent source,
                                  struct mb_rect rect);

/* The same for all levels of the layout: affected[0] is `rect`, in level 0; affected[n] are the
 * texels of level n that the change reaches. */
void mb_filter_affected_levels(enum mb_policy policy, const struct mb_layout *layout,
                               struct mb_rect rect, struct mb_rect affected[MB_MAX_LEVELS]);

/* How many levels a change reaches, level 0 included: levels before the first empty region. */
uint32_t mb_filter_n_reached(const struct mb_layout *layout,
                             const struct mb_rect affected[MB_MAX_LEVELS]);

/* Compulsory traffic of an update after a change in `rect` of level 0: `rect` read once, the
 * affected regions of levels 1.. written once, in all layers. */
uint64_t mb_filter_affected_bytes(enum mb_policy policy, const struct mb_layout *layout,
                                  struct mb_rect rect);

/* Traffic of an update if each level is made from the stored level above it, two texels per
 * axis read for each texel written (so not for wide kernels). If `rect` is the whole image, the
 * traffic of a chain. */
uint64_t mb_filter_per_level_bytes(enum mb_policy policy, const struct mb_layout *layout,
                                   struct mb_rect rect);

/* How many levels below `level` of an image with `n_levels` can be made before the source of
 * the next has an odd size above 1. */
uint32_t mb_even_levels(struct mb_extent base, uint32_t level, uint32_t n_levels);

/* True if all policies but the wide kernels give the same chain for these sizes (every odd size
 * on the way is 1). */
bool mb_policies_agree(struct mb_extent base, uint32_t n_levels);
