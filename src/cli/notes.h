/* What stands below a table: warnings, and the quality of each level. */
#pragma once

#include "base/strbuf.h"
#include "result/result.h"

/* The warnings of a timing, each once with the rows that have it: `all`, or those that a reader
 * of the figures must know. */
void mb_notes_warnings(struct mb_strbuf *out, const struct mb_timing *timing, bool all);

/* The message of the timing's first warning of this code, or NULL. */
const char *mb_notes_find(const struct mb_timing *timing, const char *code);

/* With --per-level, of latency: where the time of each strategy's dispatches goes. */
void mb_notes_split(struct mb_strbuf *out, const struct mb_timing *timing);

/* A line for each strategy: its set-up, its pipelines, and how far each level is from the box
 * chain. */
void mb_notes_facts(struct mb_strbuf *out, const struct mb_timing *timing);
