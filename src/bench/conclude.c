/* The fastest of a timing, what is odd about its samples, and its comparisons. */
#include "bench/conclude.h"

#include <math.h>

#include "result/ranking.h"
#include "result/relate.h"

#define LEVEL 0.95 /* that the interval of a median must have */

static void warn_few(const struct mb_timing *timing, struct mb_row *row)
{
    const size_t index = (size_t)(row - timing->rows);
    if (row->stats.median_ci_level < LEVEL) {
        mb_warn(&row->warnings, "few_samples",
                "only %zu samples: too few for a 95 %% interval (try --samples %u)",
                row->stats.n, MB_ENOUGH_SAMPLES);
    } else if (mb_relate_can_tell(timing, index)) {
        mb_warn(&row->warnings, "few_samples", "only %zu samples: the interval is wide",
                row->stats.n);
    } else {
        mb_warn(&row->warnings, "few_samples",
                "only %zu samples: no test can tell %zu rows apart (try --samples %zu)",
                row->stats.n, mb_relate_n_tests(timing) + 1, mb_relate_samples_needed(timing));
    }
}

static void warn_samples(const struct mb_timing *timing, struct mb_row *row)
{
    const struct mb_samples *samples = &timing->samples;
    uint32_t n_flagged = 0;
    for (uint32_t i = 0; i < samples->n_blocks; i++) {
        n_flagged += samples->block[i].is_flagged && samples->block[i].is_kept;
    }
    if (row->stats.n < MB_ENOUGH_SAMPLES) {
        warn_few(timing, row);
    }
    if (n_flagged > 0) {
        mb_warn(&row->warnings, "clock_unstable",
                "the clock moved by more than %.0f %% in %u of %u blocks that count",
                100.0 * MB_MAX_DRIFT, n_flagged, samples->n_kept);
    }
    if (samples->n_rebased > 0) {
        mb_warn(&row->warnings, "clock_shifted",
                "the clock moved and stayed %u time%s: the samples are of several clocks",
                samples->n_rebased, samples->n_rebased == 1 ? "" : "s");
    }
    if (row->stats.is_bimodal) {
        mb_warn(&row->warnings, "bimodal",
                "the samples fall into two groups: the median may be of either");
    }
}

enum mb_status mb_conclude_timing(const struct mb_settings *settings,
                                  const struct mb_calibration *calibration,
                                  struct mb_timing *timing, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    timing->fastest = SIZE_MAX;
    if (settings->verify && !settings->validate) {
        mb_ranking_choose(timing);
    }
    /* Chains in a row or side by side hide what a dispatch costs. */
    timing->is_dispatch_bound = mb_mode_is_one_chain(timing->mode);
    timing->floor_ns = mb_calibration_floor_ns(calibration, timing->of->compulsory_bytes,
                                               &timing->is_dispatch_bound);
    MB_TRY(mb_relate_timing(timing, settings->seed, err));
    for (size_t i = 0; i < timing->of->n_results; i++) {
        if (timing->rows[i].stats.n > 0) {
            warn_samples(timing, &timing->rows[i]);
        }
    }
fail:
    return status;
}
