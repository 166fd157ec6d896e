/* The door to stb_easy_font, which is compiled in font.c alone, without warnings. */
#pragma once

#include "image/pyramid.h"

#define MB_GLYPH_MAX_STROKES 24

/* The strokes of a printable ASCII character in units of the font, whose lines are 12 high,
 * from the top left of its line; and how far it is to the next one. Returns how many they are.
 */
size_t mb_font_glyph(char character, struct mb_rect strokes[MB_GLYPH_MAX_STROKES],
                     uint32_t *advance);
