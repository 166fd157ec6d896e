/* The probe of the clock and the evictor on a device. */
#include <math.h>

#include "stats/stats.h"
#include "bench/roofline/traffic.h"
#include "bench/timing/clock_probe.h"
#include "harness.h"
#include "readback.h"

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

/* Whole units, as many as the device can bind at once. */
static void test_evictor(struct mb_gpu *gpu)
{
    static struct mb_field evictor;
    struct mb_err err = {0};
    struct mb_gpu narrow = *gpu;
    narrow.info.limits.maxStorageBufferRange = 3 * MB_TRAFFIC_UNIT_BYTES + 5;
    CHECK_EQ_INT(mb_field_init_evictor(&evictor, &narrow, 2 * MB_TRAFFIC_UNIT_BYTES + 1, &err),
                 MB_OK);
    CHECK_EQ_INT(evictor.pass_bytes, 3 * MB_TRAFFIC_UNIT_BYTES);
    mb_field_finish(&evictor);
    CHECK_EQ_INT(mb_field_init_evictor(&evictor, &narrow, 3 * MB_TRAFFIC_UNIT_BYTES + 1, &err),
                 MB_UNSUPPORTED);

    CHECK_EQ_INT(mb_field_init_evictor(&evictor, gpu, UINT64_MAX, &err), MB_UNSUPPORTED);
    CHECK(strstr(err.text, "limit") != NULL);
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

/* Eviction is said to be impossible only where the device has no room for it. */
static void test_no_memory(struct mb_gpu *gpu)
{
    static const struct {
        bool is_of_pipelines;
        VkResult result;
        enum mb_status status;
    } cases[] = {
        {false, VK_ERROR_OUT_OF_DEVICE_MEMORY, MB_UNSUPPORTED},
        {false, VK_ERROR_OUT_OF_HOST_MEMORY, MB_FAILED},
        {true, VK_ERROR_OUT_OF_DEVICE_MEMORY, MB_UNSUPPORTED},
        {true, VK_ERROR_OUT_OF_HOST_MEMORY, MB_FAILED},
    };
    struct mb_gpu fresh = *gpu;
    struct mb_gpu_state state = *gpu->state;
    state.keeps_pipelines = false;
    fresh.state = &state;
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        static struct mb_field evictor;
        struct mb_err err = {0};
        without_memory = cases[i].result;
        if (cases[i].is_of_pipelines) {
            STAND_IN(vkCreateComputePipelines, make_no_pipeline);
        } else {
            STAND_IN(vkAllocateMemory, allocate_nothing);
        }
        CHECK_EQ_INT(mb_field_init_evictor(&evictor, &fresh, 1 << 20, &err), cases[i].status);
        stand_ins_end();
        CHECK(strstr(err.text, "MEMORY") || strstr(err.text, "memory"));
    }
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_probe, test_evictor, test_no_memory);
}
