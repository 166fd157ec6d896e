/* PNG files of a result's chain. */
#pragma once

#include "base/text.h"
#include "bench/verify/reference.h"
#include "cli/artifact.h"
#include "result/result.h"

#define MB_MAX_PICTURE_LAYERS 6u /* a cube */

struct mb_picture_options {
    struct mb_artifacts artifacts;
    struct mb_reference *reference; /* NULL: neither error pictures nor golden ones */
};

/* Layers of a chain that are drawn. */
uint32_t mb_picture_layers(const struct mb_layout *layout);

/* "atlas", or of layers from 1 on "atlas_layer_01". */
struct mb_text mb_picture_stem(const char *stem, uint32_t layer);

/* Find out before anything is measured whether the pictures and texture files of a case can be
 * written, as far as its folders are there already: MB_ERRC_OUTPUT if not. `c` is described. */
MB_MUST_CHECK enum mb_status mb_pictures_check(const char *dir, const struct mb_case *c,
                                               const struct mb_variant *rows, size_t n_rows,
                                               struct mb_err *err);

/* Write into DIR/<input>_<W>x<H>_<format>_<reduce>/<strategy>/ what the settings ask for
 * (error_NN.png for failed levels whenever there are pictures at all), the same of the golden
 * chain into golden-<policy>/ beside it, and note the files in result->images. The folder is
 * that of mb_case_folder. Layers from 1 on have "_layer_NN" in their names; those from
 * MB_MAX_PICTURE_LAYERS on are left out, with a warning. Float formats have a .hdr file beside
 * each PNG, and a warning where PNG clamps. */
MB_MUST_CHECK enum mb_status mb_pictures_write(const struct mb_picture_options *options,
                                               const struct mb_case *c,
                                               struct mb_result *result, const void *block,
                                               struct mb_err *err);
