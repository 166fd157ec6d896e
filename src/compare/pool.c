/* Pooling: matches the rows of runs, relates them within blocks of each run, and judges them
 * like the rows of a single run. */
#include "compare/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compare/runs.h"
#include "result/label.h"
#include "result/ranking.h"
#include "result/relate.h"

/* Whether two texts "NAME SHA256" have the same name but different digests. */
static bool is_changed(const char *a, const char *b)
{
    const size_t n_name = (size_t)(strrchr(a, ' ') - a);
    return n_name == (size_t)(strrchr(b, ' ') - b) && strncmp(a, b, n_name) == 0 &&
           strcmp(a, b) != 0;
}

/* Whether a kernel that both runs have differs. A kernel of one run alone does not count. */
static bool has_changed_kernels(const struct mb_run *a, const struct mb_run *b)
{
    bool is_found = false;
    for (size_t i = 0; i < a->kernels.n; i++) {
        for (size_t k = 0; k < b->kernels.n; k++) {
            is_found = is_found || is_changed(a->kernels.items[i], b->kernels.items[k]);
        }
    }
    return is_found;
}

static bool is_same_build(const struct mb_run *a, const struct mb_run *b)
{
    return strcmp(a->device.name, b->device.name) == 0 &&
           strcmp(a->device.driver_version, b->device.driver_version) == 0 &&
           strcmp(a->device.driver_info, b->device.driver_info) == 0 &&
           strcmp(a->tool.git_sha, b->tool.git_sha) == 0 && !has_changed_kernels(a, b);
}

/* Whether a run has the same build as every run of a pool. Comparing it with one run is not
 * enough: that run may lack the kernel that differs. */
static bool is_of_pool(const struct mb_pool *pool, const struct mb_run *run)
{
    size_t n = 0;
    while (n < pool->n_runs && is_same_build(pool->runs[n], run)) {
        n++;
    }
    return n == pool->n_runs;
}

/* Add each run to the pool of its device and build. There is room for one pool per file, and in
 * each pool for every run. */
static enum mb_status sort_runs(const struct mb_run *const *runs, size_t n_runs,
                                struct mb_pools *pools, struct mb_err *err)
{
    for (size_t i = 0; i < n_runs; i++) {
        struct mb_pool *pool = pools->pools;
        while (!is_of_pool(pool, runs[i])) {
            pool++;
        }
        if (pool->n_runs == 0) {
            pool->runs = mb_alloc(n_runs, sizeof *pool->runs);
            MB_DO(MB_NEED(pool->runs, "pooling"));
            pools->n_pools++;
        }
        pool->runs[pool->n_runs++] = runs[i];
        pool->run.n_pooled = pool->n_runs;
        pool->run.validate = pool->run.validate || runs[i]->validate;
    }
    return MB_OK;
}

/* Relate two rows that no run sampled together, by the medians of whole runs. With few runs,
 * the interval lacks the spread between runs, so MB_RUN_TO_RUN is added to it. */
static enum mb_status relate_apart(const struct mb_runs *a, const struct mb_runs *b,
                                   const struct mb_bootstrap *how, struct mb_relation *relation,
                                   struct mb_err *err)
{
    const bool is_certain = a->n >= MB_FEW_RUNS && b->n >= MB_FEW_RUNS;
    const double wider = is_certain ? 1.0 : 1.0 + MB_RUN_TO_RUN;
    struct mb_estimate ratio;
    MB_DO(mb_bootstrap_ratio(a, b, how, &ratio, err));
    relation->ratio = ratio.figure;
    if (mb_runs_suffice(a) && mb_runs_suffice(b)) {
        relation->ci[0] = ratio.ci[0] / wider;
        relation->ci[1] = ratio.ci[1] * wider;
        relation->p = ratio.p;
    }
    return MB_OK;
}

/* Relate a row to the fastest: by blocks of the runs that sampled both, else by whole runs. */
static enum mb_status relate_row(const struct mb_pool *pool, const struct mb_test *fastest,
                                 const struct mb_test *test, const struct mb_bootstrap *how,
                                 struct mb_relation *relation, struct mb_err *err)
{
    struct mb_bootstrap own = *how;
    MB_FREED struct mb_series *series = mb_alloc(pool->n_runs, sizeof *series);
    MB_FREED double *log_ratios = mb_alloc(test->side->n_samples, sizeof *log_ratios);
    MB_DO(MB_NEED(series && log_ratios, "pooling"));
    struct mb_runs paired = {.series = series};
    double *values = log_ratios;
    for (size_t i = 0; i < pool->n_runs; i++) {
        const struct mb_row *a = fastest->of[i], *b = test->of[i];
        if (mb_is_usable(a) && mb_is_usable(b) && a->timing == b->timing &&
            mb_relate_blocks(&a->timing->samples, a->column, b->column, values)) {
            series[paired.n++] = (struct mb_series){values, mb_row_n_samples(a)};
            values += mb_row_n_samples(a);
        }
    }
    qsort(series, paired.n, sizeof *series, mb_series_compare);
    own.seed = mb_seed_of(how->seed, test->key);
    return paired.n > 0
               ? mb_relate_logs(&paired, &own, relation, err)
               : relate_apart(&fastest->side->runs, &test->side->runs, &own, relation, err);
}

/* Whether all rows of the timing come from one run. The timing then keeps that run's relations:
 * if resampled again, an interval might end on the other side of the margin. */
static bool is_of_one_run(const struct mb_timing *timing, const struct mb_test *const *tests)
{
    const struct mb_timing *own = tests[0]->side->usable->timing;
    bool is_alone = own->fastest != SIZE_MAX &&
                    tests[timing->fastest]->side->usable == &own->rows[own->fastest];
    for (size_t i = 0; is_alone && i < timing->of->n_results; i++) {
        is_alone = tests[i]->side->runs.n == 1 && tests[i]->side->usable->timing == own;
    }
    return is_alone;
}

static enum mb_status relate(const struct mb_pool *pool, struct mb_timing *timing,
                             const struct mb_test *const *tests, const struct mb_bootstrap *how,
                             struct mb_err *err)
{
    if (timing->fastest == SIZE_MAX) {
        return MB_OK;
    }
    const bool is_alone = is_of_one_run(timing, tests);
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_row *fastest = &timing->rows[timing->fastest];
        struct mb_row *row = &timing->rows[i];
        if (is_alone) {
            row->relation = tests[i]->side->usable->relation;
        } else if (row == fastest) {
            row->relation = mb_to_itself;
        } else if (mb_rows_are_alike(fastest, row) && !row->result->is_diagnostic) {
            MB_DO(relate_row(pool, tests[timing->fastest], tests[i], how, &row->relation, err));
        }
    }
    return is_alone ? MB_OK : mb_relate_judge(timing, err);
}

/* Compute the quantiles, and the median of the runs' medians with its interval. */
static enum mb_status pool_stats(const struct mb_test *test, const struct mb_bootstrap *how,
                                 struct mb_stats *stats, struct mb_err *err)
{
    const struct mb_repeats *all = test->side;
    struct mb_bootstrap own = *how;
    own.seed = mb_seed_of(how->seed, test->key);
    MB_DO(mb_stats_compute(all->samples_ns, all->n_samples, stats, err));
    if (all->runs.n > 1) {
        struct mb_estimate estimate;
        MB_DO(mb_bootstrap_runs(&all->runs, &own, &estimate, err));
        stats->median_ns = estimate.figure;
        memcpy(stats->median_ci_ns, estimate.ci, sizeof estimate.ci);
        stats->median_ci_level = MB_LEVEL;
    }
    if (!mb_runs_suffice(&all->runs)) {
        stats->median_ci_ns[0] = stats->median_ci_ns[1] = (double)NAN;
        stats->median_ci_level = 0.0;
    }
    return MB_OK;
}

/* Fill in the figures that do not need other rows. The timing's noise is the noise of its worst
 * row; its number of samples is the smallest of any row. */
static void fill_row(struct mb_timing *timing, struct mb_row *row, const struct mb_repeats *all)
{
    struct mb_result *result = row->result;
    result->status = all->failed != NULL ? MB_RESULT_FAILED : MB_RESULT_OK;
    result->verify = all->failed != NULL ? MB_VERIFY_FAIL
                     : all->is_unchecked ? MB_VERIFY_SKIPPED
                                         : MB_VERIFY_PASS;
    row->n_runs = all->runs.n;
    timing->twin.ratio = fmax(timing->twin.ratio, 1.0 + all->aa_distance);
    if (all->n_samples < timing->samples.n_kept) {
        timing->samples.n_kept = (uint32_t)all->n_samples;
    }
}

/* Fill in the figures of the timing, whose rows come from tests[n_results]. */
static enum mb_status conclude(const struct mb_pool *pool, struct mb_timing *timing,
                               const struct mb_test *const *tests,
                               const struct mb_bootstrap *how, struct mb_err *err)
{
    timing->twin.ratio = 1.0;
    timing->samples.n_kept = UINT32_MAX;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        MB_DO(pool_stats(tests[i], how, &timing->rows[i].stats, err));
        fill_row(timing, &timing->rows[i], tests[i]->side);
    }
    mb_ranking_choose(timing);
    return relate(pool, timing, tests, how, err);
}

/* Whether both tests have figures and belong to one timing. */
static bool is_alongside(const struct mb_test *a, const struct mb_test *b)
{
    return a->side->usable != NULL && b->side->usable != NULL &&
           strcmp(a->key + a->timing_at, b->key + b->timing_at) == 0;
}

/* Copy a result; the copy owns nothing. */
static struct mb_result borrow(const struct mb_result *of)
{
    struct mb_result result = *of;
    result.images = result.chains = (struct mb_strlist){0};
    result.facts = NULL;
    result.recorded = NULL;
    return result;
}

/* Add a copy of the case of `of`, with an empty timing. NULL without memory. */
static struct mb_timing *add_case(struct mb_pool *pool, const struct mb_timing *of,
                                  const struct mb_test *const *tests, size_t n)
{
    struct mb_case *c = mb_run_add_case(&pool->run);
    if (c == NULL) {
        return NULL;
    }
    *c = *of->of;
    c->n_timings = c->n_results = 0;
    c->results = mb_alloc(n, sizeof *c->results);
    for (size_t i = 0; c->results != NULL && i < n; i++) {
        const struct mb_repeats *all = tests[i]->side;
        c->results[c->n_results++] = borrow((all->failed ? all->failed : all->usable)->result);
    }
    return c->results != NULL ? mb_case_add_timing(c, of->cache, of->mode) : NULL;
}

/* Add a case for the timing of tests[0], with a row for each test of tests[n] in that
 * timing. */
static enum mb_status add_timing(struct mb_pool *pool, const struct mb_test *tests, size_t n,
                                 const struct mb_bootstrap *how, struct mb_err *err)
{
    const struct mb_timing **of = pool->timings + pool->run.n_cases * pool->n_runs;
    MB_FREED const struct mb_test **alongside = mb_alloc(n, sizeof *alongside);
    size_t n_rows = 0;
    MB_DO(MB_NEED(alongside, "pooling"));
    for (size_t i = 0; i < n; i++) {
        if (!is_alongside(&tests[i], &tests[0])) {
            continue;
        }
        alongside[n_rows++] = &tests[i];
        for (size_t run = 0; run < pool->n_runs; run++) {
            const struct mb_row *row = tests[i].of[run];
            of[run] = of[run] == NULL && row != NULL ? row->timing : of[run];
        }
    }
    struct mb_timing *timing = add_case(pool, tests[0].side->usable->timing, alongside, n_rows);
    MB_DO(MB_NEED(timing, "pooling"));
    return conclude(pool, timing, alongside, how, err);
}

/* Put every test with figures into a timing, in the order of the files. */
static enum mb_status add_timings(struct mb_pool *pool, const struct mb_bootstrap *how,
                                  struct mb_err *err)
{
    MB_SCOPED(mb_tests) found = {0};
    MB_DO(
        mb_match_runs(&(const struct mb_side_runs){pool->runs, pool->n_runs}, 1, &found, err));
    MB_FREED size_t *first = mb_alloc(found.n, sizeof *first); /* first test of each case */
    pool->timings = mb_alloc(found.n * pool->n_runs, sizeof *pool->timings);
    MB_DO(MB_NEED(first && pool->timings, "pooling"));
    for (size_t i = 0; i < found.n; i++) {
        const struct mb_test *tests = found.tests;
        bool is_new = tests[i].side->usable != NULL;
        for (size_t k = 0; is_new && k < pool->run.n_cases; k++) {
            is_new = !is_alongside(&tests[i], &tests[first[k]]);
        }
        if (is_new) {
            first[pool->run.n_cases] = i;
            MB_DO(add_timing(pool, &tests[i], found.n - i, how, err));
        }
    }
    return MB_OK;
}

enum mb_status mb_pool_runs(const struct mb_run_group *files, const struct mb_bootstrap *how,
                            struct mb_pools *pools, struct mb_err *err)
{
    enum mb_status status;
    const struct mb_run **runs = mb_alloc(files->n_files, sizeof *runs);
    *pools = (struct mb_pools){.pools = mb_alloc(files->n_files, sizeof *pools->pools)};
    MB_TRY(MB_NEED(runs && pools->pools, "pooling"));
    const size_t n_runs = mb_runs_once(files, runs);
    pools->n_repeated = files->n_files - n_runs;
    MB_TRY(sort_runs(runs, n_runs, pools, err));
    for (size_t i = 0; i < pools->n_pools; i++) {
        MB_TRY(add_timings(&pools->pools[i], how, err));
    }
fail:
    mb_free(runs);
    if (status != MB_OK) {
        mb_pools_finish(pools);
    }
    return status;
}

void mb_pools_finish(struct mb_pools *pools)
{
    for (size_t i = 0; i < pools->n_pools; i++) {
        struct mb_pool *pool = &pools->pools[i];
        mb_free(pool->timings);
        mb_run_finish(&pool->run);
        mb_free(pool->runs);
    }
    mb_free(pools->pools);
    *pools = (struct mb_pools){0};
}
