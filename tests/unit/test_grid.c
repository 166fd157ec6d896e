/* The grid: what a terminal leaves out, shortens and breaks, and the same rows as Markdown. */
#include "base/grid.h"

#include "check.h"

static const struct mb_grid_column columns[] = {
    {.title = "Name", .is_label = true},
    {.title = "Time", .is_right = true},
    {.title = "p95", .is_right = true, .least_columns = 120},
    {.title = "Other", .is_label = true, .least_columns = 100},
    {.title = "Verdict"},
};

static struct mb_grid make_grid(void)
{
    return (struct mb_grid){.columns = columns, .n_columns = MB_COUNTOF(columns)};
}

static void add_row(struct mb_grid *grid, const char *name, const char *time, const char *p95,
                    const char *other)
{
    mb_grid_row(grid, false, "");
    mb_grid_cell(grid, "%s", name);
    mb_grid_cell(grid, "%s", time);
    mb_grid_cell(grid, "%s", p95);
    mb_grid_cell(grid, "%s", other);
    mb_grid_cell(grid, "ok");
}

static void check_text(const struct mb_grid *grid, size_t terminal_columns, const char *want)
{
    struct mb_strbuf out = {0};
    mb_grid_text(&out, grid, terminal_columns);
    CHECK_EQ_STR(mb_strbuf_text(&out), want);
    mb_strbuf_finish(&out);
}

static void test_empty(void)
{
    struct mb_grid grid = make_grid();
    check_text(&grid, 80, "");
    add_row(&grid, "a", "", "", "");
    check_text(&grid, 80,
               "  Name  Verdict\n"
               "  a     ok\n");
    mb_grid_finish(&grid);
    CHECK(grid.rows == NULL && grid.text.text == NULL);
}

/* A column needs its terminal, and a value in some row. */
static void test_columns(void)
{
    struct mb_grid grid = make_grid();
    add_row(&grid, "a", "1.5", "", "x");
    add_row(&grid, "\u00e4\u00f6\u00fc", "12.5", "13", "");
    check_text(&grid, 120,
               "  Name  Time  p95  Other  Verdict\n"
               "  a      1.5       x      ok\n"
               "  \u00e4\u00f6\u00fc   12.5   13         ok\n");
    check_text(&grid, 0,
               "  Name  Time  Other  Verdict\n"
               "  a      1.5  x      ok\n"
               "  \u00e4\u00f6\u00fc   12.5         ok\n");
    check_text(&grid, 80,
               "  Name  Time  Verdict\n"
               "  a      1.5  ok\n"
               "  \u00e4\u00f6\u00fc   12.5  ok\n");
    mb_grid_finish(&grid);
}

#define LABEL "spd:load=texel:wave=on:mips=12:levels=6:exact=off" /* 49 columns */

/* Too wide: columns go, and then the middle of labels, but not where there is no terminal. */
static void test_fit(void)
{
    struct mb_grid grid = make_grid();
    add_row(&grid, LABEL, "1.5", "2", LABEL);
    check_text(&grid, 121,
               "  Name                                               Time  "
               "Other                                              Verdict\n"
               "  " LABEL "   1.5  " LABEL "  ok\n");
    check_text(&grid, 0,
               "  Name                                               Time  Verdict\n"
               "  " LABEL "   1.5  ok\n");
    mb_grid_finish(&grid);
    grid = make_grid();
    add_row(&grid, LABEL "-" LABEL, "1.5", "2", "");
    check_text(
        &grid, 70,
        "  Name                                                             Time  Verdict\n"
        "  spd:load=texel:wave=on:mips=12:..=on:mips=12:levels=6:exact=off   1.5  ok\n");
    check_text(
        &grid, 0,
        "  Name                                                                           "
        "                      Time  Verdict\n"
        "  " LABEL "-" LABEL "   1.5  ok\n");
    mb_grid_finish(&grid);
}

/* Labels of which the same would be left are numbered, and named once below. */
static void test_alike(void)
{
    struct mb_grid grid = make_grid();
    add_row(&grid, LABEL ":a=1:" LABEL, "1.5", "", "");
    add_row(&grid, LABEL ":b=22:" LABEL, "1.6", "", "");
    add_row(&grid, LABEL ":b=22:" LABEL, "1.7", "", "");
    add_row(&grid, "compute:" LABEL ":" LABEL, "1.8", "", "");
    check_text(
        &grid, 80,
        "  Name                                                             Time  Verdict\n"
        "  [1] spd:load=texel:wave=on:mips=1..n:mips=12:levels=6:exact=off   1.5  ok\n"
        "  [2] spd:load=texel:wave=on:mips=1..n:mips=12:levels=6:exact=off   1.6  ok\n"
        "  [2] spd:load=texel:wave=on:mips=1..n:mips=12:levels=6:exact=off   1.7  ok\n"
        "  compute:spd:load=texel:wave=on:..=on:mips=12:levels=6:exact=off   1.8  ok\n"
        "\n"
        "  [1] " LABEL ":a=1:" LABEL "\n"
        "  [2] " LABEL ":b=22:" LABEL "\n");
    mb_grid_finish(&grid);
}

/* A sentence beside a long label has a line of its own, and needs no titles. */
static void test_long_label(void)
{
    struct mb_grid grid = make_grid();
    mb_grid_row(&grid, false, "");
    mb_grid_cell(&grid, "%s", LABEL);
    mb_grid_sentence(&grid, "skipped: the device has no subgroups, and so nothing at all "
                            "can be said of it");
    check_text(
        &grid, 80,
        "  " LABEL "\n"
        "      skipped: the device has no subgroups, and so nothing at all can be said of\n"
        "      it\n");
    mb_grid_finish(&grid);
}

/* A column goes with the one that it refers to. */
static void test_pair(void)
{
    static const struct mb_grid_column pair[] = {
        {.title = "Name"},
        {.title = "Next", .least_columns = 1},
        {.title = "Ratio", .goes_with_last = true},
    };
    struct mb_grid grid = {.columns = pair, .n_columns = MB_COUNTOF(pair)};
    mb_grid_row(&grid, false, "");
    mb_grid_cell(&grid, "%s", LABEL);
    mb_grid_cell(&grid, "%s", "next");
    mb_grid_cell(&grid, "1.07");
    check_text(&grid, 80,
               "  Name                                               Next  Ratio\n"
               "  " LABEL "  next  1.07\n");
    mb_grid_finish(&grid);
    grid = (struct mb_grid){.columns = pair, .n_columns = MB_COUNTOF(pair)};
    mb_grid_row(&grid, false, "");
    mb_grid_cell(&grid, "%s", LABEL);
    mb_grid_cell(&grid, "%s", LABEL);
    mb_grid_cell(&grid, "1.07");
    check_text(&grid, 80,
               "  Name\n"
               "  " LABEL "\n");
    mb_grid_finish(&grid);
}

static void add_tails(struct mb_grid *grid)
{
    mb_grid_row(grid, true, MB_PAINT_BAD);
    mb_grid_cell(grid, "a_b");
    mb_grid_stress(grid, "");
    mb_grid_sentence(grid, "skipped: %s",
                     "the device has no subgroups, and so nothing at all "
                     "can be said of it");
    mb_grid_row(grid, false, "");
    mb_grid_cell(grid, "x\ny");
    mb_grid_cell(grid, "1");
    mb_grid_cell(grid, "2");
    mb_grid_cell(grid, "3");
    mb_grid_cell(grid, "FAIL");
    mb_grid_stress(grid, MB_PAINT_WARN);
    mb_grid_in_full(grid, "FAIL: level %d", 3);
}

static void test_tails(void)
{
    struct mb_grid grid = make_grid();
    struct mb_strbuf out = {0};
    add_tails(&grid);
    check_text(
        &grid, 80,
        "  Name  Time  Verdict\n" MB_PAINT_BAD
        "> a_b   skipped: the device has no subgroups, and so nothing at all can be said\n"
        "        of it" MB_PAINT_OFF "\n"
        "  x?y      1" MB_PAINT_WARN "  FAIL" MB_PAINT_OFF "\n"
        "      FAIL: level 3\n");
    mb_grid_markdown(&out, &grid);
    CHECK_EQ_STR(
        mb_strbuf_text(&out),
        "| Name | Time | p95 | Other | Verdict |\n"
        "|:--|--:|--:|:--|:--|\n"
        "| **a\\_b** | skipped: the device has no subgroups, and so nothing at all can "
        "be said of it | | | |\n"
        "| x?y | 1 | 2 | 3 | **FAIL: level 3** |\n");
    mb_strbuf_finish(&out);
    mb_grid_finish(&grid);
}

/* On a terminal the last column is broken, and has 20 columns at least. */
static void test_last_column(void)
{
    struct mb_grid grid = make_grid();
    mb_grid_row(&grid, false, "");
    mb_grid_cell(&grid, "%s", LABEL "-" LABEL);
    mb_grid_cell(&grid, "1.5");
    mb_grid_cell(&grid, "%s", "");
    mb_grid_cell(&grid, "%s", "");
    mb_grid_cell(&grid, "INCONCLUSIVE: fewer than 6 samples say nothing");
    check_text(
        &grid, 80,
        "  Name                                                Time  Verdict\n"
        "  spd:load=texel:wave=on:m..ps=12:levels=6:exact=off   1.5  INCONCLUSIVE: fewer\n"
        "                                                            than 6 samples say\n"
        "                                                            nothing\n");
    mb_grid_finish(&grid);
}

static void test_no_titles(void)
{
    static const struct mb_grid_column plain[2];
    struct mb_grid grid = {.columns = plain, .n_columns = MB_COUNTOF(plain)};
    mb_grid_row(&grid, false, "");
    mb_grid_cell(&grid, "rgba8");
    mb_grid_cell(&grid, "yes");
    check_text(&grid, 80, "  rgba8  yes\n");
    mb_grid_finish(&grid);
}

static enum mb_status try_tails(void *user, struct mb_err *err)
{
    struct mb_grid grid = make_grid();
    struct mb_strbuf out = {0};
    add_tails(&grid);
    mb_grid_text(&out, &grid, 80);
    mb_grid_finish(&grid);
    const enum mb_status status = mb_strbuf_check(&out, err);
    CHECK_EQ_INT(status != MB_OK, mb_strbuf_text(&out)[0] == '\0');
    mb_strbuf_finish(&out);
    return status;
}

static void test_no_memory(void)
{
    CHECK(check_each_allocation(try_tails, NULL) >= 3);
}

int main(void)
{
    return CHECK_TESTS(test_empty, test_columns, test_fit, test_alike, test_long_label,
                       test_pair, test_tails, test_last_column, test_no_titles, test_no_memory);
}
