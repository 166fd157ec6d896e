/* Comparison across runs, on synthetic samples whose truth is known. */
#include "bench/compare_runs.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "check.h"

#define N_SAMPLES 80
#define N_MANY    1100 /* results of one file */

static const struct mb_compare_options by_default = {
    .threshold = 0.01, .seed = 1, .n_resamples = 500};

/* A file with `n` results "s0", "s1", ... of about 1000 ns. */
static struct mb_result_file make_file(const char *path, size_t n)
{
    struct mb_result_file file = {.path = mb_strdup(path), .complete = true, .n_results = n};
    snprintf(file.device, sizeof file.device, "GPU");
    snprintf(file.driver, sizeof file.driver, "1");
    file.results = mb_alloc(n, sizeof *file.results);
    for (size_t i = 0; i < n; i++) {
        struct mb_file_result *result = &file.results[i];
        char key[32];
        snprintf(key, sizeof key, "s%zu rgba8", i);
        result->key = mb_strdup(key);
        *strchr(key, ' ') = '\0';
        result->key_sans_fmt = mb_strdup(key);
        result->key_sans_condition = mb_strdup(key);
        snprintf(result->condition, sizeof result->condition, "hot latency");
        snprintf(result->label, sizeof result->label, "%s", key);
        snprintf(result->format, sizeof result->format, "rgba8");
        snprintf(result->input, sizeof result->input, "a.png");
        result->aa_ratio = NAN;
        result->samples_ns = mb_alloc(N_SAMPLES, sizeof *result->samples_ns);
        result->n_samples = N_SAMPLES;
    }
    return file;
}

static struct mb_result_file make_run(char side, size_t i, size_t n_results)
{
    const char path[] = {side, (char)('0' + i), '\0'};
    return make_file(path, n_results);
}

static void finish_runs(struct mb_result_file runs[MB_FEW_RUNS])
{
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        mb_result_file_finish(&runs[i]);
    }
}

/* Samples uniform in `mean_ns` * (1 +- noise). */
static void fill(struct mb_file_result *result, double mean_ns, double noise, uint64_t seed)
{
    struct mb_rng rng;
    mb_rng_init(&rng, seed);
    for (size_t i = 0; i < result->n_samples; i++) {
        const double unit = 2 * mb_rng_unit(&rng) - 1;
        result->samples_ns[i] = mean_ns * (1 + noise * unit);
    }
}

static struct mb_comparison compare(const struct mb_result_file *base, size_t n_base,
                                    const struct mb_result_file *new_runs, size_t n_new)
{
    struct mb_comparison comparison;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_compare_runs(&(struct mb_run_group){base, n_base},
                                 &(struct mb_run_group){new_runs, n_new}, &by_default,
                                 &comparison, &err),
                 MB_OK);
    return comparison;
}

/* The outcome of one result at `ratio` under `noise`. */
static enum mb_outcome outcome_of(double ratio, double noise, double aa_ratio)
{
    struct mb_result_file a = make_file("a", 1);
    struct mb_result_file b = make_file("b", 1);
    fill(&a.results[0], 1000, noise, 1);
    fill(&b.results[0], 1000 * ratio, noise, 2);
    b.results[0].aa_ratio = aa_ratio;
    struct mb_comparison comparison = compare(&a, 1, &b, 1);
    CHECK_EQ_INT(comparison.n_rows, 1);
    CHECK(comparison.rows[0].is_single_run);
    CHECK_EQ_DBL(comparison.rows[0].ratio, ratio, noise + 1e-9);
    CHECK_EQ_INT(comparison.n_outcomes[comparison.rows[0].outcome], 1);
    CHECK_EQ_INT(comparison.n_regressions,
                 comparison.rows[0].outcome == MB_OUTCOME_SLOWER ? 1 : 0);
    const enum mb_outcome outcome = comparison.rows[0].outcome;
    mb_comparison_finish(&comparison);
    mb_result_file_finish(&a);
    mb_result_file_finish(&b);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
    return outcome;
}

static void test_planted(void)
{
    CHECK_EQ_INT(outcome_of(1.05, 0.005, (double)NAN), MB_OUTCOME_SLOWER);
    CHECK_EQ_INT(outcome_of(0.95, 0.005, (double)NAN), MB_OUTCOME_FASTER);
    CHECK_EQ_INT(outcome_of(1.00, 0.005, (double)NAN), MB_OUTCOME_SAME);
    CHECK_EQ_INT(outcome_of(1.05, 0.5, (double)NAN), MB_OUTCOME_INCONCLUSIVE);
    /* The A/A twin was off by as much: nothing is said. */
    CHECK_EQ_INT(outcome_of(1.05, 0.005, 1.08), MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_INT(outcome_of(1.05, 0.005, 0.92), MB_OUTCOME_INCONCLUSIVE);
    /* Within what differs from run to run, and no sameness either. */
    CHECK_EQ_INT(outcome_of(1.018, 0.002, (double)NAN), MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_INT(outcome_of(1.05, 0.005, 1.001), MB_OUTCOME_SLOWER);
}

/* However noisy, a file against itself is the same. */
static void test_itself(void)
{
    struct mb_result_file file = make_file("a", 5);
    for (size_t i = 0; i < file.n_results; i++) {
        fill(&file.results[i], 1000, 0.2 * (double)i, i);
    }
    struct mb_comparison comparison = compare(&file, 1, &file, 1);
    CHECK_EQ_INT(comparison.n_rows, 5);
    CHECK_EQ_INT(comparison.n_outcomes[MB_OUTCOME_SAME], 5);
    CHECK_EQ_INT(comparison.n_gaps + comparison.n_regressions + comparison.n_warnings, 0);
    CHECK(comparison.rows[4].is_identical);
    CHECK_EQ_DBL(comparison.rows[4].ratio, 1, 0);
    mb_comparison_finish(&comparison);
    mb_result_file_finish(&file);
}

/* Runs that differ by more than samples do: one run a side is sure of itself, five are not. */
static void test_groups(void)
{
    static const double means_ns[] = {1000, 1100, 950, 1050, 1000};
    struct mb_result_file a[MB_FEW_RUNS], b[MB_FEW_RUNS];
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        char path[8];
        snprintf(path, sizeof path, "%zu", i);
        a[i] = make_file(path, 1);
        b[i] = make_file(path, 1);
        fill(&a[i].results[0], means_ns[i], 0.002, i);
        fill(&b[i].results[0], means_ns[i] * 1.04, 0.002, 10 + i);
    }
    struct mb_comparison comparison = compare(a, MB_FEW_RUNS, b, MB_FEW_RUNS);
    CHECK_EQ_INT(comparison.rows[0].n_base, MB_FEW_RUNS);
    CHECK(!comparison.rows[0].is_single_run);
    CHECK_EQ_INT(comparison.n_single_runs, 0);
    CHECK_EQ_INT(comparison.rows[0].outcome, MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_DBL(comparison.rows[0].base_ns, 1000, 5);
    mb_comparison_finish(&comparison);
    comparison = compare(a, 1, b, 1);
    CHECK(comparison.rows[0].is_single_run);
    CHECK_EQ_INT(comparison.rows[0].outcome, MB_OUTCOME_SLOWER);
    mb_comparison_finish(&comparison);
    finish_runs(a);
    finish_runs(b);
}

static void check_gap(const struct mb_comparison *comparison, size_t i, const char *label,
                      bool is_regression, const char *reason)
{
    CHECK(i < comparison->n_gaps);
    if (i < comparison->n_gaps) {
        CHECK_EQ_STR(comparison->gaps[i].result->label, label);
        CHECK_EQ_STR(comparison->gaps[i].reason, reason);
        CHECK_EQ_INT(comparison->gaps[i].is_regression, is_regression);
    }
}

static void test_gaps(void)
{
    struct mb_result_file a = make_file("a", 7);
    struct mb_result_file b = make_file("b", 7);
    for (size_t i = 0; i < 7; i++) {
        fill(&a.results[i], 1000, 0.01, i);
        fill(&b.results[i], 1000, 0.01, 10 + i);
    }
    b.results[0].status = MB_RESULT_FAILED;
    b.results[0].verify = MB_VERIFY_FAIL;
    snprintf(b.results[0].reason, sizeof b.results[0].reason, "level 1 is wrong");
    a.results[1].status = MB_RESULT_FAILED;
    b.results[2].status = MB_RESULT_SKIPPED;
    snprintf(b.results[2].reason, sizeof b.results[2].reason, "no subgroups");
    b.results[3].n_bad_samples = 2;
    b.results[4].n_samples = 0;
    b.results[5].key[3] = 'R';
    b.results[5].key_sans_condition[1] = 'x';
    snprintf(b.results[5].format, sizeof b.results[5].format, "Rgba8");
    b.results[6].verify = MB_VERIFY_SKIPPED;
    struct mb_comparison comparison = compare(&a, 1, &b, 1);
    check_gap(&comparison, 0, "s0", true, "NEW (b) failed: level 1 is wrong");
    check_gap(&comparison, 1, "s1", false, "BASE (a) failed");
    check_gap(&comparison, 2, "s2", true, "NEW skipped it: no subgroups");
    check_gap(&comparison, 3, "s3", true, "NEW has samples that are no times (2 of 82)");
    check_gap(&comparison, 4, "s4", true, "NEW has no samples");
    check_gap(&comparison, 5, "s5", true,
              "NEW does not have it: it has Rgba8 instead of rgba8");
    check_gap(&comparison, 6, "s5", false,
              "BASE does not have it: it has rgba8 instead of Rgba8");
    CHECK_EQ_INT(comparison.n_gaps, 7);
    CHECK_EQ_INT(comparison.n_rows, 1);
    CHECK(!comparison.rows[0].is_checked);
    CHECK(comparison.rows[0].is_check_lost && comparison.rows[0].is_regression);
    CHECK(comparison.rows[0].outcome != MB_OUTCOME_SLOWER);
    CHECK_EQ_INT(comparison.n_checks_lost, 1);
    CHECK_EQ_INT(comparison.n_regressions, 6);
    CHECK_EQ_INT(comparison.n_warnings, 1);
    CHECK_EQ_STR(comparison.warnings[0].text,
                 "different formats: a.png has rgba8 in BASE and Rgba8 in NEW");
    mb_comparison_finish(&comparison);
    mb_result_file_finish(&a);
    mb_result_file_finish(&b);
}

/* The same image given twice: first with first, second with second. */
static void test_twice(void)
{
    struct mb_result_file a = make_file("a", 2);
    struct mb_result_file b = make_file("b", 2);
    for (size_t i = 0; i < 2; i++) {
        a.results[i].key[1] = b.results[i].key[1] = 'x';
        fill(&a.results[i], i == 0 ? 1000 : 3000, 0.001, i);
        fill(&b.results[i], i == 0 ? 1000 : 3000, 0.001, 10 + i);
    }
    struct mb_comparison comparison = compare(&a, 1, &b, 1);
    CHECK_EQ_INT(comparison.n_rows, 2);
    CHECK_EQ_INT(comparison.n_outcomes[MB_OUTCOME_SAME], 2);
    mb_comparison_finish(&comparison);
    mb_result_file_finish(&a);
    mb_result_file_finish(&b);
}

/* A file that has a result more often than the other is not one that alone has it. */
static void test_copies(void)
{
    struct mb_result_file a = make_file("a", 1);
    struct mb_result_file b = make_file("b", 3);
    fill(&a.results[0], 1000, 0.001, 1);
    for (size_t i = 0; i < 3; i++) {
        b.results[i].key[1] = '0';
        fill(&b.results[i], 1000, 0.001, 10 + i);
    }
    struct mb_comparison comparison = compare(&a, 1, &b, 1);
    CHECK_EQ_INT(comparison.n_rows, 1);
    CHECK_EQ_INT(comparison.n_gaps, 2);
    check_gap(&comparison, 0, "s1", false, "3 times in NEW, once in BASE");
    mb_comparison_finish(&comparison);
    b.n_results = 2;
    comparison = compare(&b, 1, &a, 1);
    CHECK_EQ_INT(comparison.n_gaps, 1);
    check_gap(&comparison, 0, "s1", false, "twice in BASE, once in NEW");
    mb_comparison_finish(&comparison);
    b.n_results = 3;
    mb_result_file_finish(&a);
    mb_result_file_finish(&b);
}

/* The same under another condition, or in a file that does not tell all of it. */
static void test_conditions(void)
{
    struct mb_result_file a = make_file("a", 1);
    struct mb_result_file b = make_file("b", 2);
    snprintf(a.schema_version, sizeof a.schema_version, "1.0.0");
    snprintf(b.schema_version, sizeof b.schema_version, "1.2.0");
    for (size_t i = 0; i < 2; i++) {
        b.results[i].key[0] = b.results[i].key_sans_fmt[0] = 'c';
        b.results[i].key_sans_condition[1] = '0';
        snprintf(b.results[i].condition, sizeof b.results[i].condition, "cold %s",
                 i == 0 ? "latency" : "overlap");
    }
    struct mb_comparison comparison = compare(&a, 1, &b, 1);
    check_gap(&comparison, 0, "s0", true,
              "NEW does not have it: it has it only as cold latency, cold overlap, not as hot "
              "latency");
    mb_comparison_finish(&comparison);
    snprintf(b.results[1].condition, sizeof b.results[1].condition, "hot latency");
    comparison = compare(&a, 1, &b, 1);
    check_gap(&comparison, 0, "s0", true,
              "NEW does not have it: it has another alpha or shape, or one file does not tell "
              "(schema 1.0.0 and 1.2.0)");
    mb_comparison_finish(&comparison);
    mb_result_file_finish(&a);
    mb_result_file_finish(&b);
}

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
    CHECK_EQ_DBL(one.rows[1].p, other.rows[1].p, 0);
    CHECK_EQ_DBL(one.rows[1].ratio_ci[0], other.rows[1].ratio_ci[0], 0);
    CHECK_EQ_DBL(one.rows[1].ratio_ci[1], other.rows[1].ratio_ci[1], 0);
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
    CHECK_EQ_INT(comparison.rows[0].n_base, 1);
    CHECK(comparison.rows[0].is_single_run);
    CHECK_EQ_INT(comparison.n_warnings, 4);
    CHECK_EQ_STR(comparison.warnings[2].text, "copy is the same run as a, and counts once");
    mb_comparison_finish(&comparison);
    fill(&a[4].results[0], 1000, 0.01, 2); /* of the same second, and another run */
    comparison = compare(a, MB_FEW_RUNS, &b, 1);
    CHECK_EQ_INT(comparison.rows[0].n_base, 2);
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
    CHECK_EQ_INT(isnan(comparison.rows[0].ratio_ci[0]), reason[0] != '\0');
    CHECK_EQ_DBL(comparison.rows[0].ratio, 2, 0.01);
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
    const struct mb_run_group new_runs = {&b, 1};
    const struct mb_compare_options options = {.threshold = 0.01, .n_resamples = n_resamples};
    struct mb_comparison comparison;
    for (size_t i = 0; i < N_MANY; i++) {
        a[0].results[i].n_samples = a[1].results[i].n_samples = b.results[i].n_samples = 20;
        fill(&a[0].results[i], 1000, 0.01, i);
        fill(&a[1].results[i], 1000, 0.01, i + N_MANY);
        fill(&b.results[i], 1500, 0.01, i + 2 * N_MANY);
    }
    a[0].n_results = 1;
    CHECK_EQ_INT(
        mb_compare_runs(&(struct mb_run_group){a, 2}, &new_runs, &options, &comparison, NULL),
        MB_OK);
    CHECK_EQ_INT(comparison.n_rows, N_MANY);
    CHECK_EQ_INT(comparison.n_outcomes[MB_OUTCOME_SLOWER], N_MANY);
    mb_comparison_finish(&comparison);
    a[0].n_results = N_MANY;
    mb_result_file_finish(&a[0]);
    mb_result_file_finish(&a[1]);
    mb_result_file_finish(&b);
}

static void test_warnings(void)
{
    struct mb_result_file a = make_file("a", 1);
    struct mb_result_file b = make_file("b", 1);
    fill(&a.results[0], 1000, 0.001, 1);
    fill(&b.results[0], 1000, 0.001, 2);
    snprintf(b.driver, sizeof b.driver, "2");
    b.complete = false;
    b.validate = true;
    struct mb_comparison comparison = compare(&a, 1, &b, 1);
    CHECK_EQ_INT(comparison.n_warnings, 3);
    CHECK_EQ_STR(comparison.warnings[0].text, "different drivers: a was run with 1, b with 2");
    mb_comparison_finish(&comparison);
    snprintf(b.device, sizeof b.device, "CPU");
    snprintf(b.results[0].input_sha256, sizeof b.results[0].input_sha256, "1");
    comparison = compare(&a, 1, &b, 1);
    CHECK_EQ_STR(comparison.warnings[0].text, "DIFFERENT DEVICES: a was run on GPU, b on CPU");
    CHECK_EQ_STR(comparison.warnings[3].text,
                 "different inputs: a.png is not the same image in a and b");
    CHECK_EQ_INT(comparison.n_rows, 1);
    mb_comparison_finish(&comparison);
    mb_result_file_finish(&a);
    mb_result_file_finish(&b);
}

static void test_no_memory(void)
{
    struct mb_result_file a = make_file("a", 2);
    struct mb_result_file b = make_file("b", 2);
    const uint64_t n_live = mb_alloc_live_count();
    unsigned n_failures = 0;
    for (uint64_t nth = 1; nth < 1000; nth++) {
        struct mb_comparison comparison;
        struct mb_err err = {0};
        fill(&a.results[0], 1000, 0.01, 1);
        mb_alloc_fail_nth(nth, false);
        const enum mb_status status =
            mb_compare_runs(&(struct mb_run_group){&a, 1}, &(struct mb_run_group){&b, 1},
                            &by_default, &comparison, &err);
        mb_alloc_fail_nth(0, false);
        mb_comparison_finish(&comparison);
        CHECK_EQ_INT(mb_alloc_live_count(), n_live);
        if (status == MB_OK) {
            break;
        }
        n_failures++;
        CHECK_EQ_INT(err.code, MB_ERRC_RUNTIME);
    }
    CHECK(n_failures >= 10 && n_failures < 999);
    mb_result_file_finish(&a);
    mb_result_file_finish(&b);
}

int main(void)
{
    test_planted();
    test_itself();
    test_groups();
    test_gaps();
    test_twice();
    test_copies();
    test_conditions();
    test_outlying_twin();
    test_order();
    test_repeats();
    test_runs_of_a_row();
    test_few_samples();
    test_many_rows(500);
    test_many_rows(0);
    test_warnings();
    test_no_memory();
    return check_summary("compare_runs");
}
