/* Pooling of runs whose truth is known. */
#include "compare/pool.h"

#include "compare/headline.h"

#include "compare_fixture.h"
#include "result/ranking.h"

#define EXACT  (1u << MB_QUESTION_EXACT | 1u << MB_QUESTION_ANY)
#define N_RUNS 3

static const struct mb_bootstrap how = {.seed = 1};

/* A run of rows of one timing: row i takes ratio[i] times `scale_ns`, and all of a block share
 * a clock that wanders by 20 %, which pairing takes out. */
static struct mb_result_file make_timing(const char *path, const double *ratio, size_t n,
                                         double scale_ns, uint64_t seed)
{
    struct mb_result_file file = make_file(path, n);
    snprintf(file.git_sha, sizeof file.git_sha, "abc");
    for (size_t i = 0; i < n; i++) {
        struct mb_file_result *result = &file.results[i];
        result->timing_key = mb_strdup("a.png cold");
        result->answers = EXACT;
        result->verify = MB_VERIFY_PASS;
        snprintf(result->variant, sizeof result->variant, "v%zu", i);
        snprintf(result->case_id, sizeof result->case_id, "a");
        fill(result, scale_ns * ratio[i], 0.002, seed + 100 * i);
        for (size_t k = 0; k < result->n_samples; k++) {
            result->samples_ns[k] *= 1 + 0.2 * sin((double)k / 10);
        }
    }
    return file;
}

static void finish_files(struct mb_result_file *files, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mb_result_file_finish(&files[i]);
    }
}

static const struct mb_timing *timing_of(const struct mb_pool *pool)
{
    return &pool->timings[0].c.timings[0];
}

static const struct mb_row *row_of(const struct mb_pool *pool, size_t i)
{
    return &timing_of(pool)->rows[i];
}

static size_t n_runs_of(const struct mb_pool *pool, size_t i)
{
    return pool->timings[0].match[i]->n_usable;
}

/* The sentence on the first timing ends so. */
static void check_sentence(const struct mb_pool *pool, const char *want)
{
    struct mb_strbuf sentence = {0};
    mb_ranking_describe(&sentence, &pool->run, timing_of(pool));
    const size_t n = strlen(want);
    CHECK(sentence.n_bytes >= n);
    CHECK_EQ_STR(sentence.text + sentence.n_bytes - n, want);
    mb_strbuf_finish(&sentence);
}

static struct mb_pools pool(const struct mb_result_file *files, size_t n)
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
    struct mb_result_file files[N_RUNS];
    for (size_t i = 0; i < N_RUNS; i++) {
        const char path[] = {(char)('a' + i), '\0'};
        files[i] = make_timing(path, ratio, 3, scale_ns[i], 10 * i);
    }
    struct mb_pools pools = pool(files, N_RUNS);
    CHECK_EQ_INT(pools.n_pools, 1);
    CHECK_EQ_INT(pools.pools[0].n_timings, 1);
    const struct mb_pool *pool_0 = &pools.pools[0];
    const struct mb_timing *timing = timing_of(pool_0);
    CHECK_EQ_INT(timing->of->n_results, 3);
    CHECK_EQ_INT(timing->question, MB_QUESTION_EXACT);
    CHECK_EQ_INT(timing->fastest, 1);
    CHECK_EQ_INT(mb_ranking_winner(&pool_0->run, timing), 1);
    check_sentence(pool_0, "s1 is the fastest exact one: s0 takes 1.030 times as long.");
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
    struct mb_result_file files[] = {make_timing("a", ratio, 2, 1000, 1),
                                     make_timing("b", ratio, 2, 1000, 2)};
    struct mb_pools pools = pool(files, 2);
    const struct mb_pool *pool_0 = &pools.pools[0];
    const struct mb_timing *timing = timing_of(pool_0);
    check_sentence(pool_0, " are within the noise of these runs.");
    CHECK(mb_ranking_winner(&pool_0->run, timing) == SIZE_MAX);
    mb_pools_finish(&pools);
    pools = pool(files, 1);

    check_sentence(&pools.pools[0], " are within the noise of this run.");
    mb_pools_finish(&pools);
    finish_files(files, 2);
}

/* One run has its own figures: the interval is that of order statistics. */
static void test_single(void)
{
    static const double ratio[] = {1.0, 1.5};
    struct mb_result_file file = make_timing("a", ratio, 2, 1000, 1);
    struct mb_pools pools = pool(&file, 1);
    const struct mb_row *row = row_of(&pools.pools[0], 1);
    struct mb_stats stats;
    CHECK_EQ_INT(mb_stats_compute(file.results[1].samples_ns, N_SAMPLES, &stats, NULL), MB_OK);
    CHECK_EQ_DBL(row->stats.median_ns, stats.median_ns, 0);
    CHECK_EQ_DBL(row->stats.median_ci_ns[0], stats.median_ci_ns[0], 0);
    CHECK_EQ_DBL(row->stats.median_ci_ns[1], stats.median_ci_ns[1], 0);
    CHECK_EQ_INT(row->relation.outcome, MB_OUTCOME_SLOWER);
    mb_pools_finish(&pools);
    mb_result_file_finish(&file);
}

/* Builds stay apart, a run named twice counts once, and order changes nothing. */
static void test_groups(void)
{
    static const double ratio[] = {1.0, 1.2};
    struct mb_result_file files[] = {make_timing("a", ratio, 2, 1000, 1),
                                     make_timing("b", ratio, 2, 1010, 2),
                                     make_timing("c", ratio, 2, 1000, 3)};
    snprintf(files[1].git_sha, sizeof files[1].git_sha, "def");
    const struct mb_result_file named[] = {files[0], files[1], files[2], files[0]};
    const struct mb_result_file back[] = {files[2], files[0]};
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

/* What is wrong in one run is not ranked; what answers nothing exact is not the fastest exact
 * one; what one run lacks is of the others; what no run has both of is not paired. */
static void test_unfit(void)
{
    static const double ratio[] = {0.5, 0.7, 1.0, 1.5};
    struct mb_result_file files[] = {make_timing("a", ratio, 4, 1000, 1),
                                     make_timing("b", ratio, 4, 1000, 2)};
    files[1].results[0].status = MB_RESULT_FAILED;
    files[1].results[0].verify = MB_VERIFY_FAIL;
    files[0].results[1].answers = files[1].results[1].answers = 1u << MB_QUESTION_ANY;
    files[0].results[3].status = MB_RESULT_SKIPPED;
    files[1].results[3].timing = 1;
    struct mb_pools pools = pool(files, 2);
    const struct mb_pool *pool_0 = &pools.pools[0];
    const struct mb_timing *timing = timing_of(pool_0);
    CHECK_EQ_INT(timing->of->n_results, 4);
    CHECK_EQ_INT(timing->fastest, 2);
    check_sentence(pool_0, "s2 is the fastest exact one: s3 takes 1.50 times as long.");
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
    struct mb_result_file file = make_timing("a", ratio, 2, 1000, 1);
    file.results[0].n_samples = file.results[1].n_samples = 5;
    struct mb_pools pools = pool(&file, 1);
    const struct mb_pool *pool_0 = &pools.pools[0];
    const struct mb_timing *timing = timing_of(pool_0);
    CHECK(isnan(timing->rows[1].stats.median_ci_ns[0]) &&
          isnan(timing->rows[1].relation.ci[0]));
    CHECK_EQ_DBL(timing->rows[1].relation.ratio, 2, 0.01);
    check_sentence(pool_0,
                   "No ranking: too few samples (5) for a 95 % interval; try --samples 20.");
    mb_pools_finish(&pools);
    file.results[0].n_samples = file.results[1].n_samples = N_SAMPLES;
    mb_result_file_finish(&file);
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

/* A case of its own in a run: who is fastest differs from case to case. */
static void add_case(struct mb_result_file *file, size_t first, const char *key, uint32_t size)
{
    for (size_t i = first; i < first + 2; i++) {
        struct mb_file_result *result = &file->results[i];
        mb_free(result->timing_key);
        result->timing_key = mb_strdup(key);
        result->timing = first / 2;
        result->width = result->height = size;
        result->n_levels = 1;
        snprintf(result->label, sizeof result->label, "%s", i % 2 == 0 ? "spd" : "compute");
        snprintf(result->format, sizeof result->format, "rgba8");
        snprintf(result->condition, sizeof result->condition, "cold latency");
    }
}

/* What is said of a set as a whole: who wins in how many, by how much, and where not. */
static void test_headline(void)
{
    const double ratio[] = {1, 2, 1, 3, 1.5, 1};
    struct mb_result_file file = make_timing("a.json", ratio, 6, 1e4, 5);
    MB_SCOPED(mb_strbuf) title = {0}, lines = {0};
    snprintf(file.device, sizeof file.device, "NVIDIA H200");
    for (size_t i = 0; i < 3; i++) {
        static const char *const keys[] = {"a", "b", "c"};
        add_case(&file, 2 * i, keys[i], 64u << i);
    }
    struct mb_pools pools = pool(&file, 1);
    const struct mb_pool *first = &pools.pools[0];
    CHECK_EQ_INT(first->n_timings, 3);
    CHECK(mb_headline_begins(first, 0) && !mb_headline_begins(first, 1));
    mb_headline_of_all(&title, &pools);
    CHECK_EQ_STR(mb_strbuf_text(&title),
                 "Mip-chain generation on an NVIDIA H200: 2 strategies, "
                 "every texel verified");
    mb_headline_describe(&lines, first, 0);
    CHECK_EQ_STR(
        mb_strbuf_text(&lines),
        "spd is the fastest exact one in 2 of 3 cases: the next takes 2.00 to 3.00 times "
        "as long.\nNot at 256x256 rgba8 (spd takes 1.50 times as long as compute).\n");
    mb_pools_finish(&pools);
    finish_files(&file, 1);
}

static void test_no_memory(void)
{
    static const double ratio[] = {1.0, 2.0};
    struct mb_result_file files[] = {make_timing("a", ratio, 2, 1000, 1),
                                     make_timing("b", ratio, 2, 1000, 2)};
    CHECK(check_each_allocation(pool_files, files) >= 20);
    finish_files(files, 2);
}

int main(void)
{
    return CHECK_TESTS(test_headline, test_planted, test_tie, test_single, test_groups,
                       test_unfit, test_few_samples, test_no_memory);
}
