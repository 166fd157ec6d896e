/* Comparison across runs, on synthetic samples whose truth is known. */
#include "compare_fixture.h"

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
    CHECK_EQ_DBL(comparison.rows[0].ratio.figure, ratio, noise + 1e-9);
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
    CHECK_EQ_DBL(comparison.rows[4].ratio.figure, 1, 0);
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
    CHECK_EQ_INT(comparison.rows[0].found[MB_BASE].runs.n, MB_FEW_RUNS);
    CHECK(!comparison.rows[0].is_single_run);
    CHECK_EQ_INT(comparison.n_single_runs, 0);
    CHECK_EQ_INT(comparison.rows[0].outcome, MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_DBL(comparison.rows[0].median_ns[MB_BASE], 1000, 5);
    mb_comparison_finish(&comparison);
    comparison = compare(a, 1, b, 1);
    CHECK(comparison.rows[0].is_single_run);
    CHECK_EQ_INT(comparison.rows[0].outcome, MB_OUTCOME_SLOWER);
    mb_comparison_finish(&comparison);
    finish_runs(a);
    finish_runs(b);
}

/* Samples at one of five levels, each held for a fifth of the run: `wander` apart at most. */
static void fill_wandering(struct mb_file_result *result, double mean_ns, double wander,
                           uint64_t seed)
{
    static const double level[] = {-0.5, 0.5, 0, 0.25, -0.25};
    fill(result, mean_ns, 0.002, seed);
    for (size_t i = 0; i < result->n_samples; i++) {
        result->samples_ns[i] *= 1 + wander * level[5 * i / result->n_samples];
    }
}

#define N_WANDERING 8

/* One build on a machine with other work: it was slower by 4 % the second time, on the whole,
 * and one row was calm by luck. */
static void test_busy_machine(void)
{
    struct mb_result_file a = make_file("a", N_WANDERING);
    struct mb_result_file b = make_file("b", N_WANDERING);
    for (size_t i = 0; i < N_WANDERING; i++) {
        const double wander = i == 0 ? 0 : 0.1;
        fill_wandering(&a.results[i], 1000, wander, i);
        fill_wandering(&b.results[i], 1040, wander, 20 + i);
    }
    struct mb_comparison comparison = compare(&a, 1, &b, 1);
    CHECK_EQ_INT(comparison.n_rows, N_WANDERING);
    CHECK_EQ_INT(comparison.n_outcomes[MB_OUTCOME_INCONCLUSIVE], N_WANDERING);
    CHECK_EQ_INT(comparison.n_regressions, 0);
    for (size_t i = 0; i < comparison.n_rows; i++) {
        const struct mb_compare_row *row = &comparison.rows[i];
        CHECK_EQ_DBL(row->spread, 0.1, 0.01);
        CHECK_EQ_DBL(row->margin, row->threshold + row->spread, 1e-12);
        /* 2 x (2.8 x 0.1 / 2.3 / 0.03)^2 */
        CHECK(row->n_runs_needed > 25 && row->n_runs_needed < 45);
        CHECK_EQ_STR(row->reason, "");
    }
    mb_comparison_finish(&comparison);
    /* A fifth more is more than it wanders. */
    for (size_t i = 0; i < N_WANDERING; i++) {
        fill_wandering(&b.results[i], 1250, i == 0 ? 0 : 0.1, 20 + i);
    }
    comparison = compare(&a, 1, &b, 1);
    CHECK_EQ_INT(comparison.n_outcomes[MB_OUTCOME_SLOWER], N_WANDERING);
    CHECK_EQ_INT(comparison.rows[0].n_runs_needed, 0);
    CHECK_EQ_STR(comparison.rows[0].reason, "");
    mb_comparison_finish(&comparison);
    mb_result_file_finish(&a);
    mb_result_file_finish(&b);
}

/* Two runs a side that differ more than their samples do; and one of which nobody could tell.
 */
static void test_few_runs(void)
{
    struct mb_result_file a[2], b[2];
    for (size_t i = 0; i < 2; i++) {
        a[i] = make_run('a', i, 1);
        b[i] = make_run('b', i, 1);
        fill(&a[i].results[0], 1000 + 60 * (double)i, 0.002, i);
        fill(&b[i].results[0], 1075 + 60 * (double)i, 0.002, 20 + i);
    }
    struct mb_comparison comparison = compare(a, 2, b, 2);
    CHECK_EQ_DBL(comparison.rows[0].spread, 0.06, 0.005);
    CHECK_EQ_INT(comparison.rows[0].outcome, MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_INT(comparison.rows[0].n_runs_needed, MB_FEW_RUNS);
    mb_comparison_finish(&comparison);
    for (size_t i = 0; i < 2; i++) {
        fill(&b[i].results[0], 1011 + 60 * (double)i, 0.002, 20 + i);
    }
    comparison = compare(a, 2, b, 2);
    CHECK_EQ_INT(comparison.rows[0].n_runs_needed, MB_MANY_RUNS);
    mb_comparison_finish(&comparison);
    for (size_t i = 0; i < 2; i++) {
        mb_result_file_finish(&a[i]);
        mb_result_file_finish(&b[i]);
    }
}

/* Only one side has it, of a parameter or size that the other does not know: listed. In a run
 * that was cut short it may be what cut it. */
static void test_missing(void)
{
    for (int is_complete = 0; is_complete < 2; is_complete++) {
        struct mb_result_file a = make_file("a", 2);
        struct mb_result_file b = make_file("b", 2);
        for (size_t i = 0; i < 2; i++) {
            fill(&a.results[i], 1000, 0.002, i);
            fill(&b.results[i], 1000, 0.002, 10 + i);
        }
        b.results[1].key[1] = '9'; /* "s9": s1 with a parameter more */
        b.complete = is_complete;
        struct mb_comparison comparison = compare(&a, 1, &b, 1);
        CHECK_EQ_INT(comparison.n_gaps, 2);
        CHECK_EQ_INT(comparison.n_regressions, is_complete ? 0 : 1);
        mb_comparison_finish(&comparison);
        mb_result_file_finish(&a);
        mb_result_file_finish(&b);
    }
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
    /* Not asked for: nothing is worse for it. */
    check_gap(&comparison, 5, "s5", false,
              "NEW does not have it: it has Rgba8 instead of rgba8");
    check_gap(&comparison, 6, "s5", false,
              "BASE does not have it: it has rgba8 instead of Rgba8");
    CHECK_EQ_INT(comparison.n_gaps, 7);
    CHECK_EQ_INT(comparison.n_rows, 1);
    CHECK(!comparison.rows[0].is_checked);
    CHECK(comparison.rows[0].is_check_lost && comparison.rows[0].is_regression);
    CHECK(comparison.rows[0].outcome != MB_OUTCOME_SLOWER);
    CHECK_EQ_INT(comparison.n_checks_lost, 1);
    CHECK_EQ_INT(comparison.n_regressions, 5);
    CHECK_EQ_INT(comparison.n_warnings, 1);
    CHECK_EQ_STR(comparison.warnings[0],
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
    check_gap(&comparison, 0, "s0", false,
              "NEW does not have it: it has it only as cold latency, cold overlap, not as hot "
              "latency");
    mb_comparison_finish(&comparison);
    snprintf(b.results[1].condition, sizeof b.results[1].condition, "hot latency");
    comparison = compare(&a, 1, &b, 1);
    check_gap(&comparison, 0, "s0", false,
              "NEW does not have it: it has other parameters, alpha or shape, or one file does "
              "not tell (schema 1.0.0 and 1.2.0)");
    mb_comparison_finish(&comparison);
    mb_result_file_finish(&a);
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
    CHECK_EQ_STR(comparison.warnings[0], "different drivers: a was run with 1, b with 2");
    mb_comparison_finish(&comparison);
    snprintf(b.device, sizeof b.device, "CPU");
    snprintf(b.results[0].input_sha256, sizeof b.results[0].input_sha256, "1");
    comparison = compare(&a, 1, &b, 1);
    CHECK_EQ_STR(comparison.warnings[0], "DIFFERENT DEVICES: a was run on GPU, b on CPU");
    CHECK_EQ_STR(comparison.warnings[3],
                 "different inputs: a.png is not the same image in a and b");
    CHECK_EQ_INT(comparison.n_rows, 1);
    mb_comparison_finish(&comparison);
    mb_result_file_finish(&a);
    mb_result_file_finish(&b);
}

static enum mb_status compare_files(void *user, struct mb_err *err)
{
    struct mb_result_file *files = user;
    struct mb_comparison comparison;
    fill(&files[0].results[0], 1000, 0.01, 1);
    const struct mb_run_group sides[] = {{&files[0], 1}, {&files[1], 1}};
    const enum mb_status status = mb_compare_runs(sides, &by_default, &comparison, err);
    mb_comparison_finish(&comparison);
    return status;
}

static void test_no_memory(void)
{
    struct mb_result_file files[] = {make_file("a", 2), make_file("b", 2)};
    CHECK(check_each_allocation(compare_files, files) >= 10);
    mb_result_file_finish(&files[0]);
    mb_result_file_finish(&files[1]);
}

int main(void)
{
    return CHECK_TESTS(test_planted, test_itself, test_groups, test_busy_machine, test_few_runs,
                       test_missing, test_gaps, test_twice, test_copies, test_conditions,
                       test_warnings, test_no_memory);
}
