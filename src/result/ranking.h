/* Which strategy is fastest in a timing, as far as the samples can tell. */
#pragma once

#include "base/strbuf.h"
#include "result/result.h"

/* Set timing->question to the first question that a verified, timed row answers, so that exact
 * rows come before faster ones, and timing->fastest to the row with the best median among such
 * rows, or to SIZE_MAX. Relations stay as they were (mb_relate_timing). */
void mb_ranking_choose(struct mb_timing *timing);

enum mb_lead {
    MB_LEAD_NONE,    /* nothing to rank, or no rival */
    MB_LEAD_TOO_FEW, /* too few samples to rank */
    MB_LEAD_TIED,    /* some rivals cannot be told from the fastest */
    MB_LEAD_CLEAR,   /* the fastest may be named */
};

/* "none", "too few", "tied", "clear" */
extern const char *const mb_lead_names[];

/* How the other rows of a timing compare with its fastest: rivals answer the same question,
 * cheaper rows make nearly the same image but lose something. An index is SIZE_MAX if there is
 * no such row. */
struct mb_ranking {
    const struct mb_run *run;       /* borrowed */
    const struct mb_timing *timing; /* borrowed */
    enum mb_lead lead;
    size_t winner;        /* the row to mark as best: a clear fastest row, or the only row */
    size_t second;        /* the rival with the best median */
    double next_ratio;    /* the second's time over the fastest's; NaN: no rival */
    size_t faster;        /* a rival with a worse median that wins within blocks */
    size_t n_tied;        /* rivals that cannot be told from the fastest */
    size_t cheaper;       /* the cheaper row that beats the fastest and has the best median */
    bool is_beyond_tests; /* too few samples for any test to tell some rival from the fastest */
    bool has_others;      /* there are cheaper rows */
    bool has_unlike;      /* there are rows that make another image */
};

/* Rank the rows of a timing that are related to its fastest (mb_relate_timing). */
struct mb_ranking mb_ranking_of(const struct mb_run *run, const struct mb_timing *timing);

/* All rows, the fastest first; rows without times come last, and rows with equal medians keep
 * their order. Newly allocated (mb_free); NULL without memory. */
size_t *mb_rows_by_time(const struct mb_timing *timing);

/* The rows that answer a question and can be ranked, the fastest first. Newly allocated
 * (mb_free); NULL without memory. */
size_t *mb_ranking_order(const struct mb_timing *timing, enum mb_question question, size_t *n);

/* Whether a row answers the timing's question and cannot be told from the fastest. */
bool mb_ranking_is_tied(const struct mb_timing *timing, size_t index);

/* Append sentences, without a newline, on which row is fastest and on the floor: "spd is the
 * fastest exact strategy, 1.44x faster than compute. Dispatch floor: 20.8 us (an empty
 * dispatch)." Adds nothing if there is nothing to compare. */
void mb_ranking_describe(struct mb_strbuf *out, const struct mb_ranking *ranking);

/* Append which row is faster than the fastest one but loses something: "spd:fp16=on is 1.19x
 * faster but inexact: it drops the last row or column of every odd level (161 LSB from exact)."
 * Adds nothing if there is no such row, or no fastest one. */
void mb_ranking_describe_cheaper(struct mb_strbuf *out, const struct mb_ranking *ranking);

/* Both descriptions, a line each. If nothing can be compared, the first line says why. */
void mb_ranking_lines(struct mb_strbuf *out, const struct mb_ranking *ranking);
