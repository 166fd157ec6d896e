/* `mipbench export`. */
#include "cli/export.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/os.h"
#include "base/strbuf.h"
#include "image/format.h"
#include "cli/script.h"
#include "strategy.h"
#include "vk/gpu.h"

#define MAX_TRANSLATIONS_BYTES (1u << 20)
#define TRANSLATIONS           "translations.txt"

/* The one that was asked for: the command line has been checked. */
static const struct mb_strategy *find_strategy(const char *name)
{
    size_t i = 0;
    while (strcmp(mb_strategies[i]->name, name) != 0) {
        i++;
    }
    return mb_strategies[i];
}

/* What lies there may be somebody's own README.md. */
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

/* The formats that were asked for; all without any. */
static size_t choose_formats(const struct mb_options *options,
                             const struct mb_format *formats[MB_MAX_FORMATS])
{
    if (options->formats[0] == NULL) {
        for (size_t i = 0; i < mb_format_count; i++) {
            formats[i] = &mb_formats[i];
        }
        return mb_format_count;
    }
    for (size_t i = 0; i < options->n_formats; i++) {
        formats[i] = mb_format_find(options->formats[i]);
    }
    return options->n_formats;
}

/* A path's last part without its ending. */
static const char *add_stem(struct mb_strbuf *out, const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    mb_strbuf_printf(out, "%.*s", (int)strcspn(name, "."), name);
    return mb_strbuf_text(out);
}

struct chosen {
    const struct mb_export *export;
    const char *dir;
    unsigned languages;
    const struct mb_shader **shaders;
    size_t n_shaders;
};

/* Whether a format of those asked for takes a shader, by the reduction asked for or, without
 * one, by any. */
static bool is_taken(const struct mb_export *export, const struct mb_shader *shader,
                     const struct mb_options *options)
{
    const struct mb_format *formats[MB_MAX_FORMATS];
    const size_t n_formats = choose_formats(options, formats);
    const bool is_any = (options->given & mb_option_bit_of("reduce")) == 0;
    for (size_t i = 0; i < n_formats * MB_N_REDUCES; i++) {
        const enum mb_reduce reduce = (enum mb_reduce)(i % MB_N_REDUCES);
        if ((is_any || reduce == options->settings.reduce) &&
            export->takes(shader, formats[i / MB_N_REDUCES], reduce)) {
            return true;
        }
    }
    return false;
}

static enum mb_status write_modules(const struct chosen *chosen, struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) header = {0};
    for (size_t i = 0; i < chosen->n_shaders; i++) {
        const struct mb_shader *shader = chosen->shaders[i];
        MB_SCOPED(mb_strbuf) name = {0};
        add_stem(&name, shader->name);
        mb_strbuf_append(&name, ".spv");
        MB_DO(mb_strbuf_check(&name, err));
        MB_DO(mb_file_write_in(chosen->dir, mb_strbuf_text(&name), shader->code,
                               shader->code_bytes, err));
    }
    chosen->export->add_header(&header, chosen->shaders, chosen->n_shaders);
    MB_DO(mb_strbuf_check(&header, err));
    return mb_file_write_in(chosen->dir, chosen->export->header_name, mb_strbuf_text(&header),
                            header.n_bytes, err);
}

/* Whether a file is there in languages that were asked for. */
static bool is_wanted(const char *name, unsigned languages)
{
    const char *ending = strrchr(name, '.');
    const bool is_glsl = ending && (!strcmp(ending, ".glsl") || !strcmp(ending, ".comp"));
    const bool is_example = strncmp(name, "example_", strlen("example_")) == 0;
    return is_glsl      ? (languages & 1u << MB_LANGUAGE_GLSL) != 0
           : is_example ? (languages & 1u << MB_LANGUAGE_SPIRV) != 0
                        : true;
}

/* Of each format at the first size: what is planned for a device, as numbers. */
static enum mb_status write_manifests(const struct chosen *chosen,
                                      const struct mb_options *options, struct mb_err *err)
{
    const struct mb_format *formats[MB_MAX_FORMATS];
    const size_t n_formats = choose_formats(options, formats);
    const struct mb_extent size = options->settings.size[0];
    MB_SCOPED(mb_gpu) gpu = {0};
    if (options->settings.device) {
        const struct mb_gpu_options gpu_options = {.selector = options->settings.device,
                                                   .only_compiles = true};
        MB_DO(mb_gpu_init(&gpu, &gpu_options, err));
    }
    for (size_t i = 0; i < n_formats; i++) {
        MB_SCOPED(mb_strbuf) text = {0};
        MB_SCOPED(mb_strbuf) name = {0};
        struct mb_layout layout;
        mb_layout_init(&layout, formats[i], size, 1, mb_full_level_count(size));
        const char *why =
            chosen->export->add_manifest(&text, options->settings.device ? &gpu.info : NULL,
                                         &layout, options->settings.reduce);
        MB_FAIL_IF(why, err, MB_ERRC_UNSUPPORTED, "export: no plan of %s at %ux%u: %s",
                   formats[i]->name, size.width, size.height, why);
        mb_strbuf_printf(&name, "%s-%s-%ux%u.json", formats[i]->name,
                         mb_reduce_names[options->settings.reduce], size.width, size.height);
        MB_DO(mb_strbuf_check(&text, err));
        MB_DO(mb_strbuf_check(&name, err));
        MB_DO(
            mb_file_write_in(chosen->dir, mb_strbuf_text(&name), text.text, text.n_bytes, err));
    }
    return MB_OK;
}

static enum mb_status write_all(const struct chosen *chosen, struct mb_err *err)
{
    for (const struct mb_embedded *file = chosen->export->files; file->name != NULL; file++) {
        if (is_wanted(file->name, chosen->languages)) {
            MB_DO(mb_file_write_in(chosen->dir, file->name, file->data, file->n_bytes, err));
        }
    }
    return chosen->languages & 1u << MB_LANGUAGE_SPIRV ? write_modules(chosen, err) : MB_OK;
}

/* Whether STEM.spv of one of the shaders is called so. */
static bool writes_module(const struct chosen *chosen, const char *name)
{
    const bool has_modules = (chosen->languages & 1u << MB_LANGUAGE_SPIRV) != 0;
    for (size_t i = 0; has_modules && i < chosen->n_shaders; i++) {
        const char *path = chosen->shaders[i]->name;
        const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        const size_t n_stem = strcspn(file, ".");
        if (strncmp(file, name, n_stem) == 0 && strcmp(name + n_stem, ".spv") == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a file is one that another export writes, and this one does not. */
static bool is_left_over(const struct chosen *chosen, const char *name)
{
    const struct mb_export *export = chosen->export;
    const char *ending = strrchr(name, '.');
    const bool has_modules = (chosen->languages & 1u << MB_LANGUAGE_SPIRV) != 0;
    bool is_left = strcmp(name, TRANSLATIONS) == 0 ||
                   (strcmp(name, export->header_name) == 0 && !has_modules);
    for (const struct mb_embedded *file = export->files; file->name != NULL; file++) {
        is_left |= strcmp(file->name, name) == 0 && !is_wanted(name, chosen->languages);
    }
    const bool is_module =
        ending && strncmp(name, export->prefix, strlen(export->prefix)) == 0 &&
        (!strcmp(ending, ".spv") || !strcmp(ending, ".hlsl") || !strcmp(ending, ".metal"));
    return is_module ? !writes_module(chosen, name) : is_left;
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
            mb_os_remove(path);
        }
    }
    return MB_OK;
}

/* By a script, which leaves a line for each module in a file; they are shown. */
static enum mb_status translate(const struct mb_script *script, const struct chosen *chosen,
                                struct mb_strbuf *said, struct mb_err *err)
{
    const bool is_hlsl = (chosen->languages & 1u << MB_LANGUAGE_HLSL) != 0;
    const bool is_msl = (chosen->languages & 1u << MB_LANGUAGE_MSL) != 0;
    MB_SCOPED(mb_strbuf) path = {0};
    MB_SCOPED(mb_bytes) lines = {0};
    mb_strbuf_printf(&path, "%s/" TRANSLATIONS, chosen->dir);
    MB_DO(mb_strbuf_check(&path, err));
    MB_DO(mb_script_run(script,
                        is_hlsl && is_msl ? "--language=hlsl,msl"
                        : is_hlsl         ? "--language=hlsl"
                                          : "--language=msl",
                        chosen->dir, err));
    MB_DO(mb_file_read(mb_strbuf_text(&path), MAX_TRANSLATIONS_BYTES, &lines, err));
    mb_strbuf_append(said, (const char *)lines.data);
    return MB_OK;
}

static enum mb_status find_translator(struct mb_script *script, struct mb_err *err)
{
    char path[MB_PATH_BYTES];
    if (!mb_os_find_program("spirv-cross", path)) {
        MB_FAIL(err, MB_ERRC_OUTPUT, "--language: spirv-cross is not on PATH");
        return mb_err_hint(err, "install it (package spirv-cross), or leave hlsl and msl out");
    }
    return mb_script_find(script, "--language", "translate.py", err);
}

static enum mb_status choose(const struct mb_options *options, struct chosen *chosen,
                             struct mb_err *err)
{
    const unsigned translated = 1u << MB_LANGUAGE_HLSL | 1u << MB_LANGUAGE_MSL;
    size_t n = 0;
    while (mb_shaders[n]) {
        n++;
    }
    chosen->export = find_strategy(options->settings.inputs[0])->export;
    chosen->dir = options->out_dir;
    chosen->languages = options->languages ? options->languages
                                           : 1u << MB_LANGUAGE_GLSL | 1u << MB_LANGUAGE_SPIRV;
    if (chosen->languages & translated) {
        chosen->languages |= 1u << MB_LANGUAGE_SPIRV;
    }
    chosen->shaders = mb_alloc(n + 1, sizeof *chosen->shaders);
    MB_DO(MB_NEED(chosen->shaders, "modules"));
    for (size_t i = 0; i < n; i++) {
        if (is_taken(chosen->export, mb_shaders[i], options)) {
            chosen->shaders[chosen->n_shaders++] = mb_shaders[i];
        }
    }
    return MB_OK;
}

static enum mb_status run(const struct mb_options *options, struct chosen *chosen,
                          struct mb_err *err)
{
    struct mb_script script;
    MB_SCOPED(mb_strbuf) text = {0};
    MB_SCOPED(mb_strbuf) end = {0};
    MB_DO(choose(options, chosen, err));
    const bool is_translated =
        (chosen->languages & (1u << MB_LANGUAGE_HLSL | 1u << MB_LANGUAGE_MSL)) != 0;
    MB_DO(is_translated ? find_translator(&script, err) : MB_OK);
    MB_DO(mb_make_dirs(chosen->dir, err));
    MB_DO(options->force ? MB_OK : check_empty(chosen->dir, err));
    MB_DO(write_all(chosen, err));
    if (options->settings.n_sizes > 0) {
        MB_DO(write_manifests(chosen, options, err));
    }
    mb_strbuf_printf(&end, "Export: %s/README.md\n", chosen->dir);
    MB_DO(mb_strbuf_check(&end, err)); /* before anything goes, as nothing may fail then */
    MB_DO(options->force ? remove_left_over(chosen, err) : MB_OK);
    MB_DO(is_translated ? translate(&script, chosen, &text, err) : MB_OK);
    if (is_translated && !options->quiet) {
        MB_DO(mb_strbuf_print(&text, err));
    }
    return options->quiet ? MB_OK : mb_strbuf_print(&end, err);
}

enum mb_status mb_export_run(const struct mb_options *options, struct mb_err *err)
{
    struct chosen chosen = {0};
    const enum mb_status status = run(options, &chosen, err);
    mb_free(chosen.shaders);
    return status;
}
