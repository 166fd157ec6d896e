/* Parses the command line. */
#pragma once

#include "cli/options/options.h"

/* Parse argv. Anything wrong with it is MB_ERRC_USAGE, in one line that names the option and
 * the value and suggests near misses; strategies and formats are looked up here, too, so
 * that a typo costs no time. A folder given to `run` or `tune` becomes its images; one
 * without images is MB_ERRC_INPUT. Nothing after --help is looked at. `argv` must outlive
 * the options. */
MB_MUST_CHECK enum mb_status mb_options_parse(struct mb_options *options, int argc,
                                              char *const *argv, struct mb_err *err);
