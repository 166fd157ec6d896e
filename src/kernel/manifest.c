/* Says where in a manifest an error is. */
#include "kernel/manifest.h"

#include <stdio.h>
#include <string.h>

#include <cJSON.h>

#include "base/alloc.h"
#include "base/text.h"

#define MAX_PATH 90u  /* of it in a message: its end, which has the name */
#define MAX_WAY  256u /* to a value */

/* Behind a text in quotes, a number or another word. */
static const char *skip_word(const char *at)
{
    if (*at != '"') {
        return at + strcspn(at, " \t\r\n,:]}");
    }
    for (at++; *at != '\0' && *at != '"'; at++) {
        at += *at == '\\' && at[1] != '\0';
    }
    return at + (*at == '"');
}

/* Go along the text that `tree` was read from, from `*at` on: to where `node` begins, with the
 * way to it in `path`; or behind the tree. */
static bool find(const cJSON *tree, const cJSON *node, const char **at, char path[MAX_WAY])
{
    static const char between[] = " \t\r\n,:";
    const bool has_children = cJSON_IsArray(tree) || cJSON_IsObject(tree);
    const size_t n_path = strlen(path);
    size_t index = 0;
    *at += strspn(*at, between);
    if (tree == node) {
        return true;
    }
    *at = has_children ? *at + 1 : skip_word(*at);
    for (const cJSON *child = tree->child; child; child = child->next, index++) {
        if (cJSON_IsArray(tree)) {
            snprintf(path + n_path, MAX_WAY - n_path, "[%zu]", index);
        } else {
            snprintf(path + n_path, MAX_WAY - n_path, "%s%.80s", n_path > 0 ? "." : "",
                     child->string);
            *at = skip_word(*at + strspn(*at, between));
        }
        if (find(child, node, at, path)) {
            return true;
        }
    }
    path[n_path] = '\0';
    *at += has_children ? strcspn(*at, "]}") + 1 : 0;
    return false;
}

enum mb_status mb_manifest_blame(const struct mb_manifest *manifest, const cJSON *node,
                                 struct mb_err *err)
{
    const size_t n_path = strlen(manifest->path);
    const char *file = n_path > MAX_PATH ? manifest->path + n_path - MAX_PATH : manifest->path;
    const char *at = manifest->text;
    char whole[sizeof err->text], path[MAX_WAY] = "";
    size_t line = 1, column = 1; /* in bytes, from 1 */
    if (!node || !find(manifest->json.root, node, &at, path)) {
        snprintf(whole, sizeof whole, "%s: %.400s", file, err->text);
    } else {
        for (const char *c = manifest->text; c < at; c++) {
            column = *c == '\n' ? 1 : column + 1;
            line += *c == '\n';
        }
        snprintf(whole, sizeof whole, "%s: line %zu, column %zu: %.100s%s%.280s", file, line,
                 column, path, path[0] ? ": " : "", err->text);
    }
    mb_utf8_sanitize(whole, err->text, sizeof err->text); /* keys may be any bytes */
    return MB_FAILED;
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
    *manifest = (struct mb_manifest){0};
}
