/* Messages for a person, on stderr; stdout is for results only. */
#pragma once

#include "base/err.h"

enum mb_log_level {
    MB_LOG_ERROR,
    MB_LOG_CAUTION, /* a warning that --quiet does not hide: the run differs from its options */
    MB_LOG_WARN,
    MB_LOG_INFO,
    MB_LOG_DEBUG,
};

/* Messages above `level` are dropped. Default MB_LOG_INFO. */
void mb_log_set_level(enum mb_log_level level);

/* Print one line to stderr: "mipbench: error: ...", "mipbench: warning: ..." (also CAUTION), or
 * without a prefix for INFO and DEBUG. Adds a newline, and erases a progress line first. */
MB_PRINTF(2, 3) void mb_log(enum mb_log_level level, const char *fmt, ...);

/* Draw or replace the progress line, cut to `max_columns`; if `text` is NULL or empty, erase
 * it. The caller makes sure that stderr is a terminal. */
void mb_log_set_transient(const char *text, size_t max_columns);

/* From here on, a crash is blamed on the kernel `name`; `when` says what happens to the kernel
 * now ("the driver ran it"). If `name` is NULL, no kernel is blamed. */
void mb_log_suspect(const char *name, const char *when);

/* A handler for mb_os_catch_crashes: prints one line that names the suspect to stderr. */
void mb_log_crash(void);

/* Print an error and its hint, "mipbench: error: <text>; <hint>", and at level DEBUG the place
 * in the source. An error without text was logged before: prints nothing. */
void mb_log_err(const struct mb_err *err);
