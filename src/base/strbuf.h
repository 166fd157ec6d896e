/* A growing string. The first allocation failure is kept and every call after it is a no-op, so
 * that a long builder reads straight and checks once. Zero is a valid empty buffer. */
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

/* Append formatted text, plain text, `n_bytes` of text, or `n_spaces` spaces. */
MB_PRINTF(2, 3) void mb_strbuf_printf(struct mb_strbuf *buf, const char *fmt, ...);
void mb_strbuf_append(struct mb_strbuf *buf, const char *text);
void mb_strbuf_append_n(struct mb_strbuf *buf, const char *text, size_t n_bytes);
void mb_strbuf_spaces(struct mb_strbuf *buf, size_t n_spaces);

/* Append the `index`-th of `n` names, in order, of "a", "a and b", "a, b and c" or "a, b, c and
 * 285 more": three are named at most, as hundreds of variants may be meant. */
void mb_strbuf_list(struct mb_strbuf *buf, const char *name, size_t index, size_t n);

/* Append `text` broken at spaces so that no line is wider than `n_columns` (a longer word
 * stands alone). The cursor is taken to be at column `indent`; further lines start with
 * `indent` spaces. Nothing is added after the last word. */
void mb_strbuf_wrap(struct mb_strbuf *buf, const char *text, size_t indent, size_t n_columns);

/* Append UTF-8 text; if it is wider than `n_columns`, at least 2, without its middle:
 * "spd:..:wave=off". */
void mb_strbuf_shorten(struct mb_strbuf *buf, const char *text, size_t n_columns);

/* Append the lines of another buffer, each broken as by mb_strbuf_wrap where it is wider than
 * `n_columns`; what follows a break is indented as its line is, by four more. Finishes `from`,
 * and takes over its failure. */
void mb_strbuf_wrap_lines(struct mb_strbuf *buf, struct mb_strbuf *from, size_t n_columns);

/* The text so far; "" for an empty or failed buffer. */
const char *mb_strbuf_text(const struct mb_strbuf *buf);

/* MB_OK, or MB_FAILED with MB_ERRC_RUNTIME if an append ran out of memory. */
MB_MUST_CHECK enum mb_status mb_strbuf_check(const struct mb_strbuf *buf, struct mb_err *err);

/* Hand the text over (mb_free), or fail without memory; the buffer is finished in any case. */
MB_MUST_CHECK enum mb_status mb_strbuf_take(struct mb_strbuf *buf, char **text,
                                            struct mb_err *err);
