/* A manifest as a strategy: beside those that are compiled into the program, and like them. */
#pragma once

#include "kernel/plan.h"

/* Fill in `manifest->strategy`, which lives as long as the manifest. */
void mb_kernel_describe(struct mb_manifest *manifest, struct mb_strategy *strategy);

/* Change these to a format, a size and a reduction that a manifest takes: the size as it is, if
 * that will do. As they are where it takes none of the usual sizes. */
void mb_kernel_suggest(const struct mb_params *params, const struct mb_format **format,
                       struct mb_extent *size, enum mb_reduce *reduce);

/* Whether what mb_kernel_pick() chose of no device in particular may run on one with subgroups
 * of `n_lanes`; false for a manifest that does not ask. */
bool mb_kernel_takes_lanes(const struct mb_pick *pick, const struct mb_layout *layout,
                           uint32_t n_lanes);

/* What a manifest says of a task on a device, or with `info` NULL on one that has all it needs:
 * the choice for mb_kernel_plan_init(). MB_UNSUPPORTED with a sentence for what its domain, its
 * requirements or the device's subgroups exclude. */
MB_MUST_CHECK enum mb_status mb_kernel_pick(struct mb_pick *pick,
                                            const struct mb_gpu_info *info,
                                            const struct mb_layout *layout,
                                            const struct mb_task *task,
                                            const struct mb_params *params, struct mb_err *why);
