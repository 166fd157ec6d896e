/* The exit code that the results of a run call for. */
#include "bench/bench.h"

static enum mb_errc cell_verdict(const struct mb_cell *cell, const struct mb_row *rows)
{
    bool all_skipped = true, named_skipped = false;
    for (size_t i = 0; i < cell->n_results; i++) {
        /* A strategy that has stated its work can run; it only skips this condition. */
        bool skipped =
            cell->results[i].status == MB_RESULT_SKIPPED && !cell->results[i].has_work;
        if (cell->results[i].status == MB_RESULT_FAILED) {
            return cell->results[i].verify == MB_VERIFY_FAIL ? MB_ERRC_VERIFY : MB_ERRC_RUNTIME;
        }
        all_skipped = all_skipped && skipped;
        named_skipped = named_skipped || (skipped && rows[i].by_name);
    }
    return all_skipped || named_skipped ? MB_ERRC_UNSUPPORTED : MB_ERRC_NONE;
}

/* The first result of this status; one that was asked for by name and cannot run goes first. */
static const struct mb_result *find_result(const struct mb_run *run, const struct mb_row *rows,
                                           enum mb_result_status status)
{
    const struct mb_result *first = NULL;
    for (size_t i = 0; i < run->n_cells; i++) {
        for (size_t k = 0; k < run->cells[i].n_results; k++) {
            const struct mb_result *result = &run->cells[i].results[k];
            if (result->status == status && rows[k].by_name && !result->has_work) {
                return result;
            }
            first = !first && result->status == status ? result : first;
        }
    }
    return first;
}

const struct mb_result *mb_run_culprit(const struct mb_run *run, const struct mb_row *rows,
                                       enum mb_errc verdict)
{
    return verdict == MB_ERRC_RUNTIME       ? find_result(run, rows, MB_RESULT_FAILED)
           : verdict == MB_ERRC_UNSUPPORTED ? find_result(run, rows, MB_RESULT_SKIPPED)
                                            : NULL;
}

enum mb_errc mb_run_verdict(const struct mb_run *run, const struct mb_row *rows)
{
    enum mb_errc verdict = MB_ERRC_NONE;
    bool is_skipped = false, is_timed = false;
    for (size_t i = 0; i < run->n_cells; i++) {
        for (size_t k = 0; k < run->cells[i].n_results; k++) {
            is_skipped = is_skipped || run->cells[i].results[k].status == MB_RESULT_SKIPPED;
            is_timed = is_timed || run->cells[i].results[k].n_samples > 0;
        }
        enum mb_errc of_cell = cell_verdict(&run->cells[i], rows);
        if (of_cell == MB_ERRC_VERIFY || of_cell == MB_ERRC_RUNTIME) {
            return of_cell;
        }
        verdict = of_cell != MB_ERRC_NONE ? of_cell : verdict;
    }
    return verdict == MB_ERRC_NONE && is_skipped && !is_timed ? MB_ERRC_UNSUPPORTED : verdict;
}
