/* What times are taken with. */
#include "bench/timing/calibration.h"

#include <math.h>

enum mb_status mb_calibration_init(struct mb_calibration *calibration, const struct mb_gpu *gpu,
                                   const struct mb_settings *settings,
                                   const struct mb_hooks *hooks, struct mb_err *err)
{
    struct mb_err why = {0};
    *calibration = (struct mb_calibration){
        .gpu = gpu,
        .marks = {(double)NAN, (double)NAN, (double)NAN},
        .roofline.ceiling_gbps = (double)NAN,
        .probe_ns = (double)NAN,
    };
    if (mb_timer_check(gpu->info.timestamp_valid_bits, gpu->info.timestamp_period_ns,
                       gpu->info.name, &why) != MB_OK) {
        return MB_OK;
    }
    calibration->has_timer = true;
    MB_DO(mb_roofline_measure(gpu, settings, hooks, &calibration->roofline, err));
    /* The rest when the device is warm. */
    if (!mb_gpu_is_cpu(&gpu->info)) {
        MB_DO(mb_probe_init(&calibration->probe, gpu, err));
        calibration->has_probe = true;
        MB_DO(mb_probe_run(&calibration->probe, &calibration->probe_ns, err));
    }
    MB_DO(mb_timer_measure_marks(gpu, &calibration->marks, err));
    return MB_OK;
}

void mb_calibration_finish(struct mb_calibration *calibration)
{
    mb_background_finish(&calibration->background);
    mb_evictor_finish(&calibration->evictor);
    mb_probe_finish(&calibration->probe);
    *calibration = (struct mb_calibration){0};
}
