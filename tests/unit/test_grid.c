/* The grid: what is dropped, broken and goes below its row, and the same rows as Markdown. */
#include "cli/grid.h"

#include "base/text.h"
#include "snapshot.h"

#define LABEL "spd:load=texel:wave=on:mips=12:levels=6:exact=off" /* 49 columns */

static const struct mb_grid_column columns[] = {
    {.title = "Name"},
    {.title = "Time", .is_right = true},
    {.title = "p95", .is_right = true, .drop = 2},
    {.title = "Other", .drop = 1},
    {.title = "Its ratio", .is_right = true, .drop = 1},
    {.title = "Verdict"},
};

static const struct mb_table_style markdown = {.is_markdown = true};

static void add_row(struct mb_grid *grid, const char *name, const char *p95, const char *other,
                    const char *verdict)
{
    mb_grid_cell(grid, "%s", name);
    mb_grid_cell(grid, "1.5");
    mb_grid_cell(grid, "%s", p95);
    mb_grid_cell(grid, "%s", other);
    mb_grid_cell(grid, "%s", other[0] != '\0' ? "1.07" : "");
    mb_grid_cell(grid, "%s", verdict);
}

static void add_rows(struct mb_grid *grid)
{
    *grid = (struct mb_grid){.columns = columns, .n_columns = MB_COUNTOF(columns)};
    mb_grid_row(grid, true, MB_PAINT_GOOD);
    add_row(grid, "a_b", "", "x\ny", "ok");
    mb_grid_row(grid, false, "");
    add_row(grid, "\u00e4\u00f6\u00fc", "12.25", "", "FAIL: level 3 (5, 7) g: 0, not 127.5");
    mb_grid_row(grid, false, "");
    mb_grid_cell(grid, "skip");
    mb_grid_cell(grid, "skipped: the device has no subgroups, and so nothing at all can be "
                       "said of what it would do");
}

static void show(const struct mb_grid *grid, const char *heading, size_t terminal_columns)
{
    struct mb_strbuf out = {0};
    mb_grid_show(&out, grid,
                 &(const struct mb_table_style){.color = true, .columns = terminal_columns});
    snapshot_add(heading, &out);
}

static void test_widths(void)
{
    struct mb_grid grid;
    struct mb_strbuf out = {0};
    add_rows(&grid);
    show(&grid, "short labels, wide terminal", 140);
    show(&grid, "80 columns", 80);
    show(&grid, "any width", MB_ANY_COLUMNS);
    mb_grid_row(&grid, false, "");
    add_row(&grid, LABEL, "13", "next", "ok");
    show(&grid, "a long label, 120 columns: no column is dropped", 120);
    show(&grid, "a long label, 80 columns: the row goes on below it", 80);
    mb_grid_row(&grid, false, "");
    add_row(&grid, LABEL ":" LABEL, "13", LABEL,
            "INCONCLUSIVE: fewer than 6 samples say nothing");
    show(&grid, "long labels, 120 columns", 120);
    show(&grid, "long labels, any width", MB_ANY_COLUMNS);
    mb_grid_show(&out, &grid, &markdown);
    snapshot_add("long labels, Markdown", &out);
    mb_grid_finish(&grid);
    CHECK(grid.rows == NULL && grid.text.text == NULL);
}

/* No rows, no titles; and columns without a value. */
static void test_empty(void)
{
    static const struct mb_grid_column plain[3];
    struct mb_grid grid = {.columns = columns, .n_columns = MB_COUNTOF(columns)};
    struct mb_strbuf out = {0};
    show(&grid, "no rows", 80);
    mb_grid_row(&grid, false, "");
    add_row(&grid, "a", "", "", "");
    show(&grid, "columns without a value", 80);
    mb_grid_show(&out, &grid, &markdown);
    snapshot_add("columns without a value, Markdown", &out);
    mb_grid_finish(&grid);
    grid = (struct mb_grid){.columns = plain, .n_columns = MB_COUNTOF(plain)};
    mb_grid_row(&grid, false, "");
    mb_grid_cell(&grid, "rgba8");
    mb_grid_cell(&grid, "yes");
    show(&grid, "no titles", 80);
    mb_grid_row(&grid, false, "");
    mb_grid_cell(&grid, "%s", LABEL "-" LABEL);
    mb_grid_cell(&grid, "no");
    show(&grid, "no titles, and a label wider than the terminal", 80);
    mb_grid_finish(&grid);
}

/* Whatever the width, no line is wider and none ends in spaces, and no text is lost. */
static void test_all_widths(void)
{
    struct mb_grid grid;
    add_rows(&grid);
    mb_grid_row(&grid, false, "");
    add_row(&grid, LABEL, "13", LABEL, "INCONCLUSIVE: fewer than 6 samples say nothing");
    for (size_t width = 80; width < 200; width++) {
        struct mb_strbuf out = {0};
        mb_grid_show(&out, &grid,
                     &(const struct mb_table_style){.color = true, .columns = width});
        CHECK(strstr(mb_strbuf_text(&out), LABEL) != NULL);
        CHECK(strstr(mb_strbuf_text(&out), " \n") == NULL);
        for (const char *line = mb_strbuf_text(&out); *line != '\0';) {
            const size_t n_bytes = strcspn(line, "\n");
            const size_t n_paint = line[0] == '\033' ? strlen(MB_PAINT_GOOD MB_PAINT_OFF) : 0;
            CHECK(mb_utf8_columns_n(line, n_bytes) <= width + n_paint);
            line += n_bytes + 1;
        }
        mb_strbuf_finish(&out);
    }
    mb_grid_finish(&grid);
}

static enum mb_status try_rows(void *user, struct mb_err *err)
{
    struct mb_grid grid;
    struct mb_strbuf out = {0};
    add_rows(&grid);
    mb_grid_show(&out, &grid, user);
    mb_grid_finish(&grid);
    const enum mb_status status = mb_strbuf_check(&out, err);
    CHECK_EQ_INT(status != MB_OK, mb_strbuf_text(&out)[0] == '\0');
    mb_strbuf_finish(&out);
    return status;
}

static void test_no_memory(void)
{
    struct mb_table_style narrow = {.columns = 80}, md = markdown;
    CHECK(check_each_allocation(try_rows, &narrow) >= 3);
    CHECK(check_each_allocation(try_rows, &md) >= 3);
}

static void test_snapshot(void)
{
    snapshot_check("grid");
}

int main(void)
{
    return CHECK_TESTS(test_widths, test_empty, test_all_widths, test_no_memory, test_snapshot);
}
