/* Notes on the results of a case: what may mislead who reads only the figures. */
#ifndef MB_BENCH_WARN_H
#define MB_BENCH_WARN_H

#include "result/result.h"

/* Add the warnings that follow from a case and the run that it is to be part of. */
void mb_warn_case(const struct mb_run *run, struct mb_case *c);

#endif
