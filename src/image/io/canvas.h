/* A picture to draw on: rectangles and plain text, for pictures that people look at. */
#pragma once

#include "image/pyramid.h"

#define MB_TEXT_HEIGHT 20u /* of a line, in texels: glyphs of 14 and what is between lines */

struct mb_canvas {
    struct mb_extent extent;
    uint8_t *rgba; /* [height][width][4], opaque; owned */
};

/* All white. Fails without memory (MB_ERRC_RUNTIME). */
MB_MUST_CHECK enum mb_status mb_canvas_init(struct mb_canvas *canvas, struct mb_extent extent,
                                            struct mb_err *err);
void mb_canvas_finish(struct mb_canvas *canvas);

/* One opaque colour; what is outside is left out. */
void mb_canvas_fill(struct mb_canvas *canvas, struct mb_rect rect, const uint8_t rgb[3]);

/* One line of `n_bytes` bytes at most, its top left at (x, y). What is not printable ASCII
 * becomes '?'. Returns its width, and does nothing else where `canvas` is NULL. */
uint32_t mb_canvas_text(struct mb_canvas *canvas, uint32_t x, uint32_t y, const char *text,
                        size_t n_bytes, const uint8_t rgb[3]);

/* How wide mb_canvas_text draws the same. */
uint32_t mb_text_width(const char *text, size_t n_bytes);
