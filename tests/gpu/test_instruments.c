/* The probe of the clock and the evictor on a device. */
#include <math.h>

#include "stats/stats.h"
#include "bench/timing/evict.h"
#include "bench/timing/clock_probe.h"
#include "harness.h"
#include "readback.h"
#include "vk/barrier.h"

static void test_probe(struct mb_gpu *gpu)
{
    struct mb_probe probe;
    struct mb_err err = {0};
    double times_ns[31];
    struct mb_stats stats;
    CHECK_EQ_INT(mb_probe_init(&probe, gpu, &err), MB_OK);
    for (size_t i = 0; i < MB_COUNTOF(times_ns); i++) {
        CHECK_EQ_INT(mb_probe_run(&probe, &times_ns[i], &err), MB_OK);
        CHECK(times_ns[i] > 0.0);
    }
    CHECK_EQ_INT(mb_stats_compute(times_ns, MB_COUNTOF(times_ns), &stats, &err), MB_OK);
    const double least_ns = stats.min_ns;
    /* Calibration and runs share the cores of a CPU device with whatever else is at work. */
    const double slack = gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU ? 20.0 : 2.0;
    printf("probe: %u steps, %.1f us, launch %.1f us\n", probe.n_steps, least_ns * 1e-3,
           probe.launch_ns * 1e-3);
    CHECK(least_ns > MB_PROBE_NS / slack);
    CHECK(least_ns < slack * fmax(MB_PROBE_NS, probe.launch_ns + 0.5 * MB_PROBE_NS));

    /* It was the chain that took the time: it converges to 2. */
    struct readback r;
    if (readback_init(&r, gpu, probe.result.size_bytes)) {
        readback_begin(&r);
        readback_copy(&r, probe.result.buffer);
        readback_run(&r);
        CHECK_EQ_DBL(((const float *)r.buffer.mapped)[31], 2.0, 1e-6);
    }
    readback_finish(&r);

    /* Load leaves the probe as it was. */
    CHECK_EQ_INT(mb_probe_set_steps(&probe, 64, &err), MB_OK);
    CHECK_EQ_INT(mb_probe_load(&probe, &err), MB_OK);
    CHECK_EQ_INT(probe.n_steps, 64);
    CHECK_EQ_INT(mb_probe_run(&probe, &times_ns[0], &err), MB_OK);
    mb_probe_finish(&probe);

    struct mb_gpu blind = *gpu;
    blind.info.timestamp_valid_bits = 0;
    CHECK_EQ_INT(mb_probe_init(&probe, &blind, &err), MB_UNSUPPORTED);
}

/* Every workgroup has read what it should. */
static void check_sums(const struct mb_gpu *gpu, const struct mb_evictor *evictor)
{
    struct readback r;
    if (!readback_init(&r, gpu, evictor->sums.size_bytes)) {
        return;
    }
    readback_begin(&r);
    mb_evictor_record(evictor, r.submission.cmd);
    mb_barrier_full(r.submission.cmd);
    mb_evictor_record(evictor, r.submission.cmd);
    mb_barrier_full(r.submission.cmd);
    readback_copy(&r, evictor->sums.buffer);
    readback_run(&r);
    const uint32_t *sums = r.buffer.mapped;
    const uint32_t n_words = MB_EVICTOR_GROUP_BYTES / 4;
    for (uint32_t group = 0; group < evictor->n_groups; group++) {
        uint32_t sum = 0;
        for (uint32_t i = group * n_words; i < (group + 1) * n_words; i++) {
            sum ^= noise_channel(i / 4, i % 4);
        }
        CHECK_EQ_INT(sums[group], sum);
    }
    readback_finish(&r);
}

static void test_evictor(struct mb_gpu *gpu)
{
    static struct mb_evictor evictor;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_evictor_init(&evictor, gpu, 70 * MB_EVICTOR_GROUP_BYTES + 1, &err), MB_OK);
    CHECK_EQ_INT(evictor.n_groups, 71);
    check_sums(gpu, &evictor);
    mb_evictor_finish(&evictor);

    /* As much as the device can bind at once, and a byte more. */
    struct mb_gpu narrow = *gpu;
    narrow.info.limits.maxStorageBufferRange = 30 * MB_EVICTOR_GROUP_BYTES + 5;
    CHECK_EQ_INT(mb_evictor_init(&evictor, &narrow, 30 * MB_EVICTOR_GROUP_BYTES, &err), MB_OK);
    CHECK_EQ_INT(evictor.n_groups, 30);
    mb_evictor_finish(&evictor);
    CHECK_EQ_INT(mb_evictor_init(&evictor, &narrow, 30 * MB_EVICTOR_GROUP_BYTES + 1, &err),
                 MB_UNSUPPORTED);

    CHECK_EQ_INT(mb_evictor_init(&evictor, gpu, UINT64_C(1) << 60, &err), MB_UNSUPPORTED);
    CHECK(strstr(err.text, "limit") != NULL);
    mb_evictor_finish(&evictor);
}

static VkResult without_memory;

static VKAPI_ATTR VkResult VKAPI_CALL allocate_nothing(VkDevice device,
                                                       const VkMemoryAllocateInfo *info,
                                                       const VkAllocationCallbacks *callbacks,
                                                       VkDeviceMemory *memory)
{
    return without_memory;
}

static VKAPI_ATTR VkResult VKAPI_CALL make_no_pipeline(VkDevice device, VkPipelineCache cache,
                                                       uint32_t n,
                                                       const VkComputePipelineCreateInfo *infos,
                                                       const VkAllocationCallbacks *callbacks,
                                                       VkPipeline *pipelines)
{
    return without_memory;
}

/* Only where the device has no room for its buffers is eviction said to be impossible. */
static void test_no_memory(struct mb_gpu *gpu)
{
    static const struct {
        bool is_of_pipelines;
        VkResult result;
        enum mb_status status;
    } cases[] = {
        {false, VK_ERROR_OUT_OF_DEVICE_MEMORY, MB_UNSUPPORTED},
        {false, VK_ERROR_OUT_OF_HOST_MEMORY, MB_FAILED},
        {true, VK_ERROR_OUT_OF_DEVICE_MEMORY, MB_FAILED},
        {true, VK_ERROR_OUT_OF_HOST_MEMORY, MB_FAILED},
    };
    struct mb_gpu fresh = *gpu;
    struct mb_gpu_state state = *gpu->state;
    state.keeps_pipelines = false;
    fresh.state = &state;
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        static struct mb_evictor evictor;
        struct mb_err err = {0};
        without_memory = cases[i].result;
        if (cases[i].is_of_pipelines) {
            STAND_IN(vkCreateComputePipelines, make_no_pipeline);
        } else {
            STAND_IN(vkAllocateMemory, allocate_nothing);
        }
        CHECK_EQ_INT(mb_evictor_init(&evictor, &fresh, 1 << 20, &err), cases[i].status);
        stand_ins_end();
        CHECK(strstr(err.text, "memory") != NULL);
    }
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_probe, test_evictor, test_no_memory);
}
