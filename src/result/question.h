/* What a verdict answers. Rows are ranked only among those that answer the same question. */
#ifndef MB_RESULT_QUESTION_H
#define MB_RESULT_QUESTION_H

#include <stdbool.h>
#include <stddef.h>

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
const char *mb_question_name(enum mb_question question);

/* "exact"; of minima and maxima "conservative". */
const char *mb_exact_word(enum mb_reduce reduce);

/* The questions, as a mask of 1 << question, that a chain of this tolerance answers.
 * `policies_agree`: floor and blit make what box does at this size (mb_policies_agree). Reduced
 * precision (half floats, the square root for the sRGB curve, weights of the fixed-function
 * filter) is not exact at any size, except for minima and maxima, which lose nothing; nor is
 * what is held to a plain number. Without a policy no question is answered. */
unsigned mb_questions_answered(const struct mb_tolerance *tolerance, enum mb_reduce reduce,
                               bool policies_agree);

/* Why an average, minimum or maximum is not exact, in one word: "floor", "blit", "fp16",
 * "sqrt", "filter", "claimed"; the name of a wide kernel; "none" without a policy. Of what is
 * exact: mb_exact_word(). */
const char *mb_answer_word(const struct mb_tolerance *tolerance, enum mb_reduce reduce,
                           bool policies_agree);

/* The same as what is lost, to go on with after a verb: " and sums in half floats", ", drops
 * the last row or column of every odd level and sums in half floats". "" of what is exact. */
void mb_price_describe(const struct mb_tolerance *tolerance, enum mb_reduce reduce,
                       bool policies_agree, char *out, size_t out_bytes);

#endif
