/* Messages on stderr. Each is a single write, so that lines of several threads do not mix, and
 * erases a progress line first. The only state is the level, whether a progress line is up, and
 * the line for a crash. */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "base/text.h"

#define ERASE_LINE "\r\033[K"

static _Atomic enum mb_log_level max_level = MB_LOG_INFO;
static _Atomic bool transient_is_up;

void mb_log_set_level(enum mb_log_level level)
{
    atomic_store(&max_level, level);
}

void mb_log(enum mb_log_level level, const char *fmt, ...)
{
    if (level > atomic_load(&max_level)) {
        return;
    }
    const char *prefix = level == MB_LOG_ERROR  ? "mipbench: error: "
                         : level <= MB_LOG_WARN ? "mipbench: warning: "
                                                : "";
    char line[4096];
    va_list args;
    va_start(args, fmt);
    mb_utf8_sanitize_format(line, sizeof line, fmt, args);
    va_end(args);
    fprintf(stderr, "%s%s%s\n", atomic_load(&transient_is_up) ? ERASE_LINE : "", prefix, line);
    fflush(stderr);
}

void mb_log_set_transient(const char *text, size_t max_columns)
{
    if (text != NULL && text[0] != '\0') {
        char line[1024];
        mb_utf8_sanitize(text, line, sizeof line);
        /* Set before drawing: a message in between then erases an empty line. */
        atomic_store(&transient_is_up, true);
        fprintf(stderr, ERASE_LINE "%.*s", (int)mb_utf8_prefix_bytes(line, max_columns), line);
    } else if (atomic_exchange(&transient_is_up, false)) {
        fputs(ERASE_LINE, stderr);
    }
    fflush(stderr);
}

/* The line for a crash is formatted in advance: a signal handler can do little but write it. */
static char crash_line[256];
static _Atomic size_t n_crash_bytes;

void mb_log_suspect(const char *name, const char *when)
{
    char clean[128];
    atomic_store(&n_crash_bytes, 0);
    if (name != NULL) {
        mb_utf8_sanitize(name, clean, sizeof clean);
        snprintf(crash_line, sizeof crash_line, "mipbench: error: %s: crashed while %.60s\n",
                 clean, when);
        atomic_store(&n_crash_bytes, strlen(crash_line));
    }
}

void mb_log_crash(void)
{
    const size_t n = atomic_exchange(&n_crash_bytes, 0);
    if (n > 0 && atomic_load(&transient_is_up)) {
        (void)mb_os_write(MB_STDERR, ERASE_LINE, strlen(ERASE_LINE));
    }
    if (n > 0) {
        (void)mb_os_write(MB_STDERR, crash_line, n);
    }
}

void mb_log_err(const struct mb_err *err)
{
    const bool has_hint = err->hint[0] != '\0';
    if (err->text[0] == '\0') {
        return;
    }
    mb_log(MB_LOG_ERROR, "%s%s%s", err->text, has_hint ? "; " : "", err->hint);
    if (err->file != NULL) {
        mb_log(MB_LOG_DEBUG, "at %s:%d", err->file, err->line);
    }
}
