/* What may be said of who is fastest in a timing, and no more than that. */
#pragma once

#include "base/strbuf.h"
#include "result/result.h"

/* Set the timing's question to the first that any row answers, since what is exact goes before
 * what is faster, and its fastest to the best median of the verified rows with figures that
 * answer it; SIZE_MAX: there is none. Relations are as they were (mb_relate_timing). */
void mb_ranking_choose(struct mb_timing *timing);

enum mb_lead {
    MB_LEAD_NONE,    /* nothing to rank, or nothing to hold it against */
    MB_LEAD_TOO_FEW, /* samples */
    MB_LEAD_TIED,    /* not to be told from others */
    MB_LEAD_CLEAR,   /* the fastest may be named */
};

/* "none", "too few", "tied", "clear" */
extern const char *const mb_lead_names[];

/* The other rows as seen from the timing's fastest: its rivals, which answer the same question,
 * and those that make nearly the same image but lose something. Indices: SIZE_MAX is none. */
struct mb_ranking {
    const struct mb_run *run;       /* borrowed */
    const struct mb_timing *timing; /* borrowed */
    enum mb_lead lead;
    size_t winner;        /* to be marked as the best: named, or the only one of its table */
    size_t second;        /* the best median of a rival */
    double next_ratio;    /* its time over that of the fastest; NaN: no rival */
    size_t faster;        /* a rival that took less time within blocks all the same */
    size_t n_tied;        /* rivals that cannot be told from the fastest */
    size_t cheaper;       /* the best median of what takes less time than a leader and loses
                             something */
    bool is_beyond_tests; /* no test of this many samples could tell some rival from it */
    bool has_others;      /* rows that would be ranked if they lost nothing */
    bool has_unlike;      /* rows with figures that answer something else */
};

/* Rank the rows of a timing that are related to its fastest (mb_relate_timing). */
struct mb_ranking mb_ranking_of(const struct mb_run *run, const struct mb_timing *timing);

/* The rows that answer a question and are fit to be ranked, the fastest first. Newly allocated
 * (mb_free); NULL without memory. */
size_t *mb_ranking_order(const struct mb_timing *timing, enum mb_question question, size_t *n);

/* Whether a row answers the timing's question, but cannot be told from the fastest. */
bool mb_ranking_is_tied(const struct mb_timing *timing, size_t index);

/* One sentence on who is fastest, without a newline, and the floor: "spd is the fastest exact
 * strategy, 1.44x faster than compute. Dispatch floor: 20.8 us (an empty dispatch)."; nothing
 * where there is nothing to compare. */
void mb_ranking_describe(struct mb_strbuf *out, const struct mb_ranking *ranking);

/* One sentence on what is faster and loses something: "spd:fp16=on is 1.19x faster but inexact:
 * it drops the last row or column of every odd level (161 LSB from exact)."; nothing where
 * nothing does, or where nobody is named as the fastest. */
void mb_ranking_describe_cheaper(struct mb_strbuf *out, const struct mb_ranking *ranking);

/* Both, a line each. The first is always there: where nothing can be compared it says why. */
void mb_ranking_lines(struct mb_strbuf *out, const struct mb_ranking *ranking);
