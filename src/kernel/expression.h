/* Expressions of a manifest: numbers from names, by the operators of C.
 *
 *     a ? b : c    || && == != < <= > >= + - * / % << >> unary - and !
 *
 * with the precedence that they have there, parentheses, and the functions min, max, ceil_div
 * (two arguments each), width, height (of a level) and even_levels (how many levels in a row
 * can be halved from a level on without an odd size above 1). All numbers are doubles: "/"
 * keeps its remainder, ">>" rounds down, and integers are exact up to 2^53. */
#pragma once

#include "image/pyramid.h"

#define MB_MAX_EXPRESSION_BYTES 1024u
#define MB_MAX_NAMES            96u /* of a scope */

struct mb_scope {
    const struct mb_layout *layout; /* of width(), height() and even_levels() */
    size_t n_names;
    struct {
        const char *name;
        double value; /* NaN: none yet */
    } names[MB_MAX_NAMES];
};

/* Evaluate all of `text`. The value is NaN where it depends on a name without a value, a level
 * that the image lacks, or a division by zero; the operand of ?:, && or || that decides nothing
 * may be NaN. MB_ERRC_INPUT with the place of what cannot be read, and the nearest name of an
 * unknown one. */
MB_MUST_CHECK enum mb_status mb_evaluate(const char *text, const struct mb_scope *scope,
                                         double *value, struct mb_err *err);
