/* The fastest of a cell, what is odd about its samples, and its comparisons. */
#include "bench/conclude.h"

#include <math.h>

#include "bench/relate.h"

#define LEVEL 0.95 /* that the interval of a median must have */

static bool is_rankable(const struct mb_result *result)
{
    return result->verify == MB_VERIFY_PASS && result->n_samples > 0;
}

/* One whose like are ranked: no wide kernel where there is anything else, or NULL. */
static const struct mb_result *find_ranked_kind(const struct mb_cell *cell)
{
    const struct mb_result *found = NULL;
    for (size_t i = 0; i < cell->n_results; i++) {
        const struct mb_result *result = &cell->results[i];
        if (is_rankable(result) && !mb_policy_is_wide(result->work.claim.filter.policy)) {
            return result;
        }
        found = !found && is_rankable(result) ? result : found;
    }
    return found;
}

/* Of the verified ones that were timed, and make the same image but for odd sizes. */
static size_t find_fastest(const struct mb_cell *cell)
{
    const struct mb_result *kind = find_ranked_kind(cell);
    size_t fastest = SIZE_MAX;
    for (size_t i = 0; kind && i < cell->n_results; i++) {
        const struct mb_result *result = &cell->results[i];
        if (is_rankable(result) && mb_results_are_alike(kind, result) &&
            (fastest == SIZE_MAX ||
             result->stats.median_ns < cell->results[fastest].stats.median_ns)) {
            fastest = i;
        }
    }
    return fastest;
}

static void warn_few(const struct mb_cell *cell, struct mb_result *result)
{
    const size_t index = (size_t)(result - cell->results);
    if (result->stats.median_ci_level < LEVEL) {
        mb_result_warn(result, "few_samples",
                       "only %zu samples: too few for a 95 %% interval (try --samples %u)",
                       result->n_samples, MB_ENOUGH_SAMPLES);
    } else if (mb_relate_can_tell(cell, index)) {
        mb_result_warn(result, "few_samples", "only %zu samples: the interval is wide",
                       result->n_samples);
    } else {
        mb_result_warn(result, "few_samples",
                       "only %zu samples: no test can tell %zu rows apart (try --samples %zu)",
                       result->n_samples, mb_relate_n_tests(cell) + 1,
                       mb_relate_samples_needed(cell));
    }
}

static void warn_samples(const struct mb_cell *cell, struct mb_result *result)
{
    const struct mb_samples *samples = &cell->samples;
    uint32_t n_flagged = 0;
    for (uint32_t i = 0; i < samples->n_blocks; i++) {
        n_flagged += samples->block[i].is_flagged && samples->block[i].is_kept;
    }
    if (result->n_samples < MB_ENOUGH_SAMPLES) {
        warn_few(cell, result);
    }
    if (n_flagged > 0) {
        mb_result_warn(result, "clock_unstable",
                       "the clock moved by more than %.0f %% in %u of %u blocks that count",
                       100.0 * MB_MAX_DRIFT, n_flagged, samples->n_kept);
    }
    if (samples->n_rebased > 0) {
        mb_result_warn(
            result, "clock_shifted",
            "the clock moved and stayed %u time%s: the samples are of several clocks",
            samples->n_rebased, samples->n_rebased == 1 ? "" : "s");
    }
    if (result->stats.is_bimodal) {
        mb_result_warn(result, "bimodal",
                       "the samples fall into two groups: the median may be of either");
    }
}

enum mb_status mb_conclude_cell(const struct mb_settings *settings,
                                const struct mb_ruler *ruler, struct mb_cell *cell,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    bool may_rank = settings->verify && !settings->validate;
    cell->fastest = may_rank ? find_fastest(cell) : SIZE_MAX;
    /* Chains in a row or side by side hide what a dispatch costs. */
    cell->is_dispatch_bound = mb_mode_is_one_chain(cell->mode);
    cell->floor_ns = mb_ruler_floor_ns(ruler, cell->compulsory_bytes, &cell->is_dispatch_bound);
    MB_TRY(mb_relate_cell(cell, settings->seed, err));
    for (size_t i = 0; i < cell->n_results; i++) {
        if (cell->results[i].n_samples > 0) {
            warn_samples(cell, &cell->results[i]);
        }
    }
fail:
    return status;
}
