/* Comparison across several runs a side, few samples and many rows. */
#include "compare_fixture.h"

#define N_MANY 1100 /* results of one file */

/* Five runs a side, of which twins are off in one: that run's ill luck hides nothing. */
static void test_outlying_twin(void)
{
    struct mb_result_file a[MB_FEW_RUNS], b[MB_FEW_RUNS];
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        a[i] = make_run('a', i, 1);
        b[i] = make_run('b', i, 1);
        fill(&a[i].results[0], 1000, 0.002, i);
        fill(&b[i].results[0], 1050, 0.002, 10 + i);
        a[i].results[0].aa_ratio = 1.001;
        b[i].results[0].aa_ratio = i == 3 ? 1.06 : 0.999;
    }
    struct mb_comparison comparison = compare(a, MB_FEW_RUNS, b, MB_FEW_RUNS);
    CHECK_EQ_INT(comparison.rows[0].outcome, MB_OUTCOME_SLOWER);
    CHECK_EQ_DBL(comparison.rows[0].margin, 0.01, 1e-12);
    mb_comparison_finish(&comparison);
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        b[i].results[0].aa_ratio = 1.06;
    }
    comparison = compare(a, MB_FEW_RUNS, b, MB_FEW_RUNS);
    CHECK_EQ_INT(comparison.rows[0].outcome, MB_OUTCOME_INCONCLUSIVE);
    mb_comparison_finish(&comparison);
    finish_runs(a);
    finish_runs(b);
}

/* The order in which runs are named changes nothing, nor does naming one twice. */
static void test_order(void)
{
    struct mb_result_file a[MB_FEW_RUNS], b[MB_FEW_RUNS], back[MB_FEW_RUNS];
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        a[i] = make_run('a', i, 2);
        b[i] = make_run('b', i, 2);
        for (size_t k = 0; k < 2; k++) {
            fill(&a[i].results[k], 1000 + 100 * (double)i, 0.1, 2 * i + k);
            fill(&b[i].results[k], 1200 + 90 * (double)i, 0.1, 20 + 2 * i + k);
        }
        back[MB_FEW_RUNS - 1 - i] = a[i];
    }
    struct mb_comparison one = compare(a, MB_FEW_RUNS, back, MB_FEW_RUNS);
    CHECK_EQ_INT(one.n_outcomes[MB_OUTCOME_SAME], 2);
    CHECK(one.rows[0].is_identical);
    mb_comparison_finish(&one);
    one = compare(a, MB_FEW_RUNS, b, MB_FEW_RUNS);
    struct mb_comparison other = compare(back, MB_FEW_RUNS, b, MB_FEW_RUNS);
    CHECK_EQ_DBL(one.rows[1].ratio.p, other.rows[1].ratio.p, 0);
    CHECK_EQ_DBL(one.rows[1].ratio.ci[0], other.rows[1].ratio.ci[0], 0);
    CHECK_EQ_DBL(one.rows[1].ratio.ci[1], other.rows[1].ratio.ci[1], 0);
    mb_comparison_finish(&one);
    mb_comparison_finish(&other);
    finish_runs(a);
    finish_runs(b);
}

/* One run five times over, under its name and under that of a copy, is one run. */
static void test_repeats(void)
{
    struct mb_result_file a[MB_FEW_RUNS], b = make_file("b", 2);
    fill(&b.results[0], 1000, 0.01, 9);
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        a[i] = make_file(i < 3 ? "a" : i == 3 ? "copy" : "copy2", 2);
        snprintf(a[i].run_id, sizeof a[i].run_id, "r1");
        fill(&a[i].results[0], 1000, 0.01, 1);
    }
    struct mb_comparison comparison = compare(a, MB_FEW_RUNS, &b, 1);
    CHECK_EQ_INT(comparison.rows[0].found[MB_BASE].runs.n, 1);
    CHECK(comparison.rows[0].is_single_run);
    CHECK_EQ_INT(comparison.n_warnings, 4);
    CHECK_EQ_STR(comparison.warnings[2], "copy is the same run as a, and counts once");
    mb_comparison_finish(&comparison);
    fill(&a[4].results[0], 1000, 0.01, 2); /* of the same second, and another run */
    comparison = compare(a, MB_FEW_RUNS, &b, 1);
    CHECK_EQ_INT(comparison.rows[0].found[MB_BASE].runs.n, 2);
    mb_comparison_finish(&comparison);
    finish_runs(a);
    mb_result_file_finish(&b);
}

/* Five files a side, of which four lack one of the results: that is of a single run. */
static void test_runs_of_a_row(void)
{
    struct mb_result_file a[MB_FEW_RUNS], b[MB_FEW_RUNS];
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        a[i] = make_run('a', i, 2);
        b[i] = make_run('b', i, 2);
        for (size_t k = 0; k < 2; k++) {
            fill(&a[i].results[k], 1000, 0.002, 2 * i + k);
            fill(&b[i].results[k], 1018, 0.002, 20 + 2 * i + k);
        }
        b[i].n_results = i == 0 ? 2 : 1;
    }
    struct mb_comparison comparison = compare(a, MB_FEW_RUNS, b, MB_FEW_RUNS);
    CHECK_EQ_INT(comparison.n_rows, 2);
    CHECK_EQ_INT(comparison.n_single_runs, 1);
    CHECK(!comparison.rows[0].is_single_run);
    CHECK_EQ_INT(comparison.rows[0].outcome, MB_OUTCOME_SLOWER);
    CHECK(comparison.rows[1].is_single_run);
    CHECK_EQ_INT(comparison.rows[1].outcome, MB_OUTCOME_INCONCLUSIVE);
    mb_comparison_finish(&comparison);
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        b[i].n_results = 2;
    }
    finish_runs(a);
    finish_runs(b);
}

/* The outcome of n_a samples against n_b, twice as long. */
static void check_few(size_t n_a, size_t n_b, enum mb_outcome outcome, const char *reason)
{
    struct mb_result_file a = make_file("a", 1);
    struct mb_result_file b = make_file("b", 1);
    a.results[0].n_samples = n_a;
    b.results[0].n_samples = n_b;
    fill(&a.results[0], 1000, 0.001, 1);
    fill(&b.results[0], 2000, 0.001, 2);
    struct mb_comparison comparison = compare(&a, 1, &b, 1);
    CHECK_EQ_INT(comparison.rows[0].outcome, outcome);
    CHECK_EQ_STR(comparison.rows[0].reason, reason);
    CHECK_EQ_INT(isnan(comparison.rows[0].ratio.ci[0]), reason[0] != '\0');
    CHECK_EQ_DBL(comparison.rows[0].ratio.figure, 2, 0.01);
    mb_comparison_finish(&comparison);
    comparison = compare(&a, 1, &a, 1);
    CHECK_EQ_INT(comparison.rows[0].outcome, MB_OUTCOME_SAME); /* itself, however few */
    mb_comparison_finish(&comparison);
    mb_result_file_finish(&a);
    mb_result_file_finish(&b);
}

static void test_few_samples(void)
{
    check_few(1, 1, MB_OUTCOME_INCONCLUSIVE, "1 sample in BASE: fewer than 6 say nothing");
    check_few(80, 5, MB_OUTCOME_INCONCLUSIVE, "5 samples in NEW: fewer than 6 say nothing");
    check_few(6, 6, MB_OUTCOME_SLOWER, "");
}

/* With many rows every one must be far beyond chance, and half as much again is. A first file
 * that was cut short changes nothing. */
static void test_many_rows(uint32_t n_resamples)
{
    struct mb_result_file a[2] = {make_file("cut", N_MANY), make_file("a", N_MANY)};
    struct mb_result_file b = make_file("b", N_MANY);
    const struct mb_run_group sides[] = {{a, 2}, {&b, 1}};
    const struct mb_compare_options options = {.threshold = 0.01, .n_resamples = n_resamples};
    struct mb_comparison comparison;
    for (size_t i = 0; i < N_MANY; i++) {
        a[0].results[i].n_samples = a[1].results[i].n_samples = b.results[i].n_samples = 20;
        fill(&a[0].results[i], 1000, 0.01, i);
        fill(&a[1].results[i], 1000, 0.01, i + N_MANY);
        fill(&b.results[i], 1500, 0.01, i + 2 * N_MANY);
    }
    a[0].n_results = 1;
    CHECK_EQ_INT(mb_compare_runs(sides, &options, &comparison, NULL), MB_OK);
    CHECK_EQ_INT(comparison.n_rows, N_MANY);
    CHECK_EQ_INT(comparison.n_outcomes[MB_OUTCOME_SLOWER], N_MANY);
    mb_comparison_finish(&comparison);
    a[0].n_results = N_MANY;
    mb_result_file_finish(&a[0]);
    mb_result_file_finish(&a[1]);
    mb_result_file_finish(&b);
}

int main(void)
{
    test_outlying_twin();
    test_order();
    test_repeats();
    test_runs_of_a_row();
    test_few_samples();
    test_many_rows(500);
    test_many_rows(0);
    return check_summary("compare_groups");
}
