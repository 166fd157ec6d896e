/* The contact sheet of one image: a row for each chain, golden ones first, and a column for
 * each level, so that chains can be compared at a glance. */
#ifndef MB_IMAGE_SHEET_H
#define MB_IMAGE_SHEET_H

#include "image/canvas.h"

struct mb_sheet_row {
    char *label;
    bool is_golden;
    struct mb_canvas tiles; /* all levels, side by side */
};

struct mb_sheet {
    struct mb_extent base;
    uint32_t n_levels;
    struct mb_extent tile;     /* what every level is made to fit */
    struct mb_sheet_row *rows; /* owned */
    size_t n_rows;
};

void mb_sheet_init(struct mb_sheet *sheet, struct mb_extent base, uint32_t n_levels);
void mb_sheet_finish(struct mb_sheet *sheet);

/* Add one layer of a chain, a packed block of `layout`, which is of the sheet's size and
 * levels. Levels that are too large are reduced by area; small ones are enlarged by a whole
 * factor, each texel a square; what is transparent shows squares. Fails only without memory
 * (MB_ERRC_RUNTIME). */
MB_MUST_CHECK enum mb_status mb_sheet_add(struct mb_sheet *sheet, const char *label,
                                          bool is_golden, const struct mb_layout *layout,
                                          const void *block, uint32_t layer,
                                          struct mb_err *err);

/* Draw the rows under `title`, and `footer` below them, on a canvas that the caller finishes.
 */
MB_MUST_CHECK enum mb_status mb_sheet_draw(const struct mb_sheet *sheet, const char *title,
                                           const char *footer, struct mb_canvas *canvas,
                                           struct mb_err *err);

#endif
