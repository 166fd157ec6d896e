/* `mipbench tune`: finds the fastest variant for each size and format, and writes a table, JSON
 * and C. A tuning is a run (main.c) that uses mb_tune_case() and these functions. */
#pragma once

#include "cli/session.h"

/* Before the first case: check the timer and, unless the device is software, run the self-test.
 * MB_UNSUPPORTED without timestamps. */
MB_MUST_CHECK enum mb_status mb_tune_begin(struct mb_session *session, struct mb_err *err);

/* mb_hooks.on_case_done of a tuning: decides the case and writes all results so far, so that a
 * crash loses only the next case. */
MB_MUST_CHECK enum mb_status mb_tune_case_done(void *user, const struct mb_run *run,
                                               const struct mb_case *c, struct mb_err *err);

/* At the end: print the decisions, write all files, and print where they are. */
MB_MUST_CHECK enum mb_status mb_tune_tell(struct mb_session *session, struct mb_err *err);
