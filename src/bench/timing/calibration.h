/* What measures times, made once per run: the clock's probe, the timer's resolution, the memory
 * floor, and the sweep that empties the last-level cache. */
#pragma once

#include "bench/timing/clock_probe.h"
#include "bench/roofline/roofline.h"
#include "bench/roofline/traffic.h"
#include "bench/settings.h"
#include "vk/timer.h"

struct mb_calibration {
    const struct mb_gpu *gpu;
    bool has_timer; /* the device has timestamps; without them nothing below is made */
    bool has_probe; /* not on a CPU device, which shares its cores with other programs */
    struct mb_probe probe;
    double probe_ns;             /* the fastest run of the probe so far; NaN without one */
    struct mb_timer_marks marks; /* NaN without a timer */
    struct mb_roofline roofline; /* NaN: not asked for */
    struct mb_field evictor; /* made by the first timing that needs it; until then gpu = NULL */
};

/* Measure timer, clock and memory: about two seconds on a GPU. A device without timestamps gets
 * a calibration without a timer. */
MB_MUST_CHECK enum mb_status mb_calibration_init(struct mb_calibration *calibration,
                                                 const struct mb_gpu *gpu,
                                                 const struct mb_settings *settings,
                                                 struct mb_err *err);
void mb_calibration_finish(struct mb_calibration *calibration);
