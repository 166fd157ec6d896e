/* `mipbench kernel`: what a manifest means, and the start of one. */
#pragma once

#include "cli/options/options.h"

/* "check FILE.json", "compile FILE.json" or "new NAME", as the words of the command line say.
 */
MB_MUST_CHECK enum mb_status mb_kernel_run(const struct mb_options *options,
                                           struct mb_err *err);
