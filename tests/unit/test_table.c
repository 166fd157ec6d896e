/* The terminal's table, compared as exact text. */
#include "cli/table.h"

#include <math.h>

#include "base/alloc.h"
#include "bench/ranking.h"
#include "check.h"
#include "cli/notes.h"

#define MAX_ROWS 5

static const struct mb_table_style plain = {.unicode = false};

/* A run with one cell of up to MAX_ROWS results. */
struct fixture {
    struct mb_settings settings;
    struct mb_run run;
    struct mb_cell cell;
    struct mb_result results[MAX_ROWS];
};

static void make_fixture(struct fixture *f, uint32_t width, uint32_t height)
{
    const struct mb_extent base = {width, height};
    *f = (struct fixture){
        .settings = {.verify = true},
        .run = {.device = {.name = "Test GPU",
                           .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                           .driver_version = "1.2.3",
                           .api_version = VK_MAKE_API_VERSION(0, 1, 3, 250)},
                .timer = {.valid_bits = 64}},
        .cell = {.input = "photo.png",
                 .input_name = "photo",
                 .fastest = SIZE_MAX,
                 .floor_ns = (double)NAN},
    };
    f->run.settings = &f->settings;
    f->cell.results = f->results;
    mb_layout_init(&f->cell.layout, mb_format_find("rgba8"), base, 1,
                   mb_full_level_count(base));
    f->cell.compulsory_bytes = mb_layout_compulsory_bytes(&f->cell.layout);
}

/* Add a verified row; times in microseconds, the interval +-`half_us` around the median. */
static struct mb_result *add_row(struct fixture *f, const char *label, double median_us,
                                 double half_us)
{
    struct mb_result *result = &f->results[f->cell.n_results++];
    *result = (struct mb_result){
        .stats = {.n = 100,
                  .median_ns = median_us * 1e3,
                  .p95_ns = median_us * 1.05e3,
                  .median_ci_ns = {(median_us - half_us) * 1e3, (median_us + half_us) * 1e3},
                  .median_ci_level = 0.96},
        .n_samples = 100,
        .verify = MB_VERIFY_PASS,
        .verdict = {.pass = true, .max_error_lsb = 0.5},
    };
    snprintf(result->label, sizeof result->label, "%s", label);
    return result;
}

/* As the harness does: the fastest verified row and the ratios to it. */
static void rank(struct fixture *f)
{
    for (size_t i = 0; i < f->cell.n_results; i++) {
        const struct mb_result *result = &f->results[i];
        if (result->status == MB_RESULT_OK && result->stats.n > 0 &&
            (f->cell.fastest == SIZE_MAX ||
             result->stats.median_ns < f->results[f->cell.fastest].stats.median_ns)) {
            f->cell.fastest = i;
        }
    }
    for (size_t i = 0; i < f->cell.n_results && f->cell.fastest != SIZE_MAX; i++) {
        const struct mb_stats *best = &f->results[f->cell.fastest].stats;
        const struct mb_stats *stats = &f->results[i].stats;
        bool overlap = stats->median_ci_ns[0] <= best->median_ci_ns[1];
        f->results[i].relation = (struct mb_relation){
            .ratio = stats->n > 0 ? stats->median_ns / best->median_ns : (double)NAN,
            .p_adjusted = (double)NAN,
            .outcome = overlap ? MB_OUTCOME_SAME : MB_OUTCOME_SLOWER,
        };
    }
}

static void check_cell(const struct fixture *f, const struct mb_table_style *style,
                       const char *want)
{
    struct mb_strbuf out = {0};
    mb_table_cell(&out, &f->run, &f->cell, style);
    CHECK_EQ_STR(mb_strbuf_text(&out), want);
    mb_strbuf_finish(&out);
}

/* Only the row that the sentence names is marked as the best. */
static void check_marked(const struct fixture *f, const char *mark)
{
    struct mb_strbuf out = {0};
    mb_table_cell(&out, &f->run, &f->cell, &plain);
    CHECK_EQ_INT(strstr(mb_strbuf_text(&out), "\n> ") != NULL, mark[0] != '\0');
    CHECK(strstr(mb_strbuf_text(&out), mark) != NULL);
    mb_strbuf_finish(&out);
}

static void check_ranking(const struct fixture *f, const char *want)
{
    struct mb_strbuf out = {0};
    mb_ranking_describe(&out, &f->run, &f->cell);
    CHECK_EQ_STR(mb_strbuf_text(&out), want);
    mb_strbuf_finish(&out);
}

static void test_usual(void)
{
    struct fixture f;
    make_fixture(&f, 4096, 4096);
    add_row(&f, "spd", 41.6, 0.1);
    add_row(&f, "blit", 462.4, 0.6)->verdict.max_error_lsb = 0.98;
    struct mb_result *skipped = add_row(&f, "subgroup", 1, 0);
    skipped->status = MB_RESULT_SKIPPED;
    skipped->stats = (struct mb_stats){0};
    snprintf(skipped->reason, sizeof skipped->reason, "the device has no shuffle");
    rank(&f);
    check_cell(&f, &plain,
               "photo.png  4096x4096 rgba8, 13 levels, box avg, hot, latency\n"
               "\n"
               "  Strategy    Median   95% interval       p95  GB/s  Relative  Verified\n"
               "> spd        41.6 us    41.5 - 41.7   43.7 us  2151      1.00  exact\n"
               "  blit      462.4 us  461.8 - 463.0  485.5 us   194     11.12  max 0.98 LSB\n"
               "  subgroup  skipped: the device has no shuffle\n"
               "\n"
               "spd is fastest: blit takes 11.12 times as long.\n");
}

/* Fast and wrong must look wrong: a failed row is named, not ranked, and painted. */
static void test_failed(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    struct mb_result *bad = add_row(&f, "spd", 2, 0.01);
    bad->status = MB_RESULT_FAILED;
    bad->verify = MB_VERIFY_FAIL;
    bad->verdict.first_bad = (struct mb_bad_texel){
        .found = true, .level = 3, .x = 5, .y = 7, .channel = 1, .want = 127.5, .got = 0};
    add_row(&f, "compute", 8.25, 0.01);
    struct mb_result *lost = add_row(&f, "blit", 1, 0);
    lost->status = MB_RESULT_FAILED;
    lost->verify = MB_VERIFY_SKIPPED;
    lost->stats = (struct mb_stats){0};
    snprintf(lost->reason, sizeof lost->reason, "vkQueueSubmit: VK_ERROR_DEVICE_LOST");
    rank(&f);
    char place[200];
    char want[1024];
    mb_bad_texel_describe(&bad->verdict.first_bad, place, sizeof place);
    snprintf(want, sizeof want,
             "photo.png  64x64 rgba8, 7 levels, box avg, hot, latency\n"
             "\n"
             "  Strategy   Median  95%% interval      p95   GB/s  Relative  Verified\n"
             "\033[1;31m  spd       2.00 us   1.99 - 2.01  2.10 us  10.92         -  "
             "FAIL: %s\033[0m\n"
             "\033[1;32m> compute   8.25 us   8.24 - 8.26  8.66 us   2.65      1.00  exact"
             "\033[0m\n"
             "\033[1;31m  blit      failed: vkQueueSubmit: VK_ERROR_DEVICE_LOST\033[0m\n",
             place);
    const struct mb_table_style color = {.color = true};
    check_cell(&f, &color, want);
}

/* Two intervals that touch: no winner is named, however the medians lie. */
static void test_noise(void)
{
    struct fixture f;
    make_fixture(&f, 256, 256);
    add_row(&f, "spd", 10.0, 0.2);
    add_row(&f, "compute", 10.3, 0.15);
    add_row(&f, "blit", 40, 0.1);
    rank(&f);
    check_ranking(&f, "spd and compute are within the noise of this run.");
    check_marked(&f, "");
    f.results[1].relation.outcome = MB_OUTCOME_SLOWER;
    check_ranking(&f, "spd is fastest: compute takes 1.030 times as long.");
    check_marked(&f, "\n> spd ");
    f.cell.floor_ns = 5e3;
    f.run.roofline.ceiling_gbps = 4300;
    check_ranking(
        &f,
        "spd is fastest: compute takes 1.030 times as long. Limit: 5.0 us (memory, 3:1 mix, "
        "measured 4.30 TB/s).");
    f.cell.is_dispatch_bound = true;
    check_ranking(&f, "spd is fastest: compute takes 1.030 times as long. Limit: 5.00 us (an "
                      "empty dispatch).");
    f.cell.floor_ns = (double)NAN;
    f.results[1].relation.outcome = MB_OUTCOME_INCONCLUSIVE;
    f.results[2].relation.outcome = MB_OUTCOME_SAME;
    check_ranking(&f, "spd, compute and blit are within the noise of this run.");
    f.results[1].relation.outcome = MB_OUTCOME_FASTER;
    check_ranking(&f, "No ranking: spd leads by its median, but compute within blocks.");
    f.results[0].stats.median_ci_level = 0.9;
    f.results[0].stats.n = 4;
    check_ranking(&f, "No ranking: too few samples (4) for a 95 % interval; try --samples 20.");
    f.settings.validate = true;
    check_ranking(&f, "");
}

/* What no test could have told apart is not called noise, but what lies within 1 % may be. */
static void test_too_few(void)
{
    struct fixture f;
    make_fixture(&f, 256, 256);
    add_row(&f, "spd", 10.0, 0.2);
    add_row(&f, "compute", 12, 0.2);
    add_row(&f, "blit", 40, 0.1);
    rank(&f);
    f.cell.samples.n_kept = 6;
    for (size_t i = 0; i < 3; i++) {
        f.results[i].stats.n = 6;
        f.results[i].relation.p = i > 0 ? 0.03125 : (double)NAN;
        f.results[i].relation.least_p = f.results[i].relation.p;
        f.results[i].relation.outcome = MB_OUTCOME_INCONCLUSIVE;
    }
    check_ranking(&f,
                  "No ranking: too few samples (6) to tell 3 rows apart; try --samples 20.");
    check_marked(&f, "");
    f.results[1].relation.outcome = f.results[2].relation.outcome = MB_OUTCOME_SAME;
    check_ranking(&f, "spd, compute and blit are within the noise of this run.");
    f.results[1].relation.outcome = MB_OUTCOME_INCONCLUSIVE;
    f.cell.samples.n_kept = 7;
    f.results[1].relation.p = f.results[2].relation.p = 0.3;
    f.results[1].relation.least_p = f.results[2].relation.least_p = 0.015625;
    check_ranking(&f, "spd, compute and blit are within the noise of this run.");
    /* Of ten samples that differ in six blocks only, one row's could not have passed. */
    f.cell.samples.n_kept = 10;
    f.results[2].stats.n = f.results[1].stats.n = f.results[0].stats.n = 10;
    f.results[1].relation.least_p = 0.03125;
    check_ranking(&f,
                  "No ranking: too few samples (10) to tell 3 rows apart; try --samples 20.");
    f.results[2].relation.p =
        0.001; /* it is the first in Holm's order, and the other the last */
    check_ranking(&f, "spd, compute and blit are within the noise of this run.");
}

/* Of many that are tied the nearest are named, whatever their order in the table. */
static void test_many_tied(void)
{
    struct fixture f;
    make_fixture(&f, 256, 256);
    add_row(&f, "e", 10.04, 0.2);
    add_row(&f, "a", 10.0, 0.2);
    add_row(&f, "d", 10.02, 0.2);
    add_row(&f, "b", 10.0, 0.2);
    add_row(&f, "c", 10.01, 0.2);
    rank(&f);
    check_ranking(&f, "a, b, c and 2 more are within the noise of this run.");
    f.results[0].relation.outcome = f.results[3].relation.outcome = MB_OUTCOME_SLOWER;
    check_ranking(&f, "a, c and d are within the noise of this run.");
}

static void test_nothing_to_rank(void)
{
    struct fixture f;
    make_fixture(&f, 256, 256);
    check_ranking(&f, "");
    add_row(&f, "spd", 10.0, 0.2);
    rank(&f);
    check_ranking(&f, "");
    struct mb_result *bad = add_row(&f, "compute", 30, 0.1);
    bad->status = MB_RESULT_FAILED;
    bad->verify = MB_VERIFY_FAIL;
    check_ranking(&f, "");
}

/* No timestamps: no column that could hold a made-up number. */
static void test_no_times(void)
{
    struct fixture f;
    make_fixture(&f, 1, 1);
    struct mb_result *row = add_row(&f, "spd", 1, 0);
    row->stats = (struct mb_stats){.median_ns = NAN};
    row = add_row(&f, "compute", 1, 0);
    row->stats = (struct mb_stats){.median_ns = NAN};
    row->verify = MB_VERIFY_SKIPPED;
    check_cell(&f, &plain,
               "photo.png  1x1 rgba8, 1 level, box avg, hot, latency\n"
               "\n"
               "  Strategy  Verified\n"
               "  spd       exact\n"
               "  compute   not checked\n");
}

/* Odd sizes and a policy that drops texels: the distance to box stands beside the time. */
static void test_quality(void)
{
    struct fixture f;
    make_fixture(&f, 1920, 1080);
    struct mb_result *row = add_row(&f, "compute", 10, 0.1);
    row->verdict.box_lsb = 0.5;
    row = add_row(&f, "spd", 5, 0.1);
    row->work.claim.filter.policy = MB_POLICY_FLOOR;
    row->verdict.box_lsb = 37.25;
    rank(&f);
    struct mb_strbuf out = {0};
    mb_table_cell(&out, &f.run, &f.cell, &plain);
    CHECK(strstr(mb_strbuf_text(&out), "          vs box  Verified\n") != NULL);
    CHECK(strstr(mb_strbuf_text(&out), "     0.5 LSB (box)  exact\n") != NULL);
    CHECK(strstr(mb_strbuf_text(&out), "  37.2 LSB (floor)  exact\n") != NULL);
    mb_strbuf_finish(&out);

    const struct mb_extent even = {1024, 1024};
    mb_layout_init(&f.cell.layout, mb_format_find("rgba8"), even, 1, 11);
    mb_table_cell(&out, &f.run, &f.cell, &plain);
    CHECK(strstr(mb_strbuf_text(&out), "vs box") == NULL);
    mb_strbuf_finish(&out);
}

/* What is made is said above the table, in so far as it is not the default. */
static void test_head(void)
{
    struct fixture f;
    make_fixture(&f, 64, 32);
    f.settings.verify = false;
    add_row(&f, "spd", 10, 0.1)->verify = MB_VERIFY_SKIPPED;
    f.cell.task.reduce = MB_REDUCE_MIN;
    f.cell.layout.n_layers = 3;
    struct mb_strbuf out = {0};
    mb_table_cell(&out, &f.run, &f.cell, &plain);
    CHECK(strstr(mb_strbuf_text(&out),
                 "photo.png  64x32 rgba8, 7 levels, box min, 3 layers, hot, latency\n") ==
          mb_strbuf_text(&out));
    mb_strbuf_finish(&out);
    f.cell.task = (struct mb_task){.alpha = MB_ALPHA_PREMULTIPLIED,
                                   .is_update = true,
                                   .n_rects = 1,
                                   .rects = {{1, 2, 3, 4}}};
    f.cell.layout.n_layers = 12;
    f.cell.is_cube = true;
    mb_table_cell(&out, &f.run, &f.cell, &plain);
    CHECK(strstr(mb_strbuf_text(&out), ", box avg, alpha premultiplied, 2 cubes, update of 3x4 "
                                       "at 1,2, hot, latency\n") != NULL);
    mb_strbuf_finish(&out);
    f.cell.task.n_rects = 3;
    f.cell.task.rects[1] = (struct mb_rect){0, 8, 4, 4};
    f.cell.task.rects[2] = (struct mb_rect){2, 1, 9, 9};
    mb_table_cell(&out, &f.run, &f.cell, &plain);
    CHECK(strstr(mb_strbuf_text(&out), "2 cubes, update of 3 rectangles within 11x11 at 0,1, "
                                       "hot, latency\n") != NULL);
    mb_strbuf_finish(&out);
}

/* One unit a table: that of the fastest, one up where the slowest would be too long. */
static void test_units(void)
{
    static const struct {
        double us[2];
        const char *text[2];
    } cases[] = {
        {{0.64, 0.9}, {" 640 ns ", " 900 ns "}},
        {{1.5, 99000}, {" 1.50 us ", " 99000.00 us "}},
        {{1.5, 100000}, {" 0.0015 ms ", " 100.0000 ms "}},
        {{250, 100000}, {" 0.250 ms ", " 100.000 ms "}},
        {{2500, 3000}, {" 2.50 ms ", " 3.00 ms "}},
        {{2.5e6, 3e6}, {" 2.50 s ", " 3.00 s "}},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct fixture f;
        make_fixture(&f, 64, 64);
        add_row(&f, "spd", cases[i].us[0], 0);
        add_row(&f, "blit", cases[i].us[1], 0);
        rank(&f);
        struct mb_strbuf out = {0};
        mb_table_cell(&out, &f.run, &f.cell, &plain);
        CHECK(strstr(mb_strbuf_text(&out), cases[i].text[0]) != NULL);
        CHECK(strstr(mb_strbuf_text(&out), cases[i].text[1]) != NULL);
        mb_strbuf_finish(&out);
    }
}

static void check_notes(const struct fixture *f, bool all, const char *want)
{
    struct mb_strbuf out = {0};
    mb_notes_warnings(&out, &f->cell, all);
    CHECK_EQ_STR(mb_strbuf_text(&out), want);
    mb_strbuf_finish(&out);
}

/* The same words once, with the rows that they are about; unasked only what matters. */
static void test_notes(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    struct mb_result *spd = add_row(&f, "spd", 10, 0.1);
    add_row(&f, "blit", 10, 0.1);
    struct mb_result *compute = add_row(&f, "compute", 10, 0.1);
    check_notes(&f, true, "");
    mb_result_warn(spd, "few_samples", "only 3");
    mb_result_warn(spd, "overhead_bound", "too short");
    mb_result_warn(compute, "overhead_bound", "too short");
    check_notes(&f, false, "  note: spd and compute: too short\n");
    check_notes(&f, true, "  note: spd: only 3\n  note: spd and compute: too short\n");
    add_row(&f, "raster", 10, 0.1);
    add_row(&f, "subgroup", 10, 0.1);
    for (size_t i = 1; i < 4; i += 2) {
        mb_result_warn(&f.results[i], "overhead_bound", "too short");
    }
    check_notes(&f, false, "  note: spd, blit, compute and 1 more: too short\n");
    f.cell.n_results = 3;
    check_notes(&f, false, "  note: too short\n");
}

static void test_levels(void)
{
    struct fixture f;
    make_fixture(&f, 5, 3);
    struct mb_result *row = add_row(&f, "spd", 10, 0.1);
    row->verdict.n_levels = 3;
    row->verdict.level[1].box_lsb = 0.5;
    row->verdict.level[2].box_lsb = 2745.2;
    row = add_row(&f, "blit", 10, 0.1);
    row->verify = MB_VERIFY_SKIPPED;
    struct mb_strbuf out = {0};
    mb_notes_levels(&out, &f.cell);
    CHECK_EQ_STR(mb_strbuf_text(&out), "  spd: vs box by level: 0, 0.5, 2745 LSB\n");
    mb_strbuf_finish(&out);
}

static void test_floats(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    f.cell.layout.format = mb_format_find("rgba16f");
    add_row(&f, "spd", 10, 0)->verdict.max_error_lsb = 0.75;
    rank(&f);
    struct mb_strbuf out = {0};
    mb_table_cell(&out, &f.run, &f.cell, &plain);
    CHECK(strstr(mb_strbuf_text(&out), "  max 0.75 ulp\n") != NULL);
    mb_strbuf_finish(&out);
}

static void test_header(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    struct mb_strbuf out = {0};
    mb_table_header(&out, &f.run, "0.1.0", &plain);
    CHECK_EQ_STR(mb_strbuf_text(&out),
                 "mipbench 0.1.0 - Test GPU - driver 1.2.3 - Vulkan 1.3\n");
    mb_strbuf_finish(&out);

    const struct mb_table_style unicode = {.unicode = true, .color = true};
    f.run.device.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    snprintf(f.run.device.driver_info, sizeof f.run.device.driver_info, "Mesa 22");
    f.run.timer.valid_bits = 0;
    mb_table_header(&out, &f.run, "0.1.0", &unicode);
    CHECK_EQ_STR(mb_strbuf_text(&out),
                 "mipbench 0.1.0 \u00b7 Test GPU \u00b7 driver Mesa 22 \u00b7 Vulkan 1.3\n"
                 "\033[1;33mSOFTWARE DEVICE: its times do not predict those of a GPU.\033[0m\n"
                 "\033[1;33mThis device has no timestamps: no times are reported.\033[0m\n");
    mb_strbuf_finish(&out);
}

/* Columns are counted in code points, so a name of two-byte letters does not shift the rest. */
static void test_alignment(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    add_row(&f, "\u00e4\u00f6\u00fc-long", 10, 0.1);
    add_row(&f, "spd", 20, 0.1);
    rank(&f);
    struct mb_strbuf out = {0};
    mb_table_cell(&out, &f.run, &f.cell, &plain);
    CHECK(strstr(mb_strbuf_text(&out), "> \u00e4\u00f6\u00fc-long  10.0 us") != NULL);
    CHECK(strstr(mb_strbuf_text(&out), "  spd       20.0 us") != NULL);
    mb_strbuf_finish(&out);
}

static void test_no_memory(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    add_row(&f, "spd", 10, 0.1);
    add_row(&f, "blit", 20, 0.1);
    rank(&f);
    const uint64_t live = mb_alloc_live_count();
    int n_failed = 0;
    for (uint64_t nth = 1; nth < 10; nth++) {
        struct mb_strbuf out = {0};
        struct mb_err err = {0};
        mb_alloc_fail_nth(nth, false);
        mb_table_cell(&out, &f.run, &f.cell, &plain);
        mb_alloc_fail_nth(0, false);
        n_failed += mb_strbuf_check(&out, &err) != MB_OK;
        CHECK(!out.failed || strcmp(mb_strbuf_text(&out), "") == 0);
        mb_strbuf_finish(&out);
        CHECK_EQ_INT(mb_alloc_live_count(), live);
    }
    CHECK(n_failed >= 2 && n_failed < 9);
}

/* Where nothing can be told by level, it is said why. */
static void test_split(void)
{
    struct mb_result results[] = {
        {.label = "one", .has_work = true, .work.n_dispatches = 1},
        {.label = "none", .has_work = true, .work.n_dispatches = 0},
    };
    const struct mb_cell cell = {.results = results, .n_results = MB_COUNTOF(results)};
    struct mb_strbuf text = {0};
    mb_notes_split(&text, &cell);
    CHECK_EQ_STR(mb_strbuf_text(&text), "  one: one dispatch: not separable by level\n"
                                        "  none: no dispatch: nothing to time by level\n");
    mb_strbuf_finish(&text);
}

int main(void)
{
    test_usual();
    test_failed();
    test_noise();
    test_too_few();
    test_many_tied();
    test_nothing_to_rank();
    test_no_times();
    test_quality();
    test_head();
    test_notes();
    test_levels();
    test_units();
    test_floats();
    test_header();
    test_alignment();
    test_no_memory();
    test_split();
    return check_summary("table");
}
