/* The contact sheet of one image:
 *
 *   title
 *              level 0    level 1    ...
 *              451x300    225x150
 *              28 %       56 %
 *   golden     [tile]     [tile]
 *   spd        [tile]     [tile]
 *   footer
 *
 * A chain is reduced to a row of tiles when it is added, as the whole chains of all strategies
 * would not fit into memory. The font is stb_easy_font's: strokes one unit wide. */
#include "image/io/sheet.h"

#include <stb/stb_easy_font.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "image/io/write.h"

#define TILE_TEXELS   128u /* longer edge of a tile; levels of powers of two fill it */
#define LEAST_TEXELS  32u  /* least length of the shorter edge */
#define GAP_TEXELS    12u
#define CAPTION_LINES 3u
#define SQUARE_TEXELS 8u /* of the checkerboard behind transparent texels */
#define UNIT_TEXELS   2u /* a unit of the font: at one texel it is hard to read */

#define MAX_GLYPH_STROKES 24

/* A vertex as stb_easy_font writes it. */
struct vertex {
    float x, y, z;
    uint8_t rgba[4];
};

static const uint8_t ink[3] = {32, 32, 32}, faint_ink[3] = {96, 96, 96};
static const uint8_t frame_ink[3] = {176, 176, 176};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void mb_canvas_finish(struct mb_canvas *canvas)
{
    mb_free(canvas->rgba);
    *canvas = (struct mb_canvas){0};
}

/* Add white rows to a canvas, which keeps its width; a zeroed one gets `width`. */
MB_MUST_CHECK static enum mb_status grow(struct mb_canvas *canvas, uint32_t width,
                                         uint32_t n_rows, struct mb_err *err)
{
    const uint32_t height = canvas->extent.height + n_rows;
    const size_t n_old_bytes = (size_t)4 * width * canvas->extent.height;
    uint8_t *rgba = mb_realloc(canvas->rgba, (size_t)4 * width * height);
    MB_DO(MB_NEED(rgba, "contact sheet"));
    memset(rgba + n_old_bytes, 255, (size_t)4 * width * n_rows);
    *canvas = (struct mb_canvas){{width, height}, rgba};
    return MB_OK;
}

/* Fill a rectangle with an opaque colour, clipped to the canvas. */
static void fill(struct mb_canvas *canvas, struct mb_rect rect, const uint8_t rgb[3])
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

/* Draw a character, unless `canvas` is NULL; returns the advance to the next. A stroke is a
 * rectangle: its first corner is the top left, its third the bottom right. */
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
        fill(canvas, rect, rgb);
    }
    return UNIT_TEXELS * (uint32_t)stb_easy_font_width(text);
}

/* Draw a line of text, its top left at (x, y). Returns its width; draws nothing if `canvas` is
 * NULL. */
static uint32_t draw_text(struct mb_canvas *canvas, uint32_t x, uint32_t y, const char *text,
                          const uint8_t rgb[3])
{
    const uint32_t begin = x;
    for (size_t i = 0; text[i] != '\0'; i++) {
        const bool is_printable = text[i] >= ' ' && text[i] <= '~';
        x += draw_glyph(canvas, x, y, is_printable ? text[i] : '?', rgb);
    }
    return x - begin;
}

uint32_t mb_text_width(const char *text)
{
    return draw_text(NULL, 0, 0, text, NULL);
}

/* The size of `extent` when shown in `box`: enlarged by a whole factor or made smaller, with
 * its proportions kept as far as texels allow. */
static struct mb_extent shown_extent(struct mb_extent extent, struct mb_extent box)
{
    const uint64_t width = extent.width, height = extent.height;
    const uint32_t factor = least(box.width / extent.width, box.height / extent.height);
    if (factor > 0) {
        return (struct mb_extent){extent.width * factor, extent.height * factor};
    }
    if (width * box.height >= height * box.width) {
        return (struct mb_extent){box.width, most((uint32_t)(height * box.width / width), 1)};
    }
    return (struct mb_extent){most((uint32_t)(width * box.height / height), 1), box.height};
}

void mb_sheet_init(struct mb_sheet *sheet, const struct mb_layout *layout)
{
    const struct mb_extent base = layout->base;
    const uint32_t longer = most(base.width, base.height);
    const uint64_t width = (uint64_t)base.width * TILE_TEXELS / longer;
    const uint64_t height = (uint64_t)base.height * TILE_TEXELS / longer;
    char caption[32]; /* columns are at least this wide: "16384x16384" */
    snprintf(caption, sizeof caption, "%ux%u", base.width, base.height);
    *sheet = (struct mb_sheet){
        .layout = *layout,
        .tile = {most((uint32_t)width, LEAST_TEXELS), most((uint32_t)height, LEAST_TEXELS)},
    };
    sheet->column_width = most(sheet->tile.width, mb_text_width(caption)) + GAP_TEXELS;
}

void mb_sheet_finish(struct mb_sheet *sheet)
{
    mb_strlist_finish(&sheet->labels);
    mb_canvas_finish(&sheet->tiles);
}

/* The mean of texels [x[0], x[1]) by [y[0], y[1]), blended by alpha with the grey `ground`
 * behind them. */
static void mix(const uint8_t *rgba, uint32_t stride_texels, const uint32_t x[2],
                const uint32_t y[2], uint32_t ground, uint8_t out[3])
{
    uint64_t sum[3] = {0}, alpha_sum = 0;
    const uint64_t n = (uint64_t)(x[1] - x[0]) * (y[1] - y[0]);
    for (uint32_t row = y[0]; row < y[1]; row++) {
        const uint8_t *texel = rgba + 4 * ((size_t)row * stride_texels + x[0]);
        for (uint32_t column = x[0]; column < x[1]; column++, texel += 4) {
            sum[0] += (uint64_t)texel[0] * texel[3];
            sum[1] += (uint64_t)texel[1] * texel[3];
            sum[2] += (uint64_t)texel[2] * texel[3];
            alpha_sum += texel[3];
        }
    }
    for (int c = 0; c < 3; c++) {
        const uint64_t total = sum[c] + ground * (n * 255 - alpha_sum);
        out[c] = (uint8_t)((total + n * 255 / 2) / (n * 255));
    }
}

/* The range, never empty, of `n_source` texels that the tile's texel `i` of `n` covers. */
static void source_range(uint32_t i, uint32_t n, uint32_t n_source, uint32_t range[2])
{
    range[0] = (uint32_t)((uint64_t)i * n_source / n);
    range[1] = most((uint32_t)((uint64_t)(i + 1) * n_source / n), range[0] + 1);
}

/* Draw a level in the middle of its tile, whose top left is (left, top), with a frame around
 * the level, as a white level would be invisible without one. */
static void draw_tile(struct mb_canvas *canvas, uint32_t left, uint32_t top,
                      struct mb_extent tile, struct mb_extent level, const uint8_t *rgba)
{
    const struct mb_extent shown = shown_extent(level, tile);
    left += (tile.width - shown.width) / 2;
    top += (tile.height - shown.height) / 2;
    fill(canvas, (struct mb_rect){left - 1, top - 1, shown.width + 2, shown.height + 2},
         frame_ink);
    for (uint32_t row = 0; row < shown.height; row++) {
        uint32_t x[2], y[2];
        source_range(row, shown.height, level.height, y);
        for (uint32_t column = 0; column < shown.width; column++) {
            const bool is_dark = ((row / SQUARE_TEXELS) ^ (column / SQUARE_TEXELS)) & 1u;
            const size_t at = (size_t)(top + row) * canvas->extent.width + left + column;
            source_range(column, shown.width, level.width, x);
            mix(rgba, level.width, x, y, is_dark ? 153 : 204, canvas->rgba + 4 * at);
        }
    }
}

enum mb_status mb_sheet_add(struct mb_sheet *sheet, const char *label, const void *block,
                            struct mb_err *err)
{
    const struct mb_layout *layout = &sheet->layout;
    const uint32_t top = 1 + sheet->tiles.extent.height;
    MB_FREED uint8_t *rgba = mb_malloc((size_t)layout->base.width * layout->base.height * 4);
    MB_DO(MB_NEED(rgba, "contact sheet"));
    MB_DO(grow(&sheet->tiles, 1 + sheet->column_width * layout->n_levels,
               sheet->tile.height + GAP_TEXELS, err));
    MB_DO(mb_strlist_add(&sheet->labels, err, "%s", label));
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(layout->base, level);
        mb_format_convert(layout->format, mb_layout_level(layout, block, level, 0),
                          (size_t)extent.width * extent.height, mb_format_find("rgba8"), rgba);
        draw_tile(&sheet->tiles, 1 + level * sheet->column_width, top, sheet->tile, extent,
                  rgba);
    }
    return MB_OK;
}

/* Draw the captions: "level 2", its size, and the scale at which it is shown. */
static void draw_captions(const struct mb_sheet *sheet, struct mb_canvas *canvas, uint32_t left,
                          uint32_t y)
{
    for (uint32_t i = 0; i < sheet->layout.n_levels; i++) {
        const struct mb_extent level = mb_level_extent(sheet->layout.base, i);
        const uint32_t width = shown_extent(level, sheet->tile).width;
        const uint32_t percent = 100 * width / level.width;
        char line[CAPTION_LINES][32];
        snprintf(line[0], sizeof line[0], "level %u", i);
        snprintf(line[1], sizeof line[1], "%ux%u", level.width, level.height);
        if (width >= level.width) {
            snprintf(line[2], sizeof line[2], "x %u", width / level.width);
        } else {
            snprintf(line[2], sizeof line[2], percent > 0 ? "%u %%" : "< 1 %%", percent);
        }
        for (uint32_t k = 0; k < CAPTION_LINES; k++) {
            draw_text(canvas, left, y + k * MB_TEXT_HEIGHT, line[k], k == 0 ? ink : faint_ink);
        }
        left += sheet->column_width;
    }
}

/* Draw the rows, with the top left of the first tile at (left, y). */
static void draw_rows(const struct mb_sheet *sheet, struct mb_canvas *canvas, uint32_t left,
                      uint32_t y)
{
    const struct mb_extent tiles = sheet->tiles.extent;
    for (uint32_t i = 0; i < tiles.height; i++) {
        memcpy(canvas->rgba + 4 * ((size_t)(y + i - 1) * canvas->extent.width + left - 1),
               sheet->tiles.rgba + (size_t)4 * i * tiles.width, (size_t)4 * tiles.width);
    }
    for (size_t i = 0; i < sheet->labels.n; i++) {
        draw_text(canvas, GAP_TEXELS, y, sheet->labels.items[i], ink);
        y += sheet->tile.height + GAP_TEXELS;
    }
}

enum mb_status mb_sheet_draw(const struct mb_sheet *sheet, const char *title,
                             const char *footer, struct mb_canvas *canvas, struct mb_err *err)
{
    const struct mb_extent tiles = sheet->tiles.extent;
    const uint32_t captions_y = MB_TEXT_HEIGHT + 2 * GAP_TEXELS;
    const uint32_t tiles_y = captions_y + CAPTION_LINES * MB_TEXT_HEIGHT + GAP_TEXELS;
    const uint32_t footer_y = tiles_y + tiles.height;
    uint32_t label_width = 0;
    for (size_t i = 0; i < sheet->labels.n; i++) {
        label_width = most(label_width, mb_text_width(sheet->labels.items[i]));
    }
    const uint32_t left = label_width + 2 * GAP_TEXELS;
    const uint32_t text_width = most(mb_text_width(title), mb_text_width(footer));
    *canvas = (struct mb_canvas){0};
    MB_DO(grow(canvas, most(left - 1 + tiles.width, text_width + 2 * GAP_TEXELS),
               footer_y + MB_TEXT_HEIGHT + GAP_TEXELS, err));
    draw_text(canvas, GAP_TEXELS, GAP_TEXELS, title, ink);
    draw_captions(sheet, canvas, left, captions_y);
    draw_rows(sheet, canvas, left, tiles_y);
    draw_text(canvas, GAP_TEXELS, footer_y, footer, faint_ink);
    return MB_OK;
}
