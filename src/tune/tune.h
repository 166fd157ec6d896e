/* Which strategy, with which parameters, is the fastest here: every variant is measured, at
 * each size and in each format, and a table of decisions is made of it.
 *
 * There may be hundreds of variants, so it is a contest in passes. The first ones time all that
 * can run with few samples, in heats that share one variant, the anchor; a variant goes on if
 * its time, relative to the anchor's in the same blocks, is within a margin of the best of its
 * question. Those that are left are measured together as by `mipbench run`: verified,
 * interleaved, with an A/A twin and intervals. Nothing else is decided on. */
#ifndef MB_TUNE_TUNE_H
#define MB_TUNE_TUNE_H

#include "image/image.h"
#include "tune/contest.h"

/* Tune every size and format on `image`; each final is appended to the run. An interrupted
 * run returns MB_OK with run->complete false, and without the case that was cut short.
 * UNSUPPORTED on a device without timestamps. After a failure what was complete before is in
 * `tune`; the caller finishes it (mb_tune_finish), before the run. */
MB_MUST_CHECK enum mb_status mb_tune_run(const struct mb_tune_options *options,
                                         const struct mb_image *image, struct mb_run *run,
                                         struct mb_tune *tune, struct mb_err *err);
/* Whether anything was chosen, in any case. */
bool mb_tune_has_decisions(const struct mb_tune *tune);

/* The exit code that the outcome asks for: MB_ERRC_VERIFY, MB_ERRC_RUNTIME (a variant that
 * could not be set up), MB_ERRC_UNSUPPORTED (a case that nothing could be chosen in),
 * MB_ERRC_NONE. With one, `*why` is what is to be said. */
enum mb_errc mb_tune_verdict(const struct mb_tune *tune, struct mb_err *why);

#endif
