/* Numbers that are not ordinary, by spd-tree, which is held to them: averages of infinite
 * values and of NaN, and of values as large as there are, which sums of would be infinite;
 * extremes beside NaN, which they leave out. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "judged_image.h"

static unsigned n_judged;

enum place { LAST_CORNER, MIDDLE, LEFT_EDGE, TOP_EDGE, EVERY_OTHER, EVERYWHERE };

static const struct plant {
    double value; /* 0: both signs, up to the largest there are */
    enum place place;
} plants[] = {
    {(double)INFINITY, LAST_CORNER},
    {(double)INFINITY, MIDDLE},
    {(double)-INFINITY, LEFT_EDGE},
    {(double)NAN, TOP_EDGE},
    {(double)NAN, LAST_CORNER},
    {(double)NAN, EVERY_OTHER},
    {(double)NAN, EVERYWHERE},
    {(double)FLT_MAX, EVERYWHERE},
    {0.0, EVERYWHERE},
};

/* Of powers of two; even down to the third level and odd from there; odd throughout, of several
 * tiles. */
static const struct mb_extent extents[] = {{128, 64}, {264, 216}, {259, 131}};

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

/* Single texels in one channel, `channel`, so that no other gets it from there. */
static void plant_texels(const struct plant *plant, const struct mb_layout *layout,
                         uint32_t channel, uint8_t *texels)
{
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

static void run_row(struct judged_image *image, const struct mb_variant *row,
                    enum mb_reduce reduce, bool is_update, const struct plant *plant)
{
    struct mb_task task = mb_test_whole(image->layout.base);
    struct mb_verdict verdict;
    task.reduce = reduce;
    task.is_update = is_update;
    if (mb_judge_row(image, row, &task, 1, &verdict) == MB_OK) {
        n_judged++;
        if (!verdict.pass) {
            fprintf(stderr, "  of %g, place %d\n", plant->value, (int)plant->place);
        }
    }
}

/* All plants of one kernel after the other, which llvmpipe compiles once. */
static void run_kernel(const struct mb_gpu *gpu, const struct mb_layout *layout,
                       const char *spec, enum mb_reduce reduce, bool is_update)
{
    size_t n_rows;
    struct mb_variant *rows = mb_test_plan((const char *const[]){spec, NULL}, &n_rows);
    for (uint32_t i = 0; i < MB_COUNTOF(plants); i++) {
        struct judged_image image;
        uint8_t *texels = mb_test_texels(layout, "signed");
        if (texels) {
            plant_texels(&plants[i], layout, i, texels);
        }
        if (mb_judged_image_of(&image, gpu, layout, texels)) {
            run_row(&image, rows, reduce, is_update, &plants[i]);
        }
        mb_judged_image_finish(&image);
    }
    mb_free(rows);
}

static void test_special(struct mb_gpu *gpu)
{
    static const char *const formats[] = {"r32f",    "rgba32f",  "r16f",
                                          "rgba16f", "rg11b10f", "rg32f"};
    const uint32_t n_formats = mb_test_is_quick() ? 1 : (uint32_t)MB_COUNTOF(formats);
    for (uint32_t i = 0; i < n_formats * (uint32_t)MB_COUNTOF(extents); i++) {
        const uint32_t f = i % n_formats, k = i / n_formats;
        const struct mb_layout layout = mb_test_layout(formats[f], extents[k], 1);
        /* One of the extremes at each size, in turn. */
        const enum mb_reduce extreme = (i + k) % 2 == 0 ? MB_REDUCE_MIN : MB_REDUCE_MAX;
        /* Even sizes of r32f and every other format; all at the odd one. */
        if (k == MB_COUNTOF(extents) - 1 || f == 0 || f % 2 == k || mb_test_is_full()) {
            run_kernel(gpu, &layout, "spd-tree", MB_REDUCE_AVG, false);
            run_kernel(gpu, &layout, "spd-tree", extreme, false);
        }
        if (f == (k == 1 ? 1u : 0u) || mb_test_is_full()) {
            run_kernel(gpu, &layout, "spd-tree:wave=off", MB_REDUCE_AVG, false);
            run_kernel(gpu, &layout, "spd-tree", MB_REDUCE_AVG, true);
        }
    }
    /* Whose scales, rounded to the nearest float, would make infinity of the largest. */
    const struct mb_layout scaled = mb_test_layout("r32f", (struct mb_extent){233, 69}, 1);
    run_kernel(gpu, &scaled, "spd-tree", MB_REDUCE_AVG, false);
    mb_test_report_phase("special", n_judged);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_special);
}
