/* Statistics of durations: summaries of a sample, and comparisons of two. No sample is ever
 * dropped, and no distribution of samples is assumed. */
#pragma once

#include <stdbool.h>
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
    double median_ci_level; /* the interval's coverage: at least 0.95, less if n < 6 */
    double lag1;            /* autocorrelation at lag 1, in the order given */
    double bimodality;      /* Ashman's D of the best two-way split */
    bool is_bimodal; /* two modes: D above 4.5, each a tenth or more of at least 40 samples,
                        which span 4 timer steps or more. True for under 5 % of samples with
                        one hump, even if skewed or granular, and for over 95 % of samples of
                        two normals 6 sigma apart. */
};

#define MB_LEVEL 0.95 /* of all intervals, unless stated otherwise */

/* Whether the median's interval reaches MB_LEVEL; with few samples it does not. */
static inline bool mb_has_median_ci(const struct mb_stats *stats)
{
    return stats->median_ci_level >= MB_LEVEL;
}

extern const struct mb_stats mb_no_stats; /* of no samples */

/* Quantile q in [0,1] of ascending `sorted[n]`, n >= 1: linear interpolation between order
 * statistics, type 7 of Hyndman and Fan (1996). */
double mb_quantile_sorted(const double *sorted, size_t n, double q);

/* Ranks (0-based, inclusive) of the order statistics that enclose the median with probability
 * at least `level`: the narrowest symmetric binomial interval that does (David and Nagaraja,
 * Order Statistics, 7.1). With too few samples [0, n-1]. Returns the exact coverage. */
double mb_median_ci_ranks(size_t n, double level, size_t *low, size_t *high);

/* Fill `out` from `samples_ns[n]` in any order; n = 0 gives mb_no_stats. Fails only without
 * memory for a sorted copy. */
MB_MUST_CHECK enum mb_status mb_stats_compute(const double *samples_ns, size_t n,
                                              struct mb_stats *out, struct mb_err *err);

/* Ascending. */
void mb_sort(double *values, size_t n);

/* Median of `values[n]`, n >= 1, which are reordered. */
double mb_median(double *values, size_t n);

/* Autocorrelation at lag 1 of samples in time order; NaN for n < 3 or a constant sample. */
double mb_lag1(const double *samples, size_t n);

/* Ashman's D (Ashman, Bird and Zepf 1994) of ascending `sorted[n]` cut in two where the sum of
 * squares within the parts is least; `*smaller` is the share of the smaller part. NaN for
 * n < 4 or a constant sample; infinite for two exact values. */
double mb_ashman_d(const double *sorted, size_t n, double *smaller);

/* Slope of y over x by the median of all pairwise slopes (Theil 1950, Sen 1968), with the
 * median intercept; pairs of equal x are left out. At most 64 points, n >= 2. */
double mb_theil_sen(const double *x, const double *y, size_t n, double *intercept);

struct mb_bootstrap {
    uint32_t n_resamples; /* 0: 2000 */
    uint64_t seed;
    double level; /* of the interval; 0: 0.95 */
};

/* A series: the samples of one run, in time order (n >= 1). Runs: n series, or none. */
struct mb_series {
    const double *values;
    size_t n;
};
struct mb_runs {
    const struct mb_series *series;
    size_t n;
};

#define MB_FEW_SAMPLES 6 /* fewer have no 95 % interval of their median: 2 / 2^5 is 6 % */

/* Whether each of the runs has MB_FEW_SAMPLES or more. */
bool mb_runs_suffice(const struct mb_runs *runs);

struct mb_estimate {
    double figure, ci[2]; /* figure is of the data itself, ci by resampling */
    double p; /* two-sided; never below the least that samples of this size can show */
};

/* The median of the runs' medians, with its expanded percentile interval: runs are resampled
 * with replacement (if there are two or more), then values within each run by the circular
 * block bootstrap (Politis and Romano 1992): blocks of ceil(n^(1/3)) if neighbours are
 * correlated, so that the correlation survives, else single values. For logarithms of ratios,
 * `p` tests that the figure is 0. */
MB_MUST_CHECK enum mb_status mb_bootstrap_runs(const struct mb_runs *runs,
                                               const struct mb_bootstrap *how,
                                               struct mb_estimate *out, struct mb_err *err);

/* The same for the ratio of b's figure to a's. `p` tests that the ratio is 1: it is from the
 * share of resampled ratios beyond 1, or if there are none, from Student's tail of the
 * logarithms of all ratios. */
MB_MUST_CHECK enum mb_status mb_bootstrap_ratio(const struct mb_runs *a,
                                                const struct mb_runs *b,
                                                const struct mb_bootstrap *how,
                                                struct mb_estimate *out, struct mb_err *err);

/* Two-sided p of Wilcoxon's signed rank test that `differences[n]` are symmetric about 0: exact
 * up to n = 25 without ties, else normal with corrections for ties and continuity. Zeros are
 * left out (Wilcoxon 1945); 1 if nothing is left. */
MB_MUST_CHECK enum mb_status mb_wilcoxon(const double *differences, size_t n, double *p,
                                         struct mb_err *err);

/* Holm's step-down adjustment (1979) of `p[n]`, in place; NaN stays and does not count. */
MB_MUST_CHECK enum mb_status mb_holm(double *p, size_t n, struct mb_err *err);

#define MB_SIGNIFICANT 0.05 /* an adjusted p below this is a difference */

/* The verdict on a ratio of times. */
enum mb_outcome {
    MB_OUTCOME_SAME,         /* the interval lies within the threshold */
    MB_OUTCOME_FASTER,       /* the interval lies below the margin, and p < MB_SIGNIFICANT */
    MB_OUTCOME_SLOWER,       /* the interval lies above the margin, and p < MB_SIGNIFICANT */
    MB_OUTCOME_INCONCLUSIVE, /* none of these, or no figures */
};

/* The verdict. Ratios within `threshold` count as no difference, and a difference must lie
 * outside `margin`, which is wider on a noisy device; each m >= 0 means 1/(1 + m) to 1 + m. */
enum mb_outcome mb_outcome(const double ratio_ci[2], double p_adjusted, double threshold,
                           double margin);
extern const char *const mb_outcome_names[]; /* "SAME", ... */
