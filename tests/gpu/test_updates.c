/* Updates by both shapes of spd-tree, judged by the path that judges the product's cells: the
 * last workgroup holds levels, or has no room for them. Shapes of images are test_shapes.c's;
 * on a software device few of those are spd-tree's. */
#include <stdio.h>

#include "base/alloc.h"
#include "harness.h"

/* Even throughout, larger than there is room for, and odd. Few kinds, since a software device
 * compiles each kernel anew for each. */
static const struct mb_test_case cases[] = {
    {.extent = {256, 128}, .rect = {60, 50, 44, 19}},
    {.format = "rgba32f", .extent = {1023, 1023}, .rect = {33, 17, 900, 901}},
    {.extent = {301, 203}, .n_layers = 2, .rect = {100, 90, 50, 40}},
    {.extent = {257, 131}, .rect = {0, 130, 2, 1}},
    {.extent = {256, 256},
     .n_layers = 6,
     .n_levels = 8,
     .is_cube = true,
     .rect = {192, 0, 64, 3}},
    {.format = "r32f",
     .extent = {128, 256},
     .reduce = MB_REDUCE_MAX,
     .rect = {63, 128, 1, 128}},
    {.format = "rgba8-srgb",
     .extent = {131, 71},
     .reduce = MB_REDUCE_MIN,
     .rect = {130, 0, 1, 71}},
};

static void check_case(const struct mb_gpu *gpu, const struct mb_variant *rows, size_t n_rows,
                       const struct mb_test_case *test_case)
{
    struct mb_case c = {0};
    const bool is_run = mb_test_run_case(gpu, rows, n_rows, test_case, &c);
    CHECK(is_run);
    for (size_t i = 0; is_run && i < c.n_results; i++) {
        const struct mb_result *result = &c.results[i];
        const bool is_passed = result->verify == MB_VERIFY_PASS;
        printf("%ux%u: %s: %s\n", test_case->extent.width, test_case->extent.height,
               result->label, is_passed ? "pass" : result->reason);
        CHECK(is_passed);
        CHECK(!is_passed || result->work.n_dispatches == 1);
    }
    mb_case_finish(&c);
}

static void test_updates(struct mb_gpu *gpu)
{
    static const char *const specs[] = {"spd-tree", "spd-tree:shape=strips", NULL};
    const size_t n_cases = mb_test_is_quick()         ? 1
                           : mb_test_takes_turns(gpu) ? 3
                                                      : MB_COUNTOF(cases);
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan(specs, &n_rows);
    CHECK_EQ_INT(n_rows, MB_COUNTOF(specs) - 1);
    for (size_t i = 0; i < n_cases; i++) {
        check_case(gpu, rows, n_rows, &cases[i]);
    }
    mb_free(rows);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_updates);
}
