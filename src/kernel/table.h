/* All strategies of a run: those that are compiled in, and those of manifests. */
#pragma once

#include "kernel/manifest.h"

struct mb_kernel_table {
    struct mb_manifest *manifests;         /* [n_manifests], owned */
    const struct mb_strategy **strategies; /* ended by NULL; owned, and those of manifests */
    size_t n_manifests;
};

/* Load a manifest from each of `paths`, and put their strategies behind the `built_in` ones. A
 * name that is there twice is MB_ERRC_INPUT. Finish after a failure as well. */
MB_MUST_CHECK enum mb_status mb_kernel_table_init(struct mb_kernel_table *table,
                                                  const struct mb_strategy *const *built_in,
                                                  const struct mb_strlist *paths,
                                                  const struct mb_strlist *includes,
                                                  struct mb_err *err);
void mb_kernel_table_finish(struct mb_kernel_table *table);
