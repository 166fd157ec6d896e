/* Results as plain data: names, warnings, and who frees what. */
#include "bench/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

const char *mb_result_filter_name(const struct mb_result *result)
{
    const enum mb_policy policy = result->work.claim.filter.policy;
    const bool is_wide = result->has_work && mb_policy_is_wide(policy);
    return mb_policy_name(is_wide ? policy : MB_POLICY_BOX);
}

const char *mb_result_status_name(enum mb_result_status status)
{
    switch (status) {
    case MB_RESULT_OK:
        return "ok";
    case MB_RESULT_SKIPPED:
        return "skipped";
    case MB_RESULT_FAILED:
        break;
    }
    return "failed";
}

const char *mb_verify_status_name(enum mb_verify_status status)
{
    switch (status) {
    case MB_VERIFY_PASS:
        return "pass";
    case MB_VERIFY_SKIPPED:
        return "skipped";
    case MB_VERIFY_FAIL:
        break;
    }
    return "fail";
}

bool mb_results_are_alike(const struct mb_result *a, const struct mb_result *b)
{
    const enum mb_policy x = a->work.claim.filter.policy, y = b->work.claim.filter.policy;
    return x == y || (!mb_policy_is_wide(x) && !mb_policy_is_wide(y));
}

void mb_result_warn(struct mb_result *result, const char *code, const char *fmt, ...)
{
    if (result->n_warnings == MB_MAX_WARNINGS) {
        return;
    }
    struct mb_warning *warning = &result->warning[result->n_warnings++];
    /* Room to spare, so that it is the sanitiser that cuts, between characters. */
    char raw[2 * sizeof warning->message];
    va_list args;
    va_start(args, fmt);
    vsnprintf(raw, sizeof raw, fmt, args);
    va_end(args);
    warning->code = code;
    mb_utf8_sanitize(raw, warning->message, sizeof warning->message);
}

const char *mb_cache_name(enum mb_cache cache)
{
    return cache == MB_CACHE_COLD ? "cold" : "hot";
}

const char *mb_mode_name(enum mb_mode mode)
{
    static const char *const names[MB_N_MODES] = {
        [MB_MODE_LATENCY] = "latency",
        [MB_MODE_THROUGHPUT] = "throughput",
        [MB_MODE_OVERLAP] = "overlap",
        [MB_MODE_BESIDE] = "beside",
    };
    return names[mode];
}

bool mb_mode_is_one_chain(enum mb_mode mode)
{
    return mode == MB_MODE_LATENCY || mode == MB_MODE_BESIDE;
}

const char *mb_image_usage_name(enum mb_image_usage usage)
{
    return usage == MB_IMAGE_USAGE_NEEDED ? "needed" : "all";
}

double mb_result_of_limit(const struct mb_cell *cell, const struct mb_result *result)
{
    return result->n_samples > 0 ? cell->floor_ns / result->stats.median_ns : (double)NAN;
}

enum mb_status mb_result_add_path(char ***list, size_t *n, char *path, struct mb_err *err)
{
    char **longer = mb_realloc(*list, (*n + 1) * sizeof **list);
    if (!longer) {
        mb_free(path);
        return MB_FAIL(err, MB_ERRC_RUNTIME, "results: out of memory");
    }
    *list = longer;
    longer[(*n)++] = path;
    return MB_OK;
}

static enum mb_status copy_paths(char *const *from, size_t n_from, char ***list, size_t *n,
                                 struct mb_err *err)
{
    enum mb_status status = MB_OK;
    for (size_t i = 0; i < n_from; i++) {
        char *copy = mb_strdup(from[i]);
        if (!copy) {
            return MB_FAIL(err, MB_ERRC_RUNTIME, "results: out of memory");
        }
        MB_TRY(mb_result_add_path(list, n, copy, err));
    }
fail:
    return status;
}

static void free_paths(char **list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mb_free(list[i]);
    }
    mb_free(list);
}

enum mb_status mb_result_share(struct mb_result *result, const struct mb_result *judged,
                               struct mb_err *err)
{
    enum mb_status status;
    if (result->status != MB_RESULT_SKIPPED || judged->status == MB_RESULT_FAILED) {
        result->status = judged->status;
        memcpy(result->reason, judged->reason, sizeof result->reason);
    }
    result->has_work = judged->has_work;
    result->work = judged->work;
    result->setup_ms = judged->setup_ms;
    result->verify = judged->verify;
    result->verdict = judged->verdict;
    for (size_t i = 0; i < judged->n_warnings; i++) {
        mb_result_warn(result, judged->warning[i].code, "%s", judged->warning[i].message);
    }
    if (judged->facts) {
        result->facts = mb_alloc(1, sizeof *result->facts);
        if (!result->facts) {
            return MB_FAIL(err, MB_ERRC_RUNTIME, "results: out of memory");
        }
        *result->facts = *judged->facts;
    }
    MB_TRY(
        copy_paths(judged->images, judged->n_images, &result->images, &result->n_images, err));
    MB_TRY(copy_paths(judged->chains, judged->n_chain_files, &result->chains,
                      &result->n_chain_files, err));
fail:
    return status;
}

void mb_result_finish(struct mb_result *result)
{
    free_paths(result->images, result->n_images);
    free_paths(result->chains, result->n_chain_files);
    mb_free(result->samples_ns);
    mb_free(result->facts);
    *result = (struct mb_result){.strategy = NULL};
}

void mb_cell_finish(struct mb_cell *cell)
{
    for (size_t i = 0; i < cell->n_results; i++) {
        mb_result_finish(&cell->results[i]);
    }
    mb_free(cell->results);
    mb_samples_finish(&cell->samples);
    *cell = (struct mb_cell){.results = NULL};
}

void mb_run_finish(struct mb_run *run)
{
    for (size_t i = 0; i < run->n_cells; i++) {
        mb_cell_finish(&run->cells[i]);
    }
    mb_free(run->cells);
    *run = (struct mb_run){.cells = NULL};
}
