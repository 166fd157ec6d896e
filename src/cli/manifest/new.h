/* `mipbench kernel new`: the start of a kernel of one's own. */
#pragma once

#include "base/err.h"

/* Write NAME.json and NAME.comp into the working folder, from the template of that name
 * ("per-level", "chunks", "single"), and say what to run next. MB_ERRC_USAGE where a strategy
 * could not be called so, MB_ERRC_OUTPUT where a file of either name is there. */
MB_MUST_CHECK enum mb_status mb_kernel_new(const char *name, const char *like,
                                           struct mb_err *err);
