/* Order statistics of durations: quantiles, and the median with an interval that assumes no
 * distribution. */
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define MEDIAN_CI_LEVEL 0.95

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double mb_quantile_sorted(const double *sorted, size_t n, double q)
{
    const double position = q * (double)(n - 1);
    const size_t below = (size_t)position;
    if (below + 1 >= n) {
        return sorted[n - 1];
    }
    const double fraction = position - (double)below;
    return sorted[below] + fraction * (sorted[below + 1] - sorted[below]);
}

/* P(B = k) for B ~ Binomial(n, 1/2). By logarithms: 2^-n underflows from n = 1075 on. */
static double binomial_half_pmf(size_t n, size_t k)
{
    int sign; /* lgamma_r, since lgamma writes a global */
    const double log_choose = lgamma_r((double)n + 1, &sign) - lgamma_r((double)k + 1, &sign) -
                              lgamma_r((double)(n - k) + 1, &sign);
    return exp(log_choose - (double)n * log(2.0));
}

/* The median lies within [X_(k), X_(n-1-k)] (0-based) unless at most k samples fall on one side
 * of it: coverage 1 - 2 P(B <= k), B ~ Binomial(n, 1/2). Take the largest k that keeps the
 * level. */
double mb_median_ci_ranks(size_t n, double level, size_t *low, size_t *high)
{
    *low = 0;
    *high = n == 0 ? 0 : n - 1;
    if (n < 2) {
        return 0;
    }
    double tail = binomial_half_pmf(n, 0);
    double coverage = 1 - 2 * tail;
    for (size_t k = 1; k < n - k; k++) {
        tail += binomial_half_pmf(n, k);
        if (1 - 2 * tail < level) {
            break;
        }
        coverage = 1 - 2 * tail;
        *low = k;
        *high = n - 1 - k;
    }
    return coverage;
}

static double mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
    }
    return sum / (double)n;
}

static void fill_from_sorted(const double *sorted, struct mb_stats *out)
{
    const size_t n = out->n;
    size_t low, high;
    out->median_ci_level = mb_median_ci_ranks(n, MEDIAN_CI_LEVEL, &low, &high);
    out->median_ci_ns[0] = sorted[low];
    out->median_ci_ns[1] = sorted[high];
    out->min_ns = sorted[0];
    out->p05_ns = mb_quantile_sorted(sorted, n, 0.05);
    out->p25_ns = mb_quantile_sorted(sorted, n, 0.25);
    out->median_ns = mb_quantile_sorted(sorted, n, 0.5);
    out->p75_ns = mb_quantile_sorted(sorted, n, 0.75);
    out->p95_ns = mb_quantile_sorted(sorted, n, 0.95);
    out->max_ns = sorted[n - 1];
    out->mean_ns = mean(sorted, n);
}

/* Overwrites `values`. */
static double median_absolute_deviation(double *values, size_t n, double median)
{
    for (size_t i = 0; i < n; i++) {
        values[i] = fabs(values[i] - median);
    }
    qsort(values, n, sizeof *values, compare_doubles);
    return mb_quantile_sorted(values, n, 0.5);
}

enum mb_status mb_stats_compute(const double *samples_ns, size_t n, struct mb_stats *out,
                                struct mb_err *err)
{
    *out = (struct mb_stats){
        .n = n,
        .min_ns = NAN,
        .p05_ns = NAN,
        .p25_ns = NAN,
        .median_ns = NAN,
        .p75_ns = NAN,
        .p95_ns = NAN,
        .max_ns = NAN,
        .mean_ns = NAN,
        .mad_ns = NAN,
        .median_ci_ns = {NAN, NAN},
        .median_ci_level = NAN,
    };
    if (n == 0) {
        return MB_OK;
    }
    double *sorted = mb_alloc(n, sizeof *sorted);
    if (sorted == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "statistics: out of memory for %zu samples", n);
    }
    memcpy(sorted, samples_ns, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    fill_from_sorted(sorted, out);
    out->mad_ns = median_absolute_deviation(sorted, n, out->median_ns);
    mb_free(sorted);
    return MB_OK;
}
