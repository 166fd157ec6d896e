/* `mipbench tune`: the fastest variant for each size and format, as a table, JSON and C. */
#pragma once

#include "cli/options/options.h"

/* Tune, show and write. `*verdict` is the exit code that the outcome asks for; one other than 0
 * has its line in `err`, too, and the status is MB_FAILED or MB_UNSUPPORTED then. */
MB_MUST_CHECK enum mb_status mb_tune_command_run(const struct mb_options *options,
                                                 enum mb_errc *verdict, struct mb_err *err);
