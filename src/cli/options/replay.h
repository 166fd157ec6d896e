/* --replay: repeats the command line of a recorded run. */
#pragma once

#include "cli/options/options.h"
#include "image/image.h"

/* Read `path`, a results.json, and join its command line with `argv`. Options of `argv`
 * override recorded ones of the same name (--size and --sweep also each other; --kernel comes
 * to those recorded), inputs
 * override inputs, and the recorded seed is used unless one is given. Output options and
 * --replay itself are not taken over. A recorded input that is not found here is looked for
 * where the run was started. A file that cannot be used is MB_ERRC_INPUT. */
MB_MUST_CHECK enum mb_status mb_replay_open(struct mb_replay *replay, const char *path,
                                            int argc, char *const *argv, struct mb_err *err);

/* Hint that an input that could not be opened comes from the recording, if it does. */
void mb_replay_hint(const struct mb_replay *replay, struct mb_err *err);

/* Warn about each manifest and each module loaded by now that has changed since it was
 * recorded. */
void mb_replay_check_kernels(const struct mb_replay *replay,
                             const struct mb_strategy *const *table);

/* Warn about each of the `n` inputs whose image has changed since it was recorded. */
void mb_replay_check_inputs(const struct mb_replay *replay, const char *const *inputs,
                            const struct mb_image *images, size_t n);
