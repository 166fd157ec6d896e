/* Every strategy with every choice of its parameters over patterns that each show one way of
 * being wrong, and at sizes up to the largest, judged by the golden model. test_sweep.c has the
 * formats, the reductions and all the small sizes.
 *
 * One image per size and format serves all rows, and one recording of a row serves all
 * patterns: what costs time on a software device is compiling shaders and submitting, not
 * texels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/check.h"
#include "base/alloc.h"
#include "bench/verify/instance.h"
#include "bench/verify/verify.h"
#include "harness.h"
#include "refusals.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"

#define MAX_SKIPS 64

extern const struct mb_shader mb_spv_subgroup_size;

static const char *const default_specs[] = {"all"};
static const char *const strip_specs[] = {"spd-tree:rows=2", "spd-tree:rows=6",
                                          "spd-tree:rows=9", "spd-tree:rows=2:first=4",
                                          "spd-tree:rows=20"};
static const char *const two_rows[] = {"spd-tree:rows=2"};
static const char *const curve_specs[] = {"spd-tree:powers=on", "spd-tree:powers=off"};
static const char *const curve_patterns[] = {"noise", "gradient"};
static const char *const all_patterns[] = {"noise",   "impulse",  "flat",
                                           "checker", "gradient", "zoneplate"};
static const char *const one_pattern[] = {"noise"};
static const char *const signed_pattern[] = {"signed"};

/* One row, recorded. */
struct chain {
    const struct mb_variant *row;
    struct mb_instance instance;
    bool is_ready;
};

/* A set of rows over a set of patterns. */
struct plan {
    struct mb_variant *rows;
    size_t n_rows;
    const char *const *patterns;
    size_t n_patterns;
    bool is_never_in_turns; /* all rows at every subgroup size */
    const char *format;     /* NULL: rgba8 */
    bool is_exact;          /* every code is the nearest one */
};

struct skip {
    char label[MB_LABEL_BYTES];
    char reason[512];
    unsigned n_times;
};

struct context {
    struct mb_gpu gpu;
    struct mb_test_image test_image;
    struct chain *chains; /* one per row */
    struct mb_layout layout;
    struct skip skip[MAX_SKIPS];
    size_t n_skips;
    unsigned n_judged;
};

static void note_skip(struct context *c, const char *label, const char *reason)
{
    for (size_t i = 0; i < c->n_skips; i++) {
        if (strcmp(c->skip[i].label, label) == 0 && strcmp(c->skip[i].reason, reason) == 0) {
            c->skip[i].n_times++;
            return;
        }
    }
    if (c->n_skips < MAX_SKIPS) {
        struct skip *skip = &c->skip[c->n_skips++];
        snprintf(skip->label, sizeof skip->label, "%s", label);
        snprintf(skip->reason, sizeof skip->reason, "%s", reason);
        skip->n_times = 1;
    }
}

static void describe_case(const struct context *c, const char *label, const char *pattern)
{
    fprintf(stderr, "%s on %ux%u %s, pattern %s: ", label, c->layout.base.width,
            c->layout.base.height, c->layout.format->name, pattern);
}

/* The answer of supports() must fit the size; UNSUPPORTED must come with a sentence. */
static void prepare_or_skip(struct context *c, struct chain *chain)
{
    struct mb_err err = {0};
    const struct mb_variant *row = chain->row;
    char label[MB_LABEL_BYTES];
    mb_variant_label(row, label, sizeof label);
    const struct mb_task task = {.n_rects = 1, .rects = {mb_rect_whole(c->layout.base)}};
    const struct mb_vk_image *image = &c->test_image.image;
    enum mb_status status = mb_instance_supports(image, row, &task, &err);
    bool is_ok = status == MB_OK;
    CHECK(is_ok || mb_test_may_refuse(&c->gpu, row, &c->layout, &task));
    CHECK(status != MB_FAILED);
    if (status == MB_UNSUPPORTED) {
        CHECK(strlen(err.text) > 10);
        note_skip(c, label, err.text);
    }
    if (!is_ok) {
        return;
    }
    chain->is_ready = mb_instance_init(&chain->instance, image, row, &task, &err) == MB_OK &&
                      mb_instance_record(&chain->instance, &err) == MB_OK;
    if (!chain->is_ready) {
        describe_case(c, label, "any");
        fprintf(stderr, "%s\n", err.text);
        CHECK(chain->is_ready);
    }
}

static void release(struct context *c, size_t n_rows)
{
    for (size_t i = 0; i < n_rows; i++) {
        struct chain *chain = &c->chains[i];
        mb_instance_finish(&chain->instance);
        *chain = (struct chain){0};
    }
    mb_test_image_finish(&c->test_image);
}

/* Every texel of a flat image's levels is the base's first texel, bit for bit. */
static bool is_flat(const struct mb_layout *layout, const void *block)
{
    uint32_t n_bytes = layout->format->texel_bytes;
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

/* Run one row over a poison and judge it. */
static void judge(struct context *c, struct chain *chain, struct mb_verifier *verifier,
                  const char *pattern, uint32_t poison, bool is_exact)
{
    enum mb_status status = MB_OK;
    struct mb_err storage = {0}, *err = &storage;
    struct mb_verdict verdict = {0};
    const void *block = c->test_image.readback.mapped;
    char label[MB_LABEL_BYTES];
    mb_variant_label(chain->row, label, sizeof label);
    MB_TRY(mb_test_image_poison(&c->test_image, poison, err));
    MB_TRY(mb_submission_run(&chain->instance.submission, err));
    MB_TRY(mb_test_image_read(&c->test_image, err));
    MB_TRY(mb_verify(verifier, block, &chain->instance.work.tolerance, &verdict, err));
    c->n_judged++;
    if (!verdict.pass) {
        char where[256];
        mb_bad_texel_describe(&verdict.first_bad, where, sizeof where);
        describe_case(c, label, pattern);
        fprintf(stderr, "%s\n", where);
    }
    CHECK(verdict.pass);
    CHECK(!is_exact || verdict.max_error_lsb <= 0.5 + 1e-4);
    if (strcmp(pattern, "flat") == 0) {
        const bool stays_flat = is_flat(&c->layout, block);
        if (!stays_flat) {
            describe_case(c, label, pattern);
        }
        CHECK(stays_flat);
    }
fail:
    if (status != MB_OK) {
        describe_case(c, label, pattern);
        fprintf(stderr, "%s\n", storage.text);
    }
    CHECK(status == MB_OK);
}

static void run_pattern(struct context *c, const struct plan *plan, size_t index)
{
    struct mb_err err = {0};
    struct mb_verifier verifier;
    const char *pattern = plan->patterns[index];
    void *texels = mb_test_texels(&c->layout, pattern);
    bool is_uploaded = texels && mb_test_image_upload(&c->test_image, texels, &err) == MB_OK;
    CHECK(is_uploaded);
    mb_verifier_init(&verifier, &c->layout, texels);
    for (size_t i = 0; is_uploaded && i < plan->n_rows; i++) {
        if (c->chains[i].is_ready) {
            judge(c, &c->chains[i], &verifier, pattern, (uint32_t)index % MB_N_POISONS,
                  plan->is_exact);
        }
    }
    mb_verifier_finish(&verifier);
    mb_free(texels);
}

static void run_size(struct context *c, const struct plan *plan, uint32_t width,
                     uint32_t height)
{
    struct mb_err err = {0};
    const struct mb_extent extent = {width, height};
    mb_layout_init(&c->layout, mb_format_find(plan->format ? plan->format : "rgba8"), extent, 1,
                   mb_full_level_count(extent));
    void *zero = mb_alloc(1, c->layout.level_layer_bytes[0]);
    enum mb_status status =
        zero ? mb_test_make_image(&c->test_image, &c->gpu, &c->layout, zero, &err) : MB_FAILED;
    if (status != MB_OK) {
        fprintf(stderr, "%ux%u: %s\n", width, height, err.text);
    }
    CHECK(status == MB_OK);
    for (size_t i = 0; status == MB_OK && i < plan->n_rows; i++) {
        c->chains[i].row = &plan->rows[i];
        if (plan->is_never_in_turns ||
            mb_test_has_its_turn_at(&c->gpu, &plan->rows[i], extent)) {
            prepare_or_skip(c, &c->chains[i]);
        }
    }
    for (size_t i = 0; status == MB_OK && i < plan->n_patterns; i++) {
        run_pattern(c, plan, i);
    }
    release(c, plan->n_rows);
    mb_free(zero);
}

/* True at one of llvmpipe's subgroup sizes, and where a chain does not take long: what
 * subgroups do not meet is tried here alone. */
static bool is_own_turn(const struct context *c)
{
    return !mb_test_takes_turns(&c->gpu) || mb_test_turn(&c->gpu) == MB_TEST_OWN_TURN;
}

/* Odd, even and narrow on both axes, and the sizes of tiles and blocks: each kind of pair, of
 * few numbers of levels, for each of which llvmpipe compiles anew; all pairs with
 * MB_TEST_FULL=1. */
static void run_small(struct context *c, const struct plan *plan)
{
    static const struct mb_extent every_kind[] = {
        {17, 17}, {1, 1},  {64, 64}, {1, 17}, {20, 3}, {17, 1},
        {17, 96}, {3, 20}, {96, 20}, {1, 20}, {17, 3}, {20, 1},
    };
    static const uint32_t sizes[] = {1, 3, 8, 17, 20, 64};
    const uint32_t n = (uint32_t)MB_COUNTOF(sizes);
    const size_t n_kinds = mb_test_is_quick() ? 3 : is_own_turn(c) ? MB_COUNTOF(every_kind) : 8;
    for (size_t i = 0; i < n_kinds && !mb_test_is_full(); i++) {
        run_size(c, plan, every_kind[i].width, every_kind[i].height);
    }
    for (uint32_t i = 0; i < n * n && mb_test_is_full(); i++) {
        run_size(c, plan, sizes[i % n], sizes[i / n]);
    }
}

static void run_large(struct context *c, const struct plan *every, const struct plan *floats,
                      const struct plan *defaults)
{
    static const struct mb_extent all_rows[] = {
        {4097, 3},
        {5, 4100},
        {4096, 1},
    };
    static const struct mb_extent float_rows[] = {{3, 4099}, {6, 4100}};
    /* Where a chain takes long, each at one of llvmpipe's subgroup sizes. */
    static const struct mb_extent default_rows[] = {{1920, 1080}, {4095, 4095}, {4096, 4096}};
    size_t n_defaults = mb_test_is_quick() ? 0 : MB_COUNTOF(default_rows);
    const size_t step = mb_test_is_quick() ? 4 : 1;
    for (size_t i = 0; i < MB_COUNTOF(all_rows); i += step) {
        run_size(c, every, all_rows[i].width, all_rows[i].height);
    }
    for (size_t i = 0; i < MB_COUNTOF(float_rows) && is_own_turn(c); i += step) {
        run_size(c, floats, float_rows[i].width, float_rows[i].height);
    }
    for (size_t i = 0; i < n_defaults; i++) {
        if (!mb_test_takes_turns(&c->gpu) || mb_test_turn(&c->gpu) == i) {
            run_size(c, defaults, default_rows[i].width, default_rows[i].height);
        }
    }
}

/* Several tiles of strips along both axes, three levels high and four, with every kind of halo:
 * of 1023 and 519 the first three sizes are odd, of 1025 and 521 the first one, of 524 and 1030
 * the third and the second one. Of 1272 and 504 the fourth and all further ones are, so that
 * tiles of nine rows have more texels in common than share_common() brings at once. Where a
 * chain takes long, all of them at llvmpipe's own subgroup size only. */
static void run_strips(struct context *c, const struct plan *strips)
{
    static const struct mb_extent sizes[] = {
        {1023, 519}, {1025, 521}, {524, 1030}, {1272, 504}};
    for (size_t i = 0; i < MB_COUNTOF(sizes); i += mb_test_is_quick() ? 4 : 1) {
        if (is_own_turn(c) || i % 3 == mb_test_turn(&c->gpu)) {
            run_size(c, strips, sizes[i].width, sizes[i].height);
        }
    }
}

/* sRGB by a table, and partly by powers: a gradient has codes by themselves, of which one on
 * the wrong side of where the curve begins is off by 0.03. */
static void run_curve(struct context *c, const struct plan *curve)
{
    static const struct mb_extent sizes[] = {{256, 256}, {64, 1024}, {2, 128}};
    for (size_t i = 0; i < MB_COUNTOF(sizes) && is_own_turn(c);
         i += mb_test_is_quick() ? 4 : 1) {
        run_size(c, curve, sizes[i].width, sizes[i].height);
    }
}

/* More tiles, 32 texels high and no more than 512 wide, than words count that add up two
 * channels (words.glsl): those of one channel do it. */
static void run_many_tiles(struct context *c, const struct plan *strips)
{
    if (!mb_test_is_quick() && is_own_turn(c)) {
        run_size(c, strips, 16383, 1057);
    }
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
    MB_TRY(mb_submission_begin(&submission, 0, err));
    mb_pipeline_dispatch(&compute, submission.cmd, &dispatch);
    mb_barrier_full(submission.cmd);
    MB_TRY(mb_submission_end(&submission, err));
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

/* LP_NATIVE_VECTOR_WIDTH / 32 is llvmpipe's subgroup size. Returns false if the device is
 * another one and a width was asked for that is not its default: the test would repeat itself.
 */
static bool check_subgroup_size(const struct mb_gpu *gpu)
{
    const char *width = getenv("LP_NATIVE_VECTOR_WIDTH");
    bool is_llvmpipe = strstr(gpu->info.name, "llvmpipe") != NULL;
    uint32_t seen[2] = {0};
    if (width && !is_llvmpipe && strcmp(width, "256") != 0) {
        printf("skipped: %s has no vector width to set\n", gpu->info.name);
        return false;
    }
    CHECK(read_subgroup_size(gpu, seen));
    CHECK_EQ_INT(seen[0], gpu->info.subgroup_size);
    CHECK_EQ_INT(seen[1], gpu->info.subgroup_size);
    if (width && is_llvmpipe) {
        CHECK_EQ_INT(gpu->info.subgroup_size, atoi(width) / 32);
    }
    printf("%s, subgroups of %u\n", gpu->info.name, seen[1]);
    return true;
}

static bool make_plan(struct plan *plan, const char *const *specs, size_t n_specs)
{
    struct mb_err err = {0};
    return mb_plan_variants(mb_strategies, specs, n_specs, &plan->rows, &plan->n_rows, &err) ==
           MB_OK;
}

static void report_phase(const struct context *c, const char *name)
{
    printf("%-8s %6u chains judged, %.1f s of processor time\n", name, c->n_judged,
           (double)clock() / (double)CLOCKS_PER_SEC);
    fflush(stdout);
}

static void run_all(struct context *c)
{
    struct plan patterns = {.patterns = all_patterns, .n_patterns = MB_COUNTOF(all_patterns)};
    struct plan noise = {.patterns = one_pattern, .n_patterns = 1};
    struct plan floats = {.patterns = signed_pattern, .n_patterns = 1, .format = "rgba32f"};
    struct plan defaults = {.patterns = one_pattern, .n_patterns = 1};
    struct plan strips = {.patterns = one_pattern, .n_patterns = 1, .is_never_in_turns = true};
    struct plan many = {.patterns = one_pattern, .n_patterns = 1, .is_never_in_turns = true};
    struct plan curve = {.patterns = curve_patterns,
                         .n_patterns = MB_COUNTOF(curve_patterns),
                         .is_never_in_turns = true,
                         .format = "rgba8-srgb",
                         .is_exact = true};
    bool is_planned = make_plan(&patterns, mb_test_specs, mb_test_n_specs) &&
                      make_plan(&noise, mb_test_specs, mb_test_n_specs) &&
                      make_plan(&floats, mb_test_specs, mb_test_n_specs) &&
                      make_plan(&defaults, default_specs, MB_COUNTOF(default_specs)) &&
                      make_plan(&strips, strip_specs, MB_COUNTOF(strip_specs)) &&
                      make_plan(&many, two_rows, MB_COUNTOF(two_rows)) &&
                      make_plan(&curve, curve_specs, MB_COUNTOF(curve_specs));
    c->chains = is_planned ? mb_alloc(patterns.n_rows, sizeof *c->chains) : NULL;
    CHECK(c->chains);
    if (c->chains) {
        run_small(c, &patterns);
        report_phase(c, "small");
        run_large(c, &noise, &floats, &defaults);
        report_phase(c, "large");
        run_strips(c, &strips);
        report_phase(c, "strips");
        run_curve(c, &curve);
        report_phase(c, "curve");
        run_many_tiles(c, &many);
        report_phase(c, "tiles");
    }
    mb_free(c->chains);
    mb_free(patterns.rows);
    mb_free(noise.rows);
    mb_free(floats.rows);
    mb_free(defaults.rows);
    mb_free(strips.rows);
    mb_free(many.rows);
    mb_free(curve.rows);
}

int main(void)
{
    static struct context c;
    const struct mb_gpu_options options = {.keep_pipelines = true};
    int exit_code = mb_test_open_with(&c.gpu, &options);
    if (exit_code != 0) {
        return exit_code;
    }
    if (!check_subgroup_size(&c.gpu)) {
        mb_gpu_finish(&c.gpu);
        return MB_TEST_SKIP;
    }
    run_all(&c);
    for (size_t i = 0; i < c.n_skips; i++) {
        printf("skipped %s (%u times): %s\n", c.skip[i].label, c.skip[i].n_times,
               c.skip[i].reason);
    }
    mb_gpu_finish(&c.gpu);
    return check_summary("sizes");
}
