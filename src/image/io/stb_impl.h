/* The door to stb: the implementation is compiled once, in stb_impl.c, without warnings. */
#ifndef MB_IMAGE_IO_STB_IMPL_H
#define MB_IMAGE_IO_STB_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest block that stb may allocate in the calling thread from now: a hostile file cannot
 * make it ask for more. Blocks come from mb_malloc and are freed with mb_free. */
void mb_stb_set_cap(size_t max_block_bytes);

/* True if stb asked for more since the cap was set. */
bool mb_stb_is_cap_hit(void);

/* PNG of rgba[height][width][4]; every size, the result's included, must fit an int (see
 * mb_png_encode). NULL without memory; freed with mb_free. */
uint8_t *mb_stb_png_encode(const uint8_t *rgba, int width, int height, int *n_bytes);

/* A rectangle of a glyph, in units of the font, whose lines are 12 high. */
struct mb_stb_stroke {
    uint32_t x, y, width, height;
};

#define MB_STB_MAX_STROKES 24

/* The strokes of a printable ASCII character, from the top left of its line, and how far it is
 * to the next one. Returns how many they are. */
size_t mb_stb_glyph(char character, struct mb_stb_stroke strokes[MB_STB_MAX_STROKES],
                    uint32_t *advance);

#endif
