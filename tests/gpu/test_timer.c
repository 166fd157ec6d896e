/* Timestamps: the arithmetic on synthetic ticks, the refusals, and the marks of a real device.
 */
#include "harness.h"
#include "vk/submit.h"
#include "vk/timer.h"

static void test_ticks_between(void)
{
    CHECK_EQ_INT(mb_ticks_between(10, 25, 64), 15);
    CHECK_EQ_INT(mb_ticks_between(UINT64_MAX - 4, 5, 64), 10);
    const uint64_t wrap36 = UINT64_C(1) << 36;
    CHECK_EQ_INT(mb_ticks_between(wrap36 - 3, 4, 36), 7);
    /* Bits above the valid ones are not ticks. */
    CHECK_EQ_INT(mb_ticks_between(wrap36 | 1, 9, 36), 8);
    CHECK_EQ_INT(mb_ticks_between(0, 1, 1), 1);
    CHECK_EQ_INT(mb_ticks_between(1, 0, 1), 1);
}

static void test_granularity(void)
{
    static const uint64_t stamps[] = {0, 96, 96, 160, 352, 352, 448};
    static const uint64_t constant[] = {7, 7, 7};
    static const uint64_t wrapping[] = {60, 62, 0, 2}; /* 6 bits */
    uint64_t least, gcd;
    mb_ticks_granularity(stamps, MB_COUNTOF(stamps), 64, &least, &gcd);
    CHECK_EQ_INT(least, 64);
    CHECK_EQ_INT(gcd, 32);
    mb_ticks_granularity(constant, MB_COUNTOF(constant), 64, &least, &gcd);
    CHECK_EQ_INT(least, 0);
    CHECK_EQ_INT(gcd, 0);
    mb_ticks_granularity(wrapping, MB_COUNTOF(wrapping), 6, &least, &gcd);
    CHECK_EQ_INT(least, 2);
    CHECK_EQ_INT(gcd, 2);
}

/* Without valid bits or a period there is no time, and never a made-up number. */
static void test_refusals(struct mb_gpu *gpu)
{
    struct mb_timer timer = {0};
    struct mb_err err = {0};
    struct mb_gpu blind = *gpu;
    blind.info.timestamp_valid_bits = 0;
    CHECK_EQ_INT(mb_timer_init(&timer, &blind, 1, &err), MB_UNSUPPORTED);
    CHECK(strstr(err.text, "timestampValidBits 0") != NULL);
    mb_timer_finish(&timer);

    blind = *gpu;
    blind.info.timestamp_period_ns = 0.0;
    CHECK_EQ_INT(mb_timer_init(&timer, &blind, 1, &err), MB_UNSUPPORTED);
    CHECK(strstr(err.text, "period") != NULL);
    mb_timer_finish(&timer);
}

/* One region with nothing in it, read twice: once by a counter so narrow that the region
 * exceeds half its wrap, which must be an error. */
static void test_region(struct mb_gpu *gpu)
{
    struct mb_timer timer = {0};
    struct mb_submission submission = {0};
    const struct mb_intervals second_pair = {2, 2, 1};
    struct mb_err err = {0};
    double duration_ns = -1.0;
    CHECK_EQ_INT(mb_timer_init(&timer, gpu, 2, &err), MB_OK);
    CHECK_EQ_INT(mb_submission_init(&submission, gpu, "region", &err), MB_OK);
    mb_timer_begin(&timer, submission.cmd, 1);
    mb_timer_end(&timer, submission.cmd, 1);
    CHECK_EQ_INT(mb_submission_run(&submission, &err), MB_OK);
    CHECK_EQ_INT(mb_timer_read(&timer, &submission, second_pair, &duration_ns, &err), MB_OK);
    CHECK(duration_ns > 0.0 && duration_ns < 1e8);

    const uint32_t valid_bits = gpu->info.timestamp_valid_bits;
    const uint64_t ticks = (uint64_t)(duration_ns / gpu->info.timestamp_period_ns);
    uint32_t bits = 1;
    while (ticks >> bits) {
        bits++;
    }
    gpu->info.timestamp_valid_bits = bits; /* the region's top bit is the counter's */
    CHECK_EQ_INT(mb_timer_read(&timer, &submission, second_pair, &duration_ns, &err),
                 MB_UNSUPPORTED);
    CHECK(strstr(err.text, "half the counter's wrap") != NULL);
    gpu->info.timestamp_valid_bits = valid_bits;
    mb_submission_finish(&submission);
    mb_timer_finish(&timer);
}

static void test_marks(struct mb_gpu *gpu)
{
    struct mb_timer_marks marks;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_timer_measure_marks(gpu, &marks, &err), MB_OK);
    CHECK(marks.granularity_ns > 0.0);
    CHECK(marks.granularity_gcd_ns > 0.0 && marks.granularity_gcd_ns <= marks.granularity_ns);
    CHECK(marks.empty_pair_ns > 0.0 && marks.empty_pair_ns < 1e8);
    printf("granularity %.0f ns (gcd %.0f), empty pair %.0f ns\n", marks.granularity_ns,
           marks.granularity_gcd_ns, marks.empty_pair_ns);
}

/* The arithmetic needs no device. */
int main(void)
{
    test_ticks_between();
    test_granularity();
    return MB_TEST_ON_DEVICE(test_refusals, test_region, test_marks);
}
