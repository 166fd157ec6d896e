/* Nothing is lost under box: the mean of a level is that of level 0, at every size. What drops
 * rows and columns of odd sizes is not conserved; by how much is printed. */
#include <stdio.h>

#include "base/alloc.h"
#include "harness.h"
#include "refusals.h"
#include "wrong_strategy.h"

#define N_CHANNELS 4u
#define N_LAYERS   2u

static bool read_mean(const struct mb_layout *layout, const void *block, uint32_t level,
                      uint32_t layer, double mean[N_CHANNELS])
{
    const struct mb_extent extent = mb_level_extent(layout->base, level);
    const size_t n = (size_t)extent.width * extent.height;
    double *rgba = mb_alloc(n, N_CHANNELS * sizeof *rgba);
    for (uint32_t c = 0; c < N_CHANNELS; c++) {
        mean[c] = 0.0;
    }
    if (rgba) {
        mb_format_decode(layout->format, mb_layout_level(layout, block, level, layer), n, rgba);
    }
    for (size_t i = 0; rgba && i < n * N_CHANNELS; i++) {
        mean[i % N_CHANNELS] += rgba[i] / (double)n;
    }
    mb_free(rgba);
    return rgba != NULL;
}

/* By how much the mean may move on the way to a level: as if every texel were off by its bound,
 * for values below 1, and the same way, at each step. */
static double mean_bound(const struct mb_layout *layout, const struct mb_tolerance *tolerance,
                         uint32_t level)
{
    double bound = 0.0;
    for (uint32_t above = 0; above < level; above++) {
        const double weight_error = mb_tolerance_weight_error(
            tolerance, layout->format, mb_level_extent(layout->base, above));
        const double lsb = mb_format_lsb(layout->format, 0, 0.99);
        bound += lsb * mb_tolerance_bound_lsb(
                           &(struct mb_step){tolerance, layout->format, 1, weight_error}, 0,
                           0.99, 1.0);
    }
    return bound;
}

/* The largest distance of a level's mean from that of level 0, over layers and channels. */
static double largest_shift(const struct mb_layout *layout, const void *block, uint32_t level)
{
    double largest = 0.0;
    for (uint32_t layer = 0; layer < layout->n_layers; layer++) {
        double base[N_CHANNELS], mean[N_CHANNELS];
        CHECK(read_mean(layout, block, 0, layer, base));
        CHECK(read_mean(layout, block, level, layer, mean));
        for (uint32_t c = 0; c < N_CHANNELS; c++) {
            largest = fmax(largest, fabs(mean[c] - base[c]));
        }
    }
    return largest;
}

/* The first level whose mean is not that of level 0, or 0; `*shift` is that of the last level.
 */
static uint32_t find_loss(const struct mb_layout *layout, const void *block,
                          const struct mb_tolerance *tolerance, double *shift)
{
    uint32_t first_bad = 0;
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        *shift = largest_shift(layout, block, level);
        if (first_bad == 0 && !(*shift <= mean_bound(layout, tolerance, level))) {
            first_bad = level;
        }
    }
    return first_bad;
}

/* What is wrong, or has another policy than box, is printed. */
static bool is_conserved(struct mb_test_image *test_image, const struct mb_variant *row,
                         bool *is_box)
{
    const struct mb_layout *layout = &test_image->full;
    struct mb_tolerance tolerance;
    struct mb_err err = {0};
    double shift = 0.0;
    const struct mb_task task = mb_test_whole(layout->base);
    enum mb_status status = mb_test_run_row(test_image, row, &tolerance, &err);
    CHECK(status == MB_OK || (status == MB_UNSUPPORTED &&
                              mb_test_may_refuse(test_image->image.gpu, row, layout, &task)));
    *is_box = status == MB_OK && tolerance.filter.policy == MB_POLICY_BOX;
    if (status != MB_OK) {
        printf("%s %s: %s\n", mb_test_label(row), layout->format->name, err.text);
        return true;
    }
    const uint32_t bad = find_loss(layout, test_image->readback.mapped, &tolerance, &shift);
    if (bad > 0) {
        printf("%s %ux%u %s: %s, the mean moves by %.2g at the last level\n",
               mb_test_label(row), layout->base.width, layout->base.height,
               layout->format->name, mb_policy_name(tolerance.filter.policy), shift);
    }
    return bad == 0;
}

static bool open_noise(struct mb_test_image *test_image, const struct mb_gpu *gpu,
                       const char *format, struct mb_extent extent)
{
    const struct mb_layout layout = mb_test_layout(format, extent, N_LAYERS);
    void *texels = mb_test_texels(&layout, "noise");
    const bool is_open = mb_test_open_image(test_image, gpu, &layout, texels);
    mb_free(texels);
    return is_open;
}

/* Returns how many rows have the box policy. */
static size_t check_rows(const struct mb_gpu *gpu, const struct mb_variant *rows, size_t n_rows,
                         const char *format, struct mb_extent extent)
{
    struct mb_test_image test_image;
    size_t n_box = 0;
    const bool is_open = open_noise(&test_image, gpu, format, extent);
    for (size_t i = 0; is_open && i < n_rows; i++) {
        bool is_box;
        const bool is_good = is_conserved(&test_image, &rows[i], &is_box);
        CHECK(is_good || !is_box);
        n_box += is_box;
    }
    mb_test_image_finish(&test_image);
    return n_box;
}

static void test_strategies(struct mb_gpu *gpu)
{
    static const char *const specs[] = {"blit", "raster:*",  "compute:*", "subgroup:*",
                                        "spd",  "spd-metal", "spd-tree",  NULL};
    static const char *const formats[] = {"rgba32f", "rgba8", "rgba16f"};
    static const struct mb_extent extents[] = {{33, 17}, {1, 31}, {127, 65}, {7, 300}};
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan(specs, &n_rows);
    for (size_t i = 0; i < MB_COUNTOF(formats); i++) {
        for (size_t k = 0; k < MB_COUNTOF(extents); k++) {
            const bool has_its_turn = (i + k) % (mb_test_is_quick() ? 6 : 3) == 0;
            if (has_its_turn || !mb_test_takes_turns(gpu)) {
                CHECK(check_rows(gpu, rows, n_rows, formats[i], extents[k]) >= 3);
            }
        }
    }
    mb_free(rows);
}

/* A kernel that drops what it says it keeps loses it visibly. */
static void test_defect(struct mb_gpu *gpu)
{
    static const struct mb_strategy *const table[] = {&mb_strategy_wrong, NULL};
    static const char *const specs[] = {"wrong:defect=drop-row", NULL};
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan_of(table, specs, &n_rows);
    struct mb_test_image test_image;
    if (open_noise(&test_image, gpu, "rgba32f", (struct mb_extent){33, 17})) {
        bool is_box = false;
        CHECK(!is_conserved(&test_image, &rows[0], &is_box));
        CHECK(is_box);
    }
    mb_test_image_finish(&test_image);
    mb_free(rows);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_strategies, test_defect);
}
