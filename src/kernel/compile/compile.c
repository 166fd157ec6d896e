/* Reading a shader: which files it may include is decided here, for what glslang asks. */
#include "kernel/compile/compile.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "kernel/compile/glsl.h"

#define MAX_MODULE_BYTES (64u << 20)
#define MAX_TEXT_BYTES   (16u << 20) /* of a shader with all that it includes */
#define LEAST_BYTES      4096u /* that an included file counts as: small ones are not free */
#define MAX_DEPTH        32u   /* of includes */
#define MAX_ERROR_BYTES  440u  /* all of them together; struct mb_err has 512 */
#define ERROR_HEAD       "ERROR: "

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), n_end = strlen(end);
    return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

/* Wherever symbolic links and ".." lead. */
static enum mb_status check_inside(const char *path, const struct mb_strlist *roots,
                                   struct mb_err *err)
{
    char real[MB_PATH_BYTES];
    const int error = mb_os_resolve(path, real);
    bool is_inside = false;
    MB_FAIL_IF(error != 0, err, MB_ERRC_INPUT, "%s: %s", path, mb_os_error_text(error));
    for (size_t i = 0; i < roots->n && !is_inside; i++) {
        const char *root = roots->items[i];
        size_t n = strlen(root);
        while (n > 0 && root[n - 1] == '/') {
            n--;
        }
        is_inside = strncmp(real, root, n) == 0 && real[n] == '/';
    }
    MB_FAIL_IF(!is_inside, err, MB_ERRC_INPUT,
               "%s: outside the folders that may be read (--kernel-include adds one)", path);
    return MB_OK;
}

/* A bad define is one to glslang, too. */
static enum mb_status make_preamble(const struct mb_compile_options *options,
                                    struct mb_strbuf *preamble, struct mb_err *err)
{
    for (size_t i = 0; i < options->defines->n; i++) {
        const char *define = options->defines->items[i];
        const int n_name = (int)strcspn(define, "=");
        mb_strbuf_printf(preamble, "#define %.*s %s\n", n_name, define,
                         define[n_name] == '=' ? define + n_name + 1 : "");
    }
    mb_strbuf_append(preamble, options->preamble ? options->preamble : "");
    mb_strbuf_append(preamble, "\n");
    return mb_strbuf_check(preamble, err);
}

static enum mb_status check_includes(const struct mb_compile_options *options,
                                     struct mb_err *err)
{
    for (size_t i = 0; i < options->includes->n; i++) {
        MB_FAIL_IF(mb_os_kind(options->includes->items[i]) != MB_KIND_FOLDER, err,
                   MB_ERRC_INPUT, "%s: include: '%s' is not a folder", options->path,
                   options->includes->items[i]);
    }
    return MB_OK;
}

/* ---- Included files */

/* One shader on its way to SPIR-V. */
struct compilation {
    const struct mb_compile_options *options;
    struct mb_bytes *files; /* that were read so far, the shader first; owned, each owned */
    size_t n_files, n_bytes;
    struct mb_strlist folders; /* of the shader and of what it includes, inwards */
    char path[MB_PATH_BYTES];  /* of the file that was opened last */
    struct mb_err why;         /* of the first include that was refused */
    struct mb_strbuf messages;
    void *code; /* owned */
    size_t code_bytes;
};

static void compilation_finish(struct compilation *c)
{
    for (size_t i = 0; i < c->n_files; i++) {
        mb_bytes_finish(&c->files[i]);
    }
    mb_free(c->files);
    mb_free(c->code);
    mb_strlist_finish(&c->folders);
    mb_strbuf_finish(&c->messages);
}

/* Read `path`, from whose folder further files are included. */
static enum mb_status read_text(struct compilation *c, const char *path,
                                struct mb_glsl_text *file, struct mb_err *err)
{
    char folder[MB_PATH_BYTES];
    struct mb_bytes *files = mb_grow(c->files, c->n_files, sizeof *files);
    MB_DO(MB_NEED(files, path));
    c->files = files;
    MB_DO(check_inside(path, c->options->roots, err));
    MB_DO(mb_file_read(path, MAX_TEXT_BYTES, &files[c->n_files], err));
    const struct mb_bytes *bytes = &files[c->n_files++];
    c->n_bytes += bytes->n_bytes > LEAST_BYTES ? bytes->n_bytes : LEAST_BYTES;
    MB_FAIL_IF(c->n_bytes > MAX_TEXT_BYTES, err, MB_ERRC_INPUT,
               "it includes more than %u MiB of files", MAX_TEXT_BYTES >> 20);
    mb_path_parent(path, folder);
    /* glslang takes a byte order mark for code. */
    const size_t n_mark =
        bytes->n_bytes >= 3 && memcmp(bytes->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *file = (struct mb_glsl_text){path, (const char *)bytes->data + n_mark,
                                  bytes->n_bytes - n_mark};
    return mb_strlist_add(&c->folders, err, "%s", folder);
}

/* FOLDER/NAME, if something is there. */
static bool is_there(const char *folder, const char *name, char path[MB_PATH_BYTES])
{
    const int n = snprintf(path, MB_PATH_BYTES, "%s/%s", folder, name);
    for (char *c = path; n < MB_PATH_BYTES && *c != '\0'; c++) {
        *c = *c == '\\' ? '/' : *c; /* as sources for DirectX have it */
    }
    return n < MB_PATH_BYTES && mb_os_kind(path) != MB_KIND_NONE;
}

/* Looked for as glslangValidator does: from the including file's folder outwards, then in the
 * folders that were given. */
static bool find(struct compilation *c, const char *name)
{
    const struct mb_strlist *includes = c->options->includes;
    for (size_t i = c->folders.n; i-- > 0;) {
        if (is_there(c->folders.items[i], name, c->path)) {
            return true;
        }
    }
    for (size_t i = 0; i < includes->n; i++) {
        if (is_there(includes->items[i], name, c->path)) {
            return true;
        }
    }
    return false;
}

static enum mb_status open_include(struct compilation *c, const char *name, size_t depth,
                                   struct mb_glsl_text *file, struct mb_err *err)
{
    MB_FAIL_IF(depth > MAX_DEPTH, err, MB_ERRC_INPUT, "includes are nested more than %u deep",
               MAX_DEPTH);
    while (c->folders.n > depth) {
        mb_free(c->folders.items[--c->folders.n]);
    }
    MB_FAIL_IF(!find(c, name), err, MB_ERRC_INPUT,
               "there is no '%s' beside it or in a folder of \"include\"", name);
    return read_text(c, c->path, file, err);
}

/* mb_glsl.include: nothing is opened any more once something was refused, so that a tree of
 * includes ends there. */
static bool on_include(void *user, const char *name, size_t depth, struct mb_glsl_text *file)
{
    struct compilation *c = user;
    if (c->why.code == MB_ERRC_NONE && open_include(c, name, depth, file, &c->why) == MB_OK) {
        return true;
    }
    *file = (struct mb_glsl_text){NULL, c->why.text, strlen(c->why.text)};
    return false;
}

/* mb_glsl.take */
static void on_end(void *user, const void *code, size_t n_bytes, const char *messages)
{
    struct compilation *c = user;
    mb_strbuf_append(&c->messages, messages);
    c->code = code ? mb_malloc(n_bytes) : NULL;
    if (c->code) {
        memcpy(c->code, code, n_bytes);
        c->code_bytes = n_bytes;
    } else if (code) {
        MB_FAIL(&c->why, MB_ERRC_RUNTIME, "%s: out of memory", c->options->path);
    }
}

/* ---- Messages */

/* What a line says after "ERROR: "; NULL: nothing. */
static const char *error_of(char *line)
{
    static const char *const empty[] = {"No code generated.", "compilation terminated",
                                        "Missing entry point: Each stage requires"};
    bool is_error = strncmp(line, ERROR_HEAD, strlen(ERROR_HEAD)) == 0;
    for (size_t i = 0; i < MB_COUNTOF(empty); i++) {
        is_error = is_error && strstr(line, empty[i]) == NULL;
    }
    for (size_t n = strlen(line); n > 0 && isspace((unsigned char)line[n - 1]); n--) {
        line[n - 1] = '\0';
    }
    char *tail = strstr(line, "'#include'") ? strstr(line, " for header name: ") : NULL;
    if (tail) {
        *tail = '\0'; /* the reason names the file */
    }
    return is_error ? line + strlen(ERROR_HEAD) : NULL;
}

/* The defines and the preamble are text -1 of glslang, and each define is a line of it. */
static void add_error(const struct mb_compile_options *options, const char *error,
                      struct mb_strbuf *text)
{
    const size_t n_defines = options->defines->n;
    char *rest = NULL;
    const size_t line = strncmp(error, "-1:", 3) == 0 ? strtoul(error + 3, &rest, 10) : 0;
    if (line > n_defines) {
        mb_strbuf_printf(text, "%s: preamble: line %zu%s", options->path, line - n_defines,
                         rest);
    } else if (line > 0) {
        mb_strbuf_printf(text, "%s: define '%s'%s", options->path,
                         options->defines->items[line - 1], rest);
    } else {
        mb_strbuf_append(text, error);
    }
}

/* An include that was refused is the reason for whatever is wrong behind it. */
static enum mb_status refuse_shader(struct compilation *c, struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) text = {0};
    unsigned n = 0, n_more = 0;
    MB_DO(mb_strbuf_check(&c->messages, err));
    if (c->why.code == MB_ERRC_RUNTIME) {
        *err = c->why;
        return MB_FAILED;
    }
    for (char *line = c->messages.text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        const char *error = error_of(line);
        if (error && n > 0 &&
            (c->why.code != MB_ERRC_NONE || text.n_bytes + strlen(error) > MAX_ERROR_BYTES)) {
            n_more += c->why.code == MB_ERRC_NONE;
        } else if (error) {
            mb_strbuf_append(&text, n++ > 0 ? "; " : "");
            add_error(c->options, error, &text);
        }
    }
    MB_DO(mb_strbuf_check(&text, err));
    MB_FAIL_IF(n == 0, err, MB_ERRC_INPUT, "%s: glslang refuses it and does not say why",
               c->options->path);
    MB_FAIL(err, MB_ERRC_INPUT, "%s", mb_strbuf_text(&text));
    return n_more > 0 ? mb_err_hint(err, "and %u more", n_more) : MB_FAILED;
}

/* ---- All of it */

static enum mb_status compile(struct compilation *c, const char *preamble, struct mb_err *err)
{
    const struct mb_compile_options *options = c->options;
    struct mb_glsl glsl = {
        .preamble = preamble,
        .entry = ends_with(options->path, ".hlsl") ? options->entry : NULL,
        .vulkan_minor = options->vulkan_minor,
        .register_shift = options->register_shift,
        .user = c,
        .include = on_include,
        .take = on_end,
    };
    MB_DO(read_text(c, options->path, &glsl.source, err));
#if MB_HAS_GLSLANG
    mb_log_suspect(options->path, "glslang compiled it");
    mb_glsl_compile(&glsl);
    mb_log_suspect(NULL, NULL);
#endif
    if (!c->code || c->why.code != MB_ERRC_NONE) {
        return refuse_shader(c, err);
    }
    /* glslang makes an empty module then, and warns. */
    MB_FAIL_IF(strstr(mb_strbuf_text(&c->messages), "Entry point not found") != NULL, err,
               MB_ERRC_INPUT, "%s: it has no entry point '%s'", options->path, options->entry);
    return MB_OK;
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

static enum mb_status fail_without(const struct mb_compile_options *options, struct mb_err *err)
{
    MB_FAIL(err, MB_ERRC_INPUT, "%s: this build compiles no GLSL or HLSL, and %s is not there",
            options->path, options->module);
    return mb_err_hint(err,
                       "run 'mipbench kernel compile FILE.json' on a machine whose mipbench "
                       "has glslang");
}

enum mb_status mb_compile(const struct mb_compile_options *options, void **code,
                          size_t *n_bytes, struct mb_err *err)
{
    const enum mb_kind kind = mb_os_kind(options->path);
    MB_SCOPED(compilation) c = {.options = options};
    MB_SCOPED(mb_strbuf) preamble = {0};
    *code = NULL;
    *n_bytes = 0;
    if (ends_with(options->path, ".spv")) {
        MB_DO(check_inside(options->path, options->roots, err));
        return read_module(options->path, code, n_bytes, err);
    }
    if ((kind == MB_KIND_NONE || !MB_HAS_GLSLANG) && options->module &&
        mb_os_kind(options->module) != MB_KIND_NONE) {
        return read_module(options->module, code, n_bytes, err);
    }
    MB_FAIL_IF(kind == MB_KIND_NONE, err, MB_ERRC_INPUT, "%s: %s", options->path,
               mb_os_error_text(errno));
    MB_DO(MB_HAS_GLSLANG ? make_preamble(options, &preamble, err) : fail_without(options, err));
    MB_DO(check_includes(options, err));
    MB_DO(compile(&c, mb_strbuf_text(&preamble), err));
    *code = c.code;
    *n_bytes = c.code_bytes;
    c.code = NULL;
    return MB_OK;
}
