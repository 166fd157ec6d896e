/* Every strategy against the golden model: a table whose rows are lists of variants, formats,
 * sizes, patterns and modes. A software device runs a part of their combinations; what it
 * leaves out is counted by reason.
 *
 *     test_chains [NAME]    the rows whose names begin so
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chains.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"

extern const struct mb_shader mb_spv_subgroup_size;

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define SIZES(...) ((const struct mb_extent[]){__VA_ARGS__, {0, 0}})
#define DEFAULTS   NAMES("all")
#define NOISE      NAMES("noise")
#define SIGNED     NAMES("signed") /* floats of both signs, all magnitudes, infinities and NaN */
/* All but spd-tree, which "every" has. */
#define QUICKLY_COMPILED                                                                       \
    NAMES("blit", "raster", "compute", "subgroup", "spd", "spd-metal", "separable")
#define KNOW_GROUPS NAMES("subgroup", "spd")

static const char *const every_format[] = {
    "rgba8",   "rgba8-srgb", "r8",    "rg8",     "rgb10a2",  "r16f", "rg16f",
    "rgba16f", "r32f",       "rg32f", "rgba32f", "rg11b10f", NULL};
static const char *const every_pattern[] = {"noise",    "impulse",   "flat", "checker",
                                            "gradient", "zoneplate", NULL};
static const char *const code_formats[] = {"rgba8", "rgba8-srgb", "r8", "rg8", "rgb10a2", NULL};
static const char *const float_formats[] = {"r16f",  "rg16f",   "rgba16f",  "r32f",
                                            "rg32f", "rgba32f", "rg11b10f", NULL};

/* Every case of odd, even and narrow on both axes, of one number of levels. */
static const struct mb_extent of_4_levels[] = {
    {9, 13}, {13, 9}, {11, 11}, {15, 10}, {10, 15}, {12, 14}, {14, 9},
    {9, 3},  {3, 11}, {8, 8},   {8, 1},   {1, 8},   {8, 4},   {4, 8},
    {9, 1},  {15, 2}, {13, 8},  {1, 13},  {2, 9},   {8, 15},  {0, 0}};

/* Updates by both shapes of spd-tree: even throughout, larger than there is room for, and odd.
 * The last workgroup holds levels, or has no room for them. */
static const struct mb_test_case tile_updates[] = {
    {.extent = {256, 128}, .rect = {60, 50, 44, 19}},
    {.format = "rgba32f", .extent = {1023, 1023}, .rect = {33, 17, 900, 901}},
    {.extent = {301, 203}, .n_layers = 2, .rect = {100, 90, 50, 40}},
    {.extent = {0, 0}}};
static const struct mb_test_case more_tile_updates[] = {
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
    {.extent = {0, 0}}};

static const char *const shaped_formats[] = {"rgba8", "rgba16f", "r32f", "rgba8-srgb", NULL};

/* Where the work of tiles, words and levels of 64x64 texels ends and begins. */
static const struct mb_extent edges[] = {
    {31, 31},   {31, 1},   {1, 31},   {31, 65},   {32, 32},   {32, 1},  {1, 32},  {32, 127},
    {33, 33},   {33, 1},   {1, 33},   {33, 128},  {63, 63},   {63, 1},  {1, 63},  {63, 129},
    {64, 64},   {64, 1},   {1, 64},   {64, 255},  {65, 65},   {65, 1},  {1, 65},  {65, 256},
    {127, 127}, {127, 1},  {1, 127},  {127, 257}, {128, 128}, {128, 1}, {1, 128}, {128, 31},
    {129, 129}, {129, 1},  {1, 129},  {129, 32},  {255, 255}, {255, 1}, {1, 255}, {255, 33},
    {256, 256}, {256, 1},  {1, 256},  {256, 63},  {257, 257}, {257, 1}, {1, 257}, {257, 64},
    {128, 32},  {1023, 1}, {4097, 3}, {5, 4100},  {0, 0}};

static const struct mb_chain_row table[] = {
    /* Patterns that each show one way of being wrong. Odd, even and narrow on both axes, and
     * the sizes of tiles and blocks: each kind of pair, of few numbers of levels, for each of
     * which llvmpipe compiles anew. */
    {"sizes/patterns", mb_test_specs, every_pattern, .modes = MB_AVG, .n_layers = 1,
     .extents = SIZES({17, 17}, {1, 1}, {64, 64}, {20, 3}), .one_other_in = 11, .quick = 1},
    {"sizes/more patterns", mb_test_specs, every_pattern, .modes = MB_AVG, .n_layers = 1,
     .extents = SIZES({1, 17}, {17, 1}, {17, 96}, {3, 20}, {96, 20}, {1, 20}, {17, 3}, {20, 1}),
     .one_other_in = 11, .widths = MB_AT_8},
    /* What each source texel weighs, to the last bits of a float. */
    {"sizes/weights", mb_test_specs, NAMES("impulse", "noise"), NAMES("rgba32f"),
     .modes = MB_AVG, .n_layers = 1, .extents = SIZES({9, 7}, {67, 3}, {15, 11}),
     .one_other_in = 3, .quick = 1},
    {"sizes/every pair", mb_test_specs, every_pattern, .modes = MB_AVG, .n_layers = 1,
     .extents = edges, .checks = MB_IS_FULL},
    {"sizes/above 4096", mb_test_specs, NOISE, .modes = MB_AVG, .n_layers = 1,
     .extents = SIZES({4097, 3}), .one_other_in = 7, .quick = 1},
    {"sizes/more above 4096", mb_test_specs, NOISE, .modes = MB_AVG, .n_layers = 1,
     .extents = SIZES({5, 4100}, {4096, 1}), .one_other_in = 12, .widths = MB_AT_8},
    {"sizes/floats above 4096", mb_test_specs, SIGNED, NAMES("rgba32f"), .modes = MB_AVG,
     .n_layers = 1, .extents = SIZES({6, 4100}), .one_other_in = 11, .widths = MB_AT_8},
    {"sizes/1080p", DEFAULTS, NOISE, .modes = MB_AVG, .n_layers = 1,
     .extents = SIZES({1920, 1080}), .widths = MB_AT_4},
    {"sizes/odd and large", DEFAULTS, NOISE, .modes = MB_AVG, .n_layers = 1,
     .extents = SIZES({4095, 1023}), .widths = MB_AT_8},
    {"sizes/4096", DEFAULTS, NOISE, .modes = MB_AVG, .n_layers = 1,
     .extents = SIZES({4096, 4096}), .widths = MB_AT_16},
    {"sizes/4095", DEFAULTS, NOISE, .modes = MB_AVG, .n_layers = 1,
     .extents = SIZES({4095, 4095}), .checks = MB_IS_LONG},
    /* Two rounds of tail.glsl, by ordered words. */
    {"sizes/tail", NAMES("spd-tree"), NOISE, NAMES("r32f"), .modes = MB_MAX, .n_layers = 1,
     .extents = SIZES({4096, 2048})},
    /* Several tiles of strips along both axes, with every kind of odd level: of 1023 and 519
     * the first three sizes are odd, of 1025 and 521 the first one, of 524 and 1030 the third
     * and the second one. Of 1272 and 504 the fourth and all further ones are, so that tiles
     * share many texels. */
    {"sizes/strips",
     NAMES("spd-tree:shape=strips:rows=2", "spd-tree:shape=strips:rows=6",
           "spd-tree:shape=strips:rows=10"),
     NOISE, .modes = MB_AVG, .n_layers = 1,
     .extents = SIZES({1023, 519}, {1025, 521}, {524, 1030}, {1272, 504}), .widths = MB_AT_8,
     .quick = 4},
    {"sizes/some strips",
     NAMES("spd-tree:shape=strips:rows=2", "spd-tree:shape=strips:rows=6",
           "spd-tree:shape=strips:rows=10"),
     NOISE, .modes = MB_AVG, .n_layers = 1, .extents = SIZES({524, 1030}),
     .widths = MB_AT_4 | MB_AT_16, .quick = 1},
    {"sizes/few registers", NAMES("spd-tree:shape=strips"), NOISE, NAMES("rgba8", "rgba32f"),
     .modes = MB_AVG, .n_layers = 1, .extents = SIZES({127, 63}, {66, 260}),
     .checks = MB_IS_LEAN, .quick = 4},
    /* A gradient has codes by themselves, of which one on the wrong side of where the curve
     * begins is off by 0.03. */
    {"sizes/curve", NAMES("spd-tree"), NAMES("noise", "gradient"), NAMES("rgba8-srgb"),
     .modes = MB_AVG, .n_layers = 1, .extents = SIZES({256, 256}, {64, 1024}, {2, 128}),
     .checks = MB_IS_EXACT, .widths = MB_AT_8, .quick = 4},
    /* More tiles, 32 texels high and no more than 512 wide, than a word of two channels counts
     * (words.glsl): each channel has its own. */
    {"sizes/many tiles", NAMES("spd-tree:shape=strips:rows=2"), NOISE,
     NAMES("rgba8", "rg8", "r8"), .modes = MB_AVG, .n_layers = 1,
     .extents = SIZES({16383, 1057}), .widths = MB_AT_8},
    /* More levels than tiles of 64x64 texels share: by words, by slots and by ordered words. */
    {"sizes/many levels", NAMES("spd-tree"), NOISE, NAMES("rgba8", "r16f"),
     .modes = MB_AVG | MB_MAX, .n_layers = 1, .extents = SIZES({16384, 48}), .widths = MB_AT_8},

    {"every/codes", NAMES("spd-tree"), NOISE, .modes = MB_AVG, .n_layers = 1, .grid = 130,
     .n_drawn = 4, .quick = 2},
    {"every/floats", NAMES("spd-tree"), SIGNED, NAMES("r32f"), .modes = MB_MAX, .n_layers = 1,
     .grid = 130, .n_drawn = 4, .quick = 2},

    {"formats/small", NAMES("blit", "compute", "subgroup", "spd"), NOISE, .modes = MB_AVG,
     .grid = 17, .widths = MB_AT_8},
    {"formats/some small", KNOW_GROUPS, NOISE, .modes = MB_AVG, .grid = 17, .one_in = 4,
     .widths = MB_AT_4 | MB_AT_16},
    {"formats/more small", NAMES("raster", "separable", "spd-metal"), NOISE, .modes = MB_AVG,
     .grid = 17, .one_in = 11},
    {"formats/edges", NAMES("blit", "compute", "subgroup", "spd"), NOISE, .modes = MB_AVG,
     .extents = edges, .widths = MB_AT_8, .quick = 5},
    {"formats/some edges", KNOW_GROUPS, NOISE, .modes = MB_AVG, .extents = edges, .one_in = 8,
     .widths = MB_AT_4 | MB_AT_16, .quick = 5},
    {"formats/more edges", NAMES("raster", "separable", "spd-metal"), NOISE, .modes = MB_AVG,
     .extents = edges, .one_in = 8, .quick = 5},
    {"formats/codes", mb_test_specs, NOISE, code_formats, .modes = MB_EVERY_MODE,
     .extents = SIZES({65, 130}), .one_in = 17, .one_other_in = 89, .quick = 1},
    {"formats/floats", mb_test_specs, SIGNED, float_formats, .modes = MB_EVERY_MODE,
     .extents = SIZES({65, 130}), .one_in = 17, .one_other_in = 89, .quick = 1},
    {"formats/small codes", QUICKLY_COMPILED, NOISE, code_formats, .modes = MB_EVERY_MODE,
     .extents = of_4_levels, .one_in = 37, .quick = 5},
    {"formats/small floats", QUICKLY_COMPILED, NAMES("signed", "noise"), float_formats,
     .modes = MB_EVERY_MODE, .extents = of_4_levels, .one_in = 37, .quick = 5},
    /* Minima and maxima that tiles hand on by atomics, of numbers in the order of floats: where
     * three levels are even and the further ones are not. */
    {"formats/extremes of codes", NAMES("spd-tree:shape=even"), NOISE, code_formats,
     .modes = MB_MIN | MB_MAX, .extents = SIZES({200, 72}), .checks = MB_IS_TWICE,
     .one_other_in = 3, .quick = 1},
    {"formats/extremes of floats", NAMES("spd-tree:shape=even"), SIGNED, float_formats,
     .modes = MB_MIN | MB_MAX, .extents = SIZES({200, 72}), .checks = MB_IS_TWICE,
     .one_other_in = 3, .quick = 1},
    /* Black and white squares are grey of averaged light, not of averaged codes. */
    {"formats/light", mb_test_specs, NAMES("checker"), NAMES("rgba8-srgb"), .modes = MB_AVG,
     .extents = SIZES({16, 16}), .n_layers = 1, .one_in = 5, .one_other_in = 23, .quick = 1},
    {"formats/every small size of codes", mb_test_specs, NOISE, code_formats,
     .modes = MB_EVERY_MODE, .grid = 17, .checks = MB_IS_FULL},
    {"formats/every small size of floats", mb_test_specs, NAMES("signed", "noise"),
     float_formats, .modes = MB_EVERY_MODE, .grid = 17, .checks = MB_IS_FULL},
    {"formats/edges of every format", mb_test_specs, NOISE, every_format,
     .modes = MB_EVERY_MODE, .extents = edges, .checks = MB_IS_FULL},

    /* By spd-tree, which is held to them: sizes of powers of two; even down to the third level
     * and odd from there; odd throughout, of several tiles. */
    {"special/numbers", NAMES("spd-tree"), NULL,
     NAMES("r32f", "rgba32f", "r16f", "rgba16f", "rg11b10f", "rg32f"),
     .modes = MB_AVG | MB_MIN | MB_MAX, .n_layers = 1,
     .extents = SIZES({259, 131}, {128, 64}, {264, 216}), .quick = 3},
    {"special/without lanes", NAMES("spd-tree:wave=off"), NULL, NAMES("r32f"), .modes = MB_AVG,
     .n_layers = 1, .extents = SIZES({128, 64}, {264, 216}, {259, 131}), .quick = 1},
    {"special/updates", NAMES("spd-tree"), NULL, NAMES("rgba32f"), .modes = MB_AVG,
     .n_layers = 1, .extents = SIZES({264, 216}, {259, 131}), .checks = MB_IS_UPDATE,
     .quick = 1},
    /* Whose scales, rounded to the nearest float, would make infinity of the largest. */
    {"special/scales", NAMES("spd-tree"), NULL, NAMES("r32f"), .modes = MB_AVG, .n_layers = 1,
     .extents = SIZES({233, 69}), .quick = 1},

    /* Even sizes down to two texels and to one, odd ones, and one texel wide. */
    {"samplers/averages", mb_test_specs, NOISE, NAMES("rgba8", "rgba16f"), .modes = MB_AVG,
     .n_layers = 2, .extents = SIZES({64, 32}, {33, 21}, {1, 6}), .checks = MB_IS_WITHIN,
     .one_other_in = 5, .quick = 1},
    {"samplers/maxima", DEFAULTS, NOISE, .modes = MB_MAX, .n_layers = 2,
     .extents = SIZES({64, 32}, {33, 21}, {1, 6}), .checks = MB_IS_WITHIN, .quick = 1},

    {"updates/tiles", NAMES("spd-tree", "spd-tree:shape=strips"), .shape = MB_CASES,
     .cases = tile_updates, .n_dispatches = 1, .quick = 4},
    {"updates/more tiles", NAMES("spd-tree", "spd-tree:shape=strips"), .shape = MB_CASES,
     .cases = more_tile_updates, .n_dispatches = 1, .checks = MB_IS_LONG},
    /* Odd sizes whose last row or column reaches few levels; tails and more than one tile;
     * where an update begins again in a narrow level after a dropped row (32x6, 129x66,
     * 70x131). */
    {"updates/rectangles", mb_test_specs, .formats = shaped_formats, .shape = MB_UPDATES,
     .extents = SIZES({16, 16}, {33, 17}, {32, 6}, {5, 3}, {1, 17}, {129, 66}, {70, 131},
                      {129, 257}, {300, 200}, {1024, 512}),
     .one_in = 61, .one_other_in = 307, .quick = 1},
    {"shapes/levels", mb_test_specs, .formats = shaped_formats, .shape = MB_LEVELS,
     .extents = SIZES({33, 17}, {64, 64}, {1, 100}, {3, 2}, {129, 70}, {1024, 1}, {300, 200},
                      {512, 260}),
     .one_in = 17, .one_other_in = 151, .quick = 1},
    {"shapes/layers", mb_test_specs, .formats = shaped_formats, .shape = MB_LAYERS,
     .extents =
         SIZES({16, 16}, {17, 17}, {33, 9}, {1, 1}, {65, 65}, {1, 7}, {129, 129}, {200, 300}),
     .one_in = 17, .one_other_in = 151, .quick = 1},
};

/* What a kernel on this device sees: its subgroup size, and as many lanes in it. */
static bool read_subgroup_size(const struct mb_gpu *gpu, uint32_t sizes[2])
{
    enum mb_status status = MB_OK;
    struct mb_err storage = {0}, *err = &storage;
    struct mb_buffer buffer = {0};
    struct mb_pipeline compute = {0};
    struct mb_submission submission = {0};
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_subgroup_size,
        .subgroup_size = gpu->info.subgroup_size,
        .n_copies = 1,
        .name = "subgroup size",
    };
    const struct mb_dispatch dispatch = {.n_groups = {1, 1, 1}};
    MB_TRY(mb_buffer_init(&buffer, gpu, MB_BUFFER_READBACK, 2 * sizeof *sizes, "sizes", err));
    MB_TRY(mb_pipeline_init(&compute, gpu, &options, err));
    mb_pipeline_bind(&compute, 0, &(struct mb_descriptor){.buffer = &buffer}, 1);
    MB_TRY(mb_submission_init(&submission, gpu, "subgroup size", err));
    mb_pipeline_dispatch(&compute, submission.cmd, &dispatch);
    mb_barrier_full(submission.cmd);
    MB_TRY(mb_submission_run(&submission, err));
    memcpy(sizes, buffer.mapped, 2 * sizeof *sizes);
fail:
    if (status != MB_OK) {
        fprintf(stderr, "subgroup size: %s\n", storage.text);
    }
    mb_submission_finish(&submission);
    mb_pipeline_finish(&compute);
    mb_buffer_finish(&buffer);
    return status == MB_OK;
}

/* LP_NATIVE_VECTOR_WIDTH / 32 is llvmpipe's subgroup size. Skips if the device is another one
 * and a width was asked for that is not its default: the test would repeat itself. */
static void test_subgroup_size(struct mb_gpu *gpu)
{
    const char *width = getenv("LP_NATIVE_VECTOR_WIDTH");
    bool is_llvmpipe = strstr(gpu->info.name, "llvmpipe") != NULL;
    uint32_t seen[2] = {0};
    if (width && !is_llvmpipe && strcmp(width, "256") != 0) {
        mb_test_skip("the device has no vector width to set");
        return;
    }
    CHECK(read_subgroup_size(gpu, seen));
    CHECK_EQ_INT(seen[0], gpu->info.subgroup_size);
    CHECK_EQ_INT(seen[1], gpu->info.subgroup_size);
    if (width && is_llvmpipe) {
        CHECK_EQ_INT(gpu->info.subgroup_size, atoi(width) / 32);
    }
    printf("%s, subgroups of %u\n", gpu->info.name, seen[1]);
}

/* Codes and floats are told apart by their patterns; none is forgotten. */
static void check_formats(void)
{
    for (size_t i = 0; i < mb_format_count; i++) {
        const char *const *lists[] = {
            every_format, mb_format_is_unorm(&mb_formats[i]) ? code_formats : float_formats};
        for (size_t k = 0; k < MB_COUNTOF(lists); k++) {
            const char *const *name = lists[k];
            while (*name && strcmp(*name, mb_formats[i].name) != 0) {
                name++;
            }
            CHECK_EQ_STR(*name ? *name : "", mb_formats[i].name);
        }
    }
}

/* A cube that is not square is refused with a reason. */
static void test_bad_cube(struct mb_gpu *gpu)
{
    const struct mb_test_case test_case = {.extent = {16, 8}, .n_layers = 6, .is_cube = true};
    struct mb_case c = {0};
    size_t n_rows;
    struct mb_variant *rows = mb_test_plan(NAMES("compute"), &n_rows);
    CHECK(mb_test_run_case(gpu, rows, n_rows, &test_case, &c));
    CHECK_EQ_INT(c.results[0].status, MB_RESULT_SKIPPED);
    CHECK(strstr(c.results[0].reason, "square") != NULL);
    mb_case_finish(&c);
    mb_free(rows);
}

static const char *wanted; /* what names of rows begin with */

static void test_chains(struct mb_gpu *gpu)
{
    check_formats();
    for (size_t i = 0; i < MB_COUNTOF(table); i++) {
        if (strncmp(table[i].name, wanted, strlen(wanted)) == 0) {
            mb_chains_run(gpu, &table[i]);
        }
    }
    mb_chains_report_refusals();
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? argv[1] : "";
    return MB_TEST_ON_DEVICE(test_subgroup_size, test_bad_cube, test_chains);
}
