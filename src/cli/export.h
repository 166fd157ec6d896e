/* `mipbench export`: writes the files of a strategy for use in an engine. */
#pragma once

#include "cli/options/options.h"

/* Write the files to the output folder, each file whole or not at all, and print where they
 * are. Without --force, the folder must be empty or missing. Opens a device only for --device.
 * MB_ERRC_OUTPUT if a file cannot be written. */
MB_MUST_CHECK enum mb_status mb_export_run(const struct mb_options *options,
                                           struct mb_err *err);
