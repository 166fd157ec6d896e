/* The results of a run as a person reads them. Pure: text into a string buffer. */
#pragma once

#include "base/strbuf.h"
#include "result/result.h"

struct mb_table_style {
    bool color;   /* ANSI colours, never the only sign */
    bool unicode; /* the locale is UTF-8; else plain ASCII */
    size_t
        columns; /* in which text is broken: of the terminal, 80 at least; or MB_ANY_COLUMNS */
};

/* "mipbench VERSION · DEVICE · driver X · Vulkan 1.4", and what holds for the whole run: a
 * software device, the validation layer, no timestamps. */
void mb_table_header(struct mb_strbuf *out, const struct mb_run *run,
                     const struct mb_table_style *style);

/* One timing, of a run or of several taken together (run->n_pooled): a line on what was
 * measured, the table, and mb_ranking_lines() on which strategy is fastest. Columns are left
 * out where nothing was timed, where no limit is known, and where they do not fit. No line is
 * wider than the style's columns, unless a word is. */
void mb_table_timing(struct mb_strbuf *out, const struct mb_run *run,
                     const struct mb_timing *timing, const struct mb_table_style *style);

/* All of a run's tables as GitHub Markdown, with what matters below each, and the summary.
 * Newly allocated (mb_free), valid UTF-8, ending in a newline; fails only without memory. */
MB_MUST_CHECK enum mb_status mb_table_markdown(const struct mb_run *run, char **text,
                                               struct mb_err *err);
