/* Every condition of a timing on a device: its structure, never its speed. The cold ones are
 * made with a cache that is said to be small, so that they run on a CPU, too. */
#include <math.h>

#include "../unit/check.h"
#include "base/alloc.h"
#include "bench/split.h"
#include "bench/take.h"
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

/* With the last group's work left out, in front: such a row is no measure of the ruler. */
static struct mb_row diagnostic_rows[] = {
    {.strategy = &mb_strategy_spd},
    {.strategy = &mb_strategy_compute},
};

struct bed {
    const struct mb_row *rows; /* as many as `rows` */
    size_t first, n;           /* conditions that are run; n 0: all */
    struct mb_settings settings;
    struct mb_ruler ruler;
    struct mb_cell cells[N_CONDITIONS];
};

static void fill_cells(struct bed *bed, const struct mb_test_case *test_case)
{
    for (unsigned i = 0; i < N_CONDITIONS; i++) {
        mb_test_fill_cell(test_case, &bed->cells[i]);
        bed->cells[i].compulsory_bytes =
            mb_task_compulsory_bytes(&bed->cells[i].task, &bed->cells[i].layout);
        bed->cells[i].cache = (enum mb_cache)(i / MB_N_MODES);
        bed->cells[i].mode = (enum mb_mode)(i % MB_N_MODES);
    }
}

static bool run(struct bed *bed, const struct mb_gpu *gpu, const struct mb_test_case *test_case,
                uint64_t llc_bytes)
{
    struct mb_err err = {0};
    bool is_complete = false;
    const size_t first = bed->first, n = bed->n > 0 ? bed->n : N_CONDITIONS;
    *bed = (struct bed){
        .rows = bed->rows ? bed->rows : rows,
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
        .rows = bed->rows,
        .n_rows = MB_COUNTOF(rows),
    };
    enum mb_status status = mb_ruler_init(&bed->ruler, gpu, &bed->settings, NULL, &err);
    if (status == MB_OK) {
        status = mb_cell_run(&options, texels, &bed->cells[first], n, &is_complete, &err);
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

static bool has_warning(const struct mb_result *result, const char *code)
{
    for (size_t i = 0; i < result->n_warnings; i++) {
        if (strcmp(result->warning[i].code, code) == 0) {
            return true;
        }
    }
    return false;
}

static void check_result(const struct mb_cell *cell, const struct mb_result *result)
{
    CHECK_EQ_INT(result->verify, MB_VERIFY_PASS);
    if (cell->mode == MB_MODE_THROUGHPUT && result->status == MB_RESULT_SKIPPED) {
        /* Three samples of a busy machine need not resolve a slope. */
        CHECK(strstr(result->reason, "below resolution") != NULL);
        CHECK_EQ_INT(result->n_samples, 0);
        CHECK(isnan(result->stats.median_ns));
        return;
    }
    CHECK_EQ_INT(result->status, MB_RESULT_OK);
    CHECK_EQ_INT(result->n_samples, N_SAMPLES);
    CHECK(isfinite(result->stats.median_ns));
    CHECK(result->setup_ms > 0.0);
    if (cell->mode == MB_MODE_THROUGHPUT) {
        CHECK(result->stats.median_ci_ns[0] > 0.0);
        CHECK(isfinite(result->fixed_ns) == !has_warning(result, "not_a_line"));
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
    CHECK(cell->twin_of < n || cell->mode == MB_MODE_THROUGHPUT);
    CHECK_EQ_INT(cell->twin_column, n);
    if (cell->mode != MB_MODE_THROUGHPUT) {
        CHECK((cell->fastest < n) == !is_validated); /* nothing is ranked then */
    }
    CHECK(isfinite(cell->twin.ratio) || cell->mode == MB_MODE_THROUGHPUT);
}

/* Bytes of rgba8 that a chain touches, level by level: sizes are powers of two, so that each
 * texel covers whole ones of the level above. */
static uint64_t touched_bytes(const struct mb_cell *cell)
{
    const struct mb_rect whole = {0, 0, cell->layout.base.width, cell->layout.base.height};
    const struct mb_rect rect = cell->task.is_update ? cell->task.rects[0] : whole;
    uint64_t n_texels = 0;
    for (uint32_t level = 0; level < cell->layout.n_levels; level++) {
        const uint32_t right = (rect.x + rect.width - 1) >> level;
        const uint32_t bottom = (rect.y + rect.height - 1) >> level;
        n_texels +=
            (uint64_t)(right - (rect.x >> level) + 1) * (bottom - (rect.y >> level) + 1);
    }
    return 4 * n_texels * cell->layout.n_layers;
}

static void check_cold(const struct bed *bed, const struct mb_cell *cell)
{
    const uint64_t wanted_bytes = 4 * bed->ruler.roofline.llc_bytes;
    const uint64_t bytes = touched_bytes(cell);
    if (cell->is_evicted) {
        CHECK(64 * bytes < wanted_bytes);
        CHECK_EQ_INT(cell->n_rotated, 2);
        return;
    }
    CHECK(cell->n_rotated <= 64);
    CHECK(cell->n_rotated * bytes >= wanted_bytes);
    CHECK((cell->n_rotated - 1) * bytes < wanted_bytes || cell->n_rotated == 2 ||
          (cell->mode == MB_MODE_OVERLAP && cell->n_rotated == 4));
}

/* A load on a second queue, where there is none: the reason, and nothing else. */
static bool check_no_second_queue(const struct mb_gpu *gpu, const struct mb_cell *cell)
{
    if (cell->mode != MB_MODE_BESIDE || gpu->second_queue) {
        return false;
    }
    for (size_t k = 0; k < cell->n_results; k++) {
        CHECK_EQ_INT(cell->results[k].status, MB_RESULT_SKIPPED);
        CHECK(strstr(cell->results[k].reason, "no second queue") != NULL);
        CHECK_EQ_INT(cell->results[k].n_samples, 0);
    }
    CHECK_EQ_INT(cell->samples.n_blocks, 0);
    return true;
}

/* A cold cache by going round: all conditions run. */
static void test_rotation(const struct mb_gpu *gpu)
{
    static struct bed bed;
    bed = (struct bed){.n = 0};
    const struct mb_test_case test_case = {.pattern = "noise", .extent = {64, 64}};
    CHECK(run(&bed, gpu, &test_case, SMALL_LLC));
    CHECK_EQ_INT(bed.ruler.roofline.llc_bytes, SMALL_LLC);
    for (unsigned i = 0; i < N_CONDITIONS; i++) {
        const struct mb_cell *cell = &bed.cells[i];
        if (check_no_second_queue(gpu, cell)) {
            continue;
        }
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
    for (unsigned i = 0; i < N_CONDITIONS; i++) { /* it is hot, and stands nowhere else */
        CHECK(bed.cells[i].has_split == (i == 0));
        CHECK(i == 0 || bed.cells[i].results[0].split.n_steps == 0);
    }
    finish(&bed);
}

/* By sweeping, where too many images would be needed: latency only, the others say why. */
static void test_eviction(const struct mb_gpu *gpu)
{
    static struct bed bed;
    bed = (struct bed){.n = 0};
    const struct mb_test_case test_case = {.pattern = "noise", .extent = {64, 64}};
    CHECK(run(&bed, gpu, &test_case, LARGE_LLC));
    for (unsigned i = MB_N_MODES; i < N_CONDITIONS; i++) {
        const struct mb_cell *cell = &bed.cells[i];
        if (check_no_second_queue(gpu, cell)) {
            continue;
        }
        for (size_t k = 0; k < cell->n_results; k++) {
            const struct mb_result *result = &cell->results[k];
            if (cell->mode == MB_MODE_LATENCY || cell->mode == MB_MODE_BESIDE) {
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
    bed = (struct bed){.n = 0};
    const struct mb_test_case cases[] = {
        {.pattern = "noise", .extent = {32, 32}, .n_layers = 3, .rects = {{4, 4, 8, 8}}},
        {.pattern = "noise", .extent = {32, 32}, .n_layers = 6, .is_cube = true},
        {.pattern = "noise", .extent = {33, 17}, .n_levels = 3},
        {.pattern = "noise", .extent = {1, 1}},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        bed = (struct bed){.n = 0};
        CHECK(run(&bed, gpu, &cases[i], SMALL_LLC / 2));
        for (unsigned k = 0; k < N_CONDITIONS; k++) {
            CHECK_EQ_INT(bed.cells[k].results[0].verify, MB_VERIFY_PASS);
        }
        finish(&bed);
    }
}

/* An update touches its cone only: it takes more images than the whole chain would. */
static void test_cold_update(const struct mb_gpu *gpu)
{
    static struct bed bed;
    const struct mb_test_case test_case = {
        .pattern = "noise", .extent = {64, 64}, .rects = {{8, 8, 16, 16}}};
    bed = (struct bed){.first = MB_N_MODES, .n = 1};
    CHECK(run(&bed, gpu, &test_case, SMALL_LLC / 2));
    const struct mb_cell *cell = &bed.cells[MB_N_MODES];
    check_cold(&bed, cell);
    CHECK_EQ_INT(cell->n_rotated, 48); /* 65536 bytes by 343 texels; of the image it is 4 */
    /* There is no hot latency for the split to stand with. */
    CHECK(cell->has_split);
    CHECK(cell->results[0].split.n_steps > 1);
    finish(&bed);

    bed = (struct bed){.first = MB_MODE_THROUGHPUT, .n = 1};
    CHECK(run(&bed, gpu, &test_case, SMALL_LLC));
    CHECK(!bed.cells[MB_MODE_THROUGHPUT].has_split);
    finish(&bed);
}

/* A device that cannot be made to evict: results that say so, and the rest runs. */
static void test_no_evictor(const struct mb_gpu *gpu)
{
    static struct bed bed;
    const struct mb_test_case test_case = {.pattern = "noise", .extent = {64, 64}};
    struct mb_gpu narrow = *gpu;
    narrow.info.max_storage_buffer_bytes = MB_EVICTOR_GROUP_BYTES;
    bed = (struct bed){.n = 0};
    CHECK(run(&bed, &narrow, &test_case, LARGE_LLC));
    CHECK_EQ_INT(bed.cells[0].results[0].status, MB_RESULT_OK);
    for (size_t k = 0; k < bed.cells[MB_N_MODES].n_results; k++) {
        const struct mb_result *result = &bed.cells[MB_N_MODES].results[k];
        CHECK_EQ_INT(result->status, MB_RESULT_SKIPPED);
        CHECK(strstr(result->reason, "limit") != NULL);
        CHECK_EQ_INT(result->verify, MB_VERIFY_PASS);
    }
    finish(&bed);
}

/* The second name is one of those that are ranked, whatever comes first. */
static void test_diagnostic_first(const struct mb_gpu *gpu)
{
    static struct bed bed;
    const struct mb_test_case test_case = {.pattern = "noise", .extent = {64, 64}};
    for (size_t i = 0; i < mb_strategy_n_params(&mb_strategy_spd); i++) {
        diagnostic_rows[0].params.choice[i] = mb_strategy_spd.params[i].is_diagnostic;
    }
    CHECK(mb_row_is_diagnostic(&diagnostic_rows[0]));
    bed = (struct bed){.rows = diagnostic_rows, .first = 0, .n = 1};
    CHECK(run(&bed, gpu, &test_case, SMALL_LLC));
    CHECK(bed.cells[0].results[0].is_diagnostic);
    CHECK_EQ_INT(bed.cells[0].twin_of, 1);
    CHECK(isfinite(bed.cells[0].twin.ratio));
    finish(&bed);
}

static PFN_vkGetQueryPoolResults get_results;

/* A clock that stands still. */
static VKAPI_ATTR VkResult VKAPI_CALL get_equal_stamps(VkDevice device, VkQueryPool pool,
                                                       uint32_t first, uint32_t n,
                                                       size_t n_bytes, void *data,
                                                       VkDeviceSize stride_bytes,
                                                       VkQueryResultFlags flags)
{
    const VkResult result =
        get_results(device, pool, first, n, n_bytes, data, stride_bytes, flags);
    for (uint32_t i = 0; i < n; i++) {
        *(uint64_t *)(void *)((char *)data + i * stride_bytes) = 1000;
    }
    return result;
}

/* Rows without a time still have columns: those are told from the A/A control's, and from null
 * twins'. */
static void test_unresolved(const struct mb_gpu *gpu)
{
    static struct bed bed;
    const struct mb_test_case test_case = {.pattern = "noise", .extent = {64, 64}};
    bed = (struct bed){.first = MB_MODE_LATENCY, .n = 1};
    get_results = vkGetQueryPoolResults;
    vkGetQueryPoolResults = get_equal_stamps;
    CHECK(run(&bed, gpu, &test_case, SMALL_LLC));
    vkGetQueryPoolResults = get_results;
    const struct mb_cell *cell = &bed.cells[0];
    CHECK_EQ_INT(cell->results[0].n_samples, 0);
    CHECK(strstr(cell->results[0].reason, "below resolution") != NULL);
    CHECK(cell->twin_of < cell->n_results);
    CHECK(isnan(cell->twin.ratio));
    finish(&bed);
}

/* Images in the order in which their chains were recorded. */
static size_t order[32], n_order;

static void record_order(const void *state, VkCommandBuffer cmd)
{
    (void)cmd;
    order[n_order++ % MB_COUNTOF(order)] = *(const size_t *)state;
}

/* Each batch of a cold cache comes after a whole round, and goes on where that ended. */
static void test_lead(const struct mb_gpu *gpu)
{
    static const size_t wanted[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0};
    static size_t names[] = {0, 1, 2};
    const struct mb_strategy strategy = {.record = record_order};
    struct mb_trial trials[3] = {{.strategy = NULL}};
    struct mb_timer timer = {0};
    struct mb_take take = {0};
    for (size_t i = 0; i < 3; i++) {
        trials[i] = (struct mb_trial){.strategy = &strategy, .state = &names[i]};
    }
    const struct mb_take_options options = {
        .gpu = gpu,
        .timer = &timer,
        .n_parts = 3,
        .n_chains = {1, 2, 4},
        .trials = trials,
        .n_trials = 3,
        .n_lead = 3,
        .name = "lead",
    };
    CHECK_EQ_INT(mb_timer_init(&timer, gpu, 3, NULL), MB_OK);
    CHECK_EQ_INT(mb_take_init(&take, &options, NULL), MB_OK);
    CHECK_EQ_INT(n_order, MB_COUNTOF(wanted));
    for (size_t i = 0; i < MB_COUNTOF(wanted); i++) {
        CHECK_EQ_INT(order[i], wanted[i]);
    }
    mb_take_finish(&take);
    mb_timer_finish(&timer);
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
    const struct mb_gpu_options options = {.keep_pipelines = true, .second_queue = true};
    int code = mb_test_open_with(&gpu, &options);
    if (code != 0) {
        return code;
    }
    test_levels_of_steps();
    test_rotation(&gpu);
    test_eviction(&gpu);
    test_shapes(&gpu);
    test_cold_update(&gpu);
    test_no_evictor(&gpu);
    test_diagnostic_first(&gpu);
    test_unresolved(&gpu);
    test_lead(&gpu);
    CHECK_EQ_INT(mb_gpu_finish(&gpu), 0);
    return check_summary("timing");
}
