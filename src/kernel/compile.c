/* Compiling in a child, whose list of dependencies is held against the folders that may be
 * read. Its output is lines "ERROR: FILE:LINE: MESSAGE" among others. */
#include "kernel/compile.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/os.h"
#include "base/strbuf.h"

#define MAX_MODULE_BYTES (64u << 20)
#define MAX_LIST_BYTES   (1u << 20)
#define MAX_OUTPUT_BYTES (64u << 10) /* of which is kept */
#define MAX_ERRORS       10u
#define MAX_ERROR_BYTES  440u /* all of them together; struct mb_err has 512 */
#define LIMIT_NS         UINT64_C(60000000000)
#define MODULE_NAME      "module.spv"
#define LIST_NAME        "files"
#define ERROR_HEAD       "ERROR: "

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), n_end = strlen(end);
    return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

/* Wherever symbolic links and ".." lead. */
static bool is_inside(const char *path, const struct mb_strlist *roots)
{
    char real[MB_PATH_BYTES];
    if (mb_os_resolve(path, real) != 0) {
        return false;
    }
    for (size_t i = 0; i < roots->n; i++) {
        const char *root = roots->items[i];
        size_t n = strlen(root);
        while (n > 0 && root[n - 1] == '/') {
            n--;
        }
        if (strncmp(real, root, n) == 0 && real[n] == '/') {
            return true;
        }
    }
    return false;
}

/* ---- The command */

/* A define is a name, alone or with a value: "-D" without one would mean HLSL. */
static enum mb_status check_defines(const struct mb_compile_options *options,
                                    struct mb_err *err)
{
    for (size_t i = 0; i < options->defines->n; i++) {
        const char *define = options->defines->items[i];
        bool is_clean = isalpha((unsigned char)define[0]) || define[0] == '_';
        for (const char *c = define; *c != '\0'; c++) {
            is_clean = is_clean && !iscntrl((unsigned char)*c);
        }
        MB_FAIL_IF(!is_clean, err, MB_ERRC_INPUT,
                   "%s: '%s' is no define: a name, or NAME=VALUE on one line", options->path,
                   define);
    }
    return MB_OK;
}

static bool find_compiler(char out[MB_PATH_BYTES])
{
    return mb_os_find_program("glslangValidator", out) || mb_os_find_program("glslang", out);
}

static enum mb_status add_options(const struct mb_compile_options *options, bool is_hlsl,
                                  struct mb_strlist *args, struct mb_err *err)
{
    static const char *const fixed[] = {"-V", "-S", "comp", "--target-env"};
    for (size_t i = 0; i < MB_COUNTOF(fixed); i++) {
        MB_DO(mb_strlist_add(args, err, "%s", fixed[i]));
    }
    MB_DO(mb_strlist_add(args, err, "%s", options->target));
    if (is_hlsl) {
        MB_DO(mb_strlist_add(args, err, "-D"));
        MB_DO(mb_strlist_add(args, err, "-e"));
        MB_DO(mb_strlist_add(args, err, "%s", options->entry));
    }
    for (size_t i = 0; i < options->defines->n; i++) {
        MB_DO(mb_strlist_add(args, err, "-D%s", options->defines->items[i]));
    }
    for (size_t i = 0; i < options->includes->n; i++) {
        MB_DO(mb_strlist_add(args, err, "-I%s", options->includes->items[i]));
    }
    return MB_OK;
}

/* The compiler's command, that writes to `folder`. */
static enum mb_status make_command(const struct mb_compile_options *options, const char *folder,
                                   struct mb_strlist *args, struct mb_err *err)
{
    char program[MB_PATH_BYTES];
    const char *path = options->path;
    if (!find_compiler(program)) {
        MB_FAIL(err, MB_ERRC_INPUT, "%s: there is no glslangValidator on PATH to compile it",
                path);
        return mb_err_hint(err, "Debian and Ubuntu have it in glslang-tools, others in glslang "
                                "or the Vulkan SDK; a .spv file needs none");
    }
    MB_DO(mb_strlist_add(args, err, "%s", program));
    MB_DO(add_options(options, ends_with(path, ".hlsl"), args, err));
    MB_DO(mb_strlist_add(args, err, "--depfile"));
    MB_DO(mb_strlist_add(args, err, "%s/" LIST_NAME, folder));
    MB_DO(mb_strlist_add(args, err, "-o"));
    MB_DO(mb_strlist_add(args, err, "%s/" MODULE_NAME, folder));
    return mb_strlist_add(args, err, "%s%s", path[0] == '-' ? "./" : "", path);
}

/* Read until the end, of which the first part is kept. */
static int read_output(const struct mb_os_child *child, struct mb_strbuf *output)
{
    const uint64_t begin_ns = mb_now_ns();
    for (;;) {
        char text[4096];
        size_t n = 0;
        const uint64_t spent_ns = mb_now_ns() - begin_ns;
        const int error = mb_os_child_read(child, text, sizeof text,
                                           spent_ns < LIMIT_NS ? LIMIT_NS - spent_ns : 0, &n);
        if (error != 0 || n == 0) {
            return error;
        }
        if (output->n_bytes < MAX_OUTPUT_BYTES) {
            mb_strbuf_append_n(output, text, n);
        }
    }
}

static enum mb_status run(const struct mb_strlist *args, const char *path,
                          struct mb_strbuf *output, int *code, struct mb_err *err)
{
    struct mb_os_child child;
    MB_FREED const char **argv = mb_alloc(args->n + 1, sizeof *argv);
    MB_DO(MB_NEED(argv, path));
    for (size_t i = 0; i < args->n; i++) {
        argv[i] = args->items[i];
    }
    int error = mb_os_child_start(argv, &child);
    MB_FAIL_IF(error != 0, err, MB_ERRC_INPUT, "%s: %s cannot be started: %s", path, argv[0],
               mb_os_error_text(error));
    error = read_output(&child, output);
    const int end_error = mb_os_child_end(&child, error != 0, code);
    MB_FAIL_IF(error == ETIMEDOUT, err, MB_ERRC_INPUT,
               "%s: compiling it takes longer than a minute", path);
    error = error != 0 ? error : end_error;
    MB_FAIL_IF(error != 0, err, MB_ERRC_INPUT, "%s: %s: %s", path, argv[0],
               mb_os_error_text(error));
    return mb_strbuf_check(output, err);
}

/* ---- Its messages */

/* A message: where it is, and what. */
struct message {
    const char *file; /* "": it is of no file */
    const char *line, *text;
};

/* Take "FILE:LINE: TEXT" apart, in place. */
static struct message parse_message(char *text)
{
    struct message message = {.file = "", .line = "", .text = text};
    for (char *c = text; *c != '\0'; c++) {
        const size_t n_digits = c[0] == ':' ? strspn(c + 1, "0123456789") : 0;
        if (c > text && n_digits > 0 && c[1 + n_digits] == ':') {
            message = (struct message){text, c + 1, c + 1 + n_digits + 1};
            c[0] = c[1 + n_digits] = '\0';
            break;
        }
    }
    message.text += strspn(message.text, " ");
    return message;
}

/* Whether a line is an error that says something. */
static bool is_error(const char *line)
{
    static const char *const empty[] = {"No code generated.", "compilation terminated",
                                        "Missing entry point: Each stage requires"};
    for (size_t i = 0; i < MB_COUNTOF(empty); i++) {
        if (strstr(line, empty[i]) != NULL) {
            return false;
        }
    }
    return strncmp(line, ERROR_HEAD, strlen(ERROR_HEAD)) == 0;
}

/* The messages that were kept, and how many were not. */
struct messages {
    struct mb_strbuf text;
    unsigned n, n_more, n_outside;
    const char *file; /* of the last one */
};

/* The first one names its file; those after it in the same file only the line. */
static void add_message(struct messages *messages, const struct message *message)
{
    struct mb_strbuf *text = &messages->text;
    const size_t n_bytes = strlen(message->file) + strlen(message->text);
    if (messages->n > 0 &&
        (messages->n == MAX_ERRORS || text->n_bytes + n_bytes > MAX_ERROR_BYTES)) {
        messages->n_more++;
        return;
    }
    mb_strbuf_append(text, messages->n > 0 ? "; " : "");
    if (message->file[0] != '\0' && messages->n > 0 &&
        strcmp(message->file, messages->file) == 0) {
        mb_strbuf_printf(text, "line %s: ", message->line);
    } else if (message->file[0] != '\0') {
        mb_strbuf_printf(text, "%s:%s: ", message->file, message->line);
    }
    mb_strbuf_append(text, message->text);
    messages->file = message->file;
    messages->n++;
}

static void read_messages(char *output, const struct mb_strlist *roots,
                          struct messages *messages)
{
    for (char *line = output, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        for (size_t n = strlen(line); n > 0 && isspace((unsigned char)line[n - 1]); n--) {
            line[n - 1] = '\0';
        }
        if (!is_error(line)) {
            continue;
        }
        const struct message message = parse_message(line + strlen(ERROR_HEAD));
        if (message.file[0] != '\0' && !is_inside(message.file, roots)) {
            messages->n_outside++;
        } else {
            add_message(messages, &message);
        }
    }
}

static enum mb_status refuse_shader(const struct mb_compile_options *options,
                                    struct mb_strbuf *output, int code, struct mb_err *err)
{
    enum mb_status status;
    struct messages messages = {0};
    if (output->text != NULL) {
        read_messages(output->text, options->roots, &messages);
    }
    if (messages.n > 0) {
        status = MB_FAIL(err, MB_ERRC_INPUT, "%s", mb_strbuf_text(&messages.text));
    } else if (messages.n_outside > 0) {
        status = MB_FAIL(err, MB_ERRC_INPUT,
                         "%s: it includes a file outside the folders that it may read, which "
                         "does not compile",
                         options->path);
    } else {
        status =
            MB_FAIL(err, MB_ERRC_INPUT, "%s: glslangValidator ended with %s %d", options->path,
                    code < 0 ? "signal" : "exit code", code < 0 ? -code : code);
    }
    if (messages.n_more > 0) {
        status = mb_err_hint(err, "and %u more", messages.n_more);
    }
    mb_strbuf_finish(&messages.text);
    return status;
}

/* ---- What it read */

/* "MODULE: FILE FILE...", one line, in which a space of a name is behind a backslash. What else
 * might stand for two things is refused. */
static enum mb_status check_list(const struct mb_compile_options *options, char *list,
                                 struct mb_err *err)
{
    char *next = strstr(list, MODULE_NAME ": ");
    const char *end = list + strcspn(list, "\n");
    MB_FAIL_IF(
        next == NULL || next > end || end[0] != '\n' || end[1] != '\0', err, MB_ERRC_INPUT,
        "%s: the compiler's list of the files that it read cannot be read", options->path);
    next += strlen(MODULE_NAME ": ");
    while (*next != '\n') {
        char file[MB_PATH_BYTES];
        size_t n = 0;
        for (; *next != ' ' && *next != '\n' && n < sizeof file - 1; n++) {
            const bool is_escape = next[0] == '\\';
            MB_FAIL_IF(is_escape && next[1] != ' ', err, MB_ERRC_INPUT,
                       "%s: it includes a file with a backslash in its name", options->path);
            next += is_escape;
            file[n] = *next++;
        }
        file[n] = '\0';
        MB_FAIL_IF(n > 0 && !is_inside(file, options->roots), err, MB_ERRC_INPUT,
                   "%s: it includes %s, outside the folders that it may read", options->path,
                   file);
        next += *next == ' ';
    }
    return MB_OK;
}

static enum mb_status check_files(const struct mb_compile_options *options, const char *folder,
                                  struct mb_err *err)
{
    char path[MB_PATH_BYTES];
    struct mb_bytes list;
    snprintf(path, sizeof path, "%.*s/" LIST_NAME, MB_PATH_BYTES - 16, folder);
    MB_DO(mb_file_read(path, MAX_LIST_BYTES, &list, err));
    const enum mb_status status = check_list(options, (char *)list.data, err);
    mb_bytes_finish(&list);
    return status;
}

static enum mb_status read_module(const char *path, void **code, size_t *n_bytes,
                                  struct mb_err *err)
{
    struct mb_bytes bytes;
    MB_DO(mb_file_read(path, MAX_MODULE_BYTES, &bytes, err));
    *code = bytes.data;
    *n_bytes = bytes.n_bytes;
    return MB_OK;
}

/* ---- All of it */

static enum mb_status compile_in(const struct mb_compile_options *options, const char *folder,
                                 void **code, size_t *n_bytes, struct mb_err *err)
{
    char path[MB_PATH_BYTES];
    int exit_code = 0;
    MB_SCOPED(mb_strlist) args = {0};
    MB_SCOPED(mb_strbuf) output = {0};
    MB_DO(make_command(options, folder, &args, err));
    MB_DO(run(&args, options->path, &output, &exit_code, err));
    if (exit_code != 0) {
        return refuse_shader(options, &output, exit_code, err);
    }
    /* glslang makes an empty one then, and warns. */
    MB_FAIL_IF(strstr(mb_strbuf_text(&output), "Entry point not found") != NULL, err,
               MB_ERRC_INPUT, "%s: it has no entry point '%s'", options->path, options->entry);
    MB_DO(check_files(options, folder, err));
    snprintf(path, sizeof path, "%.*s/" MODULE_NAME, MB_PATH_BYTES - 16, folder);
    return read_module(path, code, n_bytes, err);
}

enum mb_status mb_compile(const struct mb_compile_options *options, void **code,
                          size_t *n_bytes, struct mb_err *err)
{
    char folder[MB_PATH_BYTES];
    *code = NULL;
    *n_bytes = 0;
    MB_FAIL_IF(mb_os_kind(options->path) == MB_KIND_NONE, err, MB_ERRC_INPUT, "%s: %s",
               options->path, mb_os_error_text(errno));
    MB_FAIL_IF(!is_inside(options->path, options->roots), err, MB_ERRC_INPUT,
               "%s: outside the folders that may be read", options->path);
    if (ends_with(options->path, ".spv")) {
        return read_module(options->path, code, n_bytes, err);
    }
    MB_DO(check_defines(options, err));
    const int error = mb_os_make_temporary_folder(folder);
    MB_FAIL_IF(error != 0, err, MB_ERRC_OUTPUT, "a temporary folder cannot be made: %s",
               mb_os_error_text(error));
    const enum mb_status status = compile_in(options, folder, code, n_bytes, err);
    mb_os_remove_folder(folder);
    return status;
}
