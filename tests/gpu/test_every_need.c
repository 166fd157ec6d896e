/* A strategy that asks for everything the helpers offer, held to the golden model; refused by
 * the name of a feature that is hidden; and its plain claim, or none at all. */
#include <string.h>

#include "base/alloc.h"
#include "harness.h"
#include "result/question.h"
#include "vk/pipeline.h"

extern const struct mb_strategy mb_strategy_every_need;
extern const struct mb_shader mb_spv_every_need;

static const struct mb_strategy *const table[] = {&mb_strategy_every_need, NULL};

static void run_case(const struct mb_gpu *gpu, const struct mb_test_case *test_case)
{
    static const char *const specs[] = {"every-need", "every-need:claim=number",
                                        "every-need:claim=none", NULL};
    static const unsigned questions[] = {1u << MB_QUESTION_EXACT | 1u << MB_QUESTION_ANY,
                                         1u << MB_QUESTION_ANY, 0};
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan_of(table, specs, &n_rows);
    struct mb_case c = {.n_results = 0};
    const double claim =
        test_case->format && strcmp(test_case->format, "rgba32f") == 0 ? 4.0 : 0.75;
    CHECK(mb_test_run_case(gpu, rows, n_rows, test_case, &c));
    CHECK_EQ_INT(c.n_results, 3);
    for (size_t i = 0; i < c.n_results; i++) {
        const struct mb_result *result = &c.results[i];
        printf("  %s: %s\n", result->label, result->reason);
        CHECK_EQ_INT(result->status, MB_RESULT_OK);
        CHECK_EQ_INT(result->verify, i == 2 ? MB_VERIFY_SKIPPED : MB_VERIFY_PASS);
        CHECK_EQ_INT(mb_answer_of(&result->work.tolerance, MB_REDUCE_AVG, true).questions,
                     questions[i]);
        CHECK(c.timings[0].rows[i].stats.n > 0 && c.timings[0].fastest != 2);
        CHECK_EQ_DBL(result->verdict.claimed_lsb, i == 1 ? claim : 0.0, 0.0);
    }
    mb_case_finish(&c);
    mb_free(rows);
}

/* Each hidden feature is named; a name that nobody knows is one that every device lacks. */
static void test_hidden(struct mb_gpu *gpu)
{
    const struct mb_variant row = {.strategy = &mb_strategy_every_need};
    const struct mb_task task = {.n_rects = 1, .rects = {{0, 0, 8, 8}}};
    static const char *const unknown[] = {"shaderInt65", NULL};
    struct mb_layout layout;
    struct mb_err why = {0};
    mb_layout_init(&layout, mb_format_find("rgba8"), (struct mb_extent){8, 8}, 1, 4);
    CHECK_EQ_INT(mb_variant_supports(&row, gpu, &layout, &task, &why), MB_OK);
    struct mb_gpu other = *gpu;
    other.info.features.v12.bufferDeviceAddress = VK_FALSE;
    CHECK_EQ_INT(mb_variant_supports(&row, &other, &layout, &task, &why), MB_UNSUPPORTED);
    CHECK_EQ_STR(why.text, "the device lacks bufferDeviceAddress");
    other = *gpu;
    other.info.features.size_control.computeFullSubgroups = VK_FALSE;
    CHECK_EQ_INT(mb_variant_supports(&row, &other, &layout, &task, &why), MB_UNSUPPORTED);
    CHECK_EQ_STR(why.text, "the device lacks computeFullSubgroups");
    CHECK(!mb_features_is_known(unknown[0]) && mb_features_is_known("VK_KHR_push_descriptor"));
    CHECK_EQ_INT(mb_features_require(&gpu->info.features, unknown, &why), MB_UNSUPPORTED);
    CHECK_EQ_STR(why.text, "the device lacks shaderInt65");
}

/* A misspelt constant is no default. */
static void test_unknown_constant(struct mb_gpu *gpu)
{
    struct mb_pipeline pipeline = {0};
    struct mb_err err = {0};
    const struct mb_constant misspelt = {"Y12", 1};
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_every_need, .constants = &misspelt, .n_constants = 1, .name = "x"};
    CHECK_EQ_INT(mb_pipeline_init(&pipeline, gpu, &options, &err), MB_FAILED);
    CHECK_EQ_STR(err.text, "every-need/every_need.comp has no specialisation constant Y12");
}

static void test_cases(struct mb_gpu *gpu)
{
    static const struct mb_test_case cases[] = {
        {.extent = {77, 131}},
        {.format = "rgba8-srgb", .extent = {32, 64}},
        {.format = "rgba32f", .extent = {33, 9}, .n_layers = 3},
        {.extent = {1, 1}, .reduce = MB_REDUCE_MIN},
    };
    mb_strategies_check(table);
    if (!gpu->info.features.v12.bufferDeviceAddress || !gpu->info.has_full_subgroups) {
        mb_test_skip("the device lacks buffer addresses or full subgroups");
        return;
    }
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        run_case(gpu, &cases[i]);
    }
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_cases, test_hidden, test_unknown_constant);
}
