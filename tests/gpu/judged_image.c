/* Chains of any strategy on one image, held to the golden model. */
#include "judged_image.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define MAX_REFUSALS 64u

static struct refusal {
    const char *strategy;
    char reason[512];
    unsigned n_times;
} refusals[MAX_REFUSALS];
static size_t n_refusals;

bool mb_judged_image_init(struct judged_image *image, const struct mb_gpu *gpu,
                          const struct mb_layout *layout, const char *pattern)
{
    return mb_judged_image_of(image, gpu, layout, mb_test_texels(layout, pattern));
}

bool mb_judged_image_of(struct judged_image *image, const struct mb_gpu *gpu,
                        const struct mb_layout *layout, void *texels)
{
    *image = (struct judged_image){.layout = *layout, .texels = texels};
    if (!mb_test_open_image(&image->test_image, gpu, &image->layout, image->texels)) {
        mb_free(image->texels);
        *image = (struct judged_image){0};
        return false;
    }
    mb_verifier_init(&image->verifier, &image->layout, image->texels);
    return true;
}

void mb_judged_image_finish(struct judged_image *image)
{
    mb_verifier_finish(&image->verifier);
    mb_test_image_finish(&image->test_image);
    mb_free(image->texels);
    *image = (struct judged_image){0};
}

static void note_refusal(const char *strategy, const char *reason)
{
    size_t i = 0;
    while (i < n_refusals &&
           (refusals[i].strategy != strategy || strcmp(refusals[i].reason, reason) != 0)) {
        i++;
    }
    CHECK(i < MAX_REFUSALS);
    if (i < MAX_REFUSALS) {
        n_refusals += i == n_refusals;
        refusals[i].strategy = strategy;
        snprintf(refusals[i].reason, sizeof refusals[i].reason, "%s", reason);
        refusals[i].n_times++;
    }
}

void mb_report_refusals(void)
{
    for (size_t i = 0; i < n_refusals; i++) {
        printf("%s refused %u times: %s\n", refusals[i].strategy, refusals[i].n_times,
               refusals[i].reason);
    }
}

static void print_failure(const struct judged_image *image, const struct mb_variant *row,
                          const struct mb_task *task, const char *what)
{
    const struct mb_layout *layout = &image->layout;
    fprintf(stderr, "%s on %ux%u %s, %u layers, %s, alpha %s: %s\n", mb_test_label(row),
            layout->base.width, layout->base.height, layout->format->name, layout->n_layers,
            mb_reduce_names[task->reduce], mb_alpha_name(task->alpha), what);
}

enum mb_status mb_judge_row(struct judged_image *image, const struct mb_variant *row,
                            const struct mb_task *task, unsigned n_runs,
                            struct mb_verdict *verdict)
{
    static uint32_t poison;
    struct mb_test_image *test_image = &image->test_image;
    struct mb_instance instance = {0};
    struct mb_err err = {0};
    *verdict = (struct mb_verdict){0};
    enum mb_status status = mb_test_instance(&instance, test_image, row, task, &err);
    if (status == MB_UNSUPPORTED) {
        const bool may_refuse =
            mb_test_may_refuse(test_image->image.gpu, row, &image->layout, task);
        CHECK(may_refuse && strlen(err.text) > 10);
        if (!may_refuse) {
            print_failure(image, row, task, err.text);
        }
        note_refusal(row->strategy->name, err.text);
        return status;
    }
    for (unsigned i = 0; status == MB_OK && i < n_runs; i++) {
        status = mb_test_run_chain(test_image, &instance, poison++, &err);
    }
    if (status == MB_OK) {
        status = mb_verify(&image->verifier, test_image->readback.mapped,
                           &instance.work.tolerance, verdict, &err);
    }
    CHECK_EQ_INT(status, MB_OK);
    CHECK(verdict->pass);
    if (!verdict->pass) {
        print_failure(image, row, task,
                      status == MB_OK ? mb_bad_texel_describe(&verdict->first_bad).s
                                      : err.text);
    }
    mb_instance_finish(&instance);
    return status;
}
