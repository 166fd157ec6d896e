/* Rows of chains, made over poison and judged texel by texel.
 *
 * One kernel makes all chains of a batch of images before the next has its turn: llvmpipe
 * compiles anew for every combination of kernel and kind of image, and forgets soon. */
#include "chains.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "strategy/needs.h"

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

/* Patterns of numbers that are not ordinary: averages of infinite values, of NaN, and of
 * the largest finite values, whose sums would be infinite; extremes beside NaN, which they
 * leave out. The rest is noise of both signs. */
enum place { LAST_CORNER, MIDDLE, LEFT_EDGE, TOP_EDGE, EVERY_OTHER, UPPER_HALF, EVERYWHERE };

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
    {"NaN in the upper half", (double)NAN, UPPER_HALF}, /* all that some tiles bring */
    {"NaN everywhere", (double)NAN, EVERYWHERE},
    {"the largest everywhere", (double)FLT_MAX, EVERYWHERE},
    {"large of both signs", 0.0, EVERYWHERE},
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
    struct mb_reference reference;
};

struct run {
    const struct mb_gpu *gpu;
    const struct mb_chain_row *row;
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

void mb_chains_report_refusals(void)
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
                mb_reduce_names[task->reduce], mb_alpha_names[task->alpha]);
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
    if (mb_verify(&image->reference, image->test_image.readback.mapped, tolerance, &verdict,
                  err) != MB_OK) {
        return err->text;
    }
    double *max = mb_format_is_unorm(image->layout.format) ? &tally->max_lsb : &tally->max_ulp;
    *max = fmax(*max, verdict.max_error_lsb);
    tally->n_judged++;
    if (!verdict.pass) {
        snprintf(err->text, sizeof err->text, "%s",
                 mb_bad_texel_describe(&verdict.first_bad, image->layout.format).s);
        return err->text;
    }
    return (run->row->checks & MB_IS_EXACT) && verdict.max_error_lsb > 0.5 + 1e-4 ? "not exact"
           : strcmp(image->pattern, "flat") == 0 && !is_flat(image)               ? "not flat"
                                                                                  : NULL;
}

/* What the stand-in for vkCreateSampler has seen. */
static struct {
    VkSamplerAddressMode mode;
    unsigned n_made, n_linear;
} spy;

static VKAPI_ATTR VkResult VKAPI_CALL create_sampler(VkDevice device,
                                                     const VkSamplerCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkSampler *sampler)
{
    VkSamplerCreateInfo own = *info;
    own.addressModeU = own.addressModeV = own.addressModeW = spy.mode;
    own.borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
    spy.n_made++;
    spy.n_linear += info->magFilter == VK_FILTER_LINEAR;
    return REAL(vkCreateSampler)(device, &own, allocator, sampler);
}

/* With each address mode in the place of a strategy's own; what is wrong then, or NULL. */
static const char *judge_modes(struct image *image, const struct mb_variant *variant,
                               const struct mb_task *task, struct mb_err *err)
{
    static const struct {
        const char *what;
        VkSamplerAddressMode mode;
    } others[] = {
        {"another chain where samplers clamp", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE},
        {"another chain where samplers repeat", VK_SAMPLER_ADDRESS_MODE_REPEAT},
        {"another chain where samplers mirror", VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT},
        {"another chain where samplers have a border", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER},
    };
    const size_t n_bytes = image->layout.total_bytes;
    const void *block = image->test_image.readback.mapped;
    const char *what = NULL;
    MB_FREED void *chain = mb_malloc(n_bytes);
    if (!chain) {
        return "no memory";
    }
    memcpy(chain, block, n_bytes);
    for (size_t i = 0; i < MB_COUNTOF(others) && !what; i++) {
        struct mb_instance instance = {0};
        spy.mode = others[i].mode;
        STAND_IN(vkCreateSampler, create_sampler);
        enum mb_status status =
            mb_test_instance(&instance, &image->test_image, variant, task, err);
        stand_ins_end();
        if (status == MB_OK) {
            status = mb_test_run_chain(&image->test_image, &instance, 0, err);
        }
        what = status != MB_OK                      ? err->text
               : memcmp(block, chain, n_bytes) != 0 ? others[i].what
                                                    : NULL;
        mb_instance_finish(&instance);
    }
    return what;
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
    task.is_update = (run->row->checks & MB_IS_UPDATE) != 0;
    enum mb_status status =
        mb_test_instance(&instance, &image->test_image, variant, &task, &err);
    if (status == MB_UNSUPPORTED) {
        note_refused(run, variant, &image->layout, &task, err.text);
        return;
    }
    const unsigned n_runs = run->row->checks & MB_IS_TWICE ? 2 : 1;
    for (unsigned i = 0; status == MB_OK && i < n_runs; i++) {
        status = mb_test_run_chain(&image->test_image, &instance, poison++, &err);
    }
    const char *what =
        status == MB_OK ? judge(run, image, &instance.work.tolerance, &err) : err.text;
    if (!what && (run->row->checks & MB_IS_WITHIN) != 0) {
        what = judge_modes(image, variant, &task, &err);
    }
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
    case UPPER_HALF:
        return y < extent.height / 2;
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
        mb_reference_init(&image->reference, &image->layout, image->texels);
    }
    return image->test_image.readback.mapped != NULL;
}

static void drop_images(struct run *run)
{
    for (size_t i = 0; i < run->n_images; i++) {
        struct image *image = &run->images[i];
        if (image->texels) {
            mb_reference_finish(&image->reference);
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
    const struct mb_chain_row *row = run->row;
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

/* The `i`th pattern of a row; NULL after the last. */
static const char *pattern_of(const struct mb_chain_row *row, size_t i)
{
    if (row->patterns) {
        return row->patterns[i];
    }
    return i < MB_COUNTOF(plants) ? plants[i].pattern : NULL;
}

static void add_images(struct run *run, const char *format, struct mb_extent extent)
{
    static const uint32_t n_layers[] = {1, 3, 6};
    const uint64_t n_texels = (uint64_t)extent.width * extent.height;
    const char *pattern;
    for (size_t i = 0; (pattern = pattern_of(run->row, i)); i++) {
        if (run->n_images == MAX_IMAGES || run->n_texels + n_texels > MAX_BATCH_TEXELS) {
            run_images(run);
        }
        const uint32_t turn = run->n_images_in_all++ % MB_COUNTOF(n_layers);
        run->images[run->n_images++] = (struct image){
            .layout = mb_test_layout(format, extent,
                                     run->row->n_layers ? run->row->n_layers : n_layers[turn]),
            .pattern = pattern,
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
    const struct mb_chain_row *row = run->row;
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
    const struct mb_chain_row *row = run->row;
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
static const char *why_not_row(const struct mb_gpu *gpu, const struct mb_chain_row *row)
{
    if ((row->checks & MB_IS_FULL) != 0 && !mb_test_is_full()) {
        return "rows that MB_TEST_FULL=1 has";
    }
    if ((row->checks & MB_IS_WITHIN) != 0 && gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU &&
        !getenv("GALLIVM_PERF")) {
        return "rows of address modes, for some of which llvmpipe takes 8-bit weights "
               "(GALLIVM_PERF=no_aos_sampling)";
    }
    if (mb_test_is_quick() && row->quick == 0) {
        return "rows that the short form has not";
    }
    if (!mb_test_takes_turns(gpu)) {
        return NULL;
    }
    return row->checks & MB_IS_LONG ? "rows that take long (MB_TEST_FULL=1 runs them)"
           : row->widths != 0 && (row->widths >> mb_test_turn(gpu) & 1) == 0
               ? "rows of another subgroup size"
               : NULL;
}

/* ---- What is not one plain chain */

static void judge_result(struct run *run, const struct mb_variant *variant,
                         const struct mb_case *c, const struct mb_result *result)
{
    const uint32_t n_dispatches = run->row->n_dispatches;
    const bool is_passed = result->status == MB_RESULT_OK && result->verify == MB_VERIFY_PASS &&
                           result->verdict.n_levels == c->layout.n_levels &&
                           (n_dispatches == 0 || result->work.n_dispatches == n_dispatches);
    if (result->status == MB_RESULT_SKIPPED) {
        note_refused(run, variant, &c->layout, &c->task, result->reason);
        return;
    }
    run->tally.n_judged++;
    CHECK(is_passed);
    if (!is_passed) {
        note_wrong(run, variant, &c->layout, &c->task, "noise", result->reason);
    }
}

/* By each variant, in turn: `place` is the case's number. */
static void run_case(struct run *run, const struct mb_test_case *test_case, uint32_t place)
{
    const struct mb_chain_row *row = run->row;
    for (size_t i = 0; i < run->n_variants; i++) {
        const struct mb_variant *variant = &run->variants[i];
        const uint32_t one_in = mb_test_is_default(variant) ? row->one_in : row->one_other_in;
        const char *reason = mb_test_why_not(run->gpu, variant, place, one_in > 0 ? one_in : 1);
        struct mb_case c = {0};
        if (reason) {
            leave_out(run, reason);
            continue;
        }
        const bool is_run = mb_test_run_case(run->gpu, variant, 1, test_case, &c);
        CHECK(is_run);
        if (is_run) {
            judge_result(run, variant, &c, &c.results[0]);
        }
        mb_case_finish(&c);
    }
}

#define N_RECTS 12u

/* Texel, row, column and corner, ends and middle, borders of tiles, and all of it. */
static struct mb_rect rect_of(struct mb_extent e, uint32_t i)
{
    const uint32_t w = e.width, h = e.height;
    const uint32_t half_w = w > 1 ? w / 2 : 1, half_h = h > 1 ? h / 2 : 1;
    const uint32_t tile_x = w > 64 ? 64 : half_w, tile_y = h > 64 ? 64 : half_h;
    const struct mb_rect rects[N_RECTS] = {
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
    return rects[i];
}

/* Case `k` of an extent and `n` of the row, which what the shape leaves open changes with. */
static struct mb_test_case case_of(const struct mb_chain_row *row, struct mb_extent extent,
                                   uint32_t k, uint32_t n)
{
    static const uint32_t n_layers[] = {3, 6, 2, 12};
    const uint32_t n_full = mb_full_level_count(extent), n_levels[] = {1, 2, 5, n_full - 1};
    uint32_t n_formats = 0;
    while (row->formats[n_formats]) {
        n_formats++;
    }
    const struct mode *mode = &modes[(n + n / n_formats) % N_MODES];
    struct mb_test_case test_case = {
        .format = row->formats[n % n_formats],
        .extent = extent,
        .reduce = mode->reduce,
        .alpha = mode->alpha,
        .n_layers = 1 + n % 3,
        .n_levels = n % 5 == 4 ? 1 + n / 5 % n_full : n_full,
    };
    if (row->shape == MB_UPDATES) {
        test_case.rect = rect_of(extent, k);
    } else if (row->shape == MB_LEVELS) {
        test_case.n_levels = n_levels[k] >= 1 && n_levels[k] <= n_full ? n_levels[k] : 1;
    } else {
        test_case.n_layers = n_layers[k];
        test_case.is_cube = n_layers[k] % 6 == 0 && extent.width == extent.height;
    }
    return test_case;
}

static void run_shape(struct run *run)
{
    const struct mb_chain_row *row = run->row;
    const uint32_t n_of_each = row->shape == MB_CASES     ? 1
                               : row->shape == MB_UPDATES ? N_RECTS
                                                          : 4;
    const uint32_t step = mb_test_is_quick() ? row->quick : 1;
    for (uint32_t n = 0;; n++) {
        const uint32_t i = n / n_of_each, k = n % n_of_each;
        const struct mb_extent extent = row->cases ? row->cases[i].extent : row->extents[i];
        if (extent.width == 0) {
            return;
        }
        const struct mb_test_case test_case =
            row->cases ? row->cases[i] : case_of(row, extent, k, n);
        if (n % step == 0) {
            run_case(run, &test_case, n);
        } else {
            leave_out(run, "cases, in the short form");
        }
    }
}

/* ---- Rows */

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

void mb_chains_run(struct mb_gpu *gpu, const struct mb_chain_row *row)
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
    if (row->checks & MB_IS_LEAN) {
        pretend_lean(gpu);
    }
    run = (struct run){.gpu = gpu, .row = row};
    run.variants = mb_test_plan(row->specs, &run.n_variants);
    if (row->shape != MB_PLAIN) {
        run_shape(&run);
    }
    for (const char *const *format = row->formats ? row->formats : rgba8;
         row->shape == MB_PLAIN && *format; format++) {
        add_sizes(&run, *format);
        run_images(&run);
    }
    mb_free(run.variants);
    gpu->state->keeps_pipelines = keeps_pipelines;
    gpu->info = info;
    CHECK((row->checks & MB_IS_WITHIN) == 0 || (spy.n_linear > 0 && spy.n_made > spy.n_linear));
    report(&run);
}
