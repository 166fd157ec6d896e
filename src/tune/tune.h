/* Which strategy, with which parameters, is the fastest here: a run over every variant, at each
 * size and in each format, and a table of decisions that is made of it.
 *
 * There may be hundreds of variants: where they are more than a final takes, a pass times all
 * of them with few samples, unverified, in heats that share one variant. What is left is
 * measured together as by `mipbench run`: verified, interleaved, with an A/A twin and
 * intervals. Nothing else is decided on. */
#pragma once

#include "bench/case.h"
#include "image/image.h"
#include "tune/choose.h"

/* The largest number of variants in a heat, without the one that all heats share; and of
 * instances, since each variant is set up once for every image of the rotation. */
#define MB_TUNE_HEAT   48u
#define MB_TUNE_TRIALS 1536u
#define MB_TUNE_BLOCKS 20u /* of the pass */

struct mb_tune_options {
    const struct mb_gpu *gpu;
    const struct mb_settings *settings; /* one input, one condition, verified */
    const char *const *formats;         /* names; NULL in it: auto */
    size_t n_formats;                   /* at least 1 */
    const struct mb_variant *rows;
    size_t n_rows;
    const struct mb_hooks *hooks;
};

/* Tune every size and format on `image`. Each becomes a case of the run: of the variants that
 * can run there, those that come to the same commands taken once; what did not get to the final
 * is a skipped row. An interrupted run returns MB_OK with run->complete false, and without the
 * case that was cut short. UNSUPPORTED on a device without timestamps. After a failure what was
 * complete before is in `tune`; the caller finishes it (mb_tune_finish), before the run. */
MB_MUST_CHECK enum mb_status mb_tune_run(const struct mb_tune_options *options,
                                         const struct mb_image *image, struct mb_run *run,
                                         struct mb_tune *tune, struct mb_err *err);
