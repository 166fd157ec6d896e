/* What a tuning decides by: who goes on to a final, what is chosen there, and how far that
 * reaches. Pure. */
#pragma once

#include "base/text.h"
#include "bench/selftest.h"
#include "result/result.h"

#define MB_TUNE_FINALISTS 24u  /* of each question */
#define MB_TUNE_MARGIN    1.10 /* a ratio of times: what is further behind the best goes out */

/* How the size was found at which one class ends and the next begins. */
enum mb_tune_how {
    MB_TUNE_INTERPOLATED, /* where the times of both winners cross */
    MB_TUNE_MIDPOINT,     /* halfway: they do not cross, or one was not in both finals */
    MB_TUNE_LIMIT,        /* the winner below cannot run above */
};
extern const char *const mb_tune_how_names[]; /* "interpolated", ... */

/* What is chosen for a question at one size in one format, and which sizes it is for. */
struct mb_tune_class {
    const struct mb_timing *timing; /* the final, in a case of the run; borrowed */
    enum mb_question question;
    const struct mb_row *fastest;   /* by the median */
    const struct mb_row *chosen;    /* it, or what cannot be told from it and is simpler */
    const struct mb_row *runner_up; /* the fastest of the others, or NULL */
    struct mb_relation next;        /* of the runner-up to the chosen one */
    bool is_power;                  /* both edges are powers of two */
    uint64_t max_texels; /* for images of up to this many, no edge of which is longer than */
    uint32_t max_edge;
    const struct mb_tune_class *above; /* the next class, if another wins there; or NULL */
    double border_texels;              /* where the next one begins; and how that was found */
    enum mb_tune_how how;
};

struct mb_tune {
    struct mb_tune_class *classes; /* by format, question, kind of size and texels; owned */
    size_t n_classes;
    bool has_selftest; /* not on a software device */
    struct mb_selftest selftest;
    struct mb_err undecided; /* of the first case in which nothing can run; code 0: none */
};

/* Free and zero. */
void mb_tune_finish(struct mb_tune *tune);

/* True if both edges are powers of two: there all policies but the wide kernels agree. */
bool mb_tune_is_power(struct mb_extent base);

/* What a pass found of a variant. */
struct mb_tune_trial {
    unsigned questions;      /* mask of 1 << enum mb_question; 0: it was not timed */
    double ratio;            /* of its time to that of the variant which all heats share */
    struct mb_text left_out; /* why it is not in the final; "": it is */
};

/* Leave out those that are behind the best of each of their questions by more than
 * MB_TUNE_MARGIN, or are not among the MB_TUNE_FINALISTS best of any. What was not timed stays:
 * the final tells why. */
void mb_tune_select(struct mb_tune_trial *trials, size_t n);

/* Add a class for each question that is answered in a final, and see anew how far all reach:
 * down to what the next smaller one covers, the smallest to 1x1; up to the crossover to the
 * next one, or halfway to it (geometrically), or to its own size where its winner cannot run
 * above; the largest no further than its own size.
 *
 * The fastest is that of the least median. What cannot be told from it, and is at most
 * MB_MARGIN behind, is as good: of these the one with the fewest parameters off their defaults
 * is chosen. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_tune_add(struct mb_tune *tune, struct mb_timing *timing,
                                         uint64_t seed, struct mb_err *err);

/* The class of a case and question, or NULL. */
const struct mb_tune_class *mb_tune_find(const struct mb_tune *tune, const struct mb_case *c,
                                         enum mb_question question);

/* Where a ratio of times is 1, by a straight line through its logarithm over that of the
 * texels; NaN where it does not change sides between `below` and `above`. */
double mb_tune_cross(double below_texels, double below_ratio, double above_texels,
                     double above_ratio);
