/* Finds the fastest variant at each size and in each format: a run (bench/bench.h) over all
 * variants, whose cases are contests (tune.c), a table of decisions made from the run
 * (choose.c), and the table as text (report.c).
 *
 * There may be thousands of variants. If there are too many for a final, a first pass times all
 * of them with few samples, unverified, in heats that have one variant in common. The best are
 * measured together as in any run: verified, interleaved, with an A/A twin and intervals. Only
 * this final decides. */
#pragma once

#include "base/text.h"
#include "bench/hooks.h"
#include "bench/selftest.h"

#define MB_TUNE_FINALISTS 24u  /* at most, for each question */
#define MB_TUNE_MARGIN    1.10 /* variants slower than the best by this ratio are left out */

/* The choice for one question, size and format, and the range of sizes that it holds for. */
struct mb_tune_class {
    const struct mb_timing *timing; /* of the final, in a case of the run; borrowed */
    enum mb_question question;
    const struct mb_row *fastest;   /* by the median */
    const struct mb_row *chosen;    /* the fastest, or a simpler one that ties with it */
    const struct mb_row *runner_up; /* the fastest of the others, or NULL */
    struct mb_relation next;        /* of the runner-up to the chosen one */
    bool is_power;                  /* both edges are powers of two */
    uint64_t max_texels;            /* holds for images of up to this many texels */
    uint32_t max_edge;              /* and with no edge longer than this */
};

struct mb_tune {
    struct mb_tune_class *classes; /* sorted by format, question, kind of size, texels; owned */
    size_t n_classes;
    bool has_selftest; /* not on a software device */
    struct mb_selftest selftest;
};

/* Free and zero. */
void mb_tune_finish(struct mb_tune *tune);

/* True if both edges are powers of two: there all policies but the wide kernels agree. */
bool mb_tune_is_power(struct mb_extent base);

/* A variant in the first pass. */
struct mb_tune_trial {
    struct mb_params resolved; /* with "auto" replaced by what it stands for here */
    unsigned questions;        /* mask of 1 << enum mb_question; 0: it was not timed */
    double ratio;              /* its time / that of the variant that is in all heats */
    struct mb_text left_out;   /* why it is not in the final, if it is not */
};

/* Select variants for the final. A variant is kept if, for one of its questions, it is among
 * the MB_TUNE_FINALISTS best and within MB_TUNE_MARGIN of the best; or if it was not timed, so
 * that the final reports why. left_out[i] is NULL if variant i is kept, else the reason, which
 * its trial owns. Returns the number of variants kept. */
size_t mb_tune_select(struct mb_tune_trial *trials, size_t n, const char **left_out);

/* Add a class for each question that a variant of the final answers, and find the ranges of all
 * classes again. A class begins where the next smaller one ends, the smallest at 1x1. A class
 * ends where the times of its winner and the next class's winner cross; if they do not cross,
 * halfway to the next size (geometrically); if its winner cannot run at the next size, or it
 * is the largest class, at its own size.
 *
 * The fastest has the least median. Variants that are tied with it and at most MB_MARGIN slower
 * are as good: the one with the fewest parameters off their defaults is chosen. Fails only
 * without memory. */
MB_MUST_CHECK enum mb_status mb_tune_add(struct mb_tune *tune, struct mb_timing *timing,
                                         uint64_t seed, struct mb_err *err);

/* The class of a case and question, or NULL. */
const struct mb_tune_class *mb_tune_find(const struct mb_tune *tune, const struct mb_case *c,
                                         enum mb_question question);

/* As mb_case_run(), under the first condition: the case has a row for each variant that can run
 * there; of variants with the same commands the first is kept, and variants that missed the
 * final are skipped. If no variant can run, the case has the first one, with the reason. An
 * interrupted case is left without timings. */
MB_MUST_CHECK enum mb_status mb_tune_case(const struct mb_case_options *options,
                                          const void *source, struct mb_case *c,
                                          bool *is_complete, struct mb_err *err);

/* Append tune.json (results/tune.schema.json). */
void mb_tune_json(const struct mb_run *run, const struct mb_tune *tune, struct mb_strbuf *out);

/* Append mipbench_tuned.h, which stands alone in C11 and C++11, with a table of the classes and
 * a function that looks up a format, reduction, question and size. */
void mb_tune_header(const struct mb_run *run, const struct mb_tune *tune,
                    struct mb_strbuf *out);
