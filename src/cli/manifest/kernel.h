/* `mipbench kernel`: what a manifest means, the start of one, and the schema of all. */
#pragma once

#include "cli/options/options.h"

/* "check FILE.json", "compile FILE.json", "new NAME" or "schema", as the words of the command
 * line say. */
MB_MUST_CHECK enum mb_status mb_kernel_run(const struct mb_options *options,
                                           struct mb_err *err);
