/* `mipbench export`. */
#include "cli/export.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/os.h"
#include "base/strbuf.h"
#include "image/format.h"
#include "strategy.h"
#include "vk/gpu.h"

/* The folder may hold somebody's own README.md. */
static enum mb_status check_empty(const char *dir, struct mb_err *err)
{
    MB_SCOPED(mb_strlist) names = {0};
    MB_DO(mb_os_list(dir, MB_ERRC_OUTPUT, &names, err));
    if (names.n > 0) {
        const enum mb_status status =
            MB_FAIL(err, MB_ERRC_OUTPUT, "%s: the folder is not empty", dir);
        mb_err_hint(err, "with --force it replaces an earlier export");
        return status;
    }
    return MB_OK;
}

/* A format of the command line, and a bit for each of its reductions. */
struct asked {
    const struct mb_format *format;
    unsigned reduces;
};

/* The i-th format of the command line, or of all formats if it names none; false beyond the
 * last. */
static bool find_asked(const struct mb_options *options, size_t i, struct asked *asked)
{
    const bool is_any = options->formats[0] == NULL;
    if (i >= (is_any ? mb_format_count : options->n_formats)) {
        return false;
    }
    asked->format = is_any ? &mb_formats[i] : mb_format_find(options->formats[i]);
    asked->reduces = is_any || options->format_reduces[i] == 0 ? (1u << MB_N_REDUCES) - 1
                                                               : options->format_reduces[i];
    return true;
}

struct chosen {
    const struct mb_export *export;
    const char *dir;
    const struct mb_shader **shaders; /* owned */
    size_t n_shaders;
    struct mb_strlist files; /* "NAME.spv" of each of them; owned */
};

/* Those of enum mb_export_part that are to be left out. */
static unsigned left_out(const struct mb_options *options)
{
    return (options->plain ? 0 : (unsigned)MB_EXPORT_PLAIN) |
           (options->alpha ? 0 : (unsigned)MB_EXPORT_ALPHA) |
           (options->updates ? 0 : (unsigned)MB_EXPORT_UPDATES);
}

/* Whether any format and reduction of the command line takes a shader. */
static bool is_taken(const struct mb_export *export, const struct mb_shader *shader,
                     const struct mb_options *options)
{
    struct asked asked;
    for (size_t i = 0; find_asked(options, i, &asked); i++) {
        for (unsigned r = 0; r < MB_N_REDUCES; r++) {
            if ((asked.reduces >> r & 1) != 0 &&
                export->takes(shader, asked.format, (enum mb_reduce)r)) {
                return (export->parts_of(shader) & left_out(options)) == 0;
            }
        }
    }
    return false;
}

static enum mb_status write_modules(const struct chosen *chosen, struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) header = {0};
    for (size_t i = 0; i < chosen->n_shaders; i++) {
        MB_DO(mb_file_write_in(chosen->dir, chosen->files.items[i], chosen->shaders[i]->code,
                               chosen->shaders[i]->code_bytes, err));
    }
    chosen->export->add_code(&header, chosen->shaders, chosen->n_shaders);
    MB_DO(mb_strbuf_check(&header, err));
    return mb_file_write_in(chosen->dir, chosen->export->code_name, mb_strbuf_text(&header),
                            header.n_bytes, err);
}

static bool has_shader(const struct chosen *chosen, const struct mb_shader *shader)
{
    size_t i = 0;
    while (i < chosen->n_shaders && chosen->shaders[i] != shader) {
        i++;
    }
    return i < chosen->n_shaders;
}

/* What is planned for a device, as numbers: FORMAT-REDUCTION-SIZE.json. */
static enum mb_status write_manifest(const struct chosen *chosen, const struct mb_gpu_info *gpu,
                                     const struct mb_format *format, enum mb_reduce reduce,
                                     struct mb_extent size, struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) text = {0};
    MB_SCOPED(mb_strbuf) name = {0};
    const struct mb_shader *shader = NULL;
    struct mb_layout layout;
    mb_layout_init(&layout, format, size, 1, mb_full_level_count(size));
    const char *why = chosen->export->add_manifest(&text, gpu, &layout, reduce, &shader);
    if (!why && !has_shader(chosen, shader)) {
        why = "its module is left out, by --no-plain, --no-alpha or --no-updates";
    }
    MB_FAIL_IF(why, err, MB_ERRC_UNSUPPORTED, "export: no plan of %s at %ux%u: %s",
               format->name, size.width, size.height, why);
    mb_strbuf_printf(&name, "%s-%s-%ux%u.json", format->name, mb_reduce_names[reduce],
                     size.width, size.height);
    MB_DO(mb_strbuf_check(&text, err));
    MB_DO(mb_strbuf_check(&name, err));
    return mb_file_write_in(chosen->dir, mb_strbuf_text(&name), text.text, text.n_bytes, err);
}

/* Of each format and reduction, at the first size. */
static enum mb_status write_manifests(const struct chosen *chosen,
                                      const struct mb_options *options, struct mb_err *err)
{
    struct asked asked;
    MB_SCOPED(mb_gpu) gpu = {0};
    if (options->settings.device) {
        const struct mb_gpu_options gpu_options = {.selector = options->settings.device,
                                                   .only_compiles = true};
        MB_DO(mb_gpu_init(&gpu, &gpu_options, err));
    }
    for (size_t i = 0; find_asked(options, i, &asked); i++) {
        for (unsigned r = 0; r < MB_N_REDUCES; r++) {
            if ((asked.reduces >> r & 1) != 0) {
                MB_DO(write_manifest(chosen, options->settings.device ? &gpu.info : NULL,
                                     asked.format, (enum mb_reduce)r, options->settings.size[0],
                                     err));
            }
        }
    }
    return MB_OK;
}

static enum mb_status write_all(const struct chosen *chosen, struct mb_err *err)
{
    for (const struct mb_embedded *file = chosen->export->files; file->name != NULL; file++) {
        MB_DO(mb_file_write_in(chosen->dir, file->name, file->data, file->n_bytes, err));
    }
    return write_modules(chosen, err);
}

/* Whether a file is a module that another export writes, and this one does not. */
static bool is_left_over(const struct chosen *chosen, const char *name)
{
    const char *prefix = chosen->export->prefix, *ending = strrchr(name, '.');
    bool is_module =
        ending && strcmp(ending, ".spv") == 0 && strncmp(name, prefix, strlen(prefix)) == 0;
    for (size_t i = 0; i < chosen->files.n; i++) {
        is_module = is_module && strcmp(name, chosen->files.items[i]) != 0;
    }
    return is_module;
}

/* In a folder that --force lets in. */
static enum mb_status remove_left_over(const struct chosen *chosen, struct mb_err *err)
{
    MB_SCOPED(mb_strlist) names = {0};
    MB_DO(mb_os_list(chosen->dir, MB_ERRC_OUTPUT, &names, err));
    for (size_t i = 0; i < names.n; i++) {
        char path[MB_PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s", chosen->dir, names.items[i]);
        if (is_left_over(chosen, names.items[i])) {
            unlink(path);
        }
    }
    return MB_OK;
}

static enum mb_status choose(const struct mb_options *options, struct chosen *chosen,
                             struct mb_err *err)
{
    size_t n = 0;
    while (mb_shaders[n]) {
        n++;
    }
    chosen->export = options->exported;
    chosen->dir = options->out_dir;
    chosen->shaders = mb_alloc(n + 1, sizeof *chosen->shaders);
    MB_DO(MB_NEED(chosen->shaders, "modules"));
    for (size_t i = 0; i < n; i++) {
        if (is_taken(chosen->export, mb_shaders[i], options)) {
            const char *path = mb_shaders[i]->name, *slash = strrchr(path, '/');
            const char *name = slash ? slash + 1 : path;
            chosen->shaders[chosen->n_shaders++] = mb_shaders[i];
            MB_DO(
                mb_strlist_add(&chosen->files, err, "%.*s.spv", (int)strcspn(name, "."), name));
        }
    }
    return MB_OK;
}

static enum mb_status run(const struct mb_options *options, struct chosen *chosen,
                          struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) end = {0};
    MB_DO(choose(options, chosen, err));
    MB_DO(mb_make_dirs(chosen->dir, err));
    MB_DO(options->force ? MB_OK : check_empty(chosen->dir, err));
    MB_DO(write_all(chosen, err));
    if (options->settings.n_sizes > 0) {
        MB_DO(write_manifests(chosen, options, err));
    }
    mb_strbuf_printf(&end, "Export: %s/README.md\n", chosen->dir);
    MB_DO(mb_strbuf_check(&end, err)); /* before anything goes, as nothing may fail then */
    MB_DO(options->force ? remove_left_over(chosen, err) : MB_OK);
    return options->quiet ? MB_OK : mb_strbuf_print(&end, err);
}

enum mb_status mb_export_run(const struct mb_options *options, struct mb_err *err)
{
    struct chosen chosen = {0};
    const enum mb_status status = run(options, &chosen, err);
    mb_free(chosen.shaders);
    mb_strlist_finish(&chosen.files);
    return status;
}
