/* A probe of the clock: a chain of multiply-adds that depend on each other, in one workgroup.
 * Its time follows the core's clock and nothing else. */
#pragma once

#include "vk/pipeline.h"
#include "vk/submit.h"
#include "vk/timer.h"

#define MB_PROBE_NS 100e3 /* duration of a calibrated run */

struct mb_probe {
    struct mb_pipeline compute;
    struct mb_buffer result;
    struct mb_timer timer;
    struct mb_submission submission; /* one run, recorded */
    uint32_t n_steps;
    double launch_ns; /* duration of a run without the chain */
};

/* Set up, and choose the length of the chain so that a run takes MB_PROBE_NS at the present
 * clock, within a tenth or as near as six attempts get. If the launch alone takes more than
 * half of MB_PROBE_NS, as on CPUs, the chain takes half of MB_PROBE_NS. Make the probe when the
 * device is warm; durations of different probes cannot be compared. UNSUPPORTED without
 * timestamps. */
MB_MUST_CHECK enum mb_status mb_probe_init(struct mb_probe *probe, const struct mb_gpu *gpu,
                                           struct mb_err *err);
void mb_probe_finish(struct mb_probe *probe);

/* Set the length of the chain. */
MB_MUST_CHECK enum mb_status mb_probe_set_steps(struct mb_probe *probe, uint32_t n_steps,
                                                struct mb_err *err);

/* Keep many workgroups busy for about 200 times MB_PROBE_NS. */
MB_MUST_CHECK enum mb_status mb_probe_load(struct mb_probe *probe, struct mb_err *err);

/* Run the probe once; nothing else may be in flight on the device. */
MB_MUST_CHECK enum mb_status mb_probe_run(struct mb_probe *probe, double *duration_ns,
                                          struct mb_err *err);
