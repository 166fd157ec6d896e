/* Tables: rows of cells under titles, filled once and written for a terminal or as Markdown. A
 * failed allocation is kept, as in a mb_strbuf, and passed on to the text that is written. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

#define MB_GRID_GAP    2      /* spaces between columns */
#define MB_ANY_COLUMNS 100000 /* of text that is never broken */

/* ANSI colours for paint; never the only sign of anything. */
#define MB_PAINT_GOOD "\033[1;32m"
#define MB_PAINT_BAD  "\033[1;31m"
#define MB_PAINT_WARN "\033[1;33m"
#define MB_PAINT_DIM  "\033[2m"
#define MB_PAINT_OFF  "\033[0m"

struct mb_grid_column {
    const char *title;    /* all NULL: the grid has no line of titles */
    bool is_right;        /* aligned */
    bool is_label;        /* may lose its middle: "spd:load=..:wave=off"; those of which the
                             same would be left get a number, and are named below the grid */
    bool goes_with_last;  /* is left out where the column before it is */
    size_t least_columns; /* left out on a narrower terminal; the highest goes first where the
                             grid is too wide. 0: never */
    const char *cut;      /* on a terminal that is too narrow even for short labels, cells end
                             before this text; then the last column is not broken. NULL: never */
};

struct mb_grid_row; /* private */

/* Zero, but for `columns` and `n_columns`, is an empty grid. */
struct mb_grid {
    const struct mb_grid_column *columns; /* at most 16 */
    size_t n_columns;
    struct mb_strbuf text; /* of all cells; owned */
    struct mb_grid_row *rows;
    size_t n_rows;
};

/* Free and zero. */
void mb_grid_finish(struct mb_grid *grid);

/* Begin a row; `paint` (static) is for all of it, "" for none. A marked row begins with '>' on
 * a terminal. */
void mb_grid_row(struct mb_grid *grid, bool is_marked, const char *paint);

/* Add the row's next cell; control characters are replaced. "" is a cell without a value: a
 * terminal leaves a column of nothing else out. */
MB_PRINTF(2, 3) void mb_grid_cell(struct mb_grid *grid, const char *fmt, ...);

/* End the row with a sentence in place of the cells that are left, broken where it is too wide;
 * beside a long label it begins on a line of its own. */
MB_PRINTF(2, 3) void mb_grid_sentence(struct mb_grid *grid, const char *fmt, ...);

/* End the row with what its last cell says in short: a line below it on a terminal, in its
 * place in Markdown. */
MB_PRINTF(2, 3) void mb_grid_in_full(struct mb_grid *grid, const char *fmt, ...);

/* Stress the row's last cell (one a row): painted on a terminal, bold in Markdown. */
void mb_grid_stress(struct mb_grid *grid, const char *paint);

/* Columns to write in on a terminal of that width, 80 at least; 100 for 0, which is none. */
size_t mb_terminal_columns(size_t terminal_columns);

/* Append titles and rows, or nothing without rows; a label and a sentence a row need no titles.
 * On a terminal no line is wider than it, unless a word is: a last column that is not
 * right-aligned is broken. Where there is none (0), labels and the last column stay whole. */
void mb_grid_text(struct mb_strbuf *out, const struct mb_grid *grid, size_t terminal_columns);

/* Append a table of GitHub Markdown with all columns. */
void mb_grid_markdown(struct mb_strbuf *out, const struct mb_grid *grid);

/* Append `text` as valid UTF-8; what Markdown, or HTML within it, would take as markup is
 * escaped. */
void mb_markdown_text(struct mb_strbuf *out, const char *text);
