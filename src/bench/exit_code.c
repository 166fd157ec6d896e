/* The exit code that the results of a run call for. */
#include "bench/bench.h"

static enum mb_errc find_verdict(const struct mb_run *run, const struct mb_variant *rows)
{
    bool is_lacking = false, is_skipped = false, is_timed = false;
    for (size_t i = 0; i < run->n_cases; i++) {
        const struct mb_case *c = run->cases[i];
        bool are_all_unable = true;
        for (size_t k = 0; k < c->n_results; k++) {
            const struct mb_result *result = &c->results[k];
            if (result->status == MB_RESULT_FAILED) {
                return result->verify == MB_VERIFY_FAIL ? MB_ERRC_VERIFY : MB_ERRC_RUNTIME;
            }
            /* A strategy that described its work can run; only a condition was skipped. */
            const bool is_unable = result->status == MB_RESULT_SKIPPED && !result->has_work;
            are_all_unable = are_all_unable && is_unable;
            is_lacking = is_lacking || (is_unable && rows[k].by_name);
            for (size_t t = 0; t < c->n_timings; t++) {
                const struct mb_row *row = &c->timings[t].rows[k];
                is_skipped = is_skipped || mb_row_status(row) == MB_RESULT_SKIPPED;
                is_timed = is_timed || row->stats.n > 0;
            }
        }
        is_lacking = is_lacking || are_all_unable;
    }
    return is_lacking || (is_skipped && !is_timed) ? MB_ERRC_UNSUPPORTED : MB_ERRC_NONE;
}

/* The first row with this status, preferably of a variant that has it under every condition,
 * and of these one that was asked for by name and cannot run. */
static const struct mb_row *find_row(const struct mb_run *run, const struct mb_variant *rows,
                                     enum mb_result_status status)
{
    const struct mb_row *found = NULL;
    int best = 0;
    struct mb_rows all = {.run = run};
    for (const struct mb_row *row; (row = mb_rows_next(&all)) != NULL;) {
        const bool is_unable = rows[row - row->timing->rows].by_name && !row->result->has_work;
        const int rank = mb_row_status(row) != status ? 0
                         : is_unable                  ? 3
                                                      : 1 + (row->result->status == status);
        found = rank > best ? row : found;
        best = rank > best ? rank : best;
    }
    return found;
}

enum mb_status mb_run_exit_code(const struct mb_run *run, const struct mb_variant *rows,
                                bool is_told, enum mb_errc *verdict, struct mb_err *err)
{
    const struct mb_row *culprit = NULL;
    *verdict = find_verdict(run, rows);
    if (*verdict == MB_ERRC_RUNTIME) {
        culprit = find_row(run, rows, MB_RESULT_FAILED);
    } else if (*verdict == MB_ERRC_UNSUPPORTED) {
        culprit = find_row(run, rows, MB_RESULT_SKIPPED);
    }
    if (culprit == NULL) {
        return MB_OK;
    }
    return is_told ? MB_FAIL(err, *verdict, "%s: %s, see the table", culprit->result->label,
                             mb_result_status_names[mb_row_status(culprit)])
                   : MB_FAIL(err, *verdict, "%s: %s", culprit->result->label,
                             mb_row_reason(culprit));
}
