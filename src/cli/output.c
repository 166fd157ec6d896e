/* Writes and prints the results of a run. */
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
#include "result/result_json.h"
#include "cli/options/folder.h"
#include "cli/script.h"
#include "compare/run_headline.h"

#define LEAST_COLUMNS 80  /* of a terminal */
#define FILE_COLUMNS  100 /* if stdout is not a terminal */

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* See https://no-color.org: any non-empty value turns colours off. */
static bool terminal_has_color(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return mb_os_columns(MB_STDOUT) > 0 && !(no_color && no_color[0]) &&
           !(term && strcmp(term, "dumb") == 0);
}

enum mb_status mb_output_check(const struct mb_options *options, struct mb_err *err)
{
    const char *const copies[] = {options->json, options->csv, options->markdown};
    for (size_t i = 0; i < MB_COUNTOF(copies); i++) {
        if (copies[i] && !is_stdout(copies[i])) {
            MB_DO(mb_file_check_writable(copies[i], err));
        }
    }
    return MB_OK;
}

/* The width of tables: the width of the terminal; in a file FILE_COLUMNS, or with -v
 * unlimited. */
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
        .is_brief = options->quiet && options->verbosity == 0,
        .is_verbose = options->verbosity > 0,
        .columns = text_columns(options),
    };
}

/* Whether a copy goes to stdout, so that tables go to stderr. */
static bool stdout_is_taken(const struct mb_options *options)
{
    return is_stdout(options->json) || is_stdout(options->csv) || is_stdout(options->markdown);
}

/* Check that the files of a run can be written into its folder. */
static enum mb_status check_folder(const struct mb_output *output, struct mb_err *err)
{
    for (size_t i = 0; i < MB_N_FOLDER_FILES; i++) {
        MB_FREED char *path = mb_path_join(output->dir, mb_folder_files[i]);
        MB_DO(MB_NEED(path, "output folder"));
        MB_DO(mb_file_check_writable(path, err));
    }
    return MB_OK;
}

/* Replace `*dir`, the folder of a set, by the folder of its current run, and create that. */
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

/* Refuse a folder whose results readers would mix up with this run's: a folder with a set of
 * runs or, if this run belongs to a set, with the results of a single run. */
static enum mb_status check_unused(const struct mb_output *output, struct mb_err *err)
{
    const struct mb_options *options = output->options;
    MB_SCOPED(mb_strlist) found = {0};
    MB_FREED char *own = mb_path_join(output->dir, "results.json");
    MB_DO(MB_NEED(own, "output folder"));
    MB_DO(mb_set_results(output->dir, MB_ERRC_OUTPUT, &found, err));
    if (options->set && mb_os_kind(own) != MB_KIND_NONE) {
        MB_DO(mb_strlist_add(&found, err, "%s", own));
    }
    if (found.n > 0) {
        MB_FAIL(err, MB_ERRC_OUTPUT, "%s: has results of earlier runs: %s", output->dir,
                found.items[found.n - 1]);
        return mb_err_hint(err, "name an empty or new folder with -o");
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
    /* The first run of a set locks the folder for all runs. */
    const int error = set && set->dir ? 0 : mb_os_keep_folder(output->dir);
    MB_FAIL_IF(error == EBUSY, err, MB_ERRC_OUTPUT,
               "%s: another run is writing into this folder", output->dir);
    MB_FAIL_IF(error != 0, err, MB_ERRC_OUTPUT, "%s: cannot be written: %s", output->dir,
               mb_os_error_text(error));
    MB_DO(set && set->dir ? MB_OK : check_unused(output, err));
    MB_DO(set ? enter_set(set, &output->dir, err) : MB_OK);
    return check_folder(output, err);
}

enum mb_status mb_output_init(struct mb_output *output, const struct mb_options *options,
                              const struct mb_run *run, struct mb_err *err)
{
    *output = (struct mb_output){
        .options = options,
        .dir = options->out_dir ? mb_strdup(options->out_dir) : NULL,
        .style = mb_output_style(options),
    };
    struct mb_strbuf head = {0};
    const bool is_new = !output->dir || mb_os_kind(output->dir) == MB_KIND_NONE;
    MB_DO(options->wants_report ? mb_page_check(err) : MB_OK);
    MB_DO(take_folder(output, run->id, err));
    const enum mb_status status = mb_output_check(options, err); /* copies may go there */
    if (status != MB_OK && is_new) {
        rmdir(output->dir);
    }
    MB_DO(status);
    output->pictures = (struct mb_pictures){
        .dir = output->dir,
        .settings = &options->settings,
    };
    output->tells = !options->set || options->set->n_begun == 1 || options->verbosity > 0;
    if (!output->tells) {
        return MB_OK;
    }
    mb_table_header(&head, run, &output->style);
    return mb_output_show(&head, output->options, err);
}

void mb_output_finish(struct mb_output *output)
{
    mb_pictures_finish(&output->pictures);
    mb_free(output->dir);
    *output = (struct mb_output){0};
}

enum mb_status mb_output_show(struct mb_strbuf *text, const struct mb_options *options,
                              struct mb_err *err)
{
    const bool is_taken = stdout_is_taken(options);
    enum mb_status status = is_taken ? mb_strbuf_check(text, err) : mb_strbuf_print(text, err);
    if (is_taken) {
        fputs(mb_strbuf_text(text), stderr);
        fflush(stderr);
    }
    mb_strbuf_finish(text);
    return status;
}

/* "Results: DIR/results.json" */
static enum mb_status show_place(const struct mb_output *output, const char *what,
                                 const char *name, struct mb_err *err)
{
    struct mb_strbuf text = {0};
    mb_strbuf_printf(&text, "%s: %s/%s\n", what, output->dir, name);
    return mb_output_show(&text, output->options, err);
}

/* If the disk is full, pictures are removed to make room: results matter more. */
enum mb_status mb_output_results(struct mb_output *output, const struct mb_run *run,
                                 struct mb_err *err)
{
    for (;;) {
        MB_SCOPED(mb_strbuf) text = {0};
        bool has_room = false;
        mb_run_json(run, &text);
        MB_DO(mb_strbuf_check(&text, err));
        const enum mb_status status =
            mb_file_write_in(output->dir, "results.json", text.text, text.n_bytes, err);
        for (size_t i = run->n_cases; status != MB_OK && err->is_disk_full && i-- > 0;) {
            has_room = has_room || mb_pictures_give_up_last(&output->pictures, run->cases[i]);
        }
        if (!has_room) {
            return status;
        }
    }
}

enum mb_status mb_output_write(const char *path, const struct mb_strbuf *text,
                               struct mb_err *err)
{
    MB_DO(mb_strbuf_check(text, err));
    return is_stdout(path) ? mb_stdout_write(text->text, text->n_bytes, err)
                           : mb_file_write_atomic(path, text->text, text->n_bytes, err);
}

static enum mb_status write_copy(const char *path, const struct mb_run *run,
                                 void (*make)(const struct mb_run *run, struct mb_strbuf *out),
                                 struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) text = {0};
    if (!path) {
        return MB_OK;
    }
    make(run, &text);
    return mb_output_write(path, &text, err);
}

enum mb_status mb_output_case(struct mb_output *output, const struct mb_run *run,
                              const struct mb_case *c, struct mb_err *err)
{
    struct mb_strbuf text = {0};
    for (size_t i = 0; output->tells && i < c->n_timings; i++) {
        mb_table_timing(&text, run, &c->timings[i], &output->style);
    }
    MB_DO(mb_output_show(&text, output->options, err));
    MB_DO(mb_pictures_case_done(&output->pictures, run, c, err));
    return mb_output_results(output, run, err);
}

/* Make DIR/report.html from DIR/results.json. */
static enum mb_status make_report(const struct mb_output *output, struct mb_err *err)
{
    MB_FREED char *page = mb_path_join(output->dir, "report.html");
    MB_SCOPED(mb_strlist) results = {0};
    MB_DO(MB_NEED(page, "report"));
    MB_DO(mb_strlist_add(&results, err, "%s/results.json", output->dir));
    return mb_page_make(page, &results, output->options->max_pictures_mb, err);
}

enum mb_status mb_output_conclude(struct mb_output *output, const struct mb_run *run,
                                  struct mb_err *err)
{
    const struct mb_options *options = output->options;
    struct mb_strbuf summary = {0};
    struct mb_strbuf lines = {0};
    MB_DO(mb_output_results(output, run, err));
    MB_DO(write_copy(options->json, run, mb_run_json, err));
    MB_DO(write_copy(options->csv, run, mb_report_csv, err));
    MB_DO(write_copy(options->markdown, run, mb_table_markdown, err));
    if (output->tells) {
        mb_headline_summary(&lines, run);
        mb_table_lines(&summary, &lines, &output->style);
    }
    MB_DO(mb_output_show(&summary, output->options, err));
    MB_DO(show_place(output, "Results", "results.json", err));
    if (options->wants_report) {
        MB_DO(make_report(output, err));
        MB_DO(show_place(output, "Report", "report.html", err));
    }
    return MB_OK;
}
