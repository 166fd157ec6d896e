/* Every condition of a timing on a device: its structure, never its speed. The cold ones are
 * made with a cache that is said to be small, so that they run on a CPU, too. */
#include <math.h>

#include "../unit/check.h"
#include "base/alloc.h"
#include "bench/rotation.h"
#include "bench/split.h"
#include "bench/timing.h"
#include "harness.h"

#define N_CONDITIONS (MB_N_CACHES * MB_N_MODES)
#define N_SAMPLES    3u
#define SMALL_LLC    (UINT64_C(32) << 10) /* about eight chains of 64x64 are four of these */
#define LARGE_LLC    (UINT64_C(1) << 20)  /* 192 chains: more than go round */

extern const struct mb_strategy mb_strategy_compute, mb_strategy_spd;

static const struct mb_row rows[] = {
    {.strategy = &mb_strategy_compute},
    {.strategy = &mb_strategy_spd},
};

struct bed {
    struct mb_settings settings;
    struct mb_ruler ruler;
    struct mb_cell cells[N_CONDITIONS];
};

static void fill_cells(struct bed *bed, const struct mb_test_case *test_case)
{
    for (unsigned i = 0; i < N_CONDITIONS; i++) {
        mb_test_fill_cell(test_case, &bed->cells[i]);
        bed->cells[i].cache = (enum mb_cache)(i / MB_N_MODES);
        bed->cells[i].mode = (enum mb_mode)(i % MB_N_MODES);
    }
}

static bool run(struct bed *bed, const struct mb_gpu *gpu, const struct mb_test_case *test_case,
                uint64_t llc_bytes)
{
    struct mb_err err = {0};
    bool is_complete = false;
    *bed = (struct bed){
        .settings = {.n_warmup = 1,
                     .n_samples = N_SAMPLES,
                     .seed = 1,
                     .verify = true,
                     .validate = gpu->validate,
                     .l2_bytes = llc_bytes,
                     .per_level = true,
                     .pipeline_facts = true},
    };
    fill_cells(bed, test_case);
    void *texels = mb_test_texels(&bed->cells[0].layout, test_case->pattern);
    const struct mb_cell_options options = {
        .gpu = gpu,
        .ruler = &bed->ruler,
        .settings = &bed->settings,
        .hooks = &mb_test_hooks,
        .rows = rows,
        .n_rows = MB_COUNTOF(rows),
    };
    enum mb_status status = mb_ruler_init(&bed->ruler, gpu, &bed->settings, NULL, &err);
    if (status == MB_OK) {
        status = mb_cell_run(&options, texels, bed->cells, N_CONDITIONS, &is_complete, &err);
    }
    if (status != MB_OK) {
        printf("failed: %s\n", err.text);
    }
    mb_free(texels);
    return status == MB_OK && is_complete;
}

static void finish(struct bed *bed)
{
    for (unsigned i = 0; i < N_CONDITIONS; i++) {
        mb_cell_finish(&bed->cells[i]);
    }
    mb_ruler_finish(&bed->ruler);
}

static void check_result(const struct mb_cell *cell, const struct mb_result *result)
{
    CHECK_EQ_INT(result->status, MB_RESULT_OK);
    CHECK_EQ_INT(result->verify, MB_VERIFY_PASS);
    CHECK_EQ_INT(result->n_samples, N_SAMPLES);
    CHECK(isfinite(result->stats.median_ns));
    CHECK(result->setup_ms > 0.0);
    if (cell->mode == MB_MODE_THROUGHPUT) {
        CHECK(isfinite(result->fixed_ns));
        CHECK(result->n_chains[0] >= 1);
        CHECK_EQ_INT(result->n_chains[1], 2 * result->n_chains[0]);
        CHECK_EQ_INT(result->n_chains[2], 4 * result->n_chains[0]);
    } else {
        CHECK(result->stats.min_ns > 0.0);
        CHECK_EQ_INT(result->n_chains[0], cell->mode == MB_MODE_OVERLAP ? cell->n_rotated : 1u);
    }
    CHECK_EQ_INT(result->null_twin.n, cell->mode == MB_MODE_LATENCY ? N_SAMPLES : 0);
    if (result->null_twin.n > 0) {
        CHECK(result->null_twin.min_ns > 0.0);
    }
}

/* As many columns as there are strategies, the second name, and null twins; each block holds
 * each once. */
static void check_samples(const struct mb_cell *cell, bool is_validated)
{
    const struct mb_samples *samples = &cell->samples;
    const size_t n = MB_COUNTOF(rows);
    CHECK_EQ_INT(samples->n_candidates, cell->mode == MB_MODE_LATENCY ? 2 * n + 1 : n + 1);
    CHECK_EQ_INT(samples->n_kept, N_SAMPLES);
    CHECK_EQ_INT(samples->n_parts, cell->mode == MB_MODE_THROUGHPUT ? 3 : 0);
    CHECK(cell->twin_of < n);
    CHECK_EQ_INT(cell->twin_column, n);
    CHECK((cell->fastest < n) == !is_validated); /* nothing is ranked then */
    CHECK(isfinite(cell->twin.ratio) || cell->mode == MB_MODE_THROUGHPUT);
}

static void check_cold(const struct bed *bed, const struct mb_cell *cell)
{
    const uint64_t n = mb_rotation_cold_images(&cell->layout, bed->ruler.roofline.llc_bytes);
    CHECK(n * mb_rotation_footprint_bytes(&cell->layout) >=
          MB_COLD_FACTOR * bed->ruler.roofline.llc_bytes);
    CHECK((n - 1) * mb_rotation_footprint_bytes(&cell->layout) <
              MB_COLD_FACTOR * bed->ruler.roofline.llc_bytes ||
          n == 2);
    CHECK_EQ_INT(cell->is_evicted, n > MB_MAX_ROTATION);
    CHECK_EQ_INT(cell->n_rotated, cell->is_evicted ? 2 : n);
}

/* A cold cache by going round: all conditions run. */
static void test_rotation(const struct mb_gpu *gpu)
{
    static struct bed bed;
    const struct mb_test_case test_case = {.pattern = "noise", .extent = {64, 64}};
    CHECK(run(&bed, gpu, &test_case, SMALL_LLC));
    CHECK_EQ_INT(bed.ruler.roofline.llc_bytes, SMALL_LLC);
    for (unsigned i = 0; i < N_CONDITIONS; i++) {
        const struct mb_cell *cell = &bed.cells[i];
        check_samples(cell, gpu->validate);
        for (size_t k = 0; k < cell->n_results; k++) {
            check_result(cell, &cell->results[k]);
        }
        if (cell->cache == MB_CACHE_COLD) {
            check_cold(&bed, cell);
        } else {
            CHECK_EQ_INT(cell->n_rotated, cell->mode == MB_MODE_OVERLAP ? 4 : 1);
            CHECK(!cell->is_evicted);
        }
    }
    const struct mb_split *split = &bed.cells[0].results[0].split;
    CHECK_EQ_INT(split->n_steps, 6);
    for (uint32_t i = 0; i < split->n_steps; i++) {
        CHECK_EQ_INT(split->step[i].first_level, i + 1);
        CHECK_EQ_INT(split->step[i].n_levels, 1);
        CHECK(split->step[i].median_ns > 0.0 && split->step[i].gap_ns >= 0.0);
    }
    CHECK_EQ_INT(bed.cells[0].results[1].split.n_steps, 0); /* one dispatch */
    finish(&bed);
}

/* By sweeping, where too many images would be needed: latency only, the others say why. */
static void test_eviction(const struct mb_gpu *gpu)
{
    static struct bed bed;
    const struct mb_test_case test_case = {.pattern = "noise", .extent = {64, 64}};
    CHECK(run(&bed, gpu, &test_case, LARGE_LLC));
    for (unsigned i = MB_N_MODES; i < N_CONDITIONS; i++) {
        const struct mb_cell *cell = &bed.cells[i];
        for (size_t k = 0; k < cell->n_results; k++) {
            const struct mb_result *result = &cell->results[k];
            if (cell->mode == MB_MODE_LATENCY) {
                check_result(cell, result);
                CHECK(cell->is_evicted);
            } else {
                CHECK_EQ_INT(result->status, MB_RESULT_SKIPPED);
                CHECK(strstr(result->reason, "images") != NULL);
                CHECK_EQ_INT(result->n_samples, 0);
                CHECK(result->has_work); /* it can run, but not like this */
            }
        }
    }
    finish(&bed);
}

/* Images that go round hold a chain when an update begins, and arrays and cubes rotate, too. */
static void test_shapes(const struct mb_gpu *gpu)
{
    static struct bed bed;
    const struct mb_test_case cases[] = {
        {.pattern = "noise", .extent = {32, 32}, .n_layers = 3, .rect = {4, 4, 8, 8}},
        {.pattern = "noise", .extent = {32, 32}, .n_layers = 6, .is_cube = true},
        {.pattern = "noise", .extent = {33, 17}, .n_levels = 3},
        {.pattern = "noise", .extent = {1, 1}},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        CHECK(run(&bed, gpu, &cases[i], SMALL_LLC / 2));
        for (unsigned k = 0; k < N_CONDITIONS; k++) {
            CHECK_EQ_INT(bed.cells[k].results[0].verify, MB_VERIFY_PASS);
        }
        finish(&bed);
    }
}

static void test_batch(void)
{
    const struct mb_timer_marks marks = {
        .granularity_ns = 32, .granularity_gcd_ns = 32, .empty_pair_ns = 640};
    CHECK_EQ_INT(mb_timing_batch(&marks, 10e3), 20); /* 200 us */
    CHECK_EQ_INT(mb_timing_batch(&marks, 300e3), 1);
    CHECK_EQ_INT(mb_timing_batch(&marks, 1.0), 1024); /* capped */
    CHECK_EQ_INT(mb_timing_batch(&marks, 0.0), 1024);
    const struct mb_timer_marks coarse = {.granularity_ns = 10e3, .empty_pair_ns = 640};
    CHECK_EQ_INT(mb_timing_batch(&coarse, 10e3), 200); /* 200 granules */
    const struct mb_timer_marks dear = {.granularity_ns = 32, .empty_pair_ns = 50e3};
    CHECK_EQ_INT(mb_timing_batch(&dear, 10e3), 100); /* 20 empty pairs */
}

static void test_levels_of_steps(void)
{
    uint32_t first, n;
    const struct mb_work plain = {.n_dispatches = 5};
    CHECK(mb_split_levels(&plain, 6, 5, 3, &first, &n));
    CHECK_EQ_INT(first, 4);
    CHECK_EQ_INT(n, 1);
    CHECK(mb_split_levels(&plain, 6, 10, 3, &first, &n)); /* two commands a level */
    CHECK_EQ_INT(first, 2);
    CHECK(!mb_split_levels(&plain, 6, 7, 3, &first, &n));
    const struct mb_work chunks = {.n_dispatches = 2, .step_levels = {4, 1}};
    CHECK(mb_split_levels(&chunks, 6, 2, 1, &first, &n));
    CHECK_EQ_INT(first, 5);
    CHECK_EQ_INT(n, 1);
    CHECK(!mb_split_levels(&chunks, 6, 3, 2, &first, &n));
}

int main(void)
{
    struct mb_gpu gpu;
    const struct mb_gpu_options options = {.keep_pipelines = true};
    int code = mb_test_open_with(&gpu, &options);
    if (code != 0) {
        return code;
    }
    test_batch();
    test_levels_of_steps();
    test_rotation(&gpu);
    test_eviction(&gpu);
    test_shapes(&gpu);
    CHECK_EQ_INT(mb_gpu_finish(&gpu), 0);
    return check_summary("timing");
}
