/* Checks a manifest against the tables of its keys. */
#pragma once

#include "kernel/manifest.h"

/* Every key, value, name and expression of manifest->json, in every branch; parameters are read
 * by then. MB_ERRC_INPUT, with the key, its line
 * and column, and what would be valid. */
MB_MUST_CHECK enum mb_status mb_manifest_check(const struct mb_manifest *manifest,
                                               struct mb_err *err);
