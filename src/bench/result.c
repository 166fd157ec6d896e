/* Results as plain data: names, warnings, and who frees what. */
#include "bench/result.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/text.h"

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

void mb_result_finish(struct mb_result *result)
{
    for (size_t i = 0; i < result->n_images; i++) {
        mb_free(result->images[i]);
    }
    mb_free(result->images);
    mb_free(result->samples_ns);
    *result = (struct mb_result){.strategy = NULL};
}

void mb_cell_finish(struct mb_cell *cell)
{
    for (size_t i = 0; i < cell->n_results; i++) {
        mb_result_finish(&cell->results[i]);
    }
    mb_free(cell->results);
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
