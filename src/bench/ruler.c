/* What times are taken with. */
#include "bench/ruler.h"

#include <math.h>

#include "bench/rotation.h"

static enum mb_status measure(struct mb_ruler *ruler, const struct mb_settings *settings,
                              const struct mb_ruler_stop *stop, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_gpu *gpu = ruler->gpu;
    const struct mb_roofline_options options = {
        .gpu = gpu,
        .l2_bytes = settings->l2_bytes,
        .is_cache_only = !settings->roofline,
        .is_interrupted = stop ? stop->is_interrupted : NULL,
        .user = stop ? stop->user : NULL,
    };
    MB_TRY(mb_roofline_measure(&options, &ruler->roofline, err));
    /* The rest when the device is warm. */
    if (gpu->info.type != VK_PHYSICAL_DEVICE_TYPE_CPU) {
        MB_TRY(mb_probe_init(&ruler->probe, gpu, err));
        ruler->has_probe = true;
        MB_TRY(mb_probe_run(&ruler->probe, &ruler->probe_ns, err));
    }
    MB_TRY(mb_timer_measure_marks(gpu, &ruler->marks, err));
fail:
    return status;
}

enum mb_status mb_ruler_init(struct mb_ruler *ruler, const struct mb_gpu *gpu,
                             const struct mb_settings *settings,
                             const struct mb_ruler_stop *stop, struct mb_err *err)
{
    struct mb_err why = {0};
    *ruler = (struct mb_ruler){
        .gpu = gpu,
        .marks = {(double)NAN, (double)NAN, (double)NAN},
        .roofline.ceiling_gbps = (double)NAN,
        .probe_ns = (double)NAN,
    };
    if (mb_timer_check(gpu->info.timestamp_valid_bits, gpu->info.timestamp_period_ns,
                       gpu->info.name, &why) != MB_OK) {
        return MB_OK;
    }
    ruler->has_timer = true;
    enum mb_status status = measure(ruler, settings, stop, err);
    if (status != MB_OK) {
        mb_ruler_finish(ruler);
    }
    return status;
}

void mb_ruler_finish(struct mb_ruler *ruler)
{
    if (ruler->has_background) {
        mb_background_finish(&ruler->background);
    }
    if (ruler->has_evictor) {
        mb_evictor_finish(&ruler->evictor);
    }
    if (ruler->has_probe) {
        mb_probe_finish(&ruler->probe);
    }
    *ruler = (struct mb_ruler){0};
}

enum mb_status mb_ruler_need_evictor(struct mb_ruler *ruler, struct mb_err *err)
{
    if (ruler->has_evictor) {
        return MB_OK;
    }
    enum mb_status status = mb_evictor_init(&ruler->evictor, ruler->gpu,
                                            MB_COLD_FACTOR * ruler->roofline.llc_bytes, err);
    ruler->has_evictor = status == MB_OK;
    return status;
}

enum mb_status mb_ruler_need_background(struct mb_ruler *ruler, struct mb_err *err)
{
    if (ruler->has_background) {
        return MB_OK;
    }
    enum mb_status status = mb_background_init(&ruler->background, ruler->gpu, err);
    ruler->has_background = status == MB_OK;
    return status;
}

double mb_ruler_floor_ns(const struct mb_ruler *ruler, uint64_t bytes, bool *is_dispatch_bound)
{
    /* Bytes over GB/s are nanoseconds. */
    double memory_ns = (double)bytes / ruler->roofline.ceiling_gbps;
    double dispatch_ns = ruler->roofline.null_dispatch_ns;
    *is_dispatch_bound = *is_dispatch_bound && dispatch_ns > memory_ns;
    return *is_dispatch_bound ? dispatch_ns : memory_ns;
}
