/* Hashes of chains (bench/verify/chain_hash.h): one wrong bit anywhere is noticed, two texels
 * that change places are, and timings find a kernel that is wrong once in a while. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "bench/timing/calibration.h"
#include "bench/verify/chain_hash.h"
#include "harness.h"
#include "kernel/manifest.h"
#include "vk/barrier.h"

#define N_SAMPLES 300u

static struct mb_test_image test_image;
static struct mb_chain_hash hash;
static uint8_t *block; /* a chain, packed as test_image.full */

/* Of noise; no number of a float format is NaN, whose bits need not come through. */
static bool open_chain(struct mb_gpu *gpu, const struct mb_layout *layout)
{
    struct mb_rng rng;
    const uint8_t mask = mb_format_is_unorm(layout->format) ? 0xff : 0x3b;
    block = mb_malloc(layout->total_bytes);
    mb_rng_init(&rng, 1);
    for (size_t i = 0; block && i < layout->total_bytes; i++) {
        block[i] = (uint8_t)(mb_rng_below(&rng, 256) & mask);
    }
    struct mb_err err = {0};
    const struct mb_vk_image *image = &test_image.image;
    const bool is_open = mb_test_open_image(&test_image, gpu, layout, block) &&
                         mb_chain_hash_supports(image) &&
                         mb_chain_hash_init(&hash, image, NULL, 0, 1, &err) == MB_OK;
    CHECK_EQ_STR(err.text, "");
    CHECK(is_open);
    return is_open;
}

static void close_chain(void)
{
    mb_chain_hash_finish(&hash);
    mb_test_image_finish(&test_image);
    mb_free(block);
}

static uint64_t hash_block(void)
{
    struct mb_err err = {0};
    uint64_t sum = 0;
    CHECK_EQ_INT(mb_test_image_upload(&test_image, block, test_image.full.n_levels, &err),
                 MB_OK);
    CHECK_EQ_INT(mb_chain_hash_run(&hash, 0, &sum, &err), MB_OK);
    return sum;
}

static uint8_t *texel_at(uint32_t level, uint32_t layer, uint32_t x, uint32_t y)
{
    const struct mb_layout *layout = &test_image.full;
    const struct mb_extent extent = mb_level_extent(layout->base, level);
    const size_t offset_bytes = layout->level_offset_bytes[level] +
                                layer * layout->level_layer_bytes[level] +
                                ((size_t)y * extent.width + x) * layout->format->texel_bytes;
    return block + offset_bytes;
}

/* Another hash with the least bit of a texel's first and of its last byte turned. */
static void check_texel(uint64_t right, uint32_t level, uint32_t layer, uint32_t x, uint32_t y)
{
    uint8_t *texel = texel_at(level, layer, x, y);
    const size_t places[] = {0, test_image.full.format->texel_bytes - 1};
    for (size_t i = 0; i < MB_COUNTOF(places); i++) {
        texel[places[i]] ^= 1;
        CHECK((hash_block() == right) == (level == 0));
        texel[places[i]] ^= 1;
    }
}

static void check_swap(uint64_t right, uint8_t *a, uint8_t *b)
{
    const size_t n_bytes = test_image.full.format->texel_bytes;
    uint8_t kept[16];
    CHECK(memcmp(a, b, n_bytes) != 0);
    for (int turn = 0; turn < 2; turn++) {
        memcpy(kept, a, n_bytes);
        memcpy(a, b, n_bytes);
        memcpy(b, kept, n_bytes);
        CHECK((hash_block() == right) == (turn == 1));
    }
}

static void check_format(struct mb_gpu *gpu, const char *format)
{
    const struct mb_layout layout = mb_test_layout(format, (struct mb_extent){141, 70}, 2);
    printf("%s\n", format);
    if (open_chain(gpu, &layout)) {
        const uint64_t right = hash_block();
        CHECK(right != 0 && hash_block() == right);
        for (uint32_t level = 0; level < layout.n_levels; level++) {
            const struct mb_extent extent = mb_level_extent(layout.base, level);
            check_texel(right, level, 0, 0, 0);
            check_texel(right, level, 1, extent.width / 2, extent.height / 2);
            check_texel(right, level, 1, extent.width - 1, extent.height - 1);
        }
        check_swap(right, texel_at(1, 0, 0, 0), texel_at(1, 0, 1, 0));
        check_swap(right, texel_at(1, 0, 31, 33), texel_at(1, 0, 32, 33)); /* of two tiles */
        check_swap(right, texel_at(1, 1, 69, 33), texel_at(1, 1, 69, 34));
        check_swap(right, texel_at(2, 0, 3, 4), texel_at(2, 1, 3, 4));
        check_swap(right, texel_at(5, 1, 1, 1), texel_at(6, 1, 1, 0));
        check_swap(right, texel_at(7, 0, 0, 0), texel_at(7, 1, 0, 0));
    }
    close_chain();
}

static void test_texels(struct mb_gpu *gpu)
{
    static const char *const formats[] = {"rgba8",   "rgba8-srgb", "r8",   "rgb10a2", "r16f",
                                          "rgba16f", "rg11b10f",   "r32f", "rgba32f"};
    for (size_t i = 0; i < MB_COUNTOF(formats); i++) {
        check_format(gpu, formats[i]);
    }
}

/* Slots add up; and both halves of a sum on their own. */
static void test_sums(struct mb_gpu *gpu)
{
    const struct mb_layout layout = mb_test_layout("rgba8", (struct mb_extent){40, 40}, 1);
    struct mb_submission submission = {0};
    struct mb_err err = {0};
    CHECK(mb_chain_hash_times(UINT64_C(0x80000001ffffffff), 3) == UINT64_C(0x80000003fffffffd));
    if (open_chain(gpu, &layout)) {
        const uint64_t one = hash_block();
        CHECK_EQ_INT(mb_submission_init(&submission, gpu, "sum", &err), MB_OK);
        mb_chain_hash_record_begin(&hash, 0, submission.cmd);
        for (int i = 0; i < 3; i++) {
            mb_chain_hash_record_add(&hash, 0, 0, submission.cmd);
        }
        mb_barrier_full(submission.cmd);
        mb_chain_hash_record_end(&hash, 0, submission.cmd);
        CHECK_EQ_INT(mb_submission_run(&submission, &err), MB_OK);
        CHECK(mb_chain_hash_sum(&hash, 0) == mb_chain_hash_times(one, 3));
        mb_submission_finish(&submission);
    }
    close_chain();
}

static void test_unsupported(struct mb_gpu *gpu)
{
    const struct mb_layout layout = mb_test_layout("rgba8", (struct mb_extent){1, 1}, 1);
    const uint8_t texel[4] = {0};
    struct mb_gpu other = *gpu;
    struct mb_vk_image image = {.gpu = &other,
                                .layout = mb_test_layout("r8", (struct mb_extent){2, 1}, 1)};
    if (mb_test_open_image(&test_image, gpu, &layout, texel)) {
        CHECK(!mb_chain_hash_supports(&test_image.image)); /* no level below the first */
    }
    mb_test_image_finish(&test_image);
    CHECK(!mb_chain_hash_supports(&image));
    image.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
    CHECK(mb_chain_hash_supports(&image));
    other.info.queue_flags = VK_QUEUE_GRAPHICS_BIT;
    CHECK(!mb_chain_hash_supports(&image));
}

/* What is timed. */
struct bed {
    struct mb_settings settings;
    struct mb_calibration calibration;
    struct mb_case c;
};

static struct bed bed;

/* As on a GPU. */
static bool time_rows(const struct mb_gpu *gpu, const struct mb_variant *rows,
                      const struct mb_test_case *test_case,
                      const struct mb_condition *conditions, size_t n_conditions)
{
    static struct mb_gpu disguised;
    struct mb_err err = {0};
    bool is_complete = false;
    disguised = *gpu;
    disguised.info.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    const uint32_t n_samples = bed.settings.n_samples;
    bed = (struct bed){.settings = {.n_warmup = 1,
                                    .n_samples = n_samples,
                                    .seed = 1,
                                    .verify = true,
                                    .l2_bytes = UINT64_C(32) << 10}};
    mb_test_fill_case(test_case, &bed.c);
    bed.c.compulsory_bytes =
        mb_filter_affected_bytes(MB_POLICY_BOX, &bed.c.layout, bed.c.task.rect);
    void *texels = mb_test_texels(&bed.c.layout, "noise");
    const struct mb_case_options options = {
        .calibration = &bed.calibration,
        .settings = &bed.settings,
        .hooks = &mb_test_hooks,
        .rows = rows,
        .n_rows = 2,
        .conditions = conditions,
        .n_conditions = n_conditions,
    };
    CHECK_EQ_INT(mb_calibration_init(&bed.calibration, &disguised, &bed.settings, &err), MB_OK);
    bed.calibration.has_probe = false; /* whose clock is the host's */
    const bool is_run = mb_case_run(&options, texels, &bed.c, &is_complete, &err) == MB_OK;
    CHECK_EQ_STR(err.text, "");
    CHECK(is_run && is_complete);
    mb_free(texels);
    return is_run;
}

static void finish(void)
{
    mb_case_finish(&bed.c);
    mb_calibration_finish(&bed.calibration);
}

static const struct mb_condition hot = {MB_CACHE_HOT, MB_MODE_LATENCY};
static const struct mb_test_case plain = {.extent = {64, 64}};

static void with_rows(struct mb_gpu *gpu, const struct mb_strategy *const *table,
                      const char *const *specs,
                      void (*check)(struct mb_gpu *gpu, const struct mb_variant *rows))
{
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan_of(table, specs, &n_rows);
    CHECK_EQ_INT(n_rows, 2);
    if (n_rows == 2 && gpu->info.timestamp_valid_bits > 0) {
        check(gpu, rows);
    }
    mb_free(rows);
}

static void check_lies(struct mb_gpu *gpu, const struct mb_variant *rows)
{
    bed.settings.n_samples = N_SAMPLES;
    if (time_rows(gpu, rows, &plain, &hot, 1)) {
        const uint32_t n_blocks = bed.c.timings[0].samples.n_blocks;
        const struct mb_row *right = &bed.c.timings[0].rows[0], *wrong = right + 1;
        unsigned sample = 0, n = 0;
        CHECK_EQ_INT(right->result->verify, MB_VERIFY_PASS);
        CHECK_EQ_INT(right->n_verified, n_blocks);
        CHECK_EQ_INT(wrong->result->status, MB_RESULT_FAILED);
        CHECK_EQ_INT(wrong->result->verify, MB_VERIFY_FAIL);
        printf("%s\n", wrong->result->reason);
        CHECK_EQ_INT(sscanf(wrong->result->reason, "wrong while timed: sample %u of %u: the ",
                            &sample, &n),
                     2);
        CHECK(sample >= 1 && sample <= N_SAMPLES && n == n_blocks);
        CHECK(wrong->n_verified < n_blocks && wrong->n_verified > n_blocks * 9 / 10);
        CHECK(wrong->stats.n == N_SAMPLES);
    }
    finish();
}

/* A kernel that is wrong once in 99 runs. */
static void test_once(struct mb_gpu *gpu)
{
    static const char *const specs[] = {"lies", "lies:lie=once-in-99", NULL};
    char *paths[] = {getenv("MB_TEST_LIES")};
    const struct mb_strlist list = {paths, MB_COUNTOF(paths)};
    struct mb_kernel_table kernels = {0};
    struct mb_err err = {0};
    if (!paths[0]) {
        mb_test_skip("MB_TEST_LIES names no manifest");
        return;
    }
    CHECK_EQ_INT(mb_kernel_table_init(&kernels, mb_strategies, &list, NULL, &err), MB_OK);
    CHECK_EQ_STR(err.text, "");
    if (kernels.strategies) {
        with_rows(gpu, kernels.strategies, specs, check_lies);
    }
    mb_kernel_table_finish(&kernels);
}

/* Chains of a sample that their images still hold when the stamps are behind them. */
static uint32_t count_hashed(const struct mb_timing *timing, const struct mb_row *row)
{
    uint32_t n = 0;
    for (uint32_t part = 0; part < MB_MAX_PARTS; part++) {
        n += row->n_chains[part] < timing->n_rotated ? row->n_chains[part] : timing->n_rotated;
    }
    return n;
}

static void check_conditions(struct mb_gpu *gpu, const struct mb_variant *rows)
{
    static const struct mb_condition conditions[] = {
        {MB_CACHE_HOT, MB_MODE_LATENCY},  {MB_CACHE_HOT, MB_MODE_THROUGHPUT},
        {MB_CACHE_HOT, MB_MODE_OVERLAP},  {MB_CACHE_COLD, MB_MODE_LATENCY},
        {MB_CACHE_COLD, MB_MODE_OVERLAP}, {MB_CACHE_COLD, MB_MODE_THROUGHPUT}};
    bed.settings.n_samples = 3;
    if (time_rows(gpu, rows, &plain, conditions, MB_COUNTOF(conditions))) {
        for (size_t i = 0; i < MB_COUNTOF(conditions); i++) {
            const struct mb_timing *timing = &bed.c.timings[i];
            for (size_t k = 0; k < 2; k++) {
                const struct mb_row *row = &timing->rows[k];
                CHECK_EQ_STR(row->result->reason, "");
                CHECK_EQ_INT(row->n_verified,
                             timing->samples.n_blocks * count_hashed(timing, row));
                CHECK(row->n_verified > 0);
            }
        }
    }
    finish();
}

/* Updates are verified whatever is beside them: one that writes farther, or blits, which take
 * even sizes. */
static void check_update(struct mb_gpu *gpu, const struct mb_variant *rows)
{
    const uint32_t side = strcmp(rows[0].strategy->name, "blit") == 0 ? 64 : 63;
    const struct mb_test_case test_case = {.extent = {side, side}, .rect = {20, 20, 9, 9}};
    bed.settings.n_samples = 20;
    if (time_rows(gpu, rows, &test_case, &hot, 1)) {
        for (size_t k = 0; k < 2; k++) {
            const struct mb_row *row = &bed.c.timings[0].rows[k];
            CHECK_EQ_STR(row->result->reason, "");
            CHECK_EQ_INT(row->n_verified, bed.c.timings[0].samples.n_blocks);
        }
    }
    finish();
}

static void test_conditions(struct mb_gpu *gpu)
{
    static const char *const specs[] = {"compute", "spd", NULL};
    static const char *const copying[] = {"spd-metal:copy=on", "compute", NULL};
    static const char *const alike[] = {"blit", "compute", NULL};
    static const char *const farther[] = {"compute", "compute:npot=floor", NULL};
    with_rows(gpu, mb_strategies, specs, check_conditions);
    with_rows(gpu, mb_strategies, copying, check_conditions);
    with_rows(gpu, mb_strategies, alike, check_update);
    with_rows(gpu, mb_strategies, farther, check_update);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_texels, test_sums, test_unsupported, test_once,
                             test_conditions);
}
