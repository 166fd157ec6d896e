/* Lays out tables. Cells are kept as text, one after the other: widths and columns are chosen
 * once all rows are there. */
#include "cli/grid.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define MAX_COLUMNS    16
#define MAX_CELL_BYTES 1024 /* longer than any text of a result */
#define GAP            2    /* between columns */
#define MARGIN         2    /* before the first column, with the mark */
#define LINE_MARGIN    6    /* before a line below a row */
#define LONG_TEXT      40   /* after a wider text, the row goes on in the next line */
#define LAST_TEXT      20   /* least width of a text in the last column */
#define LEAST_SENTENCE 40   /* if there is less room beside a row, its sentence goes below */

struct mb_grid_row {
    const char *paint;
    size_t first_byte; /* of the row's cells in grid->text; each ends in '\0' */
    size_t n_cells;
    bool is_marked;
};

/* How a grid is laid out. */
struct layout {
    const struct mb_grid *grid;
    const struct mb_table_style *style;
    size_t width[MAX_COLUMNS]; /* 0: the column is left out */
};

void mb_grid_finish(struct mb_grid *grid)
{
    mb_strbuf_finish(&grid->text);
    mb_free(grid->rows);
    *grid = (struct mb_grid){0};
}

void mb_grid_row(struct mb_grid *grid, bool is_marked, const char *paint)
{
    struct mb_grid_row *rows = mb_grow(grid->rows, grid->n_rows, sizeof *rows);
    grid->text.failed = grid->text.failed || rows == NULL;
    grid->rows = rows != NULL ? rows : grid->rows;
    if (!grid->text.failed) {
        grid->rows[grid->n_rows++] = (struct mb_grid_row){
            .paint = paint, .first_byte = grid->text.n_bytes, .is_marked = is_marked};
    }
}

void mb_grid_cell(struct mb_grid *grid, const char *fmt, ...)
{
    char text[MAX_CELL_BYTES];
    va_list args;
    va_start(args, fmt);
    const size_t n_bytes = mb_utf8_sanitize_format(text, sizeof text, fmt, args);
    va_end(args);
    mb_strbuf_append_n(&grid->text, text, n_bytes + 1);
    if (!grid->text.failed) {
        grid->rows[grid->n_rows - 1].n_cells++;
    }
}

static const char *first_cell(const struct mb_grid *grid, const struct mb_grid_row *row)
{
    return grid->text.text + row->first_byte;
}

static const char *next_cell(const char *cell)
{
    return cell + strlen(cell) + 1;
}

/* Whether cell `c` is the last text of a row, which gets the rest of the line. */
static bool is_last_text(const struct mb_grid *grid, const struct mb_grid_row *row, size_t c)
{
    return c + 1 == row->n_cells && (c + 1 < grid->n_columns || !grid->columns[c].is_right);
}

/* Make each column as wide as its widest cell or its title, not counting texts wider than
 * `most`: after such a text, the row goes on in the next line. An empty column gets width 0. */
static void measure(struct layout *layout, size_t most)
{
    const struct mb_grid *grid = layout->grid;
    memset(layout->width, 0, sizeof layout->width);
    for (size_t i = 0; i < grid->n_rows; i++) {
        const struct mb_grid_row *row = &grid->rows[i];
        const char *cell = first_cell(grid, row);
        for (size_t c = 0; c < row->n_cells; c++, cell = next_cell(cell)) {
            const bool is_free = grid->columns[c].is_right || c + 1 == grid->n_columns;
            const char *title = grid->columns[c].title;
            const size_t least = title != NULL ? mb_utf8_columns(title) : 1;
            size_t n = mb_utf8_columns(cell);
            n = n > 0 && (n < least || (n > most && !is_free)) ? least : n;
            if (n > layout->width[c] && (c + 1 < row->n_cells || c + 1 == grid->n_columns)) {
                layout->width[c] = n;
            }
        }
    }
}

/* The width of the margin and of those of the first `n` columns that are shown, with their
 * gaps. */
static size_t indent_of(const struct layout *layout, size_t n)
{
    size_t n_columns = MARGIN;
    for (size_t c = 0; c < n; c++) {
        n_columns += layout->width[c] > 0 ? layout->width[c] + GAP : 0;
    }
    return n_columns;
}

static bool is_too_wide(const struct layout *layout)
{
    const size_t last = layout->grid->n_columns - 1, n_last = layout->width[last];
    const bool may_break = !layout->grid->columns[last].is_right && n_last > LAST_TEXT;
    return indent_of(layout, last) + (may_break ? LAST_TEXT : n_last) > layout->style->columns;
}

/* Drop the columns with the highest `drop`. False if no column can be dropped. */
static bool drop_next(struct layout *layout)
{
    const struct mb_grid *grid = layout->grid;
    int most = 0;
    for (size_t c = 0; c < grid->n_columns; c++) {
        most =
            layout->width[c] > 0 && grid->columns[c].drop > most ? grid->columns[c].drop : most;
    }
    for (size_t c = 0; most > 0 && c < grid->n_columns; c++) {
        layout->width[c] = grid->columns[c].drop == most ? 0 : layout->width[c];
    }
    return most > 0;
}

/* Drop columns. If the rest is still too wide, let shorter texts, too, push their row to the
 * next line. */
static void fit(struct layout *layout)
{
    const bool is_any = layout->style->columns >= MB_ANY_COLUMNS;
    for (size_t most = is_any ? MB_ANY_COLUMNS : LONG_TEXT; most > 0; most /= 2) {
        measure(layout, most);
        while (is_too_wide(layout) && drop_next(layout)) {
        }
        if (!is_too_wide(layout)) {
            return;
        }
    }
}

/* Remove spaces and newlines from the end, so that no line ends in spaces or is blank. */
static void trim(struct mb_strbuf *out)
{
    while (out->n_bytes > 0 && strchr(" \n", out->text[out->n_bytes - 1]) != NULL) {
        out->text[--out->n_bytes] = '\0';
    }
}

static void begin_line(struct mb_strbuf *out, size_t indent)
{
    trim(out);
    mb_strbuf_append(out, "\n");
    mb_strbuf_printf(out, "%*s", (int)indent, "");
}

static void add_cell(struct mb_strbuf *out, const struct layout *layout, size_t c,
                     const char *text)
{
    const size_t width = layout->width[c], n = mb_utf8_columns(text);
    const size_t pad = width > n ? width - n : 0;
    const size_t before = layout->grid->columns[c].is_right ? pad : 0;
    if (width == 0) {
        return;
    }
    mb_strbuf_printf(out, "%*s", (int)before, "");
    mb_strbuf_append(out, text);
    mb_strbuf_printf(out, "%*s", (int)(pad - before + GAP), "");
    if (n > width) {
        begin_line(out, indent_of(layout, c + 1));
    }
}

/* Add the last text of a row: beside the cells if it fits there, wrapped or not, else on a line
 * of its own. */
static void add_sentence(struct mb_strbuf *out, const struct layout *layout, size_t c,
                         const char *text)
{
    size_t indent = indent_of(layout, c);
    const size_t n_columns = layout->style->columns;
    if (text[0] != '\0' && indent + mb_utf8_columns(text) > n_columns &&
        indent + LEAST_SENTENCE > n_columns) {
        indent = LINE_MARGIN;
        begin_line(out, indent);
    }
    mb_strbuf_wrap(out, text, indent, n_columns);
}

static void add_row(struct mb_strbuf *out, const struct layout *layout,
                    const struct mb_grid_row *row)
{
    const char *cell = first_cell(layout->grid, row);
    const bool is_painted = layout->style->color && row->paint[0] != '\0';
    mb_strbuf_append(out, is_painted ? row->paint : "");
    mb_strbuf_append(out, row->is_marked ? "> " : "  ");
    for (size_t c = 0; c < row->n_cells; c++, cell = next_cell(cell)) {
        if (is_last_text(layout->grid, row, c)) {
            add_sentence(out, layout, c, cell);
        } else {
            add_cell(out, layout, c, cell);
        }
    }
    trim(out);
    mb_strbuf_append(out, is_painted ? MB_PAINT_OFF "\n" : "\n");
}

static void add_titles(struct mb_strbuf *out, const struct layout *layout)
{
    const struct mb_grid *grid = layout->grid;
    mb_strbuf_printf(out, "%*s", MARGIN, "");
    for (size_t c = 0; c < grid->n_columns; c++) {
        add_cell(out, layout, c, grid->columns[c].title);
    }
    begin_line(out, 0);
}

static void md_titles(struct mb_strbuf *out, const struct layout *layout)
{
    const struct mb_grid_column *columns = layout->grid->columns;
    mb_strbuf_append(out, "|");
    for (size_t c = 0; c < layout->grid->n_columns; c++) {
        if (layout->width[c] > 0) {
            mb_strbuf_printf(out, " %s |", columns[c].title);
        }
    }
    mb_strbuf_append(out, "\n|");
    for (size_t c = 0; c < layout->grid->n_columns; c++) {
        if (layout->width[c] > 0) {
            mb_strbuf_append(out, columns[c].is_right ? "--:|" : ":--|");
        }
    }
    mb_strbuf_append(out, "\n");
}

static void md_row(struct mb_strbuf *out, const struct layout *layout,
                   const struct mb_grid_row *row)
{
    const char *cell = first_cell(layout->grid, row);
    mb_strbuf_append(out, "|");
    for (size_t c = 0; c < layout->grid->n_columns; c++) {
        const char *emphasis = row->is_marked && c == 0 ? "**" : "";
        const char *text = c < row->n_cells ? cell : "";
        if (layout->width[c] > 0) {
            mb_strbuf_append(out, text[0] != '\0' ? " " : "");
            mb_strbuf_append(out, emphasis);
            mb_markdown_text(out, text);
            mb_strbuf_append(out, emphasis);
            mb_strbuf_append(out, " |");
        }
        cell = c < row->n_cells ? next_cell(cell) : cell;
    }
    mb_strbuf_append(out, "\n");
}

void mb_grid_show(struct mb_strbuf *out, const struct mb_grid *grid,
                  const struct mb_table_style *style)
{
    struct layout layout = {.grid = grid, .style = style};
    out->failed = out->failed || grid->text.failed;
    if (out->failed || grid->n_rows == 0) {
        return;
    }
    if (style->is_markdown) {
        measure(&layout, MB_ANY_COLUMNS);
        md_titles(out, &layout);
    } else {
        fit(&layout);
        if (grid->columns[0].title != NULL) {
            add_titles(out, &layout);
        }
    }
    for (size_t i = 0; i < grid->n_rows; i++) {
        (style->is_markdown ? md_row : add_row)(out, &layout, &grid->rows[i]);
    }
}

void mb_markdown_text(struct mb_strbuf *out, const char *text)
{
    for (const char *s = text; *s != '\0'; s++) {
        if (strchr("\\`*_{}[]<>#|~&!$", *s) != NULL) {
            mb_strbuf_append(out, "\\");
        }
        mb_strbuf_append_n(out, s, 1);
    }
}

void mb_table_lines(struct mb_strbuf *out, struct mb_strbuf *lines,
                    const struct mb_table_style *style)
{
    if (!style->is_markdown) {
        mb_strbuf_wrap_lines(out, lines, style->columns);
        return;
    }
    char *rest = lines->text, *line;
    while ((line = mb_next_line(&rest)) != NULL) {
        line += strspn(line, " ");
        if (*line != '\0') {
            mb_strbuf_append(out, "* ");
            mb_markdown_text(out, line);
            mb_strbuf_append(out, "\n");
        }
    }
    out->failed = out->failed || lines->failed;
    mb_strbuf_finish(lines);
}
