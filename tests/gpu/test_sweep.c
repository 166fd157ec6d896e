/* Every strategy in every format with every reduction, at all small sizes and at a long list of
 * larger ones, in images of one, three and six layers, judged by the golden model.
 *
 * A chain is one submission: poison, the strategy's commands, read-back. Pipelines are shared
 * over all sizes, and one kernel does all images before the next has its turn: llvmpipe
 * compiles anew for every combination of kernel and kind of image, and forgets soon. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/check.h"
#include "base/alloc.h"
#include "bench/verify/instance.h"
#include "bench/verify/verify.h"
#include "harness.h"
#include "image/filter_kernel.h"
#include "refusals.h"

#define MAX_ROWS   64
#define MAX_SKIPS  64
#define MAX_IMAGES 320

#define SMALL_LEVELS 4u /* 8 to 15 texels on the longer axis */
#define EDGE_LEVELS  7u /* 64 to 127 */

/* Rows that go everywhere: what each strategy does by default. */
static const char *const main_specs[] = {"all"};
/* All others (mb_test_specs) go where there is less to do; everywhere with MB_TEST_FULL=1. */

/* What is asked of a strategy. */
static const struct mode {
    const char *name;
    enum mb_reduce reduce;
    enum mb_alpha alpha;
} modes[] = {
    {"avg", MB_REDUCE_AVG, MB_ALPHA_STRAIGHT},
    {"min", MB_REDUCE_MIN, MB_ALPHA_STRAIGHT},
    {"max", MB_REDUCE_MAX, MB_ALPHA_STRAIGHT},
    {"premultiplied", MB_REDUCE_AVG, MB_ALPHA_PREMULTIPLIED},
};

#define N_MODES MB_COUNTOF(modes)

static const uint32_t layer_counts[] = {1, 3, 6};

struct skip {
    const char *strategy;
    char reason[512];
    unsigned n_times;
};

struct tally {
    unsigned n_judged[N_MODES], n_failed, n_skipped;
    double max_error_lsb;
};

/* An image that chains are made of. */
struct image {
    struct mb_layout layout;
    struct mb_test_image test_image;
    struct mb_verifier verifier;
    void *texels;
    uint32_t mode_mask; /* bit n: modes[n] */
};

struct sweep {
    struct mb_gpu gpu;
    struct mb_variant *rows;
    size_t n_rows, n_main_rows; /* rows[n_rows] is that of run_extremes() */
    bool is_full;
    struct mb_submission submission;
    struct image images[MAX_IMAGES];
    size_t n_images;
    uint32_t poison;                 /* of the next chain */
    uint32_t n_images_in_all;        /* counts on, and so varies the layers */
    struct tally tally[MAX_ROWS][2]; /* [row][0: codes, 1: floats] */
    struct skip skip[MAX_SKIPS];
    size_t n_skips;
};

static void note_skip(struct sweep *s, const char *strategy, const char *reason)
{
    for (size_t i = 0; i < s->n_skips; i++) {
        if (s->skip[i].strategy == strategy && strcmp(s->skip[i].reason, reason) == 0) {
            s->skip[i].n_times++;
            return;
        }
    }
    CHECK(s->n_skips < MAX_SKIPS);
    if (s->n_skips < MAX_SKIPS) {
        struct skip *skip = &s->skip[s->n_skips++];
        skip->strategy = strategy;
        skip->n_times = 1;
        snprintf(skip->reason, sizeof skip->reason, "%s", reason);
    }
}

/* Record and run one chain; its texels are in the test_image's read-back buffer then. */
static enum mb_status run_chain(struct sweep *s, const struct image *image,
                                const struct mb_instance *instance, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    MB_TRY(
        mb_submission_begin(&s->submission, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, err));
    mb_test_image_record_poison(&image->test_image, s->poison++ % MB_N_POISONS,
                                s->submission.cmd);
    instance->strategy->record(instance->state, s->submission.cmd);
    mb_test_image_record_read(&image->test_image, s->submission.cmd);
    MB_TRY(mb_submission_end(&s->submission, err));
    MB_TRY(mb_submission_run(&s->submission, err));
fail:
    return status;
}

static void describe_case(const struct image *image, const char *label, const struct mode *mode)
{
    const struct mb_layout *layout = &image->layout;
    fprintf(stderr, "%s on %ux%u %s, %u layers, %s: ", label, layout->base.width,
            layout->base.height, layout->format->name, layout->n_layers, mode->name);
}

static void judge(struct sweep *s, size_t row, size_t mode, struct image *image,
                  const struct mb_task *task)
{
    const struct mb_variant *r = &s->rows[row];
    struct mb_err err = {0};
    struct mb_instance instance = {0};
    struct mb_verdict verdict = {0};
    struct tally *tally = &s->tally[row][!mb_format_is_unorm(image->layout.format)];
    /* A second run shows what the first has left in words that tiles hand on by. */
    bool is_run =
        mb_instance_init(&instance, &image->test_image.image, r, task, &err) == MB_OK &&
        run_chain(s, image, &instance, &err) == MB_OK &&
        (row < s->n_rows || run_chain(s, image, &instance, &err) == MB_OK) &&
        mb_verify(&image->verifier, image->test_image.readback.mapped, &instance.work.tolerance,
                  &verdict, &err) == MB_OK;
    CHECK(is_run);
    CHECK(verdict.pass);
    if (!verdict.pass) {
        char where[256] = "", label[MB_LABEL_BYTES];
        if (is_run) {
            mb_bad_texel_describe(&verdict.first_bad, where, sizeof where);
        }
        mb_variant_label(r, label, sizeof label);
        describe_case(image, label, &modes[mode]);
        fprintf(stderr, "%s%s\n", err.text, where);
        tally->n_failed++;
    }
    tally->n_judged[mode]++;
    if (verdict.max_error_lsb > tally->max_error_lsb) {
        tally->max_error_lsb = verdict.max_error_lsb;
    }
    mb_instance_finish(&instance);
}

static void run_row(struct sweep *s, size_t row, size_t mode, struct image *image)
{
    char label[MB_LABEL_BYTES];
    struct mb_err why = {0};
    const struct mb_variant *r = &s->rows[row];
    const struct mb_layout *layout = &image->layout;
    const struct mb_task task = {
        .reduce = modes[mode].reduce,
        .alpha = modes[mode].alpha,
        .n_rects = 1,
        .rects = {mb_rect_whole(layout->base)},
    };
    mb_variant_label(r, label, sizeof label);
    enum mb_status status = mb_instance_supports(&image->test_image.image, r, &task, &why);
    CHECK(status != MB_FAILED);
    if (status == MB_OK) {
        judge(s, row, mode, image, &task);
        return;
    }
    s->tally[row][!mb_format_is_unorm(layout->format)].n_skipped++;
    const bool is_allowed = mb_test_may_refuse(&s->gpu, r, layout, &task);
    CHECK(is_allowed && strlen(why.text) > 10);
    if (!is_allowed) {
        describe_case(image, label, &modes[mode]);
        fprintf(stderr, "%s\n", why.text);
    }
    note_skip(s, r->strategy->name, why.text);
}

/* Add an image, to be tried in the modes of the mask: noise of codes; of floats, both signs,
 * all magnitudes, infinities and NaN where `is_signed`. */
static void add_image(struct sweep *s, const struct mb_format *format, struct mb_extent extent,
                      bool is_signed, uint32_t mode_mask)
{
    struct mb_err err = {0};
    CHECK(s->n_images < MAX_IMAGES);
    struct image *image = &s->images[s->n_images];
    struct mb_layout *layout = &image->layout;
    const char *pattern = is_signed && !mb_format_is_unorm(format) ? "signed" : "noise";
    const uint32_t n_layers = layer_counts[s->n_images_in_all++ % MB_COUNTOF(layer_counts)];
    *image = (struct image){.mode_mask = mode_mask};
    mb_layout_init(layout, format, extent, n_layers, mb_full_level_count(extent));
    image->texels = mb_test_texels(layout, pattern);
    const struct mb_vk_image_options options = {
        .layout = layout,
        .is_cube = n_layers == 6 && extent.width == extent.height,
    };
    const bool is_made =
        image->texels &&
        mb_test_image_init(&image->test_image, &s->gpu, &options, image->texels, &err) == MB_OK;
    CHECK(is_made);
    if (!is_made) {
        fprintf(stderr, "%ux%u %s: %s\n", extent.width, extent.height, format->name, err.text);
        mb_free(image->texels);
        return;
    }
    mb_verifier_init(&image->verifier, layout, image->texels);
    s->n_images++;
}

/* Every other image. */
static bool is_next_signed(const struct sweep *s)
{
    return s->n_images_in_all % 2 != 0;
}

/* Where a chain takes long, a software device: strategies that know nothing of subgroups are
 * tried at the hardest sizes, none a power of two; in rgba8 alone where subgroups are not of
 * llvmpipe's own size, and otherwise in every third format, in turn. spd-tree, whose kernels
 * are specialised for each size, is tried at one per format: all sizes are test_sizes' matter.
 * Variants have one subgroup size each. */
static bool has_its_turn(const struct sweep *s, size_t row, const struct mb_layout *layout,
                         bool is_everywhere)
{
    const char *name = s->rows[row].strategy->name;
    const size_t index = (size_t)(layout->format - mb_formats);
    const bool is_plain = strcmp(name, "raster") == 0 || strcmp(name, "separable") == 0 ||
                          strcmp(name, "spd-metal") == 0;
    if (!mb_test_takes_turns(&s->gpu) || row == s->n_rows) {
        return true;
    }
    if (row >= s->n_main_rows && !mb_test_has_its_turn(&s->gpu, &s->rows[row], 0)) {
        return false;
    }
    /* Other formats than rgba8 are tried at one subgroup size each. */
    if (index == 0 && mb_test_repeats_itself(&s->gpu, &s->rows[row])) {
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
                                 image->layout.format->n_channels < 4;
            if ((image->mode_mask >> mode & 1u) != 0 && !is_same &&
                has_its_turn(s, row, &image->layout, end == s->n_main_rows)) {
                run_row(s, row, mode, image);
            }
        }
    }
    for (size_t j = 0; j < s->n_images; j++) {
        mb_verifier_finish(&s->images[j].verifier);
        mb_test_image_finish(&s->images[j].test_image);
        mb_free(s->images[j].texels);
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
    const bool is_rgba8 = format == 0 && mb_test_turn(&s->gpu) == MB_TEST_OWN_TURN;
    return !mb_test_takes_turns(&s->gpu) || is_rgba8 || mb_full_level_count(extent) == n_levels;
}

/* Averages, and one mode of the others in turn; of rgba8 and rgba8-srgb, and in full mode, all.
 */
static bool takes_mode(const struct sweep *s, size_t format, uint32_t mode)
{
    return s->is_full || format <= 1 || mode == 0 || mode == 1 + format / 3 % 3;
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

/* Sizes of 8-bit averages: all kinds at llvmpipe's own subgroup size. */
static bool takes_kind(const struct sweep *s, struct mb_extent extent)
{
    return !mb_test_takes_turns(&s->gpu) || mb_test_turn(&s->gpu) == MB_TEST_OWN_TURN ||
           mb_test_size_kind(extent) == 0;
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
    const bool has_kind = index == 0 ? takes_kind(s, extent)
                                     : mb_test_size_kind(extent) == kind_in_turn(index, mode);
    if (!mb_test_takes_turns(&s->gpu) ||
        (has_kind && takes_levels(s, index, extent, EDGE_LEVELS))) {
        add_image(s, format, extent, is_next_signed(s), s->is_full ? ~0u : 1u << mode);
    }
}

/* The long list: of each format but rgba8 the sizes of one kind, that of run_small(). */
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

/* All rows, at one size: one mode, in turn. */
static void run_variants(struct sweep *s, const struct mb_format *format, size_t index)
{
    const uint32_t mode_mask = s->is_full ? ~0u : 1u << index % N_MODES;
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
static void check_grey(const struct image *image, const struct mb_instance *instance)
{
    const enum mb_policy policy = instance->work.tolerance.filter.policy;
    const bool is_blit = policy == MB_POLICY_BLIT, is_wide = mb_policy_is_wide(policy);
    const bool is_root = instance->work.tolerance.arithmetic == MB_ARITHMETIC_ROOT;
    const uint32_t n_levels = !is_wide ? 5 : 1 + (mb_filter_kernel_radius(policy) <= 3);
    for (uint32_t level = 1; level < n_levels; level++) {
        const void *block = image->test_image.readback.mapped;
        const uint8_t *got = mb_layout_level(&image->layout, block, level, 0);
        got += is_wide ? (4 * 8 + 4) * 4 : 0;
        CHECK(got[0] == (is_root ? 180 : 188) || (is_blit && got[0] == 187)); /* 187.516 */
        CHECK_EQ_INT(got[3], 255);
    }
}

static void check_srgb_checker(struct sweep *s)
{
    const struct mb_format *format = mb_format_find("rgba8-srgb");
    const struct mb_extent extent = {16, 16};
    const struct mb_task task = {.n_rects = 1, .rects = {mb_rect_whole(extent)}};
    struct mb_err err = {0};
    struct image image = {0};
    uint8_t texels[16 * 16 * 4];
    for (size_t i = 0; i < MB_COUNTOF(texels); i++) {
        const size_t texel = i / 4;
        texels[i] = i % 4 == 3 || (texel % 16 + texel / 16) % 2 == 1 ? 255 : 0;
    }
    mb_layout_init(&image.layout, format, extent, 1, 5);
    CHECK(mb_test_make_image(&image.test_image, &s->gpu, &image.layout, texels, &err) == MB_OK);
    for (size_t row = 0; row < s->n_rows; row++) {
        struct mb_instance instance = {0};
        const struct mb_vk_image *target = &image.test_image.image;
        if (!mb_test_has_its_turn_at(&s->gpu, &s->rows[row], extent) ||
            mb_instance_supports(target, &s->rows[row], &task, &err) != MB_OK) {
            continue;
        }
        CHECK(mb_instance_init(&instance, target, &s->rows[row], &task, &err) == MB_OK);
        CHECK(run_chain(s, &image, &instance, &err) == MB_OK);
        check_grey(&image, &instance);
        mb_instance_finish(&instance);
    }
    mb_test_image_finish(&image.test_image);
}

static void report_phase(const struct sweep *s, const char *name)
{
    printf("%-9s %6u images, %.1f s of processor time\n", name, s->n_images_in_all,
           (double)clock() / (double)CLOCKS_PER_SEC);
    fflush(stdout);
}

static void report(const struct sweep *s)
{
    for (size_t row = 0; row <= s->n_rows; row++) {
        char label[MB_LABEL_BYTES];
        unsigned n_tried = 0;
        mb_variant_label(&s->rows[row], label, sizeof label);
        for (int is_float = 0; is_float < 2; is_float++) {
            const struct tally *t = &s->tally[row][is_float];
            printf("%-32s %s: avg %5u, min %5u, max %5u, premultiplied %5u chains, %u wrong, "
                   "%5u unsupported, max %.3f %s\n",
                   label, is_float ? "floats" : "codes ", t->n_judged[0], t->n_judged[1],
                   t->n_judged[2], t->n_judged[3], t->n_failed, t->n_skipped, t->max_error_lsb,
                   is_float ? "ulp" : "LSB");
            n_tried += t->n_judged[0] + t->n_judged[1] + t->n_judged[2] + t->n_judged[3] +
                       t->n_skipped;
        }
        CHECK(n_tried > 0 || !s->is_full);
    }
    for (size_t i = 0; i < s->n_skips; i++) {
        printf("skipped %s (%u times): %s\n", s->skip[i].strategy, s->skip[i].n_times,
               s->skip[i].reason);
    }
}

/* The main rows first, then every other one, and that of run_extremes(). */
static bool make_rows(struct sweep *s)
{
    static const char *const extremes[] = {"spd-tree:carry=atomics"};
    struct mb_err err = {0};
    struct mb_variant *all = NULL, *last = NULL;
    size_t n_all = 0, n_last = 0;
    bool is_made = mb_plan_variants(mb_strategies, main_specs, MB_COUNTOF(main_specs), &s->rows,
                                    &s->n_main_rows, &err) == MB_OK &&
                   mb_plan_variants(mb_strategies, mb_test_specs, mb_test_n_specs, &all, &n_all,
                                    &err) == MB_OK &&
                   mb_plan_variants(mb_strategies, extremes, 1, &last, &n_last, &err) == MB_OK;
    struct mb_variant *rows =
        is_made ? mb_realloc(s->rows, (s->n_main_rows + n_all + 1) * sizeof *rows) : NULL;
    s->n_rows = s->n_main_rows;
    s->rows = rows ? rows : s->rows;
    for (size_t i = 0; rows && i < n_all; i++) {
        bool is_there = false;
        for (size_t j = 0; j < s->n_main_rows; j++) {
            is_there = is_there ||
                       (rows[j].strategy == all[i].strategy &&
                        memcmp(&rows[j].params, &all[i].params, sizeof all[i].params) == 0);
        }
        if (!is_there) {
            rows[s->n_rows++] = all[i];
        }
    }
    if (rows) {
        rows[s->n_rows] = last[0];
    }
    if (s->is_full) {
        s->n_main_rows = s->n_rows;
    }
    mb_free(all);
    mb_free(last);
    CHECK(s->n_rows < MAX_ROWS);
    return rows && s->n_rows < MAX_ROWS;
}

/* Formats but rgba8 have one of llvmpipe's subgroup sizes each: subgroups do not meet the
 * format. */
static bool is_left_out(const struct sweep *s, const struct mb_format *format)
{
    const size_t index = (size_t)(format - mb_formats);
    return mb_test_takes_turns(&s->gpu) && index > 0 && index % 3 != mb_test_turn(&s->gpu);
}

int main(void)
{
    static struct sweep s;
    struct mb_err err = {0};
    const struct mb_gpu_options options = {.keep_pipelines = true};
    int exit_code = mb_test_open_with(&s.gpu, &options);
    if (exit_code != 0) {
        return exit_code;
    }
    s.is_full = mb_test_is_full();
    printf("%s, subgroups of %u, %s\n", s.gpu.info.name, s.gpu.info.subgroup_size,
           s.is_full ? "every row in every format and mode at every size"
                     : "formats and modes in turn (MB_TEST_FULL=1: all)");
    bool is_ready =
        make_rows(&s) && mb_submission_init(&s.submission, &s.gpu, "sweep", &err) == MB_OK;
    CHECK(is_ready);
    if (is_ready) {
        check_srgb_checker(&s);
        run_small_averages(&s);
        for (size_t i = 0; i < mb_format_count; i += mb_test_is_quick() ? 9 : 1) {
            if (is_left_out(&s, &mb_formats[i])) {
                printf("%-9s left out: at another subgroup size\n", mb_formats[i].name);
                continue;
            }
            run_variants(&s, &mb_formats[i], i);
            run_extremes(&s, &mb_formats[i]);
            run_small(&s, &mb_formats[i], i);
            run_edges(&s, &mb_formats[i], i);
            report_phase(&s, mb_formats[i].name);
        }
        report(&s);
    }
    mb_submission_finish(&s.submission);
    mb_free(s.rows);
    mb_gpu_finish(&s.gpu);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
    return check_summary("sweep");
}
