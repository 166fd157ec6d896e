/* The contact sheet of an image (--images sheet): all its chains in one picture, sheet.png. */
#pragma once

#include "result/result.h"
#include "bench/verify/reference.h"
#include "cli/picture.h"
#include "image/io/sheet.h"

/* Of the image that is being run; zeroed: of none. */
struct mb_sheets {
    struct mb_text folder; /* of the case, relative to the output folder */
    char title[512];       /* what is drawn, in words */
    bool is_clamped;       /* PNG holds less than the texels do */
    uint32_t n_layers;     /* that are drawn */
    uint32_t policies;     /* mask of 1 << mb_policy: golden chains that are in */
    struct mb_sheet layer[MB_MAX_PICTURE_LAYERS];
};

void mb_sheets_finish(struct mb_sheets *sheets);

/* Add the chain of `result`, a packed block of c->layout, and, with a reference, the golden
 * one that it was held to, after mb_pictures_write(); note the files that mb_sheets_write makes
 * in result->images. Rows of another image are dropped. */
MB_MUST_CHECK enum mb_status mb_sheets_add(struct mb_sheets *sheets, const struct mb_case *c,
                                           struct mb_result *result, const void *block,
                                           struct mb_reference *reference, struct mb_err *err);

/* Write DIR/FOLDER/sheet.png, and of layers from 1 on sheet_layer_NN.png, and drop the rows;
 * does nothing where there are none. `run` is named below the rows. Results of `c` no longer
 * tell of a sheet that could not be written, and have a warning. */
MB_MUST_CHECK enum mb_status mb_sheets_write(struct mb_sheets *sheets, const char *dir,
                                             const struct mb_run *run, const struct mb_case *c,
                                             struct mb_err *err);
