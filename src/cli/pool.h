/* `mipbench compare --pool`: runs of one device and build taken together. */
#pragma once

#include "compare/match.h"
#include "cli/options/options.h"

/* Pool the files, print their tables, and write the JSON that is asked for. */
MB_MUST_CHECK enum mb_status mb_pool_show(const struct mb_options *options,
                                          const struct mb_run_group *files, struct mb_err *err);
