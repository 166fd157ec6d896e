/* Loads manifests, and says where in one an error is. */
#include "kernel/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#include "base/alloc.h"
#include "base/text.h"
#include "kernel/schema.h"

#define MAX_PATH   90u /* of it in a message: its end, which has the name */
#define MAX_PARAMS 16
#define MAX_VALUES 128u /* of a parameter */

/* ---- Where a value of the text is: cJSON keeps no positions */

/* Count the values of the text up to the one that is wanted, in the order in which they begin,
 * which is the order of the tree. */
static const char *find_value(const char *text, size_t index)
{
    size_t n = 0;
    for (const char *at = text; *at != '\0';) {
        const char *begin = at;
        if (strchr(" \t\r\n,:]}", *at)) {
            at++;
            continue;
        }
        if (*at == '"') {
            for (at++; *at != '\0' && *at != '"'; at++) {
                at += *at == '\\' && at[1] != '\0';
            }
            at += *at == '"';
            if (at[strspn(at, " \t\r\n")] == ':') {
                continue; /* a key */
            }
        } else if (*at == '[' || *at == '{') {
            at++;
        } else {
            at += strcspn(at, " \t\r\n,:]}");
        }
        if (n++ == index) {
            return begin;
        }
    }
    return text;
}

/* The index of a node of the tree in that order; `*n` counts those before it. */
static bool find_index(const cJSON *tree, const cJSON *node, size_t *n)
{
    if (tree == node) {
        return true;
    }
    (*n)++;
    for (const cJSON *child = tree->child; child; child = child->next) {
        if (find_index(child, node, n)) {
            return true;
        }
    }
    return false;
}

/* Append the way from `tree` to the node; false where it is not in there. */
static bool add_path(const cJSON *tree, const cJSON *node, char *path, size_t n_bytes)
{
    size_t index = 0;
    if (tree == node) {
        return true;
    }
    for (const cJSON *child = tree->child; child; child = child->next, index++) {
        char step[96];
        if (cJSON_IsArray(tree)) {
            snprintf(step, sizeof step, "[%zu]", index);
        } else {
            snprintf(step, sizeof step, "%s%.80s", tree->prev || tree->string ? "." : "",
                     child->string);
        }
        const size_t n_old = strlen(path);
        snprintf(path + n_old, n_bytes - n_old, "%s", step);
        if (add_path(child, node, path, n_bytes)) {
            return true;
        }
        path[n_old] = '\0';
    }
    return false;
}

enum mb_status mb_manifest_blame(const struct mb_manifest *manifest, const cJSON *node,
                                 struct mb_err *err)
{
    const size_t n_path = strlen(manifest->path);
    const char *file = n_path > MAX_PATH ? manifest->path + n_path - MAX_PATH : manifest->path;
    char whole[sizeof err->text], path[256] = "";
    size_t index = 0, line = 1, column = 1; /* in bytes, from 1 */
    if (!node || !find_index(manifest->json.root, node, &index)) {
        snprintf(whole, sizeof whole, "%s: %.400s", file, err->text);
    } else {
        const char *at = find_value(manifest->text, index);
        for (const char *c = manifest->text; c < at; c++) {
            column = *c == '\n' ? 1 : column + 1;
            line += *c == '\n';
        }
        (void)add_path(manifest->json.root, node, path, sizeof path);
        snprintf(whole, sizeof whole, "%s: line %zu, column %zu: %.100s%s%.280s", file, line,
                 column, path, path[0] ? ": " : "", err->text);
    }
    mb_utf8_sanitize(whole, err->text, sizeof err->text); /* keys may be any bytes */
    return MB_FAILED;
}

/* ---- Loading */

/* "\\u0000", which would end a text early. */
static bool has_zero_escape(const char *text)
{
    for (const char *at = strchr(text, '\\'); at; at = strchr(at, '\\')) {
        if (strncmp(at, "\\u0000", 6) == 0) {
            return true;
        }
        at += at[1] != '\0' ? 2 : 1;
    }
    return false;
}

static enum mb_status read_text(struct mb_manifest *manifest, struct mb_err *err)
{
    MB_SCOPED(mb_bytes) bytes = {0};
    struct mb_err why = {0};
    MB_DO(mb_file_read(manifest->path, MB_MAX_MANIFEST_BYTES, &bytes, err));
    MB_FAIL_IF(memchr(bytes.data, 0, bytes.n_bytes) != NULL, err, MB_ERRC_INPUT,
               "%s: it has zero bytes: not JSON", manifest->path);
    MB_FAIL_IF(has_zero_escape((const char *)bytes.data), err, MB_ERRC_INPUT,
               "%s: it has a character of zero, \\u0000, which no text may have",
               manifest->path);
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
                   "--kernel-include: '%s' is not a folder", folder);
        const int wrong = mb_os_resolve(inner, path);
        MB_FAIL_IF(wrong != 0, err, MB_ERRC_INPUT, "--kernel-include: '%s': %s", folder,
                   mb_os_error_text(wrong));
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
    MB_BLAME_IF(map && !cJSON_IsObject(map), manifest, map, err, "expected an object");
    for (const cJSON *member = map ? map->child : NULL; member; member = member->next) {
        MB_BLAME_IF(n == MAX_PARAMS, manifest, member, err, "there are at most 16 parameters");
        MB_DO(read_param(manifest, member, &manifest->params[n++], err));
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

void mb_loaded_module_free(struct mb_loaded_module *module)
{
    mb_spirv_finish(&module->spirv);
    mb_free(module->key);
    mb_free(module->name);
    mb_free(module->flags);
    mb_free(module->compiled);
    mb_free(module);
}

void mb_manifest_finish(struct mb_manifest *manifest)
{
    while (manifest->modules) {
        struct mb_loaded_module *module = manifest->modules;
        manifest->modules = module->next;
        mb_loaded_module_free(module);
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
