/* Text from outside: made safe to print, or parsed strictly. */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME_BYTES 63u  /* longest name to find suggestions for */
#define MAX_RAW_BYTES  8192 /* room for MB_PATH_BYTES and a sentence */

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xc0u) == 0x80u;
}

/* Length of the well-formed sequence at `s` (Unicode 15, table 3-7: no overlong form, no
 * surrogate, nothing above U+10FFFF), or 0. Reads nothing behind a terminator. */
static size_t decode(const unsigned char *s, uint32_t *code_point)
{
    static const uint32_t least[] = {[1] = 0, 0x80, 0x800, 0x10000};
    const size_t n_bytes = s[0] < 0x80             ? 1
                           : (s[0] & 0xe0) == 0xc0 ? 2
                           : (s[0] & 0xf0) == 0xe0 ? 3
                           : (s[0] & 0xf8) == 0xf0 ? 4
                                                   : 0;
    uint32_t c = n_bytes == 1 ? s[0] : s[0] & (0x7fu >> n_bytes);
    for (size_t i = 1; i < n_bytes; i++) {
        if (!continues((char)s[i])) {
            return 0;
        }
        c = c << 6 | (s[i] & 0x3fu);
    }
    *code_point = c;
    const bool is_surrogate = c >= 0xd800 && c <= 0xdfff;
    return c >= least[n_bytes] && c <= 0x10ffff && !is_surrogate ? n_bytes : 0;
}

/* C0, DEL and C1, which terminals obey, and direction marks, which reverse text after them. */
static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f ||
           (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

size_t mb_utf8_sanitize(const char *text, char *out, size_t out_bytes)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t n_written = 0;
    while (*s != '\0') {
        uint32_t code_point;
        const size_t n_bytes = decode(s, &code_point);
        const bool is_clean = n_bytes > 0 && !is_control(code_point);
        const size_t n_needed = is_clean ? n_bytes : 1;
        if (n_written + n_needed >= out_bytes) {
            break;
        }
        if (is_clean) {
            memcpy(out + n_written, s, n_bytes);
        } else {
            out[n_written] = '?';
        }
        n_written += n_needed;
        s += n_needed;
    }
    out[n_written] = '\0';
    return n_written;
}

size_t mb_utf8_sanitize_format(char *out, size_t out_bytes, const char *fmt, va_list args)
{
    char raw[MAX_RAW_BYTES];
    vsnprintf(raw, sizeof raw, fmt, args);
    return mb_utf8_sanitize(raw, out, out_bytes);
}

size_t mb_utf8_columns(const char *text)
{
    return mb_utf8_columns_n(text, strlen(text));
}

size_t mb_utf8_columns_n(const char *text, size_t n_bytes)
{
    size_t n_columns = 0;
    for (size_t i = 0; i < n_bytes; i++) {
        n_columns += !continues(text[i]);
    }
    return n_columns;
}

size_t mb_utf8_prefix_bytes(const char *text, size_t n_columns)
{
    size_t n_bytes = 0;
    while (text[n_bytes] != '\0' && (n_columns > 0 || continues(text[n_bytes]))) {
        n_columns -= !continues(text[n_bytes]);
        n_bytes++;
    }
    return n_bytes;
}

char *mb_next_line(char **rest)
{
    char *line = *rest;
    if (line == NULL || *line == '\0') {
        return NULL;
    }
    char *end = line + strcspn(line, "\n");
    *rest = *end == '\0' ? end : end + 1;
    *end = '\0';
    return line;
}

bool mb_parse_u64(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0) {
        return false;
    }
    *out = value;
    return true;
}

bool mb_parse_int(const char *text, int64_t min, int64_t max, int64_t *out)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    const bool is_plain = isdigit((unsigned char)text[text[0] == '-']) && *end == '\0';
    if (!is_plain || errno != 0 || value < min || value > max) {
        return false;
    }
    *out = value;
    return true;
}

bool mb_parse_double(const char *text, double min, double max, double *out)
{
    char *end;
    const double value = strtod(text, &end);
    /* strtod also accepts spaces, hexadecimal, "inf" and "nan". */
    if (end == text || *end != '\0' || strspn(text, "0123456789.eE+-") != strlen(text) ||
        text[0] == '+' || !isfinite(value) || value < min || value > max) {
        return false;
    }
    *out = value;
    return true;
}

bool mb_parse_numbers(const char *text, const char *separators, size_t n, uint32_t min,
                      uint32_t max, uint32_t *out)
{
    for (size_t i = 0; i < n; i++) {
        const size_t n_bytes = strcspn(text, separators);
        const bool is_last = text[n_bytes] == '\0';
        int64_t number = 0;
        if (is_last != (i + 1 == n) ||
            !mb_parse_int(mb_text("%.*s", (int)n_bytes, text).s, min, max, &number)) {
            return false;
        }
        out[i] = (uint32_t)number;
        text += n_bytes + 1;
    }
    return true;
}

struct mb_text mb_text(const char *fmt, ...)
{
    struct mb_text text;
    va_list args;
    va_start(args, fmt);
    vsnprintf(text.s, sizeof text.s, fmt, args);
    va_end(args);
    return text;
}

struct mb_text mb_number_text(double value)
{
    const double max_exact_integer = 0x1.0p53;
    if (value == floor(value) && fabs(value) <= max_exact_integer) {
        return mb_text("%.0f", value);
    }
    struct mb_text text = mb_text("%.15g", value);
    for (int n_digits = 16; n_digits <= 17 && strtod(text.s, NULL) != value; n_digits++) {
        text = mb_text("%.*g", n_digits, value);
    }
    return text;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits (insert, delete, replace, swap of neighbours) from `a` to `b`, case ignored: Damerau's
 * distance in its restricted form (optimal string alignment). Both at most MAX_NAME_BYTES. */
static size_t edit_distance(const char *a, const char *b)
{
    const size_t n_a = strlen(a), n_b = strlen(b);
    size_t rows[3][MAX_NAME_BYTES + 1]; /* three rows of the table; row i is rows[i % 3] */
    for (size_t j = 0; j <= n_b; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= n_a; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= n_b; j++) {
            const size_t replaced = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);
            row[j] = min_size(replaced, min_size(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1])) {
                row[j] = min_size(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[n_a % 3][n_b];
}

const char *mb_nearest_name(const char *text, const char *const *candidates, size_t n)
{
    const size_t n_bytes = strlen(text);
    if (n_bytes > MAX_NAME_BYTES) {
        return NULL;
    }
    size_t nearest_distance = n_bytes / 3 > 1 ? n_bytes / 3 : 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < n; i++) {
        const size_t n_other = strlen(candidates[i]);
        if (n_other > MAX_NAME_BYTES) {
            continue;
        }
        const size_t distance = edit_distance(text, candidates[i]);
        if (distance >= n_bytes && distance >= n_other) {
            continue; /* no letter is the same */
        }
        if (distance < nearest_distance || (nearest == NULL && distance == nearest_distance)) {
            nearest = candidates[i];
            nearest_distance = distance;
        }
    }
    return nearest;
}

int mb_natural_compare(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    const char *x = a, *y = b;
    while (*x != '\0' && *y != '\0') {
        if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
            x += strspn(x, "0");
            y += strspn(y, "0");
            const size_t n_x = strspn(x, digits), n_y = strspn(y, digits);
            const int order = n_x != n_y ? (n_x < n_y ? -1 : 1) : memcmp(x, y, n_x);
            if (order != 0) {
                return order;
            }
            x += n_x;
            y += n_y;
        } else if (*x == *y) {
            x++;
            y++;
        } else {
            break;
        }
    }
    const int order = (unsigned char)*x - (unsigned char)*y;
    return order != 0 ? order : strcmp(a, b); /* equal numbers: "img02" and "img2" */
}

void mb_slug(const char *text, char *out, size_t out_bytes)
{
    size_t n = 0;
    for (; *text != '\0' && n + 1 < out_bytes; text++) {
        const bool is_kept = isalnum((unsigned char)*text) || *text == '.' || *text == '_';
        const char c = is_kept ? (char)tolower((unsigned char)*text) : '-';
        const bool is_dull = c == '-' && (n == 0 || out[n - 1] == '-'); /* first or repeated */
        if (!is_dull && !(c == '.' && n == 0)) {
            out[n++] = c;
        }
    }
    while (n > 0 && (out[n - 1] == '-' || out[n - 1] == '.')) {
        n--;
    }
    out[n] = '\0';
    if (n == 0) {
        snprintf(out, out_bytes, "unnamed");
    }
}
