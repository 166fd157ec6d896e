/* The images that a timing goes round. */
#include "bench/timing/rotation.h"

#include "base/alloc.h"

/* On the device, level by level: nothing is uploaded again. */
static enum mb_status copy_all(const struct mb_rotation *rotation, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_submission submission = {0};
    MB_TRY(mb_submission_init(&submission, rotation->test_image->image.gpu, "rotation", err));
    MB_TRY(mb_submission_begin(&submission, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, err));
    for (uint32_t i = 0; i + 1 < rotation->n_images; i++) {
        mb_record_image_copy(submission.cmd, &rotation->test_image->image,
                             &rotation->further[i], rotation->test_image->full.n_levels);
    }
    MB_TRY(mb_submission_end(&submission, err));
    MB_TRY(mb_submission_run(&submission, err));
fail:
    mb_submission_finish(&submission);
    return status;
}

enum mb_status mb_rotation_init(struct mb_rotation *rotation,
                                const struct mb_test_image *test_image, uint32_t n_images,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_vk_image_options options = {
        .layout = &test_image->image.layout,
        .n_levels = test_image->full.n_levels,
        .is_cube = test_image->image.is_cube,
        .usage = test_image->image.usage,
        .is_raw = test_image->image.is_raw,
        .name = "image of the rotation",
    };
    *rotation = (struct mb_rotation){.test_image = test_image, .n_images = 1};
    if (n_images == 1) {
        return MB_OK;
    }
    rotation->further = mb_alloc(n_images - 1, sizeof *rotation->further);
    if (!rotation->further) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "rotation: out of memory");
    }
    for (; rotation->n_images < n_images; rotation->n_images++) {
        MB_TRY(mb_vk_image_init(&rotation->further[rotation->n_images - 1],
                                test_image->image.gpu, &options, err));
    }
    MB_TRY(copy_all(rotation, err));
    return MB_OK;
fail:
    mb_rotation_finish(rotation);
    return status;
}

void mb_rotation_finish(struct mb_rotation *rotation)
{
    for (uint32_t i = 0; i + 1 < rotation->n_images; i++) {
        mb_vk_image_finish(&rotation->further[i]);
    }
    mb_free(rotation->further);
    *rotation = (struct mb_rotation){0};
}

const struct mb_vk_image *mb_rotation_image(const struct mb_rotation *rotation, uint32_t index)
{
    return index == 0 ? &rotation->test_image->image : &rotation->further[index - 1];
}
