/* What a run leaves of its chains in the output folder: pictures (--images) and texture files
 * (--chain). */
#pragma once

#include "bench/settings.h"
#include "bench/verify/reference_cache.h"
#include "image/io/sheet.h"
#include "result/result.h"

#define MB_MAX_PICTURE_LAYERS 6u /* a cube */

struct mb_pictures {
    const char *dir;                    /* the output folder; borrowed */
    const struct mb_settings *settings; /* its inputs are never replaced */
    const char *copies[3];              /* NULL or files of the user's that are not replaced */
    struct mb_err unwritten;            /* of the first file that could not be, or 0 */
    /* The contact sheet of the image that is being run: all its chains in one picture. */
    uint32_t n_layers; /* that are drawn; 0: no sheet is begun */
    uint32_t policies; /* mask of 1 << mb_policy: references that are in */
    struct mb_sheet sheet[MB_MAX_PICTURE_LAYERS];
};

/* Drop the sheet. */
void mb_pictures_finish(struct mb_pictures *pictures);

/* Write into DIR/<input>_<W>x<H>_<format>_<reduce>/<strategy>/ what the settings ask for
 * (error_NN.png for failed levels whenever there are pictures at all; chain.ktx2 and chain.dds
 * of a chain that verified), the pictures of the reference into golden-<policy>/ beside it, and
 * note the files in the result. The folder is that of mb_case_folder. Layers from 1 on have
 * "_layer_NN" in their names; those from MB_MAX_PICTURE_LAYERS on are left out, with a warning.
 * Float formats have a .hdr file beside each PNG, and a warning where PNG clamps.
 *
 * `block` is a packed block of c->layout; `reference` may be NULL: then there are no error
 * pictures and no golden ones. A file that cannot be written is a warning of the result, and
 * pictures->unwritten. */
MB_MUST_CHECK enum mb_status mb_pictures_add(struct mb_pictures *pictures,
                                             const struct mb_case *c, struct mb_result *result,
                                             const void *block, struct mb_reference *reference,
                                             struct mb_err *err);

/* Write the contact sheet of a case, sheet.png, if it has one. `run` is named below the rows.
 */
MB_MUST_CHECK enum mb_status mb_pictures_case_done(struct mb_pictures *pictures,
                                                   const struct mb_run *run,
                                                   const struct mb_case *c, struct mb_err *err);

/* Remove the file of the case that was written last, and what results tell of it. False if
 * there is none. */
bool mb_pictures_give_up_last(struct mb_pictures *pictures, const struct mb_case *c);
