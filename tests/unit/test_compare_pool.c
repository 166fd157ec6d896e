/* Pooling of runs whose truth is known. */
#include "compare/pool.h"

#include "compare/run_headline.h"

#include "compare_fixture.h"
#include "result/case_json.h"

#define N_RUNS 3

static const struct mb_bootstrap how = {.seed = 1};

/* A run of rows of one timing: row i takes ratio[i] times `scale_ns`, and all of a block share
 * a clock that wanders by 20 %, which pairing takes out. */
static struct mb_run make_timing(const char *path, const double *ratio, size_t n,
                                 double scale_ns, uint64_t seed)
{
    struct mb_run file = make_run(path);
    file.tool.git_sha = "abc";
    add_results(&file, 0, n);
    for (size_t i = 0; i < n; i++) {
        struct mb_result *result = row_at(&file, i)->result;
        set_exact(row_at(&file, i), true);
        result->verify = MB_VERIFY_PASS;
        snprintf(result->slug, sizeof result->slug, "v%zu", i);
        fill(&file, i, scale_ns * ratio[i], 0.002, seed + 100 * i);
        for (size_t k = 0; k < N_SAMPLES; k++) {
            *sample_at(&file, i, k) *= 1 + 0.2 * sin((double)k / 10);
        }
    }
    return file;
}

static void finish_files(struct mb_run *files, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mb_run_finish(&files[i]);
    }
}

static const struct mb_timing *timing_of(const struct mb_pool *pool)
{
    return &pool->run.cases[0]->timings[0];
}

static const struct mb_row *row_of(const struct mb_pool *pool, size_t i)
{
    return &timing_of(pool)->rows[i];
}

static size_t n_runs_of(const struct mb_pool *pool, size_t i)
{
    return row_of(pool, i)->n_runs;
}

/* The sentence on the first timing ends so. */
static void check_sentence(const struct mb_pool *pool, const char *want)
{
    struct mb_strbuf sentence = {0};
    const struct mb_ranking ranking = mb_ranking_of(&pool->run, timing_of(pool));
    mb_ranking_describe(&sentence, &ranking);
    const size_t n = strlen(want);
    CHECK(sentence.n_bytes >= n);
    CHECK_EQ_STR(sentence.text + sentence.n_bytes - n, want);
    mb_strbuf_finish(&sentence);
}

/* Who is named for each question in turn: "v1", "-" where nobody is. */
static void check_winners(const struct mb_pool *pool, const char *exact, const char *any)
{
    MB_SCOPED(mb_json) json;
    mb_json_init(&json);
    const struct mb_ranking ranking = mb_ranking_of(&pool->run, timing_of(pool));
    mb_report_rankings(&json, json.root, &ranking);
    const struct cJSON *first = mb_json_elements(json.root, "rankings");
    const char *winner = mb_json_read_string(first, "winner");
    CHECK_EQ_STR(winner ? winner : "-", exact);
    winner = mb_json_read_string(first->next, "winner");
    CHECK_EQ_STR(winner ? winner : "-", any);
}

static struct mb_pools pool(const struct mb_run *files, size_t n)
{
    struct mb_pools pools;
    CHECK_EQ_INT(mb_pool_runs(&(struct mb_run_group){files, n}, &how, &pools, NULL), MB_OK);
    return pools;
}

/* Three runs that are 10 % apart: medians tell nothing of a lead of 3 %, blocks do. */
static void test_planted(void)
{
    static const double ratio[] = {1.03, 1.0, 2.0};
    static const double scale_ns[N_RUNS] = {1000, 1100, 1050};
    struct mb_run files[N_RUNS];
    for (size_t i = 0; i < N_RUNS; i++) {
        const char path[] = {(char)('a' + i), '\0'};
        files[i] = make_timing(path, ratio, 3, scale_ns[i], 10 * i);
    }
    struct mb_pools pools = pool(files, N_RUNS);
    CHECK_EQ_INT(pools.n_pools, 1);
    CHECK_EQ_INT(pools.pools[0].run.n_cases, 1);
    const struct mb_pool *pool_0 = &pools.pools[0];
    const struct mb_timing *timing = timing_of(pool_0);
    CHECK_EQ_INT(timing->of->n_results, 3);
    CHECK_EQ_INT(timing->question, MB_QUESTION_EXACT);
    CHECK_EQ_INT(timing->fastest, 1);
    CHECK_EQ_INT(mb_ranking_of(&pool_0->run, timing).winner, 1);
    check_sentence(pool_0, "s1 is the fastest exact strategy, 1.03x faster than s0.");
    check_winners(pool_0, "v1", "v1");
    for (size_t i = 0; i < 3; i++) {
        const struct mb_row *row = &timing->rows[i];
        const double off = 0.002 * ratio[i];
        CHECK_EQ_INT(n_runs_of(pool_0, i), N_RUNS);
        CHECK_EQ_INT(row->stats.n, N_RUNS * N_SAMPLES);
        CHECK_EQ_DBL(row->relation.ratio, ratio[i], off);
        CHECK(row->relation.ci[0] <= ratio[i] + off && row->relation.ci[1] >= ratio[i] - off);
        CHECK(row->relation.ci[1] - row->relation.ci[0] < 0.01 * ratio[i]);
        /* Runs are 10 % apart, and the interval knows of it. */
        CHECK(row->stats.median_ci_ns[1] - row->stats.median_ci_ns[0] >
              0.05 * row->stats.median_ns);
        CHECK(row->stats.median_ci_ns[0] <= row->stats.median_ns &&
              row->stats.median_ns <= row->stats.median_ci_ns[1]);
    }
    mb_pools_finish(&pools);
    finish_files(files, N_RUNS);
}

/* Rows as fast as each other cannot be told apart, and the sentence says of what. */
static void test_tie(void)
{
    static const double ratio[] = {1.0, 1.0};
    struct mb_run files[] = {make_timing("a", ratio, 2, 1000, 1),
                             make_timing("b", ratio, 2, 1000, 2)};
    struct mb_pools pools = pool(files, 2);
    const struct mb_pool *pool_0 = &pools.pools[0];
    const struct mb_timing *timing = timing_of(pool_0);
    check_sentence(pool_0, " differ by less than the noise of these runs.");
    check_winners(pool_0, "-", "-");
    CHECK(mb_ranking_of(&pool_0->run, timing).winner == SIZE_MAX);
    mb_pools_finish(&pools);
    pools = pool(files, 1);

    check_sentence(&pools.pools[0], " differ by less than the noise.");
    mb_pools_finish(&pools);
    finish_files(files, 2);
}

/* The fastest exact one is clear, and of any cannot be told from one that loses something. */
static void test_undecided(void)
{
    static const double ratio[] = {1.0, 1.003, 2.0};
    struct mb_run file = make_timing("a", ratio, 3, 1000, 1);
    set_exact(row_at(&file, 1), false);
    struct mb_pools pools = pool(&file, 1);
    check_winners(&pools.pools[0], "v0", "-");
    mb_pools_finish(&pools);
    mb_run_finish(&file);
}

/* One run has its own figures: the interval is that of order statistics, and relations are kept
 * where it has any. */
static void test_single(void)
{
    static const double ratio[] = {1.0, 1.5};
    struct mb_run file = make_timing("a", ratio, 2, 1000, 1);
    struct mb_pools pools = pool(&file, 1);
    const struct mb_row *row = row_of(&pools.pools[0], 1);
    struct mb_stats stats;
    double samples_ns[N_SAMPLES];
    mb_samples_column(&timing_at(&file, 1)->samples, 1, samples_ns);
    CHECK_EQ_INT(mb_stats_compute(samples_ns, N_SAMPLES, &stats, NULL), MB_OK);
    CHECK_EQ_DBL(row->stats.median_ns, stats.median_ns, 0);
    CHECK_EQ_DBL(row->stats.median_ci_ns[0], stats.median_ci_ns[0], 0);
    CHECK_EQ_DBL(row->stats.median_ci_ns[1], stats.median_ci_ns[1], 0);
    CHECK_EQ_INT(row->relation.outcome, MB_OUTCOME_SLOWER);
    mb_pools_finish(&pools);
    timing_at(&file, 0)->fastest = 0;
    row_at(&file, 1)->relation.ratio = 1.25;
    pools = pool(&file, 1);
    CHECK_EQ_DBL(row_of(&pools.pools[0], 1)->relation.ratio, 1.25, 0);
    mb_pools_finish(&pools);
    mb_run_finish(&file);
}

/* Builds stay apart, a run named twice counts once, and order changes nothing. */
static void test_groups(void)
{
    static const double ratio[] = {1.0, 1.2};
    struct mb_run files[] = {make_timing("a", ratio, 2, 1000, 1),
                             make_timing("b", ratio, 2, 1010, 2),
                             make_timing("c", ratio, 2, 1000, 3)};
    files[1].tool.git_sha = "def";
    const struct mb_run named[] = {files[0], files[1], files[2], files[0]};
    const struct mb_run back[] = {files[2], files[0]};
    struct mb_pools pools = pool(named, 4), other = pool(back, 2);
    CHECK_EQ_INT(pools.n_pools, 2);
    CHECK_EQ_INT(pools.n_repeated, 1);
    CHECK_EQ_INT(pools.pools[0].n_runs, 2);
    CHECK_EQ_INT(n_runs_of(&pools.pools[1], 0), 1);
    const struct mb_row *one = row_of(&pools.pools[0], 1);
    const struct mb_row *two = row_of(&other.pools[0], 1);
    CHECK_EQ_DBL(one->stats.median_ci_ns[0], two->stats.median_ci_ns[0], 0);
    CHECK_EQ_DBL(one->relation.ci[0], two->relation.ci[0], 0);
    CHECK_EQ_DBL(one->relation.ci[1], two->relation.ci[1], 0);
    mb_pools_finish(&pools);
    mb_pools_finish(&other);
    finish_files(files, 3);
}

/* Further kernels are no other build, but a changed one is; and a run without it does not join
 * the runs of both. */
static void test_kernels(void)
{
    static const char *const kernels[][2] = {
        {"k -Dx 1", "k 1"}, {NULL}, {"k -Dx 1", "other 2"}, {"k -Dx 2", "k 1"}};
    static const double ratio[] = {1.0};
    struct mb_run files[MB_COUNTOF(kernels)];
    for (size_t i = 0; i < MB_COUNTOF(files); i++) {
        const char path[] = {(char)('a' + i), '\0'};
        files[i] = make_timing(path, ratio, 1, 1000, i);
        for (size_t k = 0; k < 2 && kernels[i][k] != NULL; k++) {
            CHECK_EQ_INT(mb_strlist_add(&files[i].kernels, NULL, "%s", kernels[i][k]), MB_OK);
        }
    }
    for (size_t first = 0; first < 2; first++) {
        struct mb_pools pools = pool(files + first, MB_COUNTOF(files) - first);
        CHECK_EQ_INT(pools.n_pools, 2);
        CHECK_EQ_INT(pools.pools[0].n_runs, 3 - first);
        CHECK(pools.pools[1].runs[0] == &files[3]);
        mb_pools_finish(&pools);
    }
    finish_files(files, MB_COUNTOF(files));
}

/* What is wrong in one run is not ranked; what answers nothing exact is not the fastest exact
 * one; what one run lacks is of the others; what no run has both of is not paired. */
static void test_unfit(void)
{
    static const double ratio[] = {0.5, 0.7, 1.0, 1.5};
    struct mb_run files[] = {make_timing("a", ratio, 4, 1000, 1),
                             make_timing("b", ratio, 4, 1000, 2)};
    row_at(&files[1], 0)->result->status = MB_RESULT_FAILED;
    row_at(&files[1], 0)->result->verify = MB_VERIFY_FAIL;
    set_exact(row_at(&files[0], 1), false);
    set_exact(row_at(&files[1], 1), false);
    row_at(&files[0], 3)->result->status = MB_RESULT_SKIPPED;
    /* In the second run the last one was timed apart from the others. */
    struct mb_case *c = files[1].cases[0], *apart = add_results(&files[1], 3, 1);
    apart->results[0] = c->results[3];
    for (size_t k = 0; k < N_SAMPLES; k++) {
        apart->timings[0].samples.sample[k].duration_ns =
            c->timings[0].samples.sample[4 * k + 3].duration_ns;
    }
    c->n_results = 3;
    struct mb_pools pools = pool(files, 2);
    const struct mb_pool *pool_0 = &pools.pools[0];
    const struct mb_timing *timing = timing_of(pool_0);
    CHECK_EQ_INT(timing->of->n_results, 4);
    CHECK_EQ_INT(timing->fastest, 2);
    check_sentence(pool_0, "s2 is the fastest exact strategy, 1.50x faster than s3.");
    check_winners(pool_0, "v2", "-"); /* s1 takes less time, and was held against no other */
    CHECK_EQ_INT(timing->of->results[0].status, MB_RESULT_FAILED);
    CHECK_EQ_INT(n_runs_of(pool_0, 0), 1);
    CHECK_EQ_DBL(timing->rows[1].relation.ratio, 0.7, 0.002);
    CHECK_EQ_INT(n_runs_of(pool_0, 3), 1);
    CHECK_EQ_DBL(timing->rows[3].relation.ratio, 1.5, 0.005);
    /* Never in one run: what differs between runs is in its interval. */
    CHECK(timing->rows[3].relation.ci[1] > 1.01 * timing->rows[3].relation.ratio);
    mb_pools_finish(&pools);
    finish_files(files, 2);
}

static void test_few_samples(void)
{
    static const double ratio[] = {1.0, 2.0};
    struct mb_run file = make_timing("a", ratio, 2, 1000, 1);
    keep_samples(&file, 0, 5);
    struct mb_pools pools = pool(&file, 1);
    const struct mb_pool *pool_0 = &pools.pools[0];
    const struct mb_timing *timing = timing_of(pool_0);
    CHECK(isnan(timing->rows[1].stats.median_ci_ns[0]) &&
          isnan(timing->rows[1].relation.ci[0]));
    CHECK_EQ_DBL(timing->rows[1].relation.ratio, 2, 0.01);
    check_sentence(pool_0, "No ranking: too few samples (5); try --samples 20.");
    mb_pools_finish(&pools);
    mb_run_finish(&file);
}

static enum mb_status pool_files(void *user, struct mb_err *err)
{
    struct mb_pools pools;
    const enum mb_status status =
        mb_pool_runs(&(struct mb_run_group){user, 2}, &how, &pools, err);
    if (status == MB_OK) {
        mb_pools_finish(&pools);
    }
    return status;
}

/* What is said of a set as a whole: who wins in how many, by how much, and where not. */
static void test_headline(void)
{
    static const double ratio[3][2] = {{1, 2}, {1, 3}, {1.5, 1}};
    MB_SCOPED(mb_strbuf) title = {0}, lines = {0};
    struct mb_run file = make_run("a.json");
    strcpy(file.device.name, "NVIDIA H200");
    for (size_t i = 0; i < 3; i++) {
        struct mb_run one = make_timing("a.json", ratio[i], 2, 1e4, 5 + i);
        struct mb_case *c = mb_run_add_case(&file), *from = one.cases[0];
        *c = *from;
        *from = (struct mb_case){.results = NULL};
        c->timings[0].of = c;
        c->layout.base = (struct mb_extent){64u << i, 64u << i};
        c->timings[0].cache = MB_CACHE_COLD;
        for (size_t k = 0; k < 2; k++) {
            c->timings[0].rows[k].timing = &c->timings[0];
            strcpy(c->results[k].label, k == 0 ? "spd" : "compute");
        }
        mb_run_finish(&one);
    }
    struct mb_pools pools = pool(&file, 1);
    const struct mb_pool *first = &pools.pools[0];
    CHECK_EQ_INT(first->run.n_cases, 3);
    const struct mb_timing *timing = &first->run.cases[0]->timings[0];
    CHECK_EQ_INT(mb_headline_count(&first->run, timing), first->run.n_cases);
    CHECK_EQ_INT(mb_headline_count(&first->run, &first->run.cases[1]->timings[0]), 0);
    mb_headline_of_all(&title, &pools);
    CHECK_EQ_STR(mb_strbuf_text(&title), "Mip-chain generation on NVIDIA H200: 2 strategies, "
                                         "every texel verified");
    mb_headline_describe(&lines, &first->run, timing);
    CHECK_EQ_STR(
        mb_strbuf_text(&lines),
        "spd is the fastest exact strategy in 2 of 3 tests, 2.00x to 3.00x faster than the "
        "runner-up.\nOf the other tests compute wins 1.\n");
    mb_pools_finish(&pools);
    finish_files(&file, 1);
}

static void test_no_memory(void)
{
    static const double ratio[] = {1.0, 2.0};
    struct mb_run files[] = {make_timing("a", ratio, 2, 1000, 1),
                             make_timing("b", ratio, 2, 1000, 2)};
    CHECK(check_each_allocation(pool_files, files) >= 20);
    finish_files(files, 2);
}

int main(void)
{
    return CHECK_TESTS(test_headline, test_planted, test_tie, test_undecided, test_single,
                       test_groups, test_kernels, test_unfit, test_few_samples, test_no_memory);
}
