/* What times are taken with, made once per run: the clock's probe, the timer's own marks, what
 * the memory can do, and what empties the last-level cache. */
#ifndef MB_BENCH_TIMING_CALIBRATION_H
#define MB_BENCH_TIMING_CALIBRATION_H

#include "bench/timing/background.h"
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
    double probe_ns;             /* of a run when warm; NaN without a probe */
    struct mb_timer_marks marks; /* NaN without a timer */
    struct mb_roofline roofline; /* ceiling_gbps NaN: not asked for */
    /* Made when first needed. */
    struct mb_evictor evictor;
    struct mb_background background;
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

/* Make the evictor, if there is none yet: MB_COLD_FACTOR last-level caches. */
MB_MUST_CHECK enum mb_status mb_calibration_need_evictor(struct mb_calibration *calibration,
                                                         struct mb_err *err);

/* Make the load for the second queue, if there is none yet. UNSUPPORTED without that queue. */
MB_MUST_CHECK enum mb_status mb_calibration_need_background(struct mb_calibration *calibration,
                                                            struct mb_err *err);

/* Time that `bytes` of a mip chain's traffic take at least. With `*is_dispatch_bound` true on
 * entry (chains are drained before and after) it is that of a null dispatch where that is
 * longer, which it then says. NaN where the roofline was not measured. */
double mb_calibration_floor_ns(const struct mb_calibration *calibration, uint64_t bytes,
                               bool *is_dispatch_bound);

#endif
