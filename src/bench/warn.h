/* Notes on the results of a cell: what may mislead who reads only the figures. */
#ifndef MB_BENCH_WARN_H
#define MB_BENCH_WARN_H

#include "bench/result.h"

/* Add the warnings that follow from a cell and the run that it is to be part of. */
void mb_warn_cell(const struct mb_run *run, struct mb_cell *cell);

#endif
