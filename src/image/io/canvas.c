/* A picture to draw on. The font is stb_easy_font's, of strokes one unit wide. */
#include "image/io/canvas.h"

#include <stb/stb_easy_font.h>
#include <string.h>

#include "base/alloc.h"

#define UNIT_TEXELS       2u /* the font's own size is too small to be read with ease */
#define MAX_GLYPH_STROKES 24

/* As stb_easy_font writes it. */
struct vertex {
    float x, y, z;
    uint8_t rgba[4];
};

enum mb_status mb_canvas_init(struct mb_canvas *canvas, struct mb_extent extent,
                              struct mb_err *err)
{
    const size_t n_texels = (size_t)extent.width * extent.height;
    *canvas = (struct mb_canvas){.extent = extent, .rgba = mb_alloc(n_texels, 4)};
    MB_DO(MB_NEED(canvas->rgba, "picture"));
    memset(canvas->rgba, 255, n_texels * 4);
    return MB_OK;
}

void mb_canvas_finish(struct mb_canvas *canvas)
{
    mb_free(canvas->rgba);
    *canvas = (struct mb_canvas){0};
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void mb_canvas_fill(struct mb_canvas *canvas, struct mb_rect rect, const uint8_t rgb[3])
{
    const struct mb_extent extent = canvas->extent;
    const uint32_t x_begin = least(rect.x, extent.width);
    const uint32_t y_begin = least(rect.y, extent.height);
    const uint32_t x_end = x_begin + least(rect.width, extent.width - x_begin);
    const uint32_t y_end = y_begin + least(rect.height, extent.height - y_begin);
    for (uint32_t y = y_begin; y < y_end; y++) {
        for (uint32_t x = x_begin; x < x_end; x++) {
            memcpy(canvas->rgba + 4 * ((size_t)y * extent.width + x), rgb, 3);
        }
    }
}

/* One character; returns how far it is to the next. A stroke is a rectangle: its first corner
 * is the least, the third the largest. */
static uint32_t draw_glyph(struct mb_canvas *canvas, uint32_t x, uint32_t y, char character,
                           const uint8_t rgb[3])
{
    struct vertex strokes[MAX_GLYPH_STROKES][4];
    char text[] = {character, '\0'};
    const int n = stb_easy_font_print(0, 0, text, NULL, strokes, (int)sizeof strokes);
    for (int i = 0; canvas != NULL && i < n; i++) {
        const struct vertex *first = &strokes[i][0], *third = &strokes[i][2];
        const struct mb_rect rect = {
            .x = x + UNIT_TEXELS * (uint32_t)first->x,
            .y = y + UNIT_TEXELS * (uint32_t)first->y,
            .width = UNIT_TEXELS * (uint32_t)(third->x - first->x),
            .height = UNIT_TEXELS * (uint32_t)(third->y - first->y),
        };
        mb_canvas_fill(canvas, rect, rgb);
    }
    return UNIT_TEXELS * (uint32_t)stb_easy_font_width(text);
}

uint32_t mb_canvas_text(struct mb_canvas *canvas, uint32_t x, uint32_t y, const char *text,
                        size_t n_bytes, const uint8_t rgb[3])
{
    const uint32_t begin = x;
    for (size_t i = 0; i < n_bytes && text[i] != '\0'; i++) {
        const bool is_printable = text[i] >= ' ' && text[i] <= '~';
        x += draw_glyph(canvas, x, y, is_printable ? text[i] : '?', rgb);
    }
    return x - begin;
}

uint32_t mb_text_width(const char *text, size_t n_bytes)
{
    return mb_canvas_text(NULL, 0, 0, text, n_bytes, NULL);
}
