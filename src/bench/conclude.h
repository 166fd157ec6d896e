/* What follows from the samples and verdicts of one timing, once both are there. */
#ifndef MB_BENCH_CONCLUDE_H
#define MB_BENCH_CONCLUDE_H

#include "bench/settings.h"
#include "result/result.h"
#include "bench/timing/calibration.h"

/* Fill the timing's fastest, floor and relations, and warn of what is odd about its samples.
 * Memory that runs out is MB_ERRC_RUNTIME. */
MB_MUST_CHECK enum mb_status mb_conclude_timing(const struct mb_settings *settings,
                                                const struct mb_calibration *calibration,
                                                struct mb_timing *timing, struct mb_err *err);

#endif
