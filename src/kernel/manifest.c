/* Loads manifests, and reads them for one choice of everything that can be chosen. */
#include "kernel/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#include "base/alloc.h"
#include "base/text.h"
#include "kernel/compile/compile.h"
#include "kernel/place.h"

#define MAX_PARAMS       16
#define MAX_PATH         90u /* of it in a message: its end, which has the name */
#define MAX_MODULE_BYTES (8u << 20)
#define MAX_VALUES       128u /* of a parameter */

enum mb_status mb_manifest_blame(const struct mb_manifest *manifest, const cJSON *node,
                                 struct mb_err *err)
{
    const struct mb_place place = mb_place_find(manifest->text, manifest->json.root, node);
    const size_t n_path = strlen(manifest->path);
    const char *path = n_path > MAX_PATH ? manifest->path + n_path - MAX_PATH : manifest->path;
    char whole[sizeof err->text];
    if (place.line == 0) {
        snprintf(whole, sizeof whole, "%s: %.400s", path, err->text);
    } else {
        snprintf(whole, sizeof whole, "%s: line %zu, column %zu: %.100s%s%.280s", path,
                 place.line, place.column, place.path, place.path[0] ? ": " : "", err->text);
    }
    mb_utf8_sanitize(whole, err->text, sizeof err->text); /* keys may be any bytes */
    return MB_FAILED;
}

/* Blame what an expression comes to, which depends on the image. */
static enum mb_status blame_value(const struct mb_pick *pick, const cJSON *node,
                                  struct mb_err *err)
{
    const struct mb_layout *layout = pick->scope ? pick->scope->layout : NULL;
    if (layout && cJSON_IsString(node)) {
        const size_t n = strlen(err->text);
        snprintf(err->text + n, sizeof err->text - n, ", for %ux%u", layout->base.width,
                 layout->base.height);
    }
    return mb_manifest_blame(pick->manifest, node, err);
}

/* ---- Choices */

/* The branch that `by` stands for. */
static const char *chosen_value(const struct mb_pick *pick, const char *by, char number[16])
{
    const struct mb_param *params = pick->manifest->params;
    for (size_t i = 0; params[i].name; i++) {
        if (strcmp(params[i].name, by) == 0) {
            return params[i].values[pick->params ? pick->params->choice[i] : 0];
        }
    }
    if (strcmp(by, "format") == 0) {
        return pick->format ? pick->format->name : "";
    }
    if (strcmp(by, "reduce") == 0) {
        return mb_reduce_names[pick->reduce];
    }
    if (strcmp(by, "alpha") == 0) {
        return mb_alpha_name(pick->alpha);
    }
    snprintf(number, 16, "%u", pick->subgroup_size);
    return number;
}

const cJSON *mb_pick(const struct mb_pick *pick, const cJSON *parent, const char *key)
{
    const cJSON *node = mb_json_get(parent, key);
    const char *by;
    while (node && (by = mb_json_read_string(node, "by")) != NULL) {
        char number[16];
        const cJSON *branch = mb_json_get(node, chosen_value(pick, by, number));
        node = branch ? branch : mb_json_get(node, "*");
    }
    return node;
}

const char *mb_pick_text(const struct mb_pick *pick, const cJSON *parent, const char *key,
                         const char *otherwise)
{
    const cJSON *node = mb_pick(pick, parent, key);
    return cJSON_IsString(node) ? node->valuestring : otherwise;
}

bool mb_pick_bool(const struct mb_pick *pick, const cJSON *parent, const char *key)
{
    return cJSON_IsTrue(mb_pick(pick, parent, key));
}

uint32_t mb_pick_choice(const struct mb_pick *pick, const cJSON *parent, const char *key,
                        const char *const *names)
{
    const char *text = mb_pick_text(pick, parent, key, names[0]);
    uint32_t i = 0;
    while (names[i] && strcmp(names[i], text) != 0) {
        i++;
    }
    return names[i] ? i : 0;
}

bool mb_pick_lists(const struct mb_pick *pick, const cJSON *parent, const char *key,
                   const char *text)
{
    const cJSON *list = mb_pick(pick, parent, key);
    for (const cJSON *element = list ? list->child : NULL; element; element = element->next) {
        const char *own = mb_pick_text(pick, element, NULL, "");
        if (strcmp(own, text) == 0) {
            return true;
        }
    }
    return list == NULL;
}

enum mb_status mb_pick_value(const struct mb_pick *pick, const cJSON *parent, const char *key,
                             struct mb_value *value, struct mb_err *err)
{
    const cJSON *node = mb_pick(pick, parent, key);
    if (cJSON_IsNumber(node)) {
        const double number = node->valuedouble;
        const bool is_integer =
            number >= -9e15 && number <= 9e15 && number == (double)(int64_t)number;
        *value = is_integer ? mb_integer((int64_t)number) : mb_real(number);
        return MB_OK;
    }
    MB_BLAME_IF(!cJSON_IsString(node), pick->manifest, mb_json_get(parent, key), err,
                "no branch fits");
    return mb_evaluate(node->valuestring, pick->scope, value, err) == MB_OK
               ? MB_OK
               : blame_value(pick, node, err);
}

enum mb_status mb_pick_integer(const struct mb_pick *pick, const cJSON *parent, const char *key,
                               struct mb_bounds bounds, int64_t *value, struct mb_err *err)
{
    struct mb_value number;
    const cJSON *node = mb_json_get(parent, key);
    *value = bounds.otherwise;
    if (!node) {
        return MB_OK;
    }
    MB_DO(mb_pick_value(pick, parent, key, &number, err));
    if (number.is_float || number.integer < bounds.least || number.integer > bounds.most) {
        MB_FAIL(err, MB_ERRC_INPUT, "%s is not an integer from %lld to %lld",
                mb_number_text(number.is_float ? number.real : (double)number.integer).s,
                (long long)bounds.least, (long long)bounds.most);
        return blame_value(pick, mb_pick(pick, parent, key), err);
    }
    *value = number.integer;
    return MB_OK;
}

size_t mb_manifest_add_numbers(const struct mb_pick *pick,
                               struct mb_named_value names[MB_MAX_NAMED], size_t n)
{
    const struct mb_param *params = pick->manifest->params;
    for (size_t i = 0; params[i].name && n < MB_MAX_NAMED; i++) {
        int64_t value;
        const char *text = params[i].values[pick->params ? pick->params->choice[i] : 0];
        if (mb_parse_int(text, 0, INT32_MAX, &value)) {
            names[n++] = (struct mb_named_value){params[i].name, mb_integer(value)};
        }
    }
    return n;
}

/* ---- Modules */

/* FOLDER/PATH, or PATH where that is absolute. */
static enum mb_status add_path(const struct mb_manifest *manifest, const char *path,
                               struct mb_strlist *list, struct mb_err *err)
{
    return mb_os_is_absolute(path) ? mb_strlist_add(list, err, "%s", path)
                                   : mb_strlist_add(list, err, "%s/%s", manifest->folder, path);
}

static enum mb_status add_defines(const struct mb_pick *pick, const cJSON *shader,
                                  struct mb_strlist *defines, struct mb_err *err)
{
    const cJSON *map = mb_pick(pick, shader, "defines");
    for (const cJSON *member = map ? map->child : NULL; member; member = member->next) {
        const cJSON *value = mb_pick(pick, member, NULL);
        const bool is_name =
            member->string[0] != '\0' &&
            strspn(member->string, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                   "UVWXYZ0123456789_") == strlen(member->string);
        MB_BLAME_IF(!is_name, pick->manifest, member, err, "this is no name of a macro");
        if (cJSON_IsNumber(value)) {
            MB_DO(mb_strlist_add(defines, err, "%s=%s", member->string,
                                 mb_number_text(value->valuedouble).s));
        } else if (cJSON_IsString(value)) {
            MB_DO(mb_strlist_add(defines, err, "%s=%s", member->string, value->valuestring));
        }
    }
    return MB_OK;
}

/* What a module is compiled from. */
struct source {
    struct mb_strlist paths; /* one */
    struct mb_strlist defines, includes;
    struct mb_strbuf folders; /* of "include", as they are written there */
    const char *file, *entry, *target;
};

static void source_finish(struct source *source)
{
    mb_strlist_finish(&source->paths);
    mb_strlist_finish(&source->defines);
    mb_strlist_finish(&source->includes);
    mb_strbuf_finish(&source->folders);
}

static enum mb_status read_source(const struct mb_pick *pick, const cJSON *shader,
                                  struct source *source, struct mb_err *err)
{
    const struct mb_manifest *manifest = pick->manifest;
    const cJSON *folders = mb_pick(pick, shader, "include");
    const char *file = mb_pick_text(pick, shader, "file", NULL);
    MB_BLAME_IF(!file, manifest, shader, err, "no branch of \"file\" fits");
    source->file = file;
    source->entry = mb_pick_text(pick, shader, "entry", "main");
    source->target = mb_pick_text(pick, shader, "target", "vulkan1.2");
    MB_DO(add_path(manifest, file, &source->paths, err));
    MB_DO(add_defines(pick, shader, &source->defines, err));
    for (const cJSON *folder = folders ? folders->child : NULL; folder; folder = folder->next) {
        const char *path = mb_pick_text(pick, folder, NULL, ".");
        mb_strbuf_printf(&source->folders, " -I%s", path);
        MB_DO(add_path(manifest, path, &source->includes, err));
    }
    for (size_t i = 1; i < manifest->roots.n; i++) {
        MB_DO(mb_strlist_add(&source->includes, err, "%s", manifest->roots.items[i]));
    }
    return MB_OK;
}

static void module_finish(struct mb_loaded_module *module)
{
    mb_spirv_finish(&module->spirv);
    mb_free(module->key);
    mb_free(module->name);
    mb_free(module->flags);
    mb_free(module->compiled);
    mb_free(module);
}

/* The file beside the manifest that a module is written to: the same on every machine. */
static enum mb_status name_compiled(const struct mb_manifest *manifest,
                                    const struct source *source,
                                    struct mb_loaded_module *module, struct mb_err *err)
{
    struct mb_strbuf text = {0}, path = {0};
    char stem[64], digest[65];
    const size_t n_file = strlen(source->file);
    if (n_file >= 4 && strcmp(source->file + n_file - 4, ".spv") == 0) {
        return MB_OK;
    }
    mb_strbuf_printf(&text, "%s %s%s", source->file, module->flags,
                     mb_strbuf_text(&source->folders));
    const enum mb_status status = mb_strbuf_check(&text, err);
    mb_sha256_hex(mb_strbuf_text(&text), text.n_bytes, digest);
    mb_slug(strrchr(module->name, '/') + 1, stem, sizeof stem);
    mb_strbuf_printf(&path, "%s/%s-%s-%.12s.spv", manifest->folder,
                     mb_json_read_string(manifest->json.root, "name"), stem, digest);
    mb_strbuf_finish(&text);
    MB_DO(mb_strbuf_take(&path, &module->compiled, err));
    return status;
}

/* The name and flags that results show, and the key that tells one module from another. */
static enum mb_status name_module(const struct mb_manifest *manifest,
                                  const struct source *source, struct mb_loaded_module *module,
                                  struct mb_err *err)
{
    struct mb_strbuf name = {0}, flags = {0}, key = {0};
    const char *path = source->paths.items[0];
    const char *slash = strrchr(path, '/');
    mb_strbuf_printf(&name, "%s/%s", mb_json_read_string(manifest->json.root, "name"),
                     slash ? slash + 1 : path);
    MB_DO(mb_strbuf_take(&name, &module->name, err));
    mb_strbuf_printf(&flags, "%s %s", source->entry, source->target);
    for (size_t i = 0; i < source->defines.n; i++) {
        mb_strbuf_printf(&flags, " -D%s", source->defines.items[i]);
    }
    MB_DO(mb_strbuf_take(&flags, &module->flags, err));
    mb_strbuf_printf(&key, "%s %s", path, module->flags);
    for (size_t i = 0; i < source->includes.n; i++) {
        mb_strbuf_printf(&key, " -I%s", source->includes.items[i]);
    }
    MB_DO(mb_strbuf_take(&key, &module->key, err));
    return name_compiled(manifest, source, module, err);
}

static enum mb_status load_module(const struct mb_manifest *manifest,
                                  const struct source *source, struct mb_loaded_module *module,
                                  struct mb_err *err)
{
    const struct mb_compile_options options = {
        .path = source->paths.items[0],
        .module = module->compiled,
        .entry = source->entry,
        .target = source->target,
        .defines = &source->defines,
        .includes = &source->includes,
        .roots = &manifest->roots,
    };
    MB_FREED void *code = NULL;
    size_t n_bytes = 0;
    MB_DO(mb_compile(&options, &code, &n_bytes, err));
    MB_FAIL_IF(n_bytes > MAX_MODULE_BYTES, err, MB_ERRC_INPUT, "%s: more than 8 MiB",
               options.path);
    MB_DO(mb_spirv_init(&module->spirv, options.path, code, n_bytes, source->entry, err));
    module->spirv.shader.name = module->name;
    module->spirv.shader.flags = module->flags;
    return MB_OK;
}

enum mb_status mb_manifest_module(const struct mb_pick *pick, const char *shader,
                                  const struct mb_spirv **spirv, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    /* What is loaded is kept: the same for whoever asks again. */
    struct mb_manifest *manifest = (struct mb_manifest *)pick->manifest;
    const cJSON *node = mb_pick(pick, mb_pick(pick, manifest->json.root, "shaders"), shader);
    MB_SCOPED(source) source = {0};
    struct mb_loaded_module *module = mb_alloc(1, sizeof *module);
    MB_TRY(MB_NEED(module, manifest->path));
    MB_TRY(read_source(pick, node, &source, err));
    MB_TRY(name_module(manifest, &source, module, err));
    for (struct mb_loaded_module *old = manifest->modules; old; old = old->next) {
        if (strcmp(old->key, module->key) == 0) {
            module_finish(module);
            *spirv = &old->spirv;
            return MB_OK;
        }
    }
    status = load_module(manifest, &source, module, err);
    if (status != MB_OK) {
        (void)mb_manifest_blame(manifest, mb_json_get(node, "file"), err);
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
        module_finish(module);
    }
    return status;
}

/* ---- Loading */

static enum mb_status read_text(struct mb_manifest *manifest, struct mb_err *err)
{
    MB_SCOPED(mb_bytes) bytes = {0};
    struct mb_err why = {0};
    MB_DO(mb_file_read(manifest->path, MB_MAX_MANIFEST_BYTES, &bytes, err));
    MB_FAIL_IF(memchr(bytes.data, 0, bytes.n_bytes) != NULL, err, MB_ERRC_INPUT,
               "%s: it has zero bytes: not JSON", manifest->path);
    manifest->text = mb_strdup((const char *)bytes.data);
    MB_DO(MB_NEED(manifest->text, manifest->path));
    mb_sha256_hex(bytes.data, bytes.n_bytes, manifest->sha256);
    const enum mb_status status = mb_json_parse(&manifest->json, manifest->text, &why);
    return status == MB_OK ? MB_OK : MB_FAIL(err, why.code, "%s: %s", manifest->path, why.text);
}

/* Its folder, and those that are given, as real paths. */
static enum mb_status find_roots(struct mb_manifest *manifest,
                                 const struct mb_strlist *includes, struct mb_err *err)
{
    char path[MB_PATH_BYTES];
    const int error = mb_os_resolve(manifest->path, path);
    MB_FAIL_IF(error != 0, err, MB_ERRC_INPUT, "%s: %s", manifest->path,
               mb_os_error_text(error));
    mb_path_parent(path, manifest->folder);
    MB_DO(mb_strlist_add(&manifest->roots, err, "%s", manifest->folder));
    for (size_t i = 0; includes && i < includes->n; i++) {
        const char *folder = includes->items[i];
        MB_FREED char *inner = mb_path_join(folder, "x");
        MB_DO(MB_NEED(inner, folder));
        MB_FAIL_IF(mb_os_kind(folder) != MB_KIND_FOLDER, err, MB_ERRC_INPUT,
                   "--kernel-include: '%s' is no folder", folder);
        MB_FAIL_IF(mb_os_resolve(inner, path) != 0, err, MB_ERRC_INPUT,
                   "--kernel-include: '%s' leads nowhere", folder);
        *strrchr(path, '/') = '\0';
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

static enum mb_status read_param(const struct mb_manifest *manifest, const cJSON *member,
                                 struct mb_param *param, struct mb_err *err)
{
    const size_t n = (size_t)cJSON_GetArraySize(member);
    static const char *const choosers[] = {"format", "reduce", "alpha", "by"};
    bool is_taken = false;
    for (size_t k = 0; k < MB_COUNTOF(choosers); k++) {
        is_taken = is_taken || strcmp(member->string, choosers[k]) == 0;
    }
    for (size_t k = 0; mb_expression_names[k]; k++) {
        is_taken = is_taken || strcmp(member->string, mb_expression_names[k]) == 0;
    }
    MB_BLAME_IF(!mb_is_kernel_name(member->string, false) || is_taken ||
                    (member->string[0] >= '0' && member->string[0] <= '9'),
                manifest, member, err,
                "a parameter is called by a small letter and then small letters and "
                "digits, and not as anything else that a manifest knows");
    MB_BLAME_IF(!cJSON_IsArray(member) || n == 0 || n > MAX_VALUES, manifest, member, err,
                "expected a list of 1 to %u values", MAX_VALUES);
    const char **values = mb_alloc(n + 1, sizeof *values);
    MB_DO(MB_NEED(values, manifest->path));
    param->name = member->string;
    param->values = values;
    param->help = "see its manifest";
    size_t i = 0;
    for (const cJSON *value = member->child; value; value = value->next) {
        MB_BLAME_IF(!cJSON_IsString(value) || !mb_is_kernel_name(value->valuestring, true) ||
                        strcmp(value->valuestring, "by") == 0,
                    manifest, value, err, "values are texts of small letters, digits and '-'");
        for (size_t k = 0; k < i; k++) {
            MB_BLAME_IF(strcmp(values[k], value->valuestring) == 0, manifest, value, err,
                        "the value is there twice");
        }
        values[i++] = value->valuestring;
    }
    return MB_OK;
}

static enum mb_status read_params(struct mb_manifest *manifest, struct mb_err *err)
{
    const cJSON *map = mb_json_get(manifest->json.root, "parameters");
    size_t n = 0;
    manifest->params = mb_alloc(MAX_PARAMS + 1, sizeof *manifest->params);
    MB_DO(MB_NEED(manifest->params, manifest->path));
    MB_BLAME_IF(map && !cJSON_IsObject(map), manifest, map, err,
                "an object in braces is wanted");
    for (const cJSON *member = map ? map->child : NULL; member; member = member->next) {
        MB_BLAME_IF(n == MAX_PARAMS, manifest, member, err, "there are at most 16 parameters");
        MB_DO(read_param(manifest, member, &manifest->params[n], err));
        for (size_t i = 0; i < n; i++) {
            MB_BLAME_IF(strcmp(manifest->params[i].name, member->string) == 0, manifest, member,
                        err, "the key is there twice");
        }
        n++;
    }
    return MB_OK;
}

static enum mb_status read_buffers(struct mb_manifest *manifest, struct mb_err *err)
{
    const cJSON *map = mb_json_get(manifest->json.root, "buffers");
    for (const cJSON *member = cJSON_IsObject(map) ? map->child : NULL; member;
         member = member->next) {
        MB_BLAME_IF(manifest->buffers.n == MB_MAX_KERNEL_BUFFERS, manifest, member, err,
                    "there are at most 16 buffers");
        MB_DO(mb_strlist_add(&manifest->buffers, err, "address(%s)", member->string));
    }
    return MB_OK;
}

static enum mb_status read_texts(struct mb_manifest *manifest, struct mb_err *err)
{
    const char *title = mb_json_read_string(manifest->json.root, "title");
    const char *source = mb_json_read_string(manifest->json.root, "source");
    manifest->title = mb_strdup(title ? title : manifest->path);
    manifest->source = mb_strdup(source ? source : manifest->path);
    return MB_NEED(manifest->title && manifest->source, manifest->path);
}

enum mb_status mb_manifest_init(struct mb_manifest *manifest, const char *path,
                                const struct mb_strlist *includes, struct mb_err *err)
{
    *manifest = (struct mb_manifest){.path = mb_strdup(path)};
    MB_DO(MB_NEED(manifest->path, path));
    MB_DO(read_text(manifest, err));
    MB_DO(find_roots(manifest, includes, err));
    MB_DO(read_params(manifest, err));
    MB_DO(read_buffers(manifest, err));
    MB_DO(read_texts(manifest, err));
    manifest->file = (struct mb_kernel_file){
        .path = manifest->path, .text = manifest->text, .sha256 = manifest->sha256};
    return MB_OK;
}

void mb_manifest_finish(struct mb_manifest *manifest)
{
    while (manifest->modules) {
        struct mb_loaded_module *module = manifest->modules;
        manifest->modules = module->next;
        module_finish(module);
    }
    for (struct mb_param *param = manifest->params; param && param->name; param++) {
        mb_free((void *)param->values);
    }
    mb_free(manifest->params);
    mb_free(manifest->file.shaders);
    mb_json_finish(&manifest->json);
    mb_strlist_finish(&manifest->roots);
    mb_strlist_finish(&manifest->buffers);
    mb_free(manifest->path);
    mb_free(manifest->text);
    mb_free(manifest->title);
    mb_free(manifest->source);
    *manifest = (struct mb_manifest){0};
}
