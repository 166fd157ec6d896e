/* Quantiles by hand; the interval of the median against exact binomial sums. */
#include "base/alloc.h"
#include "stats/stats.h"
#include "base/rng.h"
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

static void test_lag1(void)
{
    const double up_down[] = {1, -1, 1, -1, 1, -1, 1, -1};
    const double same[] = {2, 2, 2, 2};
    double ramp[100];
    CHECK_EQ_DBL(mb_lag1(up_down, 8), -7.0 / 8.0, 1e-12);
    CHECK(isnan(mb_lag1(same, 4)));
    CHECK(isnan(mb_lag1(up_down, 2)));
    for (int i = 0; i < 100; i++) {
        ramp[i] = 1e9 + i;
    }
    CHECK(mb_lag1(ramp, 100) > 0.95);
}

static void test_median(void)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};
    CHECK_EQ_DBL(mb_median(odd, 3), 2.0, 0.0);
    CHECK_EQ_DBL(mb_median(even, 4), 2.5, 0.0);
    CHECK_EQ_DBL(mb_median(one, 1), 7.0, 0.0);
}

static void test_theil_sen(void)
{
    const double x[] = {1, 2, 4, 8, 16}, line[] = {7, 9, 13, 21, 37};
    double y[5], intercept;
    CHECK_EQ_DBL(mb_theil_sen(x, line, 5, &intercept), 2.0, 1e-12);
    CHECK_EQ_DBL(intercept, 5.0, 1e-12);
    memcpy(y, line, sizeof y);
    y[2] = 1e6; /* one wild point of five does not turn it */
    CHECK_EQ_DBL(mb_theil_sen(x, y, 5, &intercept), 2.0, 1.0);
    const double same[] = {3, 3};
    CHECK(isnan(mb_theil_sen(same, line, 2, &intercept)));
    CHECK(isnan(intercept));
    const double two[] = {10, 20};
    CHECK_EQ_DBL(mb_theil_sen(two, line, 2, &intercept), 0.2, 1e-12);
}

static void test_ashman(void)
{
    double smaller;
    /* Parts 0, 1, 2 and 10, 11, 12: means 10 apart, variance 2/3 each. */
    const double two[] = {0, 1, 2, 10, 11, 12};
    CHECK_EQ_DBL(mb_ashman_d(two, 6, &smaller), 10.0 * sqrt(2.0 / (4.0 / 3.0)), 1e-9);
    CHECK_EQ_DBL(smaller, 0.5, 1e-12);
    const double lopsided[] = {1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 50};
    CHECK(mb_ashman_d(lopsided, 5, &smaller) > 10.0);
    CHECK_EQ_DBL(smaller, 0.2, 1e-12);
    const double same[] = {5, 5, 5, 5};
    CHECK(isnan(mb_ashman_d(same, 4, &smaller)));
    CHECK(isnan(mb_ashman_d(two, 3, &smaller)));
}

static double normal(struct mb_rng *rng)
{
    const double u = check_random_unit(rng) + 1e-300, v = check_random_unit(rng);
    return sqrt(-2.0 * log(u)) * cos(2.0 * 3.14159265358979323846 * v);
}

enum shape { NORMAL, SKEWED, TAILED, GRANULAR, FINE_GRANULAR, HALVES, FIFTH, N_SHAPES };

static double draw(struct mb_rng *rng, enum shape shape)
{
    const double z = normal(rng);
    switch (shape) {
    case SKEWED:
        return exp(0.3 * z);
    case TAILED:
        return 100.0 + 0.5 * z - 2.0 * log(check_random_unit(rng) + 1e-300);
    case GRANULAR:
        return round(100.5 + 0.3 * z);
    case FINE_GRANULAR:
        return round(100.0 + 0.7 * z);
    case HALVES:
        return 100.0 + z + (check_random_unit(rng) < 0.5 ? 6.0 : 0.0);
    case FIFTH:
        return 100.0 + z + (check_random_unit(rng) < 0.2 ? 6.0 : 0.0);
    default:
        return 100.0 + z;
    }
}

/* One hump is flagged in under 5 % of samples, two of them 6 sigma apart in over 95 %; nothing
 * is said of fewer than 40 samples. */
static void test_bimodal(void)
{
    enum { N_RUNS = 400 };
    struct mb_rng rng;
    mb_rng_init(&rng, 4);
    for (int shape = 0; shape < N_SHAPES; shape++) {
        for (size_t n = 20; n <= 320; n *= 2) {
            unsigned n_flagged = 0;
            for (int run = 0; run < N_RUNS; run++) {
                double values[320];
                struct mb_stats stats;
                for (size_t i = 0; i < n; i++) {
                    values[i] = draw(&rng, (enum shape)shape);
                }
                CHECK(mb_stats_compute(values, n, &stats, NULL) == MB_OK);
                n_flagged += stats.is_bimodal;
            }
            if (n < 40) {
                CHECK_EQ_INT(n_flagged, 0);
            } else if (shape >= HALVES) {
                CHECK(n_flagged >= (shape == FIFTH && n == 40 ? 0.92 : 0.95) * N_RUNS);
            } else {
                CHECK(n_flagged <= (shape == TAILED && n == 40 ? 0.08 : 0.05) * N_RUNS);
            }
        }
    }
}

int main(void)
{
    return CHECK_TESTS(test_quantiles, test_median_ranks, test_compute, test_few, test_lag1,
                       test_median, test_theil_sen, test_ashman, test_bimodal);
}
