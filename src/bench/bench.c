/* A whole run: records what is known beforehand, runs every case, and gives the exit code. */
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/os.h"
#include "base/text.h"

void mb_run_init(struct mb_run *run, const struct mb_gpu *gpu,
                 const struct mb_settings *settings, int argc, const char *const *argv)
{
    const time_t now = time(NULL);
    char device[40];
    *run = (struct mb_run){
        .argc = argc,
        .argv = argv,
        .table = settings->table,
        .settings = settings,
        .seed = settings->seed,
        .verify = settings->verify,
        .validate = settings->validate,
        .device = gpu->info,
        .exit_reason = "error",
        .timer = mb_no_timer_marks,
        .probe_ns = (double)NAN,
        .roofline = mb_no_roofline,
    };
    mb_os_working_folder(run->folder, sizeof run->folder);
    mb_os_describe_host(&run->host);
    strftime(run->utc, sizeof run->utc, "%Y%m%dT%H%M%SZ", gmtime(&now));
    mb_slug(gpu->info.name, device, sizeof device);
    snprintf(run->id, sizeof run->id, "%s-%s", run->utc, device);
}

/* Number the name of an input if an earlier case of this format and size has the same name:
 * names become folders and the ids of cases. */
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
    struct mb_run *run;
    bool is_complete; /* no case was interrupted */
};

/* Run one image under all conditions. Keep its case if it is complete, or if it was interrupted
 * and has samples. */
static enum mb_status run_image(struct progress *p, const struct mb_image *image, size_t index,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_hooks *hooks = p->options.hooks;
    MB_FREED void *source = NULL;
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
    if (!is_kept) {
        mb_run_drop_case(p->run);
    }
    return status;
}

static enum mb_status run_input(struct progress *p, struct mb_inputs *inputs, size_t input,
                                struct mb_err *err)
{
    struct mb_image *image = &inputs->images[input];
    const size_t n_images = mb_settings_n_images(p->options.settings);
    MB_DO(mb_inputs_load(p->options.settings, inputs, input, err));
    for (size_t i = input * n_images; i < (input + 1) * n_images && p->is_complete; i++) {
        MB_DO(run_image(p, image, i, err));
    }
    mb_image_finish(image);
    return MB_OK;
}

enum mb_status mb_bench_run(const struct mb_case_options *options, const struct mb_gpu *gpu,
                            struct mb_inputs *inputs, struct mb_run *run, struct mb_err *err)
{
    const struct mb_hooks *hooks = options->hooks;
    MB_SCOPED(mb_calibration) calibration = {0};
    struct progress p = {.options = *options, .run = run};
    struct mb_condition conditions[MB_MAX_CONDITIONS];
    p.options.calibration = &calibration;
    p.options.conditions = conditions;
    p.options.n_conditions = mb_conditions(gpu, options->settings, conditions);
    hooks->on_step(hooks->user, "device", "measuring its limits");
    MB_DO(mb_calibration_init(&calibration, gpu, run->settings, err));
    run->timer = calibration.marks;
    run->probe_ns = calibration.probe_ns;
    run->roofline = calibration.roofline;
    p.is_complete = !hooks->is_interrupted(hooks->user);
    for (size_t input = 0; input < inputs->n_inputs && p.is_complete; input++) {
        MB_DO(run_input(&p, inputs, input, err));
    }
    run->complete = p.is_complete;
    run->exit_reason = p.is_complete ? "done" : "interrupted";
    return MB_OK;
}

/* How serious the result of a row is for the exit code. */
enum concern {
    CONCERN_NONE,
    CONCERN_CONDITION, /* skipped under this condition */
    CONCERN_UNABLE,    /* skipped under all conditions */
    CONCERN_LACKING,   /* the same, and either asked for by name or true of all strategies */
    CONCERN_FAILED,
};

static bool is_any_able(const struct mb_case *c)
{
    size_t i = 0;
    while (i < c->n_results && c->results[i].status == MB_RESULT_SKIPPED) {
        i++;
    }
    return i < c->n_results;
}

static enum concern concern_of(const struct mb_row *row)
{
    if (mb_row_status(row) != MB_RESULT_SKIPPED) {
        return mb_row_status(row) == MB_RESULT_FAILED ? CONCERN_FAILED : CONCERN_NONE;
    }
    if (row->result->status != MB_RESULT_SKIPPED) {
        return CONCERN_CONDITION;
    }
    return row->result->by_name || !is_any_able(row->timing->of) ? CONCERN_LACKING
                                                                 : CONCERN_UNABLE;
}

enum mb_status mb_run_exit_code(const struct mb_run *run, struct mb_err *err)
{
    const struct mb_row *culprit = NULL;
    enum concern most = CONCERN_NONE;
    bool is_timed = false;
    struct mb_rows all = {.run = run};
    for (const struct mb_row *row; (row = mb_rows_next(&all)) != NULL;) {
        const enum concern concern = concern_of(row);
        culprit = concern > most ? row : culprit;
        most = concern > most ? concern : most;
        is_timed = is_timed || row->stats.n > 0;
    }
    if (most == CONCERN_NONE || (most < CONCERN_LACKING && is_timed)) {
        return MB_OK;
    }
    const enum mb_errc code = most != CONCERN_FAILED                      ? MB_ERRC_UNSUPPORTED
                              : culprit->result->verify == MB_VERIFY_FAIL ? MB_ERRC_VERIFY
                                                                          : MB_ERRC_RUNTIME;
    return MB_FAIL(err, code, "%s: %s", culprit->result->label, mb_row_reason(culprit));
}
