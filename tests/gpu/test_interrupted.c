/* A run that is interrupted after a condition that could not be sampled: what has samples is
 * kept, and nothing is lost. */
#include <string.h>

#include "base/alloc.h"
#include "bench/bench.h"
#include "bench/case.h"
#include "harness.h"

extern const struct mb_strategy mb_strategy_compute;

static const char *const inputs_given[] = {"pattern:noise:64x64"};
static const struct mb_variant rows[] = {{.strategy = &mb_strategy_compute}};

static size_t n_pools;         /* each timing makes one */
static size_t n_first, n_done; /* pools when the first timing was under way; cells kept */
static bool is_last;           /* the last timing has a sample */

static VKAPI_ATTR VkResult VKAPI_CALL count_pool(VkDevice device,
                                                 const VkQueryPoolCreateInfo *info,
                                                 const VkAllocationCallbacks *allocator,
                                                 VkQueryPool *pool)
{
    n_pools++;
    return REAL(vkCreateQueryPool)(device, info, allocator, pool);
}

/* Between the first timing and the last the clock stands still. */
static VKAPI_ATTR VkResult VKAPI_CALL get_still_stamps(VkDevice device, VkQueryPool pool,
                                                       uint32_t first, uint32_t n, size_t size,
                                                       void *stamps, VkDeviceSize stride,
                                                       VkQueryResultFlags flags)
{
    const VkResult result =
        REAL(vkGetQueryPoolResults)(device, pool, first, n, size, stamps, stride, flags);
    if (n_first > 0 && n_pools == n_first + 1) {
        memset(stamps, 0, size);
    }
    return result;
}

static bool is_interrupted(void *user)
{
    return is_last;
}

static void on_block(void *user, size_t n_candidates, uint32_t n_blocks, uint32_t n_total)
{
    n_first = n_first == 0 ? n_pools : n_first;
    is_last = n_pools == n_first + 2 && n_blocks > 0;
}

static void on_case_begin(void *user, size_t index)
{
}

static enum mb_status on_case_done(void *user, const struct mb_run *run,
                                   const struct mb_case *c, struct mb_err *err)
{
    CHECK(c == run->cases[n_done]);
    n_done++;
    return MB_OK;
}

/* Hot latency is sampled, hot throughput yields no times, and cold latency is cut short. */
static void test_gap(struct mb_gpu *gpu)
{
    struct mb_gpu as_gpu = *gpu;
    struct mb_run run = {0};
    struct mb_inputs inputs = {0};
    struct mb_err err = {0};
    struct mb_hooks hooks = mb_test_hooks;
    const struct mb_settings settings = {
        .inputs = inputs_given,
        .n_inputs = 1,
        .n_warmup = 0,
        .n_samples = 3,
        .seed = 1,
        .l2_bytes = 32 << 10,
        .caches = 1u << MB_CACHE_HOT | 1u << MB_CACHE_COLD,
        .modes = 1u << MB_MODE_LATENCY | 1u << MB_MODE_THROUGHPUT,
    };
    const struct mb_case_options options = {.run = mb_case_run,
                                            .settings = &settings,
                                            .hooks = &hooks,
                                            .rows = rows,
                                            .n_rows = MB_COUNTOF(rows)};
    hooks.on_case_begin = on_case_begin;
    hooks.on_case_done = on_case_done;
    hooks.is_interrupted = is_interrupted;
    hooks.on_block = on_block;
    as_gpu.info.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU; /* which has caches to be cold */
    mb_run_init(&run, &as_gpu, &settings, 0, NULL);
    CHECK_EQ_INT(mb_inputs_open(&settings, &inputs, &err), MB_OK);
    STAND_IN(vkCreateQueryPool, count_pool);
    STAND_IN(vkGetQueryPoolResults, get_still_stamps);
    CHECK_EQ_INT(mb_bench_run(&options, &as_gpu, &inputs, &run, &err), MB_OK);
    stand_ins_end();
    CHECK(!run.complete);
    CHECK_EQ_INT(n_done, 1);
    CHECK_EQ_INT(run.n_cases, 1);
    CHECK_EQ_INT(run.cases[0]->n_timings, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct mb_timing *timing = &run.cases[0]->timings[i];
        CHECK_EQ_INT(timing->cache, i);
        CHECK_EQ_INT(timing->mode, MB_MODE_LATENCY);
        CHECK(timing->rows[0].stats.n > 0);
    }
    mb_run_finish(&run);
    mb_inputs_finish(&inputs);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_gap);
}
