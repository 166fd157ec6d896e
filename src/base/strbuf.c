/* A growing string with a sticky allocation failure. */
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define MAX_NAMED 3 /* names that a list shows */

void mb_strbuf_finish(struct mb_strbuf *buf)
{
    mb_free(buf->text);
    *buf = (struct mb_strbuf){0};
}

/* Make room for `more_bytes` and a terminator. */
static bool reserve(struct mb_strbuf *buf, size_t more_bytes)
{
    buf->failed = buf->failed || more_bytes > SIZE_MAX / 4;
    const size_t need_bytes = buf->n_bytes + more_bytes + 1;
    if (buf->failed || need_bytes <= buf->capacity_bytes) {
        return !buf->failed;
    }
    const size_t capacity_bytes = need_bytes < 128 ? 256 : 2 * need_bytes;
    char *text = mb_realloc(buf->text, capacity_bytes);
    buf->failed = text == NULL;
    if (text != NULL) {
        buf->text = text;
        buf->capacity_bytes = capacity_bytes;
    }
    return !buf->failed;
}

void mb_strbuf_append_n(struct mb_strbuf *buf, const char *text, size_t n_bytes)
{
    if (!reserve(buf, n_bytes)) {
        return;
    }
    memcpy(buf->text + buf->n_bytes, text, n_bytes);
    buf->n_bytes += n_bytes;
    buf->text[buf->n_bytes] = '\0';
}

void mb_strbuf_append(struct mb_strbuf *buf, const char *text)
{
    mb_strbuf_append_n(buf, text, strlen(text));
}

void mb_strbuf_printf(struct mb_strbuf *buf, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    buf->failed = buf->failed || n < 0;
    if (!reserve(buf, (size_t)n)) {
        return;
    }
    va_start(args, fmt);
    vsnprintf(buf->text + buf->n_bytes, (size_t)n + 1, fmt, args);
    va_end(args);
    buf->n_bytes += (size_t)n;
}

void mb_strbuf_list(struct mb_strbuf *buf, const char *name, size_t index, size_t n)
{
    if (index == MAX_NAMED) {
        mb_strbuf_printf(buf, " and %zu more", n - MAX_NAMED);
    } else if (index < MAX_NAMED) {
        const char *joint = index == 0 ? "" : index + 1 == n ? " and " : ", ";
        mb_strbuf_printf(buf, "%s%s", joint, name);
    }
}

void mb_strbuf_wrap(struct mb_strbuf *buf, const char *text, size_t indent, size_t n_columns)
{
    size_t column = indent;
    bool line_is_empty = true;
    for (const char *word = text; *word != '\0' && *word != '\n';) {
        const size_t n_bytes = strcspn(word, " \n");
        const size_t n = mb_utf8_columns_n(word, n_bytes);
        if (!line_is_empty && column + 1 + n > n_columns) {
            mb_strbuf_append(buf, "\n");
            mb_strbuf_printf(buf, "%*s", (int)indent, "");
            column = indent;
        } else if (!line_is_empty) {
            mb_strbuf_append(buf, " ");
            column++;
        }
        mb_strbuf_append_n(buf, word, n_bytes);
        column += n;
        line_is_empty = false;
        word += n_bytes;
        word += strspn(word, " ");
    }
}

void mb_strbuf_wrap_lines(struct mb_strbuf *buf, struct mb_strbuf *from, size_t n_columns)
{
    const char *lines = mb_strbuf_text(from);
    buf->failed = buf->failed || from->failed;
    while (*lines != '\0') {
        const size_t n_bytes = strcspn(lines, "\n"), n_lead = strspn(lines, " ");
        const size_t n_line = n_bytes + (lines[n_bytes] == '\n');
        if (mb_utf8_columns_n(lines, n_bytes) <= n_columns) {
            mb_strbuf_append_n(buf, lines, n_bytes);
        } else {
            mb_strbuf_printf(buf, "%*s", (int)n_lead, "");
            mb_strbuf_wrap(buf, lines + n_lead, n_lead > 0 ? n_lead + 4 : 0, n_columns);
        }
        mb_strbuf_append_n(buf, "\n", n_line - n_bytes);
        lines += n_line;
    }
    mb_strbuf_finish(from);
}

const char *mb_strbuf_text(const struct mb_strbuf *buf)
{
    return buf->failed || buf->text == NULL ? "" : buf->text;
}

enum mb_status mb_strbuf_check(const struct mb_strbuf *buf, struct mb_err *err)
{
    MB_FAIL_IF(buf->failed, err, MB_ERRC_RUNTIME, "out of memory while writing text");
    return MB_OK;
}
