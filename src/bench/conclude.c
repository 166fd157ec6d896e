/* The fastest of each timing, its comparisons, and warnings about what may mislead. */
#include "bench/case.h"

#include <stdio.h>

#include "base/figure.h"
#include "result/ranking.h"
#include "result/relate.h"

static void warn_clock(const struct mb_samples *samples, struct mb_warnings *warnings)
{
    uint32_t n_flagged = 0;
    for (uint32_t i = 0; i < samples->n_blocks; i++) {
        n_flagged += samples->block[i].is_flagged && samples->block[i].is_kept;
    }
    if (n_flagged > 0) {
        mb_warn(warnings, "clock_unstable",
                "the clock drifted by more than %.0f %% in %u of the %u blocks that were kept",
                100.0 * MB_MAX_DRIFT, n_flagged, samples->n_kept);
    }
    if (samples->n_rebased > 0) {
        mb_warn(warnings, "clock_shifted",
                "the clock settled at another speed %u time%s: the samples mix clock speeds",
                samples->n_rebased, samples->n_rebased == 1 ? "" : "s");
    }
}

/* Warn of a row faster than its floor: a cache helped, or the floor was measured too high. */
static void warn_below_floor(const struct mb_timing *timing, uint64_t llc_bytes,
                             struct mb_row *row)
{
    const double of_floor = mb_row_of_floor(row);
    const char *why = "part of the image stays in a cache";
    if (timing->is_dispatch_bound) {
        why = "faster than the measured time of an empty dispatch";
    } else if (timing->cache == MB_CACHE_HOT && timing->of->compulsory_bytes < llc_bytes) {
        why = "the image stays in the last-level cache";
    }
    if (of_floor > 1.0) {
        mb_warn(&row->warnings, "above_limit", "%s of the %s: %s", mb_percent_text(of_floor).s,
                timing->is_dispatch_bound ? "floor" : "memory floor", why);
    }
}

/* Warn of what limits the figures of a timed row but does not show in them. */
static void warn_row(const struct mb_case_options *options, const struct mb_timing *timing,
                     struct mb_row *row)
{
    const struct mb_settings *settings = options->settings;
    const struct mb_calibration *calibration = options->calibration;
    const struct mb_samples *samples = &timing->samples;
    const double empty_pair_ns = calibration->marks.empty_pair_ns;
    if (row->stats.n < MB_ENOUGH_SAMPLES) {
        mb_warn(&row->warnings, "few_samples",
                "only %zu samples: the interval is wide (try --samples %u)", row->stats.n,
                MB_ENOUGH_SAMPLES);
    }
    warn_clock(samples, &row->warnings);
    if (row->stats.is_bimodal) {
        mb_warn(&row->warnings, "bimodal",
                "the samples form two groups: the median may belong to either");
    }
    if (samples->n_kept < settings->n_samples) {
        mb_warn(&row->warnings, "cut_short", "%s after %u of %u samples",
                samples->stop == MB_STOP_BUDGET ? "ended by --timeout" : "interrupted",
                samples->n_kept, settings->n_samples);
    }
    /* The cost of the stamps themselves is in every sample. */
    if (timing->mode == MB_MODE_LATENCY && empty_pair_ns > 0.05 * row->stats.median_ns) {
        mb_warn(&row->warnings, "overhead_bound",
                "an empty timestamp pair takes %s, more than 5 %% of the median",
                mb_time_text(empty_pair_ns).s);
    }
    warn_below_floor(timing, calibration->roofline.llc_bytes, row);
}

/* Set the floor of a timing: the time that memory takes to move the bytes of a chain or, if
 * longer, a null dispatch. A dispatch bounds latency only: chains in a row or side by side hide
 * its cost. NaN if the roofline was not measured. */
static void find_floor(const struct mb_roofline *roofline, struct mb_timing *timing)
{
    /* Bytes over GB/s are nanoseconds. */
    const double memory_ns = (double)timing->of->compulsory_bytes / roofline->ceiling_gbps;
    timing->is_dispatch_bound =
        timing->mode == MB_MODE_LATENCY && roofline->null_dispatch_ns > memory_ns;
    timing->floor_ns = timing->is_dispatch_bound ? roofline->null_dispatch_ns : memory_ns;
}

/* Say why a strategy that leaves work out was not sampled: every strategy that makes the whole
 * chain was given up. */
static void explain_untimed(const struct mb_timing *timing, struct mb_row *row)
{
    if (timing->samples.n_kept == 0 && row->result->is_diagnostic &&
        mb_row_status(row) == MB_RESULT_OK) {
        snprintf(row->skipped, sizeof row->skipped,
                 "not timed: no strategy is left to time it beside");
    }
}

static enum mb_status conclude_timing(const struct mb_case_options *options,
                                      struct mb_timing *timing, struct mb_err *err)
{
    const struct mb_settings *settings = options->settings;
    timing->fastest = SIZE_MAX;
    if (settings->verify && !settings->validate) {
        mb_ranking_choose(timing);
    }
    find_floor(&options->calibration->roofline, timing);
    MB_DO(mb_relate_timing(timing, settings->seed, err));
    for (size_t i = 0; i < timing->of->n_results; i++) {
        if (timing->rows[i].stats.n > 0) {
            warn_row(options, timing, &timing->rows[i]);
        } else if (options->calibration->has_timer) {
            explain_untimed(timing, &timing->rows[i]);
        }
    }
    return MB_OK;
}

/* Warn of what affects all rows of a case: what could not be done as asked, and how the input
 * changed on its way into the image. */
static void warn_case(const struct mb_case_options *options, const struct mb_case *c,
                      struct mb_warnings *warnings)
{
    const struct mb_settings *settings = options->settings;
    bool has_latency = false;
    for (size_t i = 0; i < c->n_timings; i++) {
        has_latency = has_latency || c->timings[i].mode == MB_MODE_LATENCY;
    }
    if (mb_gpu_is_cpu(&options->calibration->gpu->info) &&
        (settings->caches & (1u << MB_CACHE_COLD))) {
        mb_warn(warnings, "cold_unavailable",
                "measured hot: the caches of a software device cannot be kept cold");
    }
    if (settings->n_levels > c->n_image_levels) {
        mb_warn(warnings, "levels_capped", "--levels %u: %ux%u has only %u, all were made",
                settings->n_levels, c->layout.base.width, c->layout.base.height,
                c->n_image_levels);
    }
    if (c->n_clamped_texels > 0) {
        mb_warn(warnings, "input_clamped",
                "%llu texels of the input exceed the range of %s and were clamped; rgba32f "
                "holds them",
                (unsigned long long)c->n_clamped_texels, c->layout.format->name);
    }
    if (settings->is_srgb && c->input_depth == MB_DEPTH_U16 &&
        c->layout.format->codec != MB_CODEC_SRGB8) {
        mb_warn(warnings, "srgb_ignored",
                "--srgb applies to 8-bit input; this has 16 bits and is averaged as linear; "
                "--format rgba8-srgb takes it as sRGB");
    }
    /* Only latency samples hold a single chain, whose levels can be stamped. */
    if (settings->per_level && !has_latency) {
        mb_warn(warnings, "no_split",
                "--per-level works with --mode latency only: no time is split by level");
    }
}

/* Say why a chain that was asked for is missing. */
static void warn_no_chain(struct mb_result *result, bool is_asked)
{
    if (is_asked && result->chains.n == 0 && result->status != MB_RESULT_SKIPPED &&
        !mb_is_warned(&result->warnings, "chain_not_written")) {
        mb_warn(&result->warnings, "chain_not_written",
                "no chain file: only verified chains are written");
    }
}

enum mb_status mb_conclude_case(const struct mb_case_options *options, struct mb_case *c,
                                struct mb_err *err)
{
    for (size_t i = 0; i < c->n_results; i++) {
        struct mb_warnings *warnings = &c->results[i].warnings;
        if (!options->calibration->has_timer) {
            mb_warn(warnings, "no_timestamps",
                    "the device has no timestamps: nothing is timed");
        }
        warn_no_chain(&c->results[i], options->settings->chains != 0);
        warn_case(options, c, warnings);
    }
    for (size_t i = 0; i < c->n_timings; i++) {
        MB_DO(conclude_timing(options, &c->timings[i], err));
    }
    return MB_OK;
}
