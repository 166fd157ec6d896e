/* The contact sheet of one image: a row for each chain, golden ones first, and a column for
 * each level, so that chains can be compared at a glance. */
#pragma once

#include "image/io/canvas.h"

struct mb_sheet_row {
    char *label;
    struct mb_canvas tiles; /* all levels, side by side, each with a line around it */
};

struct mb_sheet {
    struct mb_layout layout;   /* of the chains */
    uint32_t layer;            /* of them that is drawn */
    struct mb_extent tile;     /* what every level is made to fit */
    uint32_t column_width;     /* a tile and the gap behind it */
    struct mb_sheet_row *rows; /* golden ones first; owned */
    size_t n_rows, n_golden;
};

void mb_sheet_init(struct mb_sheet *sheet, const struct mb_layout *layout, uint32_t layer);
void mb_sheet_finish(struct mb_sheet *sheet);

/* Add the layer of a chain, a packed block of the sheet's layout. Levels that are too large are
 * reduced by area; small ones are enlarged by a whole factor, each texel a square; what is
 * transparent shows squares. Fails only without memory (MB_ERRC_RUNTIME). */
MB_MUST_CHECK enum mb_status mb_sheet_add(struct mb_sheet *sheet, const char *label,
                                          bool is_golden, const void *block,
                                          struct mb_err *err);

/* Draw the rows under `title`, and `footer` below them, on a canvas that the caller finishes.
 */
MB_MUST_CHECK enum mb_status mb_sheet_draw(const struct mb_sheet *sheet, const char *title,
                                           const char *footer, struct mb_canvas *canvas,
                                           struct mb_err *err);
