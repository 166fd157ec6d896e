/* What dispatches and barriers cost of themselves; used by roofline.c. */
#ifndef MB_BENCH_ROOFLINE_NULL_H
#define MB_BENCH_ROOFLINE_NULL_H

#include "bench/roofline.h"

/* Fill out->null_dispatch_ns and out->null_barrier_ns. */
MB_MUST_CHECK enum mb_status
mb_roofline_measure_null(const struct mb_gpu *gpu, struct mb_roofline *out, struct mb_err *err);

#endif
