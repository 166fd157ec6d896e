/* What raster says of its work, and when it refuses. */
#include <string.h>

#include "base/alloc.h"
#include "bench/timing/intercept.h"
#include "bench/plan.h"
#include "harness.h"

#define MAX_DRAWS 64u

struct bench {
    struct mb_test_image test_image;
    struct mb_variant row;
    struct mb_task task;
};

static enum mb_status supports(const struct bench *b, struct mb_err *why)
{
    return mb_instance_supports(&b->test_image.image, &b->row, &b->task, why);
}

/* An 8x8 image of three layers, and the one row that draws. */
static bool bench_init(struct bench *b, const struct mb_gpu *gpu)
{
    static const char *const specs[] = {"raster", NULL};
    const struct mb_layout layout = mb_test_layout("rgba8", (struct mb_extent){8, 8}, 3);
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan(specs, &n_rows);
    void *texels = mb_test_texels(&layout, "noise");
    *b = (struct bench){.task = mb_test_whole(layout.base)};
    const bool is_open = mb_test_open_image(&b->test_image, gpu, &layout, texels);
    CHECK_EQ_INT(n_rows, 1);
    if (rows) {
        b->row = rows[0];
    }
    mb_free(rows);
    mb_free(texels);
    return is_open && b->row.strategy;
}

static void check_refusal(const struct bench *b, const char *what)
{
    struct mb_err why = {0};
    CHECK_EQ_INT(supports(b, &why), MB_UNSUPPORTED);
    printf("%s\n", why.text);
    CHECK(strstr(why.text, what) != NULL);
}

static void check_refusals(const struct bench *b)
{
    struct mb_err why = {0};
    CHECK_EQ_INT(supports(b, &why), MB_OK);

    struct bench undrawable = *b;
    undrawable.test_image.image.usage &=
        ~(VkImageUsageFlags)VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    check_refusal(&undrawable, "images of format rgba8");

    struct mb_gpu gpu = *b->test_image.image.gpu;
    struct bench other = *b;
    other.test_image.image.gpu = &gpu;
    gpu.info.features.rendering.dynamicRendering = false;
    check_refusal(&other, "dynamicRendering");

    gpu = *b->test_image.image.gpu;
    gpu.info.max_attachment_dimension = 4; /* as level 1 has */
    CHECK_EQ_INT(supports(&other, &why), MB_OK);
    gpu.info.max_attachment_dimension = 3;
    check_refusal(&other, "at most 3x3 texels; level 1 has 4x4");

    gpu = *b->test_image.image.gpu;
    gpu.info.queue_flags &= ~(VkQueueFlags)VK_QUEUE_GRAPHICS_BIT;
    check_refusal(&other, "graphics");
}

/* As many draws as it says, each of which can be stamped. */
static void check_draws(const struct bench *b, uint32_t n_wanted)
{
    struct mb_instance instance = {0};
    struct mb_timer timer = {0};
    struct mb_submission submission = {0};
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_instance_init(&instance, &b->test_image.image, &b->row, &b->task, &err),
                 MB_OK);
    CHECK_EQ_INT(mb_timer_init(&timer, b->test_image.image.gpu, MAX_DRAWS, &err), MB_OK);
    CHECK_EQ_INT(mb_submission_init(&submission, b->test_image.image.gpu, "raster", &err),
                 MB_OK);
    if (instance.state && submission.cmd) {
        CHECK_EQ_INT(instance.work.n_dispatches, n_wanted);
        mb_timer_reset(&timer, submission.cmd, 0, MAX_DRAWS);
        CHECK_EQ_INT(mb_hook_record_stamped(b->row.strategy, instance.state, &timer, 0,
                                            MAX_DRAWS, submission.cmd),
                     n_wanted);
        CHECK_EQ_INT(mb_submission_run(&submission, &err), MB_OK);
    }
    mb_submission_finish(&submission);
    mb_timer_finish(&timer);
    mb_instance_finish(&instance);
}

static void test_raster(struct mb_gpu *gpu)
{
    struct bench b;
    if (!gpu->info.features.rendering.dynamicRendering ||
        !(gpu->info.queue_flags & VK_QUEUE_GRAPHICS_BIT)) {
        mb_test_skip("the device does not draw");
        return;
    }
    if (bench_init(&b, gpu)) {
        check_refusals(&b);
        check_draws(&b, 3 * 3);
    }
    mb_test_image_finish(&b.test_image);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_raster);
}
