/* The results of a run as a person reads them. Pure: text into a string buffer. */
#pragma once

#include "base/strbuf.h"
#include "result/result.h"

struct mb_table_style {
    bool color;     /* ANSI colours, never the only sign */
    bool unicode;   /* the locale is UTF-8; else plain ASCII */
    size_t columns; /* of the terminal; 0: not one */
};

/* Columns at which text is broken: those of a terminal; a file has lines of any width. */
size_t mb_text_columns(const struct mb_table_style *style);

/* "mipbench VERSION · DEVICE · driver X · Vulkan 1.4", and what holds for the whole run: a
 * software device, the validation layer, no timestamps. */
void mb_table_header(struct mb_strbuf *out, const struct mb_run *run,
                     const struct mb_table_style *style);

/* One timing: a line on the input, the table, and mb_ranking_lines() on which strategy is
 * fastest. Columns are left out where nothing was timed, where no limit is known, and where
 * they do not fit. No line is wider than the terminal (80 at least), unless a word is. */
void mb_table_timing(struct mb_strbuf *out, const struct mb_run *run,
                     const struct mb_timing *timing, const struct mb_table_style *style);

/* The table of several runs taken together (run->n_pooled), and who is fastest, as
 * mb_table_timing(). */
void mb_table_pool(struct mb_strbuf *out, const struct mb_run *run,
                   const struct mb_timing *timing, const struct mb_table_style *style);

/* All of a run's tables as GitHub Markdown, with what matters below each, and the summary.
 * Newly allocated (mb_free), valid UTF-8, ending in a newline; fails only without memory. */
MB_MUST_CHECK enum mb_status mb_table_markdown(const struct mb_run *run, char **text,
                                               struct mb_err *err);
