/* The memory floor. A sweep finds the last-level cache; then several variants of mixed traffic
 * run at a footprint that no cache holds, and the fastest variant counts. */
#include "bench/roofline/roofline.h"

#include <math.h>
#include <string.h>

#include "bench/roofline/traffic.h"
#include "stats/stats.h"
#include "vk/barrier.h"

#define MIB UINT64_C(0x100000)

/* Assumed if the sweep finds no cache: as large as in large CPUs, and larger than in most GPUs.
 * */
#define ASSUMED_LLC_BYTES (64 * MIB)

#define CACHE_FACTOR        8
#define SCOUT_BYTES         (1024 * MIB)
#define CPU_SCOUT_BYTES     (4 * MIB)
#define GENEROUS_BYTES      (512 * MIB) /* if reads of this take at most GENEROUS_NS */
#define GENEROUS_NS         500e3
#define CPU_PASS_NS         4e6
#define LARGE_TEXELS_A_SIDE 8192u

/* The launch and the last wave of a dispatch take a few microseconds, 1 % of MIN_TIMED_NS. */
#define MIN_TIMED_NS 400e3
#define WARM_UP_NS   20e6

/* A null dispatch is timed N_NULL_TIMES times, alone and with N_LINKS more behind it. */
#define N_NULL_TIMES 32u
#define N_LINKS      16u

#define MIX_ITEMS 2u /* per invocation; three loads each */

/* The knee. */
#define MAX_POINTS 24u
#define MIN_POINTS 6u
#define N_MEMORY   3u /* last points of the sweep, all of which must show memory's bandwidth */

/* An H200 reads its cache about 1.3 times as fast as its memory; timings repeat to 2 %. */
#define STEP_RATIO    1.12
#define FLAT_RATIO    1.04
#define MEMORY_SPREAD 1.1

/* A running median of three removes single outliers and keeps steps where they are. False if a
 * bandwidth is not a positive number. */
static bool smooth(const double *gbps, size_t n, double *smoothed)
{
    bool are_valid = true;
    for (size_t i = 0; i < n; i++) {
        const size_t before = i > 0 ? i - 1 : 0;
        const size_t after = i + 1 < n ? i + 1 : n - 1;
        smoothed[i] = mb_median((double[]){gbps[before], gbps[i], gbps[after]}, 3);
        are_valid = are_valid && gbps[i] > 0.0 && isfinite(gbps[i]);
    }
    return are_valid;
}

uint64_t mb_sweep_bytes(size_t i)
{
    const uint64_t octave_bytes = MIB << (i / 2);
    return i % 2 ? octave_bytes + octave_bytes / 2 : octave_bytes;
}

uint64_t mb_cache_knee(const double *gbps, size_t n)
{
    double g[MAX_POINTS];
    if (n < MIN_POINTS || n > MAX_POINTS || !smooth(gbps, n, g)) {
        return 0;
    }
    double last[N_MEMORY];
    memcpy(last, g + n - N_MEMORY, sizeof last);
    mb_sort(last, N_MEMORY);
    const double memory = last[1];
    size_t end = n; /* points from here on come from memory */
    while (end > 0 && g[end - 1] <= STEP_RATIO * memory) {
        end--;
    }
    if (last[2] > MEMORY_SPREAD * last[0] || end == 0) {
        return 0; /* the sweep ended within the cache, or found none */
    }
    /* Climb the slope to the plateau of the cache; an inner cache may be faster still. */
    size_t plateau = end - 1;
    while (plateau > 0 && g[plateau - 1] > FLAT_RATIO * g[plateau]) {
        plateau--;
    }
    const double halfway = 0.5 * (memory + g[plateau]);
    size_t knee = plateau;
    while (knee + 1 < end && g[knee + 1] >= halfway) {
        knee++;
    }
    return mb_sweep_bytes(knee);
}

struct measurement {
    const struct mb_gpu *gpu;
    const struct mb_settings *settings;
    struct mb_roofline *out;
    bool is_cpu;
    uint64_t limit_bytes; /* of each of two buffers or images */
    double rough_gbps;    /* of reads */
};

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Limit the size of a buffer to what the device allows, in whole units, at least one. */
static uint64_t buffer_bytes(const struct measurement *m, uint64_t n_bytes)
{
    n_bytes =
        least_of(n_bytes, least_of(m->limit_bytes, m->gpu->info.limits.maxStorageBufferRange));
    return most_of(n_bytes / MB_TRAFFIC_UNIT_BYTES, 1) * MB_TRAFFIC_UNIT_BYTES;
}

/* The size limit of each of the two sides: together they take at most a quarter of the largest
 * device-local heap. */
static uint64_t side_limit(const struct mb_gpu *gpu)
{
    uint64_t heap_bytes = 0;
    for (uint32_t i = 0; i < gpu->info.memory.memoryHeapCount; i++) {
        if (gpu->info.memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) {
            heap_bytes = most_of(heap_bytes, gpu->info.memory.memoryHeaps[i].size);
        }
    }
    return least_of(heap_bytes / 8, gpu->info.max_allocation_bytes);
}

/* The median time of a null dispatch and `n_links` more, each behind a full barrier. */
static enum mb_status time_row(const struct mb_pipeline *compute, const struct mb_timer *timer,
                               struct mb_submission *submission, uint32_t n_links,
                               double *median_ns, struct mb_err *err)
{
    const struct mb_dispatch dispatch = {.n_groups = {1, 1, 1}};
    double times_ns[N_NULL_TIMES];
    MB_DO(mb_submission_begin(submission, err));
    for (uint32_t i = 0; i < N_NULL_TIMES; i++) {
        mb_timer_begin(timer, submission->cmd, i);
        mb_pipeline_dispatch(compute, submission->cmd, &dispatch);
        for (uint32_t link = 0; link < n_links; link++) {
            mb_barrier_full(submission->cmd);
            mb_pipeline_dispatch(compute, submission->cmd, &dispatch);
        }
        mb_timer_end(timer, submission->cmd, i);
    }
    MB_DO(mb_timer_run(timer, submission, N_NULL_TIMES, times_ns, err));
    *median_ns = mb_median(times_ns, N_NULL_TIMES);
    return MB_OK;
}

static enum mb_status measure_null_dispatch(const struct mb_gpu *gpu, struct mb_roofline *out,
                                            struct mb_err *err)
{
    MB_SCOPED(mb_timer) timer = {0};
    MB_SCOPED(mb_submission) submission = {0};
    double row_ns;
    MB_DO(mb_timer_init(&timer, gpu, N_NULL_TIMES, err));
    MB_DO(mb_submission_init(&submission, gpu, "null", err));
    const struct mb_pipeline *compute = &timer.primer;
    MB_DO(time_row(compute, &timer, &submission, 0, &row_ns, err)); /* warm */
    MB_DO(time_row(compute, &timer, &submission, 0, &out->null_dispatch_ns, err));
    MB_DO(time_row(compute, &timer, &submission, N_LINKS, &row_ns, err));
    out->null_barrier_ns = (row_ns - out->null_dispatch_ns) / N_LINKS;
    return MB_OK;
}

/* Time variants of mixed traffic; the fastest of all is the ceiling. Software devices time one
 * variant: the size of workgroups makes no difference there. */
static enum mb_status measure_mix(const struct measurement *m, struct mb_field *field,
                                  struct mb_err *err)
{
    static const uint32_t sizes[] = {128, 64, 256, 512, 1024};
    const size_t n_variants = m->is_cpu ? 1 : MB_COUNTOF(sizes) + 1;
    double best_gbps = 0.0;
    uint32_t best_size = 0;
    for (size_t i = 0; i < n_variants; i++) {
        const bool is_last = i == MB_COUNTOF(sizes); /* more items, with the best size */
        const uint32_t size = is_last ? best_size : sizes[i];
        struct mb_err why;
        double gbps;
        if (size == 0 || mb_gpu_require_workgroup(m->gpu, size, &why) != MB_OK) {
            continue;
        }
        MB_DO(mb_field_choose(field, MB_TRAFFIC_MIX, size, is_last ? 2 * MIX_ITEMS : MIX_ITEMS,
                              err));
        MB_DO(mb_field_time(field, m->is_cpu ? 0.0 : MIN_TIMED_NS, &gbps, err));
        m->out->ceiling_gbps = fmax(m->out->ceiling_gbps, gbps); /* fmax() ignores NaN */
        if (gbps > best_gbps) {
            best_gbps = gbps;
            best_size = size;
        }
    }
    return MB_OK;
}

/* Look for the cache by reads of ever larger footprints. */
static enum mb_status find_cache(const struct measurement *m, struct mb_field *field,
                                 struct mb_err *err)
{
    const uint64_t max_bytes = field->pass_bytes;
    double gbps[MAX_POINTS];
    size_t n = 0;
    for (; n < MAX_POINTS && mb_sweep_bytes(n) <= max_bytes; n++) {
        field->pass_bytes = mb_sweep_bytes(n);
        MB_DO(mb_field_time(field, MIN_TIMED_NS, &gbps[n], err));
    }
    const uint64_t knee_bytes = mb_cache_knee(gbps, n);
    if (knee_bytes > 0) {
        m->out->llc_bytes = knee_bytes;
        m->out->llc_source = "measured";
    }
    return MB_OK;
}

/* Warm up, get a rough idea of the speed, and find the cache. */
static enum mb_status scout(struct measurement *m, struct mb_err *err)
{
    MB_SCOPED(mb_field) field = {0};
    const uint32_t workgroup_size = m->is_cpu ? 128 : 256;
    const uint64_t n_bytes = buffer_bytes(m, m->is_cpu ? CPU_SCOUT_BYTES : SCOUT_BYTES);
    MB_DO(mb_field_init_buffers(&field, m->gpu, n_bytes, n_bytes, err));
    MB_DO(mb_field_choose(&field, MB_TRAFFIC_READ, workgroup_size, 4, err));
    MB_DO(mb_field_time(&field, m->is_cpu ? 0.0 : WARM_UP_NS, &m->rough_gbps, err));
    return m->is_cpu || m->settings->l2_bytes > 0 ? MB_OK : find_cache(m, &field, err);
}

/* The size of one side that no cache holds, before limits apply. */
static uint64_t large_bytes(const struct measurement *m)
{
    const uint64_t beyond_cache = m->out->llc_bytes * CACHE_FACTOR;
    const double passed = m->rough_gbps * (m->is_cpu ? CPU_PASS_NS : GENEROUS_NS);
    const uint64_t in_time = isfinite(passed) ? (uint64_t)passed : CPU_SCOUT_BYTES;
    return m->is_cpu ? least_of(beyond_cache, most_of(in_time, CPU_SCOUT_BYTES))
                     : most_of(beyond_cache, least_of(in_time, GENEROUS_BYTES));
}

static enum mb_status measure_buffers(const struct measurement *m, struct mb_err *err)
{
    MB_SCOPED(mb_field) field = {0};
    const uint64_t n_bytes = buffer_bytes(m, large_bytes(m) + MB_TRAFFIC_UNIT_BYTES - 1);
    MB_DO(mb_field_init_buffers(&field, m->gpu, n_bytes, n_bytes, err));
    return measure_mix(m, &field, err);
}

/* Describe square layers of rgba8, about `n_bytes` in all and no more than the limit. */
static void large_layout(const struct measurement *m, uint64_t n_bytes,
                         struct mb_layout *layout)
{
    const struct mb_format *format = mb_format_find("rgba8");
    const struct mb_gpu_info *info = &m->gpu->info;
    const uint64_t most = least_of(LARGE_TEXELS_A_SIDE, info->limits.maxImageDimension2D);
    uint64_t side = 256;
    while (2 * side <= most && 4 * side * side * format->texel_bytes <= n_bytes) {
        side *= 2;
    }
    const uint64_t layer_bytes = side * side * format->texel_bytes;
    const uint64_t n_layers = least_of(most_of((n_bytes + layer_bytes - 1) / layer_bytes, 1),
                                       most_of(m->limit_bytes / layer_bytes, 1));
    const struct mb_extent extent = {(uint32_t)side, (uint32_t)side};
    mb_layout_init(layout, format, extent,
                   (uint32_t)least_of(n_layers, info->limits.maxImageArrayLayers), 1);
}

static enum mb_status measure_images(const struct measurement *m, struct mb_err *err)
{
    MB_SCOPED(mb_field) field = {0};
    struct mb_layout layout;
    large_layout(m, least_of(large_bytes(m), m->limit_bytes), &layout);
    const enum mb_status status = mb_field_init_images(&field, m->gpu, &layout, err);
    if (status == MB_UNSUPPORTED) {
        return MB_OK;
    }
    MB_DO(status);
    return measure_mix(m, &field, err);
}

enum mb_status mb_roofline_measure(const struct mb_gpu *gpu, const struct mb_settings *settings,
                                   struct mb_roofline *out, struct mb_err *err)
{
    struct measurement m = {
        .gpu = gpu,
        .settings = settings,
        .out = out,
        .is_cpu = mb_gpu_is_cpu(&gpu->info),
        .limit_bytes = side_limit(gpu),
    };
    *out = mb_no_roofline;
    out->llc_bytes = settings->l2_bytes > 0 ? settings->l2_bytes : ASSUMED_LLC_BYTES;
    out->llc_source = settings->l2_bytes > 0 ? "given" : "assumed";
    if (!settings->roofline && (m.is_cpu || settings->l2_bytes > 0)) {
        return MB_OK;
    }
    MB_DO(scout(&m, err));
    if (settings->roofline) {
        MB_DO(measure_null_dispatch(gpu, out, err));
        MB_DO(measure_buffers(&m, err));
        MB_DO(measure_images(&m, err));
    }
    return MB_OK;
}
