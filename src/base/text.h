/* Text: UTF-8 that is safe to print, numbers parsed strictly, nearest names, natural order. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text as a value: mb_time_text(time_ns).s lives until the end of the expression. */
struct mb_text {
    char s[400];
};

/* Formatted text, cut to the size of struct mb_text. */
__attribute__((format(printf, 1, 2))) struct mb_text mb_text(const char *fmt, ...);

/* Copy `text` (any bytes) to `out` as UTF-8 that is safe to print: each byte of an invalid
 * sequence, a control character or a direction mark becomes '?'. Never splits a sequence at the
 * end. Returns the number of bytes without the terminator. */
size_t mb_utf8_sanitize(const char *text, char *out, size_t out_bytes);

/* The same for formatted text. */
size_t mb_utf8_sanitize_format(char *out, size_t out_bytes, const char *fmt, va_list args);

/* Columns that valid UTF-8 takes on a terminal. Counts code points, which suffices here. */
size_t mb_utf8_columns(const char *text);
size_t mb_utf8_columns_n(const char *text, size_t n_bytes);

/* Bytes of the first `n_columns` code points of valid UTF-8, or of all if there are fewer. */
size_t mb_utf8_prefix_bytes(const char *text, size_t n_columns);

/* Terminate the next line of a text in place, return it, and move `*rest` behind it. NULL after
 * the last line, or if `*rest` is NULL. */
char *mb_next_line(char **rest);

/* Parse all of `text` as a decimal integer in [min, max]. No '+', no spaces, nothing behind it.
 * False for anything else, overflow included. */
bool mb_parse_int(const char *text, int64_t min, int64_t max, int64_t *out);
bool mb_parse_u64(const char *text, uint64_t *out);

/* Parse all of `text` as a finite decimal number within [min, max]. */
bool mb_parse_double(const char *text, double min, double max, double *out);

/* Parse all of `text` as `n` whole numbers within [min, max], with one of the characters
 * `separators` between them. */
bool mb_parse_numbers(const char *text, const char *separators, size_t n, uint32_t min,
                      uint32_t max, uint32_t *out);

/* A finite number for machines: integers up to 2^53 as integers, others with the fewest of 15
 * to 17 digits that read back as the same double. */
struct mb_text mb_number_text(double value);

/* The nearest of `n` candidates by Damerau-Levenshtein distance, or NULL if all are farther
 * than max(1, length / 3) or share no letter. */
const char *mb_nearest_name(const char *text, const char *const *candidates, size_t n);

/* Turn any text into a slug for file names: [a-z0-9._-], other characters become '-', no '-' or
 * '.' at either end, at most `out_bytes` - 1 bytes, "unnamed" if nothing is left. */
void mb_slug(const char *text, char *out, size_t out_bytes);

/* As strcmp, but compares runs of digits as numbers: "img2" comes before "img10". */
int mb_natural_compare(const char *a, const char *b);
