/* What puts text together is a script; this runs it. */
#include "cli/script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/path.h"
#include "base/strbuf.h"

/* Where it could not be told whether the script is there. */
struct blocked {
    char path[MB_PATH_BYTES];
    int error; /* 0: nowhere */
};

/* FOLDER/NAME in `out`, if it fits and such a file is there. */
static bool is_there(const char *folder, const char *name, char out[MB_PATH_BYTES],
                     struct blocked *blocked)
{
    const int n = snprintf(out, MB_PATH_BYTES, "%s/%s", folder, name);
    if (n < 0 || n >= MB_PATH_BYTES) {
        return false;
    }
    const enum mb_kind kind = mb_os_kind(out);
    if (kind == MB_KIND_NONE && errno != ENOENT && errno != ENOTDIR) {
        blocked->error = errno;
        memcpy(blocked->path, out, (size_t)n + 1);
    }
    return kind == MB_KIND_FILE;
}

static bool find_script(const char *name, char script[MB_PATH_BYTES], struct blocked *blocked)
{
    static const char *const beside[] = {"../share/mipbench", "../scripts"};
    static const char *const configured[] = {MB_SOURCE_SCRIPTS, MB_DATA_DIR};
    char program[MB_PATH_BYTES], folder[MB_PATH_BYTES], path[MB_PATH_BYTES];
    const char *given = getenv("MIPBENCH_DATA");
    if (given && given[0] != '\0') {
        return is_there(given, name, script, blocked);
    }
    mb_os_program(program);
    mb_path_parent(program, folder);
    for (size_t i = 0; program[0] != '\0' && i < MB_COUNTOF(beside); i++) {
        if (snprintf(path, sizeof path, "%s/%s", folder, beside[i]) < MB_PATH_BYTES &&
            is_there(path, name, script, blocked)) {
            return true;
        }
    }
    for (size_t i = 0; i < MB_COUNTOF(configured); i++) {
        if (is_there(configured[i], name, script, blocked)) {
            return true;
        }
    }
    return false;
}

enum mb_status mb_script_find(struct mb_script *script, const char *option, const char *name,
                              struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct blocked blocked = {.error = 0};
    script->option = option;
    script->name = name;
    if (!mb_os_find_python(script->python)) {
        status = MB_FAIL(err, MB_ERRC_OUTPUT, "%s: python3 is not on PATH", option);
        mb_err_hint(err, "install python3, or leave %s out", option);
    } else if (!find_script(name, script->path, &blocked)) {
        status = blocked.error ? MB_FAIL(err, MB_ERRC_OUTPUT, "%s: %s: %s", option,
                                         blocked.path, mb_os_error_text(blocked.error))
                               : MB_FAIL(err, MB_ERRC_OUTPUT,
                                         "%s: %s is not beside the program", option, name);
        mb_err_hint(err, "set MIPBENCH_DATA to the folder scripts/ of the sources");
    }
    return status;
}

/* The words of a command line, of which the list owns none: python, options, script, `args`. */
static const char **command_line(const struct mb_script *script, const struct mb_strlist *args)
{
    /* -B: a folder of scripts stays as it is. */
    const char *const first[] = {script->python, "-B", script->path};
    const char **argv = mb_alloc(MB_COUNTOF(first) + args->n + 1, sizeof *argv);
    if (argv) {
        memcpy(argv, first, sizeof first);
        for (size_t i = 0; i < args->n; i++) {
            argv[MB_COUNTOF(first) + i] = args->items[i];
        }
        argv[MB_COUNTOF(first) + args->n] = NULL;
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
    MB_FAIL_IF(*code < 0, err, MB_ERRC_OUTPUT, "%s: %s was ended by signal %d", script->option,
               script->name, -*code);
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
    MB_DO(mb_script_find(&script, "report", "report.py", err));
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
