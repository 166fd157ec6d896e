/* The time of each level of a chain that is made level by level. */
#pragma once

#include "bench/plan.h"
#include "result/result.h"

/* Set a variant up on an image, which holds level 0, run its chain a few times with a stamp
 * before and after what makes each level (strategy/marks.h), and fill `split` with the medians.
 * n_steps is 0 for a chain that is not made level by level. Stamps take time themselves and
 * keep commands from overlapping, so the parts add up to more than the whole. */
MB_MUST_CHECK enum mb_status mb_split_measure(const struct mb_vk_image *image,
                                              const struct mb_variant *row,
                                              const struct mb_task *task,
                                              struct mb_split *split, struct mb_err *err);
