/* The terminal's tables as GitHub Markdown. Pure: no files. */
#ifndef MB_RESULT_MARKDOWN_TABLES_H
#define MB_RESULT_MARKDOWN_TABLES_H

#include "base/strbuf.h"
#include "result/result.h"

/* Appends what stands below a table, as plain lines: paragraphs, or where two spaces come first
 * items of a list, which lines with more of them continue. */
typedef void mb_report_below(struct mb_strbuf *out, const struct mb_run *run,
                             const struct mb_timing *timing);

/* A table for each timing, and below it what `below` says of it. Newly allocated (mb_free),
 * valid UTF-8, ending in a newline; fails only without memory. */
MB_MUST_CHECK enum mb_status mb_report_markdown(const struct mb_run *run,
                                                mb_report_below *below, char **text,
                                                struct mb_err *err);

#endif
