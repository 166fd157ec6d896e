/* spd:source=separate reads the image that it is given and nothing of level 0 of the other: the
 * latter is changed behind its back, and the chain must still be that of the source, and level
 * 0 what it was changed to. */
#include <stdio.h>
#include <string.h>

#include "../unit/check.h"
#include "base/alloc.h"
#include "harness.h"

/* A chain without mb_instance's own submission, which would bring the source up to date. */
static enum mb_status run_and_read(struct mb_test_image *test_image,
                                   const struct mb_instance *instance, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_submission *submission = &test_image->submission;
    MB_TRY(mb_submission_begin(submission, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, err));
    mb_test_image_record_poison(test_image, 0, submission->cmd);
    instance->strategy->record(instance->state, submission->cmd);
    mb_test_image_record_read(test_image, submission->cmd);
    MB_TRY(mb_submission_end(submission, err));
    MB_TRY(mb_submission_run(submission, err));
fail:
    return status;
}

/* What the read-back buffer holds: the changed level 0, and below it the chain of `source`. */
static void check_chain(const struct mb_test_image *test_image,
                        const struct mb_tolerance *tolerance, const void *source,
                        const void *changed)
{
    const struct mb_layout *layout = &test_image->full;
    const size_t n_bytes = layout->level_layer_bytes[0] * layout->n_layers;
    struct mb_err err = {0};
    struct mb_verifier verifier;
    struct mb_verdict verdict = {0};
    CHECK(memcmp(test_image->readback.mapped, changed, n_bytes) == 0);
    memcpy(test_image->readback.mapped, source, n_bytes); /* the model knows one level 0 only */
    mb_verifier_init(&verifier, layout, source);
    CHECK(mb_verify(&verifier, test_image->readback.mapped, tolerance, &verdict, &err) ==
          MB_OK);
    CHECK(verdict.pass);
    mb_verifier_finish(&verifier);
}

static void check_row(struct mb_test_image *test_image, const struct mb_variant *row,
                      const void *source, const void *changed)
{
    const struct mb_task task = {.n_rects = 1, .rects = {mb_rect_whole(test_image->full.base)}};
    const struct mb_vk_image *image = &test_image->image;
    struct mb_instance instance = {0};
    struct mb_err err = {0};
    const bool is_run = mb_instance_supports(image, row, &task, &err) == MB_OK &&
                        mb_instance_init(&instance, image, row, &task, &err) == MB_OK &&
                        mb_test_image_upload(test_image, changed, &err) == MB_OK &&
                        run_and_read(test_image, &instance, &err) == MB_OK;
    CHECK(is_run);
    if (is_run) {
        check_chain(test_image, &instance.work.tolerance, source, changed);
    } else {
        fprintf(stderr, "%s\n", err.text);
    }
    mb_instance_finish(&instance);
}

static void check_spec(const struct mb_gpu *gpu, const char *spec)
{
    const struct mb_extent extent = {131, 70};
    struct mb_err err = {0};
    struct mb_layout layout;
    struct mb_test_image test_image = {0};
    struct mb_variant *rows = NULL;
    size_t n_rows = 0;
    mb_layout_init(&layout, mb_format_find("rgba8"), extent, 3, mb_full_level_count(extent));
    void *source = mb_test_texels(&layout, "noise");
    void *changed = mb_test_texels(&layout, "gradient");
    const bool is_open =
        source && changed &&
        mb_plan_variants(mb_strategies, &spec, 1, &rows, &n_rows, &err) == MB_OK &&
        mb_test_make_image(&test_image, gpu, &layout, source, &err) == MB_OK;
    CHECK(is_open && n_rows == 1);
    if (is_open) {
        check_row(&test_image, &rows[0], source, changed);
    } else {
        fprintf(stderr, "%s: %s\n", spec, err.text);
    }
    mb_test_image_finish(&test_image);
    mb_free(rows);
    mb_free(changed);
    mb_free(source);
}

int main(void)
{
    struct mb_gpu gpu;
    const int code = mb_test_open(&gpu, false);
    if (code != 0) {
        return code;
    }
    check_spec(&gpu, "spd:source=separate");
    check_spec(&gpu, "spd:source=separate:load=texel:wave=off:slices=each");
    CHECK_EQ_INT(gpu.state->n_validation_messages, 0);
    mb_gpu_finish(&gpu);
    return check_summary("source");
}
