/* spd-metal:copy=on writes level 0 to an image of its own, bit for bit, in every format;
 * nothing else would see it if it did not. That image is found, and made readable, by standing
 * in for vkCreateImage while the strategy is set up. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "harness.h"
#include "vk/barrier.h"

static const char *const specs[] = {"spd-metal:copy=on", "spd-metal:copy=on:tail=group",
                                    "spd-metal", NULL};

#define N_COPYING_ROWS 2u

/* What the stand-in has seen. */
static struct {
    VkImage made;
    uint32_t n_made;
} spy;

static VKAPI_ATTR VkResult VKAPI_CALL
create_readable_image(VkDevice device, const VkImageCreateInfo *info,
                      const VkAllocationCallbacks *allocator, VkImage *image)
{
    VkImageCreateInfo readable = *info;
    readable.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    const VkResult result = REAL(vkCreateImage)(device, &readable, allocator, image);
    spy.made = *image;
    spy.n_made++;
    return result;
}

/* Set up as mb_test_instance does; spy.made is the image that it made then, if any. */
static enum mb_status init_spied(struct mb_instance *instance,
                                 const struct mb_test_image *test_image,
                                 const struct mb_variant *row, const struct mb_task *task)
{
    struct mb_err err = {0};
    spy.made = VK_NULL_HANDLE;
    spy.n_made = 0;
    STAND_IN(vkCreateImage, create_readable_image);
    const enum mb_status status = mb_test_instance(instance, test_image, row, task, &err);
    stand_ins_end();
    CHECK(status != MB_FAILED);
    return status;
}

/* Level 0 of the copy to the beginning of the test_image's read-back buffer. */
static void record_read_copy(const struct mb_test_image *test_image, VkCommandBuffer cmd)
{
    const struct mb_layout *layout = &test_image->full;
    const struct mb_vk_image copy = {
        .image = spy.made, .layout = *layout, .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
    const VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layout->n_layers},
        .imageExtent = {layout->base.width, layout->base.height, 1},
    };
    const VkMemoryBarrier to_host = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    mb_barrier_levels(cmd, &copy, 0, 1, &mb_access_readable, &mb_access_transfer_read);
    vkCmdCopyImageToBuffer(cmd, copy.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           test_image->readback.buffer, 1, &region);
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &to_host, 0, NULL, 0, NULL);
}

static enum mb_status run_and_read(struct mb_test_image *test_image,
                                   const struct mb_instance *instance, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_submission *submission = &test_image->submission;
    MB_TRY(mb_submission_begin(submission, err));
    /* An update expects a chain. */
    mb_record_poison(&test_image->image, test_image->full.n_levels, 0, submission->cmd);
    instance->strategy->record(instance->state, submission->cmd);
    record_read_copy(test_image, submission->cmd);
    MB_TRY(mb_submission_run(submission, err));
fail:
    return status;
}

/* Whether the read-back buffer holds the texels of `rect`, in every layer. */
static bool holds(const struct mb_test_image *test_image, const void *texels,
                  struct mb_rect rect)
{
    const struct mb_layout *layout = &test_image->full;
    const size_t texel_bytes = layout->format->texel_bytes;
    for (uint32_t row = 0; row < layout->n_layers * rect.height; row++) {
        const uint32_t layer = row / rect.height, y = rect.y + row % rect.height;
        const size_t texel = ((size_t)layer * layout->base.height + y) * layout->base.width;
        const size_t offset_bytes = (texel + rect.x) * texel_bytes;
        if (memcmp((const char *)test_image->readback.mapped + offset_bytes,
                   (const char *)texels + offset_bytes, rect.width * texel_bytes) != 0) {
            return false;
        }
    }
    return true;
}

/* One content after the other, so that what an earlier run left cannot pass for a copy. */
static void check_contents(struct mb_test_image *test_image, const struct mb_instance *instance,
                           const struct mb_task *task)
{
    static const char *const patterns[] = {"gradient", "noise"};
    for (size_t i = 0; i < MB_COUNTOF(patterns); i++) {
        struct mb_err err = {0};
        void *texels = mb_test_texels(&test_image->full, patterns[i]);
        const bool is_run = texels &&
                            mb_test_image_upload(test_image, texels, 1, &err) == MB_OK &&
                            run_and_read(test_image, instance, &err) == MB_OK;
        CHECK(is_run && holds(test_image, texels, task->rect));
        if (!is_run) {
            fprintf(stderr, "%s: %s\n", patterns[i], err.text);
        }
        mb_free(texels);
    }
}

/* True if the row can do it. */
static bool check_row(struct mb_test_image *test_image, const struct mb_variant *row,
                      const struct mb_task *task, bool is_copying)
{
    struct mb_instance instance = {0};
    const enum mb_status status = init_spied(&instance, test_image, row, task);
    if (status == MB_OK) {
        CHECK_EQ_INT(spy.n_made, is_copying ? 1 : 0);
        if (spy.n_made == 1) {
            check_contents(test_image, &instance, task);
        }
    }
    mb_instance_finish(&instance);
    return status == MB_OK;
}

/* How many rows did this format and task. */
static unsigned check_case(const struct mb_gpu *gpu, const struct mb_variant *rows,
                           size_t n_rows, const struct mb_format *format,
                           const struct mb_task *task)
{
    const struct mb_layout layout =
        mb_test_layout(format->name, (struct mb_extent){131, 70}, 3);
    struct mb_test_image test_image;
    unsigned n_done = 0;
    void *texels = mb_test_texels(&layout, "noise");
    const bool is_open = mb_test_open_image(&test_image, gpu, &layout, texels);
    for (size_t i = 0; is_open && i < n_rows; i++) {
        n_done += check_row(&test_image, &rows[i], task, i < N_COPYING_ROWS);
    }
    mb_test_image_finish(&test_image);
    mb_free(texels);
    return n_done;
}

static void test_copies(struct mb_gpu *gpu)
{
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan(specs, &n_rows);
    const struct mb_task tasks[] = {
        {.rect = {0, 0, 131, 70}},
        {.reduce = MB_REDUCE_MAX, .is_update = true, .rect = {60, 3, 68, 65}},
    };
    CHECK_EQ_INT(n_rows, MB_COUNTOF(specs) - 1);
    const size_t n_cases = mb_format_count * MB_COUNTOF(tasks);
    const size_t step = mb_test_takes_turns(gpu) ? 7 : 1;
    for (size_t i = 0; i < n_cases; i++) {
        if (i % step != 0) {
            mb_test_leave_out("formats, as a software device takes long");
            continue;
        }
        const struct mb_format *format = &mb_formats[i / MB_COUNTOF(tasks)];
        const struct mb_task *task = &tasks[i % MB_COUNTOF(tasks)];
        const unsigned n_done = check_case(gpu, rows, n_rows, format, task);
        printf("%-10s %s: %u rows\n", format->name, task->is_update ? "update" : "whole",
               n_done);
        /* Every device of Vulkan 1.2 stores to these (Vulkan, "Required Format Support"). */
        const bool must_do =
            strcmp(format->name, "rgba8") == 0 || strcmp(format->name, "r32f") == 0;
        CHECK(n_done == n_rows || (n_done == 0 && !must_do));
    }
    mb_free(rows);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_copies);
}
