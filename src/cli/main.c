/* mipbench: parses the command line and runs its verb; holds `run`, `tune` and --self-test. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/os.h"
#include "base/strbuf.h"
#include "base/version.h"
#include "bench/bench.h"
#include "bench/case.h"
#include "bench/selftest.h"
#include "cli/compare_verdicts.h"
#include "cli/export.h"
#include "cli/inspect/inspect.h"
#include "cli/manifest/kernel.h"
#include "cli/list/list.h"
#include "cli/options/folder.h"
#include "cli/options/options.h"
#include "cli/pool.h"
#include "cli/script.h"
#include "cli/session.h"
#include "cli/tune.h"

static enum mb_status on_chain(void *user, const struct mb_case *c, struct mb_result *result,
                               const void *block, struct mb_reference *reference,
                               struct mb_err *err)
{
    struct mb_session *session = user;
    return mb_pictures_add(&session->output.pictures, c, result, block, reference, err);
}

static enum mb_status on_case_done(void *user, const struct mb_run *run,
                                   const struct mb_case *c, struct mb_err *err)
{
    struct mb_session *session = user;
    mb_progress_case_done(&session->progress, c);
    return mb_output_case(&session->output, run, c, err);
}

/* Show and write the cases of a run that ended with `status`. If the run failed before its
 * first case, write nothing, so that older results stay. */
static enum mb_status conclude(struct mb_session *session, enum mb_status status,
                               struct mb_err *err)
{
    const bool is_empty = session->run.n_cases == 0;
    struct mb_err later = {0};
    mb_progress_finish(&session->progress);
    if (status != MB_OK && is_empty) {
        return status;
    }
    struct mb_err *const own = status == MB_OK ? err : &later;
    const enum mb_status told = session->options->verb == MB_VERB_TUNE
                                    ? mb_tune_tell(session, own)
                                    : mb_output_conclude(&session->output, &session->run, own);
    if (later.text[0] != '\0' && strcmp(err->text, later.text) != 0) {
        mb_err_hint(err, "then %s", later.text);
    }
    status = status == MB_OK ? told : status;
    if (status == MB_OK && !session->run.complete) {
        mb_log(MB_LOG_WARN, is_empty ? "interrupted before this run had results"
                                     : "interrupted: the results are part of this run, and the "
                                       "last may have fewer samples than asked for");
    }
    return status;
}

/* Run or tune every case, then write the results, even of a run that did not get to its end. */
static enum mb_status benchmark(const struct mb_options *options, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const bool is_tune = options->verb == MB_VERB_TUNE;
    struct mb_session session = {.options = options};
    struct mb_hooks hooks = mb_session_hooks(&session);
    hooks.on_chain = is_tune ? NULL : on_chain;
    hooks.on_case_done = is_tune ? mb_tune_case_done : on_case_done;
    MB_TRY(mb_session_open(&session, err));
    const struct mb_case_options bench = {
        .run = is_tune ? mb_tune_case : mb_case_run,
        .settings = &options->settings,
        .hooks = &hooks,
        .rows = session.rows,
        .n_rows = session.n_rows,
    };
    status = is_tune ? mb_tune_begin(&session, err) : MB_OK;
    if (status == MB_OK) {
        status = mb_bench_run(&bench, &session.gpu, &session.inputs, &session.run, err);
    }
    MB_TRY(conclude(&session, status, err));
    if (options->set) {
        options->set->is_complete = session.run.complete;
    }
    MB_TRY(mb_run_exit_code(&session.run, err));
    if (session.output.pictures.unwritten.code != MB_ERRC_NONE) {
        *err = session.output.pictures.unwritten;
        status = MB_FAILED;
    }
fail:
    return mb_session_close(&session, status, err);
}

/* Make the next run of a set. Only the first run writes pictures and texture files. */
static enum mb_status run_next(const struct mb_options *options, struct mb_set *set,
                               struct mb_err *err)
{
    struct mb_options own = *options;
    own.set = set;
    set->n_begun++;
    set->is_complete = false;
    if (set->dir != NULL) {
        own.out_dir = set->dir;
        own.settings.images = 0;
        own.settings.chains = 0;
    }
    mb_log(MB_LOG_INFO, "run %u of %u", set->n_begun, options->n_runs);
    return benchmark(&own, err);
}

static enum mb_status show_set(const struct mb_options *options, const char *dir,
                               struct mb_err *err)
{
    MB_SCOPED(mb_strlist) paths = {0};
    struct mb_run *read = NULL;
    MB_DO(mb_set_results(dir, MB_ERRC_OUTPUT, &paths, err));
    if (paths.n == 0) {
        return MB_OK;
    }
    MB_DO(mb_runs_read((const char *const *)paths.items, paths.n, &read, err));
    const struct mb_run_group files = {.files = read, .n_files = paths.n};
    enum mb_status status = mb_stdout_write("\n", 1, err);
    status = status == MB_OK ? mb_pool_show(options, &files, err) : status;
    mb_runs_finish(read, paths.n);
    return status;
}

/* Make options->n_runs runs, each with a device and images of its own, in DIR/run-1 to
 * DIR/run-N, and show their figures pooled. If a run does not complete, the set ends. A run's
 * error is logged when that run ends; if any run fails, the set fails with the code of the
 * first failed run. */
static enum mb_status benchmark_set(const struct mb_options *options, struct mb_err *err)
{
    struct mb_set set = {.dir = NULL};
    enum mb_errc first = MB_ERRC_NONE;
    do {
        const enum mb_status status = run_next(options, &set, err);
        if (set.dir == NULL) {
            return status;
        }
        if (status != MB_OK) {
            mb_log_err(err);
            first = first == MB_ERRC_NONE ? err->code : first;
        }
    } while (set.is_complete && set.n_begun < options->n_runs && mb_session_signal() == 0);
    const enum mb_status status = show_set(options, set.dir, err);
    mb_free(set.dir);
    /* After an incomplete run, a failure of show_set() is not reported: the run's error is
     * logged, and probably caused it. */
    if (first == MB_ERRC_NONE || (status != MB_OK && set.is_complete)) {
        return status;
    }
    *err = (struct mb_err){.code = first};
    return MB_FAILED;
}

/* Print a line for each check: "ok planted 5 %: ratio 1.0497, ...". */
static enum mb_status show_selftest(const struct mb_options *options, const struct mb_gpu *gpu,
                                    const struct mb_selftest *selftest, struct mb_err *err)
{
    const struct mb_table_style style = mb_output_style(options);
    MB_SCOPED(mb_strbuf) lines = {0}, text = {0};
    mb_strbuf_printf(&lines, "self-test on %s\n", gpu->info.name);
    for (int i = 0; i < MB_N_CHECKS; i++) {
        const struct mb_check *check = &selftest->check[i];
        mb_strbuf_printf(&lines, "  %s %s: %s\n", check->passed ? "ok" : "FAILED", check->name,
                         check->text.s);
    }
    mb_table_lines(&text, &lines, &style);
    return mb_strbuf_print(&text, err);
}

static enum mb_status self_test(const struct mb_options *options, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_session session = {.options = options};
    const struct mb_gpu *gpu = &session.gpu;
    struct mb_selftest selftest;
    MB_TRY(mb_session_open_device(options, &session.gpu, err));
    MB_TRY(mb_selftest_run(gpu, &options->settings, &selftest, err));
    MB_TRY(show_selftest(options, gpu, &selftest, err));
    if (!selftest.passed) {
        MB_FAIL(err, MB_ERRC_VERIFY, "self-test: a check failed");
        status =
            mb_err_hint(err, "%s", mb_selftest_advice(&selftest, mb_gpu_is_cpu(&gpu->info)));
    }
fail:
    return mb_session_close(&session, status, err);
}

static enum mb_status dispatch(const struct mb_options *options, struct mb_err *err)
{
    static const char version[] = "mipbench " MB_VERSION " (" MB_GIT_SHA ")\n";
    MB_SCOPED(mb_strbuf) help = {0};
    switch (options->verb) {
    case MB_VERB_RUN:
    case MB_VERB_TUNE:
        return options->n_runs > 1 ? benchmark_set(options, err) : benchmark(options, err);
    case MB_VERB_SELF_TEST:
        return self_test(options, err);
    case MB_VERB_LIST:
        return mb_list_run(options, err);
    case MB_VERB_INSPECT:
        return mb_inspect_run(options, err);
    case MB_VERB_KERNEL:
        return mb_kernel_run(options, err);
    case MB_VERB_COMPARE:
    case MB_VERB_POOL:
        return mb_compare_run(options, err);
    case MB_VERB_REPORT:
        return mb_report_run(options, err);
    case MB_VERB_EXPORT:
        return mb_export_run(options, err);
    case MB_VERB_HELP:
        mb_help_add(&help, options->help_verb);
        return mb_strbuf_print(&help, err);
    case MB_VERB_VERSION:
        return mb_stdout_write(version, strlen(version), err);
    }
    return MB_OK;
}

int main(int argc, char **argv)
{
    struct mb_err err = {0};
    MB_SCOPED(mb_options) options = {0};
    mb_os_begin(argc, argv);
    mb_session_catch_signals();
    enum mb_status status = mb_options_parse(&options, argc, argv, &err);
    if (status == MB_OK) {
        mb_log_set_level(options.verbosity > 1 ? MB_LOG_DEBUG
                         : options.quiet       ? MB_LOG_CAUTION
                                               : MB_LOG_INFO);
        status = dispatch(&options, &err);
    }
    if (status != MB_OK) {
        mb_log_err(&err);
    }
    const enum mb_errc code = status == MB_OK ? MB_ERRC_NONE : err.code;
    return mb_session_signal() != 0 ? 128 + mb_session_signal() : (int)code;
}
