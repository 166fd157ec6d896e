/* The terminal's table, compared as exact text. */
#include "bench/settings.h"
#include "cli/table.h"

#include <math.h>

#include "base/alloc.h"
#include "base/version.h"
#include "result/ranking.h"
#include "check.h"
#include "cli/notes.h"

#define MAX_ROWS 5

static const struct mb_table_style plain = {.unicode = false, .columns = 200};

/* A run with one cell of up to MAX_ROWS results. */
struct fixture {
    struct mb_settings settings;
    struct mb_run run;
    struct mb_case c;
    struct mb_timing timing;
    struct mb_result results[MAX_ROWS];
    struct mb_row rows[MAX_ROWS];
};

static void make_fixture(struct fixture *f, uint32_t width, uint32_t height)
{
    const struct mb_extent base = {width, height};
    *f = (struct fixture){
        .run = {.verify = true,
                .device = {.name = "Test GPU",
                           .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                           .driver_version = "1.2.3",
                           .api_version = VK_MAKE_API_VERSION(0, 1, 3, 250)},
                .timer = {.valid_bits = 64}},
        .c = {.input = "photo.png", .input_name = "photo"},
        .timing = {.fastest = SIZE_MAX, .floor_ns = (double)NAN},
    };
    f->run.settings = &f->settings;
    f->c.results = f->results;
    f->timing.of = &f->c;
    f->timing.rows = f->rows;
    mb_layout_init(&f->c.layout, mb_format_find("rgba8"), base, 1, mb_full_level_count(base));
    f->c.compulsory_bytes = mb_layout_compulsory_bytes(&f->c.layout);
}

/* Add a verified row; times in microseconds, the interval +-`half_us` around the median. */
static struct mb_row *add_row(struct fixture *f, const char *label, double median_us,
                              double half_us)
{
    struct mb_result *result = &f->results[f->c.n_results];
    struct mb_row *row = &f->rows[f->c.n_results++];
    *row = (struct mb_row){
        .result = result,
        .column = SIZE_MAX,
        .fixed_ns = (double)NAN,
        .stats = {.n = 100,
                  .median_ns = median_us * 1e3,
                  .p95_ns = median_us * 1.05e3,
                  .median_ci_ns = {(median_us - half_us) * 1e3, (median_us + half_us) * 1e3},
                  .median_ci_level = 0.96},
    };
    *result = (struct mb_result){
        .verify = MB_VERIFY_PASS,
        .has_work = true,
        .verdict = {.pass = true, .max_error_lsb = 0.5},
    };
    snprintf(result->label, sizeof result->label, "%s", label);
    return row;
}

/* A row that was not timed. */
static void end_row(struct mb_row *row, enum mb_result_status status, const char *reason)
{
    row->stats = (struct mb_stats){0};
    row->result->status = status;
    row->result->verify = MB_VERIFY_SKIPPED;
    snprintf(row->result->reason, sizeof row->result->reason, "%s", reason);
}

static void set_wrong(struct mb_row *row)
{
    row->result->status = MB_RESULT_FAILED;
    row->result->verify = MB_VERIFY_FAIL;
}

/* As the harness does: the fastest verified row and the ratios to it. */
static void rank(struct fixture *f)
{
    for (size_t i = 0; i < f->c.n_results; i++) {
        const struct mb_row *row = &f->rows[i];
        if (mb_row_status(row) == MB_RESULT_OK && row->stats.n > 0 &&
            (f->timing.fastest == SIZE_MAX ||
             row->stats.median_ns < f->rows[f->timing.fastest].stats.median_ns)) {
            f->timing.fastest = i;
        }
    }
    for (size_t i = 0; i < f->c.n_results && f->timing.fastest != SIZE_MAX; i++) {
        const struct mb_stats *best = &f->rows[f->timing.fastest].stats;
        const struct mb_stats *stats = &f->rows[i].stats;
        bool overlap = stats->median_ci_ns[0] <= best->median_ci_ns[1];
        f->rows[i].relation = (struct mb_relation){
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
    mb_table_timing(&out, &f->run, &f->timing, style);
    CHECK_EQ_STR(mb_strbuf_text(&out), want);
    mb_strbuf_finish(&out);
}

/* Whether the table has each of the parts, up to NULL, on 200 columns. */
static void check_parts(const struct fixture *f, bool want, const char *const *parts)
{
    struct mb_strbuf out = {0};
    mb_table_timing(&out, &f->run, &f->timing, &plain);
    for (; *parts != NULL; parts++) {
        if (!check_record((strstr(mb_strbuf_text(&out), *parts) != NULL) == want, __FILE__,
                          __LINE__)) {
            fprintf(stderr, "'%s' in\n%s", *parts, mb_strbuf_text(&out));
        }
    }
    mb_strbuf_finish(&out);
}

#define CHECK_HAS(f, ...)   check_parts(f, true, (const char *const[]){__VA_ARGS__, NULL})
#define CHECK_LACKS(f, ...) check_parts(f, false, (const char *const[]){__VA_ARGS__, NULL})

static void check_ranking(const struct fixture *f, const char *want)
{
    struct mb_strbuf out = {0};
    mb_ranking_describe(&out, &f->run, &f->timing);
    CHECK_EQ_STR(mb_strbuf_text(&out), want);
    mb_strbuf_finish(&out);
}

static void test_usual(void)
{
    struct fixture f;
    make_fixture(&f, 4096, 4096);
    add_row(&f, "spd", 41.6, 0.1);
    add_row(&f, "blit", 462.4, 0.6)->result->verdict.max_error_lsb = 0.98;
    end_row(add_row(&f, "subgroup", 1, 0), MB_RESULT_SKIPPED, "the device has no shuffle");
    rank(&f);
    check_cell(
        &f, &plain,
        "photo.png  4096x4096 rgba8, 13 levels, avg, hot, latency\n"
        "\n"
        "  Strategy    Median   95% interval       p95  GB/s  Relative  Answer  Verified\n"
        "> spd        41.6 us    41.5 - 41.7   43.7 us  2151      1.00  exact   max 0.50 "
        "LSB\n"
        "  blit      462.4 us  461.8 - 463.0  485.5 us   194     11.12  exact   max 0.98 "
        "LSB\n"
        "  subgroup  skipped: the device has no shuffle\n"
        "\n"
        "spd is the fastest exact one: blit takes 11.12 times as long.\n");
}

/* Fast and wrong must look wrong: a failed row is named, not ranked, and painted. */
static void test_failed(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    struct mb_row *bad = add_row(&f, "spd", 2, 0.01);
    set_wrong(bad);
    bad->result->verdict.first_bad = (struct mb_bad_texel){.found = true,
                                                           .level = 3,
                                                           .x = 5,
                                                           .y = 7,
                                                           .channel = 1,
                                                           .want = 127.5,
                                                           .bound_lsb = 0.6};
    bad->result->verdict.n_levels = 7;
    bad->result->verdict.level[3].n_bad_texels = 35;
    bad->result->verdict.max_error_lsb = 127.5;
    add_row(&f, "compute", 8.25, 0.01);
    end_row(add_row(&f, "blit", 1, 0), MB_RESULT_FAILED, "vkQueueSubmit: VK_ERROR_DEVICE_LOST");
    rank(&f);
    char want[1024];
    snprintf(want, sizeof want,
             "photo.png  64x64 rgba8, 7 levels, avg, hot, latency\n"
             "\n"
             "  Strategy   Median  95%% interval      p95   GB/s  Relative  Answer        "
             "Verified\n"
             "\033[1;31m  spd       2.00 us   1.99 - 2.01  2.10 us  10.92         -  "
             "claims exact  FAIL\033[0m\n"
             "      FAIL: level 3 (5, 7) g: 0, not 127.5; 35 wrong, max 128 LSB of 0.6\n"
             "\033[1;32m> compute   8.25 us   8.24 - 8.26  8.66 us   2.65      1.00  "
             "exact         max 0.50 LSB\033[0m\n"
             "\033[1;31m  blit      failed: vkQueueSubmit: VK_ERROR_DEVICE_LOST\033[0m\n");
    const struct mb_table_style color = {.color = true, .columns = 200};
    check_cell(&f, &color, want);
}

/* A narrow terminal leaves columns out and breaks sentences. */
static void test_width(void)
{
    const struct mb_table_style style = {.columns = 80};
    struct fixture f;
    make_fixture(&f, 4096, 4096);
    add_row(&f, "spd", 41.6, 0.1);
    add_row(&f, "spd:counter=array:load=sample:fp16=on:mips=12:wave=off", 462.4, 0.6);
    end_row(add_row(&f, "subgroup", 1, 0), MB_RESULT_SKIPPED,
            "the device has no shuffle, and so no texel could reach another lane of it");
    rank(&f);
    check_cell(
        &f, &style,
        "photo.png  4096x4096 rgba8, 13 levels, avg, hot, latency\n"
        "\n"
        "  Strategy                                Median  Relative  Answer  Verified\n"
        "> spd                                    41.6 us      1.00  exact   max 0.50 LSB\n"
        "  spd:counter=array..:mips=12:wave=off  462.4 us     11.12  exact   max 0.50 LSB\n"
        "  subgroup                              skipped: the device has no shuffle, and\n"
        "                                        so no texel could reach another lane of\n"
        "                                        it\n"
        "\n"
        "spd is the fastest exact one:\n"
        "spd:counter=array:load=sample:fp16=on:mips=12:wave=off takes 11.12 times as\n"
        "long.\n");
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
    CHECK_LACKS(&f, "\n> ");
    f.rows[1].relation.outcome = MB_OUTCOME_SLOWER;
    check_ranking(&f, "spd is the fastest exact one: compute takes 1.030 times as long.");
    CHECK_HAS(&f, "\n> spd ");
    f.timing.floor_ns = 5e3;
    f.run.roofline.ceiling_gbps = 4300;
    check_ranking(&f, "spd is the fastest exact one: compute takes 1.030 times as long. Limit: "
                      "5.0 us (memory, 3:1 mix, "
                      "measured 4.30 TB/s).");
    f.timing.is_dispatch_bound = true;
    check_ranking(
        &f,
        "spd is the fastest exact one: compute takes 1.030 times as long. Limit: 5.00 us (an "
        "empty dispatch).");
    f.timing.floor_ns = (double)NAN;
    f.rows[1].relation.outcome = MB_OUTCOME_INCONCLUSIVE;
    f.rows[2].relation.outcome = MB_OUTCOME_SAME;
    check_ranking(&f, "spd, compute and blit are within the noise of this run.");
    f.rows[1].relation.outcome = MB_OUTCOME_FASTER;
    check_ranking(&f, "No ranking: spd leads by its median, but compute within blocks.");
    f.rows[0].stats.median_ci_level = 0.9;
    f.rows[0].stats.n = 4;
    check_ranking(&f, "No ranking: too few samples (4) for a 95 % interval; try --samples 20.");
    f.run.validate = true;
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
    f.timing.samples.n_kept = 6;
    for (size_t i = 0; i < 3; i++) {
        f.rows[i].stats.n = 6;
        f.rows[i].relation.p = i > 0 ? 0.03125 : (double)NAN;
        f.rows[i].relation.least_p = f.rows[i].relation.p;
        f.rows[i].relation.outcome = MB_OUTCOME_INCONCLUSIVE;
    }
    check_ranking(&f,
                  "No ranking: too few samples (6) to tell 3 rows apart; try --samples 20.");
    CHECK_LACKS(&f, "\n> ");
    f.rows[1].relation.outcome = f.rows[2].relation.outcome = MB_OUTCOME_SAME;
    check_ranking(&f, "spd, compute and blit are within the noise of this run.");
    f.rows[1].relation.outcome = MB_OUTCOME_INCONCLUSIVE;
    f.timing.samples.n_kept = 7;
    f.rows[1].relation.p = f.rows[2].relation.p = 0.3;
    f.rows[1].relation.least_p = f.rows[2].relation.least_p = 0.015625;
    check_ranking(&f, "spd, compute and blit are within the noise of this run.");
    /* Of ten samples that differ in six blocks only, one row's could not have passed. */
    f.timing.samples.n_kept = 10;
    f.rows[2].stats.n = f.rows[1].stats.n = f.rows[0].stats.n = 10;
    f.rows[1].relation.least_p = 0.03125;
    check_ranking(&f,
                  "No ranking: too few samples (10) to tell 3 rows apart; try --samples 20.");
    f.rows[2].relation.p = 0.001; /* it is the first in Holm's order, and the other the last */
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
    f.rows[0].relation.outcome = f.rows[3].relation.outcome = MB_OUTCOME_SLOWER;
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
    struct mb_row *bad = add_row(&f, "compute", 30, 0.1);
    set_wrong(bad);
    check_ranking(&f, "");
}

/* No timestamps: no column that could hold a made-up number. */
static void test_no_times(void)
{
    struct fixture f;
    make_fixture(&f, 1, 1);
    struct mb_row *row = add_row(&f, "spd", 1, 0);
    row->stats = (struct mb_stats){.median_ns = NAN};
    row = add_row(&f, "compute", 1, 0);
    row->stats = (struct mb_stats){.median_ns = NAN};
    row->result->verify = MB_VERIFY_SKIPPED;
    check_cell(&f, &plain,
               "photo.png  1x1 rgba8, 1 level, avg, hot, latency\n"
               "\n"
               "  Strategy  Answer  Verified\n"
               "  spd       exact   max 0.50 LSB\n"
               "  compute   exact   not checked\n");
}

/* What is exact goes before what is faster, which is named after it with its price: the figures
 * of an H200 at 4095x4095. */
static void test_questions(void)
{
    struct fixture f;
    make_fixture(&f, 4095, 4095);
    add_row(&f, "spd-tree", 42.4, 0.05);
    add_row(&f, "compute", 100.6, 0.15);
    struct mb_row *cheaper = add_row(&f, "spd:fp16=on", 35.6, 0.05);
    cheaper->result->work.tolerance.filter.policy = MB_POLICY_FLOOR;
    cheaper->result->work.tolerance.arithmetic = MB_ARITHMETIC_FP16;
    cheaper->result->verdict.box_lsb = 161;
    mb_ranking_choose(&f.timing); /* not by the time alone */
    CHECK_EQ_INT(f.timing.question, MB_QUESTION_EXACT);
    CHECK_EQ_INT(f.timing.fastest, 0);
    f.rows[0].relation = (struct mb_relation){.ratio = 1, .outcome = MB_OUTCOME_SAME};
    f.rows[1].relation = (struct mb_relation){.ratio = 2.37, .outcome = MB_OUTCOME_SLOWER};
    cheaper->relation = (struct mb_relation){.ratio = 0.84, .outcome = MB_OUTCOME_FASTER};
    CHECK_HAS(&f, "\n> spd-tree ", "  floor, 161 LSB  max 0.50 LSB\n",
              "\nspd-tree is the fastest exact one: compute takes 2.37 times as long.\n"
              "spd:fp16=on takes 0.84 times as long, drops the last row or column of every "
              "odd level and sums in half floats (161 LSB from exact).\n");
    cheaper->relation.outcome = MB_OUTCOME_SAME;
    CHECK_LACKS(&f, "takes 0.84");
    cheaper->relation.outcome = MB_OUTCOME_INCONCLUSIVE;
    f.results[1].work.tolerance.filter.policy = MB_POLICY_FLOOR;
    CHECK_HAS(&f, "\nspd-tree is the only exact one.\n", "\n> spd-tree ");
    /* Beside other kernels nothing is said of it, and so it has no mark. */
    cheaper->result->work.tolerance.filter.policy = MB_POLICY_KAISER;
    f.results[1].work.tolerance.filter.policy = MB_POLICY_KAISER;
    CHECK_LACKS(&f, "\n> ", "only exact");
    cheaper->result->work.tolerance.filter.policy = MB_POLICY_FLOOR;
    f.results[1].work.tolerance.filter.policy = MB_POLICY_BOX;
    cheaper->relation.outcome = MB_OUTCOME_FASTER;

    /* Minima lose nothing by half floats, and are not conservative where rows are dropped. */
    f.c.task.reduce = MB_REDUCE_MIN;
    CHECK_HAS(&f, "spd-tree is the fastest conservative one: ",
              "every odd level: it is not conservative.\n", "  conservative    max 0.50 LSB\n",
              "  floor, 161 LSB  max 0.50 LSB\n");
    cheaper->result->verdict.box_lsb = INFINITY; /* nothing finite can be said */
    CHECK_HAS(&f, "  floor         max 0.50 LSB\n");
    f.results[1].work.tolerance.filter.policy = MB_POLICY_FLOOR;
    CHECK_HAS(&f, "\nspd-tree is the only conservative one.\n");

    f.c.task.reduce = MB_REDUCE_AVG;
    f.timing.question = MB_QUESTION_ANY;
    f.results[0].work.tolerance.filter.policy = MB_POLICY_BLIT;
    cheaper->relation = (struct mb_relation){.ratio = 1.2, .outcome = MB_OUTCOME_SLOWER};
    CHECK_HAS(&f, "\nspd-tree is fastest: spd:fp16=on takes 1.20 times as "
                  "long. None of them is exact.\n");
}

/* What is made is said above the table, in so far as it is not the default. */
static void test_head(void)
{
    struct fixture f;
    make_fixture(&f, 64, 32);
    f.run.verify = false;
    add_row(&f, "spd", 10, 0.1)->result->verify = MB_VERIFY_SKIPPED;
    f.c.task.reduce = MB_REDUCE_MIN;
    f.c.layout.n_layers = 3;
    CHECK_HAS(&f, "photo.png  64x32 rgba8, 7 levels, min, 3 layers, hot, latency\n");
    f.c.task = (struct mb_task){
        .alpha = MB_ALPHA_PREMULTIPLIED, .is_update = true, .rect = {1, 2, 3, 4}};
    f.c.layout.n_layers = 12;
    f.c.is_cube = true;
    CHECK_HAS(&f, ", avg, alpha premultiplied, 2 cubes, update of 3x4 at 1,2, hot, latency\n");
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
        CHECK_HAS(&f, cases[i].text[0], cases[i].text[1]);
    }
}

static void check_notes(const struct fixture *f, bool all, const char *want)
{
    struct mb_strbuf out = {0};
    mb_notes_warnings(&out, &f->timing, all);
    CHECK_EQ_STR(mb_strbuf_text(&out), want);
    mb_strbuf_finish(&out);
}

/* The same words once, with the rows that they are about; unasked only what matters. */
static void test_notes(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    struct mb_row *spd = add_row(&f, "spd", 10, 0.1);
    add_row(&f, "blit", 10, 0.1);
    struct mb_row *compute = add_row(&f, "compute", 10, 0.1);
    check_notes(&f, true, "");
    mb_warn(&spd->warnings, "few_samples", "only 3");
    mb_warn(&spd->warnings, "overhead_bound", "too short");
    mb_warn(&compute->warnings, "overhead_bound", "too short");
    check_notes(&f, false, "  note: spd and compute: too short\n");
    check_notes(&f, true, "  note: spd: only 3\n  note: spd and compute: too short\n");
    add_row(&f, "raster", 10, 0.1);
    add_row(&f, "subgroup", 10, 0.1);
    for (size_t i = 1; i < 4; i += 2) {
        mb_warn(&f.rows[i].warnings, "overhead_bound", "too short");
    }
    check_notes(&f, false, "  note: spd, blit, compute and 1 more: too short\n");
    f.c.n_results = 3;
    check_notes(&f, false, "  note: too short\n");
}

static void test_levels(void)
{
    struct fixture f;
    make_fixture(&f, 5, 3);
    struct mb_row *row = add_row(&f, "spd", 10, 0.1);
    row->result->verdict.n_levels = 3;
    row->result->verdict.level[1].box_lsb = 0.5;
    row->result->verdict.level[2].box_lsb = 2745.2;
    row = add_row(&f, "blit", 10, 0.1);
    row->result->verify = MB_VERIFY_SKIPPED;
    struct mb_strbuf out = {0};
    mb_notes_levels(&out, &f.timing);
    CHECK_EQ_STR(mb_strbuf_text(&out), "  spd: vs box by level: 0, 0.5, 2745 LSB\n");
    mb_strbuf_finish(&out);
}

static void test_floats(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    f.c.layout.format = mb_format_find("rgba16f");
    add_row(&f, "spd", 10, 0)->result->verdict.max_error_lsb = 0.75;
    rank(&f);
    CHECK_HAS(&f, "  max 0.75 ulp\n");
}

static void test_header(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    struct mb_strbuf out = {0};
    mb_table_header(&out, &f.run, &plain);
    CHECK_EQ_STR(mb_strbuf_text(&out),
                 "mipbench " MB_VERSION " - Test GPU - driver 1.2.3 - Vulkan 1.3\n");
    mb_strbuf_finish(&out);

    const struct mb_table_style unicode = {.unicode = true, .color = true};
    f.run.device.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    snprintf(f.run.device.driver_info, sizeof f.run.device.driver_info, "Mesa 22");
    f.run.timer.valid_bits = 0;
    mb_table_header(&out, &f.run, &unicode);
    CHECK_EQ_STR(mb_strbuf_text(&out),
                 "mipbench " MB_VERSION
                 " \u00b7 Test GPU \u00b7 driver Mesa 22 \u00b7 Vulkan 1.3\n"
                 "\033[1;33mSOFTWARE DEVICE: its times do not predict those of a GPU.\033[0m\n"
                 "\033[1;33mThis device has no timestamps: no times are reported.\033[0m\n");
    mb_strbuf_finish(&out);
}

/* What is longest in each column: at 80 columns no cell is broken, details are left out. */
static void test_long_cells(void)
{
    static const struct mb_table_style narrow = {.columns = 80};
    struct fixture f;
    make_fixture(&f, 15, 17);
    f.c.layout.format = mb_format_find("rgba32f");
    add_row(&f, "compute", 205.6, 10);
    struct mb_row *row = add_row(&f, "spd:counter=array:load=sample", 218.3, 30);
    row->result->verdict =
        (struct mb_verdict){.pass = true, .max_error_lsb = 17.19, .box_lsb = 4.46e6};
    row->result->work.tolerance.filter.policy = MB_POLICY_FLOOR;
    rank(&f);
    row->relation.p_adjusted = 0.5;
    row->relation.ci[0] = 0.93;
    row->relation.ci[1] = 13.12;
    check_cell(
        &f, &narrow,
        "photo.png  15x17 rgba32f, 5 levels, avg, hot, latency\n"
        "\n"
        "  Strategy                  Median  Relative  Answer               Verified\n"
        "> compute                 205.6 us      1.00  exact                max 0.50 ulp\n"
        "  spd:counte..oad=sample  218.3 us      1.06  floor, 4.46e+06 ulp  max 17.19 ulp\n"
        "\n"
        "compute is the only exact one.\n");
    row->result->verdict.claimed_lsb = 2;
    snprintf(row->result->label, sizeof row->result->label, "spd");
    check_cell(&f, &narrow,
               "photo.png  15x17 rgba32f, 5 levels, avg, hot, latency\n"
               "\n"
               "  Strategy    Median  Relative  Answer               Verified\n"
               "> compute   205.6 us      1.00  exact                max 0.50 ulp\n"
               "  spd       218.3 us      1.06  floor, 4.46e+06 ulp  max 17.19 ulp of 2 "
               "claimed\n"
               "\n"
               "compute is the only exact one.\n");
}

/* Several runs: in the columns of one, with how many they are. */
static void test_pool(void)
{
    static const struct mb_table_style narrow = {.columns = 80};
    struct fixture f;
    struct mb_strbuf out = {0};
    make_fixture(&f, 64, 64);
    f.c.layout.format = NULL;
    f.c.compulsory_bytes = 0;
    add_row(&f, "spd", 10, 0.1);
    add_row(&f, "compute", 20, 0.1)->result->verify = MB_VERIFY_SKIPPED;
    struct mb_row *bad = add_row(&f, "blit", 5, 0.1);
    set_wrong(bad);
    bad->result->work.tolerance.arithmetic = MB_ARITHMETIC_FILTER;
    rank(&f);
    for (size_t i = 0; i < 3; i++) {
        f.timing.rows[i].n_runs = i < 2 ? 3 : 2;
    }
    mb_table_pool(&out, &f.run, &f.timing, &narrow);
    CHECK_EQ_STR(mb_strbuf_text(&out),
                 "  Strategy    Median  Relative  Answer  Verified     Runs\n"
                 "> spd       10.00 us      1.00  exact   yes             3\n"
                 "  compute   20.00 us      2.00  exact   not checked     3\n"
                 "  blit       5.00 us         -  filter  FAIL            2\n"
                 "\n"
                 "spd is the fastest exact one: compute takes 2.00 times as long.\n");
    mb_strbuf_finish(&out);
    mb_table_pool(&out, &f.run, &f.timing, &plain);
    CHECK(strstr(mb_strbuf_text(&out), "  Strategy    Median   95% interval       p95  "
                                       "Relative  Answer  Verified     Runs\n") != NULL);
    mb_strbuf_finish(&out);
}

/* What stands on the terminal, without breaks; what is no markup is escaped. */
static void test_markdown(void)
{
    struct fixture f;
    char *text = NULL;
    make_fixture(&f, 64, 64);
    struct mb_case *cases[] = {&f.c};
    f.run.cases = cases;
    f.run.n_cases = f.c.n_timings = 1;
    f.run.complete = f.settings.per_level = true;
    struct mb_row *bad = add_row(&f, "a_b", 1.5, 0.25);
    set_wrong(bad);
    snprintf(bad->result->reason, sizeof bad->result->reason, "<b>");
    bad->result->has_work = false;
    add_row(&f, "spd", 462.4, 0.5)->result->work.n_dispatches = 1;
    mb_warn(&bad->warnings, "overhead_bound", "too | short");
    rank(&f);
    f.c.timings[0] = f.timing;
    CHECK_EQ_INT(mb_table_markdown(&f.run, &text, NULL), MB_OK);
    CHECK_EQ_STR(
        text,
        "mipbench " MB_VERSION " \u00b7 Test GPU \u00b7 driver 1.2.3 \u00b7 Vulkan 1.3\n"
        "\n### photo.png 64x64 rgba8, 7 levels, avg, hot, latency\n"
        "\n| Strategy | Median | 95% interval | p95 | GB/s | of limit | Relative | Answer "
        "| Verified |\n"
        "|:--|--:|--:|--:|--:|--:|--:|:--|:--|\n"
        "| a\\_b | 1.500 us | 1.250 - 1.750 | 1.575 us | 14.56 | | - | - | FAIL: "
        "\\<b\\> |\n"
        "| **spd** | 462.4 us | 461.9 - 462.9 | 485.5 us | 0.047 | | 1.00 | exact | max "
        "0.50 LSB |\n"
        "\n- spd: one dispatch: not separable by level\n"
        "- note: a\\_b: too \\| short\n");
    mb_free(text);
}

static enum mb_status write_table(void *user, struct mb_err *err)
{
    const struct fixture *f = user;
    struct mb_strbuf out = {0};
    mb_table_timing(&out, &f->run, &f->timing, &plain);
    const enum mb_status status = mb_strbuf_check(&out, err);
    CHECK_EQ_INT(status != MB_OK, mb_strbuf_text(&out)[0] == '\0');
    mb_strbuf_finish(&out);
    return status;
}

static void test_no_memory(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    add_row(&f, "spd", 10, 0.1);
    add_row(&f, "blit", 20, 0.1);
    rank(&f);
    CHECK(check_each_allocation(write_table, &f) >= 2);
}

/* Where nothing can be told by level, it is said why. */
static void test_split(void)
{
    struct mb_result results[] = {
        {.label = "one", .has_work = true, .work.n_dispatches = 1},
        {.label = "none", .has_work = true, .work.n_dispatches = 0},
    };
    struct mb_case c = {.results = results,
                        .n_results = MB_COUNTOF(results),
                        .timings = {{.cache = MB_CACHE_COLD}, {.cache = MB_CACHE_HOT}},
                        .n_timings = 2};
    struct mb_strbuf text = {0};
    c.timings[0].of = c.timings[1].of = &c;
    mb_notes_split(&text, &c.timings[0]); /* of a hot cache: it stands there */
    CHECK_EQ_STR(mb_strbuf_text(&text), "");
    mb_notes_split(&text, &c.timings[1]);
    CHECK_EQ_STR(mb_strbuf_text(&text), "  one: one dispatch: not separable by level\n"
                                        "  none: no dispatch: nothing to time by level\n");
    mb_strbuf_finish(&text);
}

int main(void)
{
    return CHECK_TESTS(test_usual, test_failed, test_width, test_noise, test_too_few,
                       test_many_tied, test_nothing_to_rank, test_no_times, test_questions,
                       test_head, test_notes, test_levels, test_units, test_floats, test_header,
                       test_long_cells, test_pool, test_markdown, test_no_memory, test_split);
}
