/* What follows from the samples and verdicts of a case. */
#pragma once

#include "bench/settings.h"
#include "result/result.h"
#include "bench/timing/calibration.h"

/* Fill in the fastest, the floor and the relations of each timing, and warn of whatever could
 * mislead someone who reads the figures alone. Fails only without memory (MB_ERRC_RUNTIME). */
MB_MUST_CHECK enum mb_status mb_conclude_case(const struct mb_settings *settings,
                                              const struct mb_calibration *calibration,
                                              struct mb_case *c, struct mb_err *err);
