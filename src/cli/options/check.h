/* Checks between options, and defaults that depend on others. */
#pragma once

#include "cli/options/options.h"

/* Check the words of `kernel`, before the manifest is read. Anything wrong is MB_ERRC_USAGE. */
MB_MUST_CHECK enum mb_status mb_options_check_kernel(const struct mb_options *options,
                                                     struct mb_err *err);

/* Whether a subcommand of `kernel` takes a manifest, as its second word. */
bool mb_options_is_of_manifest(const char *what);

/* Check what the verb was given, and complete `tune`: pattern:noise if there are sizes but
 * no input, and specs widened to every variant of a strategy, except for parameters that
 * they fix. Anything wrong is MB_ERRC_USAGE. No file may be written twice, and no input may
 * be written; files are compared by identity, not by name. */
MB_MUST_CHECK enum mb_status mb_options_check(struct mb_options *options, struct mb_err *err);
