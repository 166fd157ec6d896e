/* Warnings of a comparison. */
#ifndef MB_COMPARE_WARN_H
#define MB_COMPARE_WARN_H

#include "compare/comparison.h"
#include "compare/group.h"

#define MB_MAX_COMPARE_WARNINGS 16

/* Note what would make a difference of times other than the code: devices, drivers, inputs and
 * formats, unfinished and validated runs. comparison->warnings has room for
 * MB_MAX_COMPARE_WARNINGS, the gaps are known; what is beyond is dropped. */
void mb_compare_warn(const struct mb_run_group *base, const struct mb_run_group *new_runs,
                     struct mb_comparison *comparison);

#endif
