/* Quantiles by hand; the interval of the median against exact binomial sums. */
#include "base/alloc.h"
#include "base/stats.h"
#include "check.h"

static void test_quantiles(void)
{
    const double four[] = {10, 20, 30, 40};
    CHECK_EQ_DBL(mb_quantile_sorted(four, 4, 0), 10, 0);
    CHECK_EQ_DBL(mb_quantile_sorted(four, 4, 0.25), 17.5, 1e-12);
    CHECK_EQ_DBL(mb_quantile_sorted(four, 4, 0.5), 25, 1e-12);
    CHECK_EQ_DBL(mb_quantile_sorted(four, 4, 0.95), 38.5, 1e-12);
    CHECK_EQ_DBL(mb_quantile_sorted(four, 4, 1), 40, 0);
    CHECK_EQ_DBL(mb_quantile_sorted((const double[]){5}, 1, 0.3), 5, 0);
}

/* From Python: 1 - 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n. */
static void test_median_ranks(void)
{
    static const struct {
        size_t n, low, high;
        double coverage;
    } cases[] = {
        {1, 0, 0, 0},
        {2, 0, 1, 0.5},
        {5, 0, 4, 0.9375},
        {6, 0, 5, 0.96875},
        {8, 0, 7, 0.9921875},
        {9, 1, 7, 0.9609375},
        {10, 1, 8, 0.978515625},
        {20, 5, 14, 0.958610534667969},
        {21, 5, 15, 0.973396301269531},
        {40, 13, 26, 0.9615226917158},
        {100, 39, 60, 0.964799799782295},
        {320, 141, 178, 0.961560351050905},
        {1000, 468, 531, 0.953708802639502},
        {2000, 955, 1044, 0.953447179508216},
        {5000, 2430, 2569, 0.950684141895828},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        size_t low = 99, high = 99;
        CHECK_EQ_DBL(mb_median_ci_ranks(cases[i].n, 0.95, &low, &high), cases[i].coverage,
                     1e-9);
        CHECK_EQ_INT(low, cases[i].low);
        CHECK_EQ_INT(high, cases[i].high);
    }
}

static void test_compute(void)
{
    const double samples[] = {9, 1, 8, 2, 7, 3, 6, 4, 5, 100};
    struct mb_stats stats;
    struct mb_err err;
    CHECK_EQ_INT(mb_stats_compute(samples, 10, &stats, &err), MB_OK);
    CHECK_EQ_INT(stats.n, 10);
    CHECK_EQ_DBL(stats.min_ns, 1, 0);
    CHECK_EQ_DBL(stats.p05_ns, 1.45, 1e-12);
    CHECK_EQ_DBL(stats.p25_ns, 3.25, 1e-12);
    CHECK_EQ_DBL(stats.median_ns, 5.5, 1e-12);
    CHECK_EQ_DBL(stats.p75_ns, 7.75, 1e-12);
    CHECK_EQ_DBL(stats.p95_ns, 59.05, 1e-9); /* 9 + 0.55 * 91: the outlier stays */
    CHECK_EQ_DBL(stats.max_ns, 100, 0);
    CHECK_EQ_DBL(stats.mean_ns, 14.5, 1e-12);
    CHECK_EQ_DBL(stats.mad_ns, 2.5, 1e-12); /* .5 .5 1.5 1.5 2.5 2.5 3.5 3.5 4.5 94.5 */
    CHECK_EQ_DBL(stats.median_ci_ns[0], 2, 0);
    CHECK_EQ_DBL(stats.median_ci_ns[1], 9, 0);
    CHECK_EQ_DBL(stats.median_ci_level, 0.978515625, 1e-9);
    CHECK_EQ_DBL(samples[9], 100, 0);
}

static void test_few(void)
{
    struct mb_stats stats;
    struct mb_err err = {.code = MB_ERRC_NONE};
    CHECK_EQ_INT(mb_stats_compute(NULL, 0, &stats, &err), MB_OK);
    CHECK_EQ_INT(stats.n, 0);
    CHECK(isnan(stats.min_ns) && isnan(stats.median_ns) && isnan(stats.mad_ns));
    CHECK(isnan(stats.median_ci_ns[0]) && isnan(stats.median_ci_level));

    CHECK_EQ_INT(mb_stats_compute((const double[]){42}, 1, &stats, &err), MB_OK);
    CHECK_EQ_DBL(stats.median_ns, 42, 0);
    CHECK_EQ_DBL(stats.mad_ns, 0, 0);
    CHECK_EQ_DBL(stats.median_ci_level, 0, 0);

    mb_alloc_fail_nth(1, false);
    CHECK_EQ_INT(mb_stats_compute((const double[]){42}, 1, &stats, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_RUNTIME);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

int main(void)
{
    test_quantiles();
    test_median_ranks();
    test_compute();
    test_few();
    return check_summary("stats");
}
