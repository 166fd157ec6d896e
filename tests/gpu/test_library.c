/* spd-tree's library by its own calls, as an engine makes them, where the strategy spd-tree,
 * which the table of chains has, calls it otherwise or not at all: formats without a name here,
 * depth, a part of the layers, several jobs at once, updates in place, push descriptors. Every
 * texel is judged. What else it promises, of pipelines, features and failures, is in
 * test_library_calls.c. */
#include <stdio.h>

#include "library_chain.h"
#include "vk/barrier.h"

struct format {
    VkFormat vk_format;
    const char *name; /* of a format with the same channels at the same places */
};

/* Those of engines that mipbench has under no name of its own. */
static const struct format formats[] = {
    {VK_FORMAT_B8G8R8A8_UNORM, "rgba8"},
    {VK_FORMAT_B8G8R8A8_SRGB, "rgba8-srgb"},
    {VK_FORMAT_A2R10G10B10_UNORM_PACK32, "rgb10a2"},
};

static const struct format rgba8 = {VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
                           r32f = {VK_FORMAT_R32_SFLOAT, "r32f"},
                           rgba16f = {VK_FORMAT_R16G16B16A16_SFLOAT, "rgba16f"},
                           bgra8_srgb = {VK_FORMAT_B8G8R8A8_SRGB, "rgba8-srgb"};

static const struct mb_extent odd = {259, 131}, even = {256, 192};

/* A job that makes all levels; its case is named after it, until the next call. */
static struct library_info info_of(struct spd_tree *tree, struct format format,
                                   struct mb_extent extent, enum spd_tree_reduction reduction)
{
    static const char *const reductions[] = {"average", "minimum", "maximum"};
    static char name[128];
    snprintf(name, sizeof name, "format %d (%s), %ux%u, %s", (int)format.vk_format, format.name,
             extent.width, extent.height, reductions[reduction]);
    return (struct library_info){
        .name = name,
        .tree = tree,
        .format = format.name,
        .job =
            {
                .width = extent.width,
                .height = extent.height,
                .n_levels = mb_full_level_count(extent),
                .n_layers = 1,
                .format = format.vk_format,
                .reduction = reduction,
            },
    };
}

/* ---- Formats and depth */

static void test_formats(struct mb_gpu *gpu)
{
    struct spd_tree *tree = mb_library_tree(gpu, NULL);
    unsigned n_done = 0;
    for (unsigned i = 0; tree && i < MB_COUNTOF(formats) * 4; i++) {
        const struct library_info info =
            info_of(tree, formats[i / 4], i % 2 ? odd : even,
                    i / 2 % 2 ? SPD_TREE_MAXIMUM : SPD_TREE_AVERAGE);
        n_done += mb_library_try(gpu, &info);
    }
    printf("formats: %u chains\n", n_done);
    CHECK(n_done > 0);
    for (unsigned i = 0; tree && i < 2; i++) { /* colour weighted by alpha */
        struct library_info info = info_of(tree, bgra8_srgb, i ? odd : even, SPD_TREE_AVERAGE);
        info.job.weighs_alpha = true;
        mb_library_try(gpu, &info);
    }
    spd_tree_destroy(tree);
}

static void test_depth(struct mb_gpu *gpu)
{
    static const struct format depths[] = {
        {VK_FORMAT_D32_SFLOAT, "D32_SFLOAT"},
        {VK_FORMAT_D16_UNORM, "D16_UNORM"},
        {VK_FORMAT_X8_D24_UNORM_PACK32, "X8_D24_UNORM_PACK32"},
        {VK_FORMAT_D24_UNORM_S8_UINT, "D24_UNORM_S8_UINT"},
    };
    struct spd_tree *tree = mb_library_tree(gpu, NULL);
    for (unsigned i = 0; tree && i < MB_COUNTOF(depths) * 4; i++) {
        char name[64];
        const bool is_odd = i % 2, is_maximum = i / 2 % 2;
        struct library_info info = info_of(tree, r32f, is_odd ? odd : even,
                                           is_maximum ? SPD_TREE_MAXIMUM : SPD_TREE_MINIMUM);
        info.depth = depths[i / 4].vk_format;
        info.job.is_depth = true;
        info.job.n_layers = 1 + is_odd;
        snprintf(name, sizeof name, "%s, %s, %s", depths[i / 4].name, is_odd ? "odd" : "even",
                 is_maximum ? "maximum" : "minimum");
        info.name = name;
        if (mb_library_try(gpu, &info) && i % 4 == 0) {
            printf("depth: %s\n", depths[i / 4].name);
        }
    }
    spd_tree_destroy(tree);
}

static void test_layers(struct mb_gpu *gpu)
{
    struct spd_tree *tree = mb_library_tree(gpu, NULL);
    for (unsigned i = 0; tree && i < 4; i++) {
        struct library_info info = info_of(tree, i / 2 ? r32f : bgra8_srgb, i % 2 ? odd : even,
                                           i / 2 ? SPD_TREE_MAXIMUM : SPD_TREE_AVERAGE);
        info.name = i / 2 ? "layers 1 and 2 of 4, r32f" : "layers 1 and 2 of 4, bgra8-srgb";
        info.job.n_layers = 2;
        info.n_layers = 4;
        info.first_layer = 1;
        mb_library_try(gpu, &info);
    }
    spd_tree_destroy(tree);
}

/* ---- Several at once */

#define N_TOGETHER 4u

/* Jobs of several kinds, whose scratch is one buffer. */
static bool open_together(const struct mb_gpu *gpu, struct spd_tree *tree,
                          struct library_chain *chains, struct mb_buffer *scratch)
{
    const struct format kinds[N_TOGETHER] = {rgba8, r32f, bgra8_srgb, rgba16f};
    struct library_info infos[N_TOGETHER];
    struct mb_err err = {0};
    VkDeviceSize n_bytes = 0;
    for (unsigned i = 0; i < N_TOGETHER; i++) {
        infos[i] = info_of(tree, kinds[i], i % 2 ? odd : even,
                           i == 1 ? SPD_TREE_MINIMUM : SPD_TREE_AVERAGE);
        infos[i].name = "several in one command buffer";
        infos[i].scratch = scratch;
        infos[i].scratch_offset = n_bytes;
        n_bytes += (spd_tree_scratch_bytes(tree, &infos[i].job) + 255) / 256 * 256;
    }
    enum mb_status status =
        mb_buffer_init(scratch, gpu, MB_BUFFER_DEVICE, n_bytes, "scratch of all", &err);
    for (unsigned i = 0; status == MB_OK && i < N_TOGETHER; i++) {
        status = mb_library_init(&chains[i], gpu, &infos[i], &err);
    }
    mb_library_check(status == MB_OK, infos[0].name, err.text);
    return status == MB_OK;
}

/* Without barriers between dispatches; `n_times`, with one barrier before the next time. */
static void run_together(struct library_chain *chains, unsigned n_times)
{
    struct mb_submission *submission = &chains[0].submission;
    const VkCommandBuffer cmd = submission->cmd;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_submission_begin(submission, &err), MB_OK);
    for (unsigned i = 0; i < N_TOGETHER; i++) {
        mb_library_record_upload(&chains[i], cmd, true);
    }
    for (unsigned i = 0; i < N_TOGETHER * n_times; i++) {
        if (i > 0 && i % N_TOGETHER == 0) {
            mb_barrier_memory(cmd, &mb_access_compute_write, &mb_access_compute_read_write);
        }
        mb_library_record_make(&chains[i % N_TOGETHER], cmd);
    }
    for (unsigned i = 0; i < N_TOGETHER; i++) {
        mb_library_record_read(&chains[i], cmd);
    }
    CHECK_EQ_INT(mb_submission_run(submission, &err), MB_OK);
    for (unsigned i = 0; i < N_TOGETHER; i++) {
        mb_library_judge(&chains[i]);
    }
}

static void test_together(struct mb_gpu *gpu)
{
    struct library_chain chains[N_TOGETHER] = {0};
    struct mb_buffer scratch = {0};
    struct spd_tree *tree = mb_library_tree(gpu, NULL);
    if (tree && open_together(gpu, tree, chains, &scratch)) {
        run_together(chains, 1);
        for (unsigned i = 0; i < N_TOGETHER; i++) {
            chains[i].info.name = "twice in one command buffer";
        }
        run_together(chains, 2);
        for (unsigned i = 0; i < N_TOGETHER; i++) {
            chains[i].info.name = "scratch from frame to frame";
        }
        run_together(chains, 1);
        run_together(chains, 3);
    }
    for (unsigned i = 0; i < N_TOGETHER; i++) {
        mb_library_finish(&chains[i]);
    }
    mb_buffer_finish(&scratch);
    spd_tree_destroy(tree);
}

/* ---- Updates */

/* Upload level 0, over poison if asked for, and update the rectangle; then all is judged. */
static enum mb_status update(struct library_chain *c, VkRect2D rect, bool is_poisoned,
                             struct mb_err *err)
{
    const VkCommandBuffer cmd = c->submission.cmd;
    c->info.job.changed = rect;
    MB_DO(MB_VK(spd_tree_prepare(c->info.tree, &c->info.job)));
    MB_DO(mb_submission_begin(&c->submission, err));
    mb_library_record_upload(c, cmd, is_poisoned);
    mb_library_record_make(c, cmd);
    mb_library_record_read(c, cmd);
    MB_DO(mb_submission_run(&c->submission, err));
    mb_library_judge(c);
    return MB_OK;
}

/* By the rectangle in one image and as a whole in another: the same levels. */
static void check_update(const struct mb_gpu *gpu, const struct library_info *info,
                         VkRect2D rect)
{
    const VkRect2D whole = {{0, 0}, {info->job.width, info->job.height}};
    struct library_chain part = {0}, all = {0};
    struct library_info used = *info;
    struct mb_err err = {0};
    used.job.changed = whole;
    enum mb_status status = mb_library_init(&part, gpu, &used, &err);
    status = status == MB_OK ? mb_library_init(&all, gpu, &used, &err) : status;
    status = status == MB_OK ? update(&part, whole, true, &err) : status;
    if (status == MB_OK) {
        mb_library_change(&part, rect);
        mb_library_change(&all, rect);
        status = update(&part, rect, false, &err);
    }
    status = status == MB_OK ? update(&all, whole, true, &err) : status;
    mb_library_check(status == MB_OK, info->name, err.text);
    mb_library_check(status == MB_OK && mb_library_is_same(&part, &all), info->name,
                     "an update of a part made other levels than of the whole");
    mb_library_finish(&part);
    mb_library_finish(&all);
}

static void test_updates(struct mb_gpu *gpu)
{
    static const VkRect2D rects[] = {
        {{130, 60}, {1, 1}}, {{63, 17}, {70, 50}}, {{200, 100}, {56, 31}}, {{0, 0}, {3, 131}}};
    const struct format kinds[] = {rgba8, bgra8_srgb, rgba16f, r32f};
    struct spd_tree *tree = mb_library_tree(gpu, NULL);
    for (unsigned i = 0; tree && i < MB_COUNTOF(rects); i++) {
        char name[192];
        const VkRect2D rect = rects[i];
        struct library_info info = info_of(tree, kinds[i], i % 2 ? odd : even,
                                           i == 3 ? SPD_TREE_MAXIMUM : SPD_TREE_AVERAGE);
        info.job.n_layers = 1 + i % 2;
        snprintf(name, sizeof name, "update of %ux%u at (%d, %d): %s", rect.extent.width,
                 rect.extent.height, rect.offset.x, rect.offset.y, info.name);
        info.name = name;
        check_update(gpu, &info, rect);
    }
    spd_tree_destroy(tree);
}

/* ---- Push descriptors */

static void check_pushed(const struct mb_gpu *gpu, struct spd_tree *trees[2], unsigned kind)
{
    const struct format kinds[] = {rgba8, bgra8_srgb, r32f, rgba16f};
    struct library_chain c[2] = {0};
    struct mb_err err = {0};
    enum mb_status status = MB_OK;
    for (unsigned i = 0; status == MB_OK && i < 2; i++) {
        struct library_info info = info_of(trees[i], kinds[kind], kind % 2 ? odd : even,
                                           kind == 2 ? SPD_TREE_MAXIMUM : SPD_TREE_AVERAGE);
        info.name = i ? "push descriptors" : "sets";
        info.is_pushed = i == 1;
        if (kind == 3) { /* an update reads levels, too */
            info.job.changed.extent = (VkExtent2D){info.job.width, info.job.height};
        }
        status = mb_library_init(&c[i], gpu, &info, &err);
        status = status == MB_OK ? mb_library_run(&c[i], &err) : status;
        if (status == MB_OK) {
            mb_library_judge(&c[i]);
        }
    }
    mb_library_check(status == MB_OK, "push descriptors", err.text);
    mb_library_check(status == MB_OK && mb_library_is_same(&c[0], &c[1]), "push descriptors",
                     "other levels than with sets");
    mb_library_finish(&c[0]);
    mb_library_finish(&c[1]);
}

static void test_push_descriptors(struct mb_gpu *gpu)
{
    if (!mb_features_has(&gpu->info.features, "VK_KHR_push_descriptor")) {
        puts("left out: the device has no push descriptors");
        return;
    }
    struct spd_tree *trees[2] = {mb_library_tree(gpu, NULL),
                                 mb_library_tree(gpu, vkCmdPushDescriptorSetKHR)};
    for (unsigned i = 0; trees[0] && trees[1] && i < 4; i++) {
        check_pushed(gpu, trees, i);
    }
    spd_tree_destroy(trees[0]);
    spd_tree_destroy(trees[1]);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_formats, test_depth, test_layers, test_together, test_updates,
                             test_push_descriptors);
}
