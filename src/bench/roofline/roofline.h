/* The memory floor: how fast this device moves bytes with the access pattern of a mip chain,
 * and what a dispatch costs, measured in the same run as the strategies. */
#pragma once

#include "bench/settings.h"
#include "result/result.h"

/* Measure what the settings ask for: the floor (roofline), and the size of the last-level cache
 * unless they give it (l2_bytes). The device need not be warm: this begins with 60 ms of reads.
 * UNSUPPORTED without timestamps. */
MB_MUST_CHECK enum mb_status mb_roofline_measure(const struct mb_gpu *gpu,
                                                 const struct mb_settings *settings,
                                                 struct mb_roofline *out, struct mb_err *err);

/* Footprint `i` of the sweep that looks for the last-level cache: 1, 1.5, 2, 3, 4 ... MiB. */
uint64_t mb_sweep_bytes(size_t i);

/* The size of the last-level cache, from the bandwidths of the sweep's first `n` footprints:
 * the largest footprint whose bandwidth is at least halfway from that of memory up to the
 * plateau of the cache. The last three footprints must show memory's bandwidth. 0 if there is
 * no such knee. Pure. */
uint64_t mb_cache_knee(const double *gbps, size_t n);
