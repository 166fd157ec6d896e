/* Comparison of samples: known answers, and whether the intervals hold the truth as often as
 * they say. */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"

#define N_RUNS 2000u

static struct mb_rng rng;

static double normal(void)
{
    const double u = check_random_unit(&rng) + 1e-300, v = check_random_unit(&rng);
    return sqrt(-2.0 * log(u)) * cos(2.0 * 3.14159265358979323846 * v);
}

/* Median 1, a long tail to the right. */
static double skewed(void)
{
    return exp(0.5 * normal());
}

static uint32_t n_runs(void)
{
    return getenv("MB_TEST_QUICK") ? N_RUNS / 10 : N_RUNS;
}

/* Shares of 2,000 runs: three standard errors of 95 % are 1.5 %. */
static void check_coverage(const char *what, uint32_t n_held)
{
    const double share = (double)n_held / n_runs();
    printf("%s: %.1f %%\n", what, 100.0 * share);
    if (n_runs() == N_RUNS) {
        CHECK(share >= 0.93 && share <= 0.97);
    }
}

static struct mb_estimate estimate_median(const double *values, size_t n,
                                          const struct mb_bootstrap *how)
{
    const struct mb_series series = {values, n};
    struct mb_estimate out;
    CHECK(mb_bootstrap_runs(&(struct mb_runs){&series, 1}, how, &out, NULL) == MB_OK);
    return out;
}

static struct mb_estimate estimate_ratio(const double *a, size_t n_a, const double *b,
                                         size_t n_b, const struct mb_bootstrap *how)
{
    const struct mb_series from = {a, n_a}, to = {b, n_b};
    struct mb_estimate out;
    CHECK(mb_bootstrap_ratio(&(struct mb_runs){&from, 1}, &(struct mb_runs){&to, 1}, how, &out,
                             NULL) == MB_OK);
    return out;
}

static bool holds(const struct mb_estimate *estimate, double truth)
{
    return estimate->ci[0] <= truth && truth <= estimate->ci[1];
}

static void test_median_coverage(double (*draw)(void), double truth, uint32_t n,
                                 const char *what)
{
    uint32_t by_order = 0, by_bootstrap = 0;
    for (uint32_t run = 0; run < n_runs(); run++) {
        double values[320];
        struct mb_stats stats;
        const struct mb_bootstrap options = {.n_resamples = 400, .seed = run};
        for (uint32_t i = 0; i < n; i++) {
            values[i] = draw();
        }
        CHECK(mb_stats_compute(values, n, &stats, NULL) == MB_OK);
        by_order += stats.median_ci_ns[0] <= truth && truth <= stats.median_ci_ns[1];
        const struct mb_estimate estimate = estimate_median(values, n, &options);
        by_bootstrap += holds(&estimate, truth);
    }
    char text[100];
    snprintf(text, sizeof text, "%s, n %u, order statistics", what, n);
    check_coverage(text, by_order);
    snprintf(text, sizeof text, "%s, n %u, bootstrap", what, n);
    check_coverage(text, by_bootstrap);
}

/* Two runs against two, whose truth is a ratio of 1.05; runs differ by 1 % of their own. */
static void test_ratio_coverage(void)
{
    uint32_t n_held = 0;
    for (uint32_t run = 0; run < n_runs(); run++) {
        double values[2][40];
        const struct mb_bootstrap options = {.n_resamples = 400, .seed = run};
        for (uint32_t i = 0; i < 40; i++) {
            values[0][i] = 10.0 + normal();
            values[1][i] = 10.5 + normal();
        }
        const struct mb_estimate ratio = estimate_ratio(values[0], 40, values[1], 40, &options);
        CHECK(holds(&ratio, ratio.figure));
        n_held += holds(&ratio, 1.05);
    }
    check_coverage("ratio of medians, n 40 against 40", n_held);
}

/* Autocorrelated samples: blocks keep what single values would lose. */
static void test_block_bootstrap(void)
{
    uint32_t n_held = 0;
    for (uint32_t run = 0; run < n_runs(); run++) {
        double values[160], state = normal();
        const struct mb_bootstrap options = {.n_resamples = 400, .seed = run};
        for (uint32_t i = 0; i < 160; i++) {
            state = 0.3 * state + sqrt(1.0 - 0.09) * normal();
            values[i] = state;
        }
        const struct mb_estimate estimate = estimate_median(values, 160, &options);
        n_held += holds(&estimate, 0.0);
    }
    const double share = (double)n_held / n_runs();
    printf("bootstrap at autocorrelation 0.3, n 160: %.1f %%\n", 100.0 * share);
    /* Independent resampling would hold it in about 87 %. */
    CHECK(share >= 0.90 && share <= 0.97);
}

static void test_bootstrap_edges(void)
{
    const double one[] = {7.0}, same[] = {3.0, 3.0, 3.0, 3.0};
    const struct mb_bootstrap options = {.seed = 1};
    struct mb_estimate estimate = estimate_median(one, 1, &options);
    CHECK(estimate.ci[0] == 7.0 && estimate.ci[1] == 7.0);
    estimate = estimate_median(same, 4, &options);
    CHECK(estimate.ci[0] == 3.0 && estimate.ci[1] == 3.0);
    double values[30];
    for (uint32_t i = 0; i < 30; i++) {
        values[i] = normal();
    }
    estimate = estimate_median(values, 30, &options);
    const struct mb_estimate again = estimate_median(values, 30, &options);
    CHECK(estimate.ci[0] == again.ci[0] && estimate.ci[1] == again.ci[1]);
    estimate = estimate_ratio(same, 4, same, 4, &options);
    CHECK(estimate.figure == 1.0 && estimate.p == 1.0);
    CHECK(estimate.ci[0] == 1.0 && estimate.ci[1] == 1.0);
}

/* Runs that differ among themselves widen the interval of their ratio. */
static void test_runs(void)
{
    double near[5][20], far[5][20];
    struct mb_series a[5], b[5];
    const struct mb_runs of_a = {a, 5}, of_b = {b, 5};
    struct mb_estimate to_near, to_far;
    const struct mb_bootstrap options = {.seed = 2};
    for (uint32_t run = 0; run < 5; run++) {
        for (uint32_t i = 0; i < 20; i++) {
            near[run][i] = 100.0 + 0.1 * normal();
            far[run][i] = 100.0 + 0.1 * normal() + 3.0 * run;
        }
        a[run] = (struct mb_series){near[run], 20};
        b[run] = (struct mb_series){far[run], 20};
    }
    CHECK(mb_bootstrap_ratio(&of_a, &of_a, &options, &to_near, NULL) == MB_OK);
    CHECK(to_near.figure == 1.0 && to_near.p > 0.5);
    CHECK(mb_bootstrap_ratio(&of_a, &of_b, &options, &to_far, NULL) == MB_OK);
    CHECK_EQ_DBL(to_far.figure, 1.06, 0.002);
    CHECK(to_far.ci[1] - to_far.ci[0] > 10.0 * (to_near.ci[1] - to_near.ci[0]));
}

static double p_of_ratio(const double *a, size_t n_a, const double *b, size_t n_b)
{
    const struct mb_bootstrap options = {.n_resamples = 400, .seed = 3};
    return estimate_ratio(a, n_a, b, n_b, &options).p;
}

/* Far from 1, p is less than 1 / resamples, but never less than n samples can show. */
static void test_small_p(void)
{
    double a[40], b[40];
    for (uint32_t i = 0; i < 40; i++) {
        a[i] = 10.0 + 0.1 * normal();
        b[i] = 15.0 + 0.1 * normal();
    }
    CHECK(p_of_ratio(a, 40, b, 40) < 1e-9);
    CHECK(p_of_ratio(a, 40, b, 40) >= 1e-23); /* 2 of 80! / (40! 40!) orders */
    CHECK_EQ_DBL(p_of_ratio(a, 1, b, 1), 1.0, 0.0);
    CHECK_EQ_DBL(p_of_ratio(a, 3, b, 3), 2.0 / 20.0, 1e-9);
    const double same[] = {1, 1, 1, 1, 1, 1, 1, 1}, others[] = {2, 2, 2, 2, 2, 2, 2, 2};
    CHECK_EQ_DBL(p_of_ratio(same, 8, others, 8), 2.0 / 12870.0, 1e-9);
    for (uint32_t i = 0; i < 40; i++) {
        b[i] = a[i] + 0.001 * normal();
    }
    CHECK(p_of_ratio(a, 40, b, 40) > 0.2);
}

static double wilcoxon(const double *differences, size_t n)
{
    double p = -1.0;
    CHECK(mb_wilcoxon(differences, n, &p, NULL) == MB_OK);
    return p;
}

/* Exact ones by counting sign patterns: all of one sign are 2 of 2^n. */
static void test_wilcoxon(void)
{
    const double up[] = {1, 2, 3, 4, 5, 6};
    CHECK_EQ_DBL(wilcoxon(up, 6), 2.0 / 64.0, 1e-12);
    const double one_down[] = {-1, 2, 3, 4, 5, 6};
    CHECK_EQ_DBL(wilcoxon(one_down, 6), 4.0 / 64.0, 1e-12);
    const double mixed[] = {1, -2, 3, -4, 5, -6};
    /* W+ = 9, P(W <= 9) = 27 / 64, of the 64 subsets of 1..6. */
    CHECK_EQ_DBL(wilcoxon(mixed, 6), 2.0 * 27.0 / 64.0, 1e-12);
    const double zeros[] = {0, 0, 0};
    CHECK_EQ_DBL(wilcoxon(zeros, 3), 1.0, 0.0);
    CHECK_EQ_DBL(wilcoxon(NULL, 0), 1.0, 0.0);
    const double with_zero[] = {0, 1, 2, 3, 4, 5, 6};
    CHECK_EQ_DBL(wilcoxon(with_zero, 7), 2.0 / 64.0, 1e-12);
    double ties[30];
    for (int i = 0; i < 30; i++) {
        ties[i] = i < 20 ? 1.0 : -1.0;
    }
    /* Mean 232.5, variance 30 31 61 / 24 - (30^3 - 30) / 48 = 1801.875, W+ = 310. */
    CHECK_EQ_DBL(wilcoxon(ties, 30), erfc((77.5 - 0.5) / sqrt(2.0 * 1801.875)), 1e-12);
}

/* Under the null, p below 0.05 comes in about 5 % of runs, exact or normal. */
static void test_wilcoxon_level(size_t n)
{
    uint32_t n_rejected = 0;
    for (uint32_t run = 0; run < n_runs(); run++) {
        double differences[100];
        for (size_t i = 0; i < n; i++) {
            differences[i] = normal();
        }
        n_rejected += wilcoxon(differences, n) < 0.05;
    }
    const double share = (double)n_rejected / n_runs();
    printf("signed rank, n %zu: %.1f %% below 0.05\n", n, 100.0 * share);
    if (n_runs() == N_RUNS) {
        CHECK(share > 0.035 && share < 0.065);
    }
}

static void test_holm(void)
{
    /* Sorted 0.01, 0.02, 0.03, 0.04: times 4, 3, 2, 1, never falling. */
    double p[] = {0.04, 0.01, (double)NAN, 0.03, 0.02};
    CHECK(mb_holm(p, 5, NULL) == MB_OK);
    CHECK_EQ_DBL(p[1], 0.04, 1e-15);
    CHECK_EQ_DBL(p[4], 0.06, 1e-15);
    CHECK_EQ_DBL(p[3], 0.06, 1e-15);
    CHECK_EQ_DBL(p[0], 0.06, 1e-15);
    CHECK(isnan(p[2]));
    double large[] = {0.9, 0.8};
    CHECK(mb_holm(large, 2, NULL) == MB_OK);
    CHECK(large[0] == 1.0 && large[1] == 1.0);
    CHECK(mb_holm(NULL, 0, NULL) == MB_OK);
}

/* With a threshold of 1 %, or of the margin if that is less. */
static enum mb_outcome outcome(double low, double high, double p, double margin)
{
    const double ci[2] = {low, high};
    return mb_outcome(ci, p, fmin(margin, 0.01), margin);
}

static void test_outcome(void)
{
    CHECK_EQ_INT(outcome(0.995, 1.005, 0.5, 0.01), MB_OUTCOME_SAME);
    CHECK_EQ_INT(outcome(0.995, 1.005, 1e-9, 0.01), MB_OUTCOME_SAME); /* sure, and nothing */
    CHECK_EQ_INT(outcome(1.02, 1.03, 0.001, 0.01), MB_OUTCOME_SLOWER);
    CHECK_EQ_INT(outcome(1.02, 1.03, 0.2, 0.01), MB_OUTCOME_INCONCLUSIVE);
    /* A restless instrument finds no difference, and no sameness either. */
    CHECK_EQ_INT(outcome(1.02, 1.03, 0.001, 0.05), MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_INT(outcome(1.0, 1.011, 0.001, 0.05), MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_INT(outcome(0.995, 1.005, 0.001, 0.05), MB_OUTCOME_SAME);
    CHECK_EQ_INT(outcome(1.06, 1.07, 0.001, 0.05), MB_OUTCOME_SLOWER);
    CHECK_EQ_INT(outcome(1.005, 1.03, 0.001, 0.01), MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_INT(outcome(0.95, 0.97, 0.001, 0.01), MB_OUTCOME_FASTER);
    CHECK_EQ_INT(outcome(0.95, 0.995, 0.001, 0.01), MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_INT(outcome(0.9, 1.1, 0.001, 0.01), MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_INT(outcome(NAN, NAN, NAN, 0.01), MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_INT(outcome(1.0, 1.0, 1.0, 0.0), MB_OUTCOME_SAME);
    CHECK_EQ_STR(mb_outcome_names[MB_OUTCOME_SLOWER], "SLOWER");
}

int main(void)
{
    mb_rng_init(&rng, 11);
    test_median_coverage(normal, 0.0, 40, "normal");
    test_median_coverage(skewed, 1.0, 100, "skewed");
    test_median_coverage(skewed, 1.0, 20, "skewed");
    test_ratio_coverage();
    test_block_bootstrap();
    test_bootstrap_edges();
    test_runs();
    test_small_p();
    test_wilcoxon();
    test_wilcoxon_level(20);
    test_wilcoxon_level(100);
    test_holm();
    test_outcome();
    return check_summary("infer");
}
