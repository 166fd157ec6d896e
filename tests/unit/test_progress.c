/* Progress: what is drawn, how often, and what is said where stderr is no terminal. */
#include "cli/progress.h"

#include <string.h>

#include "check.h"

#define MS UINT64_C(1000000)

/* A terminal that remembers, and a clock that is set. */
struct screen {
    uint64_t now_ns;
    int n_draws, n_erased, n_lines, columns, width;
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
    const struct screen *screen = user;
    return screen->width;
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
    *screen = (struct screen){.now_ns = 1000 * MS, .width = 80};
    const struct mb_progress_io io = {
        .is_terminal = is_terminal,
        .unicode = unicode,
        .user = screen,
        .now_ns = now_ns,
        .columns = columns,
        .draw = draw,
        .line = line,
    };
    mb_progress_init(&progress, &io, quiet, 200);
    return progress;
}

/* One image is timed, then how long is left is told from it. */
static void test_line(void)
{
    struct screen screen;
    struct mb_progress progress = make(&screen, true, true, false);
    mb_progress_step(&progress, "device", "measuring its limits");
    CHECK_EQ_STR(screen.text, "[1/200] device \u00b7 measuring its limits");
    screen.now_ns += 60000 * MS; /* no part of any image */
    mb_progress_image(&progress, 0);
    mb_progress_name(&progress, "photo_1");
    mb_progress_rounds(&progress, "8 strategies", 0, 320);
    CHECK_EQ_STR(screen.text, "[1/200] photo_1 \u00b7 8 strategies \u00b7 warming up");
    CHECK_EQ_INT(screen.columns, 79);
    screen.now_ns += 2000 * MS;
    mb_progress_rounds(&progress, "8 strategies", 40, 320);
    CHECK_EQ_STR(screen.text, "[1/200] photo_1 \u00b7 8 strategies \u00b7 40 of 320 blocks");
    screen.now_ns += 1000 * MS; /* three seconds an image */
    mb_progress_image(&progress, 1);
    mb_progress_name(&progress, "photo_2");
    mb_progress_rounds(&progress, "8 strategies", 40, 320);
    CHECK_EQ_STR(screen.text, "[2/200] photo_2 \u00b7 8 strategies \u00b7 40 of 320 blocks"
                              " \u00b7 about 10 min left");
    mb_progress_finish(&progress);
    CHECK_EQ_INT(screen.n_erased, 1);
    CHECK_EQ_STR(screen.text, "");
    mb_progress_finish(&progress); /* nothing is up */
    CHECK_EQ_INT(screen.n_erased, 1);
}

/* Each image took `each_s`; `n_done` of `n` are finished, and the next has taken `spent_s`. */
static const char *time_left(size_t n, size_t n_done, double each_s, double spent_s)
{
    static struct screen screen;
    struct mb_progress progress = make(&screen, true, false, false);
    progress.n_images = n;
    for (size_t i = 0; i < n_done; i++) {
        mb_progress_image(&progress, i);
        screen.now_ns += (uint64_t)(each_s * 1e9);
    }
    mb_progress_image(&progress, n_done);
    screen.now_ns += (uint64_t)(spent_s * 1e9);
    mb_progress_image(&progress, n_done); /* once more in the same image: no new clock */
    mb_progress_step(&progress, "spd", "verifying");
    const char *verifying = strstr(screen.text, "verifying");
    return verifying ? verifying : "";
}

static void test_time_left(void)
{
    CHECK_EQ_STR(time_left(1, 0, 0, 30), "verifying");
    CHECK_EQ_STR(time_left(10, 0, 0, 30), "verifying");
    CHECK_EQ_STR(time_left(10, 1, 4, 0), "verifying - about 36 s left");
    CHECK_EQ_STR(time_left(10, 5, 4, 2.5), "verifying - about 18 s left");
    CHECK_EQ_STR(time_left(10, 5, 4, 30),
                 "verifying - about 16 s left"); /* longer than others */
    CHECK_EQ_STR(time_left(10, 9, 4, 3), "verifying - about 1 s left");
    CHECK_EQ_STR(time_left(10, 9, 4, 5), "verifying"); /* longer, and the last one */
    CHECK_EQ_STR(time_left(200, 100, 0.88, 0), "verifying - about 88 s left");
    CHECK_EQ_STR(time_left(200, 100, 0.92, 0), "verifying - about 2 min left");
    CHECK_EQ_STR(time_left(200, 100, 53, 0), "verifying - about 89 min left");
    CHECK_EQ_STR(time_left(200, 100, 60, 0), "verifying - about 2 h left");
}

static void test_rate(void)
{
    struct screen screen;
    struct mb_progress progress = make(&screen, true, false, false);
    mb_progress_image(&progress, 0);
    for (uint32_t i = 0; i < 1000; i++) { /* a second of 1 ms blocks */
        mb_progress_rounds(&progress, "spd", i, 1000);
        screen.now_ns += MS;
    }
    CHECK_EQ_INT(screen.n_draws, 10);
    CHECK_EQ_STR(screen.text, "[1/200] spd - 900 of 1000 blocks");
    mb_progress_step(&progress, "spd", "verifying"); /* a step is never withheld */
    CHECK_EQ_STR(screen.text, "[1/200] spd - verifying");
    CHECK_EQ_INT(screen.n_draws, 11);
}

/* A long name gives way to what is known; both its ends stay. */
static void test_narrow(void)
{
    struct screen screen;
    struct mb_progress progress = make(&screen, true, true, false);
    mb_progress_image(&progress, 36);
    mb_progress_name(&progress, "a-very-long-name-of-a-photo-0037");
    screen.width = 52;
    mb_progress_step(&progress, "spd", "verifying");
    CHECK_EQ_STR(screen.text, "[37/200] a-very-long..-photo-0037 \u00b7 spd \u00b7 verifying");
    CHECK_EQ_INT(screen.columns, 51);
    screen.width = 20; /* the end is cut by who draws */
    mb_progress_step(&progress, "spd", "verifying");
    CHECK_EQ_STR(screen.text, "[37/200] a-v..037 \u00b7 spd \u00b7 verifying");
    CHECK_EQ_INT(screen.columns, 19);
}

static void make_case(struct mb_case *c, struct mb_result results[4])
{
    const struct mb_extent base = {512, 256};
    *c = (struct mb_case){.input_name = "photo", .results = results, .n_results = 4};
    mb_layout_init(&c->layout, mb_format_find("rgba8"), base, 1, 10);
    for (size_t i = 0; i < 4; i++) {
        results[i] = (struct mb_result){.verify = MB_VERIFY_PASS};
    }
}

/* One line for each finished image. */
static void test_finished_image(void)
{
    struct screen screen;
    struct mb_case c;
    struct mb_result results[4];
    struct mb_progress progress = make(&screen, false, false, false);
    make_case(&c, results);
    mb_progress_image(&progress, 2);
    mb_progress_rounds(&progress, "spd", 1, 2);
    mb_progress_step(&progress, "spd", "verifying");
    CHECK_EQ_INT(screen.n_draws, 0);
    mb_progress_case_done(&progress, &c);
    CHECK_EQ_STR(screen.line, "3/200 photo 512x256 rgba8: 4 strategies verified");
    results[0].status = MB_RESULT_SKIPPED;
    results[1].status = MB_RESULT_FAILED;
    results[2].status = MB_RESULT_FAILED;
    mb_progress_case_done(&progress, &c);
    CHECK_EQ_STR(screen.line,
                 "3/200 photo 512x256 rgba8: 1 strategy verified, 2 FAILED, 1 skipped");
    results[3].verify = MB_VERIFY_SKIPPED;
    mb_progress_case_done(&progress, &c);
    CHECK_EQ_STR(screen.line,
                 "3/200 photo 512x256 rgba8: 1 strategy not checked, 2 FAILED, 1 skipped");
    CHECK_EQ_INT(screen.n_lines, 3);
    CHECK_EQ_INT(screen.n_draws + screen.n_erased, 0);
}

static void test_quiet(void)
{
    struct screen screen;
    struct mb_case c;
    struct mb_result results[4];
    make_case(&c, results);
    for (int is_terminal = 0; is_terminal < 2; is_terminal++) {
        struct mb_progress progress = make(&screen, is_terminal != 0, false, true);
        mb_progress_image(&progress, 0);
        mb_progress_rounds(&progress, "spd", 1, 2);
        mb_progress_step(&progress, "spd", "verifying");
        mb_progress_case_done(&progress, &c);
        mb_progress_finish(&progress);
        CHECK_EQ_INT(screen.n_draws + screen.n_erased + screen.n_lines, 0);
    }
}

/* On a terminal the table follows: the line is erased, and nothing is said twice. */
static void test_terminal_cell(void)
{
    struct screen screen;
    struct mb_case c;
    struct mb_result results[4];
    struct mb_progress progress = make(&screen, true, false, false);
    make_case(&c, results);
    mb_progress_step(&progress, "spd", "verifying");
    mb_progress_case_done(&progress, &c);
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
    return CHECK_TESTS(test_line, test_rate, test_time_left, test_narrow, test_finished_image,
                       test_quiet, test_terminal_cell, test_time_text);
}
