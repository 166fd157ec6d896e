/* What follows from the samples and verdicts of a case, once both are there. */
#pragma once

#include "bench/settings.h"
#include "result/result.h"
#include "bench/timing/calibration.h"

/* Fill the fastest, the floor and the relations of each timing, and warn of whatever may
 * mislead a reader of the figures alone. Memory that runs out is MB_ERRC_RUNTIME. */
MB_MUST_CHECK enum mb_status mb_conclude_case(const struct mb_settings *settings,
                                              const struct mb_calibration *calibration,
                                              struct mb_case *c, struct mb_err *err);
