/* What closes a run of several tests: who won where, by how much, and what failed. */
#pragma once

#include "base/strbuf.h"
#include "result/result.h"

/* Append, for each condition that several tests have, "6 tests, cold latency:" and a line
 * for each sentence on them (mb_headline_describe); and of a run, unless it has one test alone,
 * a line for each strategy that failed, in colour. */
void mb_summary_lines(struct mb_strbuf *out, const struct mb_run *run, bool has_color);
