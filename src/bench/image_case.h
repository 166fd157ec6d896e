/* An image of a run as a case: what is made of which input, before any of it is timed. */
#pragma once

#include "bench/settings.h"
#include "result/result.h"
#include "image/image.h"

/* The rectangle of an update lies within the image, and a cube is square, at all the sizes that
 * it will have; else MB_ERRC_USAGE, with `input` as its name. */
MB_MUST_CHECK enum mb_status mb_image_check_shapes(const struct mb_settings *settings,
                                                   const struct mb_image *image,
                                                   const char *input, struct mb_err *err);

/* Fill what is known of a zeroed case before it is run: names, layout, task, compulsory bytes.
 * `index` counts the images that the settings ask for, the sizes of `image`, an input, in turn
 * (mb_bench_n_images). Needs no texels. */
void mb_image_describe_case(const struct mb_image *image, const struct mb_settings *settings,
                            size_t index, struct mb_case *c);

/* The same, and what is known of its texels. `*source` is level 0 of every layer as it is
 * uploaded, owned by the caller (mb_free). */
MB_MUST_CHECK enum mb_status mb_image_make_case(const struct mb_image *image,
                                                const struct mb_settings *settings,
                                                size_t index, struct mb_case *c, void **source,
                                                struct mb_err *err);

/* The conditions that `settings` ask for on this device; returns their number, at least 1. */
size_t mb_conditions(const struct mb_gpu *gpu, const struct mb_settings *settings,
                     struct mb_condition out[MB_MAX_CONDITIONS]);
