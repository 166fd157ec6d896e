/* Wide kernels: policies whose taps follow a function of the distance, over more texels than
 * the two or three of a box.
 *
 * Texel x of the next level has its centre at (x + 1/2) * n / n' in the source. A source texel
 * weighs what the kernel is at the distance of its own centre, in units of n / n', texels of
 * the next level: on odd sizes the kernel gets wider with the ratio, and its phase moves from
 * texel to texel. Weights are divided by their sum. Texels beyond an edge are the edge texel
 * again. */
#ifndef MB_IMAGE_FILTER_KERNEL_H
#define MB_IMAGE_FILTER_KERNEL_H

#include <stdint.h>

#include "image/policy.h"

/* Most taps along an axis, those beyond the edges included: 3 texels of the source make one. */
#define MB_MAX_FILTER_KERNEL_TAPS 48u

/* Distance, in texels of the next level, from which a wide kernel is 0; 0 for other policies.
 */
uint32_t mb_filter_kernel_radius(enum mb_policy policy);

/* The texels [*first, *first + n) of an axis of `n_source` that weigh in texel `x` of the next
 * level, with those beyond the edges; returns n, at most MB_MAX_FILTER_KERNEL_TAPS. Of wide
 * kernels.
 */
uint32_t mb_filter_kernel_span(enum mb_policy policy, uint32_t n_source, uint32_t x,
                               int32_t *first);

/* Their weights: `n` of them, sum 1. A weight may be negative, and 0 where a kernel that has
 * zeros meets one. Returns n. */
uint32_t mb_filter_kernel_weights(enum mb_policy policy, uint32_t n_source, uint32_t x,
                                  double weight[MB_MAX_FILTER_KERNEL_TAPS]);

#endif
