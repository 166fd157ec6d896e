/* The door to stb: the implementation is compiled once, in stb_impl.c, without warnings. */
#ifndef MB_IMAGE_STB_IMPL_H
#define MB_IMAGE_STB_IMPL_H

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

#endif
