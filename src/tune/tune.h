/* Finds the fastest variant at each size and in each format: a run (bench/bench.h) over all
 * variants, whose cases are contests, and a table of decisions made from it (tune/choose.h).
 *
 * There may be thousands of variants. If they are more than a final takes, a first pass times
 * all of them with few samples, unverified, in heats that share one variant. The best are
 * measured together as in any run: verified, interleaved, with an A/A twin and intervals. Only
 * this final decides. */
#pragma once

#include "bench/hooks.h"

/* As mb_case_run(), under the first condition: the case has a row for each variant that can run
 * there; of variants with the same commands the first is kept, and those that missed the final
 * are skipped. If none can run, it has the first one, with the reason. An interrupted case is
 * left without timings. */
MB_MUST_CHECK enum mb_status mb_tune_case(const struct mb_case_options *options,
                                          const void *source, struct mb_case *c,
                                          bool *is_complete, struct mb_err *err);
