/* Every strategy against the golden model: a table whose rows are lists of variants, formats,
 * sizes, patterns and modes. Each combination is a chain, made over poison and judged texel by
 * texel. A software device runs a part of them; what it leaves out is counted by reason.
 *
 *     test_chains [NAME]    the rows whose names begin so
 *
 * One kernel makes all chains of a batch of images before the next has its turn: llvmpipe
 * compiles anew for every combination of kernel and kind of image, and forgets soon. */
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "harness.h"
#include "strategy/needs.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"

extern const struct mb_shader mb_spv_subgroup_size;

#define MAX_IMAGES       320u
#define MAX_BATCH_TEXELS (UINT64_C(4) << 20)

static const struct mode {
    enum mb_reduce reduce;
    enum mb_alpha alpha;
} modes[] = {
    {MB_REDUCE_AVG, MB_ALPHA_STRAIGHT},
    {MB_REDUCE_MIN, MB_ALPHA_STRAIGHT},
    {MB_REDUCE_MAX, MB_ALPHA_STRAIGHT},
    {MB_REDUCE_AVG, MB_ALPHA_PREMULTIPLIED},
};

#define N_MODES MB_COUNTOF(modes)

enum { AVG = 1, MIN = 2, MAX = 4, PREMULTIPLIED = 8, EVERY_MODE = 15 }; /* bits: of modes[] */
enum { AT_4 = 1, AT_8 = 2, AT_16 = 4 }; /* bits: of llvmpipe's subgroup sizes */

enum check {
    IS_EXACT = 1, /* every code is the nearest one */
    IS_TWICE =
        2,       /* a second run shows what the first has left in words that tiles hand on by */
    IS_LEAN = 4, /* as Intel's driver has it, with subgroups of this device */
    IS_UPDATE = 8, /* of the whole image */
    IS_LONG = 16,  /* left out where mb_test_takes_turns() */
};

/* A row of the table. Lists of names end with NULL, of extents with 0x0. */
struct row {
    const char *name;
    const char *const *specs, *const *patterns;
    const char *const *formats; /* NULL: rgba8 */
    const struct mb_extent *extents;
    uint32_t grid;    /* in place of a list: all sizes up to this on both axes */
    uint32_t n_drawn; /* so many of the grid, drawn anew each day; all with MB_TEST_FULL=1 */
    uint32_t modes;
    uint32_t n_layers;             /* 0: 1, 3 and 6 in turn */
    uint32_t checks;               /* of enum check */
    uint32_t widths;               /* where a software device takes turns; 0: all */
    uint32_t one_in, one_other_in; /* in turn (mb_test_why_not): of what strategies do by
                                      default, and of their other variants; 0: 1 */
    uint32_t quick;                /* in short form one size of so many; 0: none */
};

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

/* Where the work of tiles, words and levels of 64x64 texels ends and begins. */
static const struct mb_extent edges[] = {
    {31, 31},   {31, 1},   {1, 31},   {31, 65},   {32, 32},   {32, 1},  {1, 32},  {32, 127},
    {33, 33},   {33, 1},   {1, 33},   {33, 128},  {63, 63},   {63, 1},  {1, 63},  {63, 129},
    {64, 64},   {64, 1},   {1, 64},   {64, 255},  {65, 65},   {65, 1},  {1, 65},  {65, 256},
    {127, 127}, {127, 1},  {1, 127},  {127, 257}, {128, 128}, {128, 1}, {1, 128}, {128, 31},
    {129, 129}, {129, 1},  {1, 129},  {129, 32},  {255, 255}, {255, 1}, {1, 255}, {255, 33},
    {256, 256}, {256, 1},  {1, 256},  {256, 63},  {257, 257}, {257, 1}, {1, 257}, {257, 64},
    {128, 32},  {1023, 1}, {4097, 3}, {5, 4100},  {0, 0}};

/* Patterns of numbers that are not ordinary: averages of infinite values and of NaN, and of
 * values as large as there are, sums of which would be infinite; extremes beside NaN, which
 * they leave out. The rest is noise of both signs. */
enum place { LAST_CORNER, MIDDLE, LEFT_EDGE, TOP_EDGE, EVERY_OTHER, EVERYWHERE };

static const struct plant {
    const char *pattern;
    double value; /* 0: both signs, up to the largest there are */
    enum place place;
} plants[] = {
    {"infinity in the last corner", (double)INFINITY, LAST_CORNER},
    {"infinity in the middle", (double)INFINITY, MIDDLE},
    {"-infinity at the left edge", (double)-INFINITY, LEFT_EDGE},
    {"NaN at the top edge", (double)NAN, TOP_EDGE},
    {"NaN in the last corner", (double)NAN, LAST_CORNER},
    {"every other NaN", (double)NAN, EVERY_OTHER},
    {"NaN everywhere", (double)NAN, EVERYWHERE},
    {"the largest everywhere", (double)FLT_MAX, EVERYWHERE},
    {"large of both signs", 0.0, EVERYWHERE},
};

static const char *const planted[] = {"infinity in the last corner",
                                      "infinity in the middle",
                                      "-infinity at the left edge",
                                      "NaN at the top edge",
                                      "NaN in the last corner",
                                      "every other NaN",
                                      "NaN everywhere",
                                      "the largest everywhere",
                                      "large of both signs",
                                      NULL};

static const struct row table[] = {
    /* Patterns that each show one way of being wrong. Odd, even and narrow on both axes, and
     * the sizes of tiles and blocks: each kind of pair, of few numbers of levels, for each of
     * which llvmpipe compiles anew. */
    {"sizes/patterns", mb_test_specs, every_pattern, .modes = AVG, .n_layers = 1,
     .extents = SIZES({17, 17}, {1, 1}, {64, 64}, {20, 3}), .one_other_in = 11, .quick = 1},
    {"sizes/more patterns", mb_test_specs, every_pattern, .modes = AVG, .n_layers = 1,
     .extents = SIZES({1, 17}, {17, 1}, {17, 96}, {3, 20}, {96, 20}, {1, 20}, {17, 3}, {20, 1}),
     .one_other_in = 11, .widths = AT_8},
    {"sizes/every pair", mb_test_specs, every_pattern, .modes = AVG, .n_layers = 1,
     .extents = edges, .checks = IS_LONG},
    {"sizes/above 4096", mb_test_specs, NOISE, .modes = AVG, .n_layers = 1,
     .extents = SIZES({4097, 3}), .one_other_in = 7, .quick = 1},
    {"sizes/more above 4096", mb_test_specs, NOISE, .modes = AVG, .n_layers = 1,
     .extents = SIZES({5, 4100}, {4096, 1}), .one_other_in = 12, .widths = AT_8},
    {"sizes/floats above 4096", mb_test_specs, SIGNED, NAMES("rgba32f"), .modes = AVG,
     .n_layers = 1, .extents = SIZES({6, 4100}), .one_other_in = 11, .widths = AT_8},
    {"sizes/1080p", DEFAULTS, NOISE, .modes = AVG, .n_layers = 1,
     .extents = SIZES({1920, 1080}), .widths = AT_4},
    {"sizes/odd and large", DEFAULTS, NOISE, .modes = AVG, .n_layers = 1,
     .extents = SIZES({4095, 1023}), .widths = AT_8},
    {"sizes/4096", DEFAULTS, NOISE, .modes = AVG, .n_layers = 1, .extents = SIZES({4096, 4096}),
     .widths = AT_16},
    {"sizes/4095", DEFAULTS, NOISE, .modes = AVG, .n_layers = 1, .extents = SIZES({4095, 4095}),
     .checks = IS_LONG},
    /* Two rounds of climb.glsl, by ordered words. */
    {"sizes/climbs", NAMES("spd-tree"), NOISE, NAMES("r32f"), .modes = MAX, .n_layers = 1,
     .extents = SIZES({4096, 2048})},
    /* Several tiles of strips along both axes, with every kind of odd level: of 1023 and 519
     * the first three sizes are odd, of 1025 and 521 the first one, of 524 and 1030 the third
     * and the second one. Of 1272 and 504 the fourth and all further ones are, so that tiles
     * share many texels. */
    {"sizes/strips",
     NAMES("spd-tree:shape=strips:rows=2", "spd-tree:shape=strips:rows=6",
           "spd-tree:shape=strips:rows=10"),
     NOISE, .modes = AVG, .n_layers = 1,
     .extents = SIZES({1023, 519}, {1025, 521}, {524, 1030}, {1272, 504}), .widths = AT_8,
     .quick = 4},
    {"sizes/some strips",
     NAMES("spd-tree:shape=strips:rows=2", "spd-tree:shape=strips:rows=6",
           "spd-tree:shape=strips:rows=10"),
     NOISE, .modes = AVG, .n_layers = 1, .extents = SIZES({524, 1030}), .widths = AT_4 | AT_16,
     .quick = 1},
    {"sizes/few registers", NAMES("spd-tree:shape=strips"), NOISE, NAMES("rgba8", "rgba32f"),
     .modes = AVG, .n_layers = 1, .extents = SIZES({127, 63}, {66, 260}), .checks = IS_LEAN,
     .quick = 4},
    /* A gradient has codes by themselves, of which one on the wrong side of where the curve
     * begins is off by 0.03. */
    {"sizes/curve", NAMES("spd-tree"), NAMES("noise", "gradient"), NAMES("rgba8-srgb"),
     .modes = AVG, .n_layers = 1, .extents = SIZES({256, 256}, {64, 1024}, {2, 128}),
     .checks = IS_EXACT, .widths = AT_8, .quick = 4},
    /* More tiles, 32 texels high and no more than 512 wide, than a word of two channels counts
     * (words.glsl): each channel has its own. */
    {"sizes/many tiles", NAMES("spd-tree:shape=strips:rows=2"), NOISE, .modes = AVG,
     .n_layers = 1, .extents = SIZES({16383, 1057}), .widths = AT_8},

    {"every/codes", NAMES("spd-tree"), NOISE, .modes = AVG, .n_layers = 1, .grid = 130,
     .n_drawn = 4, .quick = 2},
    {"every/floats", NAMES("spd-tree"), SIGNED, NAMES("r32f"), .modes = MAX, .n_layers = 1,
     .grid = 130, .n_drawn = 4, .quick = 2},

    {"formats/small", NAMES("blit", "compute", "subgroup", "spd"), NOISE, .modes = AVG,
     .grid = 17, .widths = AT_8},
    {"formats/some small", KNOW_GROUPS, NOISE, .modes = AVG, .grid = 17, .one_in = 4,
     .widths = AT_4 | AT_16},
    {"formats/more small", NAMES("raster", "separable", "spd-metal"), NOISE, .modes = AVG,
     .grid = 17, .one_in = 11},
    {"formats/edges", NAMES("blit", "compute", "subgroup", "spd"), NOISE, .modes = AVG,
     .extents = edges, .widths = AT_8, .quick = 5},
    {"formats/some edges", KNOW_GROUPS, NOISE, .modes = AVG, .extents = edges, .one_in = 8,
     .widths = AT_4 | AT_16, .quick = 5},
    {"formats/more edges", NAMES("raster", "separable", "spd-metal"), NOISE, .modes = AVG,
     .extents = edges, .one_in = 8, .quick = 5},
    {"formats/codes", mb_test_specs, NOISE, code_formats, .modes = EVERY_MODE,
     .extents = SIZES({65, 130}), .one_in = 13, .one_other_in = 53, .quick = 1},
    {"formats/floats", mb_test_specs, SIGNED, float_formats, .modes = EVERY_MODE,
     .extents = SIZES({65, 130}), .one_in = 13, .one_other_in = 53, .quick = 1},
    {"formats/small codes", QUICKLY_COMPILED, NOISE, code_formats, .modes = EVERY_MODE,
     .extents = of_4_levels, .one_in = 29, .quick = 5},
    {"formats/small floats", QUICKLY_COMPILED, NAMES("signed", "noise"), float_formats,
     .modes = EVERY_MODE, .extents = of_4_levels, .one_in = 29, .quick = 5},
    /* Minima and maxima that tiles hand on by atomics, of numbers in the order of floats: where
     * three levels are even and the further ones are not. */
    {"formats/extremes of codes", NAMES("spd-tree:shape=even"), NOISE, code_formats,
     .modes = MIN | MAX, .extents = SIZES({200, 72}), .checks = IS_TWICE, .one_other_in = 3,
     .quick = 1},
    {"formats/extremes of floats", NAMES("spd-tree:shape=even"), SIGNED, float_formats,
     .modes = MIN | MAX, .extents = SIZES({200, 72}), .checks = IS_TWICE, .one_other_in = 3,
     .quick = 1},
    /* Black and white squares are grey of averaged light, not of averaged codes. */
    {"formats/light", mb_test_specs, NAMES("checker"), NAMES("rgba8-srgb"), .modes = AVG,
     .extents = SIZES({16, 16}), .n_layers = 1, .one_in = 4, .one_other_in = 11, .quick = 1},
    {"formats/every small size of codes", mb_test_specs, NOISE, code_formats,
     .modes = EVERY_MODE, .grid = 17, .checks = IS_LONG},
    {"formats/every small size of floats", mb_test_specs, NAMES("signed", "noise"),
     float_formats, .modes = EVERY_MODE, .grid = 17, .checks = IS_LONG},
    {"formats/edges of every format", mb_test_specs, NOISE, every_format, .modes = EVERY_MODE,
     .extents = edges, .checks = IS_LONG},

    /* By spd-tree, which is held to them: sizes of powers of two; even down to the third level
     * and odd from there; odd throughout, of several tiles. */
    {"special/numbers", NAMES("spd-tree"), planted,
     NAMES("r32f", "rgba32f", "r16f", "rgba16f", "rg11b10f", "rg32f"), .modes = AVG | MIN | MAX,
     .n_layers = 1, .extents = SIZES({259, 131}, {128, 64}, {264, 216}), .one_in = 2,
     .quick = 3},
    {"special/without lanes", NAMES("spd-tree:wave=off"), planted, NAMES("r32f", "rgba32f"),
     .modes = AVG, .n_layers = 1, .extents = SIZES({128, 64}, {264, 216}, {259, 131}),
     .one_other_in = 2, .quick = 1},
    {"special/updates", NAMES("spd-tree"), planted, NAMES("r32f", "rgba32f"), .modes = AVG,
     .n_layers = 1, .extents = SIZES({128, 64}, {264, 216}, {259, 131}), .checks = IS_UPDATE,
     .one_in = 2, .quick = 1},
    /* Whose scales, rounded to the nearest float, would make infinity of the largest. */
    {"special/scales", NAMES("spd-tree"), planted, NAMES("r32f"), .modes = AVG, .n_layers = 1,
     .extents = SIZES({233, 69}), .quick = 1},
};

/* What became of a row. */
struct tally {
    unsigned n_judged, n_refused, n_left_out, n_wrong;
    double max_lsb, max_ulp;
};

struct image {
    struct mb_layout layout;
    const char *pattern;
    void *texels; /* NULL until it is wanted; owned */
    struct mb_test_image test_image;
    struct mb_verifier verifier;
};

struct run {
    const struct mb_gpu *gpu;
    const struct row *row;
    struct mb_variant *variants;
    size_t n_variants;
    const struct mb_variant *wrong; /* the last one that was: its first mismatch is told */
    struct image images[MAX_IMAGES];
    size_t n_images;
    uint64_t n_texels;
    uint32_t n_images_in_all; /* counts on, and so varies the layers */
    struct tally tally;
};

#define MAX_REFUSALS 64u

static struct refusal {
    const char *strategy;
    char reason[512];
    unsigned n_times;
} refusals[MAX_REFUSALS];
static size_t n_refusals;

static void note_refusal(const char *strategy, const char *reason)
{
    size_t i = 0;
    while (i < n_refusals &&
           (refusals[i].strategy != strategy || strcmp(refusals[i].reason, reason) != 0)) {
        i++;
    }
    CHECK(i < MAX_REFUSALS);
    if (i < MAX_REFUSALS) {
        n_refusals += i == n_refusals;
        refusals[i].strategy = strategy;
        snprintf(refusals[i].reason, sizeof refusals[i].reason, "%s", reason);
        refusals[i].n_times++;
    }
}

static void report_refusals(void)
{
    for (size_t i = 0; i < n_refusals; i++) {
        printf("%s refused %u times: %s\n", refusals[i].strategy, refusals[i].n_times,
               refusals[i].reason);
    }
}

/* The first of a variant in a row of the table. */
static void note_wrong(struct run *run, const struct mb_variant *variant,
                       const struct mb_layout *layout, const struct mb_task *task,
                       const char *pattern, const char *what)
{
    run->tally.n_wrong++;
    if (run->wrong != variant) {
        const struct mb_rect rect = task->rect;
        fprintf(stderr, "%s: %s on %s, %ux%u %s, %u layers, %u levels, %s, alpha %s",
                run->row->name, mb_test_label(variant), pattern, layout->base.width,
                layout->base.height, layout->format->name, layout->n_layers, layout->n_levels,
                mb_reduce_names[task->reduce], mb_alpha_name(task->alpha));
        if (task->is_update) {
            fprintf(stderr, ", update of %ux%u at %u,%u", rect.width, rect.height, rect.x,
                    rect.y);
        }
        fprintf(stderr, ": %s\n", what);
    }
    run->wrong = variant;
}

/* Whether it may refuse; otherwise that is wrong. */
static void note_refused(struct run *run, const struct mb_variant *variant,
                         const struct mb_layout *layout, const struct mb_task *task,
                         const char *reason)
{
    const bool may_refuse =
        mb_test_may_refuse(run->gpu, variant, layout, task) && strlen(reason) > 10;
    CHECK(may_refuse);
    if (!may_refuse) {
        note_wrong(run, variant, layout, task, "any image", reason);
    }
    note_refusal(variant->strategy->name, reason);
    run->tally.n_refused++;
}

/* Every texel of a flat image's levels is the base's first texel, bit for bit. */
static bool is_flat(const struct image *image)
{
    const struct mb_layout *layout = &image->layout;
    const void *block = image->test_image.readback.mapped;
    const uint32_t n_bytes = layout->format->texel_bytes;
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        const uint8_t *texels = mb_layout_level(layout, block, level, 0);
        for (size_t i = 0; i < layout->level_layer_bytes[level]; i += n_bytes) {
            if (memcmp(texels + i, block, n_bytes) != 0) {
                return false;
            }
        }
    }
    return true;
}

/* What is wrong with the chain in the read-back buffer, or NULL. */
static const char *judge(struct run *run, struct image *image,
                         const struct mb_tolerance *tolerance, struct mb_err *err)
{
    struct mb_verdict verdict;
    struct tally *tally = &run->tally;
    if (mb_verify(&image->verifier, image->test_image.readback.mapped, tolerance, &verdict,
                  err) != MB_OK) {
        return err->text;
    }
    double *max = mb_format_is_unorm(image->layout.format) ? &tally->max_lsb : &tally->max_ulp;
    *max = fmax(*max, verdict.max_error_lsb);
    tally->n_judged++;
    if (!verdict.pass) {
        snprintf(err->text, sizeof err->text, "%s",
                 mb_bad_texel_describe(&verdict.first_bad).s);
        return err->text;
    }
    return (run->row->checks & IS_EXACT) && verdict.max_error_lsb > 0.5 + 1e-4 ? "not exact"
           : strcmp(image->pattern, "flat") == 0 && !is_flat(image)            ? "not flat"
                                                                               : NULL;
}

static void run_chain(struct run *run, const struct mb_variant *variant,
                      const struct mode *mode, struct image *image)
{
    static uint32_t poison;
    struct mb_instance instance = {0};
    struct mb_err err = {0};
    struct mb_task task = mb_test_whole(image->layout.base);
    task.reduce = mode->reduce;
    task.alpha = mode->alpha;
    task.is_update = (run->row->checks & IS_UPDATE) != 0;
    enum mb_status status =
        mb_test_instance(&instance, &image->test_image, variant, &task, &err);
    if (status == MB_UNSUPPORTED) {
        note_refused(run, variant, &image->layout, &task, err.text);
        return;
    }
    const unsigned n_runs = run->row->checks & IS_TWICE ? 2 : 1;
    for (unsigned i = 0; status == MB_OK && i < n_runs; i++) {
        status = mb_test_run_chain(&image->test_image, &instance, poison++, &err);
    }
    const char *what =
        status == MB_OK ? judge(run, image, &instance.work.tolerance, &err) : err.text;
    CHECK(what == NULL);
    if (what) {
        note_wrong(run, variant, &image->layout, &task, image->pattern, what);
    }
    mb_instance_finish(&instance);
}

static bool is_planted(enum place place, struct mb_extent extent, uint32_t x, uint32_t y)
{
    switch (place) {
    case LAST_CORNER:
        return x + 1 == extent.width && y + 1 == extent.height;
    case MIDDLE:
        return x == extent.width / 2 && y == extent.height / 2;
    case LEFT_EDGE:
        return x == 0 && y == extent.height / 2;
    case TOP_EDGE:
        return x == extent.width / 2 && y == 0;
    case EVERY_OTHER:
        return (x + y) % 2 == 0;
    default:
        return true;
    }
}

/* Single texels in one channel, so that no other gets it from there. */
static void plant_texels(const struct plant *plant, const struct mb_layout *layout,
                         uint8_t *texels)
{
    const uint32_t channel = (uint32_t)(plant - plants);
    const struct mb_format *format = layout->format;
    const uint32_t width = layout->base.width, n_channels = format->n_channels;
    const double largest = format->codec == MB_CODEC_SFLOAT32   ? (double)FLT_MAX
                           : format->codec == MB_CODEC_SFLOAT16 ? 65504.0
                                                                : 64512.0;
    struct mb_rng rng;
    mb_rng_init(&rng, 1);
    for (uint32_t i = 0; i < width * layout->base.height; i++) {
        double rgba[4];
        uint8_t *texel = texels + (size_t)i * format->texel_bytes;
        if (!is_planted(plant->place, layout->base, i % width, i / width)) {
            continue;
        }
        mb_format_decode(format, texel, 1, rgba);
        for (uint32_t c = 0; c < 4; c++) {
            const double share = (double)mb_rng_below(&rng, 1001) / 500.0 - 1.0;
            if (plant->place >= EVERY_OTHER || c == channel % n_channels) {
                rgba[c] = plant->value == 0.0               ? largest * share
                          : plant->value == (double)FLT_MAX ? largest
                                                            : plant->value;
            }
        }
        mb_format_encode(format, rgba, 1, texel);
    }
}

/* Level 0 of an image; NULL without memory. */
static void *make_texels(const struct mb_layout *layout, const char *pattern)
{
    const struct plant *plant = NULL;
    for (size_t i = 0; i < MB_COUNTOF(plants) && !plant; i++) {
        plant = strcmp(plants[i].pattern, pattern) == 0 ? &plants[i] : NULL;
    }
    void *texels = mb_test_texels(layout, plant ? "signed" : pattern);
    if (texels && plant) {
        plant_texels(plant, layout, texels);
    }
    return texels;
}

/* Made when first wanted. False, with the reason printed, if it cannot be made. */
static bool make_image(const struct mb_gpu *gpu, struct image *image)
{
    if (!image->texels) {
        image->texels = make_texels(&image->layout, image->pattern);
        mb_test_open_image(&image->test_image, gpu, &image->layout, image->texels);
        mb_verifier_init(&image->verifier, &image->layout, image->texels);
    }
    return image->test_image.readback.mapped != NULL;
}

static void drop_images(struct run *run)
{
    for (size_t i = 0; i < run->n_images; i++) {
        struct image *image = &run->images[i];
        if (image->texels) {
            mb_verifier_finish(&image->verifier);
            mb_test_image_finish(&image->test_image);
            mb_free(image->texels);
        }
        *image = (struct image){.texels = NULL};
    }
    run->n_images = 0;
    run->n_texels = 0;
}

/* Why a combination is left out, or NULL. Those that share a kernel as llvmpipe compiles it
 * are left out together. */
static const char *why_not(const struct run *run, const struct mb_variant *variant,
                           uint32_t mode, const struct mb_layout *layout)
{
    const struct row *row = run->row;
    const uint32_t one_in = mb_test_is_default(variant) ? row->one_in : row->one_other_in;
    const uint32_t place = mb_test_size_kind(layout->base) +
                           5 * mb_full_level_count(layout->base) + 3 * mode +
                           7 * (uint32_t)(layout->format - mb_formats);
    if (modes[mode].alpha == MB_ALPHA_PREMULTIPLIED && layout->format->n_channels < 4) {
        return "no alpha to weigh by: the same as an average";
    }
    return mb_test_why_not(run->gpu, variant, place, one_in > 0 ? one_in : 1);
}

static void leave_out(struct run *run, const char *reason)
{
    run->tally.n_left_out++;
    mb_test_leave_out(reason);
}

/* All variants and modes on every image that was added; then the images are dropped. */
static void run_images(struct run *run)
{
    for (size_t i = 0; i < run->n_variants * N_MODES; i++) {
        const struct mb_variant *variant = &run->variants[i / N_MODES];
        const uint32_t mode = i % N_MODES;
        for (size_t k = 0; (run->row->modes >> mode & 1) != 0 && k < run->n_images; k++) {
            struct image *image = &run->images[k];
            const char *reason = why_not(run, variant, mode, &image->layout);
            if (reason) {
                leave_out(run, reason);
            } else if (make_image(run->gpu, image)) {
                run_chain(run, variant, &modes[mode], image);
            }
        }
    }
    drop_images(run);
}

static void add_images(struct run *run, const char *format, struct mb_extent extent)
{
    static const uint32_t n_layers[] = {1, 3, 6};
    const uint64_t n_texels = (uint64_t)extent.width * extent.height;
    for (const char *const *pattern = run->row->patterns; *pattern; pattern++) {
        if (run->n_images == MAX_IMAGES || run->n_texels + n_texels > MAX_BATCH_TEXELS) {
            run_images(run);
        }
        const uint32_t turn = run->n_images_in_all++ % MB_COUNTOF(n_layers);
        run->images[run->n_images++] = (struct image){
            .layout = mb_test_layout(format, extent,
                                     run->row->n_layers ? run->row->n_layers : n_layers[turn]),
            .pattern = *pattern,
        };
        run->n_texels += n_texels;
    }
}

/* Size `i` of a grid; 0x0 beyond its end. Those with the same lowest bits, which share kernels,
 * come one after the other. */
static struct mb_extent of_grid(uint32_t grid, uint32_t i)
{
    const uint32_t n_blocks = (grid + 15) / 16, n = n_blocks * n_blocks;
    const struct mb_extent extent = {1 + i % n_blocks * 16 + i / n % 16,
                                     1 + i / n_blocks % n_blocks * 16 + i / (n * 16)};
    const bool is_within = extent.width <= grid && extent.height <= grid;
    return is_within ? extent : (struct mb_extent){0, 0};
}

static void add_drawn(struct run *run, const char *format)
{
    const struct row *row = run->row;
    const uint64_t seed = (uint64_t)time(NULL) / 86400;
    const uint32_t n = mb_test_is_quick() ? 1 : row->n_drawn;
    struct mb_rng rng;
    mb_rng_init(&rng, seed);
    printf("%s: %u sizes, seed %llu\n", row->name, n, (unsigned long long)seed);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t width = mb_rng_below(&rng, row->grid);
        add_images(run, format,
                   (struct mb_extent){1 + width, 1 + mb_rng_below(&rng, row->grid)});
    }
}

static void add_sizes(struct run *run, const char *format)
{
    const struct row *row = run->row;
    const uint32_t step = mb_test_is_quick() ? row->quick : 1;
    const uint32_t n_blocks = (row->grid + 15) / 16;
    if (row->n_drawn > 0 && !mb_test_is_full()) {
        add_drawn(run, format);
        return;
    }
    for (uint32_t i = 0; row->grid > 0 && i < n_blocks * n_blocks * 256; i += step) {
        const struct mb_extent extent = of_grid(row->grid, i);
        if (extent.width > 0) {
            add_images(run, format, extent);
        }
    }
    for (uint32_t i = 0; row->extents && row->extents[i].width > 0; i++) {
        if (i % step == 0) {
            add_images(run, format, row->extents[i]);
        } else {
            leave_out(run, "sizes, in the short form");
        }
    }
}

/* Why a whole row is left out, or NULL. */
static const char *why_not_row(const struct mb_gpu *gpu, const struct row *row)
{
    if (mb_test_is_quick() && row->quick == 0) {
        return "rows that the short form has not";
    }
    if (!mb_test_takes_turns(gpu)) {
        return NULL;
    }
    return row->checks & IS_LONG ? "rows that take long (MB_TEST_FULL=1 runs them)"
           : row->widths != 0 && (row->widths >> mb_test_turn(gpu) & 1) == 0
               ? "rows of another subgroup size"
               : NULL;
}

/* A device as Intel's driver has it, in place of this one. */
static void pretend_lean(struct mb_gpu *gpu)
{
    gpu->info.driver_id = VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA;
    gpu->info.max_subgroup_size = 32;
    gpu->info.max_workgroup_subgroups = 0;
    gpu->state->keeps_pipelines = false; /* those kept are of the device as it is */
}

static void report(const struct run *run)
{
    const struct tally *t = &run->tally;
    printf("%-36s %5u chains judged, %4u refused, %5u left out, %u wrong; at most %.3f LSB, "
           "%.3f ulp; %.1f s\n",
           run->row->name, t->n_judged, t->n_refused, t->n_left_out, t->n_wrong, t->max_lsb,
           t->max_ulp, (double)clock() / (double)CLOCKS_PER_SEC);
    fflush(stdout);
    CHECK(t->n_judged + t->n_refused > 0);
}

static void run_row(struct mb_gpu *gpu, const struct row *row)
{
    static struct run run;
    static const char *const rgba8[] = {"rgba8", NULL};
    const struct mb_gpu_info info = gpu->info;
    const bool keeps_pipelines = gpu->state->keeps_pipelines;
    const char *reason = why_not_row(gpu, row);
    if (reason) {
        printf("%-36s left out: %s\n", row->name, reason);
        mb_test_leave_out(reason);
        return;
    }
    if (row->checks & IS_LEAN) {
        pretend_lean(gpu);
    }
    run = (struct run){.gpu = gpu, .row = row};
    run.variants = mb_test_plan(row->specs, &run.n_variants);
    for (const char *const *format = row->formats ? row->formats : rgba8; *format; format++) {
        add_sizes(&run, *format);
        run_images(&run);
    }
    mb_free(run.variants);
    gpu->state->keeps_pipelines = keeps_pipelines;
    gpu->info = info;
    report(&run);
}

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

static const char *wanted; /* what names of rows begin with */

static void test_chains(struct mb_gpu *gpu)
{
    for (size_t i = 0; i < MB_COUNTOF(table); i++) {
        if (strncmp(table[i].name, wanted, strlen(wanted)) == 0) {
            run_row(gpu, &table[i]);
        }
    }
    report_refusals();
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? argv[1] : "";
    return MB_TEST_ON_DEVICE(test_subgroup_size, test_chains);
}
