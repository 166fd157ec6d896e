/* Statistics of a sample of durations. No sample is ever dropped. */
#ifndef MB_BASE_STATS_H
#define MB_BASE_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* All in the unit of the samples (nanoseconds). Undefined figures are NaN. */
struct mb_stats {
    size_t n;
    double min_ns, p05_ns, p25_ns, median_ns, p75_ns, p95_ns, max_ns;
    double mean_ns;
    double mad_ns;          /* median absolute deviation from the median, unscaled */
    double median_ci_ns[2]; /* distribution-free interval of the median, order statistics */
    double median_ci_level; /* its coverage: >= 0.95, or what n allows (n < 6) */
};

/* Quantile q in [0,1] of ascending `sorted[n]`, n >= 1: linear interpolation between order
 * statistics, type 7 of Hyndman and Fan (1996). */
double mb_quantile_sorted(const double *sorted, size_t n, double q);

/* Ranks (0-based, inclusive) of the order statistics that enclose the median with probability
 * at least `level`: the widest symmetric binomial interval (David and Nagaraja, Order
 * Statistics, 7.1). With too few samples [0, n-1]. Returns the exact coverage. */
double mb_median_ci_ranks(size_t n, double level, size_t *low, size_t *high);

/* Fill `out` from `samples_ns[n]` in any order; n = 0 gives NaN everywhere. Fails only without
 * memory for a sorted copy. */
MB_MUST_CHECK enum mb_status mb_stats_compute(const double *samples_ns, size_t n,
                                              struct mb_stats *out, struct mb_err *err);

#endif
