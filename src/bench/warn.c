/* Notes on the results of a timing. */
#include "bench/warn.h"

#include "bench/settings.h"

/* A stamp pair with nothing in it costs something, too: where that is more than a twentieth of
 * a median, the figure says so. */
static void warn_overhead(const struct mb_run *run, struct mb_timing *timing)
{
    for (size_t i = 0; i < timing->of->n_results; i++) {
        struct mb_row *row = &timing->rows[i];
        if (row->stats.n > 0 && timing->mode == MB_MODE_LATENCY &&
            run->timer.empty_pair_ns > 0.05 * row->stats.median_ns) {
            mb_warn(&row->warnings, "overhead_bound",
                    "an empty timestamp pair takes %.0f ns, above 5 %% of the median",
                    run->timer.empty_pair_ns);
        }
    }
}

/* Faster than memory can be: the cache helped, or the measured limit is not the limit. */
static void warn_above_limit(const struct mb_run *run, struct mb_timing *timing)
{
    for (size_t i = 0; i < timing->of->n_results; i++) {
        struct mb_row *row = &timing->rows[i];
        double of_limit = mb_row_of_limit(timing, row);
        if (!(of_limit > 1.0)) {
            continue;
        }
        if (timing->is_dispatch_bound) {
            mb_warn(&row->warnings, "above_limit",
                    "%.0f %% of the limit, which is that of an empty dispatch",
                    100.0 * of_limit);
            continue;
        }
        bool is_resident = timing->cache == MB_CACHE_HOT &&
                           timing->of->compulsory_bytes < run->roofline.llc_bytes;
        mb_warn(&row->warnings, "above_limit", "%.0f %% of the limit of memory: %s",
                100.0 * of_limit,
                is_resident ? "the image stays in the last-level cache"
                            : "part of the image stays in a cache");
    }
}

/* --levels beyond the last level there is makes all of them, and says so. */
static void warn_levels(const struct mb_settings *settings, const struct mb_case *c,
                        struct mb_warnings *warnings)
{
    if (settings->n_levels > c->n_image_levels) {
        mb_warn(warnings, "levels_capped", "--levels %u: %ux%u has %u, all of which were made",
                settings->n_levels, c->layout.base.width, c->layout.base.height,
                c->n_image_levels);
    }
}

/* What happened to the input on the way into the image. */
static void warn_input(const struct mb_settings *settings, const struct mb_case *c,
                       struct mb_warnings *warnings)
{
    if (c->n_clamped_texels > 0) {
        mb_warn(warnings, "input_clamped",
                "%llu texels of the input are beyond what %s holds, and were clamped; rgba32f "
                "holds them",
                (unsigned long long)c->n_clamped_texels, c->layout.format->name);
    }
    if (settings->is_srgb && c->input_depth == MB_DEPTH_U16 &&
        c->layout.format->codec != MB_CODEC_SRGB8) {
        mb_warn(warnings, "srgb_ignored",
                "--srgb is for 8 bits: these 16-bit codes are averaged as they are; --format "
                "rgba8-srgb takes them for colour");
    }
}

/* A software device has the host's caches: what was asked to be cold is not. */
static void warn_cold(const struct mb_run *run, struct mb_warnings *warnings)
{
    if (run->device.type == VK_PHYSICAL_DEVICE_TYPE_CPU &&
        (run->settings->caches & (1u << MB_CACHE_COLD))) {
        mb_warn(warnings, "cold_unavailable",
                "measured hot: the caches of a software device cannot be kept cold");
    }
}

/* Levels are split where there is one chain to stamp. */
static void warn_split(const struct mb_run *run, const struct mb_case *c,
                       struct mb_warnings *warnings)
{
    bool has_latency = false;
    for (size_t i = 0; i < c->n_timings; i++) {
        has_latency = has_latency || c->timings[i].mode == MB_MODE_LATENCY;
    }
    if (run->settings->per_level && !has_latency) {
        mb_warn(warnings, "no_split",
                "--per-level is of latency: nothing is split by level here");
    }
}

static void warn_cut_short(const struct mb_run *run, struct mb_timing *timing)
{
    const struct mb_samples *samples = &timing->samples;
    for (size_t i = 0; samples->n_kept < run->settings->n_samples && i < timing->of->n_results;
         i++) {
        if (timing->rows[i].stats.n > 0) {
            mb_warn(&timing->rows[i].warnings, "cut_short", "%u of %u samples: %s",
                    samples->n_kept, run->settings->n_samples,
                    samples->stop == MB_STOP_BUDGET ? "--timeout ended it"
                                                    : "it was interrupted");
        }
    }
}

void mb_warn_case(const struct mb_run *run, struct mb_case *c)
{
    for (size_t i = 0; i < c->n_results; i++) {
        struct mb_warnings *warnings = &c->results[i].warnings;
        warn_cold(run, warnings);
        warn_levels(run->settings, c, warnings);
        warn_input(run->settings, c, warnings);
        warn_split(run, c, warnings);
    }
    for (size_t i = 0; i < c->n_timings; i++) {
        warn_cut_short(run, &c->timings[i]);
        warn_overhead(run, &c->timings[i]);
        warn_above_limit(run, &c->timings[i]);
    }
}
