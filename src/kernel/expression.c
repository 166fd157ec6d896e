/* A recursive-descent evaluator, which computes as it reads. */
#include "kernel/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define MAX_DEPTH 40u
#define MAX_NAMED 1000u /* expressions by their names, in all */

/* The first error ends the text: what reads on finds nothing more, and computes with 0. */
struct reader {
    const char *text, *at;
    const struct mb_scope *scope;
    unsigned depth;
    unsigned n_skipped; /* within branches that are not taken */
    unsigned n_named;
    enum mb_status status;
    struct mb_err *err;
};

/* In the order in which they are looked for: the longer of two that begin alike first. */
static const struct {
    const char *text;
    char sign;
    unsigned precedence; /* a higher one binds tighter */
} operators[] = {
    {"||", '|', 1}, {"&&", '&', 2}, {"==", '=', 3}, {"!=", '!', 3}, {"<<", 'L', 5},
    {">>", 'R', 5}, {"<=", 'l', 4}, {">=", 'g', 4}, {"<", '<', 4},  {">", '>', 4},
    {"+", '+', 6},  {"-", '-', 6},  {"*", '*', 7},  {"/", '/', 7},  {"%", '%', 7},
};

static const char too_large[] = "the result is too large";

static struct mb_value read_choice(struct reader *r);

struct mb_value mb_integer(int64_t value)
{
    return (struct mb_value){.integer = value};
}

struct mb_value mb_real(double value)
{
    return (struct mb_value){.is_float = true, .real = value};
}

double mb_value_real(struct mb_value value)
{
    return value.is_float ? value.real : (double)value.integer;
}

static bool is_true(struct mb_value value)
{
    return mb_value_real(value) != 0.0;
}

/* At most 60 characters of the expression are shown, those around the place. */
static struct mb_value fail_at(struct reader *r, const char *at, const char *what)
{
    const char *begin = at - r->text > 30 ? at - 30 : r->text;
    if (r->status == MB_OK) {
        r->status = MB_FAIL(r->err, MB_ERRC_INPUT, "'%.60s': character %d: %s", begin,
                            (int)(at - r->text) + 1, what);
    }
    r->at = r->text + strlen(r->text);
    return mb_integer(0);
}

static struct mb_value fail_name(struct reader *r, const char *at, const char *what,
                                 const char *word, const char *const *names, size_t n)
{
    const bool is_first = r->status == MB_OK;
    const struct mb_value none = fail_at(r, at, what);
    if (is_first) {
        (void)mb_err_hint_nearest(r->err, word, names, n, NULL);
    }
    return none;
}

/* The next character, blanks aside. */
static char peek(struct reader *r)
{
    r->at += strspn(r->at, " \t\n");
    return *r->at;
}

static bool take(struct reader *r, char wanted)
{
    const bool is_there = peek(r) == wanted;
    r->at += is_there;
    return is_there;
}

static void expect(struct reader *r, char wanted)
{
    if (!take(r, wanted)) {
        fail_at(r, r->at, mb_text("'%c' is missing", wanted).s);
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static struct mb_value read_number(struct reader *r)
{
    const char *begin = r->at;
    char *end, *integer_end;
    /* No hexadecimal floats, no infinities: the rest of what strtod takes is refused below. */
    const bool is_hex = begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X');
    const unsigned long long integer = strtoull(begin, &integer_end, is_hex ? 16 : 10);
    const double real = is_hex ? 0.0 : strtod(begin, &end);
    const bool is_float = !is_hex && end != integer_end;
    r->at = is_float ? end : integer_end;
    if (is_letter(*r->at) || is_digit(*r->at) || *r->at == '.') {
        return fail_at(r, begin, "no number");
    }
    if (is_float ? !isfinite(real) : integer > INT64_MAX) {
        return fail_at(r, begin, "the number is too large");
    }
    return is_float ? mb_real(real) : mb_integer((int64_t)integer);
}

/* The value of an expression that has a name: one that is in its own text goes too deep. */
static struct mb_value read_named(struct reader *r, const char *text)
{
    struct reader inner = *r;
    inner.text = inner.at = text;
    if (++inner.n_named > MAX_NAMED) {
        return fail_at(r, r->at, "too many names within names");
    }
    const struct mb_value value = read_choice(&inner);
    if (peek(&inner) != '\0') {
        fail_at(&inner, inner.at, "an operator is missing, or this is one too many");
    }
    r->status = inner.status;
    r->n_named = inner.n_named;
    r->at = r->status == MB_OK ? r->at : r->text + strlen(r->text);
    return value;
}

/* A name of `n_bytes`, or "address(counter)". */
static struct mb_value look_up(struct reader *r, const char *name, size_t n_bytes)
{
    const struct mb_scope *scope = r->scope;
    const char *names[MB_MAX_NAMES];
    const struct mb_text word = mb_text("%.*s", (int)n_bytes, name);
    size_t n = 0;
    for (; n < scope->n_names && n < MB_MAX_NAMES; n++) {
        names[n] = scope->names[n].name;
        if (strlen(names[n]) == n_bytes && strncmp(names[n], name, n_bytes) == 0) {
            return scope->names[n].text ? read_named(r, scope->names[n].text)
                                        : scope->names[n].value;
        }
    }
    return fail_name(r, name, mb_text("nothing here is called '%s'", word.s).s, word.s, names,
                     n);
}

static uint32_t count_even_levels(const struct mb_layout *layout, uint32_t level)
{
    uint32_t n = 0;
    for (; level + n + 1 < layout->n_levels; n++) {
        const struct mb_extent extent = mb_level_extent(layout->base, level + n);
        if ((extent.width > 1 && extent.width % 2 == 1) ||
            (extent.height > 1 && extent.height % 2 == 1)) {
            break;
        }
    }
    return n;
}

/* width, height or even_levels of a level. */
static struct mb_value apply_to_level(struct reader *r, const char *name, struct mb_value a)
{
    const struct mb_layout *layout = r->scope->layout;
    const bool is_level = !a.is_float && a.integer >= 0 && a.integer < layout->n_levels;
    const uint32_t level = is_level ? (uint32_t)a.integer : 0;
    const struct mb_extent extent = mb_level_extent(layout->base, level);
    if (!is_level && r->n_skipped == 0) {
        return fail_at(r, name, "there is no such level");
    }
    return mb_integer(name[0] == 'w'   ? extent.width
                      : name[0] == 'h' ? extent.height
                                       : count_even_levels(layout, level));
}

/* min, max or ceil_div of two numbers. */
static struct mb_value apply_to_both(struct reader *r, const char *name, struct mb_value a,
                                     struct mb_value b)
{
    if (name[0] == 'm') {
        const bool is_less = a.is_float || b.is_float ? mb_value_real(a) < mb_value_real(b)
                                                      : a.integer < b.integer;
        return is_less == (name[1] == 'i') ? a : b;
    }
    if (!a.is_float && !b.is_float && a.integer >= 0 && b.integer > 0) {
        return mb_integer(a.integer / b.integer + (a.integer % b.integer != 0));
    }
    return r->n_skipped > 0
               ? mb_integer(0)
               : fail_at(r, name, "ceil_div is of an integer, at least 0, and one above 0");
}

/* "name(...)", of which the name has been read, and the parenthesis follows. */
static struct mb_value read_call(struct reader *r, const char *name, size_t n_bytes)
{
    static const char *const functions[] = {"width", "height",   "even_levels", "min",
                                            "max",   "ceil_div", "address"};
    size_t i = 0;
    while (i < MB_COUNTOF(functions) &&
           (strlen(functions[i]) != n_bytes || strncmp(functions[i], name, n_bytes) != 0)) {
        i++;
    }
    r->at++;
    if (i == MB_COUNTOF(functions)) {
        return fail_name(r, name, "there is no such function",
                         mb_text("%.*s", (int)n_bytes, name).s, functions,
                         MB_COUNTOF(functions));
    }
    if (i == 6) {
        r->at += strcspn(r->at, ")");
        expect(r, ')');
        return r->status == MB_OK ? look_up(r, name, (size_t)(r->at - name)) : mb_integer(0);
    }
    const struct mb_value a = read_choice(r);
    struct mb_value b = a;
    if (i >= 3) {
        expect(r, ',');
        b = read_choice(r);
    }
    expect(r, ')');
    return r->status != MB_OK ? mb_integer(0)
           : i < 3            ? apply_to_level(r, name, a)
                              : apply_to_both(r, name, a, b);
}

/* NULL, or what is wrong. */
static const char *apply_to_integers(char sign, int64_t a, int64_t b, int64_t *out)
{
    switch (sign) {
    case '+':
        return __builtin_add_overflow(a, b, out) ? too_large : NULL;
    case '-':
        return __builtin_sub_overflow(a, b, out) ? too_large : NULL;
    case '*':
        return __builtin_mul_overflow(a, b, out) ? too_large : NULL;
    case '/':
    case '%':
        if (b == 0 || (b == -1 && a == INT64_MIN)) {
            return b == 0 ? "division by zero" : too_large;
        }
        *out = sign == '/' ? a / b : a % b;
        return NULL;
    default:
        if (b < 0 || b > 62 || a < 0 || (sign == 'L' && a > INT64_MAX >> b)) {
            return "shifts are of integers that are not negative, by 0 to 62, within 63 bits";
        }
        *out = sign == 'L' ? (int64_t)((uint64_t)a << b) : a >> b;
        return NULL;
    }
}

static const char *apply_to_reals(char sign, double a, double b, double *out)
{
    *out = sign == '+'   ? a + b
           : sign == '-' ? a - b
           : sign == '*' ? a * b
           : b != 0.0    ? a / b
                         : 0.0;
    return strchr("%LR", sign)       ? "% and shifts are of integers"
           : sign == '/' && b == 0.0 ? "division by zero"
                                     : NULL;
}

/* Whether a sign holds of two that compare as `order` does with 0. */
static bool holds(char sign, int order)
{
    return sign == '='   ? order == 0
           : sign == '!' ? order != 0
           : sign == '<' ? order < 0
           : sign == '>' ? order > 0
           : sign == 'l' ? order <= 0
                         : order >= 0;
}

static struct mb_value apply(struct reader *r, const char *at, char sign, struct mb_value a,
                             struct mb_value b)
{
    struct mb_value value = {.is_float = a.is_float || b.is_float};
    const double x = mb_value_real(a), y = mb_value_real(b);
    const char *wrong;
    if (strchr("|&", sign)) {
        return mb_integer(sign == '|' ? is_true(a) || is_true(b) : is_true(a) && is_true(b));
    }
    if (strchr("=!<>lg", sign)) {
        return mb_integer(holds(sign, value.is_float
                                          ? (x > y) - (x < y)
                                          : (a.integer > b.integer) - (a.integer < b.integer)));
    }
    wrong = value.is_float ? apply_to_reals(sign, x, y, &value.real)
                           : apply_to_integers(sign, a.integer, b.integer, &value.integer);
    if (sign == '/' && !value.is_float && !wrong && r->scope->wants_float &&
        value.integer * b.integer != a.integer) {
        wrong = "integers lose the remainder here, and a float is wanted: write 1.0 for 1";
    }
    return wrong && r->n_skipped == 0 ? fail_at(r, at, wrong) : value;
}

static struct mb_value read_unary(struct reader *r)
{
    const char next = peek(r);
    const char *begin = r->at;
    struct mb_value value;
    if (next == '-' || next == '!') {
        r->at++;
        if (++r->depth > MAX_DEPTH) {
            return fail_at(r, begin, "nested too deep");
        }
        value = read_unary(r);
        r->depth--;
        return next == '!' ? mb_integer(!is_true(value))
                           : apply(r, begin, '-', mb_integer(0), value);
    }
    if (take(r, '(')) {
        value = read_choice(r);
        expect(r, ')');
        return value;
    }
    if (is_digit(next)) {
        return read_number(r);
    }
    while (is_letter(*r->at) || (r->at > begin && is_digit(*r->at))) {
        r->at++;
    }
    const size_t n_bytes = (size_t)(r->at - begin);
    if (n_bytes == 0) {
        return fail_at(r, begin, next == '\0' ? "it ends too early" : "no value begins here");
    }
    return peek(r) == '(' ? read_call(r, begin, n_bytes) : look_up(r, begin, n_bytes);
}

/* Operators of at least this precedence, from left to right ("precedence climbing"). */
static struct mb_value read_binary(struct reader *r, unsigned precedence)
{
    struct mb_value value = read_unary(r);
    for (;;) {
        size_t i = 0;
        peek(r);
        const char *at = r->at;
        while (i < MB_COUNTOF(operators) &&
               strncmp(at, operators[i].text, strlen(operators[i].text)) != 0) {
            i++;
        }
        if (i == MB_COUNTOF(operators) || operators[i].precedence < precedence) {
            return value;
        }
        const char sign = operators[i].sign;
        const bool is_decided =
            (sign == '|' && is_true(value)) || (sign == '&' && !is_true(value));
        r->at += strlen(operators[i].text);
        r->n_skipped += is_decided;
        const struct mb_value right = read_binary(r, operators[i].precedence + 1);
        r->n_skipped -= is_decided;
        value = apply(r, at, sign, value, right);
    }
}

static struct mb_value read_choice(struct reader *r)
{
    if (++r->depth > MAX_DEPTH) {
        return fail_at(r, r->at, "nested too deep");
    }
    struct mb_value value = read_binary(r, 0);
    if (take(r, '?')) {
        const bool is_first = is_true(value);
        r->n_skipped += !is_first;
        value = read_choice(r);
        r->n_skipped -= !is_first;
        expect(r, ':');
        r->n_skipped += is_first;
        const struct mb_value other = read_choice(r);
        r->n_skipped -= is_first;
        value = is_first ? value : other;
    }
    r->depth--;
    return value;
}

static enum mb_status read_all(const char *text, const struct mb_scope *scope,
                               unsigned n_skipped, struct mb_value *value, struct mb_err *err)
{
    struct reader reader = {.text = "", .at = "", .scope = scope, .n_skipped = n_skipped};
    reader.err = err;
    MB_FAIL_IF(strlen(text) > MB_MAX_EXPRESSION_BYTES, err, MB_ERRC_INPUT,
               "an expression has at most %u characters", MB_MAX_EXPRESSION_BYTES);
    *value = read_named(&reader, text);
    return reader.status;
}

enum mb_status mb_evaluate(const char *text, const struct mb_scope *scope,
                           struct mb_value *value, struct mb_err *err)
{
    return read_all(text, scope, 0, value, err);
}

enum mb_status mb_expression_check(const char *text, const struct mb_scope *scope,
                                   struct mb_err *err)
{
    struct mb_value ignored;
    return read_all(text, scope, 1, &ignored, err);
}
