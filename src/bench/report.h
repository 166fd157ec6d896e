/* Results as text for machines: JSON (results/schema.json), CSV and Markdown. Pure: no files.
 */
#ifndef MB_BENCH_REPORT_H
#define MB_BENCH_REPORT_H

#include "base/strbuf.h"
#include "bench/result.h"

/* Each returns newly allocated text (mb_free), valid UTF-8, ending in a newline; fails only
 * without memory. */
MB_MUST_CHECK enum mb_status mb_report_json(const struct mb_run *run, char **text,
                                            struct mb_err *err);
/* One line per result: header, then values quoted by RFC 4180. */
MB_MUST_CHECK enum mb_status mb_report_csv(const struct mb_run *run, char **text,
                                           struct mb_err *err);
/* Appends what stands below a cell's table, as plain lines: paragraphs, or where two spaces
 * come first items of a list, which lines with more of them continue. */
typedef void mb_report_below(struct mb_strbuf *out, const struct mb_run *run,
                             const struct mb_cell *cell);

/* The terminal's tables as GitHub Markdown, and below each what `below` says of it. */
MB_MUST_CHECK enum mb_status mb_report_markdown(const struct mb_run *run,
                                                mb_report_below *below, char **text,
                                                struct mb_err *err);

#endif
