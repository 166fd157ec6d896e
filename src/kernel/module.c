/* Loads the modules of a manifest. */
#include "kernel/module.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "kernel/compile/compile.h"

void mb_loaded_module_free(struct mb_loaded_module *module)
{
    mb_strlist_finish(&module->paths);
    mb_strbuf_finish(&module->preamble);
    mb_strbuf_finish(&module->flags);
    mb_strbuf_finish(&module->name);
    mb_strbuf_finish(&module->compiled);
    mb_bytes_finish(&module->code);
    mb_free(module);
}

/* A macro whose value is null is not defined. */
static enum mb_status add_defines(struct mb_reader *r, const cJSON *shader,
                                  struct mb_loaded_module *module)
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
        mb_strbuf_printf(&module->preamble, "#define %s %s\n", member->string, text);
        mb_strbuf_printf(&module->flags, " -D%s=%s", member->string, text);
    }
    return r->status;
}

/* Add the path of a file or folder, which begins at the manifest's folder. */
static enum mb_status add_path(struct mb_reader *r, const char *path,
                               struct mb_loaded_module *module)
{
    const bool is_absolute = mb_os_is_absolute(path);
    return mb_strlist_add(&module->paths, r->err, "%s%s%s",
                          is_absolute ? "" : r->pick->manifest->roots.items[0],
                          is_absolute ? "" : "/", path);
}

/* The file beside the manifest that the module is written to has a digest of what it is made
 * of: the same on every machine. */
static void name_module(struct mb_reader *r, const char *file, const struct mb_strbuf *folders,
                        struct mb_loaded_module *module)
{
    const struct mb_manifest *manifest = r->pick->manifest;
    const char *kernel = mb_json_read_string(manifest->json.root, "name");
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    const size_t n = strlen(file);
    MB_SCOPED(mb_strbuf) key = {0};
    char stem[64], digest[65];
    mb_strbuf_printf(&key, "%s %s%s", file, mb_strbuf_text(&module->flags),
                     mb_strbuf_text(folders));
    mb_slug(base, stem, sizeof stem);
    mb_sha256_hex(mb_strbuf_text(&key), key.n_bytes, digest);
    mb_strbuf_printf(&module->name, "%s/%s", kernel, base);
    mb_strbuf_printf(&module->compiled, "%s/%s-%s-%.12s.spv", manifest->roots.items[0], kernel,
                     stem, digest);
    module->is_given = n >= 4 && strcmp(file + n - 4, ".spv") == 0;
}

static enum mb_status add_includes(struct mb_reader *r, const cJSON *shader,
                                   struct mb_strbuf *flags, struct mb_loaded_module *module)
{
    const struct mb_strlist *roots = &r->pick->manifest->roots;
    for (const cJSON *folder = mb_read_list(r, shader, "include"); folder;
         folder = folder->next) {
        const char *path = mb_read_text(r, folder, NULL);
        MB_DO(r->status);
        mb_strbuf_printf(flags, " -I%s", path);
        MB_DO(add_path(r, path, module));
    }
    for (size_t i = 1; i < roots->n; i++) {
        MB_DO(add_path(r, roots->items[i], module));
    }
    return r->status;
}

static enum mb_status read_module(struct mb_reader *r, const cJSON *shader,
                                  struct mb_compile_options *options,
                                  struct mb_loaded_module *module)
{
    static const char *const keys[] = {"file",      "entry",          "target",
                                       "preamble",  "defines",        "include",
                                       "constants", "register_shift", NULL};
    static const char *const targets[] = {"vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3",
                                          NULL};
    const cJSON *node = mb_open(r, shader, keys, 1);
    const char *file = mb_read_text(r, node, "file"), *entry = mb_read_text(r, node, "entry");
    const char *preamble = mb_read_text(r, node, "preamble");
    MB_SCOPED(mb_strbuf) folders = {0};
    options->entry = entry ? entry : "main";
    options->vulkan_minor = mb_read_word(r, node, "target", targets, 2);
    options->register_shift = mb_read_integer(r, node, "register_shift", 0, 10000, 0);
    MB_DO(r->status);
    mb_strbuf_printf(&module->flags, "%s %s", options->entry, targets[options->vulkan_minor]);
    MB_DO(add_path(r, file, module));
    MB_DO(add_defines(r, node, module));
    if (preamble) {
        mb_strbuf_printf(&module->preamble, "%s\n", preamble);
        mb_strbuf_printf(&module->flags, " -P%s", preamble);
    }
    if (options->register_shift > 0) {
        mb_strbuf_printf(&module->flags, " -S%u", options->register_shift);
    }
    MB_DO(add_includes(r, node, &folders, module));
    name_module(r, file, &folders, module);
    MB_DO(mb_strbuf_check(&module->preamble, r->err));
    MB_DO(mb_strbuf_check(&module->flags, r->err));
    MB_DO(mb_strbuf_check(&module->name, r->err));
    return mb_strbuf_check(&module->compiled, r->err);
}

static enum mb_status load_module(struct mb_compile_options *options,
                                  struct mb_loaded_module *module, struct mb_err *err)
{
    const struct mb_strlist includes = {module->paths.items + 1, module->paths.n - 1};
    options->path = module->paths.items[0];
    options->includes = &includes;
    options->module = module->is_given ? NULL : module->compiled.text;
    options->preamble = mb_strbuf_text(&module->preamble);
    MB_DO(mb_compile(options, &module->code, err));
    MB_DO(mb_spirv_init(&module->spirv, options->path, module->code.data, module->code.n_bytes,
                        options->entry, err));
    module->spirv.shader.name = module->name.text;
    module->spirv.shader.flags = module->flags.text;
    return MB_OK;
}

/* Keep it, for results and for whoever asks again. */
static enum mb_status add_module(struct mb_manifest *manifest, struct mb_loaded_module *module,
                                 struct mb_err *err)
{
    struct mb_kernel_file *file = &manifest->file;
    const struct mb_shader **shaders = mb_grow(file->shaders, file->n_shaders, sizeof *shaders);
    MB_DO(MB_NEED(shaders, manifest->path));
    shaders[file->n_shaders++] = &module->spirv.shader;
    file->shaders = shaders;
    module->next = manifest->modules;
    manifest->modules = module;
    return MB_OK;
}

enum mb_status mb_manifest_module(struct mb_reader *r, const cJSON *node,
                                  const struct mb_spirv **spirv)
{
    enum mb_status status = MB_OK;
    struct mb_err *err = r->err;
    struct mb_manifest *manifest = (struct mb_manifest *)r->pick->manifest;
    struct mb_compile_options options = {.roots = &manifest->roots};
    struct mb_loaded_module *module = mb_alloc(1, sizeof *module), *old = manifest->modules;
    MB_DO(MB_NEED(module, manifest->path));
    MB_TRY(read_module(r, node, &options, module));
    while (old && strcmp(old->compiled.text, module->compiled.text) != 0) {
        old = old->next;
    }
    if (old) {
        mb_loaded_module_free(module);
        *spirv = &old->spirv;
        return MB_OK;
    }
    status = load_module(&options, module, err);
    if (status != MB_OK) {
        mb_reader_blame(r, mb_json_get(node, "file"));
        goto fail;
    }
    MB_TRY(add_module(manifest, module, err));
    *spirv = &module->spirv;
    return MB_OK;
fail:
    mb_loaded_module_free(module);
    return status;
}
