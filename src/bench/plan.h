/* From strategy specs to variants, and whether one can run. */
#pragma once

#include "result/variant.h"

/* Parse strategy specs against a NULL-terminated table: "all", "name", "name:key=value:...",
 * "name:*" (every combination), "all:*". No specs mean "all". Duplicates are dropped. `*rows`
 * is owned by the caller (mb_free), also after a failure. Unknown names, keys and values are
 * MB_ERRC_USAGE with a "did you mean". */
MB_MUST_CHECK enum mb_status mb_plan_variants(const struct mb_strategy *const *table,
                                              const char *const *specs, size_t n_specs,
                                              struct mb_variant **rows, size_t *n_rows,
                                              struct mb_err *err);

/* MB_OK if the variant can do the task on this device; else MB_UNSUPPORTED with a sentence. */
MB_MUST_CHECK enum mb_status mb_variant_supports(const struct mb_variant *row,
                                                 const struct mb_gpu *gpu,
                                                 const struct mb_layout *layout,
                                                 const struct mb_task *task,
                                                 struct mb_err *why);
