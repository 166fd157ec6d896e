/* What a run leaves behind. */
#include "cli/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "bench/settings.h"
#include "base/file.h"
#include "base/log.h"
#include "result/csv.h"
#include "result/result_json.h"
#include "cli/chain.h"
#include "cli/grid.h"
#include "cli/notes.h"
#include "cli/picture.h"
#include "cli/options/folder.h"
#include "cli/summary.h"

#define LEAST_COLUMNS 80  /* of a terminal */
#define FILE_COLUMNS  100 /* where there is no terminal */

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* See https://no-color.org: any non-empty value turns colours off. */
static bool terminal_has_color(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return mb_os_is_terminal(MB_STDOUT) && !(no_color && no_color[0]) &&
           !(term && strcmp(term, "dumb") == 0);
}

/* Whether the path, links followed, is in a folder that does not exist yet. `why` says where
 * the system does not tell. */
static bool leads_to_missing_folder(const char *path, struct mb_err *why)
{
    char target[MB_PATH_BYTES], folder[MB_PATH_BYTES];
    const int error = mb_os_resolve(path, target);
    mb_path_parent(target, folder);
    if (error == EACCES) {
        MB_FAIL(why, MB_ERRC_OUTPUT, "%s: cannot be written: %s", path,
                mb_os_error_text(error));
    }
    return error == ENOENT || (error == 0 && mb_os_kind(folder) == MB_KIND_NONE);
}

/* Check that copies can be written, so that no run is lost to a typing error. Copies that may
 * go into the output folder are checked once it exists. */
static enum mb_status check_writable(const struct mb_options *options, bool has_folder,
                                     struct mb_err *err)
{
    const char *targets[] = {options->json, options->csv, options->markdown};
    for (size_t i = 0; i < MB_COUNTOF(targets); i++) {
        struct mb_err why = {0};
        if (!targets[i] || is_stdout(targets[i])) {
            continue;
        }
        enum mb_status status = mb_file_check_writable(targets[i], &why);
        if (status != MB_OK && (has_folder || !leads_to_missing_folder(targets[i], &why))) {
            *err = why;
            return status;
        }
    }
    return MB_OK;
}

enum mb_status mb_output_check(const struct mb_options *options, struct mb_err *err)
{
    return check_writable(options, true, err);
}

/* With -v a file gets every column. */
static size_t text_columns(const struct mb_options *options)
{
    const size_t n_columns = mb_os_columns(MB_STDOUT);
    if (n_columns == 0) {
        return options->verbosity > 0 ? MB_ANY_COLUMNS : FILE_COLUMNS;
    }
    return n_columns < LEAST_COLUMNS ? LEAST_COLUMNS : n_columns;
}

struct mb_table_style mb_output_style(const struct mb_options *options)
{
    bool wants_color = options->color == MB_COLOR_ALWAYS;
    if (options->color == MB_COLOR_AUTO) {
        wants_color = terminal_has_color();
    }
    return (struct mb_table_style){
        .color = wants_color,
        .unicode = mb_os_shows_utf8(),
        .columns = text_columns(options),
    };
}

bool mb_output_takes_stdout(const struct mb_options *options)
{
    return is_stdout(options->json) || is_stdout(options->csv) || is_stdout(options->markdown);
}

/* Check the files that every run writes into its folder. */
static enum mb_status check_folder(const struct mb_output *output, struct mb_err *err)
{
    const struct mb_options *options = output->options;
    const bool is_tune = options->verb == MB_VERB_TUNE;
    const char *const names[] = {
        "results.json",
        options->wants_report ? "report.html" : NULL,
        is_tune ? "tune.json" : NULL,
        is_tune ? "mipbench_tuned.h" : NULL,
    };
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        MB_FREED char *path = names[i] ? mb_path_join(output->dir, names[i]) : NULL;
        MB_DO(!names[i] ? MB_OK : MB_NEED(path, "output folder"));
        MB_DO(path ? mb_file_check_writable(path, err) : MB_OK);
    }
    return MB_OK;
}

/* Replace `*dir`, the folder of a set, by that of its current run. */
static enum mb_status enter_set(struct mb_set *set, char **dir, struct mb_err *err)
{
    char *const own = mb_set_run_folder(*dir, set->n_begun);
    if (set->dir == NULL) {
        set->dir = *dir;
    } else {
        mb_free(*dir);
    }
    *dir = own;
    MB_DO(MB_NEED(own, "output folder"));
    return mb_make_dirs(own, err);
}

/* Readers of a folder could not tell a single run from the set beside it. */
static enum mb_status check_no_set(const char *dir, struct mb_err *err)
{
    MB_SCOPED(mb_strlist) runs = {0};
    MB_DO(mb_set_results(dir, MB_ERRC_OUTPUT, &runs, err));
    if (runs.n > 0) {
        MB_FAIL(err, MB_ERRC_OUTPUT, "%s: has a set of runs (--runs), up to %s", dir,
                runs.items[runs.n - 1]);
        return mb_err_hint(err, "name another folder, or remove the set");
    }
    return MB_OK;
}

/* Choose the output folder, make it, and keep other runs out of it. */
static enum mb_status take_folder(struct mb_output *output, const char *run_id,
                                  struct mb_err *err)
{
    if (!output->options->out_dir) {
        MB_DO(mb_make_new_dir("results", run_id, &output->dir, err));
    } else {
        MB_DO(MB_NEED(output->dir, "output folder"));
        MB_DO(mb_make_dirs(output->dir, err));
    }
    struct mb_set *set = output->options->set;
    /* A set's folder is kept from its first run on. */
    const int error = set && set->dir ? 0 : mb_os_keep_folder(output->dir);
    MB_FAIL_IF(error == EBUSY, err, MB_ERRC_OUTPUT,
               "%s: another run is writing into this folder", output->dir);
    MB_FAIL_IF(error != 0, err, MB_ERRC_OUTPUT, "%s: cannot be written: %s", output->dir,
               mb_os_error_text(error));
    MB_DO(set ? enter_set(set, &output->dir, err) : check_no_set(output->dir, err));
    return check_folder(output, err);
}

enum mb_status mb_output_init(struct mb_output *output, const struct mb_options *options,
                              const struct mb_run *run, struct mb_err *err)
{
    *output = (struct mb_output){
        .options = options,
        .dir = options->out_dir ? mb_strdup(options->out_dir) : NULL,
        .style = mb_output_style(options),
        .stdout_is_taken = mb_output_takes_stdout(options),
    };
    struct mb_strbuf head = {0};
    MB_DO(check_writable(options, false, err));
    MB_DO(options->wants_report ? mb_script_find(&output->report, "--report", err) : MB_OK);
    MB_DO(take_folder(output, run->id, err));
    MB_DO(check_writable(options, true, err));
    output->tells = !options->set || options->set->n_begun == 1 || options->verbosity > 0;
    if (!output->tells) {
        return MB_OK;
    }
    mb_table_header(&head, run, &output->style);
    return mb_output_show(&head, output->stdout_is_taken, err);
}

bool mb_output_is_beside_errors(const struct mb_output *output)
{
    return output->tells && (output->stdout_is_taken || mb_os_is_one_stream());
}

void mb_output_finish(struct mb_output *output)
{
    mb_sheets_finish(&output->sheets);
    mb_free(output->dir);
    *output = (struct mb_output){0};
}

enum mb_status mb_output_show(struct mb_strbuf *text, bool stdout_is_taken, struct mb_err *err)
{
    enum mb_status status =
        stdout_is_taken ? mb_strbuf_check(text, err) : mb_strbuf_print(text, err);
    if (stdout_is_taken) {
        mb_log_text(mb_strbuf_text(text));
    }
    mb_strbuf_finish(text);
    return status;
}

/* The notes below a table: those that matter; all with --verbose, none with --quiet. */
static void add_notes(struct mb_output *output, const struct mb_timing *timing,
                      struct mb_strbuf *text)
{
    const bool is_verbose = output->options->verbosity > 0;
    const char *clamp = mb_notes_find(timing, "png_clamped");
    if (output->options->settings.per_level) {
        mb_notes_split(text, timing);
    }
    if (is_verbose) {
        mb_notes_facts(text, timing);
    }
    if (is_verbose || !output->options->quiet) {
        mb_notes_warnings(text, timing, is_verbose);
    }
    if (clamp && !is_verbose && !output->options->quiet && !output->clamp_is_told) {
        mb_strbuf_printf(text, "  note: %s\n", clamp);
        output->clamp_is_told = true;
    }
}

static enum mb_status show_table(struct mb_output *output, const struct mb_run *run,
                                 const struct mb_timing *timing, struct mb_err *err)
{
    struct mb_strbuf text = {0};
    struct mb_strbuf notes = {0};
    mb_table_timing(&text, run, timing, &output->style);
    add_notes(output, timing, &notes);
    mb_strbuf_wrap_lines(&text, &notes, output->style.columns);
    return mb_output_show(&text, output->stdout_is_taken, err);
}

/* "Results: DIR/results.json" */
static enum mb_status show_place(const struct mb_output *output, const char *what,
                                 const char *name, struct mb_err *err)
{
    struct mb_strbuf text = {0};
    mb_strbuf_printf(&text, "%s: %s/%s\n", what, output->dir, name);
    return mb_output_show(&text, output->stdout_is_taken, err);
}

static bool wants_sheet(const struct mb_output *output)
{
    const enum mb_images images = output->options->settings.images;
    return images == MB_IMAGES_SHEET || images == MB_IMAGES_ALL;
}

/* A picture or texture file that could not be written is a warning, not the end of a run: the
 * first one is told when all else is done. Other failures are returned. `result` may be NULL.
 */
static enum mb_status forgive(struct mb_output *output, enum mb_status status,
                              const struct mb_err *why, struct mb_result *result,
                              const char *code)
{
    if (status == MB_OK || why->code != MB_ERRC_OUTPUT) {
        return status;
    }
    if (result) {
        mb_warn(&result->warnings, code, "%s", why->text);
    }
    output->unwritten = output->unwritten.code == MB_ERRC_NONE ? *why : output->unwritten;
    return MB_OK;
}

enum mb_status mb_output_images(struct mb_output *output, const struct mb_case *c,
                                struct mb_result *result, const void *block,
                                struct mb_reference *reference, struct mb_err *err)
{
    const struct mb_picture_options options = {
        .artifacts = {output->dir, &output->options->settings},
        .reference = reference,
    };
    enum mb_status status = mb_pictures_write(&options, c, result, block, err);
    MB_DO(forgive(output, status, err, result, "picture_not_written"));
    if (wants_sheet(output)) {
        MB_DO(mb_sheets_add(&output->sheets, c, result, block, reference, err));
    }
    status = mb_chains_write(&options.artifacts, c, result, block, err);
    return forgive(output, status, err, result, "chain_not_written");
}

static void forget(struct mb_result *result, const char *name)
{
    const bool was_image = mb_strlist_remove(&result->images, name);
    const bool was_chain = mb_strlist_remove(&result->chains, name);
    if ((was_image || was_chain) && !mb_is_warned(&result->warnings, "files_removed")) {
        mb_warn(&result->warnings, "files_removed",
                "pictures or texture files were removed, as results.json had no room left");
    }
}

/* Remove the file that was written last, and what results tell of it. False if there is none.
 */
static bool give_up_last(struct mb_output *output, const struct mb_case *c)
{
    for (size_t i = c->n_results; i-- > 0;) {
        const struct mb_result *last = &c->results[i];
        const struct mb_strlist *of = last->chains.n > 0 ? &last->chains : &last->images;
        MB_FREED char *name = of->n > 0 ? mb_strdup(of->items[of->n - 1]) : NULL;
        MB_FREED char *path = name ? mb_path_join(output->dir, name) : NULL;
        if (path) {
            unlink(path);
            for (size_t k = 0; k < c->n_results; k++) {
                forget(&c->results[k], name);
            }
            if (output->unwritten.code == MB_ERRC_NONE) {
                MB_FAIL(&output->unwritten, MB_ERRC_OUTPUT,
                        "%s: was removed again for results.json: %s", path,
                        mb_os_error_text(ENOSPC));
            }
            return true;
        }
    }
    return false;
}

/* On a full disk pictures make room: results matter more. */
enum mb_status mb_output_results(struct mb_output *output, const struct mb_run *run,
                                 struct mb_err *err)
{
    for (;;) {
        MB_FREED char *text = NULL;
        bool has_room = false;
        MB_DO(mb_report_json(run, &text, err));
        const enum mb_status status =
            mb_file_write_in(output->dir, "results.json", text, strlen(text), err);
        for (size_t i = run->n_cases; status != MB_OK && err->is_disk_full && i-- > 0;) {
            has_room = has_room || give_up_last(output, run->cases[i]);
        }
        if (!has_room) {
            return status;
        }
    }
}

enum mb_status mb_output_write(const char *path, const char *text, struct mb_err *err)
{
    return is_stdout(path) ? mb_stdout_write(text, strlen(text), err)
                           : mb_file_write_atomic(path, text, strlen(text), err);
}

static bool is_among(const char *dir, const struct mb_strlist *relative, const char *path)
{
    bool is_found = false;
    for (size_t i = 0; i < relative->n && !is_found; i++) {
        char written[MB_PATH_BYTES];
        snprintf(written, sizeof written, "%s/%s", dir, relative->items[i]);
        is_found = mb_os_is_same_file(path, written);
    }
    return is_found;
}

/* A copy must not replace a picture or chain that it tells of: their names are only known now.
 */
static enum mb_status check_written(const struct mb_output *output, const char *path,
                                    const struct mb_run *run, struct mb_err *err)
{
    for (size_t i = 0; i < run->n_cases; i++) {
        const struct mb_case *c = run->cases[i];
        for (size_t k = 0; k < c->n_results; k++) {
            const struct mb_result *r = &c->results[k];
            MB_FAIL_IF(is_among(output->dir, &r->images, path) ||
                           is_among(output->dir, &r->chains, path),
                       err, MB_ERRC_OUTPUT, "%s: would overwrite what this run wrote", path);
        }
    }
    return MB_OK;
}

static enum mb_status
write_copy(const struct mb_output *output, const char *path, const struct mb_run *run,
           enum mb_status (*make)(const struct mb_run *run, char **text, struct mb_err *err),
           struct mb_err *err)
{
    MB_FREED char *text = NULL;
    if (!path) {
        return MB_OK;
    }
    MB_DO(is_stdout(path) ? MB_OK : check_written(output, path, run, err));
    MB_DO(make(run, &text, err));
    return mb_output_write(path, text, err);
}

enum mb_status mb_output_case(struct mb_output *output, const struct mb_run *run,
                              const struct mb_case *c, struct mb_err *err)
{
    for (size_t i = 0; output->tells && i < c->n_timings; i++) {
        MB_DO(show_table(output, run, &c->timings[i], err));
    }
    const enum mb_status status = mb_sheets_write(&output->sheets, output->dir, run, c, err);
    MB_DO(forgive(output, status, err, NULL, NULL));
    return mb_output_results(output, run, err);
}

/* DIR/report.html of DIR/results.json. */
static enum mb_status make_report(const struct mb_output *output, struct mb_err *err)
{
    int code = 0;
    MB_SCOPED(mb_strlist) args = {0};
    MB_DO(mb_strlist_add(&args, err, "--out=%s/report.html", output->dir));
    MB_DO(mb_strlist_add(&args, err, "--"));
    MB_DO(mb_strlist_add(&args, err, "%s/results.json", output->dir));
    MB_DO(mb_script_run(&output->report, &args, &code, err));
    return code == 0 ? MB_OK
                     : MB_FAIL(err, MB_ERRC_OUTPUT,
                               "--report: report.py failed with exit code %d", code);
}

enum mb_status mb_output_conclude(struct mb_output *output, const struct mb_run *run,
                                  struct mb_err *err)
{
    const struct mb_options *options = output->options;
    struct mb_strbuf summary = {0};
    struct mb_strbuf lines = {0};
    MB_DO(mb_output_results(output, run, err));
    MB_DO(write_copy(output, options->json, run, mb_report_json, err));
    MB_DO(write_copy(output, options->csv, run, mb_report_csv, err));
    MB_DO(write_copy(output, options->markdown, run, mb_table_markdown, err));
    if (output->tells) {
        mb_summary_lines(&lines, run, output->style.color);
        mb_strbuf_wrap_lines(&summary, &lines, output->style.columns);
    }
    MB_DO(mb_output_show(&summary, output->stdout_is_taken, err));
    MB_DO(show_place(output, "Results", "results.json", err));
    if (options->wants_report) {
        MB_DO(make_report(output, err));
        MB_DO(show_place(output, "Report", "report.html", err));
    }
    return MB_OK;
}
