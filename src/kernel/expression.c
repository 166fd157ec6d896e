/* A recursive-descent evaluator, which computes as it reads. The length of an expression bounds
 * its depth. */
#include "kernel/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "image/filter.h"

/* An error moves `at` to the end of the text, so that all later reads find nothing. */
struct reader {
    const char *text, *at;
    const struct mb_scope *scope;
    enum mb_status status;
    struct mb_err *err;
};

/* In the order of the search: if one operator begins with another, the longer comes first. */
static const struct {
    const char *text;
    char sign;
    unsigned precedence; /* a higher one binds tighter */
} operators[] = {
    {"||", '|', 1}, {"&&", '&', 2}, {"==", '=', 3}, {"!=", '!', 3}, {"<<", 'L', 5},
    {">>", 'R', 5}, {"<=", 'l', 4}, {">=", 'g', 4}, {"<", '<', 4},  {">", '>', 4},
    {"+", '+', 6},  {"-", '-', 6},  {"*", '*', 7},  {"/", '/', 7},  {"%", '%', 7},
};

/* Functions from FIRST_OF_TWO on take two arguments. */
enum { WIDTH, HEIGHT, EVEN_LEVELS, MIN, MAX, CEIL_DIV, N_FUNCTIONS, FIRST_OF_TWO = MIN };
static const char *const functions[] = {"width", "height", "even_levels",
                                        "min",   "max",    "ceil_div"};

static double read_choice(struct reader *r);

/* Fail, unless there was an error before. The message shows at most 40 characters from `at`. */
static double fail(struct reader *r, const char *at, const char *what)
{
    if (r->status == MB_OK) {
        r->status = *at == '\0' ? MB_FAIL(r->err, MB_ERRC_INPUT, "%s at the end of '%.100s'",
                                          what, r->text)
                                : MB_FAIL(r->err, MB_ERRC_INPUT, "%s at '%.40s'", what, at);
    }
    r->at = r->text + strlen(r->text);
    return (double)NAN;
}

static double fail_name(struct reader *r, struct mb_text word, const char *const *names,
                        size_t n)
{
    const bool is_first = r->status == MB_OK;
    fail(r, r->at, mb_text("unknown name '%s'", word.s).s);
    if (is_first) {
        (void)mb_err_hint_nearest(r->err, word.s, names, n, NULL);
    }
    return (double)NAN;
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\n");
}

static bool take(struct reader *r, char wanted)
{
    skip_blanks(r);
    const bool is_there = *r->at == wanted;
    r->at += is_there;
    return is_there;
}

static void expect(struct reader *r, char wanted)
{
    if (!take(r, wanted)) {
        fail(r, r->at, mb_text("expected '%c'", wanted).s);
    }
}

static double look_up(struct reader *r, struct mb_text word)
{
    const struct mb_scope *scope = r->scope;
    const char *names[MB_MAX_NAMES];
    for (size_t i = 0; i < scope->n_names; i++) {
        names[i] = scope->names[i].name;
        if (strcmp(names[i], word.s) == 0) {
            return scope->names[i].value;
        }
    }
    return fail_name(r, word, names, scope->n_names);
}

static double apply_to_level(const struct mb_layout *layout, size_t function, double level)
{
    if (!(level >= 0 && level < layout->n_levels) || level != floor(level)) {
        return (double)NAN;
    }
    const struct mb_extent extent = mb_level_extent(layout->base, (uint32_t)level);
    return function == WIDTH ? extent.width
           : function == HEIGHT
               ? extent.height
               : mb_even_levels(layout->base, (uint32_t)level, layout->n_levels);
}

/* Read the rest of "name(...)", from behind its "(". */
static double read_call(struct reader *r, struct mb_text name)
{
    size_t i = 0;
    while (i < N_FUNCTIONS && strcmp(functions[i], name.s) != 0) {
        i++;
    }
    if (i == N_FUNCTIONS) {
        return fail_name(r, name, functions, N_FUNCTIONS);
    }
    const double a = read_choice(r);
    double b = a;
    if (i >= FIRST_OF_TWO) {
        expect(r, ',');
        b = read_choice(r);
    }
    expect(r, ')');
    if (isnan(a) || isnan(b)) {
        return (double)NAN;
    }
    return i < FIRST_OF_TWO ? apply_to_level(r->scope->layout, i, a)
           : i == CEIL_DIV  ? (b == 0 ? (double)NAN : ceil(a / b))
           : i == MIN       ? fmin(a, b)
                            : fmax(a, b);
}

static double apply(char sign, double a, double b)
{
    const bool has_nan = isnan(a) || isnan(b);
    if (sign == '&' && (a == 0 || b == 0)) {
        return 0;
    }
    if (sign == '|' && ((a != 0 && !isnan(a)) || (b != 0 && !isnan(b)))) {
        return 1;
    }
    if (has_nan || (strchr("/%", sign) && b == 0)) {
        return (double)NAN;
    }
    return sign == '&'   ? 1
           : sign == '|' ? 0
           : sign == '=' ? a == b
           : sign == '!' ? a != b
           : sign == '<' ? a < b
           : sign == '>' ? a > b
           : sign == 'l' ? a <= b
           : sign == 'g' ? a >= b
           : sign == 'L' ? a * exp2(b)
           : sign == 'R' ? floor(a / exp2(b))
           : sign == '+' ? a + b
           : sign == '-' ? a - b
           : sign == '*' ? a * b
           : sign == '/' ? a / b
                         : fmod(a, b);
}

static double read_unary(struct reader *r)
{
    if (take(r, '-')) {
        return -read_unary(r);
    }
    if (take(r, '!')) {
        return apply('=', read_unary(r), 0);
    }
    if (take(r, '(')) {
        const double value = read_choice(r);
        expect(r, ')');
        return value;
    }
    const char *begin = r->at;
    if (*begin >= '0' && *begin <= '9') {
        char *end;
        const double value = strtod(begin, &end);
        r->at = end;
        return value;
    }
    const size_t n_bytes =
        strspn(begin, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (n_bytes == 0) {
        return fail(r, begin, "expected a number or a name");
    }
    const struct mb_text name = mb_text("%.*s", (int)n_bytes, begin);
    r->at += n_bytes;
    return take(r, '(') ? read_call(r, name) : look_up(r, name);
}

/* Read operators of at least this precedence, left to right ("precedence climbing"). */
static double read_binary(struct reader *r, unsigned precedence)
{
    double value = read_unary(r);
    for (;;) {
        size_t i = 0;
        skip_blanks(r);
        while (i < MB_COUNTOF(operators) &&
               strncmp(r->at, operators[i].text, strlen(operators[i].text)) != 0) {
            i++;
        }
        if (i == MB_COUNTOF(operators) || operators[i].precedence < precedence) {
            return value;
        }
        r->at += strlen(operators[i].text);
        value = apply(operators[i].sign, value, read_binary(r, operators[i].precedence + 1));
    }
}

static double read_choice(struct reader *r)
{
    const double value = read_binary(r, 0);
    if (!take(r, '?')) {
        return value;
    }
    const double first = read_choice(r);
    expect(r, ':');
    const double second = read_choice(r);
    return isnan(value) ? value : value != 0 ? first : second;
}

enum mb_status mb_evaluate(const char *text, const struct mb_scope *scope, double *value,
                           struct mb_err *err)
{
    struct reader reader = {.text = text, .at = text, .scope = scope, .err = err};
    MB_FAIL_IF(strlen(text) > MB_MAX_EXPRESSION_BYTES, err, MB_ERRC_INPUT,
               "an expression has at most %u characters", MB_MAX_EXPRESSION_BYTES);
    *value = read_choice(&reader);
    skip_blanks(&reader);
    if (*reader.at != '\0') {
        fail(&reader, reader.at, "expected an operator");
    }
    return reader.status;
}
