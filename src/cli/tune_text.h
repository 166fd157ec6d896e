/* The outcome of a tuning as a person reads it at a terminal. Pure. */
#ifndef MB_CLI_TUNE_TEXT_H
#define MB_CLI_TUNE_TEXT_H

#include "tune/tune.h"
#include "cli/progress.h"
#include "cli/table.h"

enum mb_tune_detail {
    MB_TUNE_BRIEF,   /* the table, and where the winner changes */
    MB_TUNE_NORMAL,  /* also where the choice is not the fastest */
    MB_TUNE_VERBOSE, /* also all ties, and how many variants were dropped */
};

/* The task, a row for each size, format and policy, and what is to be said of them. */
void mb_tune_text(struct mb_strbuf *out, const struct mb_run *run, const struct mb_tune *tune,
                  enum mb_tune_detail detail, const struct mb_table_style *style);

#endif
