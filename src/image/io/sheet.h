/* The contact sheet of one image: a row for each chain and a column for each level, so that
 * chains can be compared at a glance. */
#pragma once

#include "base/strlist.h"
#include "image/pyramid.h"

#define MB_TEXT_HEIGHT 20u /* of a line, in texels: 14 for glyphs, 6 for spacing */

/* A picture to draw on, for people to look at. */
struct mb_canvas {
    struct mb_extent extent;
    uint8_t *rgba; /* [height][width][4], opaque; owned */
};

void mb_canvas_finish(struct mb_canvas *canvas);

/* The width of a line of text as drawn. Bytes that are not printable ASCII become '?'. */
uint32_t mb_text_width(const char *text);

struct mb_sheet {
    struct mb_layout layout;  /* of the chains */
    struct mb_extent tile;    /* every level is fitted into it */
    uint32_t column_width;    /* a tile and the gap behind it */
    struct mb_strlist labels; /* of the rows */
    struct mb_canvas tiles;   /* of all rows and levels, each with a line around it */
};

void mb_sheet_init(struct mb_sheet *sheet, const struct mb_layout *layout);
void mb_sheet_finish(struct mb_sheet *sheet);

/* Add a row: the first layer of a chain, a packed block of the sheet's layout. Levels that are
 * too large are reduced by area; small ones are enlarged by a whole factor, each texel a
 * square; transparent texels show the squares behind them. Fails only if out of memory
 * (MB_ERRC_RUNTIME). */
MB_MUST_CHECK enum mb_status mb_sheet_add(struct mb_sheet *sheet, const char *label,
                                          const void *block, struct mb_err *err);

/* Draw the rows under `title`, and `footer` below them, on a canvas that the caller finishes.
 */
MB_MUST_CHECK enum mb_status mb_sheet_draw(const struct mb_sheet *sheet, const char *title,
                                           const char *footer, struct mb_canvas *canvas,
                                           struct mb_err *err);
