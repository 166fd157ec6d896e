/* The table of a run, the sentences below it, and both as Markdown. */
#include "bench/settings.h"
#include "cli/run_table.h"

#include <math.h>

#include "base/alloc.h"
#include "base/version.h"
#include "result/ranking.h"
#include "snapshot.h"

#define MAX_ROWS 5

static const struct mb_table_style plain = {.columns = 140};
static const struct mb_table_style narrow = {.columns = 80};
static const struct mb_table_style verbose = {.is_verbose = true, .columns = 80};

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
                           .api_version = VK_MAKE_API_VERSION(0, 1, 3, 250),
                           .timestamp_valid_bits = 64}},
        .c = {.input = "photo.png", .input_name = "photo"},
        .timing = {.fastest = SIZE_MAX, .floor_ns = (double)NAN, .samples.n_kept = 100},
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
        .timing = &f->timing,
        .column = SIZE_MAX,
        .fixed_ns = (double)NAN,
        .relation = {.ratio = (double)NAN, .p = (double)NAN},
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
            .p = (double)NAN,
            .outcome = overlap ? MB_OUTCOME_SAME : MB_OUTCOME_SLOWER,
        };
    }
}

static void show(const struct fixture *f, const struct mb_table_style *style,
                 const char *heading)
{
    struct mb_strbuf out = {0};
    mb_table_timing(&out, &f->run, &f->timing, style);
    snapshot_add(heading, &out);
}

/* The sentence below the table alone. */
static void show_ranking(const struct fixture *f, const char *heading)
{
    struct mb_strbuf out = {0};
    const struct mb_ranking ranking = mb_ranking_of(&f->run, &f->timing);
    mb_ranking_describe(&out, &ranking);
    mb_strbuf_append(&out, "\n");
    snapshot_add(heading, &out);
}

static void test_usual(void)
{
    struct fixture f;
    make_fixture(&f, 4096, 4096);
    add_row(&f, "spd", 41.6, 0.1);
    add_row(&f, "blit", 462.4, 0.6)->result->verdict.max_error_lsb = 0.98;
    end_row(add_row(&f, "subgroup", 1, 0), MB_RESULT_SKIPPED, "the device has no shuffle");
    rank(&f);
    show(&f, &plain, "the usual");
    show(&f, &narrow, "the usual, 80 columns");
}

/* Fast and wrong must look wrong: a failed row is named, not ranked, and painted. */
static void test_failed(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    struct mb_row *bad = add_row(&f, "spd", 2, 0.01);
    set_wrong(bad);
    strcpy(bad->result->reason, "wrong: level 3 (5, 7) g: 0, not 127.5; 35 texels wrong, worst "
                                "128 LSB, allowed 0.6");
    add_row(&f, "compute", 8.25, 0.01);
    end_row(add_row(&f, "blit", 1, 0), MB_RESULT_FAILED, "vkQueueSubmit: VK_ERROR_DEVICE_LOST");
    rank(&f);
    const struct mb_table_style color = {.color = true, .columns = 100};
    show(&f, &color, "failures, in colour");
    show(&f, &narrow, "failures, 80 columns");
}

/* A narrow terminal leaves columns out and breaks sentences. */
static void test_width(void)
{
    struct fixture f;
    make_fixture(&f, 4096, 4096);
    add_row(&f, "spd", 41.6, 0.1);
    add_row(&f, "spd:counter=array:load=sample:fp16=on:mips=12:wave=off", 462.4, 0.6);
    end_row(add_row(&f, "subgroup", 1, 0), MB_RESULT_SKIPPED,
            "the device has no shuffle, and so no texel could reach another lane of it");
    rank(&f);
    show(&f, &narrow, "a long label and a sentence, 80 columns");
    show(&f, &(const struct mb_table_style){.columns = 100},
         "a long label and a sentence, a file");
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
    show_ranking(&f, "ranking: touching intervals");
    show(&f, &narrow, "touching intervals: no row is marked");
    f.rows[1].relation.outcome = MB_OUTCOME_SLOWER;
    show_ranking(&f, "ranking: one is slower, but near");
    f.timing.floor_ns = 5e3;
    f.run.roofline.ceiling_gbps = 4300;
    show_ranking(&f, "ranking: the limit is memory");
    f.timing.is_dispatch_bound = true;
    show_ranking(&f, "ranking: the limit is a dispatch");
    f.timing.floor_ns = (double)NAN;
    f.rows[1].relation.outcome = MB_OUTCOME_INCONCLUSIVE;
    f.rows[2].relation.outcome = MB_OUTCOME_SAME;
    show_ranking(&f, "ranking: all are tied");
    f.rows[1].relation.outcome = MB_OUTCOME_FASTER;
    show_ranking(&f, "ranking: the medians and the blocks disagree");
    f.rows[0].stats.median_ci_level = 0.9;
    f.rows[0].stats.n = 4;
    show_ranking(&f, "ranking: four samples");
    f.run.validate = true;
    show_ranking(&f, "ranking: nothing with validation on");
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
        f.rows[i].relation.outcome = MB_OUTCOME_INCONCLUSIVE;
    }
    show_ranking(&f, "ranking: six samples of three rows");
    f.rows[1].relation.outcome = f.rows[2].relation.outcome = MB_OUTCOME_SAME;
    show_ranking(&f, "ranking: six samples that are alike");
    f.rows[1].relation.outcome = MB_OUTCOME_INCONCLUSIVE;
    f.timing.samples.n_kept = 7;
    f.rows[1].relation.p = f.rows[2].relation.p = 0.3;
    show_ranking(&f, "ranking: seven samples");
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
    show_ranking(&f, "ranking: five are tied");
    f.rows[0].relation.outcome = f.rows[3].relation.outcome = MB_OUTCOME_SLOWER;
    show_ranking(&f, "ranking: two of the five are slower");
}

static void test_nothing_to_rank(void)
{
    struct fixture f;
    make_fixture(&f, 256, 256);
    show_ranking(&f, "ranking: nothing of no row");
    add_row(&f, "spd", 10.0, 0.2);
    rank(&f);
    show_ranking(&f, "ranking: nothing of one row");
    struct mb_row *bad = add_row(&f, "compute", 30, 0.1);
    set_wrong(bad);
    show_ranking(&f, "ranking: nothing of one row and a wrong one");
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
    show(&f, &plain, "no timestamps");
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
    f.rows[0].relation.ratio = 1;
    f.rows[1].relation =
        (struct mb_relation){.ratio = 2.37, .ci = {2.36, 2.38}, .outcome = MB_OUTCOME_SLOWER};
    cheaper->relation =
        (struct mb_relation){.ratio = 0.84, .ci = {0.83, 0.92}, .outcome = MB_OUTCOME_FASTER};
    show(&f, &plain, "an inexact row is faster");
    show(&f, &narrow, "an inexact row is faster, 80 columns");
    cheaper->relation.outcome = MB_OUTCOME_SAME;
    show(&f, &narrow, "an inexact row is as fast");
    cheaper->relation.outcome = MB_OUTCOME_INCONCLUSIVE;
    f.results[1].work.tolerance.filter.policy = MB_POLICY_FLOOR;
    show(&f, &narrow, "one row is exact");
    f.rows[0].stats.median_ci_level = 0.75;
    show_ranking(&f, "one row is exact, of too few samples");
    f.rows[0].stats.median_ci_level = 0.96;
    cheaper->result->work.tolerance.filter.policy = MB_POLICY_KAISER;
    f.results[1].work.tolerance.filter.policy = MB_POLICY_KAISER;
    show(&f, &narrow,
         "one row is exact, beside other kernels: nothing is said, nothing marked");
    cheaper->result->work.tolerance.filter.policy = MB_POLICY_FLOOR;
    f.results[1].work.tolerance.filter.policy = MB_POLICY_BOX;
    cheaper->relation.outcome = MB_OUTCOME_FASTER;

    /* Minima lose nothing by half floats, and are not conservative where rows are dropped. */
    f.c.task.reduce = MB_REDUCE_MIN;
    show(&f, &plain, "minima");
    cheaper->result->verdict.box_lsb = INFINITY; /* nothing finite can be said */
    f.results[1].work.tolerance.filter.policy = MB_POLICY_FLOOR;
    show(&f, &narrow, "minima, one row is conservative, no distance");

    f.c.task.reduce = MB_REDUCE_AVG;
    f.timing.question = MB_QUESTION_ANY;
    f.results[0].work.tolerance.filter.policy = MB_POLICY_BLIT;
    cheaper->relation = (struct mb_relation){.ratio = 1.2, .outcome = MB_OUTCOME_SLOWER};
    show_ranking(&f, "ranking: none is exact");
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
    show(&f, &narrow, "minima of three layers, not checked");
    f.c.task = (struct mb_task){
        .alpha = MB_ALPHA_PREMULTIPLIED, .is_update = true, .rect = {1, 2, 3, 4}};
    f.c.layout.n_layers = 12;
    f.c.is_cube = true;
    show(&f, &narrow, "an update of two cubes");
}

/* The same words once, with the rows that they are about; unasked only what matters. */
static void test_notes(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    struct mb_row *spd = add_row(&f, "spd", 10, 0.1);
    add_row(&f, "blit", 10, 0.1);
    struct mb_row *compute = add_row(&f, "compute", 10, 0.1);
    mb_warn(&spd->warnings, "few_samples", "only 3");
    mb_warn(&spd->warnings, "overhead_bound", "too short");
    mb_warn(&compute->warnings, "overhead_bound", "too short");
    show(&f, &narrow, "notes that matter");
    show(&f, &verbose, "all notes");
    show(&f, &(const struct mb_table_style){.is_brief = true, .columns = 80}, "no notes");
    add_row(&f, "raster", 10, 0.1);
    add_row(&f, "subgroup", 10, 0.1);
    for (size_t i = 1; i < 4; i += 2) {
        mb_warn(&f.rows[i].warnings, "overhead_bound", "too short");
    }
    show(&f, &narrow, "a note on four of five rows");
    f.c.n_results = 3;
    show(&f, &narrow, "a note on all rows");
}

static void test_floats(void)
{
    struct fixture f;
    make_fixture(&f, 64, 64);
    f.c.layout.format = mb_format_find("rgba16f");
    add_row(&f, "spd", 10, 0)->result->verdict.max_error_lsb = 0.75;
    rank(&f);
    show(&f, &narrow, "floats");
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

    const struct mb_table_style color = {.color = true, .columns = 100};
    f.run.device.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    snprintf(f.run.device.driver_info, sizeof f.run.device.driver_info, "Mesa 22");
    f.run.device.timestamp_valid_bits = 0;
    mb_table_header(&out, &f.run, &color);
    CHECK_EQ_STR(mb_strbuf_text(&out),
                 "mipbench " MB_VERSION " - Test GPU - driver Mesa 22 - Vulkan 1.3\n"
                 "\033[1;33mSOFTWARE DEVICE: its times do not predict those of a GPU.\033[0m\n"
                 "\033[1;33mThis device has no timestamps: no times are reported.\033[0m\n");
    mb_strbuf_finish(&out);
}

/* What is longest in each column: at 80 columns details are left out. */
static void test_long_cells(void)
{
    struct fixture f;
    make_fixture(&f, 15, 17);
    f.c.layout.format = mb_format_find("rgba32f");
    add_row(&f, "compute", 205.6, 10);
    struct mb_row *row = add_row(&f, "spd:counter=array:load=sample", 218.3, 30);
    row->result->verdict = (struct mb_verdict){
        .pass = true, .max_error_lsb = 17.19, .box_lsb = 4.46e6, .claimed_lsb = 2};
    row->result->work.tolerance.filter.policy = MB_POLICY_FLOOR;
    rank(&f);
    row->relation.p = 0.5;
    row->relation.ci[0] = 0.93;
    row->relation.ci[1] = 13.12;
    show(&f, &narrow, "long cells, 80 columns");
    show(&f, &(const struct mb_table_style){.columns = 100}, "long cells, 100 columns");
    show(&f, &plain, "long cells, 140 columns");
}

/* Several runs: in the columns of one, with how many they are. */
static void test_pool(void)
{
    struct fixture f;
    struct mb_strbuf out = {0};
    make_fixture(&f, 64, 64);
    f.run.n_pooled = 3;
    add_row(&f, "spd", 10, 0.1);
    add_row(&f, "compute", 20, 0.1)->result->verify = MB_VERIFY_SKIPPED;
    struct mb_row *bad = add_row(&f, "blit", 5, 0.1);
    set_wrong(bad);
    snprintf(bad->result->reason, sizeof bad->result->reason, "another image");
    bad->result->work.tolerance.arithmetic = MB_ARITHMETIC_FILTER;
    rank(&f);
    for (size_t i = 0; i < 3; i++) {
        f.timing.rows[i].n_runs = i < 2 ? 3 : 2;
    }
    mb_table_timing(&out, &f.run, &f.timing, &narrow);
    snapshot_add("several runs, 80 columns", &out);
    mb_table_timing(&out, &f.run, &f.timing, &plain);
    snapshot_add("several runs", &out);
}

/* What stands on the terminal, without breaks; what is no markup is escaped. */
static void test_markdown(void)
{
    struct fixture f;
    struct mb_strbuf out = {0}, markdown = {0};
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
    mb_table_markdown(&f.run, &markdown);
    const char *text = mb_strbuf_text(&markdown);
    CHECK(strstr(text, "* mipbench " MB_VERSION) == text);
    mb_strbuf_append(&out, text + strcspn(text, "\n"));
    snapshot_add("Markdown", &out);
    mb_strbuf_finish(&markdown);
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

/* Below the first table of an image; where nothing can be told by level, it is said why. */
static void test_split(void)
{
    struct fixture f;
    struct mb_strbuf first = {0}, second = {0};
    make_fixture(&f, 64, 64);
    f.settings.per_level = true;
    add_row(&f, "one", 10, 0.1)->result->work.n_dispatches = 1;
    add_row(&f, "none", 20, 0.1);
    f.c.timings[0] = f.c.timings[1] = f.timing;
    mb_table_timing(&first, &f.run, &f.c.timings[0], &narrow);
    snapshot_add("nothing to tell by level", &first);
    mb_table_timing(&second, &f.run, &f.c.timings[1], &narrow);
    snapshot_add("by level: told once", &second);
}

static void test_snapshot(void)
{
    snapshot_check("table");
}

int main(void)
{
    return CHECK_TESTS(test_usual, test_failed, test_width, test_noise, test_too_few,
                       test_many_tied, test_nothing_to_rank, test_no_times, test_questions,
                       test_head, test_notes, test_floats, test_header, test_long_cells,
                       test_pool, test_markdown, test_no_memory, test_split, test_snapshot);
}
