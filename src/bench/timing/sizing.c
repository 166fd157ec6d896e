/* What a timing computes without the device. */
#include "bench/timing/sizing.h"

#include <math.h>
#include <stdio.h>

#define MAX_BATCH    1024.0
#define MAX_BATCH_NS 50e6
#define MAX_BEND     0.05 /* largest relative spread of the slopes between batches on a line */
#define OVERLAPPED   4u   /* images of the overlap mode, unless a cold cache takes more */

/* How many images keep the cache cold if a chain touches `footprint_bytes` of each (if an
 * update: only its affected region): the least n >= 2 with n footprints >= MB_COLD_FACTOR x
 * llc_bytes. */
static uint64_t count_cold_images(uint64_t footprint_bytes, uint64_t llc_bytes)
{
    const uint64_t least_bytes = footprint_bytes > 0 ? footprint_bytes : 1;
    uint64_t n_images = (MB_COLD_FACTOR * llc_bytes + least_bytes - 1) / least_bytes;
    return n_images > 2 ? n_images : 2;
}

enum mb_status mb_schedule_images(struct mb_timing *timing, uint64_t llc_bytes,
                                  struct mb_err *why)
{
    uint64_t n = timing->mode == MB_MODE_OVERLAP ? OVERLAPPED : 1;
    if (timing->cache == MB_CACHE_COLD) {
        uint64_t n_cold = count_cold_images(timing->of->compulsory_bytes, llc_bytes);
        MB_FAIL_IF(n_cold > MB_MAX_ROTATION && timing->mode != MB_MODE_LATENCY, why,
                   MB_ERRC_UNSUPPORTED,
                   "a cold cache needs %llu images of this size in this mode; --mode latency "
                   "sweeps the cache instead",
                   (unsigned long long)n_cold);
        timing->is_evicted = n_cold > MB_MAX_ROTATION;
        n_cold = timing->is_evicted ? 2 : n_cold;
        n = n_cold > n ? n_cold : n;
    }
    timing->n_rotated = (uint32_t)n;
    return MB_OK;
}

uint32_t mb_schedule_batch(const struct mb_timer_marks *marks, double chain_ns, double host_ns)
{
    const double least_ns = fmax(200.0 * marks->granularity_ns, 20.0 * marks->empty_pair_ns);
    const double n = ceil(fmax(least_ns, 200e3) / fmax(chain_ns, 1.0));
    return (uint32_t)fmax(1.0, fmin(n, fmin(MAX_BATCH, MAX_BATCH_NS / host_ns)));
}

struct mb_measure_options mb_schedule_blocks(const struct mb_settings *settings, bool is_cpu)
{
    struct mb_measure_options options = {
        .seed = settings->seed,
        .min_warmup_blocks = is_cpu ? 1 : 3,
        .max_warmup_ns = UINT64_C(5000000000),
        .min_blocks = is_cpu ? 10 : 20,
        .max_blocks = is_cpu ? 40 : 1280,
        .budget_ns = UINT64_C(2000000000),
        .timeout_ns = (uint64_t)(settings->timeout_s * 1e9),
        .max_noise = settings->max_noise,
    };
    if (settings->n_warmup != UINT32_MAX) {
        options.min_warmup_blocks = settings->n_warmup;
        options.max_warmup_ns = 0;
    }
    if (settings->n_samples > 0) {
        options.min_blocks = options.max_blocks = settings->n_samples;
        options.max_noise = 0.0;
    }
    return options;
}

double mb_schedule_chain_ns(const uint32_t *n_chains, const double *part_ns, uint32_t n_parts)
{
    double x[MB_MAX_PARTS], intercept_ns;
    for (uint32_t i = 0; i < n_parts; i++) {
        x[i] = n_chains[i];
    }
    return n_parts > 1 ? mb_theil_sen(x, part_ns, n_parts, &intercept_ns) : part_ns[0] / x[0];
}

/* True if the slopes between the pairs of points agree to MAX_BEND of their median. */
static bool is_line(const double *n_chains, const double *part_ns, size_t n)
{
    double least = INFINITY, most = -INFINITY, intercept_ns;
    const double slope_ns = mb_theil_sen(n_chains, part_ns, n, &intercept_ns);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            double pair_ns = (part_ns[k] - part_ns[i]) / (n_chains[k] - n_chains[i]);
            least = fmin(least, pair_ns);
            most = fmax(most, pair_ns);
        }
    }
    return most - least <= MAX_BEND * slope_ns;
}

static double median_of_part(const struct mb_samples *samples, size_t column, uint32_t part,
                             double *scratch)
{
    uint32_t n = 0;
    for (uint32_t block = 0; block < samples->n_blocks; block++) {
        if (samples->block[block].is_kept) {
            scratch[n++] =
                samples->sample[block * samples->n_candidates + column].part_ns[part];
        }
    }
    return mb_median(scratch, n);
}

void mb_schedule_keep_fixed(const struct mb_samples *samples, struct mb_row *row,
                            double *scratch)
{
    double n_chains[MB_MAX_PARTS], part_ns[MB_MAX_PARTS];
    row->fixed_ns = (double)NAN;
    if (samples->n_kept == 0 || samples->n_parts < 2) {
        return;
    }
    for (uint32_t i = 0; i < samples->n_parts; i++) {
        n_chains[i] = row->n_chains[i];
        part_ns[i] = median_of_part(samples, row->column, i, scratch);
    }
    if (is_line(n_chains, part_ns, samples->n_parts)) {
        mb_theil_sen(n_chains, part_ns, samples->n_parts, &row->fixed_ns);
        return;
    }
    mb_warn(&row->warnings, "not_a_line",
            "the times of %u, %u and %u chains are not on a line (within %.0f %%): the time of "
            "a chain depends on how many run",
            row->n_chains[0], row->n_chains[1], row->n_chains[2], 100.0 * MAX_BEND);
}

void mb_schedule_drop_unresolved(struct mb_row *row)
{
    if (row->stats.n == 0 || row->stats.median_ci_ns[0] > 0.0) {
        return;
    }
    snprintf(row->skipped, sizeof row->skipped,
             "below resolution: the interval of its time, %.0f to %.0f ns, reaches zero",
             row->stats.median_ci_ns[0], row->stats.median_ci_ns[1]);
    row->fixed_ns = (double)NAN;
    row->stats = mb_no_stats;
}
