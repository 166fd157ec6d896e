/* Tables: fixed columns, rows of text, written for a terminal or as Markdown. A grid remembers
 * a failed allocation, as a mb_strbuf does, and passes it on to the text that is written. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

#define MB_ANY_COLUMNS 100000 /* so wide that no text is wrapped */

/* ANSI colours; never the only sign of anything. */
#define MB_PAINT_GOOD "\033[1;32m"
#define MB_PAINT_BAD  "\033[1;31m"
#define MB_PAINT_WARN "\033[1;33m"
#define MB_PAINT_DIM  "\033[2m"
#define MB_PAINT_OFF  "\033[0m"

/* How tables and the lines around them are written. */
struct mb_table_style {
    bool color;
    bool is_markdown; /* GitHub's: lines are list items, and nothing is wrapped */
    bool is_brief;    /* no notes */
    bool is_verbose;  /* all notes */
    size_t columns;   /* width of the terminal, at least 80, or MB_ANY_COLUMNS */
};

struct mb_grid_column {
    const char *title; /* all NULL: the grid has no line of titles */
    bool is_right;     /* right-aligned, for figures */
    int drop;          /* if too wide, columns with the highest number go first; 0: never */
};

struct mb_grid_row; /* private */

/* A grid that is zero except for `columns` and `n_columns` is empty. */
struct mb_grid {
    const struct mb_grid_column *columns; /* at most 16 */
    size_t n_columns;
    struct mb_strbuf text; /* of all cells; owned */
    struct mb_grid_row *rows;
    size_t n_rows;
};

/* Free and zero. */
void mb_grid_finish(struct mb_grid *grid);

/* Begin a row. `paint` (static) colours the whole row, "" nothing. A marked row begins with '>'
 * on a terminal, and its first cell is bold in Markdown. */
void mb_grid_row(struct mb_grid *grid, bool is_marked, const char *paint);

/* Add the row's next cell; control characters are replaced. A column in which all cells are ""
 * is left out. If a row has fewer cells than the grid has columns, its last cell is a sentence:
 * it takes the rest of the line. */
MB_PRINTF(2, 3) void mb_grid_cell(struct mb_grid *grid, const char *fmt, ...);

/* Append titles and rows, or nothing if there are no rows. Except in Markdown, columns are
 * dropped until the rest fits style->columns. If a text is wider than its column, its row goes
 * on in the next line. A sentence or a text in the last column is wrapped or put below its
 * row. */
void mb_grid_show(struct mb_strbuf *out, const struct mb_grid *grid,
                  const struct mb_table_style *style);

/* Append lines, each ended by a newline; in Markdown blank ones are left out. Finishes `lines`.
 */
void mb_table_lines(struct mb_strbuf *out, struct mb_strbuf *lines,
                    const struct mb_table_style *style);

/* Append `text`; characters that are markup in Markdown or HTML are escaped. */
void mb_markdown_text(struct mb_strbuf *out, const char *text);
