/* Every condition of a timing on a device: its structure, never its speed. The cold ones are
 * made with a cache that is said to be small, so that they run on a CPU, too. */
#include <math.h>

#include "base/alloc.h"
#include "bench/timing/recorded_sample.h"
#include "bench/timing/time_case.h"
#include "harness.h"

#define N_CONDITIONS MB_MAX_CONDITIONS
#define N_SAMPLES    3u
#define SMALL_LLC    (UINT64_C(32) << 10) /* about eight chains of 64x64 are four of these */
#define LARGE_LLC    (UINT64_C(1) << 20)  /* 192 chains: more than go round */

extern const struct mb_strategy mb_strategy_compute, mb_strategy_spd;

static const struct mb_variant rows[] = {
    {.strategy = &mb_strategy_compute},
    {.strategy = &mb_strategy_spd},
};

/* With the last group's work left out, in front: such a row is no measure of the instrument. */
static struct mb_variant diagnostic_rows[] = {
    {.strategy = &mb_strategy_spd},
    {.strategy = &mb_strategy_compute},
};

struct bed {
    const struct mb_variant *rows; /* as many as `rows` */
    size_t first, n;               /* conditions that are run; n 0: all */
    struct mb_settings settings;
    struct mb_calibration calibration;
    struct mb_case c;
};

static struct bed bed; /* of each test in turn */
static const struct mb_test_case plain = {.extent = {64, 64}};

static bool run(const struct mb_gpu *gpu, const struct mb_test_case *test_case,
                uint64_t llc_bytes)
{
    struct mb_err err = {0};
    bool is_complete = false;
    const size_t first = bed.first, n = bed.n > 0 ? bed.n : N_CONDITIONS;
    bed = (struct bed){
        .rows = bed.rows ? bed.rows : rows,
        .settings = {.n_warmup = 1,
                     .n_samples = N_SAMPLES,
                     .seed = 1,
                     .verify = true,
                     .validate = gpu->validate,
                     .l2_bytes = llc_bytes,
                     .per_level = true,
                     .pipeline_facts = true},
    };
    struct mb_condition conditions[N_CONDITIONS];
    for (unsigned i = 0; i < N_CONDITIONS; i++) {
        conditions[i] = (struct mb_condition){(enum mb_cache)(i / MB_N_MODES),
                                              (enum mb_mode)(i % MB_N_MODES)};
    }
    mb_test_fill_case(test_case, &bed.c);
    bed.c.compulsory_bytes =
        mb_filter_affected_bytes(MB_POLICY_BOX, &bed.c.layout, bed.c.task.rect);
    void *texels = mb_test_texels(&bed.c.layout, "noise");
    const struct mb_case_options options = {
        .calibration = &bed.calibration,
        .settings = &bed.settings,
        .hooks = &mb_test_hooks,
        .rows = bed.rows,
        .n_rows = MB_COUNTOF(rows),
        .conditions = conditions + first,
        .n_conditions = n,
    };
    enum mb_status status = mb_calibration_init(&bed.calibration, gpu, &bed.settings, &err);
    if (status == MB_OK) {
        status = mb_case_run(&options, texels, &bed.c, &is_complete, &err);
    }
    if (status != MB_OK) {
        printf("failed: %s\n", err.text);
    }
    mb_free(texels);
    return status == MB_OK && is_complete;
}

static void finish(void)
{
    mb_case_finish(&bed.c);
    mb_calibration_finish(&bed.calibration);
}

static bool has_warning(const struct mb_row *row, const char *code)
{
    const struct mb_warning *warning;
    for (size_t i = 0; (warning = mb_row_warning(row, i)) != NULL; i++) {
        if (strcmp(warning->code, code) == 0) {
            return true;
        }
    }
    return false;
}

static void check_row(const struct mb_timing *timing, const struct mb_row *row)
{
    CHECK_EQ_INT(row->result->verify, MB_VERIFY_PASS);
    if (timing->mode == MB_MODE_THROUGHPUT && mb_row_status(row) == MB_RESULT_SKIPPED) {
        /* Three samples of a busy machine need not resolve a slope. */
        CHECK(strstr(mb_row_reason(row), "below resolution") != NULL);
        CHECK_EQ_INT(row->stats.n, 0);
        CHECK(isnan(row->stats.median_ns));
        return;
    }
    CHECK_EQ_INT(mb_row_status(row), MB_RESULT_OK);
    CHECK_EQ_INT(row->stats.n, N_SAMPLES);
    CHECK(isfinite(row->stats.median_ns));
    CHECK(row->result->setup_ms > 0.0);
    if (timing->mode == MB_MODE_THROUGHPUT) {
        CHECK(row->stats.median_ci_ns[0] > 0.0);
        CHECK(isfinite(row->fixed_ns) == !has_warning(row, "not_a_line"));
        CHECK(row->n_chains[0] >= 1);
        CHECK_EQ_INT(row->n_chains[1], 2 * row->n_chains[0]);
        CHECK_EQ_INT(row->n_chains[2], 4 * row->n_chains[0]);
    } else {
        CHECK(row->stats.min_ns > 0.0);
        CHECK_EQ_INT(row->n_chains[0],
                     timing->mode == MB_MODE_OVERLAP ? timing->n_rotated : 1u);
    }
}

/* As many columns as there are strategies, and the second name; each block holds each once. */
static void check_samples(const struct mb_timing *timing, bool is_validated)
{
    const struct mb_samples *samples = &timing->samples;
    const size_t n = MB_COUNTOF(rows);
    CHECK_EQ_INT(samples->n_candidates, n + 1);
    CHECK_EQ_INT(samples->n_kept, N_SAMPLES);
    CHECK_EQ_INT(samples->n_parts, timing->mode == MB_MODE_THROUGHPUT ? 3 : 0);
    CHECK(timing->twin_of < n || timing->mode == MB_MODE_THROUGHPUT);
    CHECK_EQ_INT(timing->twin_column, n);
    if (timing->mode != MB_MODE_THROUGHPUT) {
        CHECK((timing->fastest < n) == !is_validated); /* nothing is ranked then */
    }
    CHECK(isfinite(timing->twin.ratio) || timing->mode == MB_MODE_THROUGHPUT);
}

/* Bytes of rgba8 that a chain touches, level by level: sizes are powers of two, so that each
 * texel covers whole ones of the level above. */
static uint64_t touched_bytes(const struct mb_case *c)
{
    const struct mb_rect whole = {0, 0, c->layout.base.width, c->layout.base.height};
    const struct mb_rect rect = c->task.is_update ? c->task.rect : whole;
    uint64_t n_texels = 0;
    for (uint32_t level = 0; level < c->layout.n_levels; level++) {
        const uint32_t right = (rect.x + rect.width - 1) >> level;
        const uint32_t bottom = (rect.y + rect.height - 1) >> level;
        n_texels +=
            (uint64_t)(right - (rect.x >> level) + 1) * (bottom - (rect.y >> level) + 1);
    }
    return 4 * n_texels * c->layout.n_layers;
}

static void check_cold(const struct mb_timing *timing)
{
    const uint64_t wanted_bytes = 4 * bed.calibration.roofline.llc_bytes;
    const uint64_t bytes = touched_bytes(timing->of);
    if (timing->is_evicted) {
        CHECK(64 * bytes < wanted_bytes);
        CHECK_EQ_INT(timing->n_rotated, 2);
        return;
    }
    CHECK(timing->n_rotated <= 64);
    CHECK(timing->n_rotated * bytes >= wanted_bytes);
    CHECK((timing->n_rotated - 1) * bytes < wanted_bytes || timing->n_rotated == 2 ||
          (timing->mode == MB_MODE_OVERLAP && timing->n_rotated == 4));
}

/* A cold cache by going round: all conditions run. */
static void test_rotation(struct mb_gpu *gpu)
{
    bed = (struct bed){.n = 0};
    CHECK(run(gpu, &plain, SMALL_LLC));
    CHECK_EQ_INT(bed.calibration.roofline.llc_bytes, SMALL_LLC);
    for (unsigned i = 0; i < N_CONDITIONS; i++) {
        const struct mb_timing *timing = &bed.c.timings[i];
        check_samples(timing, gpu->validate);
        for (size_t k = 0; k < bed.c.n_results; k++) {
            check_row(timing, &timing->rows[k]);
        }
        if (timing->cache == MB_CACHE_COLD) {
            check_cold(timing);
        } else {
            CHECK_EQ_INT(timing->n_rotated, timing->mode == MB_MODE_OVERLAP ? 4 : 1);
            CHECK(!timing->is_evicted);
        }
    }
    const struct mb_split *split = &bed.c.results[0].split;
    CHECK_EQ_INT(split->n_steps, 6);
    for (uint32_t i = 0; i < split->n_steps; i++) {
        CHECK_EQ_INT(split->step[i].first_level, i + 1);
        CHECK_EQ_INT(split->step[i].n_levels, 1);
        CHECK(split->step[i].median_ns > 0.0 && split->step[i].gap_ns >= 0.0);
    }
    CHECK_EQ_INT(bed.c.results[1].split.n_steps, 0); /* one dispatch */
    finish();
}

/* By sweeping, where too many images would be needed: latency only, the others say why. */
static void test_eviction(struct mb_gpu *gpu)
{
    bed = (struct bed){.n = 0};
    CHECK(run(gpu, &plain, LARGE_LLC));
    for (unsigned i = MB_N_MODES; i < N_CONDITIONS; i++) {
        const struct mb_timing *timing = &bed.c.timings[i];
        for (size_t k = 0; k < bed.c.n_results; k++) {
            const struct mb_row *row = &timing->rows[k];
            if (timing->mode == MB_MODE_LATENCY) {
                check_row(timing, row);
                CHECK(timing->is_evicted);
            } else {
                CHECK_EQ_INT(mb_row_status(row), MB_RESULT_SKIPPED);
                CHECK(strstr(mb_row_reason(row), "images") != NULL);
                CHECK_EQ_INT(row->stats.n, 0);
                CHECK(row->result->has_work); /* it can run, but not like this */
            }
        }
    }
    finish();
}

/* Images that go round hold a chain when an update begins, and arrays and cubes rotate, too. */
static void test_shapes(struct mb_gpu *gpu)
{
    bed = (struct bed){.n = 0};
    const struct mb_test_case cases[] = {
        {.extent = {32, 32}, .n_layers = 3, .rect = {4, 4, 8, 8}},
        {.extent = {32, 32}, .n_layers = 6, .is_cube = true},
        {.extent = {33, 17}, .n_levels = 3},
        {.extent = {1, 1}},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        bed = (struct bed){.n = 0};
        CHECK(run(gpu, &cases[i], SMALL_LLC / 2));
        CHECK_EQ_INT(bed.c.n_timings, N_CONDITIONS);
        CHECK_EQ_INT(bed.c.results[0].verify, MB_VERIFY_PASS);
        finish();
    }
}

/* An update touches its affected region only: it takes more images than the whole chain would.
 */
static void test_cold_update(struct mb_gpu *gpu)
{
    const struct mb_test_case test_case = {.extent = {64, 64}, .rect = {8, 8, 16, 16}};
    bed = (struct bed){.first = MB_N_MODES, .n = 1};
    CHECK(run(gpu, &test_case, SMALL_LLC / 2));
    const struct mb_timing *timing = &bed.c.timings[0];
    check_cold(timing);
    CHECK_EQ_INT(timing->n_rotated, 48); /* 65536 bytes by 343 texels; of the image it is 4 */
    CHECK(bed.c.results[0].split.n_steps > 1);
    finish();

    bed = (struct bed){.first = MB_MODE_THROUGHPUT, .n = 1};
    CHECK(run(gpu, &test_case, SMALL_LLC));
    CHECK_EQ_INT(bed.c.results[0].split.n_steps, 0); /* there is no latency to split */
    finish();
}

/* A device that cannot be made to evict: results that say so, and the rest runs. */
static void test_no_evictor(struct mb_gpu *gpu)
{
    struct mb_gpu narrow = *gpu;
    narrow.info.limits.maxStorageBufferRange = MB_TRAFFIC_UNIT_BYTES;
    bed = (struct bed){.n = 0};
    CHECK(run(&narrow, &plain, LARGE_LLC));
    CHECK_EQ_INT(mb_row_status(&bed.c.timings[0].rows[0]), MB_RESULT_OK);
    for (size_t k = 0; k < bed.c.n_results; k++) {
        const struct mb_row *row = &bed.c.timings[MB_N_MODES].rows[k];
        CHECK_EQ_INT(mb_row_status(row), MB_RESULT_SKIPPED);
        CHECK(strstr(mb_row_reason(row), "limit") != NULL);
        CHECK_EQ_INT(row->result->verify, MB_VERIFY_PASS);
    }
    finish();
}

/* The second name is one of those that are ranked, whatever comes first. */
static void test_diagnostic_first(struct mb_gpu *gpu)
{
    for (size_t i = 0; i < mb_strategy_n_params(&mb_strategy_spd); i++) {
        diagnostic_rows[0].params.choice[i] = mb_strategy_spd.params[i].is_diagnostic;
    }
    CHECK(mb_variant_is_diagnostic(&diagnostic_rows[0]));
    bed = (struct bed){.rows = diagnostic_rows, .first = 0, .n = 1};
    CHECK(run(gpu, &plain, SMALL_LLC));
    CHECK(bed.c.results[0].is_diagnostic);
    CHECK_EQ_INT(bed.c.timings[0].twin_of, 1);
    CHECK(isfinite(bed.c.timings[0].twin.ratio));
    finish();
}

/* A clock so coarse that no pair of stamps sees it move, but a long row of them does. */
static VKAPI_ATTR VkResult VKAPI_CALL get_equal_stamps(VkDevice device, VkQueryPool pool,
                                                       uint32_t first, uint32_t n,
                                                       size_t n_bytes, void *data,
                                                       VkDeviceSize stride_bytes,
                                                       VkQueryResultFlags flags)
{
    const VkResult result =
        REAL(vkGetQueryPoolResults)(device, pool, first, n, n_bytes, data, stride_bytes, flags);
    for (uint32_t i = 0; i < n; i++) {
        *(uint64_t *)(void *)((char *)data + i * stride_bytes) = 1000 + i / 1000;
    }
    return result;
}

/* Rows without a time still have columns: those are told from the A/A control's. */
static void test_unresolved(struct mb_gpu *gpu)
{
    bed = (struct bed){.first = MB_MODE_LATENCY, .n = 1};
    STAND_IN(vkGetQueryPoolResults, get_equal_stamps);
    CHECK(run(gpu, &plain, SMALL_LLC));
    stand_ins_end();
    const struct mb_timing *timing = &bed.c.timings[0];
    CHECK_EQ_INT(timing->rows[0].stats.n, 0);
    CHECK(strstr(mb_row_reason(&timing->rows[0]), "below resolution") != NULL);
    CHECK(timing->twin_of < timing->of->n_results);
    CHECK(isnan(timing->twin.ratio));
    finish();
}

/* Images in the order in which their chains were recorded. */
static size_t order[32], n_order;

static void record_order(const void *state, VkCommandBuffer cmd)
{
    order[n_order++ % MB_COUNTOF(order)] = *(const size_t *)state;
}

/* Each batch of a cold cache comes after a whole round, and goes on where that ended. */
static void test_lead(struct mb_gpu *gpu)
{
    static const size_t wanted[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0};
    static size_t names[] = {0, 1, 2};
    const struct mb_strategy strategy = {.name = "order", .record = record_order};
    const struct mb_vk_image image = {.gpu = gpu, .layout = {.n_levels = 1}};
    struct mb_instance instances[3] = {{.strategy = NULL}};
    struct mb_timer timer = {0};
    for (size_t i = 0; i < 3; i++) {
        instances[i] =
            (struct mb_instance){.strategy = &strategy, .image = &image, .state = &names[i]};
    }
    struct mb_recorded_sample recorded = {
        .timer = &timer,
        .n_parts = 3,
        .n_chains = {1, 2, 4},
        .instances = instances,
        .n_instances = 3,
        .n_lead = 3,
        .name = "lead",
    };
    CHECK_EQ_INT(mb_timer_init(&timer, gpu, 3, NULL), MB_OK);
    CHECK_EQ_INT(mb_recorded_sample_init(&recorded, NULL), MB_OK);
    CHECK_EQ_INT(n_order, MB_COUNTOF(wanted));
    for (size_t i = 0; i < MB_COUNTOF(wanted); i++) {
        CHECK_EQ_INT(order[i], wanted[i]);
    }
    mb_recorded_sample_finish(&recorded);
    mb_timer_finish(&timer);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_rotation, test_eviction, test_shapes, test_cold_update,
                             test_no_evictor, test_diagnostic_first, test_unresolved,
                             test_lead);
}
