/* stb_easy_font, compiled here and nowhere else. */
#include "image/io/font.h"

#include <stb/stb_easy_font.h>

/* As stb_easy_font writes it; a quad is a rectangle, its first corner the least, the third the
 * largest. */
struct vertex {
    float x, y, z;
    uint8_t rgba[4];
};

size_t mb_font_glyph(char character, struct mb_rect strokes[MB_GLYPH_MAX_STROKES],
                     uint32_t *advance)
{
    struct vertex quads[MB_GLYPH_MAX_STROKES][4];
    char text[] = {character, '\0'};
    const int n = stb_easy_font_print(0, 0, text, NULL, quads, (int)sizeof quads);
    for (int i = 0; i < n; i++) {
        const struct vertex *least = &quads[i][0], *most = &quads[i][2];
        strokes[i] = (struct mb_rect){
            .x = (uint32_t)least->x,
            .y = (uint32_t)least->y,
            .width = (uint32_t)(most->x - least->x),
            .height = (uint32_t)(most->y - least->y),
        };
    }
    *advance = (uint32_t)stb_easy_font_width(text);
    return (size_t)n;
}
