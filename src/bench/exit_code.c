/* The exit code that the results of a run call for. */
#include "bench/bench.h"

static enum mb_errc case_verdict(const struct mb_case *c, const struct mb_variant *rows)
{
    bool all_skipped = true, named_skipped = false;
    for (size_t i = 0; i < c->n_results; i++) {
        /* A strategy that has stated its work can run; it only skips this condition. */
        bool skipped = c->results[i].status == MB_RESULT_SKIPPED && !c->results[i].has_work;
        if (c->results[i].status == MB_RESULT_FAILED) {
            return c->results[i].verify == MB_VERIFY_FAIL ? MB_ERRC_VERIFY : MB_ERRC_RUNTIME;
        }
        all_skipped = all_skipped && skipped;
        named_skipped = named_skipped || (skipped && rows[i].by_name);
    }
    return all_skipped || named_skipped ? MB_ERRC_UNSUPPORTED : MB_ERRC_NONE;
}

/* The first row of this status; one that was asked for by name and cannot run goes first. */
static const struct mb_row *find_row(const struct mb_run *run, const struct mb_variant *rows,
                                     enum mb_result_status status)
{
    const struct mb_row *first = NULL;
    for (size_t i = 0; i < run->n_cases * MB_MAX_CONDITIONS; i++) {
        const struct mb_case *c = run->cases[i / MB_MAX_CONDITIONS];
        const struct mb_timing *timing = &c->timings[i % MB_MAX_CONDITIONS];
        for (size_t k = 0; timing->rows && k < c->n_results; k++) {
            const struct mb_row *row = &timing->rows[k];
            const bool is_found = mb_row_status(row) == status;
            if (is_found && rows[k].by_name && !row->result->has_work) {
                return row;
            }
            first = !first && is_found ? row : first;
        }
    }
    return first;
}

const struct mb_row *mb_run_culprit(const struct mb_run *run, const struct mb_variant *rows,
                                    enum mb_errc verdict)
{
    return verdict == MB_ERRC_RUNTIME       ? find_row(run, rows, MB_RESULT_FAILED)
           : verdict == MB_ERRC_UNSUPPORTED ? find_row(run, rows, MB_RESULT_SKIPPED)
                                            : NULL;
}

static bool is_skipped_somewhere(const struct mb_case *c, size_t index)
{
    bool is_skipped = c->results[index].status == MB_RESULT_SKIPPED;
    for (size_t i = 0; i < c->n_timings; i++) {
        is_skipped =
            is_skipped || mb_row_status(&c->timings[i].rows[index]) == MB_RESULT_SKIPPED;
    }
    return is_skipped;
}

static bool is_timed_somewhere(const struct mb_case *c, size_t index)
{
    bool is_timed = false;
    for (size_t i = 0; i < c->n_timings; i++) {
        is_timed = is_timed || c->timings[i].rows[index].stats.n > 0;
    }
    return is_timed;
}

enum mb_errc mb_run_verdict(const struct mb_run *run, const struct mb_variant *rows)
{
    enum mb_errc verdict = MB_ERRC_NONE;
    bool is_skipped = false, is_timed = false;
    for (size_t i = 0; i < run->n_cases; i++) {
        for (size_t k = 0; k < run->cases[i]->n_results; k++) {
            is_skipped = is_skipped || is_skipped_somewhere(run->cases[i], k);
            is_timed = is_timed || is_timed_somewhere(run->cases[i], k);
        }
        enum mb_errc of_case = case_verdict(run->cases[i], rows);
        if (of_case == MB_ERRC_VERIFY || of_case == MB_ERRC_RUNTIME) {
            return of_case;
        }
        verdict = of_case != MB_ERRC_NONE ? of_case : verdict;
    }
    return verdict == MB_ERRC_NONE && is_skipped && !is_timed ? MB_ERRC_UNSUPPORTED : verdict;
}
