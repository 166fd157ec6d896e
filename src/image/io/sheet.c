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
 * Each row is reduced to its tiles when it is added, as whole chains of all strategies would
 * not fit into memory. */
#include "image/io/sheet.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "image/io/png.h"

#define TILE_TEXELS   128u /* the longer edge of a tile: levels of powers of two fill it */
#define LEAST_TEXELS  32u  /* the shorter edge, however narrow the image */
#define GAP_TEXELS    12u
#define CAPTION_LINES 3u
#define SQUARE_TEXELS 8u /* behind what is transparent */

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

/* As large as `extent` can be shown in `box`: enlarged by a whole factor, or made smaller, its
 * proportions kept as far as texels allow. */
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

void mb_sheet_init(struct mb_sheet *sheet, const struct mb_layout *layout, uint32_t layer)
{
    const struct mb_extent base = layout->base;
    const uint32_t longer = most(base.width, base.height);
    const uint64_t width = (uint64_t)base.width * TILE_TEXELS / longer;
    const uint64_t height = (uint64_t)base.height * TILE_TEXELS / longer;
    char caption[32]; /* a column is as wide as it needs at least: "16384x16384" */
    const int n = snprintf(caption, sizeof caption, "%ux%u", base.width, base.height);
    *sheet = (struct mb_sheet){
        .layout = *layout,
        .layer = layer,
        .tile = {most((uint32_t)width, LEAST_TEXELS), most((uint32_t)height, LEAST_TEXELS)},
    };
    sheet->column_width =
        most(sheet->tile.width, mb_text_width(caption, (size_t)n)) + GAP_TEXELS;
}

void mb_sheet_finish(struct mb_sheet *sheet)
{
    for (size_t i = 0; i < sheet->n_rows; i++) {
        mb_free(sheet->rows[i].label);
        mb_canvas_finish(&sheet->rows[i].tiles);
    }
    mb_free(sheet->rows);
    *sheet = (struct mb_sheet){0};
}

/* The mean of texels [x_begin, x_end) x [y_begin, y_end), each weighted by its alpha, over a
 * square of the ground. */
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

/* Texels of an axis of `n_source` that are under texel `i` of `n` of the tile: at least one. */
static void source_range(uint32_t i, uint32_t n, uint32_t n_source, uint32_t range[2])
{
    range[0] = (uint32_t)((uint64_t)i * n_source / n);
    range[1] = most((uint32_t)((uint64_t)(i + 1) * n_source / n), range[0] + 1);
}

/* One level in the middle of its tile, whose top left is (left, 1), with a line just outside
 * it, without which a white level would be invisible. */
static void draw_tile(struct mb_canvas *canvas, uint32_t left, struct mb_extent tile,
                      struct mb_extent level, const uint8_t *rgba)
{
    const struct mb_extent shown = shown_extent(level, tile);
    const uint32_t top = 1 + (tile.height - shown.height) / 2;
    left += (tile.width - shown.width) / 2;
    mb_canvas_fill(canvas,
                   (struct mb_rect){left - 1, top - 1, shown.width + 2, shown.height + 2},
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

static enum mb_status draw_tiles(const struct mb_sheet *sheet, const void *block,
                                 struct mb_canvas *tiles, struct mb_err *err)
{
    const struct mb_extent base = sheet->layout.base;
    const struct mb_extent extent = {1 + sheet->column_width * sheet->layout.n_levels,
                                     sheet->tile.height + 2};
    MB_FREED uint8_t *rgba = mb_malloc((size_t)base.width * base.height * 4);
    MB_DO(MB_NEED(rgba, "contact sheet"));
    MB_DO(mb_canvas_init(tiles, extent, err));
    for (uint32_t level = 0; level < sheet->layout.n_levels; level++) {
        mb_level_to_rgba8(&sheet->layout, block, level, sheet->layer, rgba);
        draw_tile(tiles, 1 + level * sheet->column_width, sheet->tile,
                  mb_level_extent(base, level), rgba);
    }
    return MB_OK;
}

enum mb_status mb_sheet_add(struct mb_sheet *sheet, const char *label, bool is_golden,
                            const void *block, struct mb_err *err)
{
    struct mb_sheet_row row = {.label = mb_strdup(label)};
    struct mb_sheet_row *rows = mb_grow(sheet->rows, sheet->n_rows, sizeof *rows);
    sheet->rows = rows ? rows : sheet->rows;
    enum mb_status status = MB_OK;
    MB_TRY(MB_NEED(rows && row.label, "contact sheet"));
    MB_TRY(draw_tiles(sheet, block, &row.tiles, err));
    rows += is_golden ? sheet->n_golden++ : sheet->n_rows;
    memmove(rows + 1, rows, (size_t)(sheet->rows + sheet->n_rows - rows) * sizeof *rows);
    *rows = row;
    sheet->n_rows++;
    return MB_OK;
fail:
    mb_free(row.label);
    mb_canvas_finish(&row.tiles);
    return status;
}

/* "level 2", its size, and how large it is shown. */
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
            mb_canvas_text(canvas, left, y + k * MB_TEXT_HEIGHT, line[k], sizeof line[k],
                           k == 0 ? ink : faint_ink);
        }
        left += sheet->column_width;
    }
}

static void draw_row(const struct mb_sheet_row *row, struct mb_canvas *canvas, uint32_t left,
                     uint32_t y)
{
    const struct mb_canvas *tiles = &row->tiles;
    mb_canvas_text(canvas, GAP_TEXELS, y, row->label, strlen(row->label), ink);
    for (uint32_t i = 0; i < tiles->extent.height; i++) {
        memcpy(canvas->rgba + 4 * ((size_t)(y + i - 1) * canvas->extent.width + left - 1),
               tiles->rgba + (size_t)4 * i * tiles->extent.width,
               (size_t)4 * tiles->extent.width);
    }
}

enum mb_status mb_sheet_draw(const struct mb_sheet *sheet, const char *title,
                             const char *footer, struct mb_canvas *canvas, struct mb_err *err)
{
    const uint32_t head_lines = 1 + CAPTION_LINES; /* the title's, and the columns' */
    const uint32_t row_height = sheet->tile.height + GAP_TEXELS;
    uint32_t label_width = 0;
    for (size_t i = 0; i < sheet->n_rows; i++) {
        const char *label = sheet->rows[i].label;
        label_width = most(label_width, mb_text_width(label, strlen(label)));
    }
    const uint32_t left = label_width + 2 * GAP_TEXELS;
    const uint32_t text_width =
        most(mb_text_width(title, strlen(title)), mb_text_width(footer, strlen(footer)));
    const struct mb_extent extent = {
        most(left + sheet->column_width * sheet->layout.n_levels, text_width + 2 * GAP_TEXELS),
        (head_lines + 1) * MB_TEXT_HEIGHT + 4 * GAP_TEXELS +
            (uint32_t)sheet->n_rows * row_height};
    MB_DO(mb_canvas_init(canvas, extent, err));
    mb_canvas_text(canvas, GAP_TEXELS, GAP_TEXELS, title, strlen(title), ink);
    uint32_t y = MB_TEXT_HEIGHT + 2 * GAP_TEXELS;
    draw_captions(sheet, canvas, left, y);
    y += CAPTION_LINES * MB_TEXT_HEIGHT + GAP_TEXELS;
    for (size_t i = 0; i < sheet->n_rows; i++) {
        draw_row(&sheet->rows[i], canvas, left, y);
        y += row_height;
    }
    mb_canvas_text(canvas, GAP_TEXELS, y, footer, strlen(footer), faint_ink);
    return MB_OK;
}
