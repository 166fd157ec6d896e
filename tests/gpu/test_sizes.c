/* Every strategy with every choice of its parameters over patterns that each show one way of
 * being wrong, and at sizes up to the largest, judged by the golden model; as `every`, spd-tree
 * at every small size. test_sweep.c has the formats and the reductions.
 *
 * One image per size, format and pattern serves all rows. */
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "judged_image.h"
#include "strategy/needs.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"

extern const struct mb_shader mb_spv_subgroup_size;

static unsigned n_judged;

/* A set of rows over a set of patterns. */
struct plan {
    const char *const *specs;    /* up to NULL */
    const char *const *patterns; /* up to NULL */
    bool is_never_in_turns;      /* all rows at every subgroup size */
    const char *format;          /* NULL: rgba8 */
    bool is_exact;               /* every code is the nearest one */
    enum mb_reduce reduce;
};

static const char *const one_pattern[] = {"noise", NULL};

static const struct plan patterns = {
    .specs = mb_test_specs,
    .patterns = (const char *const[]){"noise", "impulse", "flat", "checker", "gradient",
                                      "zoneplate", NULL},
};
static const struct plan noise = {.specs = mb_test_specs, .patterns = one_pattern};
static const struct plan floats = {
    .specs = mb_test_specs,
    .patterns = (const char *const[]){"signed", NULL},
    .format = "rgba32f",
};
static const struct plan defaults = {
    .specs = (const char *const[]){"all", NULL},
    .patterns = one_pattern,
};
static const struct plan strips = {
    .specs =
        (const char *const[]){"spd-tree:shape=strips:rows=2", "spd-tree:shape=strips:rows=6",
                              "spd-tree:shape=strips:rows=10", NULL},
    .patterns = one_pattern,
    .is_never_in_turns = true,
};
static const struct plan two_rows = {
    .specs = (const char *const[]){"spd-tree:shape=strips:rows=2", NULL},
    .patterns = one_pattern,
    .is_never_in_turns = true,
};
/* As where registers are few. */
static const struct plan lean[] = {
    {.specs = (const char *const[]){"spd-tree:shape=strips", NULL},
     .patterns = one_pattern,
     .is_never_in_turns = true},
    {.specs = (const char *const[]){"spd-tree:shape=strips", NULL},
     .patterns = one_pattern,
     .is_never_in_turns = true,
     .format = "rgba32f"},
};
/* Two rounds of climb.glsl, by ordered words. */
static const struct plan climbs = {
    .specs = (const char *const[]){"spd-tree", NULL},
    .patterns = one_pattern,
    .is_never_in_turns = true,
    .format = "r32f",
    .reduce = MB_REDUCE_MAX,
};
static const struct plan curve = {
    .specs = (const char *const[]){"spd-tree", NULL},
    .patterns = (const char *const[]){"noise", "gradient", NULL},
    .is_never_in_turns = true,
    .format = "rgba8-srgb",
    .is_exact = true,
};
/* What test_every_size() is of. */
static const struct plan every_size[] = {
    {.specs = (const char *const[]){"spd-tree", NULL}, .patterns = one_pattern},
    {.specs = (const char *const[]){"spd-tree", NULL},
     .patterns = (const char *const[]){"signed", NULL},
     .format = "r32f",
     .reduce = MB_REDUCE_MAX},
};

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

static void run_row(const struct plan *plan, struct judged_image *image,
                    const struct mb_variant *row, const char *pattern)
{
    struct mb_task task = mb_test_whole(image->layout.base);
    task.reduce = plan->reduce;
    const void *block = image->test_image.readback.mapped;
    struct mb_verdict verdict;
    if (mb_judge_row(image, row, &task, 1, &verdict) == MB_OK) {
        n_judged++;
        const bool is_right = (!plan->is_exact || verdict.max_error_lsb <= 0.5 + 1e-4) &&
                              (strcmp(pattern, "flat") != 0 || is_flat(&image->layout, block));
        CHECK(is_right);
        if (!is_right) {
            fprintf(stderr, "%s on %ux%u: %s is not flat or not exact\n", mb_test_label(row),
                    task.rect.width, task.rect.height, pattern);
        }
    }
}

static void run_size(const struct mb_gpu *gpu, const struct plan *plan, struct mb_extent extent)
{
    const struct mb_layout layout =
        mb_test_layout(plan->format ? plan->format : "rgba8", extent, 1);
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan(plan->specs, &n_rows);
    for (const char *const *pattern = plan->patterns; *pattern; pattern++) {
        struct judged_image image;
        const bool is_made = mb_judged_image_init(&image, gpu, &layout, *pattern);
        for (size_t k = 0; is_made && k < n_rows; k++) {
            if (plan->is_never_in_turns || mb_test_has_its_turn_at(gpu, &rows[k], extent)) {
                run_row(plan, &image, &rows[k], *pattern);
            }
        }
        mb_judged_image_finish(&image);
    }
    mb_free(rows);
}

static void run_sizes(const struct mb_gpu *gpu, const struct plan *plan,
                      const struct mb_extent *sizes, size_t n_sizes)
{
    for (size_t i = 0; i < n_sizes; i += mb_test_is_quick() ? 4 : 1) {
        run_size(gpu, plan, sizes[i]);
    }
}

/* Odd, even and narrow on both axes, and the sizes of tiles and blocks: each kind of pair, of
 * few numbers of levels, for each of which llvmpipe compiles anew (four pairs where subgroups
 * are not of its own size); all pairs with MB_TEST_FULL=1. */
static void run_small(const struct mb_gpu *gpu, const struct plan *plan)
{
    static const struct mb_extent every_kind[] = {
        {17, 17}, {1, 1},  {64, 64}, {20, 3}, {1, 17}, {17, 1},
        {17, 96}, {3, 20}, {96, 20}, {1, 20}, {17, 3}, {20, 1},
    };
    static const uint32_t sizes[] = {1, 3, 8, 17, 20, 64};
    const uint32_t n = (uint32_t)MB_COUNTOF(sizes);
    const size_t n_kinds =
        mb_test_is_own_turn(gpu) && !mb_test_is_quick() ? MB_COUNTOF(every_kind) : 4;
    for (size_t i = 0; i < n_kinds && !mb_test_is_full(); i++) {
        run_size(gpu, plan, every_kind[i]);
    }
    for (uint32_t i = 0; i < n * n && mb_test_is_full(); i++) {
        run_size(gpu, plan, (struct mb_extent){sizes[i % n], sizes[i / n]});
    }
}

static void run_large(const struct mb_gpu *gpu)
{
    static const struct mb_extent all_rows[] = {{4097, 3}, {5, 4100}, {4096, 1}};
    static const struct mb_extent float_rows[] = {{6, 4100}, {3, 4099}};
    static const struct mb_extent default_rows[] = {{1920, 1080}, {4095, 4095}, {4096, 4096}};
    /* Where a chain takes long, each at one of llvmpipe's subgroup sizes. */
    static const struct mb_extent in_turn[] = {{1920, 1080}, {4095, 1023}, {4096, 4096}};
    run_sizes(gpu, &noise, all_rows,
              mb_test_is_own_turn(gpu) ? MB_COUNTOF(all_rows) - mb_test_takes_turns(gpu) : 1);
    run_sizes(gpu, &floats, float_rows,
              mb_test_is_own_turn(gpu) ? MB_COUNTOF(float_rows) - mb_test_takes_turns(gpu) : 0);
    const struct mb_extent *rows = mb_test_takes_turns(gpu) ? in_turn : default_rows;
    for (size_t i = 0; i < MB_COUNTOF(default_rows) && !mb_test_is_quick(); i++) {
        if (!mb_test_takes_turns(gpu) || mb_test_turn(gpu) == i) {
            run_size(gpu, &defaults, rows[i]);
        }
    }
}

/* Several tiles of strips along both axes, with every kind of odd level: of 1023 and 519 the
 * first three sizes are odd, of 1025 and 521 the first one, of 524 and 1030 the third and the
 * second one. Of 1272 and 504 the fourth and all further ones are, so that tiles share many
 * texels. Where a chain takes long, all of them at llvmpipe's own subgroup size only. */
static void run_strips(const struct mb_gpu *gpu)
{
    static const struct mb_extent sizes[] = {
        {1023, 519}, {1025, 521}, {524, 1030}, {1272, 504}};
    for (size_t i = 0; i < MB_COUNTOF(sizes); i += mb_test_is_quick() ? 4 : 1) {
        if (mb_test_is_own_turn(gpu) || i % 3 == mb_test_turn(gpu)) {
            run_size(gpu, &strips, sizes[i]);
        }
    }
}

/* Strips as Intel's driver has them, with subgroups of this device. */
static void run_lean(struct mb_gpu *gpu)
{
    static const struct mb_extent sizes[] = {{127, 63}, {66, 260}};
    const struct mb_gpu_info info = gpu->info;
    const bool keeps_pipelines = gpu->state->keeps_pipelines;
    gpu->info.driver_id = VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA;
    gpu->info.max_subgroup_size = 32;
    gpu->info.max_workgroup_subgroups = 0;
    gpu->state->keeps_pipelines = false; /* those kept are of the device as it is */
    for (size_t i = 0; i < MB_COUNTOF(lean); i++) {
        run_sizes(gpu, &lean[i], sizes, MB_COUNTOF(sizes));
    }
    gpu->state->keeps_pipelines = keeps_pipelines;
    gpu->info = info;
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

static void test_sizes(struct mb_gpu *gpu)
{
    /* A gradient has codes by themselves, of which one on the wrong side of where the curve
     * begins is off by 0.03. */
    static const struct mb_extent curve_sizes[] = {{256, 256}, {64, 1024}, {2, 128}};
    /* More tiles, 32 texels high and no more than 512 wide, than a word of two channels counts
     * (words.glsl): each channel has its own. */
    static const struct mb_extent many_tiles = {16383, 1057};
    run_small(gpu, &patterns);
    mb_test_report_phase("small", n_judged);
    run_large(gpu);
    if (!mb_test_is_quick()) {
        run_size(gpu, &climbs, (struct mb_extent){4096, 2048});
    }
    mb_test_report_phase("large", n_judged);
    run_strips(gpu);
    mb_test_report_phase("strips", n_judged);
    run_lean(gpu);
    mb_test_report_phase("lean", n_judged);
    run_sizes(gpu, &curve, curve_sizes, mb_test_is_own_turn(gpu) ? MB_COUNTOF(curve_sizes) : 0);
    mb_test_report_phase("curve", n_judged);
    run_sizes(gpu, &two_rows, &many_tiles, mb_test_is_own_turn(gpu) && !mb_test_is_quick());
    mb_test_report_phase("tiles", n_judged);
    mb_report_refusals();
}

#define MAX_SIZE 130u
#define N_BLOCKS 9u /* of 16 sizes along an axis */
#define N_PICKS  (N_BLOCKS * N_BLOCKS * 256)

static void run_every(const struct mb_gpu *gpu, struct mb_extent extent)
{
    for (size_t k = 0; k < MB_COUNTOF(every_size); k++) {
        run_size(gpu, &every_size[k], extent);
    }
}

/* All sizes up to 130x130: those with the same lowest bits, which share kernels, one after the
 * other. */
static void run_every_size(const struct mb_gpu *gpu)
{
    for (uint32_t i = 0; i < N_PICKS; i++) {
        const struct mb_extent extent = {1 + i % N_BLOCKS * 16 + i / (N_BLOCKS * N_BLOCKS) % 16,
                                         1 + i / N_BLOCKS % N_BLOCKS * 16 +
                                             i / (N_BLOCKS * N_BLOCKS * 16)};
        if (extent.width <= MAX_SIZE && extent.height <= MAX_SIZE) {
            run_every(gpu, extent);
        }
        if ((i + 1) % (N_PICKS / 16) == 0) {
            mb_test_report_phase("every", n_judged);
        }
    }
}

/* With MB_TEST_FULL=1 every one; else some, drawn anew each day. */
static void test_every_size(struct mb_gpu *gpu)
{
    struct mb_rng rng;
    const uint64_t seed = (uint64_t)time(NULL) / 86400;
    const uint32_t n = mb_test_is_own_turn(gpu) && !mb_test_is_quick() ? 6 : 2;
    if (mb_test_is_full()) {
        run_every_size(gpu);
        return;
    }
    mb_rng_init(&rng, seed);
    printf("%u sizes, seed %llu\n", n, (unsigned long long)seed);
    for (uint32_t i = 0; i < n; i++) {
        run_every(gpu, (struct mb_extent){1 + (uint32_t)mb_rng_below(&rng, MAX_SIZE),
                                          1 + (uint32_t)mb_rng_below(&rng, MAX_SIZE)});
    }
}

int main(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "every") == 0
               ? MB_TEST_ON_DEVICE(test_subgroup_size, test_every_size)
               : MB_TEST_ON_DEVICE(test_subgroup_size, test_sizes);
}
