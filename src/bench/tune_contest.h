/* The contest of a tuning at one size and format. */
#ifndef MB_BENCH_TUNE_CONTEST_H
#define MB_BENCH_TUNE_CONTEST_H

#include "bench/tune.h"

struct mb_tune_contest {
    const struct mb_tune_options *options;
    const struct mb_settings *settings; /* with the format of the case */
    struct mb_ruler *ruler;
    const struct mb_cell *blank; /* what is known before anything is run */
    const void *source;
    struct mb_tune_case *c;
    bool is_complete; /* set: the user did not interrupt it */
    /* While it runs; owned. */
    struct mb_row *rows; /* of a heat */
    size_t *members;     /* variants of a heat */
    size_t *queue;       /* variants of a pass */
    size_t heat;         /* variants of a heat at most */
};

/* Run the passes and the final, which is `*cell` (zeroed before, the caller's to finish); fill
 * variants and passes of contest->c, also the caller's. Nothing that can run: `*cell` stays
 * empty. */
MB_MUST_CHECK enum mb_status mb_tune_contest_run(struct mb_tune_contest *contest,
                                                 struct mb_cell *cell, struct mb_err *err);

#endif
