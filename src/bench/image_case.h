/* From an input to a case: its size, format and task, and the texels of level 0. */
#pragma once

#include "bench/settings.h"
#include "result/result.h"
#include "image/image.h"

/* Check that the rectangle of an update lies within the image, and that a cube is square, at
 * every size asked for. Else MB_ERRC_USAGE, with `input` as the image's name. */
MB_MUST_CHECK enum mb_status mb_image_check_shapes(const struct mb_settings *settings,
                                                   const struct mb_image *image,
                                                   const char *input, struct mb_err *err);

/* Fill in what is known of a zeroed case before it runs: names, layout, task, compulsory bytes.
 * `index` counts the images of the run (mb_bench_n_images): all sizes of the first input in
 * the first format, then in the next, then of the next input. `image` is the input; its texels
 * are not needed. */
void mb_image_describe_case(const struct mb_image *image, const struct mb_settings *settings,
                            size_t index, struct mb_case *c);

/* Do the same, and make the texels: `*source` is level 0 of every layer as it is uploaded,
 * owned by the caller (mb_free). */
MB_MUST_CHECK enum mb_status mb_image_make_case(const struct mb_image *image,
                                                const struct mb_settings *settings,
                                                size_t index, struct mb_case *c, void **source,
                                                struct mb_err *err);

/* Fill in the conditions that the settings ask for on this device; returns their number, at
 * least 1. */
size_t mb_conditions(const struct mb_gpu *gpu, const struct mb_settings *settings,
                     struct mb_condition out[MB_MAX_CONDITIONS]);
