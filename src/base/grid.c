/* Cells are kept as text, one after the other, so that widths and columns are decided once all
 * rows are there. */
#include "base/grid.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define MAX_COLUMNS    16
#define MAX_CELL_BYTES 1024 /* longer than any text of a result */
#define LEAST_COLUMNS  80   /* of a terminal */
#define FILE_COLUMNS   100  /* where there is no terminal */
#define LEAST_LABEL    16   /* columns that are left of a long label */
#define LEAST_TEXT     20   /* and of a last column that is broken */
#define LEAST_SENTENCE 40   /* else a sentence goes below its row */
#define MARGIN         2    /* columns before the first, with the mark */
#define LINE_MARGIN    6    /* of a line below a row */

/* What stands behind the cells of a row. */
enum tail {
    TAIL_NONE,
    TAIL_SENTENCE, /* in place of more cells */
    TAIL_IN_FULL,  /* the last cell again, at length */
};

struct mb_grid_row {
    const char *paint, *stress_paint;
    size_t first_byte; /* of its cells in the grid's text, each with a '\0' */
    size_t n_cells;
    size_t stressed; /* the cell, or SIZE_MAX */
    bool is_marked;
    enum tail tail;
};

/* How a grid is laid out on a terminal. */
struct layout {
    const struct mb_grid *grid;
    bool is_terminal;          /* and no file */
    size_t n_columns;          /* of the terminal */
    size_t width[MAX_COLUMNS]; /* 0: left out */
    bool is_cut[MAX_COLUMNS];
    const char **numbered; /* labels that cannot be told apart once shortened; owned */
    size_t n_numbered;
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
            .paint = paint,
            .first_byte = grid->text.n_bytes,
            .stressed = SIZE_MAX,
            .is_marked = is_marked,
        };
    }
}

static void add_text(struct mb_grid *grid, const char *fmt, va_list args)
{
    char text[MAX_CELL_BYTES];
    const size_t n_bytes = mb_utf8_sanitize_format(text, sizeof text, fmt, args);
    mb_strbuf_append_n(&grid->text, text, n_bytes + 1);
}

void mb_grid_cell(struct mb_grid *grid, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add_text(grid, fmt, args);
    va_end(args);
    if (!grid->text.failed) {
        grid->rows[grid->n_rows - 1].n_cells++;
    }
}

void mb_grid_sentence(struct mb_grid *grid, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add_text(grid, fmt, args);
    va_end(args);
    if (!grid->text.failed) {
        grid->rows[grid->n_rows - 1].tail = TAIL_SENTENCE;
    }
}

void mb_grid_in_full(struct mb_grid *grid, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add_text(grid, fmt, args);
    va_end(args);
    if (!grid->text.failed) {
        grid->rows[grid->n_rows - 1].tail = TAIL_IN_FULL;
    }
}

void mb_grid_stress(struct mb_grid *grid, const char *paint)
{
    if (!grid->text.failed) {
        struct mb_grid_row *row = &grid->rows[grid->n_rows - 1];
        row->stressed = row->n_cells - 1;
        row->stress_paint = paint;
    }
}

size_t mb_terminal_columns(size_t terminal_columns)
{
    return terminal_columns == 0              ? FILE_COLUMNS
           : terminal_columns < LEAST_COLUMNS ? LEAST_COLUMNS
                                              : terminal_columns;
}

static const char *first_cell(const struct mb_grid *grid, const struct mb_grid_row *row)
{
    return grid->text.text + row->first_byte;
}

static const char *next_cell(const char *cell)
{
    return cell + strlen(cell) + 1;
}

/* A cell up to where its column is cut, in `text`. */
static const char *shown_text(const struct layout *layout, size_t c, const char *cell,
                              char text[MAX_CELL_BYTES])
{
    const char *end = layout->is_cut[c] ? strstr(cell, layout->grid->columns[c].cut) : NULL;
    snprintf(text, MAX_CELL_BYTES, "%.*s", end != NULL ? (int)(end - cell) : -1, cell);
    return text;
}

/* The width of each column that has a value and that the terminal is wide enough for. */
static void measure(struct layout *layout)
{
    const struct mb_grid *grid = layout->grid;
    char text[MAX_CELL_BYTES];
    memset(layout->width, 0, sizeof layout->width);
    for (size_t i = 0; i < grid->n_rows; i++) {
        const char *cell = first_cell(grid, &grid->rows[i]);
        for (size_t c = 0; c < grid->rows[i].n_cells; c++, cell = next_cell(cell)) {
            const size_t n = mb_utf8_columns(shown_text(layout, c, cell, text));
            layout->width[c] = n > layout->width[c] ? n : layout->width[c];
        }
    }
    for (size_t c = 0; c < grid->n_columns; c++) {
        const struct mb_grid_column *column = &grid->columns[c];
        const size_t n_title = column->title != NULL ? mb_utf8_columns(column->title) : 0;
        if (column->least_columns > layout->n_columns) {
            layout->width[c] = 0;
        } else if (layout->width[c] > 0 && layout->width[c] < n_title) {
            layout->width[c] = n_title;
        }
    }
}

/* Columns that the shown ones of the first `n` take, with the gap behind each. */
static size_t indent_of(const struct layout *layout, size_t n)
{
    size_t n_columns = MARGIN;
    for (size_t c = 0; c < n; c++) {
        n_columns += layout->width[c] > 0 ? layout->width[c] + MB_GRID_GAP : 0;
    }
    return n_columns;
}

/* On a terminal the last column, if it is no figure, is broken into lines. */
static bool is_broken(const struct layout *layout, size_t c)
{
    const struct mb_grid_column *column = &layout->grid->columns[c];
    return layout->is_terminal && c + 1 == layout->grid->n_columns && !column->is_right &&
           column->cut == NULL;
}

static bool is_too_wide(const struct layout *layout)
{
    const size_t last = layout->grid->n_columns - 1;
    const size_t n_last = layout->width[last];
    const size_t n_rest =
        is_broken(layout, last) && n_last > LEAST_TEXT ? n_last - LEAST_TEXT : 0;
    return indent_of(layout, last + 1) - n_rest > layout->n_columns + MB_GRID_GAP;
}

/* The column to leave out next, or n_columns. */
static size_t find_least_needed(const struct layout *layout)
{
    const struct mb_grid *grid = layout->grid;
    size_t found = grid->n_columns;
    for (size_t c = 0; c < grid->n_columns; c++) {
        const size_t least = grid->columns[c].least_columns;
        const size_t most = found < grid->n_columns ? grid->columns[found].least_columns : 0;
        found = layout->width[c] > 0 && least > most ? c : found;
    }
    return found;
}

/* The widest label that can be shortened, or n_columns. */
static size_t find_widest_label(const struct layout *layout)
{
    const struct mb_grid *grid = layout->grid;
    size_t found = grid->n_columns;
    for (size_t c = 0; c < grid->n_columns; c++) {
        const size_t most = found < grid->n_columns ? layout->width[found] : LEAST_LABEL;
        found = grid->columns[c].is_label && layout->width[c] > most ? c : found;
    }
    return found;
}

/* Columns are left out first; on a terminal, labels then lose their middle. */
static void fit(struct layout *layout)
{
    size_t c = 0;
    while (is_too_wide(layout) && (c = find_least_needed(layout)) < layout->grid->n_columns) {
        layout->width[c] = 0;
        for (c++; c < layout->grid->n_columns && layout->grid->columns[c].goes_with_last; c++) {
            layout->width[c] = 0;
        }
    }
    while (layout->is_terminal && is_too_wide(layout) &&
           (c = find_widest_label(layout)) < layout->grid->n_columns) {
        layout->width[c]--;
    }
}

/* Cut one more column. False without any. */
static bool cut_next(struct layout *layout)
{
    const struct mb_grid *grid = layout->grid;
    for (size_t c = 0; c < grid->n_columns; c++) {
        if (grid->columns[c].cut != NULL && !layout->is_cut[c]) {
            layout->is_cut[c] = true;
            return true;
        }
    }
    return false;
}

static const char *cell_at(const struct mb_grid *grid, size_t row, size_t c)
{
    const char *cell = first_cell(grid, &grid->rows[row]);
    for (size_t i = 0; i < c; i++) {
        cell = next_cell(cell);
    }
    return cell;
}

/* Labels are shown as "[2] spd:..=off" from 1, or as they are: 0. */
static size_t number_of(const struct layout *layout, const char *label)
{
    for (size_t i = 0; i < layout->n_numbered; i++) {
        if (strcmp(layout->numbered[i], label) == 0) {
            return i + 1;
        }
    }
    return 0;
}

/* Whether another label of the column would look the same. */
static bool is_ambiguous(const struct layout *layout, size_t c, const char *label)
{
    const struct mb_grid *grid = layout->grid;
    for (size_t i = 0; i < grid->n_rows; i++) {
        if (c < grid->rows[i].n_cells) {
            const char *other = cell_at(grid, i, c);
            if (mb_utf8_columns(other) > layout->width[c] && strcmp(other, label) != 0 &&
                mb_shortens_alike(other, label, layout->width[c])) {
                return true;
            }
        }
    }
    return false;
}

static void number_column(struct layout *layout, size_t c)
{
    const struct mb_grid *grid = layout->grid;
    for (size_t i = 0; i < grid->n_rows; i++) {
        if (c < grid->rows[i].n_cells) {
            const char *label = cell_at(grid, i, c);
            if (mb_utf8_columns(label) > layout->width[c] && number_of(layout, label) == 0 &&
                is_ambiguous(layout, c, label)) {
                layout->numbered[layout->n_numbered++] = label;
            }
        }
    }
}

/* False without memory. */
static bool number_labels(struct layout *layout)
{
    const struct mb_grid *grid = layout->grid;
    layout->numbered = mb_alloc(grid->n_rows * grid->n_columns, sizeof *layout->numbered);
    for (size_t c = 0; layout->numbered != NULL && c < grid->n_columns; c++) {
        if (grid->columns[c].is_label && layout->width[c] > 0) {
            number_column(layout, c);
        }
    }
    return layout->numbered != NULL;
}

static void add_label(struct mb_strbuf *out, const struct layout *layout, size_t c,
                      const char *label)
{
    const size_t number = number_of(layout, label);
    char prefix[24] = "";
    if (number > 0 && mb_utf8_columns(label) > layout->width[c]) {
        snprintf(prefix, sizeof prefix, "[%zu] ", number);
    }
    mb_strbuf_append(out, prefix);
    mb_strbuf_shorten(out, label, layout->width[c] - strlen(prefix));
}

/* "[1] spd:load=texel:wave=off", a line each. */
static void add_numbered(struct mb_strbuf *out, const struct layout *layout)
{
    mb_strbuf_append(out, layout->n_numbered > 0 ? "\n" : "");
    for (size_t i = 0; i < layout->n_numbered; i++) {
        mb_strbuf_printf(out, "%*s[%zu] ", MARGIN, "", i + 1);
        mb_strbuf_wrap(out, layout->numbered[i], LINE_MARGIN, layout->n_columns);
        mb_strbuf_append(out, "\n");
    }
}

/* One cell. The `*n_spaces` before it are added only now, so that no line ends in spaces. */
static void add_cell(struct mb_strbuf *out, const struct layout *layout, size_t c,
                     const char *cell, size_t *n_spaces)
{
    char shown[MAX_CELL_BYTES];
    const char *text = shown_text(layout, c, cell, shown);
    const size_t n = mb_utf8_columns(text);
    const size_t pad = layout->width[c] > n ? layout->width[c] - n : 0;
    const size_t before = layout->grid->columns[c].is_right ? pad : 0;
    if (layout->width[c] == 0) {
        return;
    }
    if (text[0] == '\0') {
        *n_spaces += layout->width[c] + MB_GRID_GAP;
        return;
    }
    mb_strbuf_spaces(out, *n_spaces + before);
    if (is_broken(layout, c)) {
        mb_strbuf_wrap(out, text, indent_of(layout, c), layout->n_columns);
    } else {
        add_label(out, layout, c, text);
    }
    *n_spaces = MB_GRID_GAP + pad - before;
}

/* Beside the cells of the row if it fits there in a few lines, else below them. */
static void add_sentence(struct mb_strbuf *out, const struct layout *layout,
                         const struct mb_grid_row *row, const char *sentence, size_t n_spaces)
{
    size_t indent = indent_of(layout, row->n_cells);
    if (indent + mb_utf8_columns(sentence) > layout->n_columns &&
        indent + LEAST_SENTENCE > layout->n_columns) {
        mb_strbuf_append(out, "\n");
        n_spaces = indent = LINE_MARGIN;
    }
    mb_strbuf_spaces(out, n_spaces);
    mb_strbuf_wrap(out, sentence, indent, layout->n_columns);
}

static void add_row(struct mb_strbuf *out, const struct layout *layout,
                    const struct mb_grid_row *row)
{
    const char *cell = first_cell(layout->grid, row);
    size_t n_spaces = row->is_marked ? 0 : MARGIN;
    mb_strbuf_append(out, row->paint);
    mb_strbuf_append(out, row->is_marked ? "> " : "");
    for (size_t c = 0; c < row->n_cells; c++, cell = next_cell(cell)) {
        const bool is_painted = c == row->stressed && row->stress_paint[0] != '\0';
        mb_strbuf_append(out, is_painted ? row->stress_paint : "");
        add_cell(out, layout, c, cell, &n_spaces);
        mb_strbuf_append(out, is_painted ? MB_PAINT_OFF : "");
    }
    if (row->tail == TAIL_SENTENCE) {
        add_sentence(out, layout, row, cell, n_spaces);
    }
    mb_strbuf_append(out, row->paint[0] != '\0' ? MB_PAINT_OFF : "");
    mb_strbuf_append(out, "\n");
    if (row->tail == TAIL_IN_FULL) {
        mb_strbuf_spaces(out, LINE_MARGIN);
        mb_strbuf_wrap(out, cell, LINE_MARGIN, layout->n_columns);
        mb_strbuf_append(out, "\n");
    }
}

/* Sentences beside the cells of one column say what they are. */
static bool needs_titles(const struct layout *layout)
{
    const struct mb_grid *grid = layout->grid;
    bool is_needed = false;
    for (size_t i = 0; i < grid->n_rows; i++) {
        is_needed =
            is_needed || grid->rows[i].n_cells > 1 || grid->rows[i].tail != TAIL_SENTENCE;
    }
    return is_needed && grid->columns[0].title != NULL;
}

void mb_grid_text(struct mb_strbuf *out, const struct mb_grid *grid, size_t terminal_columns)
{
    struct layout layout = {
        .grid = grid,
        .is_terminal = terminal_columns > 0,
        .n_columns = mb_terminal_columns(terminal_columns),
    };
    size_t n_spaces = MARGIN;
    out->failed = out->failed || grid->text.failed;
    if (out->failed || grid->n_rows == 0) {
        return;
    }
    do {
        measure(&layout);
        fit(&layout);
    } while (layout.is_terminal && is_too_wide(&layout) && cut_next(&layout));
    if (!number_labels(&layout)) {
        out->failed = true;
        return;
    }
    const bool has_titles = needs_titles(&layout);
    for (size_t c = 0; has_titles && c < grid->n_columns; c++) {
        add_cell(out, &layout, c, grid->columns[c].title, &n_spaces);
    }
    mb_strbuf_append(out, has_titles ? "\n" : "");
    for (size_t i = 0; i < grid->n_rows; i++) {
        add_row(out, &layout, &grid->rows[i]);
    }
    add_numbered(out, &layout);
    mb_free(layout.numbered);
}

static void md_row(struct mb_strbuf *out, const struct mb_grid *grid,
                   const struct mb_grid_row *row)
{
    const char *cell = first_cell(grid, row);
    const size_t n_cells = row->n_cells + (row->tail == TAIL_SENTENCE);
    mb_strbuf_append(out, "|");
    for (size_t c = 0; c < grid->n_columns; c++) {
        const char *emphasis = c == row->stressed ? "**" : "";
        if (row->tail == TAIL_IN_FULL && c + 1 == n_cells) {
            cell = next_cell(cell);
        }
        if (c < n_cells) {
            mb_strbuf_append(out, cell[0] != '\0' ? " " : "");
            mb_strbuf_append(out, emphasis);
            mb_markdown_text(out, cell);
            mb_strbuf_append(out, emphasis);
            cell = next_cell(cell);
        }
        mb_strbuf_append(out, " |");
    }
    mb_strbuf_append(out, "\n");
}

void mb_grid_markdown(struct mb_strbuf *out, const struct mb_grid *grid)
{
    out->failed = out->failed || grid->text.failed;
    mb_strbuf_append(out, "|");
    for (size_t c = 0; c < grid->n_columns; c++) {
        mb_strbuf_printf(out, " %s |", grid->columns[c].title);
    }
    mb_strbuf_append(out, "\n|");
    for (size_t c = 0; c < grid->n_columns; c++) {
        mb_strbuf_append(out, grid->columns[c].is_right ? "--:|" : ":--|");
    }
    mb_strbuf_append(out, "\n");
    for (size_t i = 0; i < grid->n_rows && !out->failed; i++) {
        md_row(out, grid, &grid->rows[i]);
    }
}

void mb_markdown_text(struct mb_strbuf *out, const char *text)
{
    char clean[MAX_CELL_BYTES];
    mb_utf8_sanitize(text, clean, sizeof clean);
    for (const char *s = clean; *s != '\0'; s++) {
        if (strchr("\\`*_{}[]<>#|~&!$", *s) != NULL) {
            mb_strbuf_append(out, "\\");
        }
        mb_strbuf_append_n(out, s, 1);
    }
}
