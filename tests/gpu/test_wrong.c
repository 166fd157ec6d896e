/* A check that cannot fail proves nothing: every defect of the wrong strategy must be found, by
 * name and place, through the same path that judges the product's strategies. */
#include "base/alloc.h"
#include "harness.h"
#include "wrong_strategy.h"

#define MAX_DEFECTS 9

#define ANY UINT32_MAX

/* A defect and where its first bad texel must be. */
struct expected {
    const char *defect;
    uint32_t level, layer, x, y, channel; /* channel may be ANY */
    const char *rule;                     /* that the reason names; NULL: any */
};

/* What is run, always with the control first, which must pass. */
struct scene {
    const char *name;
    struct mb_test_case test_case;
    struct expected expected[MAX_DEFECTS];
};

#define OUTSIDE     "writes outside the rectangle's affected region"
#define REGENERATED "differs from a full regeneration"
#define NOT_ASKED   "writes to a level it was not asked for"

static const struct scene scenes[] = {
    {
        .name = "chain",
        .test_case = {.extent = {33, 17}},
        .expected =
            {
                {"drop-row", 1, 0, 0, 0, ANY, NULL},
                {"swap", 2, 0, 0, 0, 0, NULL},
                {"unwritten", 1, 0, 3, 2, ANY, NULL},
                {"bias", 1, 0, 0, 0, 0, NULL},
                {"half-bias", 1, 0, 0, 0, ANY, NULL},
                {"level0", 0, 0, 0, 0, 0, NULL},
                {"skip-level", 2, 0, 0, 0, 0, NULL},
                {"truncate", 1, 0, 1, 0, 0, NULL},
            },
    },
    {
        .name = "sRGB",
        .test_case = {.format = "rgba8-srgb", .extent = {33, 17}},
        .expected =
            {
                {"srgb-codes", 1, 0, 0, 0, 0, NULL},
                {"drop-row", 1, 0, 0, 0, ANY, NULL},
                {"bias", 1, 0, 0, 0, 0, NULL},
                {"half-bias", 1, 0, 1, 0, 2, NULL},
            },
    },
    {
        .name = "one channel",
        .test_case = {.format = "r8", .extent = {33, 17}},
        .expected = {{"half-bias", 1, 0, 0, 0, 0, NULL}, {"unwritten", 1, 0, 3, 2, 0, NULL}},
    },
    {
        .name = "two channels",
        .test_case = {.format = "rg8", .extent = {32, 32}},
        .expected = {{"swap-rg", 2, 0, 0, 0, 0, NULL}},
    },
    {
        .name = "two halves",
        .test_case = {.format = "rg16f", .extent = {31, 9}},
        .expected = {{"swap-rg", 2, 0, 0, 0, 0, NULL}, {"unwritten", 1, 0, 3, 2, ANY, NULL}},
    },
    {
        .name = "two floats",
        .test_case = {.format = "rg32f", .extent = {31, 9}},
        .expected = {{"swap-rg", 2, 0, 0, 0, 0, NULL}, {"unwritten", 1, 0, 3, 2, ANY, NULL}},
    },
    {
        .name = "ten bits",
        .test_case = {.format = "rgb10a2", .extent = {16, 32}},
        .expected = {{"half-bias", 1, 0, 0, 0, ANY, NULL}, {"swap", 2, 0, 0, 0, 0, NULL}},
    },
    {
        .name = "layers",
        .test_case = {.extent = {33, 17}, .n_layers = 3},
        .expected = {{"layer", 1, 2, 0, 0, 0, NULL}, {"unwritten", 1, 0, 3, 2, ANY, NULL}},
    },
    {
        .name = "cube",
        .test_case = {.format = "rgba16f", .extent = {16, 16}, .n_layers = 6, .is_cube = true},
        .expected = {{"layer", 1, 2, 0, 0, 0, NULL}},
    },
    {
        /* Level 1 of the affected region: texels 2..5 by 1..4. */
        .name = "update",
        .test_case = {.extent = {33, 17}, .rect = {5, 3, 7, 6}},
        .expected =
            {
                {"rect-outside", 1, 0, 6, 1, ANY, OUTSIDE},
                {"rect-miss", 1, 0, 5, 4, ANY, REGENERATED},
            },
    },
    {
        .name = "update of layers",
        .test_case = {.format = "r32f",
                      .extent = {16, 33},
                      .n_layers = 2,
                      .reduce = MB_REDUCE_MIN,
                      .rect = {0, 31, 1, 1}},
        .expected =
            {
                {"rect-outside", 1, 0, 1, 15, ANY, OUTSIDE},
                {"rect-miss", 1, 0, 0, 15, ANY, REGENERATED},
            },
    },
    {
        .name = "three levels",
        .test_case = {.extent = {33, 17}, .n_levels = 3},
        .expected = {{"level-n", 3, 0, 0, 0, 0, NOT_ASKED}, {"swap", 2, 0, 0, 0, 0, NULL}},
    },
    {
        .name = "three levels of layers",
        .test_case = {.format = "rg8",
                      .extent = {33, 17},
                      .n_layers = 3,
                      .n_levels = 3,
                      .rect = {5, 3, 7, 6}},
        .expected = {{"level-n", 3, 0, 0, 0, ANY, NOT_ASKED}},
    },
    {
        .name = "minimum",
        .test_case = {.extent = {33, 17}, .reduce = MB_REDUCE_MIN},
        .expected = {{"drop-row", 1, 0, 0, 0, ANY, NULL}},
    },
    {
        .name = "maximum",
        .test_case = {.extent = {33, 17}, .reduce = MB_REDUCE_MAX},
        .expected = {{"max-rounds", 1, 0, 0, 0, 0, NULL}},
    },
    {
        .name = "maximum of floats",
        .test_case = {.format = "r32f", .extent = {33, 17}, .reduce = MB_REDUCE_MAX},
        .expected = {{"max-rounds", 1, 0, 0, 0, 0, NULL}},
    },
    {
        .name = "premultiplied",
        .test_case = {.extent = {33, 17}, .alpha = MB_ALPHA_PREMULTIPLIED},
        .expected = {{"alpha", 1, 0, 0, 0, 0, NULL}},
    },
};

static size_t n_expected(const struct scene *scene)
{
    size_t n = 0;
    while (n < MAX_DEFECTS && scene->expected[n].defect) {
        n++;
    }
    return n;
}

static void check_control(const struct mb_result *result)
{
    CHECK_EQ_STR(result->label, "wrong");
    CHECK_EQ_STR(result->reason, "");
    CHECK_EQ_INT(result->status, MB_RESULT_OK);
    CHECK_EQ_INT(result->verify, MB_VERIFY_PASS);
}

static void check_found(const struct mb_result *result, const struct expected *expected)
{
    const struct mb_bad_texel *bad = &result->verdict.first_bad;
    char label[64];
    snprintf(label, sizeof label, "wrong:defect=%s", expected->defect);
    printf("  %s: %s\n", result->label, result->reason);
    CHECK_EQ_STR(result->label, label);
    CHECK_EQ_INT(result->status, MB_RESULT_FAILED);
    CHECK_EQ_INT(result->verify, MB_VERIFY_FAIL);
    CHECK(bad->found);
    CHECK_EQ_INT(bad->level, expected->level);
    CHECK_EQ_INT(bad->layer, expected->layer);
    CHECK_EQ_INT(bad->x, expected->x);
    CHECK_EQ_INT(bad->y, expected->y);
    if (expected->channel != ANY) {
        CHECK_EQ_INT(bad->channel, expected->channel);
    }
    CHECK(strstr(result->reason, "level") != NULL);
    CHECK(strstr(result->reason, expected->rule ? expected->rule : "wrong: level") != NULL);
}

static void note_tried(const struct scene *scene, const struct mb_case *c, bool has_ranks,
                       bool is_tried[N_DEFECTS])
{
    check_control(&c->results[0]);
    for (size_t i = 1; i < c->n_results; i++) {
        check_found(&c->results[i], &scene->expected[i - 1]);
        is_tried[c->results[i].params.choice[0]] = true;
    }
    /* However fast, what is wrong has no rank. With the validation layer nothing has. */
    CHECK(c->timings[0].fastest == (has_ranks ? 0 : SIZE_MAX));
}

static void run_scene(const struct mb_gpu *gpu, const struct scene *scene,
                      bool is_tried[N_DEFECTS])
{
    static const struct mb_strategy *const table[] = {&mb_strategy_wrong, NULL};
    size_t n = n_expected(scene), n_rows = 0;
    char text[MAX_DEFECTS + 1][64];
    const char *specs[MAX_DEFECTS + 2] = {NULL};
    struct mb_test_case test_case = scene->test_case;
    struct mb_case c = {0};
    for (size_t i = 0; i < n + 1; i++) {
        snprintf(text[i], sizeof text[i], "wrong:defect=%s",
                 i == 0 ? "none" : scene->expected[i - 1].defect);
        specs[i] = text[i];
    }
    printf("%s\n", scene->name);
    struct mb_variant *rows = mb_test_plan_of(table, specs, &n_rows);
    CHECK_EQ_INT(n_rows, n + 1);
    bool is_run = mb_test_run_case(gpu, rows, n_rows, &test_case, &c);
    CHECK(is_run);
    CHECK_EQ_INT(c.n_results, n + 1);
    if (is_run && c.n_results == n + 1) {
        note_tried(scene, &c, !gpu->validate, is_tried);
    }
    mb_case_finish(&c);
    mb_free(rows);
}

static void test_scenes(struct mb_gpu *gpu)
{
    bool is_tried[N_DEFECTS] = {[DEFECT_NONE] = true};
    for (size_t i = 0; i < MB_COUNTOF(scenes); i++) {
        run_scene(gpu, &scenes[i], is_tried);
    }
    for (size_t i = 0; i < N_DEFECTS; i++) {
        CHECK(is_tried[i]);
    }
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_scenes);
}
