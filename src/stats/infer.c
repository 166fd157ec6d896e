/* Comparison of two samples: bootstrap intervals, signed ranks, many tests at once. */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"

#define N_RESAMPLES    2000u
#define EXACT_WILCOXON 25u

/* A series prepared for resampling: it has the rank of each value, so that the median of a
 * resample is found by counting, not by sorting. */
struct ranked {
    double *sorted;
    uint32_t *rank;  /* of each value, in time order */
    uint32_t *count; /* scratch: how often each rank was drawn */
    size_t n;
    size_t block; /* length of a bootstrap block */
};

struct indexed {
    double value;
    uint32_t index;
};

static int compare_indexed(const void *a, const void *b)
{
    const struct indexed *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* The length of bootstrap blocks: 1 unless neighbours are correlated more than in 95 % of
 * independent series. */
static size_t block_length(const double *values, size_t n)
{
    return mb_lag1(values, n) > 1.645 / sqrt((double)n) ? (size_t)ceil(cbrt((double)n)) : 1;
}

static enum mb_status ranked_init(struct ranked *ranked, const double *values, size_t n,
                                  struct mb_err *err)
{
    MB_FREED struct indexed *order = mb_alloc(n, sizeof *order);
    *ranked = (struct ranked){
        .sorted = mb_alloc(n, sizeof *ranked->sorted),
        .rank = mb_alloc(n, sizeof *ranked->rank),
        .count = mb_alloc(n, sizeof *ranked->count),
        .n = n,
        .block = block_length(values, n),
    };
    MB_DO(MB_NEED(order && ranked->sorted && ranked->rank && ranked->count, "bootstrap"));
    for (size_t i = 0; i < n; i++) {
        order[i] = (struct indexed){values[i], (uint32_t)i};
    }
    qsort(order, n, sizeof *order, compare_indexed);
    for (size_t i = 0; i < n; i++) {
        ranked->sorted[i] = order[i].value;
        ranked->rank[order[i].index] = (uint32_t)i;
    }
    return MB_OK;
}

/* Median of a resample; `count` says how often it has drawn each rank. */
static double counted_median(const struct ranked *ranked)
{
    const size_t n = ranked->n;
    size_t low = 0, n_seen = ranked->count[0];
    while (n_seen < (n + 1) / 2) {
        n_seen += ranked->count[++low];
    }
    size_t high = low;
    while (n_seen < n / 2 + 1) {
        n_seen += ranked->count[++high];
    }
    return 0.5 * (ranked->sorted[low] + ranked->sorted[high]);
}

/* Median of one resample: blocks that begin anywhere, going round at the end of the series
 * (Politis and Romano 1992), so that no value is drawn less often than others. */
static double resampled_median(const struct ranked *ranked, struct mb_rng *rng)
{
    const size_t n = ranked->n;
    memset(ranked->count, 0, n * sizeof *ranked->count);
    for (size_t drawn = 0; drawn < n;) {
        size_t at = mb_rng_below(rng, (uint32_t)n);
        for (size_t i = 0; i < ranked->block && drawn < n; i++, drawn++) {
            ranked->count[ranked->rank[at]]++;
            at = at + 1 < n ? at + 1 : 0;
        }
    }
    return counted_median(ranked);
}

/* z with P(Z > z) = tail for a standard normal Z, by bisection. */
static double normal_quantile(double tail)
{
    double low = 0.0, high = 40.0;
    for (int i = 0; i < 60; i++) {
        double z = 0.5 * (low + high);
        if (0.5 * erfc(z / sqrt(2.0)) > tail) {
            low = z;
        } else {
            high = z;
        }
    }
    return low;
}

/* The share that a percentile interval cuts off at each end. With few blocks plain percentiles
 * give too narrow an interval, as if sigma were known, so they are moved outwards by Student's
 * t (Hesterberg 2015, "expanded percentile"), expanded as by Cornish and Fisher. */
static double expanded_tail(double level, double n_blocks)
{
    const double freedom = fmax(n_blocks - 1.0, 3.0);
    const double z = normal_quantile(0.5 * (1.0 - level));
    const double t =
        z + (z * z * z + z) / (4.0 * freedom) +
        (5.0 * pow(z, 5.0) + 16.0 * z * z * z + 3.0 * z) / (96.0 * freedom * freedom);
    return 0.5 * erfc(t * sqrt((freedom + 1.0) / freedom) / sqrt(2.0));
}

/* Percentiles of the resampled figures; sorts `figures`. */
static void percentile_interval(double *figures, size_t n, double level, double n_blocks,
                                double ci[2])
{
    const double tail = expanded_tail(level, n_blocks);
    mb_sort(figures, n);
    ci[0] = mb_quantile_sorted(figures, n, tail);
    ci[1] = mb_quantile_sorted(figures, n, 1.0 - tail);
}

/* One side of a comparison: its runs, ranked. */
struct side {
    struct ranked *runs;
    double *medians; /* scratch, one per run */
    size_t n;
    double n_samples, n_blocks; /* totals of all runs; a block is drawn as a whole */
};

static void side_finish(struct side *side)
{
    for (size_t i = 0; side->runs && i < side->n; i++) {
        mb_free(side->runs[i].sorted);
        mb_free(side->runs[i].rank);
        mb_free(side->runs[i].count);
    }
    mb_free(side->runs);
    mb_free(side->medians);
}

static enum mb_status side_init(struct side *side, const struct mb_runs *runs,
                                struct mb_err *err)
{
    *side = (struct side){
        .runs = mb_alloc(runs->n, sizeof *side->runs),
        .medians = mb_alloc(runs->n, sizeof *side->medians),
        .n = runs->n,
    };
    MB_DO(MB_NEED(side->runs && side->medians, "bootstrap"));
    for (size_t i = 0; i < runs->n; i++) {
        struct ranked *run = &side->runs[i];
        MB_DO(ranked_init(run, runs->series[i].values, runs->series[i].n, err));
        side->n_samples += (double)run->n;
        side->n_blocks += (double)run->n / (double)run->block;
    }
    return MB_OK;
}

static double side_median(struct side *side)
{
    for (size_t i = 0; i < side->n; i++) {
        const struct ranked *run = &side->runs[i];
        side->medians[i] = mb_quantile_sorted(run->sorted, run->n, 0.5);
    }
    return mb_median(side->medians, side->n);
}

static double side_resample(struct side *side, struct mb_rng *rng)
{
    for (size_t i = 0; i < side->n; i++) {
        size_t run = side->n > 1 ? mb_rng_below(rng, (uint32_t)side->n) : 0;
        side->medians[i] = resampled_median(&side->runs[run], rng);
    }
    return mb_median(side->medians, side->n);
}

/* For one side, its median; for two, the logarithm of the ratio of the second side's median to
 * the first's. If `rng` is given, medians are of a resample, else of the samples. */
static double log_figure(struct side *sides, size_t n, struct mb_rng *rng)
{
    double medians[2];
    for (size_t i = 0; i < n; i++) {
        medians[i] = rng ? side_resample(&sides[i], rng) : side_median(&sides[i]);
    }
    return n == 1 ? medians[0] : log(medians[1]) - log(medians[0]);
}

/* Two-sided p that the mean of log ratios is 0, from their spread: Student's tail, approximated
 * by the normal tail (Wallace 1959). */
static double tail_p(const double *logs, size_t n, double n_blocks)
{
    const double freedom = fmax(n_blocks - 1.0, 3.0);
    double mean = 0.0, variance = 0.0;
    for (size_t i = 0; i < n; i++) {
        mean += logs[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        const double off = logs[i] - mean;
        variance += off * off / (double)n;
    }
    const double z = (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0) *
                     sqrt(freedom * log1p(mean * mean / variance / freedom));
    return isnan(z) ? 1.0 : erfc(z / sqrt(2.0));
}

/* Twice the smaller of the shares of log ratios below and above 0; zeros count half to each. */
static double two_sided_p(const double *logs, size_t n, double n_blocks)
{
    double below = 0.0, above = 0.0;
    for (size_t i = 0; i < n; i++) {
        below += logs[i] < 0.0 ? 1.0 : logs[i] > 0.0 ? 0.0 : 0.5;
        above += logs[i] > 0.0 ? 1.0 : logs[i] < 0.0 ? 0.0 : 0.5;
    }
    const double fewer = fmin(below, above);
    const double counted = fmin(1.0, 2.0 * (fewer + 0.5) / (double)(n + 1));
    /* n resamples cannot show a p below 1 / n, but many tests at once need smaller ones. */
    return fewer > 0.0 ? counted : fmin(counted, tail_p(logs, n, n_blocks));
}

/* The least two-sided p that n_a and n_b samples can show: the chance that all samples of one
 * side are below all of the other. */
static double least_p(double n_a, double n_b)
{
    return fmin(1.0,
                2.0 * exp(lgamma(n_a + 1.0) + lgamma(n_b + 1.0) - lgamma(n_a + n_b + 1.0)));
}

/* Estimate log_figure(), with its interval and p. */
static enum mb_status estimate(const struct mb_runs *const *runs, size_t n,
                               const struct mb_bootstrap *how, struct mb_estimate *out,
                               struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const uint32_t n_figures = how->n_resamples > 0 ? how->n_resamples : N_RESAMPLES;
    const double level = how->level > 0.0 ? how->level : MB_LEVEL;
    double n_samples = INFINITY, n_blocks = INFINITY;
    double *figures = mb_alloc(n_figures, sizeof *figures);
    struct side sides[2] = {0};
    struct mb_rng rng;
    MB_TRY(MB_NEED(figures, "bootstrap"));
    for (size_t i = 0; i < n; i++) {
        MB_TRY(side_init(&sides[i], runs[i], err));
        n_samples = fmin(n_samples, sides[i].n_samples);
        n_blocks = fmin(n_blocks, sides[i].n_blocks);
    }
    mb_rng_init(&rng, how->seed);
    for (uint32_t i = 0; i < n_figures; i++) {
        figures[i] = log_figure(sides, n, &rng);
    }
    out->figure = log_figure(sides, n, NULL);
    out->p = fmax(two_sided_p(figures, n_figures, n_blocks),
                  n == 2 ? least_p(sides[0].n_samples, sides[1].n_samples)
                         : fmin(1.0, exp2(1.0 - n_samples)));
    percentile_interval(figures, n_figures, level, n_blocks, out->ci);
fail:
    for (size_t i = 0; i < n; i++) {
        side_finish(&sides[i]);
    }
    mb_free(figures);
    return status;
}

bool mb_runs_suffice(const struct mb_runs *runs)
{
    bool is_enough = true;
    for (size_t i = 0; i < runs->n; i++) {
        is_enough = is_enough && runs->series[i].n >= MB_FEW_SAMPLES;
    }
    return is_enough;
}

enum mb_status mb_bootstrap_runs(const struct mb_runs *runs, const struct mb_bootstrap *how,
                                 struct mb_estimate *out, struct mb_err *err)
{
    return estimate(&runs, 1, how, out, err);
}

enum mb_status mb_bootstrap_ratio(const struct mb_runs *a, const struct mb_runs *b,
                                  const struct mb_bootstrap *how, struct mb_estimate *out,
                                  struct mb_err *err)
{
    MB_DO(estimate((const struct mb_runs *const[]){a, b}, 2, how, out, err));
    out->figure = exp(out->figure);
    out->ci[0] = exp(out->ci[0]);
    out->ci[1] = exp(out->ci[1]);
    return MB_OK;
}

/* P(W <= w) if each of n untied ranks is as likely positive as negative: counts the subsets of
 * 1..n that have each sum, by the usual recursion. */
static double exact_tail(uint32_t n, uint32_t w)
{
    double ways[EXACT_WILCOXON * (EXACT_WILCOXON + 1) / 2 + 1] = {1.0};
    const uint32_t most = n * (n + 1) / 2;
    double tail = 0.0;
    for (uint32_t rank = 1; rank <= n; rank++) {
        for (uint32_t sum = most; sum >= rank; sum--) {
            ways[sum] += ways[sum - rank];
        }
    }
    for (uint32_t sum = 0; sum <= w; sum++) {
        tail += ways[sum];
    }
    return ldexp(tail, -(int)n);
}

struct signed_ranks {
    double positive;   /* sum of the ranks of positive differences */
    double tie_excess; /* sum of t^3 - t over groups of t equal magnitudes */
};

static int compare_magnitudes(const void *a, const void *b)
{
    const double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

/* Rank the values of |difference|; equal values share the mean of their ranks. Sorts
 * `differences`. */
static struct signed_ranks sum_ranks(double *differences, size_t n)
{
    struct signed_ranks sums = {0.0, 0.0};
    qsort(differences, n, sizeof *differences, compare_magnitudes);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && fabs(differences[end]) <= fabs(differences[i]); end++) {
        }
        const double n_tied = (double)(end - i);
        const double rank = 0.5 * (double)(i + 1 + end);
        for (size_t k = i; k < end; k++) {
            sums.positive += differences[k] > 0.0 ? rank : 0.0;
        }
        sums.tie_excess += n_tied * n_tied * n_tied - n_tied;
    }
    return sums;
}

static double wilcoxon_p(double *differences, size_t n)
{
    const struct signed_ranks sums = sum_ranks(differences, n);
    const double count = (double)n;
    const double mean = count * (count + 1.0) / 4.0;
    if (n <= EXACT_WILCOXON && sums.tie_excess <= 0.0) {
        const double smaller = fmin(sums.positive, 2.0 * mean - sums.positive);
        return fmin(1.0, 2.0 * exact_tail((uint32_t)n, (uint32_t)smaller));
    }
    const double variance =
        count * (count + 1.0) * (2.0 * count + 1.0) / 24.0 - sums.tie_excess / 48.0;
    const double off = fmax(fabs(sums.positive - mean) - 0.5, 0.0);
    return variance > 0.0 ? erfc(off / sqrt(2.0 * variance)) : 1.0;
}

enum mb_status mb_wilcoxon(const double *differences, size_t n, double *p, struct mb_err *err)
{
    size_t n_kept = 0;
    MB_FREED double *kept = mb_alloc(n + 1, sizeof *kept);
    MB_DO(MB_NEED(kept, "signed ranks"));
    for (size_t i = 0; i < n; i++) {
        if (differences[i] < 0.0 || differences[i] > 0.0) {
            kept[n_kept++] = differences[i];
        }
    }
    *p = n_kept > 0 ? wilcoxon_p(kept, n_kept) : 1.0;
    return MB_OK;
}

enum mb_status mb_holm(double *p, size_t n, struct mb_err *err)
{
    size_t n_tests = 0;
    MB_FREED struct indexed *order = mb_alloc(n + 1, sizeof *order);
    MB_DO(MB_NEED(order, "Holm's adjustment"));
    for (size_t i = 0; i < n; i++) {
        if (!isnan(p[i])) {
            order[n_tests++] = (struct indexed){p[i], (uint32_t)i};
        }
    }
    qsort(order, n_tests, sizeof *order, compare_indexed);
    double least = 0.0; /* adjusted values never fall */
    for (size_t i = 0; i < n_tests; i++) {
        least = fmax(least, fmin(1.0, (double)(n_tests - i) * order[i].value));
        p[order[i].index] = least;
    }
    return MB_OK;
}

enum mb_outcome mb_outcome(const double ratio_ci[2], double p_adjusted, double threshold,
                           double margin)
{
    const double high = 1.0 + margin, low = 1.0 / high;
    if (ratio_ci[0] >= 1.0 / (1.0 + threshold) && ratio_ci[1] <= 1.0 + threshold) {
        return MB_OUTCOME_SAME;
    }
    if (ratio_ci[1] < low && p_adjusted < MB_SIGNIFICANT) {
        return MB_OUTCOME_FASTER;
    }
    if (ratio_ci[0] > high && p_adjusted < MB_SIGNIFICANT) {
        return MB_OUTCOME_SLOWER;
    }
    return MB_OUTCOME_INCONCLUSIVE;
}

const char *const mb_outcome_names[] = {
    [MB_OUTCOME_SAME] = "SAME",
    [MB_OUTCOME_FASTER] = "FASTER",
    [MB_OUTCOME_SLOWER] = "SLOWER",
    [MB_OUTCOME_INCONCLUSIVE] = "INCONCLUSIVE",
};
