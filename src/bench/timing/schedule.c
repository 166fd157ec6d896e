/* What a timing does before it touches the device. */
#include "bench/timing/schedule.h"

#include <math.h>

#include "bench/timing/rotation.h"

#define MAX_BATCH  1024u
#define OVERLAPPED 4u /* images of the overlap mode, if a cold cache does not take more */

enum mb_status mb_schedule_images(struct mb_timing *timing, uint64_t llc_bytes,
                                  struct mb_err *why)
{
    uint64_t n = timing->mode == MB_MODE_OVERLAP ? OVERLAPPED : 1;
    if (timing->cache == MB_CACHE_COLD) {
        uint64_t n_cold = mb_rotation_cold_images(timing->of->compulsory_bytes, llc_bytes);
        if (n_cold > MB_MAX_ROTATION && !mb_mode_is_one_chain(timing->mode)) {
            return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                           "a cold cache in this mode takes %llu images of this size; with "
                           "--mode latency the cache is swept instead",
                           (unsigned long long)n_cold);
        }
        timing->is_evicted = n_cold > MB_MAX_ROTATION;
        n_cold = timing->is_evicted ? 2 : n_cold;
        n = n_cold > n ? n_cold : n;
    }
    timing->n_rotated = (uint32_t)n;
    return MB_OK;
}

uint32_t mb_schedule_batch(const struct mb_timer_marks *marks, double chain_ns)
{
    double least_ns = fmax(200.0 * marks->granularity_ns, 20.0 * marks->empty_pair_ns);
    double n = ceil(fmax(least_ns, 200e3) / fmax(chain_ns, 1.0));
    return n < 1.0 ? 1 : n > MAX_BATCH ? MAX_BATCH : (uint32_t)n;
}

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

struct mb_measure_options mb_schedule_blocks(const struct mb_settings *settings, bool is_cpu)
{
    struct mb_measure_options options = {
        .seed = settings->seed,
        .min_warmup_blocks = is_cpu ? 1 : 3,
        .max_warmup_ns = UINT64_C(5000000000),
        .min_blocks = is_cpu ? 10 : 20,
        .max_blocks = is_cpu ? 40 : 1280,
        .min_time_ns = (uint64_t)(settings->min_time_s * 1e9),
        .budget_ns = UINT64_C(2000000000),
        .timeout_ns = (uint64_t)(settings->timeout_s * 1e9),
        .max_noise = settings->max_noise,
    };
    /* Who gives more time wants it used. */
    options.budget_ns =
        later(options.budget_ns, later(options.min_time_ns, options.timeout_ns));
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
