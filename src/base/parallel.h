/* Work on rows, split over the processors of this machine. */
#pragma once

#include <stdint.h>

#define MB_PARALLEL_MAX_WORKERS 16

/* Call fn(ctx, worker, row_begin, row_end) so that [0, n_rows) is covered once: one contiguous
 * range per worker, in order of the worker's number (below MB_PARALLEL_MAX_WORKERS). The number
 * of workers suits n_rows * width texels of a few nanoseconds each. fn must write only data of
 * its rows or its worker. Returns the number of workers, at least 1, when all are done. If a
 * thread cannot be started, the caller does its rows. */
uint32_t mb_parallel_rows(uint32_t n_rows, uint32_t width,
                          void (*fn)(void *ctx, uint32_t worker, uint32_t row_begin,
                                     uint32_t row_end),
                          void *ctx);
