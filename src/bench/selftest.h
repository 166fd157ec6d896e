/* The instrument tests itself: it must find a planted difference, and must not find one where
 * there is none. */
#pragma once

#include "base/text.h"
#include "bench/settings.h"
#include "bench/timing/blocks.h"
#include "bench/timing/calibration.h"

#define MB_PLANTED 0.05 /* by how much one candidate's chain of multiply-adds is longer */

/* The candidates that are sampled: chains of multiply-adds, the same except in length. */
enum mb_plant {
    MB_PLANT_BASE,
    MB_PLANT_TWIN, /* the base itself, under a second name */
    MB_PLANT_ZERO, /* a second chain, as long as the base */
    MB_PLANT_FIVE, /* MB_PLANTED longer */
    MB_N_PLANTS,
};

struct mb_check {
    const char *name; /* static */
    bool passed;
    struct mb_text text; /* what was measured, and what was expected */
};

enum {
    MB_CHECK_GRANULARITY,
    MB_CHECK_EMPTY_PAIR,
    MB_CHECK_TWIN, /* and the plants after it */
    MB_N_CHECKS = MB_CHECK_TWIN + MB_N_PLANTS - MB_PLANT_TWIN,
};

struct mb_selftest {
    struct mb_check check[MB_N_CHECKS];
    bool passed; /* all of them */
};

/* Judge samples of the four plants and the timer's marks. `has_clock`: the device has a clock
 * of its own, so an empty pair must be short. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_selftest_judge(const struct mb_samples *samples,
                                               const struct mb_timer_marks *marks,
                                               bool has_clock, struct mb_selftest *selftest,
                                               struct mb_err *err);

/* What may have caused a failure, and what to do. `is_cpu`: on a software device. */
const char *mb_selftest_advice(const struct mb_selftest *selftest, bool is_cpu);

/* Sample the plants on a device and judge the samples. UNSUPPORTED without timestamps. */
MB_MUST_CHECK enum mb_status mb_selftest_run(const struct mb_gpu *gpu,
                                             const struct mb_settings *settings,
                                             struct mb_selftest *selftest, struct mb_err *err);
