/* `mipbench kernel`: checks, compiles or begins a manifest. */
#pragma once

#include "cli/options/options.h"

/* Run "check FILE.json", "compile FILE.json" or "new NAME", whichever the command line
 * names. */
MB_MUST_CHECK enum mb_status mb_kernel_run(const struct mb_options *options,
                                           struct mb_err *err);
