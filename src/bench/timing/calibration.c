/* What times are taken with. */
#include "bench/timing/calibration.h"

#include <math.h>

#include "bench/timing/schedule.h"

static enum mb_status measure(struct mb_calibration *calibration,
                              const struct mb_settings *settings, const struct mb_hooks *hooks,
                              struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_gpu *gpu = calibration->gpu;
    MB_TRY(mb_roofline_measure(gpu, settings, hooks, &calibration->roofline, err));
    /* The rest when the device is warm. */
    if (gpu->info.type != VK_PHYSICAL_DEVICE_TYPE_CPU) {
        MB_TRY(mb_probe_init(&calibration->probe, gpu, err));
        calibration->has_probe = true;
        MB_TRY(mb_probe_run(&calibration->probe, &calibration->probe_ns, err));
    }
    MB_TRY(mb_timer_measure_marks(gpu, &calibration->marks, err));
fail:
    return status;
}

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
    enum mb_status status = measure(calibration, settings, hooks, err);
    if (status != MB_OK) {
        mb_calibration_finish(calibration);
    }
    return status;
}

void mb_calibration_finish(struct mb_calibration *calibration)
{
    mb_background_finish(&calibration->background);
    mb_evictor_finish(&calibration->evictor);
    mb_probe_finish(&calibration->probe);
    *calibration = (struct mb_calibration){0};
}

enum mb_status mb_calibration_need_evictor(struct mb_calibration *calibration,
                                           struct mb_err *err)
{
    return calibration->evictor.gpu
               ? MB_OK
               : mb_evictor_init(&calibration->evictor, calibration->gpu,
                                 MB_COLD_FACTOR * calibration->roofline.llc_bytes, err);
}

enum mb_status mb_calibration_need_background(struct mb_calibration *calibration,
                                              struct mb_err *err)
{
    return calibration->background.gpu
               ? MB_OK
               : mb_background_init(&calibration->background, calibration->gpu, err);
}

double mb_calibration_floor_ns(const struct mb_calibration *calibration, uint64_t bytes,
                               bool *is_dispatch_bound)
{
    /* Bytes over GB/s are nanoseconds. */
    double memory_ns = (double)bytes / calibration->roofline.ceiling_gbps;
    double dispatch_ns = calibration->roofline.null_dispatch_ns;
    *is_dispatch_bound = *is_dispatch_bound && dispatch_ns > memory_ns;
    return *is_dispatch_bound ? dispatch_ns : memory_ns;
}
