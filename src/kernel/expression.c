/* A recursive-descent evaluator, which computes as it reads. */
#include "kernel/expression.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 40u
#define MAX_NAMES 64u

struct reader {
    const char *text, *at;
    const struct mb_scope *scope;
    unsigned depth;
    unsigned n_skipped; /* within branches that are not taken */
    struct mb_err *err;
};

enum sign {
    OR,
    AND,
    EQUAL,
    UNEQUAL,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    LEFT,
    RIGHT,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    MODULO,
    N_OPERATORS
};

/* In the order in which they are looked for: the longer of two that begin alike first. */
static const struct {
    const char *text;
    enum sign sign;
    unsigned precedence; /* a higher one binds tighter */
} operators[] = {
    {"||", OR, 1},      {"&&", AND, 2},    {"==", EQUAL, 3},      {"!=", UNEQUAL, 3},
    {"<<", LEFT, 5},    {">>", RIGHT, 5},  {"<=", LESS_EQUAL, 4}, {">=", GREATER_EQUAL, 4},
    {"<", LESS, 4},     {">", GREATER, 4}, {"+", ADD, 6},         {"-", SUBTRACT, 6},
    {"*", MULTIPLY, 7}, {"/", DIVIDE, 7},  {"%", MODULO, 7},
};

static enum mb_status read_choice(struct reader *reader, struct mb_value *value);

struct mb_value mb_integer(int64_t value)
{
    return (struct mb_value){.integer = value};
}

struct mb_value mb_real(double value)
{
    return (struct mb_value){.is_float = true, .real = value};
}

static double to_real(struct mb_value value)
{
    return value.is_float ? value.real : (double)value.integer;
}

static bool is_true(struct mb_value value)
{
    return value.is_float ? value.real != 0.0 : value.integer != 0;
}

/* At most 60 characters of the expression are shown, those around the place. */
static const char *excerpt(const struct reader *reader, const char *at, int *n_shown)
{
    const size_t n_before = (size_t)(at - reader->text);
    const char *begin = n_before > 30 ? at - 30 : reader->text;
    const size_t n = strlen(begin);
    *n_shown = n > 60 ? 60 : (int)n;
    return begin;
}

static enum mb_status fail_at(const struct reader *reader, const char *at, const char *what)
{
    int n_shown;
    const char *shown = excerpt(reader, at, &n_shown);
    return MB_FAIL(reader->err, MB_ERRC_INPUT, "'%.*s': character %d: %s", n_shown, shown,
                   (int)(at - reader->text) + 1, what);
}

/* The next character that is no blank. */
static char peek(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t\n");
    return *reader->at;
}

static bool take(struct reader *reader, char wanted)
{
    const bool is_there = peek(reader) == wanted;
    reader->at += is_there;
    return is_there;
}

static enum mb_status expect(struct reader *reader, char wanted)
{
    char what[32];
    snprintf(what, sizeof what, "'%c' is missing", wanted);
    return take(reader, wanted) ? MB_OK : fail_at(reader, reader->at, what);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static enum mb_status read_number(struct reader *reader, struct mb_value *value)
{
    const char *begin = reader->at;
    char *end, *integer_end;
    /* No hexadecimal floats, no infinities: what strtod takes beyond "1.5e3" is refused by what
     * follows. */
    const bool is_hex = begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X');
    const unsigned long long integer = strtoull(begin, &integer_end, is_hex ? 16 : 10);
    const double real = is_hex ? 0.0 : strtod(begin, &end);
    const bool is_float = !is_hex && end != integer_end;
    reader->at = is_float ? end : integer_end;
    if (is_letter(*reader->at) || is_digit(*reader->at) || *reader->at == '.') {
        return fail_at(reader, begin, "no number");
    }
    if (is_float ? !isfinite(real) : integer > INT64_MAX) {
        return fail_at(reader, begin, "the number is too large");
    }
    *value = is_float ? mb_real(real) : mb_integer((int64_t)integer);
    return MB_OK;
}

/* What an identifier stands for; `n_bytes` of it, or of "address(counter)". */
static enum mb_status look_up(struct reader *reader, const char *name, size_t n_bytes,
                              struct mb_value *value)
{
    const struct mb_scope *scope = reader->scope;
    const char *names[MAX_NAMES];
    char word[64];
    size_t n_names = 0;
    for (size_t i = 0; i < scope->n_names; i++) {
        if (strlen(scope->names[i].name) == n_bytes &&
            strncmp(scope->names[i].name, name, n_bytes) == 0) {
            *value = scope->names[i].value;
            return MB_OK;
        }
        if (n_names < MAX_NAMES) {
            names[n_names++] = scope->names[i].name;
        }
    }
    snprintf(word, sizeof word, "%.*s", (int)n_bytes, name);
    int n_shown;
    const char *shown = excerpt(reader, name, &n_shown);
    MB_FAIL(reader->err, MB_ERRC_INPUT, "'%.*s': character %d: nothing here is called '%s'",
            n_shown, shown, (int)(name - reader->text) + 1, word);
    return mb_err_hint_nearest(reader->err, word, names, n_names, NULL);
}

static bool is_odd(uint32_t size)
{
    return size > 1 && size % 2 == 1;
}

static uint32_t count_even_levels(const struct mb_layout *layout, uint32_t level)
{
    uint32_t n = 0;
    while (level + n + 1 < layout->n_levels) {
        const struct mb_extent extent = mb_level_extent(layout->base, level + n);
        if (is_odd(extent.width) || is_odd(extent.height)) {
            break;
        }
        n++;
    }
    return n;
}

/* width, height or even_levels of a level. */
static enum mb_status apply_to_level(struct reader *reader, const char *name,
                                     struct mb_value argument, struct mb_value *value)
{
    const struct mb_layout *layout = reader->scope->layout;
    const bool is_level =
        !argument.is_float && argument.integer >= 0 && argument.integer < layout->n_levels;
    const uint32_t level = is_level ? (uint32_t)argument.integer : 0;
    const struct mb_extent extent = mb_level_extent(layout->base, level);
    if (!is_level && reader->n_skipped == 0) {
        return fail_at(reader, name, "there is no such level");
    }
    *value = mb_integer(name[0] == 'w'   ? extent.width
                        : name[0] == 'h' ? extent.height
                                         : count_even_levels(layout, level));
    return MB_OK;
}

static enum mb_status ceil_div(const struct reader *reader, const char *at, struct mb_value a,
                               struct mb_value b, struct mb_value *value)
{
    const bool is_sane = !a.is_float && !b.is_float && a.integer >= 0 && b.integer > 0;
    if (!is_sane && reader->n_skipped == 0) {
        return fail_at(reader, at, "ceil_div is of an integer, at least 0, and one above 0");
    }
    *value = mb_integer(is_sane ? a.integer / b.integer + (a.integer % b.integer != 0) : 0);
    return MB_OK;
}

static struct mb_value lesser(struct mb_value a, struct mb_value b, bool wants_greater)
{
    const bool is_less =
        a.is_float || b.is_float ? to_real(a) < to_real(b) : a.integer < b.integer;
    return is_less != wants_greater ? a : b;
}

static bool is_word(const char *word, const char *name, size_t n_bytes)
{
    return strlen(word) == n_bytes && strncmp(word, name, n_bytes) == 0;
}

/* "name(...)", of which the name has been read, and the parenthesis follows. */
static enum mb_status read_call(struct reader *reader, const char *name, size_t n_bytes,
                                struct mb_value *value)
{
    static const char *const functions[] = {"width", "height",   "even_levels", "min",
                                            "max",   "ceil_div", "address"};
    struct mb_value a, b;
    char word[64];
    reader->at++;
    if (is_word("address", name, n_bytes)) {
        const size_t n_inner = strcspn(reader->at, ")");
        reader->at += n_inner;
        MB_DO(expect(reader, ')'));
        return look_up(reader, name, (size_t)(reader->at - name), value);
    }
    MB_DO(read_choice(reader, &a));
    for (size_t i = 0; i < 3; i++) {
        if (is_word(functions[i], name, n_bytes)) {
            MB_DO(expect(reader, ')'));
            return apply_to_level(reader, name, a, value);
        }
    }
    for (size_t i = 3; i < 6; i++) {
        if (is_word(functions[i], name, n_bytes)) {
            MB_DO(expect(reader, ','));
            MB_DO(read_choice(reader, &b));
            MB_DO(expect(reader, ')'));
            *value = lesser(a, b, name[1] == 'a');
            return name[0] == 'c' ? ceil_div(reader, name, a, b, value) : MB_OK;
        }
    }
    snprintf(word, sizeof word, "%.*s", (int)n_bytes, name);
    (void)fail_at(reader, name, "there is no such function");
    return mb_err_hint_nearest(reader->err, word, functions, MB_COUNTOF(functions), NULL);
}

static bool compare(enum sign sign, double order)
{
    switch (sign) {
    case EQUAL:
        return order == 0.0;
    case UNEQUAL:
        return order != 0.0;
    case LESS:
        return order < 0.0;
    case LESS_EQUAL:
        return order <= 0.0;
    case GREATER:
        return order > 0.0;
    default:
        return order >= 0.0;
    }
}

/* NULL, or what is wrong. */
static const char *apply_to_integers(enum sign sign, int64_t a, int64_t b, int64_t *out)
{
    static const char too_large[] = "the result is too large";
    *out = 0;
    switch (sign) {
    case ADD:
        return __builtin_add_overflow(a, b, out) ? too_large : NULL;
    case SUBTRACT:
        return __builtin_sub_overflow(a, b, out) ? too_large : NULL;
    case MULTIPLY:
        return __builtin_mul_overflow(a, b, out) ? too_large : NULL;
    case DIVIDE:
    case MODULO:
        if (b == 0 || (b == -1 && a == INT64_MIN)) {
            return b == 0 ? "division by zero" : too_large;
        }
        *out = sign == DIVIDE ? a / b : a % b;
        return NULL;
    default:
        if (b < 0 || b > 62 || a < 0 || (sign == LEFT && a > INT64_MAX >> b)) {
            return "shifts are of integers that are not negative, by 0 to 62, within 63 bits";
        }
        *out = sign == LEFT ? (int64_t)((uint64_t)a << b) : a >> b;
        return NULL;
    }
}

static const char *apply_to_reals(enum sign sign, double a, double b, double *out)
{
    switch (sign) {
    case ADD:
        *out = a + b;
        return NULL;
    case SUBTRACT:
        *out = a - b;
        return NULL;
    case MULTIPLY:
        *out = a * b;
        return NULL;
    case DIVIDE:
        *out = b == 0.0 ? 0.0 : a / b;
        return b == 0.0 ? "division by zero" : NULL;
    default:
        *out = 0.0;
        return "% and shifts are of integers";
    }
}

static enum mb_status apply(const struct reader *reader, const char *at, enum sign sign,
                            struct mb_value a, struct mb_value b, struct mb_value *value)
{
    const bool is_float = a.is_float || b.is_float;
    const char *wrong;
    if (sign == OR || sign == AND) {
        *value = mb_integer(sign == OR ? is_true(a) || is_true(b) : is_true(a) && is_true(b));
        return MB_OK;
    }
    if (sign >= EQUAL && sign <= GREATER_EQUAL) {
        const double order = is_float ? (to_real(a) > to_real(b)) - (to_real(a) < to_real(b))
                                      : (a.integer > b.integer) - (a.integer < b.integer);
        *value = mb_integer(compare(sign, order));
        return MB_OK;
    }
    *value = is_float ? mb_real(0.0) : mb_integer(0);
    wrong = is_float ? apply_to_reals(sign, to_real(a), to_real(b), &value->real)
                     : apply_to_integers(sign, a.integer, b.integer, &value->integer);
    if (sign == DIVIDE && !is_float && !wrong && reader->scope->wants_float &&
        value->integer * b.integer != a.integer) {
        wrong = "integers lose the remainder here, and a float is wanted: write 1.0 for 1";
    }
    return wrong && reader->n_skipped == 0 ? fail_at(reader, at, wrong) : MB_OK;
}

static enum mb_status negate_truth(struct mb_value *value)
{
    *value = mb_integer(!is_true(*value));
    return MB_OK;
}

static enum mb_status read_unary(struct reader *reader, struct mb_value *value)
{
    const char next = peek(reader);
    const char *begin = reader->at;
    if (next == '-' || next == '!') {
        reader->at++;
        if (++reader->depth > MAX_DEPTH) {
            return fail_at(reader, begin, "nested too deep");
        }
        MB_DO(read_unary(reader, value));
        reader->depth--;
        return next == '!' ? negate_truth(value)
                           : apply(reader, begin, SUBTRACT, mb_integer(0), *value, value);
    }
    if (next == '(') {
        reader->at++;
        MB_DO(read_choice(reader, value));
        return expect(reader, ')');
    }
    if (is_digit(next)) {
        return read_number(reader, value);
    }
    if (is_letter(next)) {
        while (is_letter(*reader->at) || is_digit(*reader->at)) {
            reader->at++;
        }
        const size_t n_bytes = (size_t)(reader->at - begin);
        return peek(reader) == '(' ? read_call(reader, begin, n_bytes, value)
                                   : look_up(reader, begin, n_bytes, value);
    }
    return fail_at(reader, begin, next == '\0' ? "it ends too early" : "no value begins here");
}

/* The index of the operator that follows, or the count of them. */
static size_t find_operator(struct reader *reader)
{
    size_t i = 0;
    peek(reader);
    while (i < MB_COUNTOF(operators) &&
           strncmp(reader->at, operators[i].text, strlen(operators[i].text)) != 0) {
        i++;
    }
    return i;
}

/* Operators of at least this precedence, from left to right ("precedence climbing"). */
static enum mb_status read_binary(struct reader *reader, unsigned precedence,
                                  struct mb_value *value)
{
    MB_DO(read_unary(reader, value));
    for (;;) {
        const size_t i = find_operator(reader);
        const char *at = reader->at;
        struct mb_value right;
        if (i == MB_COUNTOF(operators) || operators[i].precedence < precedence) {
            return MB_OK;
        }
        const bool is_decided = (operators[i].sign == OR && is_true(*value)) ||
                                (operators[i].sign == AND && !is_true(*value));
        reader->at += strlen(operators[i].text);
        reader->n_skipped += is_decided;
        MB_DO(read_binary(reader, operators[i].precedence + 1, &right));
        reader->n_skipped -= is_decided;
        MB_DO(apply(reader, at, operators[i].sign, *value, right, value));
    }
}

static enum mb_status read_choice(struct reader *reader, struct mb_value *value)
{
    struct mb_value condition, other;
    if (++reader->depth > MAX_DEPTH) {
        return fail_at(reader, reader->at, "nested too deep");
    }
    MB_DO(read_binary(reader, 0, &condition));
    *value = condition;
    if (take(reader, '?')) {
        const bool is_first = is_true(condition);
        reader->n_skipped += !is_first;
        MB_DO(read_choice(reader, value));
        reader->n_skipped -= !is_first;
        MB_DO(expect(reader, ':'));
        reader->n_skipped += is_first;
        MB_DO(read_choice(reader, &other));
        reader->n_skipped -= is_first;
        *value = is_first ? *value : other;
    }
    reader->depth--;
    return MB_OK;
}

static enum mb_status read_all(const char *text, const struct mb_scope *scope,
                               unsigned n_skipped, struct mb_value *value, struct mb_err *err)
{
    struct reader reader = {
        .text = text, .at = text, .scope = scope, .n_skipped = n_skipped, .err = err};
    MB_FAIL_IF(strlen(text) > MB_MAX_EXPRESSION_BYTES, err, MB_ERRC_INPUT,
               "an expression has at most %u characters", MB_MAX_EXPRESSION_BYTES);
    MB_DO(read_choice(&reader, value));
    return peek(&reader) == '\0'
               ? MB_OK
               : fail_at(&reader, reader.at, "an operator is missing, or this is one too many");
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
