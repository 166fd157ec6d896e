/* What times are taken with, made once per run: the clock's probe, the timer's own marks, what
 * the memory can do, and what empties the last-level cache. */
#pragma once

#include "bench/timing/evict.h"
#include "bench/timing/clock_probe.h"
#include "bench/roofline/roofline.h"
#include "bench/settings.h"
#include "vk/timer.h"

struct mb_calibration {
    const struct mb_gpu *gpu;
    bool has_timer; /* the device has timestamps: all else is only then */
    bool has_probe; /* not on a CPU device: its clock is the host's, and it shares its cores */
    struct mb_probe probe;
    double probe_ns;             /* of a run when warm, the least so far; NaN without a probe */
    struct mb_timer_marks marks; /* NaN without a timer */
    struct mb_roofline roofline; /* NaN: not asked for */
    struct mb_evictor evictor;   /* made by the first timing that needs it; zero before */
};

/* Measure the instrument itself, about two seconds on a GPU, less where the hooks (or NULL) say
 * so: the roofline is then NaN where it was not reached. A device without timestamps has a
 * calibration without a timer. */
MB_MUST_CHECK enum mb_status mb_calibration_init(struct mb_calibration *calibration,
                                                 const struct mb_gpu *gpu,
                                                 const struct mb_settings *settings,
                                                 const struct mb_hooks *hooks,
                                                 struct mb_err *err);
void mb_calibration_finish(struct mb_calibration *calibration);
