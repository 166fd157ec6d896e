/* Runs the script that makes the page of a report. */
#include "cli/script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/os.h"
#include "base/strbuf.h"
#include "base/text.h"

#define SCRIPT "report.py"

/* Look for the script in FOLDER/WITHIN; `out` gets its path. Returns 0 or the errno. */
static int look(const char *folder, const char *within, char out[MB_PATH_BYTES])
{
    struct mb_file_facts facts = {.kind = MB_KIND_NONE};
    const int n = snprintf(out, MB_PATH_BYTES, "%s%s/" SCRIPT, folder, within);
    const int error = n < MB_PATH_BYTES ? mb_os_look(out, &facts) : ENAMETOOLONG;
    return error == 0 && facts.kind != MB_KIND_FILE ? ENOENT : error;
}

/* Returns 0 or the errno of the last place. */
static int find_script(char script[MB_PATH_BYTES])
{
    char program[MB_PATH_BYTES], folder[MB_PATH_BYTES];
    const char *given = getenv("MIPBENCH_DATA");
    if (given && given[0] != '\0') {
        return look(given, "", script);
    }
    mb_os_program(program);
    mb_path_parent(program, folder);
    const char *const places[][2] = {{folder, "/../share/mipbench"},
                                     {folder, "/../scripts"},
                                     {MB_SOURCE_SCRIPTS, ""},
                                     {MB_DATA_DIR, ""}};
    int error = ENOENT;
    for (size_t i = program[0] ? 0 : 2; error != 0 && i < MB_COUNTOF(places); i++) {
        error = look(places[i][0], places[i][1], script);
    }
    return error;
}

static enum mb_status find(char python[MB_PATH_BYTES], char script[MB_PATH_BYTES],
                           struct mb_err *err)
{
    if (!mb_os_find_python(python)) {
        MB_FAIL(err, MB_ERRC_OUTPUT, "report: python3 is not on PATH");
        return mb_err_hint(err, "install python3");
    }
    const int error = find_script(script);
    if (error != 0) {
        MB_FAIL(err, MB_ERRC_OUTPUT, "report: cannot find " SCRIPT ": %s",
                mb_os_error_text(error));
        return mb_err_hint(err, "set MIPBENCH_DATA to the folder scripts/ of the sources");
    }
    return MB_OK;
}

enum mb_status mb_page_check(struct mb_err *err)
{
    char python[MB_PATH_BYTES], script[MB_PATH_BYTES];
    return find(python, script, err);
}

enum mb_status mb_page_make(const char *page, const struct mb_strlist *inputs,
                            uint32_t max_pictures_mb, struct mb_err *err)
{
    int code = 0;
    char python[MB_PATH_BYTES], script[MB_PATH_BYTES], program[MB_PATH_BYTES];
    MB_DO(find(python, script, err));
    MB_SCOPED(mb_strbuf) out = {0};
    mb_strbuf_printf(&out, "--out=%s", page);
    MB_DO(mb_strbuf_check(&out, err));
    const struct mb_text pictures = mb_text("--max-pictures=%u", max_pictures_mb);
    /* -B: do not write bytecode beside the script. */
    const char *const first[] = {python, "-B", script, mb_strbuf_text(&out), pictures.s, "--"};
    /* mb_alloc() zeroes: the last element stays NULL and ends the list. */
    MB_FREED const char **argv = mb_alloc(MB_COUNTOF(first) + inputs->n + 1, sizeof *argv);
    MB_DO(MB_NEED(argv, "command line"));
    memcpy(argv, first, sizeof first);
    for (size_t i = 0; i < inputs->n; i++) {
        argv[MB_COUNTOF(first) + i] = inputs->items[i];
    }
    const char *given = getenv("MIPBENCH");
    /* The script calls $MIPBENCH to judge results: this program, unless the user names
     * another. */
    if (!given || given[0] == '\0') {
        mb_os_program(program);
        mb_os_set("MIPBENCH", program);
    }
    const int error = mb_os_run(argv, &code);
    MB_FAIL_IF(error != 0, err, MB_ERRC_OUTPUT, "%s: %s", python, mb_os_error_text(error));
    MB_FAIL_IF(code < 0, err, MB_ERRC_OUTPUT, SCRIPT ": ended by signal %d", -code);
    MB_FAIL_IF(code > 0, err, code == MB_ERRC_INPUT ? MB_ERRC_INPUT : MB_ERRC_OUTPUT,
               SCRIPT ": failed with exit code %d", code);
    return MB_OK;
}

enum mb_status mb_report_run(const struct mb_options *options, struct mb_err *err)
{
    char folder[MB_PATH_BYTES];
    const char *out = options->out_dir;
    MB_SCOPED(mb_strbuf) page = {0}, text = {0};
    mb_path_parent(options->inputs.items[0], folder);
    if (out && mb_os_kind(out) != MB_KIND_FOLDER) {
        mb_strbuf_append(&page, out);
    } else {
        mb_strbuf_printf(&page, "%s/report.html", out ? out : folder);
    }
    MB_DO(mb_strbuf_check(&page, err));
    MB_DO(mb_page_make(mb_strbuf_text(&page), &options->inputs, options->max_pictures_mb, err));
    mb_strbuf_printf(&text, "Report: %s\n", mb_strbuf_text(&page));
    return mb_strbuf_print(&text, err);
}
