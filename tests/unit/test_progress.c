/* Progress: the line, how often it is drawn, and what is said where stderr is no terminal. What
 * goes to a terminal is tests/cli/test_output.py's. */
#include "cli/progress.h"

#include <string.h>

#include "check.h"

#define MS UINT64_C(1000000)

static struct mb_text drawn;

static const char *draw(const struct mb_progress *progress, const char *label, const char *step,
                        uint64_t now_ns)
{
    drawn = mb_progress_text(progress, label, step, now_ns);
    return drawn.s;
}

/* One image is timed, then how long is left is told from it. */
static void test_line(void)
{
    struct mb_progress progress = {.n_images = 200};
    CHECK_EQ_STR(draw(&progress, "device", "measuring its limits", 60000 * MS),
                 "[1/200] device - measuring its limits");
    progress.first_ns = progress.begin_ns = 60000 * MS;
    strcpy(progress.image.s, "photo_1");
    CHECK_EQ_STR(draw(&progress, "8 strategies", "warming up", 62000 * MS),
                 "[1/200] 8 strategies - warming up - photo_1");
    progress.image_index = 1;
    progress.begin_ns = 63000 * MS; /* three seconds an image */
    strcpy(progress.image.s, "photo_2");
    CHECK_EQ_STR(draw(&progress, "8 strategies", "40 of 320 blocks", 63000 * MS),
                 "[2/200] 8 strategies - 40 of 320 blocks - about 10 min left - photo_2");
}

static void make_case(struct mb_case *c, struct mb_result results[4])
{
    const struct mb_extent base = {512, 256};
    *c = (struct mb_case){.input_name = "photo", .results = results, .n_results = 4};
    mb_layout_init(&c->layout, mb_format_find("rgba8"), base, 1, 10);
    for (size_t i = 0; i < 4; i++) {
        results[i] = (struct mb_result){.has_work = true, .verify = MB_VERIFY_PASS};
    }
}

/* The clock is read where an image begins, and only there. */
static void test_images(void)
{
    struct mb_progress progress;
    struct mb_case c;
    struct mb_result results[4];
    make_case(&c, results);
    mb_progress_init(&progress, true, 3);
    mb_progress_image(&progress, 0, &c);
    const struct mb_progress first = progress;
    CHECK(first.first_ns != 0 && first.begin_ns == first.first_ns);
    mb_progress_image(&progress, 1, &c);
    CHECK(progress.first_ns == first.first_ns && progress.begin_ns > first.begin_ns);
    CHECK_EQ_INT(progress.image_index, 1);
    CHECK_EQ_STR(progress.image.s, "photo 512x256 rgba8");
}

/* Each image took `each_s`; `n_done` of `n` are finished, and the next has taken `spent_s`. */
static const char *time_left(size_t n, size_t n_done, double each_s, double spent_s)
{
    const uint64_t begin_ns = 1000 * MS + (uint64_t)((double)n_done * each_s * 1e9);
    const struct mb_progress progress = {
        .n_images = n, .image_index = n_done, .first_ns = 1000 * MS, .begin_ns = begin_ns};
    draw(&progress, "spd", "verifying", begin_ns + (uint64_t)(spent_s * 1e9));
    const char *verifying = strstr(drawn.s, "verifying");
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

/* In the first image: the blocks that are left take 27 s. */
static void test_first_image(void)
{
    struct mb_progress progress = {
        .n_images = 1, .first_ns = 1000 * MS, .begin_ns = 1000 * MS, .table_left_ns = 27e9};
    draw(&progress, "spd", "10 of 40", 13000 * MS);
    CHECK(strstr(drawn.s, "about 27 s left"));
    progress.n_images = 2;
    draw(&progress, "spd", "10 of 40", 13000 * MS);
    CHECK(strstr(drawn.s, "about 66 s left"));
    mb_progress_rounds(&progress, "spd", 1, 3);
    CHECK(progress.table_left_ns == 0.0);
    mb_progress_rounds(&progress, "spd", 2, 3);
    CHECK(progress.table_left_ns > 0.0 && progress.table_left_ns < 60e9);
    mb_progress_step(&progress, "a", "verifying");
    draw(&progress, "a", "verifying", 13000 * MS);
    CHECK(!strstr(drawn.s, "left"));
}

/* Blocks are drawn at most ten times a second, and only on a terminal that is not to be quiet.
 */
static void test_rate(void)
{
    struct mb_progress progress = {.is_terminal = true, .n_images = 1};
    int n_draws = 0;
    for (uint64_t ms = 1; ms <= 1000; ms++) {
        if (mb_progress_is_due(&progress, ms * MS)) {
            progress.drawn_ns = ms * MS;
            n_draws++;
        }
    }
    CHECK_EQ_INT(n_draws, 10);
    progress.drawn_ns = 0;
    progress.is_quiet = true;
    CHECK(!mb_progress_is_due(&progress, 5000 * MS));
    /* Off a terminal 30 s after the last line. */
    progress = (struct mb_progress){.n_images = 1, .drawn_ns = 1000 * MS};
    CHECK(!mb_progress_is_due(&progress, 30999 * MS));
    CHECK(mb_progress_is_due(&progress, 31000 * MS));
}

static void check_finished(const struct mb_case *c, const char *want)
{
    const struct mb_progress progress = {
        .n_images = 200, .image_index = 2, .image = {"photo 512x256 rgba8"}};
    CHECK_EQ_STR(mb_progress_case_text(&progress, c).s, want);
}

/* One line for each finished image. */
static void test_finished_image(void)
{
    struct mb_case c;
    struct mb_result results[4];
    make_case(&c, results);
    check_finished(&c, "3/200 photo 512x256 rgba8: 4 strategies verified");
    results[0].status = MB_RESULT_SKIPPED;
    results[1].status = MB_RESULT_FAILED;
    results[2].status = MB_RESULT_FAILED;
    check_finished(&c, "3/200 photo 512x256 rgba8: 1 strategy verified, 2 FAILED, 1 skipped");
    results[3].verify = MB_VERIFY_SKIPPED;
    check_finished(&c,
                   "3/200 photo 512x256 rgba8: 1 strategy not checked, 2 FAILED, 1 skipped");
}

int main(void)
{
    return CHECK_TESTS(test_line, test_images, test_rate, test_time_left, test_first_image,
                       test_finished_image);
}
