/* Comparison across runs, on synthetic samples whose truth is known. */
#include <time.h>

#include "compare_fixture.h"

#define N_MANY      1100 /* results of one file */
#define N_WANDERING 8

static const struct mb_compare_options by_default = {
    .threshold = 0.01, .seed = 1, .n_resamples = 500};

/* Runs "a", "b", ... of one side against "A", "B", ... of the other, and what came of it. */
struct duel {
    struct mb_run run[MB_N_SIDES][MB_FEW_RUNS];
    size_t n_runs[MB_N_SIDES], n_results[MB_N_SIDES];
    struct mb_comparison found;
};

static struct duel make_duel(size_t n_runs, size_t n_base_results, size_t n_new_results)
{
    struct duel duel = {.n_runs = {n_runs, n_runs},
                        .n_results = {n_base_results, n_new_results}};
    for (size_t i = 0; i < n_runs; i++) {
        for (int side = 0; side < MB_N_SIDES; side++) {
            const char path[] = {(char)((side == MB_BASE ? 'a' : 'A') + (int)i), '\0'};
            duel.run[side][i] = make_file(path, duel.n_results[side]);
        }
    }
    return duel;
}

/* Result `index` of run `i` on both sides: about `base_ns` and `new_ns`. */
static void fill_both(struct duel *duel, size_t i, size_t index, double base_ns, double new_ns,
                      double noise)
{
    fill(&duel->run[MB_BASE][i], index, base_ns, noise, 2 * i + index);
    fill(&duel->run[MB_NEW][i], index, new_ns, noise, 20 + 2 * i + index);
}

/* Compare, again if need be. */
static const struct mb_compared *compare(struct duel *duel)
{
    const struct mb_run_group sides[] = {{duel->run[MB_BASE], duel->n_runs[MB_BASE]},
                                         {duel->run[MB_NEW], duel->n_runs[MB_NEW]}};
    mb_comparison_finish(&duel->found);
    CHECK_EQ_INT(mb_compare_runs(sides, &by_default, &duel->found, NULL), MB_OK);
    return duel->found.tests;
}

static size_t n_gaps(const struct duel *duel)
{
    return duel->found.n_tests - duel->found.n_compared;
}

/* The runs of BASE against themselves. */
static const struct mb_compared *compare_itself(struct duel *duel)
{
    const struct mb_run_group base = {duel->run[MB_BASE], duel->n_runs[MB_BASE]};
    const struct mb_run_group sides[] = {base, base};
    mb_comparison_finish(&duel->found);
    CHECK_EQ_INT(mb_compare_runs(sides, &by_default, &duel->found, NULL), MB_OK);
    return duel->found.tests;
}

static void finish(struct duel *duel)
{
    mb_comparison_finish(&duel->found);
    for (int side = 0; side < MB_N_SIDES; side++) {
        for (size_t i = 0; i < MB_FEW_RUNS; i++) {
            struct mb_run *run = &duel->run[side][i];
            run->n_cases = run->cases != NULL ? duel->n_results[side] : 0;
            mb_run_finish(run);
        }
    }
}

static void test_planted(void)
{
    static const struct {
        double ratio, noise, aa_ratio;
        enum mb_outcome outcome;
    } cases[] = {
        {1.05, 0.005, (double)NAN, MB_OUTCOME_SLOWER},
        {0.95, 0.005, (double)NAN, MB_OUTCOME_FASTER},
        {1.00, 0.005, (double)NAN, MB_OUTCOME_SAME},
        {1.05, 0.5, (double)NAN, MB_OUTCOME_INCONCLUSIVE},
        /* The A/A twin was off by as much: nothing is said. */
        {1.05, 0.005, 1.08, MB_OUTCOME_INCONCLUSIVE},
        {1.05, 0.005, 0.92, MB_OUTCOME_INCONCLUSIVE},
        /* Within what differs from run to run, and no sameness either. */
        {1.035, 0.002, (double)NAN, MB_OUTCOME_INCONCLUSIVE},
        {1.05, 0.005, 1.001, MB_OUTCOME_SLOWER},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct duel duel = make_duel(1, 1, 1);
        fill_both(&duel, 0, 0, 1000, 1000 * cases[i].ratio, cases[i].noise);
        timing_at(&duel.run[MB_NEW][0], 0)->twin.ratio = cases[i].aa_ratio;
        const struct mb_compared *row = compare(&duel);
        CHECK_EQ_INT(duel.found.n_compared, 1);
        CHECK(row->is_single_run);
        CHECK_EQ_INT(row->outcome, cases[i].outcome);
        CHECK_EQ_DBL(row->ratio.figure, cases[i].ratio, cases[i].noise + 1e-9);
        CHECK_EQ_INT(duel.found.n_outcomes[row->outcome], 1);
        CHECK_EQ_INT(duel.found.n_regressions, row->outcome == MB_OUTCOME_SLOWER ? 1 : 0);
        finish(&duel);
    }
}

/* About normally distributed, with a standard deviation of 1: a sum of twelve. */
static double normal(struct mb_rng *rng)
{
    double sum = -6.0;
    for (int i = 0; i < 12; i++) {
        sum += check_random_unit(rng);
    }
    return sum;
}

/* How many of 200 comparisons say FASTER or SLOWER, where runs spread by `spread` around what
 * they are of, and NEW takes `ratio` times as long as BASE. */
static uint32_t count_verdicts(size_t n_runs, double spread, double ratio)
{
    struct mb_rng rng;
    uint32_t n_verdicts = 0;
    mb_rng_init(&rng, 11);
    for (int k = 0; k < 200; k++) {
        struct duel duel = make_duel(n_runs, 1, 1);
        for (size_t i = 0; i < n_runs; i++) {
            fill_both(&duel, i, 0, 1000 * (1 + spread * normal(&rng)),
                      1000 * ratio * (1 + spread * normal(&rng)), 0.002);
        }
        const enum mb_outcome outcome = compare(&duel)->outcome;
        n_verdicts += outcome == MB_OUTCOME_SLOWER || outcome == MB_OUTCOME_FASTER;
        finish(&duel);
    }
    return n_verdicts;
}

/* Neither single runs nor five a side, which may spread by 2 %, are wrong in more than one of a
 * hundred comparisons of a build with itself; and 5 % are found in nine of ten. */
static void test_run_to_run(void)
{
    CHECK(count_verdicts(1, 0.005, 1.0) <= 2);
    CHECK(count_verdicts(1, 0.01, 1.0) <= 2);
    CHECK(count_verdicts(MB_FEW_RUNS, 0.005, 1.0) <= 2);
    CHECK(count_verdicts(MB_FEW_RUNS, 0.01, 1.0) <= 2);
    CHECK(count_verdicts(MB_FEW_RUNS, 0.02, 1.0) <= 2);
    CHECK(count_verdicts(1, 0.005, 1.05) >= 180);
    CHECK(count_verdicts(MB_FEW_RUNS, 0.01, 1.05) >= 180);
}

/* What was exact and is not any more is a regression, however fast it is. */
static void test_exact_lost(void)
{
    struct duel duel = make_duel(1, 1, 1);
    fill_both(&duel, 0, 0, 1000, 900, 0.002);
    set_exact(row_at(&duel.run[MB_BASE][0], 0), true);
    set_exact(row_at(&duel.run[MB_NEW][0], 0), false);
    const struct mb_compared *row = compare(&duel);
    CHECK(row->change == MB_CHANGE_INEXACT && row->outcome == MB_OUTCOME_FASTER);
    CHECK(duel.found.n_changes[MB_CHANGE_INEXACT] == 1 && duel.found.n_regressions == 1);
    set_exact(row_at(&duel.run[MB_NEW][0], 0), true);
    CHECK(compare(&duel)->change == MB_CHANGE_FASTER && duel.found.n_regressions == 0);
    finish(&duel);
}

/* However noisy, a file against itself is the same. */
static void test_itself(void)
{
    struct duel duel = make_duel(1, 5, 5);
    for (size_t i = 0; i < 5; i++) {
        fill_both(&duel, 0, i, 1000, 1000, 0.2 * (double)i);
    }
    const struct mb_compared *rows = compare_itself(&duel);
    CHECK_EQ_INT(duel.found.n_compared, 5);
    CHECK_EQ_INT(duel.found.n_outcomes[MB_OUTCOME_SAME], 5);
    CHECK_EQ_INT(n_gaps(&duel) + duel.found.warnings.n + duel.found.n_regressions, 0);
    CHECK(rows[4].is_identical);
    CHECK_EQ_DBL(rows[4].ratio.figure, 1, 0);
    finish(&duel);
}

/* Runs that differ by more than samples do: one run a side is sure of itself, five are not. */
static void test_groups(void)
{
    static const double means_ns[] = {1000, 1100, 950, 1050, 1000};
    struct duel duel = make_duel(MB_FEW_RUNS, 1, 1);
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        fill_both(&duel, i, 0, means_ns[i], means_ns[i] * 1.06, 0.002);
    }
    const struct mb_compared *row = compare(&duel);
    CHECK_EQ_INT(row->side[MB_BASE].runs.n, MB_FEW_RUNS);
    CHECK(!row->is_single_run);
    CHECK_EQ_INT(duel.found.n_single_runs, 0);
    CHECK_EQ_INT(row->outcome, MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_DBL(row->median_ns[MB_BASE], 1000, 5);
    duel.n_runs[MB_BASE] = duel.n_runs[MB_NEW] = 1;
    row = compare(&duel);
    CHECK(row->is_single_run);
    CHECK_EQ_INT(row->outcome, MB_OUTCOME_SLOWER);
    finish(&duel);
}

/* Samples at one of five levels, each held for a fifth of the run: `wander` apart at most. */
static void add_wander(const struct mb_run *run, size_t at, double wander)
{
    static const double level[] = {-0.5, 0.5, 0, 0.25, -0.25};
    for (size_t i = 0; i < N_SAMPLES; i++) {
        *sample_at(run, at, i) *= 1 + wander * level[5 * i / N_SAMPLES];
    }
}

static void fill_wandering(struct duel *duel, double new_ns)
{
    for (size_t i = 0; i < N_WANDERING; i++) {
        fill_both(duel, 0, i, 1000, new_ns, 0.002);
        for (int side = 0; i > 0 && side < MB_N_SIDES; side++) {
            add_wander(&duel->run[side][0], i, 0.1);
        }
    }
}

/* One build on a machine with other work: it was slower by 4 % the second time, on the whole,
 * and one row was calm by luck. */
static void test_busy_machine(void)
{
    struct duel duel = make_duel(1, N_WANDERING, N_WANDERING);
    fill_wandering(&duel, 1040);
    compare(&duel);
    CHECK_EQ_INT(duel.found.n_compared, N_WANDERING);
    CHECK_EQ_INT(duel.found.n_outcomes[MB_OUTCOME_INCONCLUSIVE], N_WANDERING);
    CHECK_EQ_INT(duel.found.n_regressions, 0);
    for (size_t i = 0; i < duel.found.n_compared; i++) {
        const struct mb_compared *row = &duel.found.tests[i];
        CHECK_EQ_DBL(row->spread, 0.1, 0.01);
        CHECK_EQ_DBL(row->margin, row->threshold + row->spread, 1e-12);
        /* 2 x (2.8 x 0.1 / 2.3 / 0.03)^2 */
        CHECK(row->n_runs_needed > 25 && row->n_runs_needed < 45);
        CHECK_EQ_STR(row->reason, "");
    }
    fill_wandering(&duel, 1250); /* a fifth more is more than it wanders */
    const struct mb_compared *row = compare(&duel);
    CHECK_EQ_INT(duel.found.n_outcomes[MB_OUTCOME_SLOWER], N_WANDERING);
    CHECK_EQ_INT(row->n_runs_needed, 0);
    CHECK_EQ_STR(row->reason, "");
    finish(&duel);
}

/* Two runs a side that differ more than their samples do; and one of which nobody could tell.
 */
static void test_few_runs(void)
{
    struct duel duel = make_duel(2, 1, 1);
    for (size_t i = 0; i < 2; i++) {
        fill_both(&duel, i, 0, 1000 + 60 * (double)i, 1075 + 60 * (double)i, 0.002);
    }
    const struct mb_compared *row = compare(&duel);
    CHECK_EQ_DBL(row->spread, 0.06, 0.005);
    CHECK_EQ_INT(row->outcome, MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_INT(row->n_runs_needed, MB_FEW_RUNS);
    for (size_t i = 0; i < 2; i++) {
        fill_both(&duel, i, 0, 1000 + 60 * (double)i, 1011 + 60 * (double)i, 0.002);
    }
    CHECK_EQ_INT(compare(&duel)->n_runs_needed, MB_MANY_RUNS);
    finish(&duel);
}

/* Five runs a side, of which twins are off in one: that run's ill luck hides nothing. */
static void test_outlying_twin(void)
{
    struct duel duel = make_duel(MB_FEW_RUNS, 1, 1);
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        fill_both(&duel, i, 0, 1000, 1050, 0.002);
        timing_at(&duel.run[MB_BASE][i], 0)->twin.ratio = 1.001;
        timing_at(&duel.run[MB_NEW][i], 0)->twin.ratio = i == 3 ? 1.06 : 0.999;
    }
    const struct mb_compared *row = compare(&duel);
    CHECK_EQ_INT(row->outcome, MB_OUTCOME_SLOWER);
    CHECK_EQ_DBL(row->margin, 0.01, 1e-12);
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        timing_at(&duel.run[MB_NEW][i], 0)->twin.ratio = 1.06;
    }
    CHECK_EQ_INT(compare(&duel)->outcome, MB_OUTCOME_INCONCLUSIVE);
    finish(&duel);
}

/* The order in which runs are named changes nothing. */
static void test_order(void)
{
    struct duel duel = make_duel(MB_FEW_RUNS, 2, 2);
    struct mb_run back[MB_FEW_RUNS];
    struct mb_comparison other;
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        for (size_t k = 0; k < 2; k++) {
            fill_both(&duel, i, k, 1000 + 100 * (double)i, 1200 + 90 * (double)i, 0.1);
        }
        back[MB_FEW_RUNS - 1 - i] = duel.run[MB_BASE][i];
    }
    const struct mb_run_group itself[] = {{duel.run[MB_BASE], MB_FEW_RUNS},
                                          {back, MB_FEW_RUNS}};
    CHECK_EQ_INT(mb_compare_runs(itself, &by_default, &other, NULL), MB_OK);
    CHECK_EQ_INT(other.n_outcomes[MB_OUTCOME_SAME], 2);
    CHECK(other.tests[0].is_identical);
    mb_comparison_finish(&other);
    const struct mb_run_group turned[] = {{back, MB_FEW_RUNS}, {duel.run[MB_NEW], MB_FEW_RUNS}};
    const struct mb_estimate one = compare(&duel)[1].ratio;
    CHECK_EQ_INT(mb_compare_runs(turned, &by_default, &other, NULL), MB_OK);
    CHECK_EQ_DBL(one.p, other.tests[1].ratio.p, 0);
    CHECK_EQ_DBL(one.ci[0], other.tests[1].ratio.ci[0], 0);
    CHECK_EQ_DBL(one.ci[1], other.tests[1].ratio.ci[1], 0);
    mb_comparison_finish(&other);
    finish(&duel);
}

/* One run five times over, under whatever name, is one run. */
static void test_repeats(void)
{
    struct duel duel = make_duel(MB_FEW_RUNS, 2, 2);
    fill(&duel.run[MB_NEW][0], 0, 1000, 0.01, 9);
    duel.n_runs[MB_NEW] = 1;
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        struct mb_run *run = &duel.run[MB_BASE][i];
        snprintf(run->sha256, sizeof run->sha256, "same");
        fill(run, 0, 1000, 0.01, 1);
    }
    const struct mb_compared *row = compare(&duel);
    CHECK_EQ_INT(row->side[MB_BASE].runs.n, 1);
    CHECK(row->is_single_run);
    CHECK_EQ_INT(duel.found.warnings.n, 1);
    CHECK_EQ_STR(duel.found.warnings.items[0],
                 "4 of 5 files in the base repeat a run; each run counts once");
    duel.run[MB_BASE][4].sha256[0] = 'S';
    CHECK_EQ_INT(compare(&duel)->side[MB_BASE].runs.n, 2);
    finish(&duel);
}

/* Five files a side, of which four lack one of the results: that is of a single run. */
static void test_runs_of_a_row(void)
{
    struct duel duel = make_duel(MB_FEW_RUNS, 2, 2);
    for (size_t i = 0; i < MB_FEW_RUNS; i++) {
        for (size_t k = 0; k < 2; k++) {
            fill_both(&duel, i, k, 1000, 1018, 0.002);
        }
        duel.run[MB_NEW][i].n_cases = i == 0 ? 2 : 1;
    }
    const struct mb_compared *rows = compare(&duel);
    CHECK_EQ_INT(duel.found.n_compared, 2);
    CHECK_EQ_INT(duel.found.n_single_runs, 1);
    CHECK(!rows[0].is_single_run);
    CHECK_EQ_INT(rows[0].outcome, MB_OUTCOME_SLOWER);
    CHECK(rows[1].is_single_run);
    CHECK_EQ_INT(rows[1].outcome, MB_OUTCOME_INCONCLUSIVE);
    finish(&duel);
}

static void test_few_samples(void)
{
    static const struct {
        uint32_t n_base, n_new;
        enum mb_outcome outcome;
        const char *reason;
    } cases[] = {
        {1, 1, MB_OUTCOME_INCONCLUSIVE, "1 sample in the base, at least 6 are needed"},
        {80, 5, MB_OUTCOME_INCONCLUSIVE, "5 samples now, at least 6 are needed"},
        {6, 6, MB_OUTCOME_SLOWER, ""},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct duel duel = make_duel(1, 1, 1);
        keep_samples(&duel.run[MB_BASE][0], 0, cases[i].n_base);
        keep_samples(&duel.run[MB_NEW][0], 0, cases[i].n_new);
        fill_both(&duel, 0, 0, 1000, 2000, 0.001);
        const struct mb_compared *row = compare(&duel);
        CHECK_EQ_INT(row->outcome, cases[i].outcome);
        CHECK_EQ_STR(row->reason, cases[i].reason);
        CHECK_EQ_INT(isnan(row->ratio.ci[0]), cases[i].reason[0] != '\0');
        CHECK_EQ_DBL(row->ratio.figure, 2, 0.01);
        CHECK_EQ_INT(compare_itself(&duel)->outcome, MB_OUTCOME_SAME); /* however few */
        finish(&duel);
    }
}

/* With many rows every one must be far beyond chance, and half as much again is. A first file
 * that was cut short changes nothing. */
static void check_many_rows(uint32_t n_resamples)
{
    struct duel duel = make_duel(2, N_MANY, N_MANY);
    struct mb_run *a = duel.run[MB_BASE], *b = duel.run[MB_NEW];
    const struct mb_run_group sides[] = {{a, 2}, {b, 1}};
    const struct mb_compare_options options = {.threshold = 0.01, .n_resamples = n_resamples};
    for (size_t i = 0; i < N_MANY; i++) {
        keep_samples(&a[0], i, 20);
        keep_samples(&a[1], i, 20);
        keep_samples(&b[0], i, 20);
        fill(&a[0], i, 1000, 0.01, i);
        fill(&a[1], i, 1000, 0.01, i + N_MANY);
        fill(&b[0], i, 1500, 0.01, i + 2 * N_MANY);
    }
    a[0].n_cases = 1;
    CHECK_EQ_INT(mb_compare_runs(sides, &options, &duel.found, NULL), MB_OK);
    CHECK_EQ_INT(duel.found.n_compared, N_MANY);
    CHECK_EQ_INT(duel.found.n_outcomes[MB_OUTCOME_SLOWER], N_MANY);
    finish(&duel);
}

static void test_many_rows(void)
{
    check_many_rows(500);
    check_many_rows(0);
}

/* Test `i` of those that cannot be compared. */
static void check_gap(const struct duel *duel, size_t i, const char *label, bool is_regression,
                      const char *reason)
{
    const struct mb_compared *test = duel->found.tests;
    size_t n_left = duel->found.n_tests;
    CHECK(i < n_gaps(duel));
    for (; n_left > 0 && (mb_has_ratio(test) || i > 0); test++, n_left--) {
        i -= !mb_has_ratio(test);
    }
    if (n_left > 0) {
        CHECK_EQ_STR(test->row->result->label, label);
        CHECK_EQ_STR(test->reason, reason);
        CHECK_EQ_INT(mb_is_regression(test), is_regression);
    }
}

/* Each side has it in its own way: listed. In a run that was cut short it may be what cut it.
 */
static void test_missing(void)
{
    for (int is_complete = 0; is_complete < 2; is_complete++) {
        struct duel duel = make_duel(1, 2, 2);
        for (size_t i = 0; i < 2; i++) {
            fill_both(&duel, 0, i, 1000, 1000, 0.002);
        }
        timing_at(&duel.run[MB_NEW][0], 1)->cache = MB_CACHE_COLD;
        duel.run[MB_NEW][0].complete = is_complete;
        compare(&duel);
        CHECK_EQ_INT(n_gaps(&duel), 2);
        CHECK_EQ_INT(duel.found.n_regressions, is_complete ? 0 : 1);
        finish(&duel);
    }
}

/* A strategy or an image that was right, and of which there is nothing now. */
static void test_gone(void)
{
    struct duel duel = make_duel(1, 2, 1);
    fill_both(&duel, 0, 0, 1000, 1000, 0.002);
    for (int was_right = 0; was_right < 2; was_right++) {
        row_at(&duel.run[MB_BASE][0], 1)->result->verify =
            was_right ? MB_VERIFY_PASS : MB_VERIFY_SKIPPED;
        compare(&duel);
        CHECK_EQ_INT(n_gaps(&duel), 1);
        check_gap(&duel, 0, "s1", was_right, "not there now");
        CHECK_EQ_INT(duel.found.n_regressions, was_right);
    }
    finish(&duel);
}

static void test_gaps(void)
{
    struct duel duel = make_duel(1, 7, 7);
    const struct mb_run *a = &duel.run[MB_BASE][0], *b = &duel.run[MB_NEW][0];
    struct mb_result *wrong = row_at(b, 0)->result, *skipped = row_at(b, 2)->result;
    for (size_t i = 0; i < 7; i++) {
        fill_both(&duel, 0, i, 1000, 1000, 0.01);
    }
    wrong->status = MB_RESULT_FAILED;
    wrong->verify = MB_VERIFY_FAIL;
    snprintf(wrong->reason, sizeof wrong->reason, "level 1 is wrong");
    row_at(a, 1)->result->status = MB_RESULT_FAILED;
    skipped->status = MB_RESULT_SKIPPED;
    snprintf(skipped->reason, sizeof skipped->reason, "no subgroups");
    *sample_at(b, 3, 0) = *sample_at(b, 3, 7) = (double)NAN;
    keep_samples(b, 4, 0);
    b->cases[5]->layout.format = mb_format_find("r8");
    row_at(b, 6)->result->verify = MB_VERIFY_SKIPPED;
    const struct mb_compared *row = &compare(&duel)[6];
    check_gap(&duel, 0, "s0", true, "wrong texels now, in A: level 1 is wrong");
    check_gap(&duel, 1, "s1", false, "failed in the base, in a");
    check_gap(&duel, 2, "s2", true, "skipped now: no subgroups");
    check_gap(&duel, 3, "s3", true, "2 of 80 samples now are not times");
    check_gap(&duel, 4, "s4", true, "no samples now");
    /* Not asked for: nothing is worse for it. */
    check_gap(&duel, 5, "s5", false, "not there now, only a 1x1 r8 avg, hot latency");
    check_gap(&duel, 6, "s5", false,
              "not there in the base, only a 1x1 rgba8 avg, hot latency");
    CHECK_EQ_INT(n_gaps(&duel), 7);
    CHECK_EQ_INT(duel.found.n_compared, 1);
    CHECK(row->change == MB_CHANGE_UNVERIFIED && row->outcome != MB_OUTCOME_SLOWER);
    CHECK_EQ_INT(duel.found.n_changes[MB_CHANGE_WRONG], 1);
    CHECK_EQ_INT(duel.found.n_changes[MB_CHANGE_GONE], 3);
    CHECK_EQ_INT(duel.found.n_regressions, 5);
    CHECK_EQ_INT(duel.found.warnings.n, 0);
    finish(&duel);
}

/* Of an image that was given twice the first one counts. */
static void test_twice(void)
{
    struct duel duel = make_duel(1, 1, 2);
    fill_both(&duel, 0, 0, 1000, 1000, 0.001);
    fill(&duel.run[MB_NEW][0], 1, 3000, 0.001, 1);
    strcpy(row_at(&duel.run[MB_NEW][0], 1)->result->label, "s0");
    compare(&duel);
    CHECK_EQ_INT(duel.found.n_tests, 1);
    CHECK_EQ_INT(duel.found.n_outcomes[MB_OUTCOME_SAME], 1);
    finish(&duel);
}

static void test_warnings(void)
{
    struct duel duel = make_duel(1, 1, 1);
    struct mb_run *b = &duel.run[MB_NEW][0];
    fill_both(&duel, 0, 0, 1000, 1000, 0.001);
    b->complete = false;
    b->validate = true;
    compare(&duel);
    CHECK_EQ_INT(duel.found.warnings.n, 2);
    CHECK_EQ_STR(duel.found.warnings.items[0],
                 "A was run with --validate, which distorts times");
    CHECK_EQ_STR(duel.found.warnings.items[1], "A: the run was interrupted");
    strcpy(b->device.name, "CPU");
    strcpy(b->cases[0]->input_sha256, "1");
    compare(&duel);
    CHECK_EQ_STR(duel.found.warnings.items[2], "different devices: a was run on GPU, A on CPU");
    CHECK_EQ_STR(duel.found.warnings.items[3], "a.png is not the same image in a and A");
    CHECK_EQ_INT(duel.found.n_compared, 0); /* what is in a file counts, not its name */
    finish(&duel);
}

static enum mb_status compare_files(void *user, struct mb_err *err)
{
    struct duel *duel = user;
    const struct mb_run_group sides[] = {{duel->run[MB_BASE], 1}, {duel->run[MB_NEW], 1}};
    const enum mb_status status = mb_compare_runs(sides, &by_default, &duel->found, err);
    mb_comparison_finish(&duel->found);
    return status;
}

/* A search of all matches for each row takes some hundred times as long. */
static void test_match_is_fast(void)
{
    struct mb_run run = make_run("a");
    const size_t n = 40000;
    struct mb_case *c = add_results(&run, 0, n);
    for (size_t i = 0; i < n; i++) {
        snprintf(c->results[i].label, MB_LABEL_BYTES, "%zu", i);
    }
    const struct mb_run *runs[] = {&run, &run};
    const struct mb_side_runs side = {runs, 2};
    struct mb_tests found;
    const clock_t begin = clock();
    CHECK_EQ_INT(mb_match_runs(&side, 1, &found, NULL), MB_OK);
    CHECK((double)(clock() - begin) / CLOCKS_PER_SEC < 2.0);
    CHECK_EQ_INT(found.n, n);
    for (size_t i = 0; i < found.n; i++) {
        CHECK(found.tests[i].of[0] == row_at(&run, i));
        CHECK(found.tests[i].of[1] == row_at(&run, i));
    }
    mb_tests_finish(&found);
    mb_run_finish(&run);
}

static void test_no_memory(void)
{
    struct duel duel = make_duel(1, 2, 2);
    fill_both(&duel, 0, 0, 1000, 0, 0.01);
    CHECK(check_each_allocation(compare_files, &duel) >= 10);
    finish(&duel);
}

int main(void)
{
    return CHECK_TESTS(test_planted, test_run_to_run, test_exact_lost, test_itself, test_groups,
                       test_busy_machine, test_few_runs, test_outlying_twin, test_order,
                       test_repeats, test_runs_of_a_row, test_few_samples, test_many_rows,
                       test_missing, test_gone, test_gaps, test_twice, test_warnings,
                       test_match_is_fast, test_no_memory);
}
