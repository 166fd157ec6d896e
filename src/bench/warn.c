/* Notes on the results of a cell. */
#include "bench/warn.h"

/* A stamp pair with nothing in it costs something, too: where that is more than a twentieth of
 * a median, the figure says so. */
static void warn_overhead(const struct mb_run *run, struct mb_cell *cell)
{
    for (size_t i = 0; i < cell->n_results; i++) {
        struct mb_result *result = &cell->results[i];
        if (result->n_samples > 0 && cell->mode == MB_MODE_LATENCY &&
            run->timer.empty_pair_ns > 0.05 * result->stats.median_ns) {
            mb_result_warn(result, "overhead_bound",
                           "an empty timestamp pair takes %.0f ns, above 5 %% of the median",
                           run->timer.empty_pair_ns);
        }
    }
}

/* Faster than memory can be: the cache helped, or the measured limit is not the limit. */
static void warn_above_limit(const struct mb_run *run, struct mb_cell *cell)
{
    for (size_t i = 0; i < cell->n_results; i++) {
        struct mb_result *result = &cell->results[i];
        double of_limit = mb_result_of_limit(cell, result);
        if (!(of_limit > 1.0)) {
            continue;
        }
        if (cell->is_dispatch_bound) {
            mb_result_warn(result, "above_limit",
                           "%.0f %% of the limit, which is that of an empty dispatch",
                           100.0 * of_limit);
            continue;
        }
        bool is_resident =
            cell->cache == MB_CACHE_HOT && cell->compulsory_bytes < run->roofline.llc_bytes;
        mb_result_warn(result, "above_limit", "%.0f %% of the limit of memory: %s",
                       100.0 * of_limit,
                       is_resident ? "the image stays in the last-level cache"
                                   : "part of the image stays in a cache");
    }
}

/* --levels beyond the last level there is makes all of them, and says so. */
static void warn_levels(const struct mb_settings *settings, struct mb_cell *cell)
{
    for (size_t i = 0; settings->n_levels > cell->n_image_levels && i < cell->n_results; i++) {
        mb_result_warn(&cell->results[i], "levels_capped",
                       "--levels %u: %ux%u has %u, all of which were made", settings->n_levels,
                       cell->layout.base.width, cell->layout.base.height, cell->n_image_levels);
    }
}

/* What happened to the input on the way into the image. */
static void warn_input(const struct mb_settings *settings, struct mb_cell *cell)
{
    for (size_t i = 0; i < cell->n_results; i++) {
        struct mb_result *result = &cell->results[i];
        if (cell->n_clamped_texels > 0) {
            mb_result_warn(result, "input_clamped",
                           "%llu texels of the input are beyond what %s holds, and were "
                           "clamped; rgba32f holds them",
                           (unsigned long long)cell->n_clamped_texels,
                           cell->layout.format->name);
        }
        if (settings->is_srgb && cell->input_depth == MB_DEPTH_U16 &&
            cell->layout.format->codec != MB_CODEC_SRGB8) {
            mb_result_warn(result, "srgb_ignored",
                           "--srgb is for 8 bits: these 16-bit codes are averaged as they "
                           "are; --format rgba8-srgb takes them for colour");
        }
        if (cell->task.reduce != MB_REDUCE_AVG && result->has_work &&
            result->work.claim.filter.policy == MB_POLICY_FLOOR &&
            !mb_policies_agree(cell->layout.base, cell->layout.n_levels)) {
            mb_result_warn(result, "not_conservative",
                           "leaves out texels where a size is odd: its %s is not that of all "
                           "texels below",
                           mb_reduce_name(cell->task.reduce));
        }
    }
}

/* A software device has the host's caches: what was asked to be cold is not. */
static void warn_cold(const struct mb_run *run, struct mb_cell *cell)
{
    if (run->device.type != VK_PHYSICAL_DEVICE_TYPE_CPU ||
        !(run->settings->caches & (1u << MB_CACHE_COLD))) {
        return;
    }
    for (size_t i = 0; i < cell->n_results; i++) {
        mb_result_warn(&cell->results[i], "cold_unavailable",
                       "measured hot: the caches of a software device cannot be kept cold");
    }
}

/* Levels are split where there is one chain to stamp, and that is hot. */
static void warn_split(const struct mb_run *run, struct mb_cell *cell)
{
    for (size_t i = 0; i < cell->n_results; i++) {
        if (!run->settings->per_level || cell->has_split) {
            continue;
        }
        mb_result_warn(&cell->results[i], "no_split",
                       cell->mode == MB_MODE_LATENCY
                           ? "--per-level stands beside the hot times"
                           : "--per-level is of latency: nothing is split by level here");
    }
}

static void warn_cut_short(const struct mb_run *run, struct mb_cell *cell)
{
    const struct mb_samples *samples = &cell->samples;
    for (size_t i = 0; samples->n_kept < run->settings->n_samples && i < cell->n_results; i++) {
        if (cell->results[i].n_samples > 0) {
            mb_result_warn(&cell->results[i], "cut_short", "%u of %u samples: %s",
                           samples->n_kept, run->settings->n_samples,
                           samples->stop == MB_STOP_BUDGET ? "--timeout ended it"
                                                           : "it was interrupted");
        }
    }
}

void mb_warn_cell(const struct mb_run *run, struct mb_cell *cell)
{
    warn_cold(run, cell);
    warn_cut_short(run, cell);
    warn_levels(run->settings, cell);
    warn_input(run->settings, cell);
    warn_overhead(run, cell);
    warn_above_limit(run, cell);
    warn_split(run, cell);
}
