/* A growing string. It remembers the first allocation failure and ignores later calls, so that
 * callers check once. Zero is a valid empty buffer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct mb_strbuf {
    char *text; /* NULL or terminated; owned: mb_strbuf_finish */
    size_t n_bytes;
    size_t capacity_bytes;
    bool failed;
};

/* Free and zero. */
void mb_strbuf_finish(struct mb_strbuf *buf);

/* Append formatted text, plain text, or `n_bytes` of text. */
MB_PRINTF(2, 3) void mb_strbuf_printf(struct mb_strbuf *buf, const char *fmt, ...);
void mb_strbuf_append(struct mb_strbuf *buf, const char *text);
void mb_strbuf_append_n(struct mb_strbuf *buf, const char *text, size_t n_bytes);

/* Append the `index`-th of `n` names of a list, in order: "a", "a and b", "a, b and c", "a, b,
 * c and 285 more". At most three are named, as there may be hundreds. */
void mb_strbuf_list(struct mb_strbuf *buf, const char *name, size_t index, size_t n);

/* Append the first line of `text`, broken at spaces so that no line is wider than `n_columns`
 * unless a single word is. The first line starts at column `indent`, further lines with
 * `indent` spaces. Adds nothing after the last word. */
void mb_strbuf_wrap(struct mb_strbuf *buf, const char *text, size_t indent, size_t n_columns);

/* Append the lines of another buffer, each broken as by mb_strbuf_wrap if it is wider than
 * `n_columns`. Continuations of an indented line are indented by four more. Finishes `from`,
 * and takes over its failure. */
void mb_strbuf_wrap_lines(struct mb_strbuf *buf, struct mb_strbuf *from, size_t n_columns);

/* The text so far, or "" if the buffer is empty or failed. */
const char *mb_strbuf_text(const struct mb_strbuf *buf);

/* MB_OK, or MB_FAILED with MB_ERRC_RUNTIME if an append ran out of memory. */
MB_MUST_CHECK enum mb_status mb_strbuf_check(const struct mb_strbuf *buf, struct mb_err *err);
