/* Messages for a person, on stderr; stdout is for results only. */
#pragma once

#include "base/err.h"

enum mb_log_level {
    MB_LOG_ERROR,
    MB_LOG_CAUTION, /* a warning that --quiet does not hide: the run is not what was meant */
    MB_LOG_WARN,
    MB_LOG_INFO,
    MB_LOG_DEBUG,
};

/* Messages above `level` are dropped. Default MB_LOG_INFO. */
void mb_log_set_level(enum mb_log_level level);
enum mb_log_level mb_log_get_level(void);

/* One line to stderr: "mipbench: error: ...", "mipbench: warning: ..." (CAUTION, too), or as it
 * is for INFO and DEBUG. A newline is added. Erases a progress line first (see
 * mb_log_set_transient). */
MB_PRINTF(2, 3) void mb_log(enum mb_log_level level, const char *fmt, ...);

/* Text as it is, whatever the level. */
void mb_log_text(const char *text);

/* Draw or replace (text non-empty) or erase (text NULL) the one redrawn progress line. The
 * caller decides whether stderr is a terminal; the line is cut to `max_columns`. */
void mb_log_set_transient(const char *text, size_t max_columns);

/* Name the kernel that a crash from here on is blamed on, and what was being done with it ("the
 * driver ran it"). NULL: no one. */
void mb_log_suspect(const char *name, const char *when);

/* A handler of crashes (mb_os_catch_crashes): one line on stderr that names the suspect. */
void mb_log_crash(void);

/* Print an error and its hint: "mipbench: error: <text>; <hint>". With level DEBUG also the
 * source place. */
void mb_log_err(const struct mb_err *err);
