/* Writes a run's chains to the output folder, as pictures (--images) and texture files
 * (--chain). */
#pragma once

#include "bench/settings.h"
#include "bench/verify/reference_cache.h"
#include "image/io/sheet.h"
#include "result/result.h"

#define MB_MAX_PICTURE_LAYERS 6u /* a cube */

struct mb_pictures {
    const char *dir;                    /* the output folder; borrowed */
    const struct mb_settings *settings; /* settings->inputs are files that are never replaced */
    struct mb_err unwritten; /* error of the first file that could not be written, or 0 */
    /* The contact sheet of the image that is being run: the first layer of all its chains. */
    struct mb_sheet sheet;
    uint32_t policies; /* mask of 1 << mb_policy: policies whose references are already drawn */
};

/* Drop the sheet. */
void mb_pictures_finish(struct mb_pictures *pictures);

/* Write what the settings ask for into DIR/<input>_<W>x<H>_<format>_<reduce>/<strategy>/ (see
 * mb_case_folder), and note the files in the result. If any pictures are written, each failed
 * level gets an error_NN.png; only a verified chain gets chain.ktx2 and chain.dds. The pictures
 * of the reference go into golden-<policy>/ beside that folder. Layers from 1 on have
 * "_layer_NN" in their names; layers from MB_MAX_PICTURE_LAYERS on are left out, with a
 * warning. In float formats, atlases and levels have a .hdr file beside the PNG, and the result
 * a warning if PNG clamps values.
 *
 * `block` is a packed block of c->layout. If `reference` is NULL, there are no error pictures
 * and no golden ones. If a file cannot be written, the result gets a warning, and
 * pictures->unwritten is set. */
MB_MUST_CHECK enum mb_status mb_pictures_add(struct mb_pictures *pictures,
                                             const struct mb_case *c, struct mb_result *result,
                                             const void *block, struct mb_reference *reference,
                                             struct mb_err *err);

/* Write a case's contact sheet, sheet.png, if it has one. `run` names the device and driver. */
MB_MUST_CHECK enum mb_status mb_pictures_case_done(struct mb_pictures *pictures,
                                                   const struct mb_run *run,
                                                   const struct mb_case *c, struct mb_err *err);

/* Remove the last file written for the case, and remove its name from the results. False if
 * there is none. */
bool mb_pictures_give_up_last(struct mb_pictures *pictures, const struct mb_case *c);
