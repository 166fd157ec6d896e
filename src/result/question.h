/* Questions: a row is ranked only among rows that answer the same one. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "image/tolerance.h"

enum mb_question {
    MB_QUESTION_EXACT,  /* the area average at full precision; or the minimum or maximum over
                           every texel ("conservative") */
    MB_QUESTION_ANY,    /* box, floor or blit at any precision */
    MB_QUESTION_KAISER, /* these four: one wide kernel each, as in enum mb_policy */
    MB_QUESTION_LANCZOS,
    MB_QUESTION_GAUSSIAN,
    MB_QUESTION_GAUSSIAN16,
    MB_N_QUESTIONS,
};

/* As in the JSON: "exact", "any", "kaiser", ... */
extern const char *const mb_question_names[];

/* "exact", or "conservative" for minima and maxima. */
const char *mb_exact_word(enum mb_reduce reduce);

/* The questions that a chain answers, and why it is not exact. */
struct mb_answer {
    unsigned questions;        /* a mask of 1 << question; 0 without a policy */
    const char *word;          /* "exact", "conservative", "floor", "blit", "fp16", "sqrt",
                                  "filter", "claimed", the name of a wide kernel; NULL: none */
    const char *drops, *loses; /* `drops` is about texels, `loses` about precision: "sums in
                                  half floats"; NULL: nothing */
};

/* What an answer drops and loses: "drops the last row or column of every odd level and sums in
 * half floats"; "": nothing. */
struct mb_text mb_answer_losses(const struct mb_answer *answer);

/* The answer of a chain with this tolerance. `policies_agree`: floor and blit equal box at this
 * size (mb_policies_agree). Reduced precision (half floats, the square root for the sRGB curve,
 * weights of the fixed-function filter) is not exact at any size, except for minima and maxima,
 * which lose nothing. A chain that is only held to a plain error bound is not exact, either. */
struct mb_answer mb_answer_of(const struct mb_tolerance *tolerance, enum mb_reduce reduce,
                              bool policies_agree);
