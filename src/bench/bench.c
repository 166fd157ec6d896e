/* A whole run: every input in every format at every size is a case. */
#include "bench/bench.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/image_case.h"

/* Inputs beyond this many bytes of texels are decoded again when their turn comes. */
#define KEEP_BYTES (UINT64_C(1) << 30)

static uint64_t image_bytes(const struct mb_image *image)
{
    return (uint64_t)mb_depth_texel_bytes(image->depth) * image->width * image->height;
}

/* Decode an input and check the shapes asked of it. */
static enum mb_status open_input(const struct mb_settings *settings, size_t index,
                                 struct mb_image *image, struct mb_err *err)
{
    const char *input = settings->inputs[index];
    MB_DO(mb_image_open(image, input, settings->seed, err));
    return mb_image_check_shapes(settings, image, input, err);
}

enum mb_status mb_inputs_open(const struct mb_settings *settings, struct mb_inputs *inputs,
                              struct mb_err *err)
{
    enum mb_status status = MB_OK;
    uint64_t kept_bytes = 0;
    *inputs = (struct mb_inputs){.n_inputs = settings->n_inputs};
    inputs->images = mb_alloc(settings->n_inputs, sizeof *inputs->images);
    MB_TRY(MB_NEED(inputs->images, "inputs"));
    for (size_t i = 0; i < settings->n_inputs; i++) {
        struct mb_image *image = &inputs->images[i];
        MB_TRY(open_input(settings, i, image, err));
        kept_bytes += image_bytes(image);
        if (kept_bytes > KEEP_BYTES && i > 0) {
            kept_bytes -= image_bytes(image);
            mb_free(image->texels); /* its digest stays */
            image->texels = NULL;
        }
    }
    return MB_OK;
fail:
    mb_inputs_finish(inputs);
    return status;
}

void mb_inputs_finish(struct mb_inputs *inputs)
{
    for (size_t i = 0; inputs->images && i < inputs->n_inputs; i++) {
        mb_image_finish(&inputs->images[i]);
    }
    mb_free(inputs->images);
    *inputs = (struct mb_inputs){0};
}

size_t mb_bench_n_images(const struct mb_settings *settings)
{
    return settings->n_inputs * mb_settings_n_images(settings);
}

/* The name of an input becomes a folder and the id of a case: a second file with the same stem
 * gets a number. */
static void make_name_unique(const struct mb_run *run, struct mb_case *c)
{
    unsigned n_same = 1;
    size_t n = strlen(c->input_name);
    for (size_t i = 0; i < run->n_cases; i++) {
        const struct mb_case *other = run->cases[i];
        n_same += other != c && strncmp(other->input_name, c->input_name, n) == 0 &&
                  (other->input_name[n] == '\0' || other->input_name[n] == '~') &&
                  other->layout.format == c->layout.format &&
                  other->layout.base.width == c->layout.base.width &&
                  other->layout.base.height == c->layout.base.height;
    }
    if (n_same > 1) {
        n = n < sizeof c->input_name - 8 ? n : sizeof c->input_name - 8;
        snprintf(c->input_name + n, sizeof c->input_name - n, "~%u", n_same);
    }
}

/* A run in progress. */
struct progress {
    struct mb_case_options options;
    struct mb_calibration calibration;
    struct mb_run *run;
    bool is_complete; /* no case was interrupted */
};

/* Run one image under all conditions. Its case is kept if it is complete, or was interrupted
 * with some samples. */
static enum mb_status run_image(struct progress *p, const struct mb_image *image, size_t index,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_hooks *hooks = p->options.hooks;
    void *source = NULL;
    bool is_kept = false;
    struct mb_case *c = mb_run_add_case(p->run);
    MB_DO(MB_NEED(c, "results"));
    hooks->on_case_begin(hooks->user, index);
    MB_TRY(mb_image_make_case(image, p->options.settings, index, c, &source, err));
    make_name_unique(p->run, c);
    MB_TRY(p->options.run(&p->options, source, c, &p->is_complete, err));
    is_kept = p->is_complete || c->n_timings > 0;
    if (is_kept) {
        MB_TRY(hooks->on_case_done(hooks->user, p->run, c, err));
    }
fail:
    mb_free(source);
    if (!is_kept) {
        mb_run_drop_case(p->run);
    }
    return status;
}

static enum mb_status run_input(struct progress *p, struct mb_image *image, size_t input,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_settings *settings = p->options.settings;
    const size_t n_images = mb_settings_n_images(settings);
    if (!image->texels) {
        MB_TRY(open_input(settings, input, image, err));
    }
    for (size_t i = input * n_images; i < (input + 1) * n_images && p->is_complete; i++) {
        MB_TRY(run_image(p, image, i, err));
    }
fail:
    mb_image_finish(image);
    return status;
}

enum mb_status mb_bench_run(const struct mb_case_options *options, const struct mb_gpu *gpu,
                            struct mb_inputs *inputs, struct mb_run *run, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct progress p = {.options = *options, .run = run};
    struct mb_condition conditions[MB_MAX_CONDITIONS];
    p.options.calibration = &p.calibration;
    p.options.conditions = conditions;
    p.options.n_conditions = mb_conditions(gpu, options->settings, conditions);
    MB_TRY(mb_run_calibrate(run, gpu, options->hooks, &p.calibration, err));
    p.is_complete = !options->hooks->is_interrupted(options->hooks->user);
    for (size_t input = 0; input < inputs->n_inputs && p.is_complete; input++) {
        MB_TRY(run_input(&p, &inputs->images[input], input, err));
    }
    run->complete = p.is_complete;
    run->exit_reason = p.is_complete ? "done" : "interrupted";
fail:
    mb_calibration_finish(&p.calibration);
    return status;
}
