/* Finds the fastest variant at each size and in each format: a run over all variants, and a
 * table of decisions made from it.
 *
 * There may be hundreds of variants. If they are more than a final takes, a first pass times
 * all of them with few samples, unverified, in heats that share one variant. The best are
 * measured together as in any run: verified, interleaved, with an A/A twin and intervals. Only
 * this final decides. */
#pragma once

#include "bench/case.h"
#include "image/image.h"
#include "tune/choose.h"

/* A heat has at most so many variants, besides the one that all heats share, and so many
 * instances: each variant is set up once for every image of the rotation. */
#define MB_TUNE_HEAT   48u
#define MB_TUNE_TRIALS 1536u
#define MB_TUNE_BLOCKS 20u /* in the first pass */

struct mb_tune_options {
    const struct mb_gpu *gpu;
    const struct mb_settings *settings; /* one input, one condition, verified */
    const char *const *formats;         /* names; NULL in it: auto */
    size_t n_formats;                   /* at least 1 */
    const struct mb_variant *rows;
    size_t n_rows;
    const struct mb_hooks *hooks;
};

/* Tune every size and format on `image`. Each becomes a case of the run, with a row for each
 * variant that can run there; of variants with the same commands the first is kept, and those
 * that missed the final are skipped. An interrupted run returns MB_OK with run->complete false,
 * without the case that was cut short. UNSUPPORTED on a device without timestamps. After a
 * failure `tune` holds the cases that were complete; the caller finishes it (mb_tune_finish)
 * before the run. */
MB_MUST_CHECK enum mb_status mb_tune_run(const struct mb_tune_options *options,
                                         const struct mb_image *image, struct mb_run *run,
                                         struct mb_tune *tune, struct mb_err *err);
