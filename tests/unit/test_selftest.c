/* What the self-test makes of samples whose truth is known. */
#include "bench/selftest.h"

#include <math.h>

#include "check.h"
#include "samples_fixture.h"

#define N_BLOCKS 200

static const struct mb_timer_marks sane = {
    .granularity_ns = 600, .granularity_gcd_ns = 32, .empty_pair_ns = 640};

/* Stamps that stand still, or that there are none of: words, and no "-nan". */
static void test_no_times(void)
{
    static const double same[MB_N_PLANTS] = {1.0, 1.0, 1.0, 1.0};
    static const double base_ns[] = {0.0, (double)NAN, (double)INFINITY};
    for (size_t k = 0; k < MB_COUNTOF(base_ns); k++) {
        struct mb_selftest selftest;
        struct mb_samples samples =
            make_samples(N_BLOCKS, MB_N_PLANTS, base_ns[k], same, 0.0, 0.0);
        CHECK_EQ_INT(mb_selftest_judge(&samples, &mb_no_timer_marks, true, &selftest, NULL),
                     MB_OK);
        for (int i = 0; i < MB_N_CHECKS; i++) {
            const char *text = selftest.check[i].text.s;
            CHECK(!selftest.check[i].passed);
            CHECK(strstr(text, "nan") == NULL && strstr(text, "inf") == NULL);
        }
        CHECK_EQ_STR(selftest.check[1].text.s, "not known; expected below 20.0 us");
        CHECK(strstr(selftest.check[2].text.s, "no ratio: the times are missing") != NULL);
        mb_samples_finish(&samples);
    }
}

/* Samples of 100 us with the given ratios and the standard deviation `noise`. */
static bool judge(const double ratio[MB_N_PLANTS], double noise,
                  const struct mb_timer_marks *marks, struct mb_selftest *selftest)
{
    struct mb_samples samples =
        make_samples(N_BLOCKS, MB_N_PLANTS, 1e5, ratio, sqrt(12.0) * noise, 0.0);
    CHECK_EQ_INT(mb_selftest_judge(&samples, marks, true, selftest, NULL), MB_OK);
    mb_samples_finish(&samples);
    return selftest->passed;
}

/* Only check `failed` fails. */
static void check_only(const struct mb_selftest *selftest, int failed)
{
    for (int i = 0; i < MB_N_CHECKS; i++) {
        CHECK(selftest->check[i].passed == (i != failed));
    }
}

int main(void)
{
    test_no_times();
    struct mb_selftest s;
    const double good[] = {1.0, 1.0, 1.0, 1.05};
    CHECK(judge(good, 0.005, &sane, &s));
    const double blind[] = {1.0, 1.0, 1.0, 1.0};
    CHECK(!judge(blind, 0.005, &sane, &s));
    check_only(&s, 4);
    const double faster[] = {1.0, 1.0, 1.0, 0.95};
    CHECK(!judge(faster, 0.005, &sane, &s));
    check_only(&s, 4);
    const double stretched[] = {1.0, 1.0, 1.0, 1.10};
    CHECK(!judge(stretched, 0.005, &sane, &s));
    check_only(&s, 4);
    const double imagined[] = {1.0, 1.0, 1.03, 1.05};
    CHECK(!judge(imagined, 0.005, &sane, &s));
    check_only(&s, 3);
    const double biased[] = {1.0, 1.03, 1.0, 1.05};
    CHECK(!judge(biased, 0.005, &sane, &s));
    check_only(&s, 2);
    /* Within 1 %, but surely off: the same work does not differ. */
    const double subtle[] = {1.0, 1.005, 1.0, 1.05};
    CHECK(!judge(subtle, 0.001, &sane, &s));
    check_only(&s, 2);
    CHECK(strstr(s.check[2].text.s, "SAME; expected SAME, and 1 within") != NULL);
    CHECK(strstr(s.check[4].text.s, "1.035 to 1.065") != NULL);
    struct mb_timer_marks coarse = sane; /* half a granule of 100 us is no difference */
    coarse.granularity_gcd_ns = 1000;
    CHECK(judge(subtle, 0.001, &coarse, &s));
    CHECK(!judge(good, 0.4, &sane, &s)); /* noise: nothing can be said */
    CHECK(strstr(mb_selftest_advice(&s, true), "kept the CPU busy") != NULL);
    CHECK(strstr(mb_selftest_advice(&s, false), "used the GPU") != NULL);

    struct mb_timer_marks marks = sane;
    marks.granularity_gcd_ns = 0;
    CHECK(!judge(good, 0.005, &marks, &s));
    check_only(&s, 0);
    CHECK(strstr(mb_selftest_advice(&s, true), "too coarse") != NULL);
    marks = sane;
    marks.empty_pair_ns = 1e6;
    CHECK(!judge(good, 0.005, &marks, &s));
    check_only(&s, 1);
    marks.empty_pair_ns = (double)NAN;
    CHECK(!judge(good, 0.005, &marks, &s));
    check_only(&s, 1);
    return check_summary("selftest");
}
