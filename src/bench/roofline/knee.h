/* The knee of bandwidth against footprint: the size of the last-level cache. */
#ifndef MB_BENCH_ROOFLINE_KNEE_H
#define MB_BENCH_ROOFLINE_KNEE_H

#include <stddef.h>
#include <stdint.h>

/* The largest footprint that still comes from the last-level cache: where bandwidth, having
 * left a plateau, is halfway down to that of memory, which the last three points must show.
 * Footprints ascend. 0 if there is no such knee. Pure. */
uint64_t mb_cache_knee(const uint64_t *footprint_bytes, const double *gbps, size_t n);

#endif
