/* The contest of a tuning at one size and format. */
#ifndef MB_TUNE_CONTEST_H
#define MB_TUNE_CONTEST_H

#include "bench/case.h"
#include "tune/model.h"

struct mb_tune_options {
    const struct mb_gpu *gpu;
    const struct mb_settings *settings; /* one input, one condition, verified */
    const char *const *formats;         /* names; NULL in it: auto */
    size_t n_formats;                   /* at least 1 */
    const struct mb_variant *rows;
    size_t n_rows;
    const struct mb_hooks *hooks;
    void (*on_case_begin)(void *user, size_t index);
    /* Before each heat of a pass; the final is a heat of its own. */
    void (*on_heat)(void *user, const char *pass, size_t heat, size_t n_heats);
    /* After each case, which is the last of `tune`. */
    enum mb_status (*on_case_done)(void *user, const struct mb_run *run,
                                   const struct mb_tune *tune, struct mb_err *err);
};

struct mb_tune_contest {
    const struct mb_tune_options *options;
    const struct mb_settings *settings; /* with the format of the case */
    struct mb_calibration *calibration;
    struct mb_condition condition;
    const struct mb_case *blank; /* what is known before anything is run */
    const void *source;
    struct mb_tune_case *c;
    bool is_complete; /* set: the user did not interrupt it */
    /* While it runs; owned. */
    struct mb_variant *rows; /* of a heat */
    size_t *members;         /* variants of a heat */
    size_t *queue;           /* variants of a pass */
    size_t heat;             /* variants of a heat at most */
};

/* Run the passes and the final, which is `*final` (zeroed before, the caller's to finish); fill
 * variants and passes of contest->c, also the caller's. Nothing that can run: `*final` stays
 * empty. */
MB_MUST_CHECK enum mb_status mb_tune_contest_run(struct mb_tune_contest *contest,
                                                 struct mb_case *final, struct mb_err *err);

#endif
