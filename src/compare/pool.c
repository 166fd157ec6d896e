/* Pooling of runs: rows are matched by what was measured, related within blocks of each run,
 * and judged as the rows of a single run are. */
#include "compare/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compare/runs.h"
#include "result/label.h"
#include "result/ranking.h"
#include "result/relate.h"

#define LEVEL 0.95 /* that the interval of a median must have */

/* Whether two texts of "NAME SHA256" are of one kernel that was changed in between. */
static bool is_changed(const char *a, const char *b)
{
    const size_t n_name = (size_t)(strrchr(a, ' ') - a);
    return n_name == (size_t)(strrchr(b, ' ') - b) && strncmp(a, b, n_name) == 0 &&
           strcmp(a, b) != 0;
}

/* A run that has further kernels may be of the same build all the same. */
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
           strcmp(mb_run_git_sha(a), mb_run_git_sha(b)) == 0 && !has_changed_kernels(a, b);
}

/* Whether a run is of the same build as every run of a pool: two that have no kernel in common
 * may each go with a third. */
static bool is_of_pool(const struct mb_pool *pool, const struct mb_run *run)
{
    size_t n = 0;
    while (n < pool->n_runs && is_same_build(pool->runs[n], run)) {
        n++;
    }
    return n == pool->n_runs;
}

/* Give each run to the pool of its device and build. There is room for a pool, and in each for
 * a run, per file. */
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

/* Logarithms of the ratio of two rows in each block that a run has of both; of the runs that
 * have any. */
struct paired {
    struct mb_series *runs;
    size_t n_runs;
    double *log_ratio;        /* of all runs */
    size_t n_values, n_least; /* of all runs; of the shortest */
};

static void pair_run(const struct mb_row *a, const struct mb_row *b, struct paired *out)
{
    if (!mb_is_usable(a) || !mb_is_usable(b) || a->timing != b->timing) {
        return;
    }
    const struct mb_samples *samples = &a->timing->samples;
    double *values = out->log_ratio + out->n_values;
    size_t n = 0;
    for (size_t i = 0; i < samples->n_blocks; i++) {
        const double *block_ns = &samples->duration_ns[i * samples->n_candidates];
        if (samples->block[i].is_kept) {
            values[n++] = log(block_ns[b->column] / block_ns[a->column]);
        }
    }
    out->runs[out->n_runs++] = (struct mb_series){.values = values, .n = n};
    out->n_values += n;
    out->n_least = out->n_runs == 1 || n < out->n_least ? n : out->n_least;
}

/* What resampling shows of a ratio, with an interval that is `wider` at both ends by that
 * factor; only the ratio if the shortest series has too few samples. */
static void take(struct mb_relation *relation, const struct mb_estimate *ratio, double wider,
                 size_t n_least, double least_p)
{
    relation->ratio = ratio->figure;
    if (n_least >= MB_FEW_SAMPLES) {
        relation->ci[0] = ratio->ci[0] / wider;
        relation->ci[1] = ratio->ci[1] * wider;
        relation->p = ratio->p;
        relation->least_p = least_p;
    }
}

/* A single run as its own relations are made, by signed ranks; more of them by resampling runs,
 * since what differs between these is not in the blocks of one. */
static enum mb_status relate_paired(const struct paired *paired, const struct mb_bootstrap *how,
                                    struct mb_relation *relation, struct mb_err *err)
{
    const struct mb_runs runs = {paired->runs, paired->n_runs};
    struct mb_estimate log_ratio;
    if (paired->n_runs == 1) {
        return mb_relate_logs(paired->log_ratio, paired->n_values, how, relation, err);
    }
    MB_DO(mb_bootstrap_runs(&runs, how, &log_ratio, err));
    const struct mb_estimate ratio = {.figure = exp(log_ratio.figure),
                                      .ci = {exp(log_ratio.ci[0]), exp(log_ratio.ci[1])},
                                      .p = log_ratio.p};
    take(relation, &ratio, 1.0, paired->n_least, exp2(1.0 - (double)paired->n_values));
    return MB_OK;
}

/* No run has both in the same blocks: runs against runs. What differs from run to run is not in
 * the interval of few, and is added; no order of blocks bounds p. */
static enum mb_status relate_apart(const struct mb_found *a, const struct mb_found *b,
                                   const struct mb_bootstrap *how, struct mb_relation *relation,
                                   struct mb_err *err)
{
    const bool is_certain = a->runs.n >= MB_FEW_RUNS && b->runs.n >= MB_FEW_RUNS;
    const size_t n_least = a->n_least < b->n_least ? a->n_least : b->n_least;
    struct mb_estimate ratio;
    MB_DO(mb_bootstrap_ratio(&a->runs, &b->runs, how, &ratio, err));
    take(relation, &ratio, is_certain ? 1.0 : 1.0 + MB_RUN_TO_RUN, n_least, 0.0);
    return MB_OK;
}

/* A row to the fastest one. */
static enum mb_status relate_row(const struct mb_pool *pool, struct mb_timing *timing,
                                 const struct mb_found *found, size_t index,
                                 const struct mb_bootstrap *how, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_relation *relation = &timing->rows[index].relation;
    const struct mb_found *fastest = &found[timing->fastest];
    const struct mb_match *from = fastest->match, *to = found[index].match;
    struct mb_bootstrap own = *how;
    struct paired paired = {
        .runs = mb_alloc(pool->n_runs, sizeof *paired.runs),
        .log_ratio = mb_alloc(found[index].n_samples, sizeof *paired.log_ratio),
    };
    MB_TRY(MB_NEED(paired.runs && paired.log_ratio, "pooling"));
    for (size_t i = 0; i < pool->n_runs; i++) {
        pair_run(from->of[i], to->of[i], &paired);
    }
    qsort(paired.runs, paired.n_runs, sizeof *paired.runs, mb_series_compare);
    own.seed = mb_seed_of(how->seed, to->key);
    MB_TRY(paired.n_runs > 0 ? relate_paired(&paired, &own, relation, err)
                             : relate_apart(fastest, &found[index], &own, relation, err));
fail:
    mb_free(paired.runs);
    mb_free(paired.log_ratio);
    return status;
}

static enum mb_status relate(const struct mb_pool *pool, struct mb_timing *timing,
                             const struct mb_found *found, const struct mb_bootstrap *how,
                             struct mb_err *err)
{
    for (size_t i = 0; timing->fastest != SIZE_MAX && i < timing->of->n_results; i++) {
        const struct mb_row *fastest = &timing->rows[timing->fastest];
        struct mb_row *row = &timing->rows[i];
        if (row == fastest) {
            row->relation.ratio = row->relation.ci[0] = row->relation.ci[1] = 1.0;
            row->relation.outcome = MB_OUTCOME_SAME;
        } else if (mb_rows_are_alike(fastest, row) && !row->result->is_diagnostic) {
            MB_DO(relate_row(pool, timing, found, i, how, err));
        }
    }
    return mb_relate_judge(timing, err);
}

/* The quantiles, and the median of the runs with its interval, as those of a run. */
static enum mb_status pool_stats(const struct mb_found *found, const struct mb_bootstrap *how,
                                 struct mb_stats *stats, struct mb_err *err)
{
    struct mb_bootstrap own = *how;
    own.seed = mb_seed_of(how->seed, found->match->key);
    MB_DO(mb_stats_compute(found->samples_ns, found->n_samples, stats, err));
    if (found->runs.n > 1) {
        struct mb_estimate estimate;
        MB_DO(mb_bootstrap_runs(&found->runs, &own, &estimate, err));
        stats->median_ns = estimate.figure;
        memcpy(stats->median_ci_ns, estimate.ci, sizeof estimate.ci);
        stats->median_ci_level = LEVEL;
    }
    if (found->n_least < MB_FEW_SAMPLES) {
        stats->median_ci_ns[0] = stats->median_ci_ns[1] = (double)NAN;
        stats->median_ci_level = 0.0;
    }
    return MB_OK;
}

/* What is known of a row before it is related. The noise of the timing is that of the worst of
 * its rows, and what "too few samples" is about the least of them. */
static void fill_row(struct mb_timing *timing, struct mb_row *row, const struct mb_found *found)
{
    struct mb_result *result = row->result;
    result->status = found->failed != NULL ? MB_RESULT_FAILED : MB_RESULT_OK;
    result->verify = found->failed != NULL ? MB_VERIFY_FAIL
                     : found->is_unchecked ? MB_VERIFY_SKIPPED
                                           : MB_VERIFY_PASS;
    row->n_runs = found->runs.n;
    row->relation = mb_no_relation;
    timing->twin.ratio = fmax(timing->twin.ratio, 1.0 + found->aa_distance);
    if (found->n_samples < timing->samples.n_kept) {
        timing->samples.n_kept = (uint32_t)found->n_samples;
    }
}

/* The relations of a timing that one run alone has are those that it had itself: resampled
 * anew, an interval may end on the other side of the margin. */
static void keep_own(struct mb_timing *timing, const struct mb_found *found)
{
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_row *of = found[i].usable;
        const bool is_related = isfinite(timing->rows[i].relation.ratio);
        if (found[i].runs.n != 1 || of->timing != found[0].usable->timing ||
            (is_related && !isfinite(of->relation.ratio)) ||
            (i == timing->fastest && of->relation.ratio != 1.0)) {
            return;
        }
    }
    for (size_t i = 0; i < timing->of->n_results; i++) {
        struct mb_relation *relation = &timing->rows[i].relation;
        const struct mb_relation *own = &found[i].usable->relation;
        if (isfinite(relation->ratio)) {
            relation->ratio = own->ratio;
            memcpy(relation->ci, own->ci, sizeof own->ci);
            relation->p_adjusted = own->p_adjusted;
            relation->outcome = own->outcome;
        }
    }
}

/* The figures of a timing, of the matches that its rows are of. */
static enum mb_status conclude(const struct mb_pool *pool, struct mb_timing *timing,
                               const struct mb_match **match, const struct mb_bootstrap *how,
                               struct mb_err *err)
{
    const size_t n = timing->of->n_results;
    MB_FREED struct mb_found *found = mb_alloc(n, sizeof *found);
    MB_DO(MB_NEED(found, "pooling"));
    enum mb_status status = MB_OK;
    timing->twin.ratio = 1.0;
    timing->samples.n_kept = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        MB_TRY(mb_found_gather(pool->runs, pool->n_runs, match[i], 0, &found[i], err));
        MB_TRY(pool_stats(&found[i], how, &timing->rows[i].stats, err));
        fill_row(timing, &timing->rows[i], &found[i]);
    }
    mb_ranking_choose(timing);
    MB_TRY(relate(pool, timing, found, how, err));
    keep_own(timing, found);
fail:
    timing->samples.n_kept = timing->samples.n_kept != UINT32_MAX ? timing->samples.n_kept : 0;
    for (size_t i = 0; i < n; i++) {
        mb_found_finish(&found[i]);
    }
    return status;
}

/* Whether both have figures of the same timing. */
static bool is_alongside(const struct mb_match *a, const struct mb_match *b)
{
    return a->usable != NULL && b->usable != NULL && a->occurrence == b->occurrence &&
           strcmp(a->key + a->timing_at, b->key + b->timing_at) == 0;
}

/* As the file has it, but for what it owns. */
static struct mb_result borrow(const struct mb_result *of)
{
    struct mb_result result = *of;
    result.images = result.chains = (struct mb_strlist){0};
    result.facts = NULL;
    result.recorded = NULL;
    return result;
}

/* A case with the timing of the match at `first`: it, and what comes after it. */
static enum mb_status add_timing(struct mb_pool *pool, const struct mb_match *first,
                                 const struct mb_bootstrap *how, struct mb_err *err)
{
    const struct mb_match *end = pool->matches.match + pool->matches.n;
    const struct mb_timing *of = first->usable->timing;
    const size_t n_most = (size_t)(end - first);
    struct mb_case *c = mb_run_add_case(&pool->run);
    MB_DO(MB_NEED(c, "pooling"));
    const struct mb_match **match = mb_alloc(n_most, sizeof *match);
    pool->match[pool->run.n_cases - 1] = match;
    *c = *of->of;
    c->n_timings = c->n_results = 0;
    c->compulsory_bytes = 0; /* no rate is shown of several runs */
    c->results = mb_alloc(n_most, sizeof *c->results);
    MB_DO(MB_NEED(match && c->results, "pooling"));
    for (const struct mb_match *m = first; m < end; m++) {
        if (is_alongside(m, first)) {
            match[c->n_results] = m;
            c->results[c->n_results++] = borrow(m->usable->result);
        }
    }
    struct mb_timing *timing = mb_case_add_timing(c, of->cache, of->mode);
    MB_DO(MB_NEED(timing, "pooling"));
    return conclude(pool, timing, match, how, err);
}

/* Every match with figures in one timing, in the order of the files. */
static enum mb_status add_timings(struct mb_pool *pool, const struct mb_bootstrap *how,
                                  struct mb_err *err)
{
    MB_DO(mb_match_runs(pool->runs, pool->n_runs, &pool->matches, err));
    pool->match = mb_alloc(pool->matches.n, sizeof *pool->match);
    MB_DO(MB_NEED(pool->match, "pooling"));
    for (size_t i = 0; i < pool->matches.n; i++) {
        const struct mb_match *match = &pool->matches.match[i];
        bool is_new = match->usable != NULL;
        for (size_t k = 0; is_new && k < pool->run.n_cases; k++) {
            is_new = !is_alongside(match, pool->match[k][0]);
        }
        if (is_new) {
            MB_DO(add_timing(pool, match, how, err));
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
        for (size_t k = 0; k < pool->run.n_cases; k++) {
            mb_free(pool->match[k]);
        }
        mb_free(pool->match);
        mb_run_finish(&pool->run);
        mb_matches_finish(&pool->matches);
        mb_free(pool->runs);
    }
    mb_free(pools->pools);
    *pools = (struct mb_pools){0};
}
