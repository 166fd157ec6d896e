/* Timing the strategies of one case under one cache condition and mode. */
#pragma once

#include "bench/hooks.h"
#include "bench/verify/judge.h"
#include "bench/timing/calibration.h"

/* Sample `n_candidates` >= 1 rows of the timing's case, interleaved, with one of them under two
 * names, and fill the samples of `timing` and the figures of its rows. Where the condition
 * cannot be had (a cold cache of more images than is sensible, or one that the device cannot be
 * made to evict), every row says so as a skipped one; so does one whose times the device's
 * clock does not resolve. Fails on Vulkan errors and without memory. */
MB_MUST_CHECK enum mb_status mb_timing_run(const struct mb_case_options *options,
                                           struct mb_test_image *test_image,
                                           struct mb_candidate *candidates, size_t n_candidates,
                                           struct mb_timing *timing, struct mb_err *err);
