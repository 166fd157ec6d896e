/* Which questions a tolerance answers, and what an inexact answer loses. */
#include "result/question.h"

struct loss {
    const char *word, *price; /* NULL: nothing is lost */
};

static const struct loss policies[MB_N_POLICIES] = {
    [MB_POLICY_FLOOR] = {"floor", "drops the last row or column of every odd level"},
    [MB_POLICY_BLIT] = {"blit", "reads two texels where an odd level has three"},
};

static const struct loss arithmetics[] = {
    [MB_ARITHMETIC_FP32] = {NULL, NULL},
    [MB_ARITHMETIC_FP16] = {"fp16", "sums in half floats"},
    [MB_ARITHMETIC_FILTER] = {"filter", "averages by the fixed-function filter"},
    [MB_ARITHMETIC_FILTER_FP16] = {"filter",
                                   "averages by the fixed-function filter and in half floats"},
    [MB_ARITHMETIC_CORNER] = {NULL, NULL}, /* weights of 1/4 are exact */
    [MB_ARITHMETIC_ROOT] = {"sqrt", "takes a square root for the sRGB curve"},
};

const char *const mb_question_names[MB_N_QUESTIONS] = {
    [MB_QUESTION_EXACT] = "exact",       [MB_QUESTION_ANY] = "any",
    [MB_QUESTION_KAISER] = "kaiser",     [MB_QUESTION_LANCZOS] = "lanczos",
    [MB_QUESTION_GAUSSIAN] = "gaussian", [MB_QUESTION_GAUSSIAN16] = "gaussian16",
};

const char *mb_exact_word(enum mb_reduce reduce)
{
    return reduce == MB_REDUCE_AVG ? "exact" : "conservative";
}

static const struct loss *precision_lost(const struct mb_tolerance *tolerance,
                                         enum mb_reduce reduce)
{
    static const struct loss claimed = {"claimed", "is held to a plain number"};
    if (tolerance->max_error_lsb > 0.0) {
        return &claimed;
    }
    return &arithmetics[reduce == MB_REDUCE_AVG ? tolerance->arithmetic : MB_ARITHMETIC_FP32];
}

struct mb_text mb_answer_losses(const struct mb_answer *answer)
{
    return mb_text("%s%s%s", answer->drops ? answer->drops : "",
                   answer->drops && answer->loses ? " and " : "",
                   answer->loses ? answer->loses : "");
}

struct mb_answer mb_answer_of(const struct mb_tolerance *tolerance, enum mb_reduce reduce,
                              bool policies_agree)
{
    const enum mb_policy policy = tolerance->filter.policy;
    if (tolerance->has_no_policy) {
        return (struct mb_answer){.questions = 0};
    }
    if (mb_policy_is_wide(policy)) {
        const unsigned question = MB_QUESTION_KAISER + (policy - MB_POLICY_KAISER);
        return (struct mb_answer){1u << question, mb_policy_names[policy], NULL, NULL};
    }
    const struct loss *texels = &policies[policies_agree ? MB_POLICY_BOX : policy];
    const struct loss *precision = precision_lost(tolerance, reduce);
    const char *word = texels->word ? texels->word : precision->word;
    return (struct mb_answer){
        .questions = 1u << MB_QUESTION_ANY | (word ? 0u : 1u << MB_QUESTION_EXACT),
        .word = word ? word : mb_exact_word(reduce),
        .drops = texels->price,
        .loses = precision->price,
    };
}
