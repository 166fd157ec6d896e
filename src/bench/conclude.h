/* What follows from the samples and verdicts of one cell, once both are there. */
#ifndef MB_BENCH_CONCLUDE_H
#define MB_BENCH_CONCLUDE_H

#include "bench/result.h"
#include "bench/ruler.h"

/* Fill the cell's fastest, floor and relations, and warn of what is odd about its samples.
 * Memory that runs out is MB_ERRC_RUNTIME. */
MB_MUST_CHECK enum mb_status mb_conclude_cell(const struct mb_settings *settings,
                                              const struct mb_ruler *ruler,
                                              struct mb_cell *cell, struct mb_err *err);

#endif
