/* Edits of JSON: a value becomes an odd one or another of the text, a key another key. Edits of
 * bytes alone seldom get past the parser. */
#include <string.h>

#include "base/rng.h"
#include "base/strbuf.h"
#include "fuzz.h"

#define MAX_SPANS 65536u
#define MAX_DEPTH 1024u

/* A value, or a key where a colon follows: the bytes [begin, end). */
struct span {
    size_t begin, end;
    bool is_key;
};

static size_t skip_string(const char *text, size_t at, size_t n)
{
    for (at++; at < n && text[at] != '"'; at++) {
        at += text[at] == '\\';
    }
    return at < n ? at + 1 : n;
}

/* All values and keys of a text that is mostly JSON; returns how many. */
static size_t find_spans(const char *text, size_t n, struct span spans[MAX_SPANS])
{
    size_t open[MAX_DEPTH], n_open = 0, n_spans = 0;
    for (size_t at = 0; at < n && n_spans < MAX_SPANS;) {
        const char c = text[at];
        if (c == '}' || c == ']') {
            at++;
            if (n_open > 0) {
                spans[open[--n_open]].end = at;
            }
        } else if (strchr(" \t\r\n,:", c) != NULL) {
            at++;
        } else {
            struct span *span = &spans[n_spans++];
            const bool is_open = (c == '{' || c == '[') && n_open < MAX_DEPTH;
            *span = (struct span){.begin = at, .end = n};
            if (is_open) {
                open[n_open++] = n_spans - 1;
                at++;
                continue;
            }
            at = c == '"' ? skip_string(text, at, n) : at + 1;
            while (c != '"' && at < n && strchr(" \t\r\n,:]}", text[at]) == NULL) {
                at++;
            }
            span->end = at;
            span->is_key = c == '"' && at < n && text[at] == ':';
        }
    }
    return n_spans;
}

/* What no reader may trip over. */
static const char *const odd_values[] = {
    "null",
    "true",
    "false",
    "-1",
    "0",
    "0.5",
    "NaN",
    "-Infinity",
    "1e400",
    "-1e400",
    "1e308",
    "1e-320",
    "18446744073709551616",
    "9007199254740993",
    "4294967296",
    "\"18446744073709551615\"",
    "\"\"",
    "\"x\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\u001b[2J\\n\"",
    "\"%s%n\"",
    "\"\xff\xfe\"",
    "\"</script><script>\"",
    "\"pattern:noise:8x8\"",
    "\"--replay\"",
    "\"--json=a\"",
    "\"-sabc\"",
    "[]",
    "{}",
    "[[]]",
    "[null]",
    "[1,\"x\",{}]",
    "{\"x\":1}",
    "",
};

/* Lists or objects in each other, around the parser's limit of 1000. */
static void append_levels(struct mb_strbuf *with, struct mb_rng *rng)
{
    static const uint32_t depths[] = {10, 990, 20000};
    const uint32_t n_levels = depths[mb_rng_below(rng, MB_COUNTOF(depths))];
    const bool is_list = mb_rng_below(rng, 2) == 1;
    for (uint32_t i = 0; i < n_levels; i++) {
        mb_strbuf_append(with, is_list ? "[" : "{\"x\":");
    }
    mb_strbuf_append(with, "1");
    for (uint32_t i = 0; i < n_levels; i++) {
        mb_strbuf_append(with, is_list ? "]" : "}");
    }
}

/* What takes the place of a value: an odd one, another of the file, the same twice or in a
 * list, many levels. Of a key: another one, so that its member is missing, or there twice. */
static void choose(struct mb_strbuf *with, struct mb_rng *rng, const char *text,
                   const struct span *spans, size_t n_spans, const struct span *span)
{
    const struct span *other = &spans[mb_rng_below(rng, (uint32_t)n_spans)];
    const uint32_t kind = mb_rng_below(rng, 16);
    if (span->is_key) {
        while (!other->is_key) { /* ends with this one at the latest */
            other = other + 1 < spans + n_spans ? other + 1 : spans;
        }
    } else if (kind < 8) {
        mb_strbuf_append(with, odd_values[mb_rng_below(rng, MB_COUNTOF(odd_values))]);
        return;
    } else if (kind == 8) {
        append_levels(with, rng);
        return;
    } else if (kind < 11) {
        size_t before = span->begin;
        while (before > 0 && strchr(" \t\r\n", text[before - 1]) != NULL) {
            before--;
        }
        const bool is_member = before > 0 && text[before - 1] == ':';
        mb_strbuf_append(with, is_member ? "[" : "");
        mb_strbuf_append_n(with, text + span->begin, span->end - span->begin);
        mb_strbuf_append(with, ",");
        mb_strbuf_append_n(with, text + span->begin, span->end - span->begin);
        mb_strbuf_append(with, is_member ? "]" : "");
        return;
    }
    mb_strbuf_append_n(with, text + other->begin, other->end - other->begin);
}

static size_t edit(struct mb_rng *rng, char *text, size_t n, size_t max)
{
    static struct span spans[MAX_SPANS];
    const size_t n_spans = find_spans(text, n, spans);
    struct mb_strbuf with = {0};
    if (n_spans == 0) {
        return n;
    }
    const struct span *span = &spans[mb_rng_below(rng, (uint32_t)n_spans)];
    const size_t n_after = n - span->end;
    choose(&with, rng, text, spans, n_spans, span);
    if (!with.failed && span->begin + with.n_bytes + n_after <= max) {
        memmove(text + span->begin + with.n_bytes, text + span->end, n_after);
        memcpy(text + span->begin, mb_strbuf_text(&with), with.n_bytes);
        n = span->begin + with.n_bytes + n_after;
    }
    mb_strbuf_finish(&with);
    return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_bytes, size_t max_bytes, unsigned seed)
{
    struct mb_rng rng;
    mb_rng_init(&rng, seed);
    return edit(&rng, (char *)data, n_bytes, max_bytes);
}
