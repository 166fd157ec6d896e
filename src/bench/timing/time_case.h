/* Timing the strategies of one case under one cache condition and mode. */
#pragma once

#include "bench/hooks.h"
#include "bench/verify/judge.h"
#include "bench/timing/calibration.h"

/* Sample `n_candidates` >= 1 rows of the timing's case, interleaved, one of them under two
 * names, and fill in the samples of `timing` and the figures of its rows. If the cache cannot
 * be kept cold (it takes too many images, or cannot be swept), every row is skipped with that
 * reason. A row whose times the device's clock does not resolve is skipped, too. Fails on
 * Vulkan errors and without memory. */
MB_MUST_CHECK enum mb_status mb_timing_run(const struct mb_case_options *options,
                                           struct mb_test_image *test_image,
                                           struct mb_candidate *candidates, size_t n_candidates,
                                           struct mb_timing *timing, struct mb_err *err);

/* Set a variant up on an image, which holds level 0, run its chain a few times with a stamp
 * before and after what makes each level (strategy/marks.h), and fill `split` with the medians.
 * n_steps is 0 for a chain that is not made level by level. Stamps take time themselves and
 * keep commands from overlapping, so the parts add up to more than the whole. */
MB_MUST_CHECK enum mb_status mb_split_measure(const struct mb_vk_image *image,
                                              const struct mb_variant *row,
                                              const struct mb_task *task,
                                              struct mb_split *split, struct mb_err *err);
