/* The barriers of a plan, from what each of its dispatches binds. */
#pragma once

#include "kernel/commands.h"

/* Fill in the opening and closing barriers and those before each dispatch, and settle the
 * layouts of what is sampled. Level 0 is readable before and after, the others undefined
 * before. */
void mb_kernel_place_barriers(struct mb_kernel_plan *plan, uint32_t n_levels);

/* Whether any dispatch may store to a level. */
bool mb_kernel_writes(const struct mb_kernel_plan *plan, uint32_t level);
