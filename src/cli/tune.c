/* `mipbench tune`: run, show, write. */
#include "cli/tune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/version.h"
#include "tune/lookup.h"
#include "tune/report.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/tune_text.h"

struct session {
    const struct mb_tune_command *command;
    struct mb_output output;
    struct mb_progress progress;
    char heat[64]; /* "coarse 2 of 6" */
};

static bool is_interrupted(void *user)
{
    const struct session *session = user;
    return session->command->is_interrupted(NULL);
}

static void on_step(void *user, const char *label, const char *step)
{
    struct session *session = user;
    mb_progress_step(&session->progress, label, step);
}

static void on_block(void *user, size_t n_candidates, uint32_t n_done, uint32_t n_total)
{
    struct session *session = user;
    char label[128];
    snprintf(label, sizeof label, "%s, %zu variants", session->heat, n_candidates);
    mb_progress_rounds(&session->progress, label, n_done, n_total);
}

/* No pictures: `mipbench run` makes them of what was chosen. */
static enum mb_status on_chain(void *user, const struct mb_case *c, struct mb_result *result,
                               const void *block, struct mb_verifier *verifier,
                               struct mb_err *err)
{
    return MB_OK;
}

static void on_case_begin(void *user, size_t index)
{
    struct session *session = user;
    mb_progress_cell(&session->progress, index);
}

static void on_heat(void *user, const char *pass, size_t heat, size_t n_heats)
{
    struct session *session = user;
    snprintf(session->heat, sizeof session->heat, n_heats > 1 ? "%s %zu of %zu" : "%s", pass,
             heat + 1, n_heats);
    mb_progress_step(&session->progress, session->heat, "setting up");
}

static enum mb_status write_file(const struct mb_output *output, const char *name,
                                 const char *text, struct mb_err *err)
{
    char *path = mb_path_join(output->dir, name);
    const enum mb_status status =
        path ? mb_file_write_atomic(path, text, strlen(text), err)
             : MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory", name);
    mb_free(path);
    return status;
}

/* The header, the finals as results.json, and last of all tune.json. */
static enum mb_status write_all(const struct session *session, const struct mb_run *run,
                                const struct mb_tune *tune, bool with_copy, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_options *options = session->command->options;
    char *header = NULL, *json = NULL;
    MB_TRY(mb_tune_header(run, tune, &header, err));
    MB_TRY(mb_tune_json(run, tune, &json, err));
    MB_TRY(write_file(&session->output, "mipbench_tuned.h", header, err));
    MB_TRY(mb_output_results(&session->output, run, err));
    MB_TRY(write_file(&session->output, "tune.json", json, err));
    if (with_copy && options->json) {
        MB_TRY(mb_output_write(options->json, json, err));
    }
fail:
    mb_free(header);
    mb_free(json);
    return status;
}

/* After each case, so that a crash loses nothing. */
static enum mb_status on_case_done(void *user, const struct mb_run *run,
                                   const struct mb_tune *tune, struct mb_err *err)
{
    struct session *session = user;
    const struct mb_tune_case *c = &tune->cases[tune->n_cases - 1];
    if (c->final) {
        mb_progress_case_done(&session->progress, c->final->of);
    }
    return write_all(session, run, tune, false, err);
}

static enum mb_status show(const struct session *session, const struct mb_run *run,
                           const struct mb_tune *tune, struct mb_err *err)
{
    const struct mb_options *options = session->command->options;
    const struct mb_output *output = &session->output;
    enum mb_tune_detail detail = options->quiet ? MB_TUNE_BRIEF : MB_TUNE_NORMAL;
    struct mb_strbuf text = {0};
    if (options->verbosity > 0) {
        detail = MB_TUNE_VERBOSE;
    }
    mb_tune_text(&text, run, tune, detail, &output->style);
    return mb_output_show(&text, output->stdout_is_taken, err);
}

static enum mb_status show_place(const struct session *session, const struct mb_tune *tune,
                                 struct mb_err *err)
{
    const char *dir = session->output.dir;
    struct mb_strbuf text = {0};
    if (mb_tune_has_decisions(tune)) {
        mb_strbuf_printf(
            &text, "Decisions: %s/tune.json, mipbench_tuned.h; finals: results.json\n", dir);
    } else {
        mb_strbuf_printf(&text, "No decisions; what became of each variant: %s/tune.json\n",
                         dir);
    }
    return mb_output_show(&text, session->output.stdout_is_taken, err);
}

/* As of a run: after a failure with nothing to tell an older result stays. */
static enum mb_status conclude(const struct session *session, const struct mb_run *run,
                               const struct mb_tune *tune, enum mb_status status,
                               struct mb_err *err)
{
    struct mb_err later = {0};
    struct mb_err *write_err = status == MB_OK ? err : &later;
    if (status != MB_OK && tune->n_cases == 0) {
        return status;
    }
    enum mb_status written = show(session, run, tune, write_err);
    if (written == MB_OK) {
        written = write_all(session, run, tune, true, write_err);
    }
    if (written == MB_OK) {
        written = show_place(session, tune, write_err);
    }
    mb_err_then(err, &later);
    if (status == MB_OK && written == MB_OK && !run->complete) {
        mb_log(MB_LOG_WARN, tune->n_cases == 0
                                ? "interrupted before anything was complete"
                                : "interrupted: what is above is what was complete");
    }
    return status == MB_OK ? written : status;
}

static enum mb_status tune_rows(struct session *session, const struct mb_variant *rows,
                                size_t n_rows, struct mb_run *run, struct mb_tune *tune,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_tune_command *command = session->command;
    const struct mb_options *options = command->options;
    const struct mb_progress_io io = mb_progress_stderr(command->unicode);
    const struct mb_hooks hooks = {
        .user = session,
        .is_interrupted = is_interrupted,
        .on_step = on_step,
        .on_block = on_block,
        .on_chain = on_chain,
    };
    const struct mb_tune_options tune_options = {
        .gpu = command->gpu,
        .settings = &options->settings,
        .formats = options->formats,
        .n_formats = options->n_formats,
        .rows = rows,
        .n_rows = n_rows,
        .hooks = &hooks,
        .on_case_begin = on_case_begin,
        .on_heat = on_heat,
        .on_case_done = on_case_done,
    };
    MB_TRY(mb_output_init(&session->output, options, run, command->unicode, err));
    mb_progress_init(&session->progress, &io, options->quiet,
                     options->n_formats * mb_bench_n_images(&options->settings));
    MB_TRY(mb_output_header(&session->output, run, err));
    status = mb_tune_run(&tune_options, &command->inputs->images[0], run, tune, err);
    mb_progress_finish(&session->progress);
    MB_TRY(conclude(session, run, tune, status, err));
fail:
    mb_output_finish(&session->output);
    return status;
}

enum mb_status mb_tune_command_run(const struct mb_tune_command *command, enum mb_errc *verdict,
                                   struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_options *options = command->options;
    const struct mb_settings *settings = &options->settings;
    struct session session = {.command = command};
    struct mb_variant *rows = NULL;
    size_t n_rows = 0;
    struct mb_run run = {0};
    struct mb_tune tune = {0};
    MB_TRY(mb_plan_variants(mb_strategies, settings->specs, settings->n_specs, &rows, &n_rows,
                            err));
    mb_run_init(&run, command->gpu, settings, options->argc,
                (const char *const *)options->argv);
    MB_TRY(tune_rows(&session, rows, n_rows, &run, &tune, err));
    *verdict = mb_tune_verdict(&tune, err);
    status = *verdict == MB_ERRC_NONE ? MB_OK : MB_FAILED;
fail:
    mb_tune_finish(&tune);
    mb_run_finish(&run);
    mb_free(rows);
    return status;
}
