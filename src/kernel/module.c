/* Loads the modules of a manifest. */
#include "kernel/module.h"

#include <string.h>

#include <cJSON.h>

#include "base/alloc.h"
#include "base/text.h"
#include "kernel/compile/compile.h"

#define MAX_MODULE_BYTES (8u << 20)

/* What a module is compiled from. */
struct source {
    const char *file;
    struct mb_compile_options options; /* points into what follows */
    struct mb_strlist paths;           /* one */
    struct mb_strlist includes;
    struct mb_strbuf preamble;
    struct mb_strbuf flags, folders; /* as the manifest has them */
};

static void source_finish(struct source *source)
{
    mb_strlist_finish(&source->paths);
    mb_strlist_finish(&source->includes);
    mb_strbuf_finish(&source->preamble);
    mb_strbuf_finish(&source->flags);
    mb_strbuf_finish(&source->folders);
}

/* FOLDER/PATH, or PATH where that is absolute. */
static enum mb_status add_path(const struct mb_manifest *manifest, const char *path,
                               struct mb_strlist *list, struct mb_err *err)
{
    return mb_os_is_absolute(path)
               ? mb_strlist_add(list, err, "%s", path)
               : mb_strlist_add(list, err, "%s/%s", manifest->roots.items[0], path);
}

/* A macro whose value is null is not defined. */
static enum mb_status add_defines(struct mb_reader *r, const cJSON *shader,
                                  struct source *source)
{
    const cJSON *defines = mb_read_map(r, shader, "defines");
    for (const cJSON *member = defines ? defines->child : NULL; member; member = member->next) {
        const cJSON *value = mb_choose(r, member);
        if (cJSON_IsNull(value)) {
            continue;
        }
        MB_REFUSE_IF(!cJSON_IsString(value) && !cJSON_IsNumber(value), r, member,
                     "expected a number, a text or null");
        const struct mb_text number = mb_number_text(value->valuedouble);
        const char *text = cJSON_IsString(value) ? value->valuestring : number.s;
        mb_strbuf_printf(&source->preamble, "#define %s %s\n", member->string, text);
        mb_strbuf_printf(&source->flags, " -D%s=%s", member->string, text);
    }
    return r->status;
}

static enum mb_status add_includes(struct mb_reader *r, const cJSON *shader,
                                   struct source *source)
{
    const struct mb_manifest *manifest = r->pick->manifest;
    const cJSON *folders = mb_read_list(r, shader, "include");
    for (const cJSON *folder = folders ? folders->child : NULL; folder; folder = folder->next) {
        const char *path = mb_read_text(r, folder, NULL);
        MB_DO(r->status);
        mb_strbuf_printf(&source->folders, " -I%s", path);
        MB_DO(add_path(manifest, path, &source->includes, r->err));
    }
    for (size_t i = 1; i < manifest->roots.n; i++) {
        MB_DO(mb_strlist_add(&source->includes, r->err, "%s", manifest->roots.items[i]));
    }
    return r->status;
}

static enum mb_status read_source(struct mb_reader *r, const cJSON *shader,
                                  struct source *source)
{
    static const char *const keys[] = {"file",      "entry",          "target",
                                       "preamble",  "defines",        "include",
                                       "constants", "register_shift", NULL};
    static const char *const targets[] = {"vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3",
                                          NULL};
    struct mb_compile_options *options = &source->options;
    const cJSON *node = mb_open(r, shader, keys, 1);
    const char *entry = mb_read_text(r, node, "entry");
    const char *preamble = mb_read_text(r, node, "preamble");
    source->file = mb_read_text(r, node, "file");
    *options = (struct mb_compile_options){
        .entry = entry ? entry : "main",
        .vulkan_minor = mb_read_word(r, node, "target", targets, 2),
        .register_shift = (unsigned)mb_read_integer(r, node, "register_shift", 0, 10000, 0),
        .includes = &source->includes,
        .roots = &r->pick->manifest->roots,
    };
    MB_DO(r->status);
    mb_strbuf_printf(&source->flags, "%s %s", options->entry, targets[options->vulkan_minor]);
    MB_DO(add_path(r->pick->manifest, source->file, &source->paths, r->err));
    MB_DO(add_defines(r, node, source));
    if (preamble) {
        mb_strbuf_printf(&source->preamble, "%s\n", preamble);
        mb_strbuf_printf(&source->flags, " -P%s", preamble);
    }
    if (options->register_shift > 0) {
        mb_strbuf_printf(&source->flags, " -S%u", options->register_shift);
    }
    MB_DO(mb_strbuf_check(&source->preamble, r->err));
    options->path = source->paths.items[0];
    options->preamble = mb_strbuf_text(&source->preamble);
    return add_includes(r, node, source);
}

/* The key that tells one module from another, the name and flags that results show, and the
 * file beside the manifest that it is written to: the same on every machine. */
static enum mb_status name_module(const struct mb_manifest *manifest, struct source *source,
                                  struct mb_loaded_module *module, struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) key = {0};
    MB_SCOPED(mb_strbuf) name = {0};
    MB_SCOPED(mb_strbuf) compiled = {0};
    const char *slash = strrchr(source->file, '/'), *file = slash ? slash + 1 : source->file;
    const char *kernel = mb_json_read_string(manifest->json.root, "name");
    const size_t n_file = strlen(file);
    char stem[64], digest[65];
    mb_strbuf_printf(&key, "%s %s%s", source->file, mb_strbuf_text(&source->flags),
                     mb_strbuf_text(&source->folders));
    mb_strbuf_printf(&name, "%s/%s", kernel, file);
    mb_slug(file, stem, sizeof stem);
    mb_sha256_hex(mb_strbuf_text(&key), key.n_bytes, digest);
    mb_strbuf_printf(&compiled, "%s/%s-%s-%.12s.spv", manifest->roots.items[0], kernel, stem,
                     digest);
    MB_DO(mb_strbuf_take(&key, &module->key, err));
    MB_DO(mb_strbuf_take(&name, &module->name, err));
    MB_DO(mb_strbuf_take(&source->flags, &module->flags, err));
    if (n_file >= 4 && strcmp(file + n_file - 4, ".spv") == 0) {
        return MB_OK;
    }
    MB_DO(mb_strbuf_take(&compiled, &module->compiled, err));
    source->options.module = module->compiled;
    return MB_OK;
}

static enum mb_status load_module(const struct mb_compile_options *options,
                                  struct mb_loaded_module *module, struct mb_err *err)
{
    size_t n_bytes = 0;
    MB_DO(mb_compile(options, &module->code, &n_bytes, err));
    MB_FAIL_IF(n_bytes > MAX_MODULE_BYTES, err, MB_ERRC_INPUT, "%s: more than 8 MiB",
               options->path);
    MB_DO(mb_spirv_init(&module->spirv, options->path, module->code, n_bytes, options->entry,
                        err));
    module->spirv.shader.name = module->name;
    module->spirv.shader.flags = module->flags;
    return MB_OK;
}

enum mb_status mb_manifest_module(struct mb_reader *r, const cJSON *node,
                                  const struct mb_spirv **spirv)
{
    enum mb_status status = MB_OK;
    struct mb_err *err = r->err;
    /* What is loaded is kept: the same for whoever asks again. */
    struct mb_manifest *manifest = (struct mb_manifest *)r->pick->manifest;
    MB_SCOPED(source) source = {0};
    struct mb_loaded_module *module = mb_alloc(1, sizeof *module);
    MB_TRY(MB_NEED(module, manifest->path));
    MB_TRY(read_source(r, node, &source));
    MB_TRY(name_module(manifest, &source, module, err));
    for (struct mb_loaded_module *old = manifest->modules; old; old = old->next) {
        if (strcmp(old->key, module->key) == 0) {
            mb_loaded_module_free(module);
            *spirv = &old->spirv;
            return MB_OK;
        }
    }
    status = load_module(&source.options, module, err);
    if (status != MB_OK) {
        mb_reader_blame(r, mb_json_get(node, "file"));
        goto fail;
    }
    const struct mb_shader **shaders =
        mb_grow(manifest->file.shaders, manifest->file.n_shaders, sizeof *shaders);
    MB_TRY(MB_NEED(shaders, manifest->path));
    shaders[manifest->file.n_shaders++] = &module->spirv.shader;
    manifest->file.shaders = shaders;
    module->next = manifest->modules;
    manifest->modules = module;
    *spirv = &module->spirv;
    return MB_OK;
fail:
    if (module) {
        mb_loaded_module_free(module);
    }
    return status;
}

void mb_loaded_module_free(struct mb_loaded_module *module)
{
    mb_free(module->code);
    mb_free(module->key);
    mb_free(module->name);
    mb_free(module->flags);
    mb_free(module->compiled);
    mb_free(module);
}
