/* Reads the command line. */
#pragma once

#include "cli/options/options.h"
#include "result/result_json.h"

/* Parse argv. Anything wrong with it is MB_ERRC_USAGE, in one line that names the option and
 * the value and suggests near misses. A folder given to `run` or `tune` becomes its images; one
 * without images is MB_ERRC_INPUT. --replay joins its recorded command line and this one:
 * options replace recorded ones of the same name (--size and --sweep also each other; --kernel
 * adds to those recorded), inputs replace inputs, and the seed is that of the results unless
 * one is given; a recording that cannot be used is MB_ERRC_INPUT. `tune` is completed:
 * pattern:noise if there are sizes but no input, and specs widened to every variant of a
 * strategy, except for parameters that they fix. No file may be written twice, and no input may
 * be written; files are compared by identity, not by name. With --help anywhere, nothing else
 * is looked at. `argv` must outlive the options. */
MB_MUST_CHECK enum mb_status mb_options_parse(struct mb_options *options, int argc,
                                              char *const *argv, struct mb_err *err);

/* Append the options that decided what a recorded run measured, each as "--name=value"; as far
 * as this version knows them. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_replay_options(const struct mb_run *recorded,
                                               struct mb_strlist *args, struct mb_err *err);

/* Where `err` is about an input that is not an image, hint at what the user may have meant by
 * it: results to report on, a strategy, or a misspelt command. */
void mb_options_hint_input(const struct mb_options *options, struct mb_err *err);
