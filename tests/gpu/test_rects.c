/* Updates of several rectangles at once, which may overlap: by both shapes of spd-tree, judged
 * by the path that judges the product's cells. All other strategies say that they take one. How
 * many tiles are dispatched is looked at by test_groups.c. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "harness.h"

#define MAX_ROWS 16

/* Even throughout, then odd. Few kinds, since a software device compiles each kernel anew for
 * each. */
static const struct mb_test_case cases[] = {
    {.extent = {256, 128}, .rects = {{60, 60, 9, 9}, {64, 50, 40, 16}}},
    {.extent = {256, 128}, .n_layers = 3, .rects = {{0, 0, 64, 64}, {64, 0, 1, 64}}},
    {.extent = {512, 256}, .rects = {{0, 0, 1, 1}, {511, 255, 1, 1}, {255, 127, 2, 2}}},
    {.extent = {1024, 64},
     .rects = {{0, 0, 1, 1},
               {64, 8, 1, 1},
               {128, 16, 1, 1},
               {192, 24, 1, 1},
               {256, 32, 1, 1},
               {320, 40, 1, 1},
               {384, 48, 1, 1},
               {448, 56, 1, 1},
               {512, 63, 1, 1},
               {576, 7, 1, 1},
               {640, 15, 1, 1},
               {704, 23, 1, 1},
               {768, 31, 1, 1},
               {832, 39, 1, 1},
               {896, 47, 1, 1},
               {1023, 55, 1, 1}}},
    {.extent = {256, 256},
     .n_layers = 6,
     .n_levels = 8,
     .is_cube = true,
     .rects = {{192, 0, 64, 3}, {0, 192, 3, 64}, {0, 0, 256, 1}}},
    {.format = "r32f",
     .extent = {128, 256},
     .reduce = MB_REDUCE_MAX,
     .rects = {{63, 255, 1, 1}, {0, 128, 64, 1}}},
    {.extent = {257, 131}, .rects = {{0, 0, 1, 1}, {256, 130, 1, 1}, {0, 130, 2, 1}}},
    {.extent = {301, 203},
     .n_layers = 2,
     .rects = {{100, 100, 30, 30}, {120, 90, 30, 30}, {300, 202, 1, 1}}},
    {.extent = {511, 65}, .rects = {{63, 0, 1, 65}, {64, 0, 1, 65}}},
    {.format = "rgba8-srgb",
     .extent = {131, 71},
     .reduce = MB_REDUCE_MIN,
     .rects = {{0, 0, 131, 71}, {130, 70, 1, 1}}},
};
static void check_case(const struct mb_gpu *gpu, const struct mb_variant *rows, size_t n_rows,
                       size_t index, unsigned n_passed[MAX_ROWS])
{
    struct mb_test_case test_case = cases[index];
    struct mb_case c = {0};
    printf("case %zu: %ux%u\n", index, test_case.extent.width, test_case.extent.height);
    const bool is_run = mb_test_run_case(gpu, rows, n_rows, &test_case, &c);
    CHECK(is_run);
    for (size_t i = 0; is_run && i < c.n_results; i++) {
        const struct mb_result *result = &c.results[i];
        const bool is_passed = result->verify == MB_VERIFY_PASS;
        if (!is_passed) {
            printf("case %zu: %s: %s\n", index, result->label, result->reason);
        }
        CHECK(is_passed);
        CHECK(!is_passed || result->work.n_dispatches == 1);
        n_passed[i] += is_passed;
    }
    mb_case_finish(&c);
}

static void test_kernels(struct mb_gpu *gpu)
{
    static const char *const specs[] = {
        "spd-tree",
        "spd-tree:shape=strips",
        NULL,
    };
    unsigned n_passed[MAX_ROWS] = {0};
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan(specs, &n_rows);
    CHECK_EQ_INT(n_rows, MB_COUNTOF(specs) - 1);
    /* llvmpipe takes seconds for each pipeline that it has not seen, and a minute for 16
     * rectangles, whose loop it has to have unrolled. */
    const size_t stride = mb_test_is_quick()         ? MB_COUNTOF(cases)
                          : mb_test_takes_turns(gpu) ? 7
                                                     : 1;
    for (size_t i = 0; i < MB_COUNTOF(cases); i += stride) {
        check_case(gpu, rows, n_rows, i, n_passed);
    }
    for (size_t i = 0; i < n_rows; i++) {
        CHECK_EQ_INT(n_passed[i], (MB_COUNTOF(cases) + stride - 1) / stride);
    }
    mb_free(rows);
}

/* Every strategy as it is by default: done by who takes several, refused by the others. */
static void test_refusals(struct mb_gpu *gpu)
{
    const struct mb_test_case test_case = {.extent = {64, 64},
                                           .rects = {{0, 0, 1, 1}, {8, 8, 8, 8}}};
    struct mb_variant rows[MAX_ROWS];
    struct mb_case c = {0};
    size_t n_rows = 0, n_done = 0;
    for (; mb_strategies[n_rows] && n_rows < MAX_ROWS; n_rows++) {
        rows[n_rows] = (struct mb_variant){.strategy = mb_strategies[n_rows]};
    }
    const bool is_run = mb_test_run_case(gpu, rows, n_rows, &test_case, &c);
    CHECK(is_run);
    for (size_t i = 0; is_run && i < c.n_results; i++) {
        const struct mb_result *result = &c.results[i];
        const bool is_done = result->verify == MB_VERIFY_PASS;
        CHECK_EQ_INT(is_done, rows[i].strategy->takes_rects);
        CHECK(is_done || result->status == MB_RESULT_SKIPPED);
        CHECK(is_done || strstr(result->reason, "it updates a single --rect, not"));
        CHECK(!is_done || strcmp(rows[i].strategy->name, "spd-tree") == 0);
        n_done += is_done;
    }
    CHECK_EQ_INT(n_done, 1);
    mb_case_finish(&c);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_kernels, test_refusals);
}
