/* What may be said of who is fastest in a timing, and no more than that. */
#pragma once

#include "base/strbuf.h"
#include "result/result.h"

/* Set the timing's question to the first that any row answers, since what is exact goes before
 * what is faster, and its fastest to the best median of the verified rows with figures that
 * answer it; SIZE_MAX: there is none. Relations are as they were (mb_relate_timing). */
void mb_ranking_choose(struct mb_timing *timing);

/* The row to mark as the best of its table: the fastest verified one, if the sentence names it
 * or it is the only one. SIZE_MAX: none. */
size_t mb_ranking_winner(const struct mb_run *run, const struct mb_timing *timing);

enum mb_lead {
    MB_LEAD_NONE,    /* nothing to rank, or nothing to hold it against */
    MB_LEAD_TOO_FEW, /* samples */
    MB_LEAD_TIED,    /* not to be told from others */
    MB_LEAD_CLEAR,   /* the fastest may be named */
};

/* "none", "too few", "tied", "clear" */
extern const char *const mb_lead_names[];

/* What takes less time than a leader and loses something, by the best median; SIZE_MAX: nothing
 * that may be said. */
size_t mb_ranking_cheaper(const struct mb_run *run, const struct mb_timing *timing);

/* How far ahead the timing's fastest row is; `*next_ratio` is that of the next one that answers
 * the same question, NaN where there is none. */
enum mb_lead mb_ranking_lead(const struct mb_run *run, const struct mb_timing *timing,
                             double *next_ratio);

/* The rows that answer a question and are fit to be ranked, the fastest first. Newly allocated
 * (mb_free); NULL without memory. */
size_t *mb_ranking_order(const struct mb_timing *timing, enum mb_question question, size_t *n);

/* Whether a row answers the timing's question, but cannot be told from the fastest. */
bool mb_ranking_is_tied(const struct mb_timing *timing, size_t index);

/* One sentence on who is fastest, without a newline, and the floor: "spd is the fastest exact
 * strategy, 1.44x faster than compute. Dispatch floor: 20.8 us (an empty dispatch)."; nothing
 * where there is nothing to compare. */
void mb_ranking_describe(struct mb_strbuf *out, const struct mb_run *run,
                         const struct mb_timing *timing);

/* One sentence on what is faster and loses something: "spd:fp16=on is 1.19x faster but inexact:
 * it drops the last row or column of every odd level (161 LSB from exact)."; nothing where
 * nothing does, or where nobody is named as the fastest. */
void mb_ranking_describe_cheaper(struct mb_strbuf *out, const struct mb_run *run,
                                 const struct mb_timing *timing);

/* Both, a line each. The first is always there: where nothing can be compared it says why. */
void mb_ranking_lines(struct mb_strbuf *out, const struct mb_run *run,
                      const struct mb_timing *timing);
