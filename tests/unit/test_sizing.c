/* What a timing does before it touches the device, and what its batches say afterwards. */
#include "bench/timing/sizing.h"

#include <math.h>

#include "base/alloc.h"
#include "check.h"

#define MIB (UINT64_C(1) << 20)

static void test_batch(void)
{
    const struct mb_timer_marks marks = {
        .granularity_ns = 32, .granularity_gcd_ns = 32, .empty_pair_ns = 640};
    CHECK_EQ_INT(mb_schedule_batch(&marks, 10e3, 50e3), 20); /* 200 us */
    CHECK_EQ_INT(mb_schedule_batch(&marks, 300e3, 400e3), 1);
    CHECK_EQ_INT(mb_schedule_batch(&marks, 1.0, 20e3), 1024); /* capped */
    CHECK_EQ_INT(mb_schedule_batch(&marks, 0.0, 20e3), 1024);
    CHECK_EQ_INT(mb_schedule_batch(&marks, 0.0, 1e6), 50); /* 50 ms of the host */
    CHECK_EQ_INT(mb_schedule_batch(&marks, 0.0, 1e9), 1);
    const struct mb_timer_marks coarse = {.granularity_ns = 10e3, .empty_pair_ns = 640};
    CHECK_EQ_INT(mb_schedule_batch(&coarse, 10e3, 50e3), 200); /* 200 granules */
    const struct mb_timer_marks dear = {.granularity_ns = 32, .empty_pair_ns = 50e3};
    CHECK_EQ_INT(mb_schedule_batch(&dear, 10e3, 50e3), 100); /* 20 empty pairs */
}

/* It is what a chain touches that pushes the others out, not the size of the image. */
static void test_images(void)
{
    struct mb_err why = {0};
    struct mb_case c = {.compulsory_bytes = 4 * MIB};
    struct mb_timing timing = {.of = &c, .cache = MB_CACHE_COLD};
    CHECK_EQ_INT(mb_schedule_images(&timing, 50 * MIB, &why), MB_OK);
    CHECK_EQ_INT(timing.n_rotated, 50);
    CHECK(!timing.is_evicted);
    c.compulsory_bytes = 4 * MIB - 1;
    CHECK_EQ_INT(mb_schedule_images(&timing, 50 * MIB, &why), MB_OK);
    CHECK_EQ_INT(timing.n_rotated, 51);
    c.compulsory_bytes = 5000; /* an update of a small rectangle */
    CHECK_EQ_INT(mb_schedule_images(&timing, 50 * MIB, &why), MB_OK);
    CHECK(timing.is_evicted);
    CHECK_EQ_INT(timing.n_rotated, 2);
    timing.mode = MB_MODE_THROUGHPUT;
    CHECK_EQ_INT(mb_schedule_images(&timing, 50 * MIB, &why), MB_UNSUPPORTED);
    timing = (struct mb_timing){.of = &c, .mode = MB_MODE_OVERLAP};
    CHECK_EQ_INT(mb_schedule_images(&timing, 50 * MIB, &why), MB_OK);
    CHECK_EQ_INT(timing.n_rotated, 4);
    timing = (struct mb_timing){.of = &c, .cache = MB_CACHE_COLD};
    c.compulsory_bytes = 1000 * MIB;
    CHECK_EQ_INT(mb_schedule_images(&timing, MIB, &why), MB_OK);
    CHECK_EQ_INT(timing.n_rotated, 2);
}

static void test_blocks(void)
{
    struct mb_settings settings = {.n_warmup = UINT32_MAX, .max_noise = 0.003};
    CHECK_EQ_INT(mb_schedule_blocks(&settings, false).budget_ns, 2000000000);
    settings.timeout_s = 0.3;
    CHECK_EQ_INT(mb_schedule_blocks(&settings, false).timeout_ns, 300000000);
    settings.n_samples = 7;
    settings.n_warmup = 4;
    const struct mb_measure_options options = mb_schedule_blocks(&settings, true);
    CHECK_EQ_INT(options.min_blocks, 7);
    CHECK_EQ_INT(options.max_blocks, 7);
    CHECK_EQ_INT(options.min_warmup_blocks, 4);
    CHECK_EQ_INT(options.max_warmup_ns, 0);
    CHECK_EQ_DBL(options.max_noise, 0.0, 0.0);
}

/* A fixed cost is what a line meets zero chains at: where there is no line, there is none. */
static void check_fixed(const double part_ns[3], double fixed_ns)
{
    enum { N_BLOCKS = 5 };
    struct mb_block blocks[N_BLOCKS];
    struct mb_sample taken[N_BLOCKS];
    double scratch[N_BLOCKS];
    for (int i = 0; i < N_BLOCKS; i++) {
        /* A repeated block does not count. */
        blocks[i] = (struct mb_block){.is_kept = i != 2};
        for (int k = 0; k < 3; k++) {
            taken[i].part_ns[k] = i == 2 ? 1e9 : part_ns[k] + i;
        }
    }
    const struct mb_samples samples = {
        .n_candidates = 1,
        .n_parts = 3,
        .n_blocks = N_BLOCKS,
        .n_kept = N_BLOCKS - 1,
        .block = blocks,
        .sample = taken,
    };
    struct mb_row row = {.n_chains = {19, 38, 76}};
    mb_schedule_keep_fixed(&samples, &row, scratch);
    CHECK(isnan(fixed_ns) ? isnan(row.fixed_ns) : fabs(row.fixed_ns - fixed_ns) < 3.0);
    CHECK_EQ_INT(row.warnings.n, isnan(fixed_ns));
}

static void test_fixed(void)
{
    const double line[] = {5e3 + 19 * 12e3, 5e3 + 38 * 12e3, 5e3 + 76 * 12e3};
    check_fixed(line, 5e3);
    const double near[] = {5e3 + 19 * 12e3, 5e3 + 38 * 12.2e3, 5e3 + 76 * 12.2e3};
    check_fixed(near, -65.0);
    const double bent[] = {19 * 12.86e3, 38 * 12.09e3, 76 * 11.37e3}; /* cold, then hot */
    check_fixed(bent, (double)NAN);
    const double falling[] = {3e3, 2e3, 1e3};
    check_fixed(falling, (double)NAN);
}

/* A slope of noise is no time. */
static void test_unresolved(void)
{
    const double slopes_ns[] = {-40, 30, 50, 60, 70, 80};
    for (int shift = 0; shift < 2; shift++) {
        struct mb_result result = {.status = MB_RESULT_OK};
        struct mb_row row = {.result = &result};
        double times_ns[MB_COUNTOF(slopes_ns)];
        for (size_t i = 0; i < MB_COUNTOF(slopes_ns); i++) {
            times_ns[i] = slopes_ns[i] + 100.0 * shift;
        }
        CHECK_EQ_INT(mb_stats_compute(times_ns, MB_COUNTOF(times_ns), &row.stats, NULL), MB_OK);
        mb_schedule_drop_unresolved(&row);
        CHECK_EQ_INT(mb_row_status(&row), shift > 0 ? MB_RESULT_OK : MB_RESULT_SKIPPED);
        CHECK_EQ_INT(row.stats.n, shift > 0 ? 6 : 0);
        CHECK((strstr(mb_row_reason(&row), "below resolution") != NULL) == (shift == 0));
    }
}

int main(void)
{
    return CHECK_TESTS(test_batch, test_images, test_blocks, test_fixed, test_unresolved);
}
