/* Results as plain data: names, warnings, and who frees what. */
#include "result/result.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

const struct mb_roofline mb_no_roofline = {
    .ceiling_gbps = (double)NAN,
    .null_dispatch_ns = (double)NAN,
    .null_barrier_ns = (double)NAN,
};

const struct mb_relation mb_no_relation = {
    .ratio = (double)NAN,
    .ci = {(double)NAN, (double)NAN},
    .p = (double)NAN,
    .outcome = MB_OUTCOME_INCONCLUSIVE,
};

const struct mb_relation mb_to_itself = {
    .ratio = 1.0,
    .ci = {1.0, 1.0},
    .p = (double)NAN,
    .outcome = MB_OUTCOME_SAME,
};

struct mb_answer mb_result_answer(const struct mb_case *c, const struct mb_result *result)
{
    struct mb_answer answer = {.questions = 0};
    if (result->has_work && !result->is_diagnostic) {
        answer = mb_answer_of(&result->work.tolerance, c->task.reduce,
                              mb_policies_agree(c->layout.base, c->layout.n_levels));
    }
    answer.questions = result->verify == MB_VERIFY_FAIL ? 0 : answer.questions;
    return answer;
}

struct mb_answer mb_row_answer(const struct mb_row *row)
{
    return mb_result_answer(row->timing->of, row->result);
}

bool mb_row_answers(const struct mb_row *row, enum mb_question question)
{
    return (mb_row_answer(row).questions & 1u << question) != 0;
}

const char *const mb_result_status_names[] = {
    [MB_RESULT_OK] = "ok",
    [MB_RESULT_SKIPPED] = "skipped",
    [MB_RESULT_FAILED] = "failed",
};

const char *const mb_verify_status_names[] = {
    [MB_VERIFY_PASS] = "pass",
    [MB_VERIFY_FAIL] = "fail",
    [MB_VERIFY_SKIPPED] = "skipped",
};

const char *const mb_cache_names[MB_N_CACHES] = {
    [MB_CACHE_HOT] = "hot",
    [MB_CACHE_COLD] = "cold",
};

const char *const mb_mode_names[MB_N_MODES] = {
    [MB_MODE_LATENCY] = "latency",
    [MB_MODE_THROUGHPUT] = "throughput",
    [MB_MODE_OVERLAP] = "overlap",
};

const char *const mb_image_usage_names[MB_N_IMAGE_USAGES] = {
    [MB_IMAGE_USAGE_ALL] = "all",
    [MB_IMAGE_USAGE_NEEDED] = "needed",
};

const char *const mb_stop_names[] = {
    [MB_STOP_NOISE] = "noise",
    [MB_STOP_BLOCKS] = "blocks",
    [MB_STOP_BUDGET] = "budget",
    [MB_STOP_INTERRUPTED] = "interrupted",
};

bool mb_rows_are_alike(const struct mb_row *a, const struct mb_row *b)
{
    const enum mb_policy x = a->result->work.tolerance.filter.policy,
                         y = b->result->work.tolerance.filter.policy;
    return x == y || (!mb_policy_is_wide(x) && !mb_policy_is_wide(y));
}

void mb_warn(struct mb_warnings *warnings, const char *code, const char *fmt, ...)
{
    if (warnings->n == MB_MAX_WARNINGS) {
        return;
    }
    struct mb_warning *warning = &warnings->warning[warnings->n++];
    va_list args;
    va_start(args, fmt);
    mb_utf8_sanitize_format(warning->message, sizeof warning->message, fmt, args);
    va_end(args);
    warning->code = code;
}

bool mb_is_warned(const struct mb_warnings *warnings, const char *code)
{
    bool is_found = false;
    for (size_t i = 0; i < warnings->n && !is_found; i++) {
        is_found = strcmp(warnings->warning[i].code, code) == 0;
    }
    return is_found;
}

const struct mb_warning *mb_row_warning(const struct mb_row *row, size_t i)
{
    const struct mb_warnings *of_result = &row->result->warnings, *own = &row->warnings;
    if (i < of_result->n) {
        return &of_result->warning[i];
    }
    return i - of_result->n < own->n ? &own->warning[i - of_result->n] : NULL;
}

static bool is_skipped_alone(const struct mb_row *row)
{
    return row->skipped[0] != '\0' && row->result->status != MB_RESULT_FAILED;
}

enum mb_result_status mb_row_status(const struct mb_row *row)
{
    return is_skipped_alone(row) ? MB_RESULT_SKIPPED : row->result->status;
}

const char *mb_row_reason(const struct mb_row *row)
{
    return is_skipped_alone(row) ? row->skipped : row->result->reason;
}

const char *mb_row_fault(const struct mb_row *row)
{
    const char *reason = mb_row_reason(row);
    return strncmp(reason, "wrong: ", 7) == 0 ? reason + 7 : reason;
}

bool mb_row_has_run(const struct mb_row *row)
{
    return mb_row_status(row) == MB_RESULT_OK || row->result->verify == MB_VERIFY_FAIL;
}

double mb_row_time_ns(const struct mb_row *row)
{
    const bool is_timed = mb_row_has_run(row) && row->stats.n > 0;
    return is_timed && isfinite(row->stats.median_ns) ? row->stats.median_ns : (double)INFINITY;
}

double mb_row_of_floor(const struct mb_row *row)
{
    return row->stats.n > 0 ? row->timing->floor_ns / row->stats.median_ns : (double)NAN;
}

const struct mb_row *mb_rows_next(struct mb_rows *rows)
{
    for (; rows->at_case < rows->run->n_cases; rows->at_case++, rows->at_timing = 0) {
        const struct mb_case *c = rows->run->cases[rows->at_case];
        for (; rows->at_timing < c->n_timings; rows->at_timing++, rows->at_row = 0) {
            if (rows->at_row < c->n_results) {
                return &c->timings[rows->at_timing].rows[rows->at_row++];
            }
        }
    }
    return NULL;
}

struct mb_timing *mb_case_add_timing(struct mb_case *c, enum mb_cache cache, enum mb_mode mode)
{
    struct mb_timing *timing = &c->timings[c->n_timings];
    *timing = (struct mb_timing){
        .of = c,
        .cache = cache,
        .mode = mode,
        .twin_of = SIZE_MAX,
        .twin = mb_no_relation,
        .floor_ns = (double)NAN,
        .fastest = SIZE_MAX,
        .rows = mb_alloc(c->n_results, sizeof *timing->rows),
    };
    if (!timing->rows) {
        return NULL;
    }
    for (size_t i = 0; i < c->n_results; i++) {
        timing->rows[i] = (struct mb_row){
            .result = &c->results[i],
            .timing = timing,
            .stats = mb_no_stats,
            .column = SIZE_MAX,
            .fixed_ns = (double)NAN,
            .relation = mb_no_relation,
        };
    }
    c->n_timings++;
    return timing;
}

struct mb_case *mb_run_add_case(struct mb_run *run)
{
    struct mb_case **longer = mb_grow(run->cases, run->n_cases, sizeof *longer);
    struct mb_case *c = longer ? mb_alloc(1, sizeof *c) : NULL;
    run->cases = longer ? longer : run->cases;
    if (c) {
        run->cases[run->n_cases++] = c;
    }
    return c;
}

void mb_samples_column(const struct mb_samples *samples, size_t candidate, double *out)
{
    for (uint32_t block = 0; block < samples->n_blocks; block++) {
        if (samples->block[block].is_kept) {
            *out++ = samples->sample[block * samples->n_candidates + candidate].duration_ns;
        }
    }
}

void mb_samples_finish(struct mb_samples *samples)
{
    mb_free(samples->block);
    mb_free(samples->sample);
    *samples = (struct mb_samples){0};
}

static void result_finish(struct mb_result *result)
{
    mb_strlist_finish(&result->images);
    mb_strlist_finish(&result->chains);
    if (result->facts) {
        mb_pipeline_facts_finish(result->facts);
        mb_free(result->facts);
    }
    mb_free(result->recorded);
    *result = (struct mb_result){.strategy = NULL};
}

void mb_timing_finish(struct mb_timing *timing)
{
    mb_free(timing->rows);
    mb_samples_finish(&timing->samples);
    *timing = (struct mb_timing){.rows = NULL};
}

void mb_case_finish(struct mb_case *c)
{
    for (size_t i = 0; i < c->n_timings; i++) {
        mb_timing_finish(&c->timings[i]);
    }
    for (size_t i = 0; i < c->n_results; i++) {
        result_finish(&c->results[i]);
    }
    mb_free(c->results);
    *c = (struct mb_case){.results = NULL};
}

void mb_run_drop_case(struct mb_run *run)
{
    run->n_cases--;
    mb_case_finish(run->cases[run->n_cases]);
    mb_free(run->cases[run->n_cases]);
}

void mb_run_finish(struct mb_run *run)
{
    while (run->n_cases > 0) {
        mb_run_drop_case(run);
    }
    mb_free(run->cases);
    mb_free(run->path);
    mb_strlist_finish(&run->command);
    mb_strlist_finish(&run->kernels);
    mb_strlist_finish(&run->texts);
    *run = (struct mb_run){.cases = NULL};
}
