/* What strategies may refuse, for tests that ask for everything. */
#ifndef MB_TESTS_REFUSALS_H
#define MB_TESTS_REFUSALS_H

#include "bench/plan.h"

/* Whether a row may refuse a task on an image; everything else it must do. */
bool mb_test_may_refuse(const struct mb_gpu *gpu, const struct mb_variant *row,
                        const struct mb_layout *layout, const struct mb_task *task);

#endif
