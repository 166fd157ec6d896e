/* From inputs to cases: each input in each format at each size is a case. */
#pragma once

#include "bench/settings.h"
#include "image/image.h"
#include "result/result.h"

/* The inputs of a run, all checked before the first case. */
struct mb_inputs {
    struct mb_image *images; /* [n_inputs]; if texels are NULL: mb_inputs_load() */
    size_t n_inputs;
};

/* Open every input, so that a bad one is reported before the run begins. MB_ERRC_USAGE if, at
 * any size asked for, an update's rectangle exceeds the input or a cube is not square. Up to 1
 * GiB of texels are kept. */
MB_MUST_CHECK enum mb_status mb_inputs_open(const struct mb_settings *settings,
                                            struct mb_inputs *inputs, struct mb_err *err);
void mb_inputs_finish(struct mb_inputs *inputs);

/* Decode an input again if its texels were not kept. */
MB_MUST_CHECK enum mb_status mb_inputs_load(const struct mb_settings *settings,
                                            struct mb_inputs *inputs, size_t index,
                                            struct mb_err *err);

/* Fill in what is known of a zeroed case before it runs: names, layout, task, compulsory bytes.
 * `index` numbers the images of the run: the size changes fastest, then the format, then the
 * input. `image` is the input; its texels are not needed. */
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
