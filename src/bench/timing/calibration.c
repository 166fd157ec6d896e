/* What measures times. */
#include "bench/timing/calibration.h"

#include <math.h>

#include "base/os.h"

#define WARM_UP_NS UINT64_C(500000000) /* brings a device's clock up */

/* Make the probe, and load the device until its clock is up: the shortest run is kept. */
static enum mb_status make_probe(struct mb_calibration *calibration, struct mb_err *err)
{
    struct mb_probe *probe = &calibration->probe;
    MB_DO(mb_probe_init(probe, calibration->gpu, err));
    const uint64_t start_ns = mb_now_ns();
    while (mb_now_ns() - start_ns < WARM_UP_NS) {
        double duration_ns;
        MB_DO(mb_probe_load(probe, err));
        MB_DO(mb_probe_run(probe, &duration_ns, err));
        calibration->probe_ns = fmin(calibration->probe_ns, duration_ns);
    }
    calibration->has_probe = true;
    return MB_OK;
}

enum mb_status mb_calibration_init(struct mb_calibration *calibration, const struct mb_gpu *gpu,
                                   const struct mb_settings *settings, struct mb_err *err)
{
    struct mb_err why = {0};
    *calibration = (struct mb_calibration){
        .gpu = gpu,
        .marks = mb_no_timer_marks,
        .roofline = mb_no_roofline,
        .probe_ns = (double)NAN,
    };
    if (mb_timer_check(&gpu->info, &why) != MB_OK) {
        return MB_OK;
    }
    calibration->has_timer = true;
    MB_DO(mb_roofline_measure(gpu, settings, &calibration->roofline, err));
    /* The roofline, if measured, has warmed the device. */
    if (!mb_gpu_is_cpu(&gpu->info)) {
        MB_DO(make_probe(calibration, err));
    }
    MB_DO(mb_timer_measure_marks(gpu, &calibration->marks, err));
    return MB_OK;
}

void mb_calibration_finish(struct mb_calibration *calibration)
{
    mb_field_finish(&calibration->evictor);
    mb_probe_finish(&calibration->probe);
    *calibration = (struct mb_calibration){0};
}
