/* What one level is of the one above it: which texels weigh in (policy), how they are joined
 * (reduction), and what alpha has to do with it. */
#ifndef MB_IMAGE_FILTER_H
#define MB_IMAGE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "image/policy.h"
#include "image/pyramid.h"

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
const char *mb_reduce_name(enum mb_reduce reduce);
const char *mb_alpha_name(enum mb_alpha alpha);

/* True if averages of a format weigh colour by alpha: PREMULTIPLIED, and there is an alpha. */
bool mb_weighs_alpha(enum mb_reduce reduce, enum mb_alpha alpha,
                     const struct mb_format *format);

#define MB_MAX_TAPS 33u /* within the image; of wide kernels. Others have at most 3 */

struct mb_taps {
    uint32_t first;             /* source texel of weight[0] */
    uint32_t n_taps;            /* 1 to MB_MAX_TAPS */
    double weight[MB_MAX_TAPS]; /* sum 1; none 0 but of wide kernels */
};

/* Taps along one axis of `n_source` texels for texel `x` of the next level,
 * x < max(1, n_source / 2). What a wide kernel has beyond an edge is added to the edge texel.
 */
struct mb_taps mb_filter_taps(enum mb_policy policy, uint32_t n_source, uint32_t x);

/* The texels of the next level that have a tap within `rect` of a level of size `source`; empty
 * if none has (a dropped row). A change in `rect` reaches these and no others. */
struct mb_rect mb_filter_affected(enum mb_policy policy, struct mb_extent source,
                                  struct mb_rect rect);

/* The same level by level: affected[0] is `rect` of level 0, affected[n] what it reaches of
 * level n, for all levels of the layout. */
void mb_filter_affected_levels(enum mb_policy policy, const struct mb_layout *layout,
                               struct mb_rect rect, struct mb_rect affected[MB_MAX_LEVELS]);

/* The same of several rectangles: affected[n][i] is what `rects[i]` reaches of level n. */
void mb_filter_affected_of(enum mb_policy policy, const struct mb_layout *layout,
                           const struct mb_rect *rects, size_t n_rects,
                           struct mb_rect affected[MB_MAX_LEVELS][MB_MAX_RECTS]);

/* How many levels such a change reaches, level 0 included: those before the first empty region.
 */
uint32_t mb_filter_n_reached(const struct mb_layout *layout,
                             const struct mb_rect affected[MB_MAX_LEVELS]);

/* Compulsory traffic of an update after changes in up to MB_MAX_RECTS rectangles of level 0:
 * what they cover read once, the affected regions of levels 1.. written once, in all layers. A
 * texel that lies in several counts once. */
uint64_t mb_filter_affected_bytes(enum mb_policy policy, const struct mb_layout *layout,
                                  const struct mb_rect *rects, size_t n_rects);

/* Traffic of an update of one rectangle if each level is made from the one above it as stored:
 * two texels per axis read for one written, so not of wide kernels. With the whole image as
 * rectangle, that of a chain. */
uint64_t mb_filter_per_level_bytes(enum mb_policy policy, const struct mb_layout *layout,
                                   struct mb_rect rect);

/* True if all policies but the wide kernels give the same chain for these sizes (every odd size
 * on the way is 1). */
bool mb_policies_agree(struct mb_extent base, uint32_t n_levels);

#endif
