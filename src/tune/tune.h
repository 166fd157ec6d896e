/* Which strategy, with which parameters, is the fastest here: every variant is measured, at
 * each size and in each format, and a table of decisions is made of it.
 *
 * There may be hundreds of variants, so it is a contest in passes. The first ones time all that
 * can run with few samples, in heats that share one variant, the anchor; a variant goes on if
 * its time, relative to the anchor's in the same blocks, is within a margin of the best of its
 * question. Those that are left are measured together as by `mipbench run`: verified,
 * interleaved, with an A/A twin and intervals. Nothing else is decided on. */
#pragma once

#include "bench/case.h"
#include "image/image.h"
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
    /* After each case, which is the last of the tuning then. */
    enum mb_status (*on_case_done)(void *user, struct mb_err *err);
};

/* Tune every size and format on `image`; each final is appended to the run. An interrupted
 * run returns MB_OK with run->complete false, and without the case that was cut short.
 * UNSUPPORTED on a device without timestamps. After a failure what was complete before is in
 * `tune`; the caller finishes it (mb_tune_finish), before the run. */
MB_MUST_CHECK enum mb_status mb_tune_run(const struct mb_tune_options *options,
                                         const struct mb_image *image, struct mb_run *run,
                                         struct mb_tune *tune, struct mb_err *err);
