/* Where the time of a chain of several dispatches goes. */
#pragma once

#include "result/result.h"
#include "bench/verify/instance.h"

#define MB_MAX_STEPS 512u /* dispatches, draws or blits of a chain that is split */

/* Run the chain of `instance` a few times with a stamp before and after each of its commands,
 * and fill `split` with the medians by the levels that they make (struct mb_work, step_levels).
 * A chain of one command is not separable, and one of more than MB_MAX_STEPS is not looked at:
 * n_steps is 0. Stamps take time of their own and keep commands apart, so the parts add up to
 * more than the whole. */
MB_MUST_CHECK enum mb_status mb_split_measure(const struct mb_instance *instance,
                                              uint32_t n_levels, struct mb_split *split,
                                              struct mb_err *err);

/* Which levels step `step` of `n_steps` makes; false if the work does not say. Pure. */
bool mb_split_levels(const struct mb_work *work, uint32_t n_levels, uint32_t n_steps,
                     uint32_t step, uint32_t *first_level, uint32_t *n_step_levels);
