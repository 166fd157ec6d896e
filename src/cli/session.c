/* Opens and closes what a run needs. */
#include "cli/session.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/os.h"
#include "bench/plan.h"
#include "vk/memory.h"
#include "cli/options/options.h"

/* A run warns at its start if it has more variants. */
#define MANY_VARIANTS 100

static volatile sig_atomic_t caught_signal, ends_at_once;

static void on_signal(int number)
{
    caught_signal = number;
    if (ends_at_once) {
        _Exit(128 + number);
    }
}

void mb_session_catch_signals(void)
{
    mb_os_catch_signals(on_signal);
    mb_os_catch_crashes(mb_log_crash);
}

void mb_session_end_at_once(bool ends)
{
    ends_at_once = ends;
    if (ends && caught_signal != 0) {
        _Exit(128 + (int)caught_signal);
    }
}

int mb_session_signal(void)
{
    return (int)caught_signal;
}

enum mb_status mb_session_open_device(const struct mb_options *options, struct mb_gpu *gpu,
                                      struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    const struct mb_gpu_options gpu_options = {
        .selector = settings->device,
        .validate = settings->validate,
        .kernel_timeout_s = options->kernel_timeout_s,
    };
    return mb_gpu_init(gpu, &gpu_options, err);
}

static enum mb_status close_device(struct mb_gpu *gpu, enum mb_status status,
                                   struct mb_err *err)
{
    if (gpu->state && gpu->state->is_lost) {
        /* Work may be in flight, so destroy nothing, and let no driver's exit handler run. */
        mb_log_err(err);
        fflush(NULL);
        _Exit((int)err->code);
    }
    const uint32_t n_messages = mb_gpu_finish(gpu);
    MB_FAIL_IF(status == MB_OK && n_messages > 0, err, MB_ERRC_RUNTIME,
               "--validate: the layers sent %u messages", n_messages);
    return status;
}

/* Describe case `i` of the run as far as known before its image is loaded. */
static void describe_case(const struct mb_session *session, size_t i, struct mb_case *c)
{
    const struct mb_settings *settings = &session->options->settings;
    *c = (struct mb_case){0};
    mb_image_describe_case(&session->inputs.images[i / mb_settings_n_images(settings)],
                           settings, i, c);
}

/* Warn before a run; --quiet does not hide these warnings. */
static void warn_ahead(const struct mb_session *session)
{
    const struct mb_settings *settings = &session->options->settings;
    if (session->options->verb == MB_VERB_RUN && session->n_rows > MANY_VARIANTS) {
        mb_log(MB_LOG_CAUTION,
               "'%s'%s stands for %zu variants: each that can run here is verified and timed, "
               "which may take long",
               settings->specs[0], settings->n_specs > 1 ? " and the other specs" : "",
               session->n_rows);
    }
    /* A software device uses the host's caches, which a run cannot keep cold. */
    if (mb_gpu_is_cpu(&session->gpu.info) && (settings->caches & (1u << MB_CACHE_COLD)) != 0) {
        mb_log(MB_LOG_CAUTION,
               "--cache: measured hot only: the caches of a software device cannot be kept "
               "cold");
    }
}

/* Fail, with the error for the first image, if a variant is wrong for all images. */
static enum mb_status check_kernel(const struct mb_session *session,
                                   const struct mb_variant *row, struct mb_err *err)
{
    for (size_t i = 0; i < mb_bench_n_images(&session->options->settings); i++) {
        struct mb_case c;
        struct mb_err why = {0};
        describe_case(session, i, &c);
        if (mb_variant_supports(row, &session->gpu, &c.layout, &c.task, &why) != MB_FAILED) {
            return MB_OK;
        }
        *err = i == 0 ? why : *err;
    }
    return MB_FAILED;
}

/* Report wrong manifests before anything is measured. If a manifest refuses an image, or is
 * wrong for some images only, the row of that image says so later. During the check of a first
 * run, a signal ends the program at once, as a compilation may never end. */
static enum mb_status check_kernels(const struct mb_session *session, bool is_first,
                                    struct mb_err *err)
{
    mb_session_end_at_once(is_first); /* later runs still have to show the set */
    for (size_t i = 0; i < session->n_rows && session->inputs.n_inputs > 0; i++) {
        const struct mb_variant *row = &session->rows[i];
        MB_DO(row->strategy->file ? check_kernel(session, row, err) : MB_OK);
    }
    mb_session_end_at_once(false);
    return MB_OK;
}

/* Before hours are spent on earlier images, refuse an image that the device cannot hold. */
static enum mb_status check_memory(const struct mb_session *session, struct mb_err *err)
{
    for (size_t i = 0; i < mb_bench_n_images(&session->options->settings); i++) {
        struct mb_case c;
        describe_case(session, i, &c);
        const struct mb_text what = mb_text("%s, %ux%u %s", c.input, c.layout.base.width,
                                            c.layout.base.height, c.layout.format->name);
        MB_DO(mb_memory_check(&session->gpu, c.layout.total_bytes, what.s, err));
    }
    return MB_OK;
}

static bool is_interrupted(void *user)
{
    (void)user;
    return caught_signal != 0;
}

static void on_step(void *user, const char *label, const char *step)
{
    struct mb_session *session = user;
    mb_progress_step(&session->progress, label, step);
}

static void on_block(void *user, size_t n_candidates, uint32_t n_done, uint32_t n_total)
{
    struct mb_session *session = user;
    const struct mb_text label =
        mb_text("%zu %s", n_candidates, n_candidates == 1 ? "strategy" : "strategies");
    mb_progress_rounds(&session->progress, label.s, n_done, n_total);
}

static void on_case_begin(void *user, size_t index)
{
    struct mb_session *session = user;
    struct mb_case c;
    describe_case(session, index, &c);
    mb_progress_image(&session->progress, index, &c);
}

struct mb_hooks mb_session_hooks(struct mb_session *session)
{
    return (struct mb_hooks){
        .user = session,
        .is_interrupted = is_interrupted,
        .on_step = on_step,
        .on_block = on_block,
        .on_case_begin = on_case_begin,
    };
}

enum mb_status mb_session_open(struct mb_session *session, struct mb_err *err)
{
    const struct mb_options *options = session->options;
    const struct mb_settings *settings = &options->settings;
    const bool is_first = !options->set || options->set->n_begun == 1;
    MB_DO(mb_plan_variants(settings->table, settings->specs, settings->n_specs, &session->rows,
                           &session->n_rows, err));
    const enum mb_status status = mb_inputs_open(settings, &session->inputs, err);
    if (status != MB_OK) {
        mb_options_hint_input(options, err);
        return status;
    }
    MB_DO(mb_session_open_device(options, &session->gpu, err));
    MB_DO(options->verb == MB_VERB_RUN ? check_memory(session, err) : MB_OK);
    MB_DO(check_kernels(session, is_first, err));
    if (is_first) {
        warn_ahead(session);
    }
    mb_run_init(&session->run, &session->gpu, settings, options->argc,
                (const char *const *)options->argv);
    MB_DO(mb_output_init(&session->output, options, &session->run, err));
    mb_progress_init(&session->progress, options->quiet, mb_bench_n_images(&options->settings));
    return MB_OK;
}

enum mb_status mb_session_close(struct mb_session *session, enum mb_status status,
                                struct mb_err *err)
{
    mb_output_finish(&session->output);
    mb_tune_finish(&session->tune);
    mb_run_finish(&session->run);
    status = close_device(&session->gpu, status, err);
    mb_inputs_finish(&session->inputs);
    mb_free(session->rows);
    return status;
}
