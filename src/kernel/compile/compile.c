/* Reads or compiles a shader, and decides for glslang which files it may include. */
#include "kernel/compile/compile.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/strbuf.h"

#define MAX_MODULE_BYTES (8u << 20)
#define MAX_TEXT_BYTES   (16u << 20) /* of a shader and all its included files */
#define LEAST_BYTES      4096u       /* a smaller file counts as this many: it is not free */
#define MAX_DEPTH        32u         /* of includes */
#define ERROR_HEAD       "ERROR: "

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), n_end = strlen(end);
    return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

/* Refuse a path outside the roots, after symbolic links and ".." are resolved. */
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

/* ---- Included files */

/* One shader on its way to SPIR-V. */
struct compilation {
    const struct mb_compile_options *options;
    struct mb_bytes *files; /* files read so far, the shader first; owned, each owned */
    size_t n_files, n_bytes;
    struct mb_strlist folders; /* of the shader, then of each nested include */
    char path[MB_PATH_BYTES];  /* of the file that was opened last */
    struct mb_err why;         /* of the first include that was refused */
    struct mb_strbuf messages;
    struct mb_bytes code; /* owned */
};

static void compilation_finish(struct compilation *c)
{
    for (size_t i = 0; i < c->n_files; i++) {
        mb_bytes_finish(&c->files[i]);
    }
    mb_free(c->files);
    mb_bytes_finish(&c->code);
    mb_strlist_finish(&c->folders);
    mb_strbuf_finish(&c->messages);
}

/* Read `path`, and add its folder, where its includes are searched for. */
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
    /* Skip a byte order mark, which glslang would read as code. */
    const size_t n_mark =
        bytes->n_bytes >= 3 && memcmp(bytes->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *file = (struct mb_glsl_text){path, (const char *)bytes->data + n_mark,
                                  bytes->n_bytes - n_mark};
    return mb_strlist_add(&c->folders, err, "%s", folder);
}

/* Set `path` to FOLDER/NAME; true if it exists. */
static bool is_there(const char *folder, const char *name, char path[MB_PATH_BYTES])
{
    const int n = snprintf(path, MB_PATH_BYTES, "%s/%s", folder, name);
    for (char *c = path; n < MB_PATH_BYTES && *c != '\0'; c++) {
        *c = *c == '\\' ? '/' : *c; /* sources for DirectX have backslashes */
    }
    return n < MB_PATH_BYTES && mb_os_kind(path) != MB_KIND_NONE;
}

/* Look for a file as glslangValidator does: from the including file's folder outwards, then in
 * options->includes. */
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

/* Open an included file, unless one was refused before: so a tree of includes ends there. */
bool mb_glsl_include(void *user, const char *name, size_t depth, struct mb_glsl_text *file)
{
    struct compilation *c = user;
    if (c->why.code == MB_ERRC_NONE && open_include(c, name, depth, file, &c->why) == MB_OK) {
        return true;
    }
    *file = (struct mb_glsl_text){NULL, c->why.text, strlen(c->why.text)};
    return false;
}

void mb_glsl_take(void *user, const void *code, size_t n_bytes, const char *messages)
{
    struct compilation *c = user;
    mb_strbuf_append(&c->messages, messages);
    c->code = (struct mb_bytes){code ? mb_malloc(n_bytes) : NULL, n_bytes};
    if (c->code.data) {
        memcpy(c->code.data, code, n_bytes);
    } else if (code) {
        MB_FAIL(&c->why, MB_ERRC_RUNTIME, "%s: out of memory", c->options->path);
    }
}

/* Fail with the first error; later errors may follow from it. File -1 is the preamble. */
static enum mb_status refuse_shader(struct compilation *c, struct mb_err *err)
{
    const char *path = c->options->path;
    MB_DO(mb_strbuf_check(&c->messages, err));
    if (c->why.code == MB_ERRC_RUNTIME) {
        *err = c->why;
        return MB_FAILED;
    }
    const char *error = strstr(mb_strbuf_text(&c->messages), ERROR_HEAD);
    MB_FAIL_IF(!error, err, MB_ERRC_INPUT, "%s: glslang refuses it and does not say why", path);
    error += strlen(ERROR_HEAD);
    const int n = (int)strcspn(error, "\r\n");
    return strncmp(error, "-1:", 3) == 0
               ? MB_FAIL(err, MB_ERRC_INPUT, "%s: defines and preamble: line %.*s", path, n - 3,
                         error + 3)
               : MB_FAIL(err, MB_ERRC_INPUT, "%.*s", n, error);
}

/* ---- All of it */

static enum mb_status compile(struct compilation *c, struct mb_err *err)
{
    const struct mb_compile_options *options = c->options;
    struct mb_glsl_text source;
    MB_DO(read_text(c, options->path, &source, err));
#if MB_HAS_GLSLANG
    mb_log_suspect(options->path, "glslang compiled it");
    mb_glsl_compile(options, &source, ends_with(options->path, ".hlsl"), c);
    mb_log_suspect(NULL, NULL);
#endif
    if (!c->code.data || c->why.code != MB_ERRC_NONE) {
        return refuse_shader(c, err);
    }
    /* If there is no such entry point, glslang makes an empty module and warns. */
    MB_FAIL_IF(strstr(mb_strbuf_text(&c->messages), "Entry point not found") != NULL, err,
               MB_ERRC_INPUT, "%s: it has no entry point '%s'", options->path, options->entry);
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

enum mb_status mb_compile(const struct mb_compile_options *options, struct mb_bytes *code,
                          struct mb_err *err)
{
    const bool is_source_usable = MB_HAS_GLSLANG && mb_os_kind(options->path) != MB_KIND_NONE;
    MB_SCOPED(compilation) c = {.options = options};
    *code = (struct mb_bytes){0};
    if (ends_with(options->path, ".spv")) {
        MB_DO(check_inside(options->path, options->roots, err));
        return mb_file_read(options->path, MAX_MODULE_BYTES, code, err);
    }
    if (!is_source_usable && options->module && mb_os_kind(options->module) != MB_KIND_NONE) {
        if (mb_os_kind(options->path) != MB_KIND_NONE) {
            mb_log(MB_LOG_WARN,
                   "%s: this build has no glslang: runs %s, compiled before; compile again "
                   "after a change",
                   options->path, options->module);
        }
        return mb_file_read(options->module, MAX_MODULE_BYTES, code, err);
    }
    MB_DO(MB_HAS_GLSLANG ? compile(&c, err) : fail_without(options, err));
    *code = c.code;
    c.code = (struct mb_bytes){0};
    return MB_OK;
}
