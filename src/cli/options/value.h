/* Parses the value of one option. */
#pragma once

#include "cli/options/options.h"

/* Parse `value` (NULL for a switch) as the kind that the row says it is, and store it in the
 * options. A bad value is MB_ERRC_USAGE, in one line that names the option and the value. */
MB_MUST_CHECK enum mb_status mb_option_take(struct mb_options *options,
                                            const struct mb_option_row *row, const char *value,
                                            struct mb_err *err);
