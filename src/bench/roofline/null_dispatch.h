/* What dispatches and barriers cost of themselves. */
#ifndef MB_BENCH_ROOFLINE_NULL_DISPATCH_H
#define MB_BENCH_ROOFLINE_NULL_DISPATCH_H

#include "vk/gpu.h"

/* Median time of an empty dispatch of one workgroup, the stamps' own cost included, and what
 * each further full barrier with such a dispatch behind it adds. UNSUPPORTED without
 * timestamps. */
MB_MUST_CHECK enum mb_status mb_null_dispatch_measure(const struct mb_gpu *gpu,
                                                      double *dispatch_ns, double *barrier_ns,
                                                      struct mb_err *err);

#endif
