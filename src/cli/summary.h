/* What closes a run of several tests: who won where, by how much, and what failed. */
#pragma once

#include "base/strbuf.h"
#include "result/result.h"

/* Append "6 tests, cold latency:" and the sentences of mb_headline_describe(), a line each, for
 * each condition with several tests. If the run has several tests, also append a line in colour
 * for each strategy that failed. */
void mb_summary_lines(struct mb_strbuf *out, const struct mb_run *run, bool has_color);
