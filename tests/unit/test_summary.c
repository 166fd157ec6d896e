/* The summary of a run of many images. */
#include "compare/run_headline.h"

#include "base/alloc.h"
#include "bench/settings.h"
#include "result/ranking.h"
#include "snapshot.h"

enum { SPD, FLOOR, RASTER, N_RESULTS };

static const struct mb_settings settings;

/* A case of three verified strategies, the second of which drops odd rows, timed in
 * microseconds with `n` samples. */
static void add_case(struct mb_run *run, const char *input, uint32_t edge,
                     const double median_us[N_RESULTS], size_t n)
{
    static const char *const labels[N_RESULTS] = {"spd", "compute:npot=floor", "raster"};
    struct mb_case *c = mb_run_add_case(run);
    snprintf(c->input, sizeof c->input, "%s", input);
    mb_layout_init(&c->layout, mb_format_find("rgba8"), (struct mb_extent){edge, edge}, 1,
                   mb_full_level_count((struct mb_extent){edge, edge}));
    c->results = mb_alloc(N_RESULTS, sizeof *c->results);
    c->n_results = N_RESULTS;
    for (size_t i = 0; i < N_RESULTS; i++) {
        c->results[i] = (struct mb_result){.has_work = true, .verify = MB_VERIFY_PASS};
        snprintf(c->results[i].label, sizeof c->results[i].label, "%s", labels[i]);
    }
    c->results[FLOOR].work.tolerance.filter.policy = MB_POLICY_FLOOR;
    struct mb_timing *timing = mb_case_add_timing(c, MB_CACHE_HOT, MB_MODE_LATENCY);
    for (size_t i = 0; i < N_RESULTS; i++) {
        timing->rows[i].stats = (struct mb_stats){
            .n = n, .median_ns = 1e3 * median_us[i], .median_ci_level = n > 5 ? 0.96 : 0.0};
    }
    mb_ranking_choose(timing);
    for (size_t i = 0; i < N_RESULTS; i++) {
        const double ratio = median_us[i] / median_us[timing->fastest];
        timing->rows[i].relation = (struct mb_relation){
            .ratio = ratio,
            .p = 1e-3,
            .outcome = ratio < 1.0    ? MB_OUTCOME_FASTER
                       : ratio > 1.01 ? MB_OUTCOME_SLOWER
                                      : MB_OUTCOME_SAME,
        };
    }
}

static void fail_result(struct mb_run *run, size_t index)
{
    struct mb_result *result = &run->cases[run->n_cases - 1]->results[index];
    result->status = MB_RESULT_FAILED;
    snprintf(result->reason, sizeof result->reason, "wrong: 3 texels");
    result->verify = MB_VERIFY_FAIL;
}

static void show(const struct mb_run *run, const char *heading)
{
    struct mb_strbuf out = {0};
    mb_headline_summary(&out, run);
    snapshot_add(heading, &out);
}

static void test_one_test(void)
{
    struct mb_run run = {.settings = &settings};
    add_case(&run, "a.png", 65, (const double[]){10, 8, 12}, 20);
    fail_result(&run, RASTER);
    show(&run, "one test: nothing");
    mb_run_finish(&run);
}

/* Four images at 65x65, one at 64x64, where floor is exact; one without samples enough. */
static void make_run(struct mb_run *run)
{
    *run = (struct mb_run){.settings = &settings};
    add_case(run, "a.png", 65, (const double[]){10, 8, 12.5}, 20);
    add_case(run, "odd|name.png", 65, (const double[]){10, 8, 14.4}, 20);
    add_case(run, "c.png", 65, (const double[]){10, 8, 9}, 20);
    add_case(run, "d.png", 65, (const double[]){10, 8, 10}, 20);
    add_case(run, "e.png", 64, (const double[]){10.4, 10, 12}, 20);
    add_case(run, "f.png", 33, (const double[]){10, 8, 12}, 3);
    fail_result(run, FLOOR);
    fail_result(run, RASTER);
    add_case(run, "g.png", 33, (const double[]){10, 8, 12}, 3);
}

static void test_many_images(void)
{
    struct mb_run run;
    make_run(&run);
    show(&run, "many images");
    mb_run_finish(&run);
}

static void test_two_images(void)
{
    struct mb_run run = {.settings = &settings};
    add_case(&run, "a|b.png", 64, (const double[]){10, 11, 12}, 20);
    fail_result(&run, RASTER);
    add_case(&run, "c.png", 64, (const double[]){10, 12, 11.5}, 20);
    show(&run, "two images");
    mb_run_finish(&run);
}

/* The last image was interrupted before anything was sampled under the second condition. */
static void test_interrupted(void)
{
    struct mb_run run = {.settings = &settings};
    const double times[] = {10, 11, 12};
    add_case(&run, "a.png", 64, times, 20);
    struct mb_timing *second =
        mb_case_add_timing(run.cases[0], MB_CACHE_HOT, MB_MODE_THROUGHPUT);
    memcpy(second->rows, run.cases[0]->timings[0].rows, N_RESULTS * sizeof *second->rows);
    mb_ranking_choose(second);
    add_case(&run, "b.png", 64, times, 20);
    show(&run, "an interrupted run of two conditions");
    mb_run_finish(&run);
}

static enum mb_status write_summary(void *run, struct mb_err *err)
{
    struct mb_strbuf out = {0};
    mb_headline_summary(&out, run);
    const enum mb_status status = mb_strbuf_check(&out, err);
    CHECK_EQ_INT(status == MB_OK, strstr(mb_strbuf_text(&out), "f.png") != NULL);
    mb_strbuf_finish(&out);
    return status;
}

static void test_no_memory(void)
{
    struct mb_run run;
    make_run(&run);
    CHECK(check_each_allocation(write_summary, &run) >= 2);
    mb_run_finish(&run);
}

static void test_snapshot(void)
{
    snapshot_check("summary");
}

int main(void)
{
    return CHECK_TESTS(test_one_test, test_many_images, test_two_images, test_interrupted,
                       test_no_memory, test_snapshot);
}
