/* Every strategy in every format with every reduction, at all small sizes and at a long list of
 * larger ones, in images of one, three and six layers, judged by the golden model.
 *
 * A chain is one submission: poison, the strategy's commands, read-back. Pipelines are shared
 * over all sizes, and one kernel does all images before the next has its turn: llvmpipe
 * compiles anew for every combination of kernel and kind of image, and forgets soon. */
#include "base/alloc.h"
#include "image/filter.h"
#include "judged_image.h"

#define MAX_ROWS   64
#define MAX_IMAGES 320

#define SMALL_LEVELS 4u /* 8 to 15 texels on the longer axis */
#define EDGE_LEVELS  7u /* 64 to 127 */

/* Rows that go everywhere: what each strategy does by default. */
static const char *const main_specs[] = {"all", NULL};
/* All others (mb_test_specs) go where there is less to do; everywhere with MB_TEST_FULL=1. */

/* What is asked of a strategy. */
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

static const uint32_t layer_counts[] = {1, 3, 6};

struct tally {
    unsigned n_judged[N_MODES], n_failed, n_skipped;
    double max_error_lsb;
};

/* What chains are made of. */
struct image {
    struct judged_image judged;
    uint32_t mode_mask; /* bit n: modes[n] */
};

struct sweep {
    const struct mb_gpu *gpu;
    struct mb_variant rows[MAX_ROWS];
    size_t n_rows, n_main_rows; /* rows[n_rows] is that of run_extremes() */
    bool is_full;
    struct image images[MAX_IMAGES];
    size_t n_images;
    uint32_t n_images_in_all;        /* counts on, and so varies the layers */
    struct tally tally[MAX_ROWS][2]; /* [row][0: codes, 1: floats] */
};

static void run_row(struct sweep *s, size_t row, const struct mode *mode,
                    struct judged_image *image)
{
    struct tally *tally = &s->tally[row][!mb_format_is_unorm(image->layout.format)];
    struct mb_verdict verdict;
    struct mb_task task = mb_test_whole(image->layout.base);
    task.reduce = mode->reduce;
    task.alpha = mode->alpha;
    /* A second run shows what the first has left in words that tiles hand on by. */
    const unsigned n_runs = row < s->n_rows ? 1 : 2;
    if (mb_judge_row(image, &s->rows[row], &task, n_runs, &verdict) == MB_UNSUPPORTED) {
        tally->n_skipped++;
        return;
    }
    tally->n_failed += !verdict.pass;
    tally->n_judged[mode - modes]++;
    tally->max_error_lsb = fmax(tally->max_error_lsb, verdict.max_error_lsb);
}

/* Add an image, to be tried in the modes of the mask: noise of codes; of floats, both signs,
 * all magnitudes, infinities and NaN where `is_signed`. */
static void add_image(struct sweep *s, const struct mb_format *format, struct mb_extent extent,
                      bool is_signed, uint32_t mode_mask)
{
    const uint32_t n_layers = layer_counts[s->n_images_in_all++ % MB_COUNTOF(layer_counts)];
    const struct mb_layout layout = mb_test_layout(format->name, extent, n_layers);
    const char *pattern = is_signed && !mb_format_is_unorm(format) ? "signed" : "noise";
    CHECK(s->n_images < MAX_IMAGES);
    struct image *image = &s->images[s->n_images];
    image->mode_mask = mode_mask;
    s->n_images += mb_judged_image_init(&image->judged, s->gpu, &layout, pattern);
}

/* Every other image. */
static bool is_next_signed(const struct sweep *s)
{
    return s->n_images_in_all % 2 != 0;
}

/* Where a chain takes long, a software device: strategies that know nothing of subgroups are
 * tried at the hardest sizes, none a power of two; in rgba8 alone where subgroups are not of
 * llvmpipe's own size, and otherwise in every third format, in turn. spd-tree, whose kernels
 * take long to compile, is tried at one per format: all sizes are test_sizes' matter.
 * Variants have one subgroup size each, and every third format; spd and
 * spd-metal have images of several layers: those of one are test_sizes', too. */
static bool has_its_turn(const struct sweep *s, size_t row, const struct mb_layout *layout,
                         bool is_everywhere)
{
    const char *name = s->rows[row].strategy->name;
    const size_t index = (size_t)(layout->format - mb_formats);
    const bool is_plain = strcmp(name, "raster") == 0 || strcmp(name, "separable") == 0 ||
                          strcmp(name, "spd-metal") == 0;
    if (!mb_test_takes_turns(s->gpu) || row == s->n_rows) {
        return true;
    }
    if (row >= s->n_main_rows &&
        (!mb_test_has_its_turn(s->gpu, &s->rows[row], 0) || (row + index / 3) % 3 != 0)) {
        return false;
    }
    /* Other formats than rgba8 are tried at one subgroup size each. */
    if (index == 0 && mb_test_repeats_itself(s->gpu, &s->rows[row])) {
        return false;
    }
    /* For one layer llvmpipe compiles them once more, which takes a second. */
    const bool is_spd = strcmp(name, "spd") == 0 || strcmp(name, "spd-metal") == 0;
    if (is_spd && is_everywhere && layout->n_layers == 1) {
        return false;
    }
    const bool is_its_format = index == 0 || (row + index) % 3 == 0;
    if (strcmp(name, "spd-tree") == 0) {
        return !is_everywhere;
    }
    return !is_plain || (mb_test_size_kind(layout->base) == 0 && is_its_format);
}

/* Try rows [first, end) on every image that was added, and drop the images. */
static void run_images(struct sweep *s, size_t first, size_t end)
{
    for (size_t i = first * N_MODES; i < end * N_MODES; i++) {
        const size_t row = i / N_MODES, mode = i % N_MODES;
        for (size_t j = 0; j < s->n_images; j++) {
            struct image *image = &s->images[j];
            /* Without alpha there is nothing to weigh by: the same as avg. */
            const bool is_same = modes[mode].alpha == MB_ALPHA_PREMULTIPLIED &&
                                 image->judged.layout.format->n_channels < 4;
            if ((image->mode_mask >> mode & 1u) != 0 && !is_same &&
                has_its_turn(s, row, &image->judged.layout, end == s->n_main_rows)) {
                run_row(s, row, &modes[mode], &image->judged);
            }
        }
    }
    for (size_t j = 0; j < s->n_images; j++) {
        mb_judged_image_finish(&s->images[j].judged);
    }
    s->n_images = 0;
}

/* The kind of size that a pair of format and mode takes. */
static uint32_t kind_in_turn(size_t format, uint32_t mode)
{
    const uint32_t turn = (uint32_t)format / 3;
    return format <= 1 || mode == 0 ? (turn + mode) % 4
           : format % 2 == 0        ? 0
                                    : 1 + (turn + mode) % 3;
}

/* llvmpipe compiles kernels of several levels anew for each number of them: of rgba8 all. */
static bool takes_levels(const struct sweep *s, size_t format, struct mb_extent extent,
                         uint32_t n_levels)
{
    return !mb_test_takes_turns(s->gpu) || (format == 0 && mb_test_is_own_turn(s->gpu)) ||
           mb_full_level_count(extent) == n_levels;
}

/* Averages, and one mode of the others in turn: of rgba8-srgb, whose light is weighed, the
 * weighed one; of rgba8, and in full mode, all. */
static bool takes_mode(const struct sweep *s, size_t format, uint32_t mode)
{
    const uint32_t other = format == 1 ? 3 : 1 + (uint32_t)format / 3 % 3;
    return s->is_full || format == 0 || mode == 0 || mode == other;
}

/* 1..17 x 1..17: every case of odd, even and narrow on both axes, level after level. Each pair
 * of format and mode takes one kind of size, in turn; in full mode it takes all. */
static void run_small(struct sweep *s, const struct mb_format *format, size_t index)
{
    const uint32_t step = mb_test_is_quick() ? 5 : 1;
    for (uint32_t height = 1; height <= 17; height += step) {
        for (uint32_t width = 1; width <= 17; width += step) {
            const struct mb_extent extent = {width, height};
            const uint32_t kind = mb_test_size_kind(extent);
            uint32_t mode_mask = s->is_full ? ~0u : 0;
            for (uint32_t mode = 0; mode < N_MODES; mode++) {
                mode_mask |=
                    (uint32_t)(takes_mode(s, index, mode) && kind_in_turn(index, mode) == kind)
                    << mode;
            }
            if (mode_mask != 0 && takes_levels(s, index, extent, SMALL_LEVELS)) {
                add_image(s, format, extent, is_next_signed(s), mode_mask);
            }
        }
    }
    run_images(s, 0, s->n_main_rows);
}

/* Of rgba8 all kinds of sizes at llvmpipe's own subgroup size. */
static bool takes_kind(const struct sweep *s, struct mb_extent extent)
{
    return mb_test_is_own_turn(s->gpu) || mb_test_size_kind(extent) == 0;
}

/* 8-bit averages at every size. */
static void run_small_averages(struct sweep *s)
{
    for (uint32_t i = 0; i < 17 * 17 && !s->is_full && !mb_test_is_quick(); i++) {
        const struct mb_extent extent = {i % 17 + 1, i / 17 + 1};
        if (takes_kind(s, extent)) {
            add_image(s, mb_format_find("rgba8"), extent, false, 1);
        }
    }
    run_images(s, 0, s->n_main_rows);
}

static void add_edge(struct sweep *s, const struct mb_format *format, struct mb_extent extent,
                     size_t index)
{
    const uint32_t mode = index / 3 % 2 == 0 ? 0 : 1 + (uint32_t)index / 3 % 3;
    if (takes_kind(s, extent) && takes_levels(s, index, extent, EDGE_LEVELS)) {
        add_image(s, format, extent, is_next_signed(s), s->is_full ? ~0u : 1u << mode);
    }
}

/* The long list; of rgba8 alone where a chain takes long: of the other formats run_variants()
 * has a size of several tiles there. */
static void run_edges(struct sweep *s, const struct mb_format *format, size_t index)
{
    static const uint32_t edges[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257};
    static const struct mb_extent others[] = {{128, 32}, {1023, 1}, {4097, 3}, {5, 4100}};
    const size_t step = mb_test_is_quick() ? 5 : 1;
    for (size_t j = 0; j < MB_COUNTOF(edges); j += step) {
        const uint32_t n = edges[j], other = edges[(j + 5) % MB_COUNTOF(edges)];
        const struct mb_extent extents[] = {{n, n}, {n, 1}, {1, n}, {n, other}};
        for (size_t k = 0; k < MB_COUNTOF(extents); k++) {
            add_edge(s, format, extents[k], index);
        }
    }
    for (size_t j = 0; j < MB_COUNTOF(others); j += step) {
        add_edge(s, format, others[j], index);
    }
    run_images(s, 0, s->n_main_rows);
}

/* All rows, at one size: one mode, in turn, of those that the format has. */
static void run_variants(struct sweep *s, const struct mb_format *format, size_t index)
{
    const uint32_t n_modes = format->n_channels < 4 ? N_MODES - 1 : N_MODES;
    const uint32_t mode_mask = s->is_full ? ~0u : 1u << index % n_modes;
    add_image(s, format, (struct mb_extent){65, 130}, true, mode_mask);
    run_images(s, 0, s->n_rows);
}

/* Minima and maxima that tiles hand on by atomics, of numbers in the order of floats: where
 * three levels are even and the further ones are not. */
static void run_extremes(struct sweep *s, const struct mb_format *format)
{
    add_image(s, format, (struct mb_extent){200, 72}, true,
              1u << MB_REDUCE_MIN | 1u << MB_REDUCE_MAX);
    run_images(s, s->n_rows, s->n_rows + 1);
}

/* Averaged light, not averaged codes: black and white squares are 188, not 128. Wide kernels
 * see as much of black as of white where they are not clamped, which is the middle of level 1.
 */
static void check_grey(const struct mb_test_image *image, const struct mb_instance *instance)
{
    const enum mb_policy policy = instance->work.tolerance.filter.policy;
    const bool is_blit = policy == MB_POLICY_BLIT, is_wide = mb_policy_is_wide(policy);
    const bool is_root = instance->work.tolerance.arithmetic == MB_ARITHMETIC_ROOT;
    const uint32_t n_levels = !is_wide ? 5 : 1 + (mb_filter_kernel_radius(policy) <= 3);
    for (uint32_t level = 1; level < n_levels; level++) {
        const uint8_t *got = mb_layout_level(&image->full, image->readback.mapped, level, 0);
        got += is_wide ? (4 * 8 + 4) * 4 : 0;
        CHECK(got[0] == (is_root ? 180 : 188) || (is_blit && got[0] == 187)); /* 187.516 */
        CHECK_EQ_INT(got[3], 255);
    }
}

static void check_srgb_checker(struct sweep *s)
{
    const struct mb_extent extent = {16, 16};
    const struct mb_layout layout = mb_test_layout("rgba8-srgb", extent, 1);
    const struct mb_task task = mb_test_whole(extent);
    struct mb_test_image image;
    uint8_t texels[16 * 16 * 4];
    for (size_t i = 0; i < MB_COUNTOF(texels); i++) {
        const size_t texel = i / 4;
        texels[i] = i % 4 == 3 || (texel % 16 + texel / 16) % 2 == 1 ? 255 : 0;
    }
    const bool is_open = mb_test_open_image(&image, s->gpu, &layout, texels);
    for (size_t row = 0; is_open && row < s->n_rows; row++) {
        struct mb_instance instance = {0};
        struct mb_err err = {0};
        /* What a strategy does by default at llvmpipe's own subgroup size alone. */
        if (!mb_test_has_its_turn_at(s->gpu, &s->rows[row], extent) ||
            (mb_test_is_default(&s->rows[row]) && !mb_test_is_own_turn(s->gpu))) {
            continue;
        }
        const enum mb_status status =
            mb_test_instance(&instance, &image, &s->rows[row], &task, &err);
        CHECK(status != MB_FAILED);
        if (status == MB_OK) {
            CHECK_EQ_INT(mb_test_run_chain(&image, &instance, 0, &err), MB_OK);
            check_grey(&image, &instance);
        }
        mb_instance_finish(&instance);
    }
    mb_test_image_finish(&image);
}

static void report(const struct sweep *s)
{
    for (size_t row = 0; row <= s->n_rows; row++) {
        unsigned n_tried = 0;
        for (int is_float = 0; is_float < 2; is_float++) {
            const struct tally *t = &s->tally[row][is_float];
            printf("%-32s %s: avg %5u, min %5u, max %5u, premultiplied %5u chains, %u wrong, "
                   "%5u unsupported, max %.3f %s\n",
                   mb_test_label(&s->rows[row]), is_float ? "floats" : "codes ", t->n_judged[0],
                   t->n_judged[1], t->n_judged[2], t->n_judged[3], t->n_failed, t->n_skipped,
                   t->max_error_lsb, is_float ? "ulp" : "LSB");
            n_tried += t->n_judged[0] + t->n_judged[1] + t->n_judged[2] + t->n_judged[3] +
                       t->n_skipped;
        }
        CHECK(n_tried > 0 || !s->is_full);
    }
    mb_report_refusals();
}

/* The main rows first, then every other one, and that of run_extremes(). */
static bool make_rows(struct sweep *s)
{
    static const char *const extremes[] = {"spd-tree:shape=even", NULL};
    size_t n_all = 0, n_last = 0;
    struct mb_variant *main_rows = mb_test_plan(main_specs, &s->n_main_rows);
    struct mb_variant *all = mb_test_plan(mb_test_specs, &n_all);
    struct mb_variant *last = mb_test_plan(extremes, &n_last);
    for (size_t i = 0; i < s->n_main_rows + n_all && s->n_rows < MAX_ROWS - 1; i++) {
        const bool is_main = i < s->n_main_rows;
        const struct mb_variant *row = is_main ? &main_rows[i] : &all[i - s->n_main_rows];
        if (is_main || !mb_test_is_default(row)) {
            s->rows[s->n_rows++] = *row;
        }
    }
    const bool is_made = n_last == 1 && s->n_rows > s->n_main_rows && s->n_rows < MAX_ROWS - 1;
    CHECK(is_made);
    if (is_made) {
        s->rows[s->n_rows] = last[0];
    }
    s->n_main_rows = s->is_full ? s->n_rows : s->n_main_rows;
    mb_free(main_rows);
    mb_free(all);
    mb_free(last);
    return is_made;
}

/* Formats but rgba8 have one of llvmpipe's subgroup sizes each: subgroups do not meet the
 * format. */
static bool is_left_out(const struct sweep *s, const struct mb_format *format)
{
    const size_t index = (size_t)(format - mb_formats);
    return mb_test_takes_turns(s->gpu) && index > 0 && index % 3 != mb_test_turn(s->gpu);
}

static void test_sweep(struct mb_gpu *gpu)
{
    static struct sweep s;
    s.gpu = gpu;
    s.is_full = mb_test_is_full();
    printf("%s, subgroups of %u, %s\n", gpu->info.name, gpu->info.subgroup_size,
           s.is_full ? "every row in every format and mode at every size"
                     : "formats and modes in turn (MB_TEST_FULL=1: all)");
    if (!make_rows(&s)) {
        return;
    }
    check_srgb_checker(&s);
    run_small_averages(&s);
    for (size_t i = 0; i < mb_format_count; i += mb_test_is_quick() ? 10 : 1) {
        if (is_left_out(&s, &mb_formats[i])) {
            printf("%-9s left out: at another subgroup size\n", mb_formats[i].name);
            continue;
        }
        run_variants(&s, &mb_formats[i], i);
        run_extremes(&s, &mb_formats[i]);
        run_small(&s, &mb_formats[i], i);
        if (i == 0 || !mb_test_takes_turns(gpu)) {
            run_edges(&s, &mb_formats[i], i);
        }
        mb_test_report_phase(mb_formats[i].name, s.n_images_in_all);
    }
    report(&s);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_sweep);
}
