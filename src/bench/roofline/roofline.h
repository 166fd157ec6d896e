/* The memory floor: how fast this device moves bytes as a mip chain does, and what a dispatch
 * costs, measured in the same run as what is held to it. */
#pragma once

#include "bench/hooks.h"
#include "bench/roofline/traffic.h"
#include "bench/settings.h"

/* Measure it all, on a device that is warm (or warm enough: this begins with 60 ms of reads);
 * by the settings, the last-level cache only, which need not be looked for where its size is
 * given. Hooks may be NULL; after an interruption what was not reached is NaN and the status
 * MB_OK. UNSUPPORTED without timestamps. */
MB_MUST_CHECK enum mb_status mb_roofline_measure(const struct mb_gpu *gpu,
                                                 const struct mb_settings *settings,
                                                 const struct mb_hooks *hooks,
                                                 struct mb_roofline *out, struct mb_err *err);

/* The largest footprint that still comes from the last-level cache: where bandwidth, having
 * left a plateau, is halfway down to that of memory, which the last three points must show.
 * Footprints ascend. 0 if there is no such knee. Pure. */
uint64_t mb_cache_knee(const uint64_t *footprint_bytes, const double *gbps, size_t n);
