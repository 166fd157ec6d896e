/* Loads manifests: the part that holds for every image, the modules, and the table of
 * strategies. */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "kernel/compile/compile.h"
#include "kernel/plan.h"

#define MAX_VARIANTS 4096u
#define MAX_VALUES   128u /* of a parameter */
#define MAX_LETTERS  110u /* in a label, from all parameters: tables cut longer labels */

static enum mb_status read_text(struct mb_manifest *manifest, struct mb_err *err)
{
    struct mb_bytes bytes = {0};
    struct mb_err why = {0};
    struct mb_kernel_file *file = &manifest->file;
    MB_DO(mb_file_read(file->path, MB_MAX_MANIFEST_BYTES, &bytes, err));
    file->text = (const char *)bytes.data;
    mb_sha256_hex(bytes.data, bytes.n_bytes, file->sha256);
    const enum mb_status status = mb_json_parse(&manifest->json, file->text, &why);
    return status == MB_OK ? MB_OK : MB_FAIL(err, why.code, "%s: %s", file->path, why.text);
}

/* The roots: the manifest's folder and the given ones, as real paths. */
static enum mb_status find_roots(struct mb_manifest *manifest,
                                 const struct mb_strlist *includes, struct mb_err *err)
{
    char path[MB_PATH_BYTES], own[MB_PATH_BYTES];
    const char *file = manifest->file.path;
    const int error = mb_os_resolve(file, path);
    MB_FAIL_IF(error != 0, err, MB_ERRC_INPUT, "%s: %s", file, mb_os_error_text(error));
    mb_path_parent(path, own);
    MB_DO(mb_strlist_add(&manifest->roots, err, "%s", own));
    for (size_t i = 0; includes && i < includes->n; i++) {
        const char *folder = includes->items[i];
        MB_FAIL_IF(mb_os_kind(folder) != MB_KIND_FOLDER, err, MB_ERRC_INPUT,
                   "--kernel-include: '%s' is not a folder", folder);
        const int wrong = mb_os_resolve(folder, path);
        MB_FAIL_IF(wrong != 0, err, MB_ERRC_INPUT, "--kernel-include: '%s': %s", folder,
                   mb_os_error_text(wrong));
        MB_DO(mb_strlist_add(&manifest->roots, err, "%s", path));
    }
    return MB_OK;
}

bool mb_is_kernel_name(const char *name, bool has_dash)
{
    const char *letters = has_dash ? "abcdefghijklmnopqrstuvwxyz0123456789-"
                                   : "abcdefghijklmnopqrstuvwxyz0123456789";
    return name && name[0] != '\0' && strlen(name) <= 40 &&
           strspn(name, letters) == strlen(name);
}

static enum mb_status read_param(struct mb_reader *r, const cJSON *member,
                                 struct mb_param *param, size_t *n_letters)
{
    struct mb_err *err = r->err;
    size_t longest = 0;
    const size_t n = (size_t)cJSON_GetArraySize(member);
    const char *name = member->string;
    MB_REFUSE_IF(!mb_is_kernel_name(name, false) || strcmp(name, "by") == 0 ||
                     strcmp(name, "format") == 0 || strcmp(name, "reduce") == 0,
                 r, member,
                 "the name of a parameter has small letters and digits, and is not \"by\", "
                 "\"format\" or \"reduce\"");
    MB_REFUSE_IF(!cJSON_IsArray(member) || n == 0 || n > MAX_VALUES, r, member,
                 "expected a list of 1 to %u values", MAX_VALUES);
    const char **values = mb_alloc(n + 1, sizeof *values);
    MB_DO(MB_NEED(values, name));
    *param = (struct mb_param){name, .values = values, .help = "see its manifest"};
    size_t i = 0;
    for (const cJSON *value = member->child; value; value = value->next) {
        MB_REFUSE_IF(!cJSON_IsString(value) || !mb_is_kernel_name(value->valuestring, true) ||
                         strcmp(value->valuestring, "by") == 0,
                     r, value, "values are texts of small letters, digits and '-'");
        longest = strlen(value->valuestring) > longest ? strlen(value->valuestring) : longest;
        values[i++] = value->valuestring;
    }
    *n_letters += 2 + strlen(name) + longest;
    return MB_OK;
}

static enum mb_status read_params(struct mb_reader *r, struct mb_manifest *manifest)
{
    const cJSON *params = mb_read_map(r, manifest->json.root, "parameters");
    size_t n = 0, n_letters = 0, n_variants = 1;
    for (const cJSON *member = params ? params->child : NULL; member; member = member->next) {
        MB_REFUSE_IF(n == MB_MAX_KERNEL_PARAMS, r, member, "there are at most %u parameters",
                     MB_MAX_KERNEL_PARAMS);
        MB_DO(read_param(r, member, &manifest->params[n++], &n_letters));
        n_variants *= (size_t)cJSON_GetArraySize(member);
        MB_REFUSE_IF(n_variants > MAX_VARIANTS || n_letters > MAX_LETTERS, r, member,
                     "more than %u variants, or %u letters in all parameters", MAX_VARIANTS,
                     MAX_LETTERS);
    }
    return r->status;
}

/* Whether a view in the manifest may have an integer format. */
static bool wants_raw(const cJSON *node)
{
    bool is_found = cJSON_IsString(node) &&
                    (strcmp(node->valuestring, mb_kernel_view_formats[MB_VIEW_WORDS]) == 0 ||
                     strcmp(node->valuestring, mb_kernel_view_formats[MB_VIEW_UINT8X4]) == 0);
    for (const cJSON *child = node->child; child && !is_found; child = child->next) {
        is_found = wants_raw(child);
    }
    return is_found;
}

/* Read the part of a manifest that holds for every image. */
static enum mb_status read_head(struct mb_manifest *manifest, struct mb_err *err)
{
    static const char *const manifest_keys[] = {
        "mipbench_kernel", "name",    "shaders",   "dispatches",      "$schema",
        "title",           "source",  "names",     "parameters",      "requires",
        "domain",          "buffers", "tolerance", "levels_per_step", NULL};
    const struct mb_pick pick = {0};
    const cJSON *root = manifest->json.root;
    struct mb_reader r = {.pick = &pick, .manifest = manifest, .root = root, .err = err};
    mb_open(&r, root, manifest_keys, 4);
    const char *name = mb_read_text(&r, root, "name");
    const char *title = mb_read_text(&r, root, "title");
    const char *source = mb_read_text(&r, root, "source");
    MB_DO(r.status);
    MB_REFUSE_IF(mb_json_read_number(root, "mipbench_kernel") != 1.0, &r,
                 mb_json_get(root, "mipbench_kernel"), "this program reads version 1");
    MB_DO(read_params(&r, manifest));
    MB_REFUSE_IF(!mb_is_kernel_name(name, true) || strcmp(name, "all") == 0, &r,
                 mb_json_get(root, "name"),
                 "a name has at most 40 small letters, digits and '-', and is not 'all'");
    manifest->strategy = mb_kernel_strategy;
    manifest->strategy.name = name;
    manifest->strategy.title = title ? title : manifest->file.path;
    manifest->strategy.source = source ? source : manifest->file.path;
    manifest->strategy.wants_raw = wants_raw(root);
    manifest->strategy.file = &manifest->file;
    manifest->strategy.self = manifest;
    manifest->strategy.params = manifest->params;
    return MB_OK;
}

/* ---- Modules */

static void free_module(struct mb_loaded_module *module)
{
    mb_strlist_finish(&module->paths);
    mb_strbuf_finish(&module->preamble);
    mb_strbuf_finish(&module->flags);
    mb_strbuf_finish(&module->name);
    mb_strbuf_finish(&module->compiled);
    mb_bytes_finish(&module->code);
    mb_free(module);
}

/* Add the macros of "defines"; a macro whose value is null is not defined. */
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

/* Add the path of a file or folder, relative to the manifest's folder. */
static enum mb_status add_path(struct mb_reader *r, const char *path,
                               struct mb_loaded_module *module)
{
    const bool is_absolute = mb_path_is_absolute(path);
    return mb_strlist_add(&module->paths, r->err, "%s%s%s",
                          is_absolute ? "" : r->manifest->roots.items[0],
                          is_absolute ? "" : "/", path);
}

/* Name the module, and the file beside the manifest to which it is compiled. The file's name
 * has a digest of shader name, flags and folders, which is the same on every machine. */
static void name_module(struct mb_reader *r, const char *file, const struct mb_strbuf *folders,
                        struct mb_loaded_module *module)
{
    const struct mb_manifest *manifest = r->manifest;
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
    const struct mb_strlist *roots = &r->manifest->roots;
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

/* Keep a module, for the results' list and for the next request. */
static enum mb_status add_module(struct mb_manifest *manifest, struct mb_loaded_module *module,
                                 struct mb_err *err)
{
    struct mb_kernel_file *file = &manifest->file;
    const struct mb_shader **shaders = mb_grow(file->shaders, file->n_shaders, sizeof *shaders);
    MB_DO(MB_NEED(shaders, manifest->file.path));
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
    struct mb_manifest *manifest = (struct mb_manifest *)r->manifest;
    struct mb_compile_options options = {.roots = &manifest->roots};
    struct mb_loaded_module *module = mb_alloc(1, sizeof *module), *old = manifest->modules;
    MB_DO(MB_NEED(module, manifest->file.path));
    MB_TRY(read_module(r, node, &options, module));
    while (old && strcmp(old->compiled.text, module->compiled.text) != 0) {
        old = old->next;
    }
    if (old) {
        free_module(module);
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
    free_module(module);
    return status;
}

/* ---- Manifests */

enum mb_status mb_manifest_init(struct mb_manifest *manifest, const char *path,
                                const struct mb_strlist *includes, struct mb_err *err)
{
    *manifest = (struct mb_manifest){.file = {.path = mb_strdup(path)}};
    MB_DO(MB_NEED(manifest->file.path, path));
    MB_DO(read_text(manifest, err));
    MB_DO(find_roots(manifest, includes, err));
    return read_head(manifest, err);
}

void mb_manifest_finish(struct mb_manifest *manifest)
{
    while (manifest->modules) {
        struct mb_loaded_module *module = manifest->modules;
        manifest->modules = module->next;
        free_module(module);
    }
    for (struct mb_param *param = manifest->params; param->name; param++) {
        mb_free((void *)param->values);
    }
    mb_free(manifest->file.shaders);
    mb_json_finish(&manifest->json);
    mb_strlist_finish(&manifest->roots);
    mb_free((void *)manifest->file.path);
    mb_free((void *)manifest->file.text);
    *manifest = (struct mb_manifest){0};
}

enum mb_status mb_kernel_table_init(struct mb_kernel_table *table,
                                    const struct mb_strategy *const *built_in,
                                    const struct mb_strlist *paths,
                                    const struct mb_strlist *includes, struct mb_err *err)
{
    size_t n = 0;
    *table = (struct mb_kernel_table){0};
    if (paths->n > 0 && !MB_HAS_SPIRV) {
        MB_FAIL(err, MB_ERRC_INPUT,
                "%s: this build reads no kernels: it is without SPIRV-Tools and SPIRV-Cross",
                paths->items[0]);
        return mb_err_hint(err,
                           "install both (scripts/setup.sh does), and build mipbench again");
    }
    while (built_in[n]) {
        n++;
    }
    *table = (struct mb_kernel_table){
        .manifests = mb_alloc(paths->n, sizeof *table->manifests),
        .strategies = mb_alloc(n + paths->n + 1, sizeof *table->strategies),
    };
    MB_DO(MB_NEED(table->manifests && table->strategies, "strategies"));
    memcpy(table->strategies, built_in, n * sizeof *table->strategies);
    for (size_t i = 0; i < paths->n; i++) {
        struct mb_manifest *manifest = &table->manifests[table->n_manifests++];
        MB_DO(mb_manifest_init(manifest, paths->items[i], includes, err));
        for (size_t k = 0; k < n; k++) {
            MB_FAIL_IF(strcmp(table->strategies[k]->name, manifest->strategy.name) == 0, err,
                       MB_ERRC_INPUT, "%s: a strategy '%s' already exists", paths->items[i],
                       manifest->strategy.name);
        }
        table->strategies[n++] = &manifest->strategy;
    }
    return MB_OK;
}

void mb_kernel_table_finish(struct mb_kernel_table *table)
{
    for (size_t i = 0; i < table->n_manifests; i++) {
        mb_manifest_finish(&table->manifests[i]);
    }
    mb_free(table->manifests);
    mb_free(table->strategies);
    *table = (struct mb_kernel_table){0};
}
