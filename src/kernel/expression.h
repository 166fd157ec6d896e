/* Expressions of a manifest: numbers from names, by the operators of C.
 *
 *     a ? b : c    || && == != < <= > >= + - * / % << >> unary - and !
 *
 * with the precedence that they have there, parentheses, and the functions min, max, ceil_div
 * (two arguments each), width, height (of a level), even_levels (how many levels in a row can
 * be halved from a level on without an odd size above 1) and address (of a buffer). Integers
 * have 64 bits, "/" of two of them rounds towards zero, and one that overflows is an error; a
 * float makes floats of what it meets. */
#pragma once

#include "image/pyramid.h"

#define MB_MAX_EXPRESSION_BYTES 1024u
#define MB_MAX_NAMES            96u /* of a scope */

struct mb_value {
    bool is_float;
    int64_t integer; /* unless is_float */
    double real;     /* if is_float */
};

struct mb_named_value {
    const char *name; /* "address(counter)" is one */
    struct mb_value value;
    const char *text; /* an expression that has the value; NULL: `value` */
};

struct mb_scope {
    const struct mb_named_value *names;
    size_t n_names;
    const struct mb_layout *layout; /* of width(), height() and even_levels() */
    bool wants_float; /* "/" of integers with a remainder is an error: it was hardly meant */
};

struct mb_value mb_integer(int64_t value);
struct mb_value mb_real(double value);
double mb_value_real(struct mb_value value);

/* Evaluate all of `text`. An error is MB_ERRC_INPUT with the position in it (characters, from
 * 1), and the nearest name of an unknown one. The branch of ?: that is not taken may divide by
 * zero and overflow. */
MB_MUST_CHECK enum mb_status mb_evaluate(const char *text, const struct mb_scope *scope,
                                         struct mb_value *value, struct mb_err *err);

/* Whether it can be read, with these names; their values do not matter. */
MB_MUST_CHECK enum mb_status mb_expression_check(const char *text, const struct mb_scope *scope,
                                                 struct mb_err *err);
