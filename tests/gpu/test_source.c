/* spd:source=separate reads the image that it is given and nothing of level 0 of the other: the
 * latter is changed behind its back, and the chain must still be that of the source, and level
 * 0 what it was changed to. */
#include <stdio.h>
#include <string.h>

#include "../unit/check.h"
#include "base/alloc.h"
#include "harness.h"

/* A chain without mb_trial's own submission, which would bring the source up to date. */
static enum mb_status run_and_read(struct mb_rig *rig, const struct mb_trial *trial,
                                   struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_submission *submission = &rig->submission;
    MB_TRY(mb_submission_begin(submission, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, err));
    mb_rig_record_poison(rig, 0, submission->cmd);
    trial->strategy->record(trial->state, submission->cmd);
    mb_rig_record_read(rig, submission->cmd);
    MB_TRY(mb_submission_end(submission, err));
    MB_TRY(mb_submission_run(submission, err));
fail:
    return status;
}

/* What the read-back buffer holds: the changed level 0, and below it the chain of `source`. */
static void check_chain(const struct mb_rig *rig, const struct mb_claim *claim,
                        const void *source, const void *changed)
{
    const struct mb_layout *layout = &rig->full;
    const size_t n_bytes = layout->level_layer_bytes[0] * layout->n_layers;
    struct mb_err err = {0};
    struct mb_verifier verifier;
    struct mb_verdict verdict = {0};
    CHECK(memcmp(rig->readback.mapped, changed, n_bytes) == 0);
    memcpy(rig->readback.mapped, source, n_bytes); /* the model knows one level 0 only */
    mb_verifier_init(&verifier, layout, source);
    CHECK(mb_verify(&verifier, rig->readback.mapped, claim, &verdict, &err) == MB_OK);
    CHECK(verdict.pass);
    mb_verifier_finish(&verifier);
}

static void check_row(struct mb_rig *rig, const struct mb_row *row, const void *source,
                      const void *changed)
{
    const struct mb_task task = {.n_rects = 1, .rects = {mb_rect_whole(rig->full.base)}};
    const struct mb_trial_options options = {
        .rig = rig, .row = row, .task = &task, .name = row->strategy->name};
    struct mb_trial trial = {0};
    struct mb_err err = {0};
    const bool is_run = mb_trial_supports(&options, &err) == MB_OK &&
                        mb_trial_init(&trial, &options, &err) == MB_OK &&
                        mb_rig_upload(rig, changed, &err) == MB_OK &&
                        run_and_read(rig, &trial, &err) == MB_OK;
    CHECK(is_run);
    if (is_run) {
        check_chain(rig, &trial.work.claim, source, changed);
    } else {
        fprintf(stderr, "%s\n", err.text);
    }
    mb_trial_finish(&trial);
}

static void check_spec(const struct mb_gpu *gpu, const char *spec)
{
    const struct mb_extent extent = {131, 70};
    struct mb_err err = {0};
    struct mb_layout layout;
    struct mb_rig rig = {0};
    struct mb_row *rows = NULL;
    size_t n_rows = 0;
    mb_layout_init(&layout, mb_format_find("rgba8"), extent, 3, mb_full_level_count(extent));
    void *source = mb_test_texels(&layout, "noise");
    void *changed = mb_test_texels(&layout, "gradient");
    const struct mb_rig_options options = {
        .layout = &layout, .n_image_levels = layout.n_levels, .source = source};
    const bool is_open = source && changed &&
                         mb_plan_rows(mb_strategies, &spec, 1, &rows, &n_rows, &err) == MB_OK &&
                         mb_rig_init(&rig, gpu, &options, &err) == MB_OK;
    CHECK(is_open && n_rows == 1);
    if (is_open) {
        check_row(&rig, &rows[0], source, changed);
    } else {
        fprintf(stderr, "%s: %s\n", spec, err.text);
    }
    mb_rig_finish(&rig);
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
