/* Questions: who answers which, and what the others lose. */
#include "result/question.h"

#include <stdio.h>

static const struct {
    const char *word, *price;
} policies[MB_N_POLICIES] = {
    [MB_POLICY_FLOOR] = {"floor", "drops the last row or column of every odd level"},
    [MB_POLICY_BLIT] = {"blit", "reads two texels where an odd level has three"},
};

struct loss {
    const char *word, *price; /* NULL: nothing is lost */
};

static const struct loss arithmetics[] = {
    [MB_ARITHMETIC_FP32] = {NULL, NULL},
    [MB_ARITHMETIC_FP16] = {"fp16", "sums in half floats"},
    [MB_ARITHMETIC_FILTER] = {"filter", "averages by the fixed-function filter"},
    [MB_ARITHMETIC_CORNER] = {NULL, NULL}, /* weights of 1/4 are exact */
    [MB_ARITHMETIC_ROOT] = {"sqrt", "takes a square root for the sRGB curve"},
};

const char *mb_question_name(enum mb_question question)
{
    static const char *const names[MB_N_QUESTIONS] = {
        [MB_QUESTION_EXACT] = "exact",       [MB_QUESTION_ANY] = "any",
        [MB_QUESTION_KAISER] = "kaiser",     [MB_QUESTION_LANCZOS] = "lanczos",
        [MB_QUESTION_GAUSSIAN] = "gaussian", [MB_QUESTION_GAUSSIAN16] = "gaussian16",
    };
    return names[question];
}

const char *mb_exact_word(enum mb_reduce reduce)
{
    return reduce == MB_REDUCE_AVG ? "exact" : "conservative";
}

static bool drops_texels(const struct mb_tolerance *tolerance, bool policies_agree)
{
    return tolerance->filter.policy != MB_POLICY_BOX && !policies_agree;
}

static const struct loss *precision_lost(const struct mb_tolerance *tolerance)
{
    static const struct loss claimed = {"claimed", "is held to a plain number"};
    return tolerance->max_error_lsb > 0.0 ? &claimed : &arithmetics[tolerance->arithmetic];
}

static bool loses_precision(const struct mb_tolerance *tolerance, enum mb_reduce reduce)
{
    return tolerance->max_error_lsb > 0.0 ||
           (reduce == MB_REDUCE_AVG && precision_lost(tolerance)->word != NULL);
}

unsigned mb_questions_answered(const struct mb_tolerance *tolerance, enum mb_reduce reduce,
                               bool policies_agree)
{
    static const enum mb_question wide[MB_N_POLICIES] = {
        [MB_POLICY_KAISER] = MB_QUESTION_KAISER,
        [MB_POLICY_LANCZOS] = MB_QUESTION_LANCZOS,
        [MB_POLICY_GAUSSIAN] = MB_QUESTION_GAUSSIAN,
        [MB_POLICY_GAUSSIAN16] = MB_QUESTION_GAUSSIAN16,
    };
    if (tolerance->has_no_policy) {
        return 0;
    }
    if (mb_policy_is_wide(tolerance->filter.policy)) {
        return 1u << wide[tolerance->filter.policy];
    }
    const bool is_exact =
        !drops_texels(tolerance, policies_agree) && !loses_precision(tolerance, reduce);
    return 1u << MB_QUESTION_ANY | (is_exact ? 1u << MB_QUESTION_EXACT : 0u);
}

const char *mb_answer_word(const struct mb_tolerance *tolerance, enum mb_reduce reduce,
                           bool policies_agree)
{
    if (tolerance->has_no_policy) {
        return "none";
    }
    if (mb_policy_is_wide(tolerance->filter.policy)) {
        return mb_policy_name(tolerance->filter.policy);
    }
    if (drops_texels(tolerance, policies_agree)) {
        return policies[tolerance->filter.policy].word;
    }
    return loses_precision(tolerance, reduce) ? precision_lost(tolerance)->word
                                              : mb_exact_word(reduce);
}

void mb_price_describe(const struct mb_tolerance *tolerance, enum mb_reduce reduce,
                       bool policies_agree, char *out, size_t out_bytes)
{
    const bool drops =
        drops_texels(tolerance, policies_agree) && !mb_policy_is_wide(tolerance->filter.policy);
    const bool loses = loses_precision(tolerance, reduce);
    snprintf(out, out_bytes, "%s%s%s%s",
             drops && loses   ? ", "
             : drops || loses ? " and "
                              : "",
             drops ? policies[tolerance->filter.policy].price : "",
             drops && loses ? " and " : "", loses ? precision_lost(tolerance)->price : "");
}
