/* `mipbench compare`: shows what changed between runs, from their results.json. */
#pragma once

#include "cli/options/options.h"

/* Compare the files in options->settings.inputs; the first n_base_files are the base. Print the
 * table and write the copies that the options ask for. For MB_VERB_POOL, pool the files
 * instead. MB_ERRC_VERIFY if a gate of the command line fails, MB_ERRC_INPUT for bad files. */
MB_MUST_CHECK enum mb_status mb_compare_run(const struct mb_options *options,
                                            struct mb_err *err);
