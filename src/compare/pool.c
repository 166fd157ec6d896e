/* Pooling of runs: rows are matched by what was measured, related within blocks of each run,
 * and judged as the rows of a single run are. */
#include "compare/pool.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "compare/runs.h"
#include "result/ranking.h"
#include "result/relate.h"

#define LEVEL 0.95 /* that the interval of a median must have */

static enum mb_status no_memory(struct mb_err *err)
{
    return MB_FAIL(err, MB_ERRC_RUNTIME, "pooling: out of memory");
}

static bool is_same_build(const struct mb_result_file *a, const struct mb_result_file *b)
{
    return strcmp(a->device, b->device) == 0 && strcmp(a->driver, b->driver) == 0 &&
           strcmp(a->git_sha, b->git_sha) == 0;
}

/* Give each file to the pool of its device and build. There is room for a pool, and in each for
 * a file, per file. */
static enum mb_status sort_files(const struct mb_run_group *files, struct mb_pools *pools,
                                 struct mb_err *err)
{
    for (size_t i = 0; i < files->n_files; i++) {
        const struct mb_result_file *file = &files->files[i];
        size_t k = 0;
        if (mb_is_repeated(files, i)) {
            pools->n_repeated++;
            continue;
        }
        while (k < pools->n_pools && !is_same_build(pools->pools[k].runs.files, file)) {
            k++;
        }
        struct mb_pool *pool = &pools->pools[k];
        if (k == pools->n_pools) {
            pool->runs.files = mb_alloc(files->n_files, sizeof *pool->runs.files);
            if (pool->runs.files == NULL) {
                return no_memory(err);
            }
            pools->n_pools++;
        }
        ((struct mb_result_file *)pool->runs.files)[pool->runs.n_files++] = *file;
    }
    return MB_OK;
}

/* Whether an earlier file of the pool has figures of it. */
static bool is_seen(const struct mb_pool *pool, size_t file, const char *key, size_t occurrence)
{
    bool seen = false;
    for (size_t i = 0; !seen && i < file; i++) {
        const struct mb_file_result *result =
            mb_find_result(&pool->runs.files[i], key, occurrence);
        seen = result != NULL && mb_is_usable(result);
    }
    return seen;
}

/* The timing that a result belongs to, the last one first: files have them row by row. */
static struct mb_pool_timing *find_timing(const struct mb_pool *pool, const char *timing_key,
                                          size_t occurrence)
{
    for (size_t i = pool->n_timings; i-- > 0;) {
        const struct mb_pool_row *row = &pool->timings[i].rows[0];
        if (row->occurrence == occurrence && strcmp(row->result->timing_key, timing_key) == 0) {
            return &pool->timings[i];
        }
    }
    return NULL;
}

/* Append a row; its array grows in steps of powers of two. */
static enum mb_status add_row(struct mb_pool_timing *timing,
                              const struct mb_file_result *result, size_t occurrence,
                              struct mb_err *err)
{
    const size_t n = timing->n_rows;
    if ((n & (n - 1)) == 0) {
        struct mb_pool_row *rows = mb_realloc(timing->rows, (n > 0 ? 2 * n : 1) * sizeof *rows);
        if (rows == NULL) {
            return no_memory(err);
        }
        timing->rows = rows;
    }
    timing->rows[timing->n_rows++] =
        (struct mb_pool_row){.result = result, .occurrence = occurrence};
    return MB_OK;
}

static enum mb_status add_result(struct mb_pool *pool, const struct mb_file_result *result,
                                 size_t occurrence, struct mb_err *err)
{
    struct mb_pool_timing *timing = find_timing(pool, result->timing_key, occurrence);
    if (timing != NULL) {
        return add_row(timing, result, occurrence, err);
    }
    /* It counts only once it has a row: a timing without one is nowhere to be found. */
    timing = &pool->timings[pool->n_timings];
    *timing = (struct mb_pool_timing){.fastest = SIZE_MAX, .winner = SIZE_MAX};
    const enum mb_status status = add_row(timing, result, occurrence, err);
    pool->n_timings += status == MB_OK;
    return status;
}

/* Every result with figures once, in the order of the files. */
static enum mb_status gather(struct mb_pool *pool, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    size_t n_most = 0;
    for (size_t i = 0; i < pool->runs.n_files; i++) {
        n_most += pool->runs.files[i].n_results;
    }
    pool->timings = mb_alloc(n_most, sizeof *pool->timings);
    if (pool->timings == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < pool->runs.n_files; i++) {
        const struct mb_result_file *file = &pool->runs.files[i];
        for (size_t k = 0; k < file->n_results; k++) {
            const struct mb_file_result *result = &file->results[k];
            const size_t occurrence = mb_occurrence_of(file, result);
            if (mb_is_usable(result) && !is_seen(pool, i, result->key, occurrence)) {
                MB_TRY(add_result(pool, result, occurrence, err));
            }
        }
    }
fail:
    return status;
}

static bool has_few(const struct mb_series *series, size_t n)
{
    bool few = false;
    for (size_t i = 0; i < n; i++) {
        few = few || series[i].n < MB_FEW_SAMPLES;
    }
    return few;
}

static void set_verdict(struct mb_pool_row *row, const struct mb_found *found)
{
    row->status = found->failed != NULL ? MB_RESULT_FAILED : MB_RESULT_OK;
    row->verify = found->failed != NULL ? MB_VERIFY_FAIL
                  : found->is_unchecked ? MB_VERIFY_SKIPPED
                                        : MB_VERIFY_PASS;
}

/* Of the resampling of each row: so that rows do not share their luck. */
static struct mb_bootstrap own_luck(const struct mb_bootstrap *how, const char *key)
{
    struct mb_bootstrap own = *how;
    own.seed += mb_hash_key(key);
    return own;
}

/* The figures of a row as those of a run have them; n and the median with its interval only. */
static enum mb_status pool_row(struct mb_pool_row *row, const struct mb_found *found,
                               const struct mb_bootstrap *how, struct mb_stats *stats,
                               struct mb_err *err)
{
    enum mb_status status;
    const struct mb_bootstrap options = own_luck(how, row->result->key);
    set_verdict(row, found);
    MB_TRY(mb_stats_compute(found->series[0].values, found->series[0].n, stats, err));
    row->n_runs = found->n_series;
    row->n_samples = stats->n = found->n_samples;
    if (found->n_series > 1) {
        MB_TRY(mb_bootstrap_runs(found->series, found->n_series, &options, &stats->median_ns,
                                 stats->median_ci_ns, NULL, err));
        stats->median_ci_level = LEVEL;
    }
    if (has_few(found->series, found->n_series)) {
        stats->median_ci_ns[0] = stats->median_ci_ns[1] = (double)NAN;
        stats->median_ci_level = 0.0;
    }
    row->median_ns = stats->median_ns;
    memcpy(row->median_ci_ns, stats->median_ci_ns, sizeof row->median_ci_ns);
fail:
    return status;
}

/* Logarithms of the ratio of two rows in each block that a run has of both; of the runs that
 * have any. */
struct paired {
    struct mb_series *runs;
    size_t n_runs;
    double *log_ratio; /* of all runs */
    size_t n_values;
};

static void pair_run(const struct mb_result_file *file, const struct mb_pool_row *from,
                     const struct mb_pool_row *to, struct paired *out)
{
    const struct mb_file_result *a = mb_find_result(file, from->result->key, from->occurrence);
    const struct mb_file_result *b = mb_find_result(file, to->result->key, to->occurrence);
    if (a == NULL || b == NULL || a->timing != b->timing || !mb_is_usable(a) ||
        !mb_is_usable(b)) {
        return;
    }
    double *values = out->log_ratio + out->n_values;
    const size_t n = a->n_samples < b->n_samples ? a->n_samples : b->n_samples;
    for (size_t i = 0; i < n; i++) {
        values[i] = log(b->samples_ns[i] / a->samples_ns[i]);
    }
    out->runs[out->n_runs++] = (struct mb_series){.values = values, .n = n};
    out->n_values += n;
}

/* A single run as its own relations are made, by signed ranks; more of them by resampling runs,
 * since what differs between these is not in the blocks of one. */
static enum mb_status relate_paired(const struct paired *paired, const struct mb_bootstrap *how,
                                    struct mb_relation *relation, struct mb_err *err)
{
    enum mb_status status;
    double figure, ci[2], p;
    MB_TRY(mb_bootstrap_runs(paired->runs, paired->n_runs, how, &figure, ci, &p, err));
    relation->ratio = exp(figure);
    if (has_few(paired->runs, paired->n_runs)) {
        return MB_OK;
    }
    relation->ci[0] = exp(ci[0]);
    relation->ci[1] = exp(ci[1]);
    relation->p = p;
    relation->least_p = exp2(1.0 - (double)paired->n_values);
    if (paired->n_runs == 1) {
        MB_TRY(mb_wilcoxon(paired->log_ratio, paired->n_values, &relation->p, err));
        for (size_t i = 0; i < paired->n_values; i++) {
            paired->log_ratio[i] = fabs(paired->log_ratio[i]);
        }
        MB_TRY(mb_wilcoxon(paired->log_ratio, paired->n_values, &relation->least_p, err));
    }
fail:
    return status;
}

/* No run has both in the same blocks: runs against runs. What differs from run to run is not in
 * the interval of few, and is added. */
static enum mb_status relate_apart(const struct mb_pool *pool, const struct mb_pool_row *from,
                                   const struct mb_pool_row *to, const struct mb_bootstrap *how,
                                   struct mb_relation *relation, struct mb_err *err)
{
    enum mb_status status;
    struct mb_found a = {0}, b = {0};
    double ci[2], p;
    MB_TRY(mb_find_on_side(&pool->runs, from->result->key, from->occurrence, &a, err));
    MB_TRY(mb_find_on_side(&pool->runs, to->result->key, to->occurrence, &b, err));
    MB_TRY(mb_bootstrap_ratio(a.series, a.n_series, b.series, b.n_series, how, &relation->ratio,
                              ci, &p, err));
    if (!has_few(a.series, a.n_series) && !has_few(b.series, b.n_series)) {
        const bool is_certain = a.n_series >= MB_FEW_RUNS && b.n_series >= MB_FEW_RUNS;
        const double wider = is_certain ? 1.0 : 1.0 + MB_RUN_TO_RUN;
        relation->ci[0] = ci[0] / wider;
        relation->ci[1] = ci[1] * wider;
        relation->p = p;
        relation->least_p = 0.0; /* no order of blocks bounds it */
    }
fail:
    mb_found_finish(&a);
    mb_found_finish(&b);
    return status;
}

static enum mb_status relate_rows(const struct mb_pool *pool, const struct mb_pool_row *from,
                                  const struct mb_pool_row *to, const struct mb_bootstrap *how,
                                  struct mb_relation *relation, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct paired paired = {
        .runs = mb_alloc(pool->runs.n_files, sizeof *paired.runs),
        .log_ratio = mb_alloc(to->n_samples, sizeof *paired.log_ratio),
    };
    if (paired.runs == NULL || paired.log_ratio == NULL) {
        status = no_memory(err);
        goto fail;
    }
    for (size_t i = 0; i < pool->runs.n_files; i++) {
        pair_run(&pool->runs.files[i], from, to, &paired);
    }
    mb_series_sort(paired.runs, paired.n_runs);
    const struct mb_bootstrap own = own_luck(how, to->result->key);
    MB_TRY(paired.n_runs > 0 ? relate_paired(&paired, &own, relation, err)
                             : relate_apart(pool, from, to, &own, relation, err));
fail:
    mb_free(paired.runs);
    mb_free(paired.log_ratio);
    return status;
}

/* A tolerance that answers the questions which the file says it does. */
static struct mb_tolerance tolerance_of(unsigned answers)
{
    static const enum mb_policy wide[MB_N_QUESTIONS] = {
        [MB_QUESTION_KAISER] = MB_POLICY_KAISER,
        [MB_QUESTION_LANCZOS] = MB_POLICY_LANCZOS,
        [MB_QUESTION_GAUSSIAN] = MB_POLICY_GAUSSIAN,
        [MB_QUESTION_GAUSSIAN16] = MB_POLICY_GAUSSIAN16,
    };
    struct mb_tolerance tolerance = {.filter = {.policy = MB_POLICY_BOX}};
    tolerance.has_no_policy = answers == 0;
    if ((answers & 1u << MB_QUESTION_EXACT) == 0) {
        tolerance.max_error_lsb = 1.0; /* held to a plain number: not exact */
    }
    for (unsigned question = MB_QUESTION_KAISER; question < MB_N_QUESTIONS; question++) {
        if ((answers & 1u << question) != 0) {
            tolerance.filter.policy = wide[question];
        }
    }
    return tolerance;
}

static const struct mb_relation no_relation = {
    .ratio = (double)NAN,
    .ci = {(double)NAN, (double)NAN},
    .p = (double)NAN,
    .least_p = (double)NAN,
    .p_adjusted = (double)NAN,
    .outcome = MB_OUTCOME_INCONCLUSIVE,
};

/* A timing of the result model with the pooled figures, so that what is said of them is what is
 * said of a run's. `c` has its results made. Sets the twin's distance, the largest of its
 * rows'.
 */
static enum mb_status fill_timing(const struct mb_pool *pool, struct mb_pool_timing *pooled,
                                  const struct mb_bootstrap *how, struct mb_timing *timing,
                                  struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_found found = {0};
    timing->floor_ns = (double)NAN;
    timing->twin = no_relation;
    timing->twin.ratio = 1.0;
    for (size_t i = 0; i < pooled->n_rows; i++) {
        struct mb_pool_row *row = &pooled->rows[i];
        struct mb_result *result = timing->rows[i].result;
        MB_TRY(mb_find_on_side(&pool->runs, row->result->key, row->occurrence, &found, err));
        MB_TRY(pool_row(row, &found, how, &timing->rows[i].stats, err));
        timing->rows[i].relation = no_relation;
        timing->twin.ratio = fmax(timing->twin.ratio, 1.0 + found.aa_distance);
        memcpy(result->label, row->result->label, sizeof result->label);
        result->status = row->status;
        result->verify = row->verify;
        result->is_diagnostic = row->result->is_diagnostic;
        result->has_work = true;
        result->work.tolerance = tolerance_of(row->result->answers);
        mb_found_finish(&found);
    }
fail:
    mb_found_finish(&found);
    return status;
}

/* As after a run: the best median of the verified rows that answer the first question that any
 * of them answers. */
static void choose_fastest(struct mb_timing *timing)
{
    timing->fastest = SIZE_MAX;
    for (unsigned question = 0; question < MB_N_QUESTIONS && timing->fastest == SIZE_MAX;
         question++) {
        timing->question = (enum mb_question)question;
        for (size_t i = 0; i < timing->of->n_results; i++) {
            const struct mb_row *row = &timing->rows[i];
            const bool is_fit = row->result->verify == MB_VERIFY_PASS &&
                                (mb_row_answers(timing, row) & 1u << question) != 0;
            if (is_fit &&
                (timing->fastest == SIZE_MAX ||
                 row->stats.median_ns < timing->rows[timing->fastest].stats.median_ns)) {
                timing->fastest = i;
            }
        }
    }
}

static enum mb_status relate_timing(const struct mb_pool *pool,
                                    const struct mb_pool_timing *pooled,
                                    const struct mb_bootstrap *how, struct mb_timing *timing,
                                    struct mb_err *err)
{
    enum mb_status status = MB_OK;
    for (size_t i = 0; timing->fastest != SIZE_MAX && i < pooled->n_rows; i++) {
        const struct mb_row *fastest = &timing->rows[timing->fastest];
        struct mb_row *row = &timing->rows[i];
        if (row == fastest) {
            row->relation.ratio = row->relation.ci[0] = row->relation.ci[1] = 1.0;
            row->relation.outcome = MB_OUTCOME_SAME;
        } else if (mb_rows_are_alike(fastest, row) && !row->result->is_diagnostic) {
            MB_TRY(relate_rows(pool, &pooled->rows[timing->fastest], &pooled->rows[i], how,
                               &row->relation, err));
        }
    }
    MB_TRY(mb_relate_judge(timing, err));
fail:
    return status;
}

/* Samples of the pooled runs that were least often measured: what "too few" is about. */
static uint32_t least_samples(const struct mb_pool_timing *pooled)
{
    size_t n = UINT32_MAX;
    for (size_t i = 0; i < pooled->n_rows; i++) {
        n = pooled->rows[i].n_samples < n ? pooled->rows[i].n_samples : n;
    }
    return (uint32_t)n;
}

static enum mb_status say(const struct mb_pool *pool, struct mb_pool_timing *pooled,
                          struct mb_timing *timing, struct mb_err *err)
{
    struct mb_strbuf sentence = {0};
    struct mb_run run = {.n_pooled = pool->runs.n_files};
    for (size_t i = 0; i < pool->runs.n_files; i++) {
        run.validate = run.validate || pool->runs.files[i].validate;
    }
    timing->samples.n_kept = least_samples(pooled);
    pooled->question = timing->question;
    pooled->fastest = timing->fastest;
    pooled->winner = mb_ranking_winner(&run, timing);
    for (size_t i = 0; i < pooled->n_rows; i++) {
        pooled->rows[i].relation = timing->rows[i].relation;
    }
    mb_strbuf_append(&sentence, ""); /* where there is nothing to say, too */
    mb_ranking_describe(&sentence, &run, timing);
    return mb_strbuf_take(&sentence, &pooled->sentence, err);
}

static enum mb_status conclude(const struct mb_pool *pool, struct mb_pool_timing *pooled,
                               const struct mb_bootstrap *how, struct mb_err *err)
{
    enum mb_status status;
    struct mb_case c = {
        .layout = {.base = {1, 1}, .n_levels = 1},
        .task = {.reduce = pooled->rows[0].result->reduce},
        .results = mb_alloc(pooled->n_rows, sizeof *c.results),
    };
    struct mb_timing *timing = NULL;
    if (c.results != NULL) {
        c.n_results = pooled->n_rows;
        timing = mb_case_add_timing(&c, MB_CACHE_HOT, MB_MODE_LATENCY);
    }
    if (timing == NULL) {
        status = no_memory(err);
        goto fail;
    }
    MB_TRY(fill_timing(pool, pooled, how, timing, err));
    choose_fastest(timing);
    MB_TRY(relate_timing(pool, pooled, how, timing, err));
    MB_TRY(say(pool, pooled, timing, err));
fail:
    mb_case_finish(&c);
    return status;
}

enum mb_status mb_pool_runs(const struct mb_run_group *files, const struct mb_bootstrap *how,
                            struct mb_pools *pools, struct mb_err *err)
{
    enum mb_status status;
    *pools = (struct mb_pools){.pools = mb_alloc(files->n_files, sizeof *pools->pools)};
    if (pools->pools == NULL) {
        return no_memory(err);
    }
    MB_TRY(sort_files(files, pools, err));
    for (size_t i = 0; i < pools->n_pools; i++) {
        struct mb_pool *pool = &pools->pools[i];
        MB_TRY(gather(pool, err));
        for (size_t k = 0; k < pool->n_timings; k++) {
            MB_TRY(conclude(pool, &pool->timings[k], how, err));
        }
    }
    return MB_OK;
fail:
    mb_pools_finish(pools);
    return status;
}

void mb_pools_finish(struct mb_pools *pools)
{
    for (size_t i = 0; i < pools->n_pools; i++) {
        struct mb_pool *pool = &pools->pools[i];
        for (size_t k = 0; k < pool->n_timings; k++) {
            mb_free(pool->timings[k].rows);
            mb_free(pool->timings[k].sentence);
        }
        mb_free(pool->timings);
        mb_free((void *)pool->runs.files);
    }
    mb_free(pools->pools);
    *pools = (struct mb_pools){0};
}
