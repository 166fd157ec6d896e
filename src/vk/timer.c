/* GPU timestamps. A stamp at ALL_COMMANDS waits for the work before it, but does not delay the
 * work after it (Vulkan 1.3, 18.5 "Timestamp Queries"), so a barrier follows the first stamp. A
 * stamp at TOP_OF_PIPE would wait for nothing. */
#include "vk/timer.h"

#include <math.h>

#include "base/figure.h"
#include "stats/stats.h"
#include "vk/barrier.h"

extern const struct mb_shader mb_spv_null;

#define N_STAMPS      4096u
#define N_EMPTY_PAIRS 64u
#define N_TRIES       4
#define HOST_SLACK_NS 1e4

const struct mb_timer_marks mb_no_timer_marks = {(double)NAN, (double)NAN, (double)NAN, false};

enum mb_status mb_timer_check(const struct mb_gpu_info *info, struct mb_err *why)
{
    const uint32_t valid_bits = info->timestamp_valid_bits;
    MB_FAIL_IF(valid_bits == 0 || valid_bits > 64, why, MB_ERRC_UNSUPPORTED,
               "timer: the queue of %s has no timestamps to measure by (timestampValidBits %u)",
               info->name, valid_bits);
    MB_FAIL_IF(!(info->timestamp_period_ns > 0.0), why, MB_ERRC_UNSUPPORTED,
               "timer: %s gives no timestamp period", info->name);
    return MB_OK;
}

enum mb_status mb_timer_init(struct mb_timer *timer, const struct mb_gpu *gpu, uint32_t n_pairs,
                             struct mb_err *err)
{
    /* mb_spv_null has one invocation by default. */
    const struct mb_pipeline_options primer = {.shader = &mb_spv_null, .name = "primer"};
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = 2 * n_pairs,
    };
    *timer = (struct mb_timer){.gpu = gpu};
    MB_DO(mb_timer_check(&gpu->info, err));
    MB_DO(MB_VK_MAKE(vkCreateQueryPool, gpu->device, &info, &timer->pool));
    mb_gpu_name(gpu, VK_OBJECT_TYPE_QUERY_POOL, (uint64_t)timer->pool, "timestamps");
    MB_DO(mb_pipeline_init(&timer->primer, gpu, &primer, err));
    return MB_OK;
}

void mb_timer_finish(struct mb_timer *timer)
{
    mb_pipeline_finish(&timer->primer);
    if (timer->gpu && !timer->gpu->state->is_lost) {
        vkDestroyQueryPool(timer->gpu->device, timer->pool, NULL);
    }
    *timer = (struct mb_timer){0};
}

void mb_timer_reset(const struct mb_timer *timer, VkCommandBuffer cmd, uint32_t first_pair,
                    uint32_t n_pairs)
{
    vkCmdResetQueryPool(cmd, timer->pool, 2 * first_pair, 2 * n_pairs);
}

void mb_timer_stamp(const struct mb_timer *timer, VkCommandBuffer cmd, uint32_t query)
{
    vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, timer->pool, query);
}

void mb_timer_begin(const struct mb_timer *timer, VkCommandBuffer cmd, uint32_t pair)
{
    const struct mb_dispatch prime = {.n_groups = {1, 1, 1}};
    mb_timer_reset(timer, cmd, pair, 1);
    mb_pipeline_dispatch(&timer->primer, cmd, &prime);
    mb_barrier_full(cmd);
    mb_timer_stamp(timer, cmd, 2 * pair);
    mb_barrier_execution(cmd); /* memory was made visible before the stamp */
}

void mb_timer_end(const struct mb_timer *timer, VkCommandBuffer cmd, uint32_t pair)
{
    mb_timer_stamp(timer, cmd, 2 * pair + 1);
    mb_barrier_full(cmd);
}

/* Make invalid stamps an error that ends the run; before, they were MB_UNSUPPORTED, so that the
 * sample was repeated. */
static enum mb_status fail_for_good(struct mb_err *err)
{
    err->code = MB_ERRC_RUNTIME;
    return MB_FAILED;
}

/* Read `n` stamps; MB_UNSUPPORTED if one is missing. */
static enum mb_status read_stamps(const struct mb_timer *timer, uint32_t first, uint32_t n,
                                  uint64_t *stamps, struct mb_err *err)
{
    const struct mb_gpu *gpu = timer->gpu;
    VkResult result =
        vkGetQueryPoolResults(gpu->device, timer->pool, first, n, n * sizeof *stamps, stamps,
                              sizeof *stamps, VK_QUERY_RESULT_64_BIT);
    MB_FAIL_IF(result == VK_NOT_READY, err, MB_ERRC_UNSUPPORTED,
               "timer: a finished submission left no timestamp");
    if (result < 0) {
        gpu->state->is_lost = gpu->state->is_lost || result == VK_ERROR_DEVICE_LOST;
        return mb_err_vk(err, result, "vkGetQueryPoolResults", __FILE__, __LINE__);
    }
    return MB_OK;
}

uint64_t mb_ticks_between(uint64_t begin, uint64_t end, uint32_t valid_bits)
{
    uint64_t mask = valid_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << valid_bits) - 1;
    return (end - begin) & mask;
}

enum mb_status mb_ticks_to_ns(uint64_t begin, uint64_t end, uint32_t valid_bits,
                              double period_ns, double *duration_ns, struct mb_err *err)
{
    uint64_t ticks = mb_ticks_between(begin, end, valid_bits);
    MB_FAIL_IF(ticks >> (valid_bits - 1), err, MB_ERRC_UNSUPPORTED,
               "timer: the second timestamp lies before the first, or the region took "
               "longer than half the counter's wrap");
    *duration_ns = (double)ticks * period_ns;
    return MB_OK;
}

/* The time from a stamp to the next one. MB_UNSUPPORTED if a stamp is missing or the second
 * lies before the first. */
static enum mb_status read_next(const struct mb_timer *timer, uint32_t first,
                                double *duration_ns, struct mb_err *err)
{
    uint64_t stamps[2];
    MB_DO(read_stamps(timer, first, 2, stamps, err));
    return mb_ticks_to_ns(stamps[0], stamps[1], timer->gpu->info.timestamp_valid_bits,
                          timer->gpu->info.timestamp_period_ns, duration_ns, err);
}

/* The sum of durations is checked because a driver may state a wrong period, which is wrong by
 * powers of ten. The sum may slightly exceed the host's wait, as clocks differ. */
enum mb_status mb_timer_read(const struct mb_timer *timer,
                             const struct mb_submission *submission,
                             struct mb_intervals intervals, double *durations_ns,
                             struct mb_err *err)
{
    const double waited_ns = (double)submission->waited_ns;
    double sum_ns = 0.0;
    for (uint32_t i = 0; i < intervals.n; i++) {
        MB_DO(read_next(timer, intervals.first + i * intervals.step, &durations_ns[i], err));
        sum_ns += durations_ns[i];
    }
    MB_FAIL_IF(sum_ns > 1.05 * waited_ns + HOST_SLACK_NS, err, MB_ERRC_UNSUPPORTED,
               "timer: the device's timestamps say %s, but the host waited %s",
               mb_time_text(sum_ns).s, mb_time_text(waited_ns).s);
    return MB_OK;
}

enum mb_status mb_timer_run(const struct mb_timer *timer, struct mb_submission *submission,
                            uint32_t n, double *durations_ns, struct mb_err *err)
{
    enum mb_status status = MB_UNSUPPORTED;
    for (int i = 0; i < N_TRIES && status == MB_UNSUPPORTED; i++) {
        MB_DO(mb_submission_run(submission, err));
        status =
            mb_timer_read(timer, submission, (struct mb_intervals){0, 2, n}, durations_ns, err);
    }
    return status == MB_UNSUPPORTED ? fail_for_good(err) : status;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void mb_ticks_granularity(const uint64_t *stamps, size_t n, uint32_t valid_bits,
                          uint64_t *least, uint64_t *gcd)
{
    *least = 0;
    *gcd = 0;
    for (size_t i = 1; i < n; i++) {
        uint64_t ticks = mb_ticks_between(stamps[i - 1], stamps[i], valid_bits);
        if (ticks == 0 || ticks >> (valid_bits - 1)) {
            continue; /* no step, or a step backward */
        }
        *least = *least == 0 || ticks < *least ? ticks : *least;
        *gcd = greatest_common_divisor(ticks, *gcd);
    }
}

/* Run the empty pairs, then the stamps. */
static enum mb_status run_marks(const struct mb_timer *timer, double *empty_ns,
                                struct mb_err *err)
{
    MB_SCOPED(mb_submission) submission = {0};
    MB_DO(mb_submission_init(&submission, timer->gpu, "timer's marks", err));
    for (uint32_t i = 0; i < N_EMPTY_PAIRS; i++) {
        mb_timer_begin(timer, submission.cmd, i);
        mb_timer_end(timer, submission.cmd, i);
    }
    mb_timer_reset(timer, submission.cmd, N_EMPTY_PAIRS, N_STAMPS / 2);
    mb_barrier_full(submission.cmd);
    for (uint32_t i = 0; i < N_STAMPS; i++) {
        mb_timer_stamp(timer, submission.cmd, 2 * N_EMPTY_PAIRS + i);
    }
    return mb_timer_run(timer, &submission, N_EMPTY_PAIRS, empty_ns, err);
}

enum mb_status mb_timer_measure_marks(const struct mb_gpu *gpu, struct mb_timer_marks *marks,
                                      struct mb_err *err)
{
    const struct mb_gpu_info *info = &gpu->info;
    MB_SCOPED(mb_timer) timer = {0};
    double durations_ns[N_EMPTY_PAIRS];
    struct mb_stats stats;
    uint64_t least, gcd;
    uint64_t stamps[N_STAMPS];
    *marks = mb_no_timer_marks;
    MB_DO(mb_timer_init(&timer, gpu, N_EMPTY_PAIRS + N_STAMPS / 2, err));
    MB_DO(run_marks(&timer, durations_ns, err));
    const enum mb_status status = read_stamps(&timer, 2 * N_EMPTY_PAIRS, N_STAMPS, stamps, err);
    MB_DO(status == MB_UNSUPPORTED ? fail_for_good(err) : status);
    mb_ticks_granularity(stamps, N_STAMPS, info->timestamp_valid_bits, &least, &gcd);
    MB_FAIL_IF(least == 0, err, MB_ERRC_RUNTIME, "timer: the timestamps of %s never advance",
               info->name);
    marks->granularity_ns = (double)least * info->timestamp_period_ns;
    marks->granularity_gcd_ns = (double)gcd * info->timestamp_period_ns;
    MB_DO(mb_stats_compute(durations_ns, N_EMPTY_PAIRS, &stats, err));
    marks->empty_pair_ns = stats.median_ns;
    marks->resolves_pairs = stats.min_ns > 0.0;
    return MB_OK;
}
