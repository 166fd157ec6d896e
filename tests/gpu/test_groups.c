/* How many workgroups the single-pass kernels dispatch for an update: those of the 64x64 tiles
 * that the changes touch, in every slice. A kernel that redid the whole image would write the
 * same texels, so the dispatch itself is looked at, by standing in for vkCmdDispatch. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "harness.h"

static struct {
    uint32_t x, y, z, n_dispatches;
} seen;

static VKAPI_ATTR void VKAPI_CALL note_dispatch(VkCommandBuffer cmd, uint32_t x, uint32_t y,
                                                uint32_t z)
{
    (void)cmd;
    seen.x = x;
    seen.y = y;
    seen.z = z;
    seen.n_dispatches++;
}

/* Record the strategy's commands, but for the dispatches themselves. */
static bool record(const struct mb_test_image *test_image, const struct mb_instance *instance,
                   struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_submission submission = {0};
    const PFN_vkCmdDispatch dispatch = vkCmdDispatch;
    MB_TRY(mb_submission_init(&submission, test_image->image.gpu, "groups", err));
    vkCmdDispatch = note_dispatch;
    instance->strategy->record(instance->state, submission.cmd);
    vkCmdDispatch = dispatch;
    MB_TRY(mb_submission_end(&submission, err));
fail:
    mb_submission_finish(&submission);
    return status == MB_OK;
}

static void check_groups(const struct mb_test_image *test_image, const struct mb_variant *row,
                         const struct mb_task *task, uint32_t n_wide, uint32_t n_high)
{
    struct mb_instance instance = {0};
    struct mb_err err = {0};
    seen.n_dispatches = 0;
    const bool is_recorded =
        mb_test_instance(&instance, test_image, row, task, &err) == MB_OK &&
        record(test_image, &instance, &err);
    CHECK(is_recorded);
    if (is_recorded) {
        CHECK_EQ_INT(seen.n_dispatches, 1);
        CHECK_EQ_INT(seen.x, n_wide);
        CHECK_EQ_INT(seen.y, n_high);
        CHECK_EQ_INT(seen.z, test_image->full.n_layers);
    } else {
        fprintf(stderr, "%s: %s\n", row->strategy->name, err.text);
    }
    mb_instance_finish(&instance);
}

/* SPD's examples: 512x512, a change in 3x4 tiles, and one in 5x4. Tiles of spd-tree
 * are strips as wide as the image and 16 texels high: 15 and 15. */
static void check_rows(const struct mb_test_image *test_image, const struct mb_variant *rows,
                       size_t n_rows)
{
    const struct mb_rect change = {.x = 70, .y = 10, .width = 170, .height = 230};
    const struct mb_rect wider = {.x = 64, .y = 64, .width = 316, .height = 236};
    const struct mb_task one = {.is_update = true, .rect = change};
    const struct mb_task other = {.is_update = true, .rect = wider};
    for (size_t i = 0; i < n_rows; i++) {
        const bool has_strips = strcmp(rows[i].strategy->name, "spd-tree") == 0;
        check_groups(test_image, &rows[i], &one, has_strips ? 1 : 3, has_strips ? 15 : 4);
        check_groups(test_image, &rows[i], &other, has_strips ? 1 : 5, has_strips ? 15 : 4);
    }
}

static void test_groups(struct mb_gpu *gpu)
{
    static const char *const specs[] = {"spd", "spd-metal", "spd-tree", NULL};
    const struct mb_layout layout = mb_test_layout("rgba8", (struct mb_extent){512, 512}, 2);
    struct mb_test_image test_image;
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan(specs, &n_rows);
    void *source = mb_test_texels(&layout, "noise");
    CHECK_EQ_INT(n_rows, MB_COUNTOF(specs) - 1);
    if (mb_test_open_image(&test_image, gpu, &layout, source)) {
        check_rows(&test_image, rows, n_rows);
    }
    mb_test_image_finish(&test_image);
    mb_free(rows);
    mb_free(source);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_groups);
}
