/* A case: verify every strategy, time it under each condition, and verify it again. */
#pragma once

#include "bench/hooks.h"
#include "bench/plan.h"
#include "result/result.h"
#include "bench/timing/calibration.h"

/* Run every row on `source` (level 0 of every layer, of the case's layout) and fill the results
 * of `c` and a timing for each condition. mb_image_make_case() must have described the case. A
 * strategy that cannot run gives a skipped result, a wrong one a failed result; neither fails
 * the function. `*is_complete` is false if the user interrupted it: then only timings with
 * whole blocks are kept, perhaps none. Failures (Vulkan, memory) are MB_ERRC_RUNTIME; the
 * caller finishes the case. */
MB_MUST_CHECK enum mb_status mb_case_run(const struct mb_case_options *options,
                                         const void *source, struct mb_case *c,
                                         bool *is_complete, struct mb_err *err);

/* Conclude a case from its samples and verdicts, at the end of mb_case_run(): fill in the
 * fastest, the floor and the relations of each timing, and warn of whatever could mislead
 * someone who reads the figures alone. Fails only without memory (MB_ERRC_RUNTIME). */
MB_MUST_CHECK enum mb_status mb_conclude_case(const struct mb_case_options *options,
                                              struct mb_case *c, struct mb_err *err);
