/* The instrument tests itself: it must find a difference that was planted, and none where there
 * is none. */
#pragma once

#include "bench/settings.h"
#include "bench/timing/blocks.h"
#include "bench/timing/calibration.h"

#define MB_PLANTED 0.05 /* of a chain of multiply-adds, in one candidate */

/* Candidates of its sampling, each the same chain. */
enum mb_plant {
    MB_PLANT_BASE,
    MB_PLANT_TWIN, /* the base itself, under a second name */
    MB_PLANT_ZERO, /* set up anew, as long as the base */
    MB_PLANT_FIVE, /* MB_PLANTED longer */
    MB_N_PLANTS,
};

struct mb_check {
    const char *name; /* static */
    bool passed;
    char text[160]; /* what was seen, against what is wanted */
};

enum {
    MB_CHECK_GRANULARITY,
    MB_CHECK_EMPTY_PAIR,
    MB_CHECK_TWIN,
    MB_CHECK_ZERO,
    MB_CHECK_FIVE,
    MB_N_CHECKS,
};

struct mb_selftest {
    struct mb_check check[MB_N_CHECKS];
    bool passed; /* all of them */
};

/* Judge samples of the four plants and the timer's marks. `has_clock`: the device has a clock
 * of its own, so that an empty pair is short. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_selftest_judge(const struct mb_samples *samples,
                                               const struct mb_timer_marks *marks,
                                               bool has_clock, struct mb_selftest *selftest,
                                               struct mb_err *err);

/* What a failure may come of, and what to do; of a software device with `is_cpu`. */
const char *mb_selftest_advice(const struct mb_selftest *selftest, bool is_cpu);

/* Sample them on a device. UNSUPPORTED without timestamps. */
MB_MUST_CHECK enum mb_status mb_selftest_run(const struct mb_gpu *gpu,
                                             const struct mb_settings *settings,
                                             struct mb_selftest *selftest, struct mb_err *err);
