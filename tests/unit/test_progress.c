/* Progress: what is drawn, how often, and what is said where stderr is no terminal. */
#include "cli/progress.h"

#include <math.h>

#include "check.h"

#define MS UINT64_C(1000000)

/* A terminal that remembers, and a clock that is set. */
struct screen {
    uint64_t now_ns;
    int n_draws, n_erased, n_lines, columns;
    char text[256];
    char line[256];
};

static uint64_t now_ns(void *user)
{
    const struct screen *screen = user;
    return screen->now_ns;
}

static int columns(void *user)
{
    (void)user;
    return 40;
}

static void draw(void *user, const char *text, int n_columns)
{
    struct screen *screen = user;
    screen->n_draws += text != NULL;
    screen->n_erased += text == NULL;
    screen->columns = n_columns;
    snprintf(screen->text, sizeof screen->text, "%s", text != NULL ? text : "");
}

static void line(void *user, const char *text)
{
    struct screen *screen = user;
    screen->n_lines++;
    snprintf(screen->line, sizeof screen->line, "%s", text);
}

static struct mb_progress make(struct screen *screen, bool is_terminal, bool unicode,
                               bool quiet)
{
    struct mb_progress progress;
    *screen = (struct screen){.now_ns = 1000 * MS};
    const struct mb_progress_io io = {
        .is_terminal = is_terminal,
        .unicode = unicode,
        .user = screen,
        .now_ns = now_ns,
        .columns = columns,
        .draw = draw,
        .line = line,
    };
    mb_progress_init(&progress, &io, quiet, 8);
    return progress;
}

static void test_line(void)
{
    struct screen screen;
    struct mb_progress progress = make(&screen, true, true, false);
    mb_progress_cell(&progress, 1);
    mb_progress_samples(&progress, "spd", 0, 320, NAN);
    CHECK_EQ_STR(screen.text, "[2/8] spd \u00b7 0 of 320 samples");
    CHECK_EQ_INT(screen.columns, 39);
    screen.now_ns += 400 * MS; /* too early for an estimate */
    mb_progress_samples(&progress, "spd", 40, 320, 41600);
    CHECK_EQ_STR(screen.text, "[2/8] spd \u00b7 40 of 320 samples \u00b7 41.6 us");
    screen.now_ns += 400 * MS; /* 80 samples in 0.8 s: 240 more take 2.4 s */
    mb_progress_samples(&progress, "spd", 80, 320, 41600);
    CHECK_EQ_STR(screen.text,
                 "[2/8] spd \u00b7 80 of 320 samples \u00b7 41.6 us \u00b7 3 s left");
    mb_progress_finish(&progress);
    CHECK_EQ_INT(screen.n_erased, 1);
    CHECK_EQ_STR(screen.text, "");
    mb_progress_finish(&progress); /* nothing is up */
    CHECK_EQ_INT(screen.n_erased, 1);
}

static void test_rate(void)
{
    struct screen screen;
    struct mb_progress progress = make(&screen, true, false, false);
    mb_progress_cell(&progress, 0);
    for (uint32_t i = 0; i < 1000; i++) { /* a second of 1 ms steps */
        mb_progress_samples(&progress, "spd", i, 1000, 5);
        screen.now_ns += MS;
    }
    CHECK_EQ_INT(screen.n_draws, 10);
    CHECK_EQ_STR(screen.text, "[1/8] spd - 900 of 1000 samples - 5 ns - 1 s left");
    mb_progress_step(&progress, "spd", "verifying"); /* a step is never withheld */
    CHECK_EQ_STR(screen.text, "[1/8] spd - verifying");
    CHECK_EQ_INT(screen.n_draws, 11);
}

/* Each cell has a clock of its own. */
static void test_next_cell(void)
{
    struct screen screen;
    struct mb_progress progress = make(&screen, true, false, false);
    mb_progress_cell(&progress, 0);
    mb_progress_samples(&progress, "spd", 0, 10, NAN);
    screen.now_ns += 60000 * MS;
    mb_progress_cell(&progress, 1);
    mb_progress_samples(&progress, "spd", 1, 10, NAN);
    CHECK_EQ_STR(screen.text, "[2/8] spd - 1 of 10 samples");
    screen.now_ns += 1000 * MS;
    mb_progress_samples(&progress, "spd", 2, 10, NAN);
    CHECK_EQ_STR(screen.text, "[2/8] spd - 2 of 10 samples - 8 s left");
}

static void make_cell(struct mb_cell *cell, struct mb_result results[4])
{
    const struct mb_extent base = {512, 256};
    *cell = (struct mb_cell){.input_name = "photo", .results = results, .n_results = 4};
    mb_layout_init(&cell->layout, mb_format_find("rgba8"), base, 1, 10);
    for (size_t i = 0; i < 4; i++) {
        results[i] = (struct mb_result){.verify = MB_VERIFY_PASS};
    }
}

static void test_finished_cell(void)
{
    struct screen screen;
    struct mb_cell cell;
    struct mb_result results[4];
    struct mb_progress progress = make(&screen, false, false, false);
    make_cell(&cell, results);
    mb_progress_cell(&progress, 2);
    mb_progress_samples(&progress, "spd", 1, 2, 3);
    mb_progress_step(&progress, "spd", "verifying");
    CHECK_EQ_INT(screen.n_draws, 0);
    mb_progress_cell_done(&progress, &cell);
    CHECK_EQ_STR(screen.line, "3/8 photo 512x256 rgba8: 4 strategies verified");
    results[0].status = MB_RESULT_SKIPPED;
    results[1].status = MB_RESULT_FAILED;
    results[2].status = MB_RESULT_FAILED;
    mb_progress_cell_done(&progress, &cell);
    CHECK_EQ_STR(screen.line,
                 "3/8 photo 512x256 rgba8: 1 strategy verified, 2 FAILED, 1 skipped");
    results[3].verify = MB_VERIFY_SKIPPED;
    mb_progress_cell_done(&progress, &cell);
    CHECK_EQ_STR(screen.line,
                 "3/8 photo 512x256 rgba8: 1 strategy not checked, 2 FAILED, 1 skipped");
    CHECK_EQ_INT(screen.n_lines, 3);
    CHECK_EQ_INT(screen.n_draws + screen.n_erased, 0);
}

static void test_quiet(void)
{
    struct screen screen;
    struct mb_cell cell;
    struct mb_result results[4];
    make_cell(&cell, results);
    for (int is_terminal = 0; is_terminal < 2; is_terminal++) {
        struct mb_progress progress = make(&screen, is_terminal != 0, false, true);
        mb_progress_cell(&progress, 0);
        mb_progress_samples(&progress, "spd", 1, 2, 3);
        mb_progress_step(&progress, "spd", "verifying");
        mb_progress_cell_done(&progress, &cell);
        mb_progress_finish(&progress);
        CHECK_EQ_INT(screen.n_draws + screen.n_erased + screen.n_lines, 0);
    }
}

/* On a terminal the table follows: the line is erased, and nothing is said twice. */
static void test_terminal_cell(void)
{
    struct screen screen;
    struct mb_cell cell;
    struct mb_result results[4];
    struct mb_progress progress = make(&screen, true, false, false);
    make_cell(&cell, results);
    mb_progress_step(&progress, "spd", "verifying");
    mb_progress_cell_done(&progress, &cell);
    CHECK_EQ_INT(screen.n_lines, 0);
    CHECK_EQ_INT(screen.n_erased, 1);
}

static void test_time_text(void)
{
    static const struct {
        double ns;
        const char *text;
    } cases[] = {
        {0, "0 ns"},        {32, "32 ns"},        {999, "999 ns"},      {1000, "1.00 us"},
        {41600, "41.6 us"}, {462400, "462.4 us"}, {1234567, "1.23 ms"}, {2.5e9, "2.50 s"},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        char text[32];
        mb_time_text(cases[i].ns, text, sizeof text);
        CHECK_EQ_STR(text, cases[i].text);
    }
}

int main(void)
{
    test_line();
    test_rate();
    test_next_cell();
    test_finished_cell();
    test_quiet();
    test_terminal_cell();
    test_time_text();
    return check_summary("progress");
}
