/* Order statistics of durations: quantiles, and the median with an interval that assumes no
 * distribution. */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define BIMODAL_D        4.5
#define BIMODAL_SHARE    0.1
#define BIMODAL_LEAST_N  40
#define BIMODAL_GRANULES 4.0

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
    const double log_choose =
        lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
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

void mb_sort(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_doubles);
}

double mb_median(double *values, size_t n)
{
    mb_sort(values, n);
    return mb_quantile_sorted(values, n, 0.5);
}

static double mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
    }
    return sum / (double)n;
}

double mb_lag1(const double *samples, size_t n)
{
    double variance = 0.0, covariance = 0.0;
    if (n < 3) {
        return (double)NAN;
    }
    const double middle = mean(samples, n);
    for (size_t i = 0; i < n; i++) {
        const double off = samples[i] - middle;
        variance += off * off;
        covariance += i > 0 ? off * (samples[i - 1] - middle) : 0.0;
    }
    return variance > 0.0 ? covariance / variance : (double)NAN;
}

/* Sum of squares about the mean of n values, from their sum and their sum of squares. */
static double scatter(double sum, double squares, size_t n)
{
    return fmax(squares - sum * sum / (double)n, 0.0);
}

double mb_ashman_d(const double *sorted, size_t n, double *smaller)
{
    double total = 0.0, total_squares = 0.0, sum = 0.0, squares = 0.0;
    double least = INFINITY, d = (double)NAN;
    *smaller = (double)NAN;
    if (n < 4 || sorted[n - 1] <= sorted[0]) {
        return d;
    }
    const double origin = sorted[0]; /* subtracted to keep squares small */
    for (size_t i = 0; i < n; i++) {
        total += sorted[i] - origin;
        total_squares += (sorted[i] - origin) * (sorted[i] - origin);
    }
    for (size_t cut = 1; cut < n; cut++) {
        const size_t rest = n - cut;
        sum += sorted[cut - 1] - origin;
        squares += (sorted[cut - 1] - origin) * (sorted[cut - 1] - origin);
        const double low = scatter(sum, squares, cut);
        const double high = scatter(total - sum, total_squares - squares, rest);
        if (low + high < least) {
            const double apart = (total - sum) / (double)rest - sum / (double)cut;
            least = low + high;
            d = apart * sqrt(2.0 / (low / (double)cut + high / (double)rest));
            *smaller = (double)(cut < rest ? cut : rest) / (double)n;
        }
    }
    return d;
}

double mb_theil_sen(const double *x, const double *y, size_t n, double *intercept)
{
    enum { MAX_POINTS = 64 };
    double slopes[MAX_POINTS * (MAX_POINTS - 1) / 2], offsets[MAX_POINTS];
    size_t n_slopes = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            if (x[i] < x[k] || x[i] > x[k]) {
                slopes[n_slopes++] = (y[k] - y[i]) / (x[k] - x[i]);
            }
        }
    }
    if (n_slopes == 0) {
        *intercept = (double)NAN;
        return (double)NAN;
    }
    const double slope = mb_median(slopes, n_slopes);
    for (size_t i = 0; i < n; i++) {
        offsets[i] = y[i] - slope * x[i];
    }
    *intercept = mb_median(offsets, n);
    return slope;
}

static void fill_from_sorted(const double *sorted, struct mb_stats *out)
{
    const size_t n = out->n;
    size_t low, high;
    out->median_ci_level = mb_median_ci_ranks(n, MB_LEVEL, &low, &high);
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

/* The least non-zero difference of neighbouring values: the timer's step, or more. */
static double least_step(const double *sorted, size_t n)
{
    double least = INFINITY;
    for (size_t i = 1; i < n; i++) {
        if (sorted[i] > sorted[i - 1]) {
            least = fmin(least, sorted[i] - sorted[i - 1]);
        }
    }
    return least;
}

/* Note whether there are two modes. Modes must be several timer steps apart: values at two
 * neighbouring steps are one mode. */
static void note_modes(const double *sorted, struct mb_stats *out)
{
    double smaller;
    const size_t n = out->n;
    out->bimodality = mb_ashman_d(sorted, n, &smaller);
    const bool is_apart = sorted[n - 1] - sorted[0] >= BIMODAL_GRANULES * least_step(sorted, n);
    out->is_bimodal = n >= BIMODAL_LEAST_N && out->bimodality > BIMODAL_D &&
                      smaller >= BIMODAL_SHARE && is_apart;
}

/* Overwrites `values`. */
static double median_absolute_deviation(double *values, size_t n, double median)
{
    for (size_t i = 0; i < n; i++) {
        values[i] = fabs(values[i] - median);
    }
    return mb_median(values, n);
}

const struct mb_stats mb_no_stats = {
    .min_ns = (double)NAN,
    .p05_ns = (double)NAN,
    .p25_ns = (double)NAN,
    .median_ns = (double)NAN,
    .p75_ns = (double)NAN,
    .p95_ns = (double)NAN,
    .max_ns = (double)NAN,
    .mean_ns = (double)NAN,
    .mad_ns = (double)NAN,
    .median_ci_ns = {(double)NAN, (double)NAN},
    .median_ci_level = (double)NAN,
    .lag1 = (double)NAN,
    .bimodality = (double)NAN,
};

enum mb_status mb_stats_compute(const double *samples_ns, size_t n, struct mb_stats *out,
                                struct mb_err *err)
{
    *out = mb_no_stats;
    if (n == 0) {
        return MB_OK;
    }
    MB_FREED double *sorted = mb_alloc(n, sizeof *sorted);
    MB_DO(MB_NEED(sorted, "statistics"));
    memcpy(sorted, samples_ns, n * sizeof *sorted);
    mb_sort(sorted, n);
    out->n = n;
    fill_from_sorted(sorted, out);
    out->lag1 = mb_lag1(samples_ns, n);
    note_modes(sorted, out);
    out->mad_ns = median_absolute_deviation(sorted, n, out->median_ns);
    return MB_OK;
}
