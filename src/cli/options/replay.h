/* --replay: repeats the command line of a recorded run. */
#pragma once

#include "cli/options/options.h"
#include "result/result_read.h"

/* Fill `args`, which is empty, with the command line that `recorded` has, overridden by `argv`,
 * which `options` was parsed from: options replace recorded ones of the same name (--size and
 * --sweep also each other; --kernel comes to those recorded), inputs replace inputs, and the
 * seed is that of the results unless one is given. Options of output and --replay itself are
 * left out, so that the new results can be replayed without the old ones. A recording that
 * cannot be used is MB_ERRC_INPUT. */
MB_MUST_CHECK enum mb_status mb_replay_join(const struct mb_options *options,
                                            const struct mb_run *recorded,
                                            struct mb_strlist *args, struct mb_err *err);

/* Append the options that decided what a recorded run measured, each as "--name=value"; as far
 * as this version knows them. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_replay_options(const struct mb_run *recorded,
                                               struct mb_strlist *args, struct mb_err *err);
