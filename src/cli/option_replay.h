/* --replay: the command line of a recorded run, with another on top. */
#ifndef MB_CLI_OPTION_REPLAY_H
#define MB_CLI_OPTION_REPLAY_H

#include "bench/result_file.h"
#include "image/image.h"

struct mb_replay {
    struct mb_result_file recorded; /* path NULL: nothing is replayed */
    int argc;
    char **argv; /* both command lines as one; NULL last; owned, each owned */
    bool has_recorded_inputs;
};

/* Read `path`, the results.json of a run, and join its command line with `argv`: options of
 * `argv` replace recorded ones of the same name (--size and --sweep each other, too), inputs
 * replace inputs, and the recorded seed holds where none is given. Options of output are not
 * taken over, nor is --replay itself. A recorded file that is not found from here but from
 * where the run was started is taken from there. A file that cannot be used is MB_ERRC_INPUT.
 */
MB_MUST_CHECK enum mb_status mb_replay_open(struct mb_replay *replay, const char *path,
                                            int argc, char *const *argv, struct mb_err *err);
void mb_replay_finish(struct mb_replay *replay);

/* For an input that could not be opened: whose it is, if it was recorded. */
void mb_replay_hint(const struct mb_replay *replay, struct mb_err *err);

/* Warn of each of the `n` inputs that is not the image that it was; does nothing without a
 * replay. */
void mb_replay_check_inputs(const struct mb_replay *replay, const char *const *inputs,
                            const struct mb_image *images, size_t n);

#endif
