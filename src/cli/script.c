/* Runs the script that makes the page of a report. */
#include "cli/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/os.h"
#include "base/strbuf.h"

#define SCRIPT "report.py"

/* The script within a folder, in `out`, if it is there. */
static bool is_there(const char *folder, const char *within, char out[MB_PATH_BYTES])
{
    const int n = snprintf(out, MB_PATH_BYTES, "%s%s/" SCRIPT, folder, within);
    return n < MB_PATH_BYTES && mb_os_kind(out) == MB_KIND_FILE;
}

static bool find_script(char script[MB_PATH_BYTES])
{
    char program[MB_PATH_BYTES], folder[MB_PATH_BYTES];
    const char *given = getenv("MIPBENCH_DATA");
    if (given && given[0] != '\0') {
        return is_there(given, "", script);
    }
    mb_os_program(program);
    mb_path_parent(program, folder);
    return (program[0] != '\0' && (is_there(folder, "/../share/mipbench", script) ||
                                   is_there(folder, "/../scripts", script))) ||
           is_there(MB_SOURCE_SCRIPTS, "", script) || is_there(MB_DATA_DIR, "", script);
}

enum mb_status mb_script_find(struct mb_script *script, const char *option, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    script->option = option;
    if (!mb_os_find_python(script->python)) {
        status = MB_FAIL(err, MB_ERRC_OUTPUT, "%s: python3 is not on PATH", option);
        mb_err_hint(err, "install python3, or leave %s out", option);
    } else if (!find_script(script->path)) {
        status = MB_FAIL(err, MB_ERRC_OUTPUT, "%s: cannot find " SCRIPT, option);
        mb_err_hint(err, "set MIPBENCH_DATA to the folder scripts/ of the sources");
    }
    return status;
}

/* The words of a command line, of which the list owns none: python, options, script, `args`. */
static const char **command_line(const struct mb_script *script, const struct mb_strlist *args)
{
    /* -B: a folder of scripts stays as it is. What mb_alloc() leaves zero ends the words. */
    const char *const first[] = {script->python, "-B", script->path};
    const char **argv = mb_alloc(MB_COUNTOF(first) + args->n + 1, sizeof *argv);
    for (size_t i = 0; argv && i < MB_COUNTOF(first) + args->n; i++) {
        argv[i] = i < MB_COUNTOF(first) ? first[i] : args->items[i - MB_COUNTOF(first)];
    }
    return argv;
}

enum mb_status mb_script_run(const struct mb_script *script, const struct mb_strlist *args,
                             int *code, struct mb_err *err)
{
    MB_FREED const char **argv = command_line(script, args);
    MB_DO(MB_NEED(argv, "command line"));
    char program[MB_PATH_BYTES];
    const char *given = getenv("MIPBENCH");
    /* What judges the results for the script, unless another one is named. */
    if (!given || given[0] == '\0') {
        mb_os_program(program);
        mb_os_set("MIPBENCH", program);
    }
    const int error = mb_os_run(argv, code);
    MB_FAIL_IF(error != 0, err, MB_ERRC_OUTPUT, "%s: %s: %s", script->option, argv[0],
               mb_os_error_text(error));
    MB_FAIL_IF(*code < 0, err, MB_ERRC_OUTPUT, "%s: " SCRIPT " was ended by signal %d",
               script->option, -*code);
    return MB_OK;
}

enum mb_status mb_report_run(const struct mb_options *options, enum mb_errc *verdict,
                             struct mb_err *err)
{
    struct mb_script script;
    int code = 0;
    char folder[MB_PATH_BYTES];
    MB_SCOPED(mb_strlist) args = {0};
    MB_SCOPED(mb_strbuf) page = {0}, text = {0};
    MB_DO(mb_script_find(&script, "report", err));
    mb_path_parent(options->inputs.items[0], folder);
    if (options->out_dir && mb_os_kind(options->out_dir) != MB_KIND_FOLDER) {
        mb_strbuf_append(&page, options->out_dir);
    } else {
        mb_strbuf_printf(&page, "%s/report.html", options->out_dir ? options->out_dir : folder);
    }
    MB_DO(mb_strbuf_check(&page, err));
    MB_DO(mb_strlist_add(&args, err, "--out=%s", mb_strbuf_text(&page)));
    MB_DO(mb_strlist_add(&args, err, "--max-pictures=%u", options->max_pictures_mb));
    MB_DO(mb_strlist_add(&args, err, "--"));
    for (size_t i = 0; i < options->inputs.n; i++) {
        MB_DO(mb_strlist_add(&args, err, "%s", options->inputs.items[i]));
    }
    MB_DO(mb_script_run(&script, &args, &code, err));
    if (code > 0) {
        *verdict = (enum mb_errc)code;
        return MB_OK;
    }
    mb_strbuf_printf(&text, "Report: %s\n", mb_strbuf_text(&page));
    return mb_strbuf_print(&text, err);
}
