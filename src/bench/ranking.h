/* What may be said of who is fastest in a cell, and no more than that. */
#ifndef MB_BENCH_RANKING_H
#define MB_BENCH_RANKING_H

#include "base/strbuf.h"
#include "bench/result.h"

/* The row to be marked as the best of its table: the fastest verified one if the sentence names
 * it, or if there is no other. SIZE_MAX where there is none. */
size_t mb_ranking_winner(const struct mb_run *run, const struct mb_cell *cell);

/* One sentence on who is fastest, without a newline, and what the limit is: "spd is fastest:
 * compute takes 1.44 times as long. Limit: 20.8 us (an empty dispatch)."; nothing where there
 * is nothing to compare. scripts/report_verdict.py has the same words. */
void mb_ranking_describe(struct mb_strbuf *out, const struct mb_run *run,
                         const struct mb_cell *cell);

#endif
