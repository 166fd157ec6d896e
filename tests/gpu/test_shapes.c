/* Everything that is not one plain chain, for every strategy, through the path that judges the
 * product's cases: updates of a rectangle, chains that stop early, arrays and cubes.
 *
 *     test_shapes updates|levels|layers
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "harness.h"

#define MAX_ROWS    64
#define MAX_REASONS 6

#define LARGE_TEXELS 100000u /* images of more are tried less often */

static const char *const formats[] = {"rgba8", "rgba16f", "r32f", "rgba8-srgb"};

/* On a software device, which compiles each kernel anew for each kind of texels and of work. */
static const struct kind {
    const char *format;
    enum mb_reduce reduce;
    enum mb_alpha alpha;
} kinds[] = {
    {"rgba8", MB_REDUCE_AVG, MB_ALPHA_STRAIGHT},
    {"rgba8-srgb", MB_REDUCE_AVG, MB_ALPHA_PREMULTIPLIED},
    {"rgba16f", MB_REDUCE_MIN, MB_ALPHA_STRAIGHT},
    {"r32f", MB_REDUCE_MAX, MB_ALPHA_STRAIGHT},
};

/* What became of one row over all cases. */
struct tally {
    unsigned n_passed, n_skipped, n_failed;
    char reason[MAX_REASONS][512]; /* of skips, each once */
};

struct plan {
    const struct mb_gpu *gpu;
    struct mb_variant *rows;
    size_t n_rows;
    uint32_t row_step; /* of struct suite */
    struct tally tally[MAX_ROWS];
    unsigned n_cases;
    struct mb_rng rng;
};

static void note_skip(struct tally *tally, const char *reason)
{
    tally->n_skipped++;
    for (size_t i = 0; i < MAX_REASONS; i++) {
        if (strcmp(tally->reason[i], reason) == 0) {
            return;
        }
        if (tally->reason[i][0] == '\0') {
            snprintf(tally->reason[i], sizeof tally->reason[i], "%s", reason);
            return;
        }
    }
}

static void describe_case(const struct mb_test_case *c, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%ux%u %s %s %s, %u layers%s, %u levels, rect %u,%u,%u,%u",
             c->extent.width, c->extent.height, c->format, mb_reduce_names[c->reduce],
             mb_alpha_name(c->alpha), c->n_layers, c->is_cube ? " of cubes" : "", c->n_levels,
             c->rect.x, c->rect.y, c->rect.width, c->rect.height);
}

static void judge_result(const struct mb_gpu *gpu, struct tally *tally,
                         const struct mb_variant *row, const struct mb_test_case *test_case,
                         const struct mb_case *c, const struct mb_result *result)
{
    if (result->status == MB_RESULT_SKIPPED) {
        note_skip(tally, result->reason);
        CHECK(strlen(result->reason) > 10);
        CHECK(mb_test_may_refuse(gpu, row, &c->layout, &c->task));
        return;
    }
    bool is_passed = result->status == MB_RESULT_OK && result->verify == MB_VERIFY_PASS &&
                     result->verdict.n_levels == c->layout.n_levels;
    tally->n_passed += is_passed;
    tally->n_failed += !is_passed;
    if (!is_passed) {
        char text[256];
        describe_case(test_case, text, sizeof text);
        printf("%s on %s: %s\n", result->label, text, result->reason);
    }
    CHECK(is_passed);
}

static void run_case(struct plan *plan, const struct mb_test_case *test_case)
{
    struct mb_case c = {0};
    struct mb_variant rows[MAX_ROWS];
    size_t index[MAX_ROWS], n = 0;
    const bool is_first = plan->n_cases == 0;
    const size_t first = is_first ? 0 : mb_rng_below(&plan->rng, plan->row_step);
    for (size_t i = first; i < plan->n_rows; i += is_first ? 1 : plan->row_step) {
        index[n] = i;
        rows[n++] = plan->rows[i];
    }
    bool is_run = mb_test_run_case(plan->gpu, rows, n, test_case, &c);
    CHECK(is_run);
    for (size_t i = 0; is_run && i < c.n_results; i++) {
        judge_result(plan->gpu, &plan->tally[index[i]], &rows[i], test_case, &c, &c.results[i]);
    }
    plan->n_cases++;
    mb_case_finish(&c);
}

/* Texel, row, column and corner, ends and middle, borders of tiles, and all of it. */
static size_t list_rects(struct mb_extent e, struct mb_rect rects[12])
{
    const uint32_t w = e.width, h = e.height;
    const uint32_t half_w = w > 1 ? w / 2 : 1, half_h = h > 1 ? h / 2 : 1;
    const uint32_t tile_x = w > 64 ? 64 : half_w, tile_y = h > 64 ? 64 : half_h;
    const struct mb_rect list[12] = {
        {0, 0, 1, 1},
        {w - 1, h - 1, 1, 1},
        {w - 1, 0, 1, 1},
        {0, h - 1, half_w, 1},
        {w - 1, 0, 1, h},
        {0, 0, w, h},
        {tile_x - 1, tile_y - 1, tile_x < w ? 2 : 1, tile_y < h ? 2 : 1},
        {tile_x / 2, tile_y / 2, half_w, half_h},
        {w / 3, h / 3, 1, 1},
        {tile_x < w ? tile_x : 0, 0, 1, half_h},
        {0, h - 1, w, 1},
        {w / 4, 0, w - w / 4, h - h / 4},
    };
    memcpy(rects, list, sizeof list);
    return MB_COUNTOF(list);
}

/* Draw what the shape leaves open; the same in every run. */
static void vary(struct plan *plan, struct mb_test_case *test_case)
{
    const uint32_t n_full = mb_full_level_count(test_case->extent);
    struct mb_rng *rng = &plan->rng;
    test_case->format = "rgba8";
    if (plan->n_cases == 0) {
        return;
    }
    test_case->format = formats[mb_rng_below(rng, MB_COUNTOF(formats))];
    test_case->reduce = (enum mb_reduce)mb_rng_below(rng, MB_N_REDUCES);
    test_case->alpha = mb_rng_below(rng, 4) == 0 ? MB_ALPHA_PREMULTIPLIED : MB_ALPHA_STRAIGHT;
    test_case->n_layers = 1 + mb_rng_below(rng, 3);
    test_case->n_levels = mb_rng_below(rng, 4) == 0 ? 1 + mb_rng_below(rng, n_full) : n_full;
    if (mb_test_takes_turns(plan->gpu)) {
        const struct kind *kind = &kinds[mb_rng_below(rng, MB_COUNTOF(kinds))];
        test_case->format = kind->format;
        test_case->reduce = kind->reduce;
        test_case->alpha = kind->alpha;
    }
}

static void run_updates(struct plan *plan, const struct mb_extent *extents, size_t n_extents,
                        unsigned step)
{
    unsigned index = 0;
    for (size_t i = 0; i < n_extents; i++) {
        struct mb_rect rects[12];
        const size_t n_rects = list_rects(extents[i], rects);
        for (size_t k = 0; k < n_rects; k++, index++) {
            struct mb_test_case test_case = {.extent = extents[i], .rect = rects[k]};
            vary(plan, &test_case);
            const bool is_large = (size_t)extents[i].width * extents[i].height > LARGE_TEXELS;
            if (index % (is_large ? 3 * step : step) == 0) {
                run_case(plan, &test_case);
            }
        }
    }
}

static void run_levels(struct plan *plan, const struct mb_extent *extents, size_t n_extents,
                       unsigned step)
{
    unsigned index = 0;
    for (size_t i = 0; i < n_extents; i++) {
        const uint32_t n_full = mb_full_level_count(extents[i]);
        const uint32_t levels[] = {1, 2, 5, n_full - 1};
        for (size_t k = 0; k < MB_COUNTOF(levels); k++, index++) {
            struct mb_test_case test_case = {.extent = extents[i]};
            vary(plan, &test_case);
            test_case.n_levels = levels[k];
            if (index % step == 0 && levels[k] >= 1 && levels[k] <= n_full) {
                run_case(plan, &test_case);
            }
        }
    }
}

/* Arrays, and cubes where the size allows. */
static void run_layers(struct plan *plan, const struct mb_extent *extents, size_t n_extents,
                       unsigned step)
{
    static const uint32_t n_layers[] = {3, 6, 2, 12};
    unsigned index = 0;
    for (size_t i = 0; i < n_extents; i++) {
        for (size_t k = 0; k < MB_COUNTOF(n_layers); k++, index++) {
            struct mb_test_case test_case = {.extent = extents[i]};
            vary(plan, &test_case);
            test_case.n_layers = n_layers[k];
            test_case.is_cube = n_layers[k] % 6 == 0 && extents[i].width == extents[i].height;
            if (index % step == 0) {
                run_case(plan, &test_case);
            }
        }
    }
}

#define MAX_EXTENTS 10

struct suite {
    const char *name;
    uint32_t row_step; /* on a software device each case is run by one row in so many, drawn
                          anew; the first, which is plain, by all */
    void (*run)(struct plan *plan, const struct mb_extent *extents, size_t n_extents,
                unsigned step); /* one out of `step` cases, where time is short */
    struct mb_extent extents[MAX_EXTENTS];
};

/* A cube that is not square is refused with a reason, whatever the strategy. */
static void check_bad_cube(const struct plan *plan)
{
    const struct mb_test_case test_case = {.extent = {16, 8}, .n_layers = 6, .is_cube = true};
    struct mb_case c = {0};
    CHECK(mb_test_run_case(plan->gpu, plan->rows, plan->n_rows, &test_case, &c));
    for (size_t i = 0; i < c.n_results; i++) {
        CHECK_EQ_INT(c.results[i].status, MB_RESULT_SKIPPED);
        CHECK(strstr(c.results[i].reason, "square") != NULL);
    }
    mb_case_finish(&c);
}

static bool open_plan(struct plan *plan, const struct mb_gpu *gpu)
{
    *plan = (struct plan){.gpu = gpu};
    mb_rng_init(&plan->rng, 3);
    plan->rows = mb_test_plan(mb_test_specs, &plan->n_rows);
    plan->n_rows = mb_test_keep_in_turn(gpu, 0, plan->rows, plan->n_rows);
    CHECK(plan->n_rows > 0 && plan->n_rows <= MAX_ROWS);
    return plan->n_rows > 0 && plan->n_rows <= MAX_ROWS;
}

/* Every row must have been judged somewhere or refused what it may. */
static void close_plan(struct plan *plan)
{
    printf("%u cases\n", plan->n_cases);
    for (size_t i = 0; i < plan->n_rows; i++) {
        const struct tally *tally = &plan->tally[i];
        printf("%-32s %3u passed, %3u skipped, %u failed\n", mb_test_label(&plan->rows[i]),
               tally->n_passed, tally->n_skipped, tally->n_failed);
        for (size_t k = 0; k < MAX_REASONS && tally->reason[k][0] != '\0'; k++) {
            printf("    %s\n", tally->reason[k]);
        }
        CHECK(tally->n_passed + tally->n_skipped > 0);
    }
    mb_free(plan->rows);
}

static void run_suite(const struct suite *suite, const struct mb_gpu *gpu)
{
    struct plan plan;
    size_t n_extents = 0;
    while (n_extents < MAX_EXTENTS && suite->extents[n_extents].width > 0) {
        n_extents++;
    }
    if (open_plan(&plan, gpu)) {
        plan.row_step = mb_test_takes_turns(gpu) ? suite->row_step : 1;
        suite->run(&plan, suite->extents, n_extents, mb_test_takes_turns(gpu) ? 5 : 1);
        check_bad_cube(&plan);
    }
    close_plan(&plan);
}

/* Odd sizes whose last row or column reaches few levels; tails and more than one tile; updates
 * that begin again in a narrow level after a dropped row (32x6, 129x66, 70x131). */
static const struct suite suites[] = {
    {"updates",
     12,
     run_updates,
     {{16, 16},
      {33, 17},
      {32, 6},
      {5, 3},
      {1, 17},
      {129, 66},
      {70, 131},
      {129, 257},
      {300, 200},
      {1024, 512}}},
    {"levels",
     3,
     run_levels,
     {{33, 17}, {64, 64}, {1, 100}, {3, 2}, {129, 70}, {1024, 1}, {300, 200}, {512, 260}}},
    {"layers",
     5,
     run_layers,
     {{16, 16}, {17, 17}, {33, 9}, {1, 1}, {65, 65}, {1, 7}, {129, 129}, {200, 300}}},
};

static const char *wanted_suite;

static void test_suites(struct mb_gpu *gpu)
{
    for (size_t i = 0; i < MB_COUNTOF(suites); i++) {
        if (!wanted_suite || strcmp(wanted_suite, suites[i].name) == 0) {
            run_suite(&suites[i], gpu);
        }
    }
}

int main(int argc, char **argv)
{
    wanted_suite = argc > 1 ? argv[1] : NULL;
    return MB_TEST_ON_DEVICE(test_suites);
}
