/* Loads manifests: what of them holds for every image. */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "kernel/read.h"

#define MAX_VARIANTS 4096u
#define MAX_VALUES   128u /* of a parameter */
#define MAX_LETTERS  110u /* that all parameters add to a label: tables cut longer ones */

static enum mb_status read_text(struct mb_manifest *manifest, struct mb_err *err)
{
    MB_SCOPED(mb_bytes) bytes = {0};
    struct mb_err why = {0};
    MB_DO(mb_file_read(manifest->path, MB_MAX_MANIFEST_BYTES, &bytes, err));
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
    char path[MB_PATH_BYTES], own[MB_PATH_BYTES];
    const int error = mb_os_resolve(manifest->path, path);
    MB_FAIL_IF(error != 0, err, MB_ERRC_INPUT, "%s: %s", manifest->path,
               mb_os_error_text(error));
    mb_path_parent(path, own);
    MB_DO(mb_strlist_add(&manifest->roots, err, "%s", own));
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

/* What holds for every image. */
static enum mb_status read_head(struct mb_manifest *manifest, struct mb_err *err)
{
    static const char *const manifest_keys[] = {
        "mipbench_kernel", "name",    "shaders",   "dispatches",      "$schema",
        "title",           "source",  "names",     "parameters",      "requires",
        "domain",          "buffers", "tolerance", "levels_per_step", NULL};
    struct mb_pick pick = {.manifest = manifest};
    struct mb_reader r = {.pick = &pick, .err = err};
    const cJSON *root = manifest->json.root;
    mb_open(&r, root, manifest_keys, 4);
    const char *name = mb_read_text(&r, root, "name");
    manifest->title = mb_read_text(&r, root, "title");
    manifest->source = mb_read_text(&r, root, "source");
    MB_DO(r.status);
    MB_REFUSE_IF(mb_json_read_number(root, "mipbench_kernel") != 1.0, &r,
                 mb_json_get(root, "mipbench_kernel"), "this program reads version 1");
    MB_DO(read_params(&r, manifest));
    MB_REFUSE_IF(!mb_is_kernel_name(name, true) || strcmp(name, "all") == 0, &r,
                 mb_json_get(root, "name"),
                 "a name has at most 40 small letters, digits and '-', and is not 'all'");
    return MB_OK;
}

enum mb_status mb_manifest_init(struct mb_manifest *manifest, const char *path,
                                const struct mb_strlist *includes, struct mb_err *err)
{
    *manifest = (struct mb_manifest){.path = mb_strdup(path)};
    MB_DO(MB_NEED(manifest->path, path));
    MB_DO(read_text(manifest, err));
    MB_DO(find_roots(manifest, includes, err));
    MB_DO(read_head(manifest, err));
    manifest->title = manifest->title ? manifest->title : manifest->path;
    manifest->source = manifest->source ? manifest->source : manifest->path;
    manifest->file = (struct mb_kernel_file){
        .path = manifest->path, .text = manifest->text, .sha256 = manifest->sha256};
    return MB_OK;
}

void mb_manifest_finish(struct mb_manifest *manifest)
{
    while (manifest->modules) {
        struct mb_loaded_module *module = manifest->modules;
        manifest->modules = module->next;
        mb_loaded_module_free(module);
    }
    for (struct mb_param *param = manifest->params; param->name; param++) {
        mb_free((void *)param->values);
    }
    mb_free(manifest->file.shaders);
    mb_json_finish(&manifest->json);
    mb_strlist_finish(&manifest->roots);
    mb_free(manifest->path);
    mb_free(manifest->text);
    *manifest = (struct mb_manifest){0};
}
