/* The common parts of `run` and `tune`: inputs, strategies, the device, output, progress, and
 * an early end after a signal. */
#pragma once

#include "bench/bench.h"
#include "cli/options/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "tune/tune.h"

/* A session that is zero except for `options` is not open. */
struct mb_session {
    const struct mb_options *options;
    struct mb_variant *rows; /* owned */
    size_t n_rows;
    struct mb_inputs inputs;
    struct mb_gpu gpu;
    struct mb_run run;
    struct mb_tune tune; /* of a tuning: its decisions */
    struct mb_output output;
    struct mb_progress progress;
};

/* From now on, the first signal that would end the program only asks it to end; the second
 * kills it. */
void mb_session_catch_signals(void);

/* If `ends`, a signal ends the program at once, with the exit code 128 plus its number: for
 * times when there is nothing to finish or clean up. Initially false. */
void mb_session_end_at_once(bool ends);

/* The signal that was caught, or 0. */
int mb_session_signal(void);

/* Hooks that check for a caught signal and show progress; `session` is their `user`. The caller
 * sets on_chain and on_case_done. */
struct mb_hooks mb_session_hooks(struct mb_session *session);

/* Open the device that the options ask for. */
MB_MUST_CHECK enum mb_status mb_session_open_device(const struct mb_options *options,
                                                    struct mb_gpu *gpu, struct mb_err *err);

/* Open everything and print the head of a run. Call mb_session_close() even after a failure. */
MB_MUST_CHECK enum mb_status mb_session_open(struct mb_session *session, struct mb_err *err);

/* Free everything that is there. Returns `status`, or a failure of --validate, as leaks are
 * reported only now. If the device is lost, ends the process with the code of `err`. */
MB_MUST_CHECK enum mb_status mb_session_close(struct mb_session *session, enum mb_status status,
                                              struct mb_err *err);
