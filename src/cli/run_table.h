/* The results of a run as text for people, for a terminal or as GitHub Markdown. Only appends
 * to string buffers. */
#pragma once

#include "base/strbuf.h"
#include "cli/grid.h"
#include "result/result.h"

/* Append a conspicuous line; control characters are replaced. */
MB_PRINTF(3, 4)
void mb_table_loud(struct mb_strbuf *lines, const struct mb_table_style *style, const char *fmt,
                   ...);

/* "mipbench VERSION - DEVICE - driver X - Vulkan 1.4", and what holds for the whole run: a
 * software device, the validation layer, no timestamps. */
void mb_table_header(struct mb_strbuf *out, const struct mb_run *run,
                     const struct mb_table_style *style);

/* Append one timing, of a run or of pooled runs (run->n_pooled): a line on what was measured,
 * the table, mb_ranking_lines() on which strategy is fastest, and the notes of a run: warnings,
 * and with --per-level the time of each strategy by level. Columns are left out if nothing was
 * timed, if no memory floor is known, or if they do not fit. Lines are wrapped to
 * style->columns; only a word longer than that exceeds it. */
void mb_table_timing(struct mb_strbuf *out, const struct mb_run *run,
                     const struct mb_timing *timing, const struct mb_table_style *style);

/* Append all of a run's tables as GitHub Markdown, and the summary: valid UTF-8 that ends in a
 * newline. */
void mb_table_markdown(const struct mb_run *run, struct mb_strbuf *out);
