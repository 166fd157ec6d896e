/* What a verdict answers. Rows are ranked only among those that answer the same question. */
#pragma once

#include <stdbool.h>

#include "image/tolerance.h"

enum mb_question {
    MB_QUESTION_EXACT,  /* the area average at full precision; of minima and maxima those that
                           look at every texel, and so are conservative */
    MB_QUESTION_ANY,    /* box, floor or blit in whatever precision */
    MB_QUESTION_KAISER, /* the wide kernels, each for itself */
    MB_QUESTION_LANCZOS,
    MB_QUESTION_GAUSSIAN,
    MB_QUESTION_GAUSSIAN16,
    MB_N_QUESTIONS,
};

/* As in the JSON: "exact", "any", "kaiser", ... */
extern const char *const mb_question_names[];

/* "exact"; of minima and maxima "conservative". */
const char *mb_exact_word(enum mb_reduce reduce);

/* What a chain answers, and why it is not exact. */
struct mb_answer {
    unsigned questions;        /* a mask of 1 << question; 0 without a policy */
    const char *word;          /* "exact", "conservative", "floor", "blit", "fp16", "sqrt",
                                  "filter", "claimed", the name of a wide kernel; NULL: none */
    const char *drops, *loses; /* of the texels, and of the precision: "sums in half floats";
                                  NULL: nothing */
};

/* Of a chain of this tolerance. `policies_agree`: floor and blit make what box does at this
 * size (mb_policies_agree). Reduced precision (half floats, the square root for the sRGB curve,
 * weights of the fixed-function filter) is not exact at any size, except for minima and maxima,
 * which lose nothing; nor is what is held to a plain number. */
struct mb_answer mb_answer_of(const struct mb_tolerance *tolerance, enum mb_reduce reduce,
                              bool policies_agree);
