/* The outcome of a tuning as a person reads it at a terminal. Pure. */
#ifndef MB_CLI_TUNE_TEXT_H
#define MB_CLI_TUNE_TEXT_H

#include "bench/tune.h"
#include "cli/progress.h"
#include "cli/table.h"

/* The task, a row for each size, format and policy, what is tied, where the winner changes, and
 * how many variants were dropped; `is_brief` leaves the last out. */
void mb_tune_text(struct mb_strbuf *out, const struct mb_run *run, const struct mb_tune *tune,
                  bool is_brief, const struct mb_table_style *style);

#endif
