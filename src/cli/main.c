/* mipbench: parse options, open the device, plan; for each case measure, verify, write; close.
 */
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/grid.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/version.h"
#include "bench/bench.h"
#include "bench/plan.h"
#include "bench/selftest.h"
#include "cli/compare.h"
#include "cli/export.h"
#include "cli/list/list.h"
#include "cli/options/help.h"
#include "cli/options/options.h"
#include "cli/options/parse.h"
#include "cli/options/replay.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/tune.h"

static volatile sig_atomic_t caught_signal;

/* The first signal asks the run to end after its sample; the next one kills as usual. */
static void on_signal(int number)
{
    caught_signal = number;
}

static void install_signals(void)
{
    struct sigaction once = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &once, NULL);
    sigaction(SIGTERM, &once, NULL);
    sigaction(SIGHUP, &once, NULL);
    /* A closed pipe ends nothing, and a file limit comes back as EFBIG, which is reported. */
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

/* What the hooks of a run need. */
struct session {
    const struct mb_settings *settings;
    const struct mb_inputs *inputs;
    struct mb_output output;
    struct mb_progress progress;
};

static bool is_interrupted(void *user)
{
    (void)user;
    return caught_signal != 0;
}

static void on_step(void *user, const char *label, const char *step)
{
    struct session *session = user;
    mb_progress_step(&session->progress, label, step);
}

static void on_block(void *user, size_t n_candidates, uint32_t n_done, uint32_t n_total)
{
    struct session *session = user;
    char label[48];
    snprintf(label, sizeof label, "%zu %s", n_candidates,
             n_candidates == 1 ? "strategy" : "strategies");
    mb_progress_rounds(&session->progress, label, n_done, n_total);
}

static enum mb_status on_chain(void *user, const struct mb_case *c, struct mb_result *result,
                               const void *block, struct mb_verifier *verifier,
                               struct mb_err *err)
{
    struct session *session = user;
    return mb_output_images(&session->output, c, result, block, verifier, err);
}

static void on_case_begin(void *user, size_t index)
{
    struct session *session = user;
    const struct mb_settings *settings = session->settings;
    const size_t n_sizes = settings->n_sizes > 0 ? settings->n_sizes : 1;
    const struct mb_image *image = &session->inputs->images[index / n_sizes];
    const struct mb_extent size = settings->size[index % n_sizes];
    char name[80];
    mb_progress_image(&session->progress, index);
    snprintf(name, sizeof name, settings->n_sizes > 0 ? "%s %ux%u" : "%s", image->name,
             size.width, size.height);
    mb_progress_name(&session->progress, name);
}

static enum mb_status on_case_done(void *user, const struct mb_run *run,
                                   const struct mb_case *c, struct mb_err *err)
{
    struct session *session = user;
    mb_progress_case_done(&session->progress, c);
    return mb_output_case(&session->output, run, c, err);
}

static bool is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* Run every case, then write the results whether or not the run got to its end. */
static enum mb_status run_and_write(const struct mb_options *options, const struct mb_gpu *gpu,
                                    const struct mb_variant *rows, size_t n_rows,
                                    struct mb_inputs *inputs, struct mb_run *run,
                                    struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct session session = {.settings = &options->settings, .inputs = inputs};
    const struct mb_progress_io io = mb_progress_stderr(is_utf8());
    const struct mb_hooks hooks = {
        .user = &session,
        .is_interrupted = is_interrupted,
        .on_step = on_step,
        .on_block = on_block,
        .on_chain = on_chain,
        .on_case_begin = on_case_begin,
        .on_case_done = on_case_done,
    };
    const struct mb_case_options bench = {
        .settings = &options->settings,
        .hooks = &hooks,
        .rows = rows,
        .n_rows = n_rows,
    };
    MB_TRY(mb_output_init(&session.output, options, run, is_utf8(), err));
    mb_progress_init(&session.progress, &io, options->quiet,
                     mb_bench_n_images(&options->settings));
    status = mb_bench_run(&bench, gpu, inputs, run, err);
    mb_progress_finish(&session.progress);
    if (status != MB_OK && run->n_cases == 0) {
        goto fail; /* nothing to tell: an older result stays */
    }
    struct mb_err later = {0};
    const enum mb_status written =
        mb_output_conclude(&session.output, run, status == MB_OK ? err : &later);
    mb_err_then(err, &later);
    status = status == MB_OK ? written : status;
    if (status == MB_OK && !run->complete) {
        mb_log(MB_LOG_WARN,
               run->n_cases == 0
                   ? "interrupted before anything was complete"
                   : "interrupted: what is above is what was complete, and the last "
                     "table may have fewer samples than asked for");
    }
fail:
    mb_output_finish(&session.output);
    return status;
}

static enum mb_status open_inputs(const struct mb_options *options, struct mb_inputs *inputs,
                                  struct mb_err *err)
{
    enum mb_status status = mb_inputs_open(&options->settings, inputs, err);
    for (size_t i = 0; status != MB_OK && i < options->settings.n_inputs; i++) {
        const char *verb = mb_options_nearest_verb(options, options->settings.inputs[i]);
        if (verb && err->hint[0] == '\0') {
            mb_err_hint(err, "did you mean the command '%s'?", verb);
        }
    }
    if (status != MB_OK) {
        mb_replay_hint(&options->replay, err);
    } else {
        mb_replay_check_inputs(&options->replay, options->settings.inputs, inputs->images,
                               inputs->n_inputs);
    }
    return status;
}

/* Close the device. Leaks are only told now, so this is where --validate is judged. */
static enum mb_status close_device(struct mb_gpu *gpu, enum mb_status status,
                                   struct mb_err *err)
{
    if (gpu->state && gpu->state->is_lost) {
        /* Work may be in flight: nothing is destroyed, and no exit handler of a driver runs. */
        mb_log_err(err);
        fflush(NULL);
        _exit((int)err->code);
    }
    const uint32_t n_messages = mb_gpu_finish(gpu);
    if (status == MB_OK && n_messages > 0) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "--validate: the layers sent %u messages",
                       n_messages);
    }
    return status;
}

static enum mb_status benchmark(const struct mb_options *options, enum mb_errc *verdict,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_settings *settings = &options->settings;
    struct mb_variant *rows = NULL;
    size_t n_rows = 0;
    struct mb_inputs inputs = {0};
    struct mb_gpu gpu = {0};
    struct mb_run run = {0};
    const struct mb_gpu_options gpu_options = {
        .selector = settings->device,
        .validate = settings->validate,
        .keep_pipelines = true, /* a rotation sets each strategy up many times */
        .second_queue = (settings->modes & 1u << MB_MODE_BESIDE) != 0,
    };
    MB_TRY(mb_plan_variants(mb_strategies, settings->specs, settings->n_specs, &rows, &n_rows,
                            err));
    MB_TRY(open_inputs(options, &inputs, err));
    MB_TRY(mb_gpu_init(&gpu, &gpu_options, err));
    mb_run_init(&run, &gpu, settings, options->argc, (const char *const *)options->argv);
    MB_TRY(run_and_write(options, &gpu, rows, n_rows, &inputs, &run, err));
    /* The table says it, too, but an exit code other than 0 has its line on stderr. */
    MB_TRY(mb_run_exit_code(&run, rows, verdict, err));
fail:
    mb_run_finish(&run);
    status = close_device(&gpu, status, err);
    mb_inputs_finish(&inputs);
    mb_free(rows);
    return status;
}

static enum mb_status tune(const struct mb_options *options, enum mb_errc *verdict,
                           struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_inputs inputs = {0};
    struct mb_gpu gpu = {0};
    const struct mb_gpu_options gpu_options = {
        .selector = options->settings.device,
        .keep_pipelines = true,
        .second_queue = (options->settings.modes & 1u << MB_MODE_BESIDE) != 0,
    };
    const struct mb_tune_command command = {
        .options = options,
        .gpu = &gpu,
        .inputs = &inputs,
        .is_interrupted = is_interrupted,
        .unicode = is_utf8(),
    };
    MB_TRY(open_inputs(options, &inputs, err));
    MB_TRY(mb_gpu_init(&gpu, &gpu_options, err));
    MB_TRY(mb_tune_command_run(&command, verdict, err));
fail:
    status = close_device(&gpu, status, err);
    mb_inputs_finish(&inputs);
    return status;
}

/* "ok      planted 5 %   ratio 1.0497, ..." for each check. */
static enum mb_status show_selftest(const struct mb_options *options, const struct mb_gpu *gpu,
                                    const struct mb_selftest *selftest, struct mb_err *err)
{
    const struct mb_table_style style = mb_output_style(options, is_utf8());
    static const struct mb_grid_column columns[3];
    struct mb_grid grid = {.columns = columns, .n_columns = MB_COUNTOF(columns)};
    struct mb_strbuf text = {0};
    mb_strbuf_printf(&text, "self-test on %s\n", gpu->info.name);
    for (int i = 0; i < MB_N_CHECKS; i++) {
        const struct mb_check *check = &selftest->check[i];
        mb_grid_row(&grid, false, "");
        mb_grid_cell(&grid, "%s", check->passed ? "ok" : "FAILED");
        mb_grid_cell(&grid, "%s", check->name);
        mb_grid_sentence(&grid, "%s", check->text);
    }
    mb_grid_text(&text, &grid, mb_text_columns(&style));
    mb_grid_finish(&grid);
    const enum mb_status status = mb_strbuf_print(&text, err);
    mb_strbuf_finish(&text);
    return status;
}

static enum mb_status fail_selftest(const struct mb_gpu *gpu,
                                    const struct mb_selftest *selftest, struct mb_err *err)
{
    const bool is_cpu = gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    int n_failed = 0;
    for (int i = 0; i < MB_N_CHECKS; i++) {
        n_failed += !selftest->check[i].passed;
    }
    const enum mb_status status = MB_FAIL(
        err, MB_ERRC_VERIFY, "self-test: %d of %d checks failed", n_failed, MB_N_CHECKS);
    mb_err_hint(err, "%s", mb_selftest_advice(selftest, is_cpu));
    return status;
}

static enum mb_status self_test(const struct mb_options *options, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_gpu gpu = {0};
    struct mb_selftest selftest;
    const struct mb_gpu_options gpu_options = {
        .selector = options->settings.device,
        .validate = options->settings.validate,
        .keep_pipelines = true,
    };
    MB_TRY(mb_gpu_init(&gpu, &gpu_options, err));
    MB_TRY(mb_selftest_run(&gpu, &options->settings, &selftest, err));
    MB_TRY(show_selftest(options, &gpu, &selftest, err));
    status = selftest.passed ? MB_OK : fail_selftest(&gpu, &selftest, err);
fail:
    return close_device(&gpu, status, err);
}

static enum mb_status dispatch(const struct mb_options *options, enum mb_errc *verdict,
                               struct mb_err *err)
{
    static const char version[] = "mipbench " MB_VERSION " (" MB_GIT_SHA ")\n";
    struct mb_strbuf usage = {0};
    switch (options->verb) {
    case MB_VERB_RUN:
        return benchmark(options, verdict, err);
    case MB_VERB_SELF_TEST:
        return self_test(options, err);
    case MB_VERB_LIST:
        return mb_list_run(options, err);
    case MB_VERB_COMPARE:
    case MB_VERB_POOL:
        return mb_compare_run(options, verdict, err);
    case MB_VERB_TUNE:
        return tune(options, verdict, err);
    case MB_VERB_EXPORT:
        return mb_export_run(options, err);
    case MB_VERB_HELP:
        return mb_help_write(options->help_verb, err);
    case MB_VERB_VERSION:
        return mb_stdout_write(version, strlen(version), err);
    case MB_VERB_NOTHING:
        mb_help_add_short(&usage);
        fputs(mb_strbuf_text(&usage), stderr);
        mb_strbuf_finish(&usage);
        *verdict = MB_ERRC_USAGE;
        return MB_OK;
    }
    return MB_OK;
}

static void set_log_level(const struct mb_options *options)
{
    enum mb_log_level level = options->quiet ? MB_LOG_ERROR : MB_LOG_INFO;
    mb_log_set_level(options->verbosity > 1 ? MB_LOG_DEBUG : level);
}

int main(int argc, char **argv)
{
    struct mb_err err = {0};
    struct mb_options options = {0};
    enum mb_errc verdict = MB_ERRC_NONE;
    setlocale(LC_CTYPE, "");
    install_signals();
    mb_strategies_check(mb_strategies);
    enum mb_status status = mb_options_parse(&options, argc, argv, &err);
    if (status == MB_OK) {
        set_log_level(&options);
        status = dispatch(&options, &verdict, &err);
    }
    mb_options_finish(&options);
    if (status != MB_OK) {
        mb_log_err(&err);
        verdict = err.code;
    }
    return caught_signal ? 128 + (int)caught_signal : (int)verdict;
}
