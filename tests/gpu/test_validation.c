/* The validation layer over the product, which must be silent, and over planted defects, each
 * of which must be reported: a silent layer that is not listening proves nothing.
 *
 * usage: test_validation CASE; check_validation.py reads the messages. */
#include "base/alloc.h"
#include "bench/test_image.h"
#include "harness.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"

extern const struct mb_shader mb_spv_unordered;

static const struct mb_extent extent = {64, 64};

/* What every planted defect works on. */
struct bench {
    struct mb_gpu gpu;
    struct mb_test_image test_image;
    struct mb_submission submission;
};

static bool bench_init(struct bench *b)
{
    struct mb_layout layout;
    struct mb_err err = {0};
    mb_layout_init(&layout, mb_format_find("rgba8"), extent, 1, 3);
    void *texels = mb_test_texels(&layout, "noise");
    const bool is_open = mb_test_open_image(&b->test_image, &b->gpu, &layout, texels) &&
                         mb_submission_init(&b->submission, &b->gpu, "planted", &err) == MB_OK;
    CHECK(is_open);
    mb_free(texels);
    return is_open;
}

static void bench_run(struct bench *b)
{
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_submission_run(&b->submission, &err), MB_OK);
}

static void bench_finish(struct bench *b)
{
    mb_submission_finish(&b->submission);
    mb_test_image_finish(&b->test_image);
}

/* A sampled view of an image that may only be copied. */
static void plant_usage(struct bench *b)
{
    VkImageView view = VK_NULL_HANDLE;
    struct mb_vk_image image = {0};
    struct mb_err err = {0};
    const struct mb_vk_image_options storage_only = {
        .layout = &b->test_image.image.layout,
        .n_levels = b->test_image.image.n_levels,
        .usage = VK_IMAGE_USAGE_STORAGE_BIT,
        .name = "planted",
    };
    CHECK_EQ_INT(mb_vk_image_init(&image, &b->gpu, &storage_only, &err), MB_OK);
    const VkImageViewUsageCreateInfo usage = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
    };
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .pNext = &usage,
        .image = image.image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    (void)vkCreateImageView(b->gpu.device, &info, NULL, &view);
    vkDestroyImageView(b->gpu.device, view, NULL);
    mb_vk_image_finish(&image);
    bench_run(b);
}

/* A fence that outlives its device. */
static void plant_leak(struct bench *b)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    CHECK_EQ_INT(vkCreateFence(b->gpu.device, &info, NULL, &fence), VK_SUCCESS);
    bench_run(b);
}

/* A timestamp into a query that was never reset. */
static void plant_query(struct bench *b)
{
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = 1,
    };
    VkQueryPool pool;
    CHECK_EQ_INT(vkCreateQueryPool(b->gpu.device, &info, NULL, &pool), VK_SUCCESS);
    vkCmdWriteTimestamp(b->submission.cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, pool, 0);
    bench_run(b);
    vkDestroyQueryPool(b->gpu.device, pool, NULL);
}

/* Every level in GENERAL, where blits and storage images work without a layout change. */
static void all_general(const struct bench *b)
{
    static const struct mb_access general = {
        .stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        .access = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .layout = VK_IMAGE_LAYOUT_GENERAL,
    };
    mb_barrier_levels(b->submission.cmd, &b->test_image.image, 0, 1, &mb_access_readable,
                      &general);
    mb_barrier_levels(b->submission.cmd, &b->test_image.image, 1, 2, &mb_access_undefined,
                      &general);
}

static void plant_blit_barrier(struct bench *b)
{
    all_general(b);
    for (uint32_t level = 1; level < 3; level++) {
        const VkImageBlit region = {
            .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level - 1, 0, 1},
            .srcOffsets = {{0, 0, 0}, {64 >> (level - 1), 64 >> (level - 1), 1}},
            .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
            .dstOffsets = {{0, 0, 0}, {64 >> level, 64 >> level, 1}},
        };
        vkCmdBlitImage(b->submission.cmd, b->test_image.image.image, VK_IMAGE_LAYOUT_GENERAL,
                       b->test_image.image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region,
                       VK_FILTER_LINEAR);
    }
    bench_run(b);
}

static void plant_compute_barrier(struct bench *b)
{
    struct mb_pipeline compute = {0};
    struct mb_err err = {0};
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_unordered,
        .n_copies = 2,
        .name = "unordered",
    };
    CHECK_EQ_INT(mb_pipeline_init(&compute, &b->gpu, &options, &err), MB_OK);
    all_general(b);
    for (uint32_t level = 0; level < 2; level++) {
        const struct mb_dispatch dispatch = {
            .copy = level,
            .n_groups = {4u >> level, 4u >> level, 1},
        };
        const VkImageView *views = &b->test_image.image.storage[level];
        const struct mb_descriptor descriptors[] = {
            {.binding = 0, .views = &views[0]},
            {.binding = 1, .views = &views[1]},
        };
        mb_pipeline_bind(&compute, level, descriptors, MB_COUNTOF(descriptors));
        mb_pipeline_dispatch(&compute, b->submission.cmd, &dispatch);
    }
    bench_run(b);
    mb_pipeline_finish(&compute);
}

/* The same commands with their barriers: what is planted is the only thing wrong. */
static void plant_nothing(struct bench *b)
{
    all_general(b);
    mb_barrier_full(b->submission.cmd);
    bench_run(b);
}

static void run_rows(const struct mb_gpu *gpu, const struct mb_variant *rows, size_t n_rows,
                     const struct mb_test_case *test_case)
{
    struct mb_case c = {0};
    CHECK(mb_test_run_case(gpu, rows, n_rows, test_case, &c));
    for (size_t i = 0; i < c.n_results; i++) {
        if (c.results[i].status == MB_RESULT_FAILED) {
            printf("%s: %s\n", c.results[i].label, c.results[i].reason);
        }
        CHECK(c.results[i].status != MB_RESULT_FAILED);
    }
    mb_case_finish(&c);
}

/* What every strategy does by default, at an odd and an even size, in the formats that kernels
 * are told most of. */
static void run_strategies(const struct mb_gpu *gpu)
{
    static const struct mb_test_case cases[] = {
        {.extent = {65, 33}, .format = "rg11b10f"},
        {.extent = {64, 64}, .format = "rgba8-srgb"},
    };
    static const char *const defaults[] = {"all", NULL};
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan(defaults, &n_rows);
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        if (i > 0 && mb_test_is_quick()) {
            mb_test_leave_out("formats, in the short form");
        } else {
            run_rows(gpu, rows, n_rows, &cases[i]);
        }
    }
    mb_free(rows);
}

/* The product: every strategy in every variant. */
static void run_product(const struct mb_gpu *gpu)
{
    static const struct mb_extent extents[] = {
        {129, 257}, {1, 1}, {17, 5}, {512, 100}, {2, 1}, {64, 64},
    };
    const size_t n_extents = mb_test_is_quick()         ? 1
                             : mb_test_takes_turns(gpu) ? 3 /* all rows once */
                                                        : MB_COUNTOF(extents);
    for (uint32_t i = 0; i < n_extents; i++) {
        const struct mb_test_case test_case = {.extent = extents[i]};
        size_t n_rows = 0;
        struct mb_variant *rows = mb_test_plan(mb_test_specs, &n_rows);
        size_t n_kept = 0;
        for (size_t k = 0; k < n_rows; k++) {
            if (!mb_test_leaves_out(gpu, &rows[k], i)) {
                rows[n_kept++] = rows[k];
            }
        }
        run_rows(gpu, rows, n_kept, &test_case);
        mb_free(rows);
    }
    for (size_t i = n_extents; i < MB_COUNTOF(extents); i++) {
        mb_test_leave_out("sizes, as a software device takes long, or in the short form");
    }
    if (mb_test_takes_turns(gpu)) {
        mb_test_leave_out("other formats, which validation-chromium has");
    } else {
        run_strategies(gpu);
    }
}

static const struct {
    const char *name;
    void (*plant)(struct bench *b);
    bool is_reported;
} cases[] = {
    {"nothing", plant_nothing, false},
    {"usage", plant_usage, true},
    {"leak", plant_leak, true},
    {"query", plant_query, true},
    {"blit-barrier", plant_blit_barrier, true},
    {"compute-barrier", plant_compute_barrier, true},
};

static void run_planted(struct bench *b, size_t i)
{
    if (!bench_init(b)) {
        return;
    }
    cases[i].plant(b);
    bench_finish(b);
    /* Leaks are told when the device goes; the count must be read before its owner goes, too.
     */
    vkDestroyCommandPool(b->gpu.device, b->gpu.command_pool, NULL);
    vkDestroyDevice(b->gpu.device, NULL);
    b->gpu.command_pool = VK_NULL_HANDLE;
    b->gpu.device = VK_NULL_HANDLE;
    CHECK_EQ_INT(b->gpu.instance.n_messages > 0, cases[i].is_reported);
}

int main(int argc, char **argv)
{
    struct bench b = {0};
    const char *name = argc > 1 ? argv[1] : "product";
    const bool is_product = strcmp(name, "product") == 0,
               is_silent = is_product || strcmp(name, "strategies") == 0;
    const struct mb_gpu_options options = {.validate = true};
    const int opened = mb_test_open(&b.gpu, &options);
    if (opened != 0) {
        return opened;
    }
    /* What is planted is told with the device, which kept pipelines would outlive. */
    b.gpu.state->keeps_pipelines = is_silent;
    if (is_silent) {
        (is_product ? run_product : run_strategies)(&b.gpu);
        CHECK_EQ_INT(b.gpu.instance.n_messages, 0);
        mb_test_report_left_out();
    }
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        if (strcmp(name, cases[i].name) == 0) {
            run_planted(&b, i);
        }
    }
    mb_gpu_finish(&b.gpu);
    return check_summary(name);
}
