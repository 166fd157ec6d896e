/* Every weight of every filter, recovered by impulses: a source texel that is 1 where all
 * others are 0 leaves its weight in each texel of each level. Channels and layers do not meet,
 * so that each takes an impulse of its own, and one run shows all of them.
 *
 * Weights say what a picture hides: a filter that looks at wrong texels of a flat or a smooth
 * image is hardly off at all. From them follows that each level's weights add up to 1, and that
 * under box, which drops nothing, each source texel weighs the same in all. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "harness.h"
#include "wrong_strategy.h"

#define N_CHANNELS 4u
#define FLOAT_ULP  0x1p-23
#define MAX_ROWS   64u

/* weight[x * n_source + s] of source texel s in texel x of a level, along one axis. */
struct axis {
    uint32_t n_source;
    double *weight[MB_MAX_LEVELS];
};

/* What the definition says of one size and policy, and what a device made of the impulses. */
struct trace {
    struct mb_layout layout; /* of impulses */
    struct mb_tolerance tolerance;
    struct axis x, y;
    const void *block;            /* as read back */
    double bound[MB_MAX_LEVELS];  /* by how much the filter's weights may be off, absolutely */
    double in_all[MB_MAX_LEVELS]; /* the same for all taps of a texel together */
    unsigned n_bad;
    char first_bad[200];
};

MB_PRINTF(2, 3)
static void note_bad(struct trace *trace, const char *fmt, ...)
{
    va_list args;
    if (trace->n_bad++ == 0) {
        va_start(args, fmt);
        vsnprintf(trace->first_bad, sizeof trace->first_bad, fmt, args);
        va_end(args);
    }
}

static uint32_t level_size(uint32_t n, uint32_t level)
{
    return mb_level_extent((struct mb_extent){n, 1}, level).width;
}

static void axis_finish(struct axis *axis)
{
    for (uint32_t level = 0; level < MB_MAX_LEVELS; level++) {
        mb_free(axis->weight[level]);
    }
}

/* The weights of a level, from those of the level above it: what a tap weighs there counts by
 * the tap's weight. */
static bool axis_next(struct axis *axis, enum mb_policy policy, uint32_t level)
{
    const uint32_t n = axis->n_source, n_above = level_size(n, level - 1);
    const uint32_t n_texels = level_size(n, level);
    const double *above = axis->weight[level - 1];
    double *weight = axis->weight[level] = mb_alloc(n_texels, n * sizeof *weight);
    for (uint32_t x = 0; weight && x < n_texels; x++) {
        const struct mb_taps taps = mb_filter_taps(policy, n_above, x);
        for (uint32_t i = 0; i < taps.n_taps * n; i++) {
            weight[x * n + i % n] +=
                taps.weight[i / n] * above[(taps.first + i / n) * n + i % n];
        }
    }
    return weight != NULL;
}

static bool axis_init(struct axis *axis, enum mb_policy policy, uint32_t n_source,
                      uint32_t n_levels)
{
    axis->n_source = n_source;
    axis->weight[0] = mb_alloc(n_source, n_source * sizeof *axis->weight[0]);
    bool is_ok = axis->weight[0] != NULL;
    for (uint32_t i = 0; is_ok && i < n_source; i++) {
        axis->weight[0][i * n_source + i] = 1.0;
    }
    for (uint32_t level = 1; is_ok && level < n_levels; level++) {
        is_ok = axis_next(axis, policy, level);
    }
    return is_ok;
}

static double largest_weight(const struct axis *axis, uint32_t level)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < level_size(axis->n_source, level) * axis->n_source; i++) {
        largest = fmax(largest, fabs(axis->weight[level][i]));
    }
    return largest;
}

/* Weights of a wide kernel are of both signs. What a level is off by goes on to the next as the
 * sum of their magnitudes, and a texel of terms that cancel is off by what they are. */
static void fill_wide_bounds(struct trace *trace)
{
    const double gain = 2.0; /* image/tolerance.h */
    for (uint32_t level = 1; level < trace->layout.n_levels; level++) {
        const double error =
            4.0 * FLOAT_ULP +
            mb_tolerance_weight_error(&trace->tolerance, trace->layout.format,
                                      mb_level_extent(trace->layout.base, level - 1));
        const double largest =
            largest_weight(&trace->x, level - 1) * largest_weight(&trace->y, level - 1);
        trace->bound[level] = gain * trace->bound[level - 1] + error * largest;
        trace->in_all[level] = gain * (trace->in_all[level - 1] + error);
    }
}

/* A filter whose weights are off by so much moves a texel by that much of what it is made of.
 */
static void fill_bounds(struct trace *trace)
{
    if (mb_policy_is_wide(trace->tolerance.filter.policy)) {
        fill_wide_bounds(trace);
        return;
    }
    for (uint32_t level = 1; level < trace->layout.n_levels; level++) {
        const double error =
            mb_tolerance_weight_error(&trace->tolerance, trace->layout.format,
                                      mb_level_extent(trace->layout.base, level - 1));
        const double largest =
            largest_weight(&trace->x, level - 1) * largest_weight(&trace->y, level - 1);
        trace->bound[level] = trace->bound[level - 1] + error * largest;
        trace->in_all[level] = trace->in_all[level - 1] + error;
    }
}

static double got_weight(const struct trace *trace, uint32_t level, uint32_t texel,
                         uint32_t source)
{
    const float *texels =
        mb_layout_level(&trace->layout, trace->block, level, source / N_CHANNELS);
    return (double)texels[texel * N_CHANNELS + source % N_CHANNELS];
}

static double wanted_weight(const struct trace *trace, uint32_t level, uint32_t texel,
                            uint32_t source)
{
    const uint32_t width = mb_level_extent(trace->layout.base, level).width;
    const uint32_t n_x = trace->x.n_source, n_y = trace->y.n_source;
    return trace->x.weight[level][texel % width * n_x + source % n_x] *
           trace->y.weight[level][texel / width * n_y + source / n_x];
}

/* 4 ulp of sums and products for every level on the way, as image/tolerance.h has it. */
static double rounding(uint32_t level, double value)
{
    return 4.0 * FLOAT_ULP * level * fabs(value);
}

/* Each weight of a texel, and that they add up to 1. */
static void check_texel(struct trace *trace, uint32_t level, uint32_t texel)
{
    const uint32_t n_sources = trace->x.n_source * trace->y.n_source;
    double sum = 0.0;
    for (uint32_t source = 0; source < n_sources; source++) {
        const double got = got_weight(trace, level, texel, source);
        const double want = wanted_weight(trace, level, texel, source);
        sum += got;
        if (!(fabs(got - want) <= rounding(level, want) + trace->bound[level])) {
            note_bad(trace, "level %u texel %u: source texel %u weighs %.9g, not %.9g", level,
                     texel, source, got, want);
        }
    }
    if (!(fabs(sum - 1.0) <= rounding(level, 1.0) + trace->in_all[level])) {
        note_bad(trace, "level %u texel %u: weights add up to %.9g", level, texel, sum);
    }
}

/* What a source texel weighs in a level, all in all: under box the share of its area. Returns
 * whether it counts at all. */
static bool check_source(struct trace *trace, uint32_t level, uint32_t source)
{
    const struct mb_extent base = trace->layout.base;
    const struct mb_extent extent = mb_level_extent(base, level);
    const uint32_t n_texels = extent.width * extent.height;
    const double share = (double)n_texels / ((double)base.width * base.height);
    double sum = 0.0;
    for (uint32_t texel = 0; texel < n_texels; texel++) {
        sum += got_weight(trace, level, texel, source);
    }
    if (trace->tolerance.filter.policy == MB_POLICY_BOX &&
        !(fabs(sum - share) <= rounding(level, share) + n_texels * trace->bound[level])) {
        note_bad(trace, "level %u: source texel %u weighs %.9g in all, not %.9g", level, source,
                 sum, share);
    }
    return sum != 0.0;
}

/* Returns how many source texels have no part in the last level. */
static uint32_t check_weights(struct trace *trace)
{
    const uint32_t n_levels = trace->layout.n_levels;
    const uint32_t n_sources = trace->x.n_source * trace->y.n_source;
    uint32_t n_dropped = 0;
    for (uint32_t level = 1; level < n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(trace->layout.base, level);
        for (uint32_t texel = 0; texel < extent.width * extent.height; texel++) {
            check_texel(trace, level, texel);
        }
        for (uint32_t source = 0; source < n_sources; source++) {
            n_dropped += !check_source(trace, level, source) && level + 1 == n_levels;
        }
    }
    return n_dropped;
}

/* Texel i of the image is 1 in channel i % 4 of layer i / 4, and 0 elsewhere. */
static void *make_impulses(struct mb_layout *layout, struct mb_extent extent)
{
    const uint32_t n = extent.width * extent.height;
    *layout = mb_test_layout("rgba32f", extent, (n + N_CHANNELS - 1) / N_CHANNELS);
    float *texels = mb_alloc(layout->n_layers, layout->level_layer_bytes[0]);
    for (uint32_t i = 0; texels && i < n; i++) {
        texels[((size_t)(i / N_CHANNELS) * n + i) * N_CHANNELS + i % N_CHANNELS] = 1.0f;
    }
    return texels;
}

/* Trace one row at the test_image's size. UNSUPPORTED if it cannot do it. */
static enum mb_status trace_row(struct mb_test_image *test_image, const struct mb_variant *row,
                                struct trace *trace, uint32_t *n_dropped, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_extent base = test_image->full.base;
    *trace = (struct trace){.layout = test_image->full, .block = test_image->readback.mapped};
    MB_TRY(mb_test_run_row(test_image, row, &trace->tolerance, err));
    const enum mb_policy policy = trace->tolerance.filter.policy;
    if (!axis_init(&trace->x, policy, base.width, trace->layout.n_levels) ||
        !axis_init(&trace->y, policy, base.height, trace->layout.n_levels)) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "weights: out of memory");
        goto fail;
    }
    fill_bounds(trace);
    *n_dropped = check_weights(trace);
fail:
    axis_finish(&trace->x);
    axis_finish(&trace->y);
    return status;
}

static bool open_impulses(struct mb_test_image *test_image, const struct mb_gpu *gpu,
                          struct mb_extent extent)
{
    struct mb_layout layout;
    void *impulses = make_impulses(&layout, extent);
    const bool is_open = mb_test_open_image(test_image, gpu, &layout, impulses);
    mb_free(impulses);
    return is_open;
}

/* What one size showed. */
struct finding {
    enum mb_status status;
    unsigned n_bad;
    uint32_t n_dropped;
};

static struct finding try_row(struct mb_test_image *test_image, const struct mb_variant *row)
{
    struct trace trace;
    struct mb_err err = {0};
    struct finding finding = {0};
    const struct mb_extent extent = test_image->full.base;
    const struct mb_task task = mb_test_whole(extent);
    finding.status = trace_row(test_image, row, &trace, &finding.n_dropped, &err);
    finding.n_bad = trace.n_bad;
    if (finding.status != MB_OK) {
        printf("%ux%u %s: %s\n", extent.width, extent.height, mb_test_label(row), err.text);
    } else if (trace.n_bad > 0) {
        printf("%ux%u %s: %u wrong: %s\n", extent.width, extent.height, mb_test_label(row),
               trace.n_bad, trace.first_bad);
    }
    CHECK(finding.status == MB_OK ||
          (finding.status == MB_UNSUPPORTED &&
           mb_test_may_refuse(test_image->image.gpu, row, &test_image->full, &task)));
    return finding;
}

/* Every strategy at one size, variants in turn where a chain takes long, and where no axis is a
 * power of two. */
static void run_size(const struct mb_gpu *gpu, const struct mb_variant *rows, size_t n_rows,
                     struct mb_extent extent, uint32_t index, unsigned *n_tried)
{
    const bool is_for_all = !mb_test_takes_turns(gpu) || mb_test_size_kind(extent) == 0;
    struct mb_test_image test_image;
    const bool is_open = open_impulses(&test_image, gpu, extent);
    for (size_t i = 0; is_open && i < n_rows; i++) {
        if (mb_test_leaves_out(gpu, &rows[i], index)) {
            continue;
        }
        if (!is_for_all && !mb_test_is_default(&rows[i])) {
            mb_test_leave_out("variants at a power of two");
            continue;
        }
        const struct finding finding = try_row(&test_image, &rows[i]);
        n_tried[i]++;
        CHECK_EQ_INT(finding.n_bad, 0);
        if (finding.n_dropped > 0 && index == 0) {
            printf("%ux%u %s: %u of %u texels have no part in the last level\n", extent.width,
                   extent.height, mb_test_label(&rows[i]), finding.n_dropped,
                   extent.width * extent.height);
        }
    }
    mb_test_image_finish(&test_image);
}

/* Odd, even and narrow on both axes, level after level; and more than a tile. */
static void test_strategies(struct mb_gpu *gpu)
{
    static const struct mb_extent sizes[] = {
        {9, 7}, {67, 3}, {15, 11}, {4, 4}, {1, 5}, {3, 2}, {1, 1}, {2, 130}, {5, 8},
        {6, 5}, {3, 3},  {8, 8},   {2, 1}, {1, 3}, {5, 3}, {7, 4}, {7, 1},   {9, 16},
    };
    const size_t n_sizes = mb_test_takes_turns(gpu) ? 4 : MB_COUNTOF(sizes);
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan(mb_test_specs, &n_rows);
    unsigned n_tried[MAX_ROWS] = {0};
    CHECK(n_rows <= MAX_ROWS);
    for (uint32_t i = 0; n_rows <= MAX_ROWS && i < n_sizes; i++) {
        run_size(gpu, rows, n_rows, sizes[i], i, n_tried);
    }
    for (size_t i = n_sizes; i < MB_COUNTOF(sizes); i++) {
        mb_test_leave_out("sizes, as a software device takes long");
    }
    for (size_t i = 0; i < n_rows && i < MAX_ROWS; i++) {
        printf("%-32s weights of %u sizes\n", mb_test_label(&rows[i]), n_tried[i]);
        CHECK(n_tried[i] > 0);
    }
    mb_free(rows);
}

/* The check itself must see what is wrong with weights. */
static void test_defects(struct mb_gpu *gpu)
{
    static const struct mb_strategy *const table[] = {&mb_strategy_wrong, NULL};
    static const char *const specs[] = {
        "wrong",
        "wrong:defect=drop-row",
        "wrong:defect=swap",
        "wrong:defect=unwritten",
        "wrong:defect=skip-level",
        "wrong:defect=layer",
        NULL,
    };
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan_of(table, specs, &n_rows);
    struct mb_test_image test_image;
    CHECK_EQ_INT(n_rows, MB_COUNTOF(specs) - 1);
    const bool is_open = open_impulses(&test_image, gpu, (struct mb_extent){9, 7});
    for (size_t i = 0; is_open && i < n_rows; i++) {
        const struct finding finding = try_row(&test_image, &rows[i]);
        CHECK_EQ_INT(finding.status, MB_OK);
        CHECK((finding.n_bad == 0) == (i == 0));
    }
    mb_test_image_finish(&test_image);
    mb_free(rows);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_strategies, test_defects);
}
