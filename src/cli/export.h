/* `mipbench export`: the files of a strategy, for use in an engine. */
#pragma once

#include "cli/options/options.h"

/* Write them to the folder, which must be empty or missing but for --force, each whole or not
 * at all, and say where they are. Needs no device. MB_ERRC_OUTPUT if one cannot be written. */
MB_MUST_CHECK enum mb_status mb_export_run(const struct mb_options *options,
                                           struct mb_err *err);
