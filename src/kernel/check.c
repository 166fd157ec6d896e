/* Walks a manifest along the tables of its keys. */
#include "kernel/check.h"

#include <stdio.h>
#include <string.h>

#include <cJSON.h>

#include "base/text.h"

#define MAX_CHOICES  256u /* as MAX_MEMBERS */
#define MAX_VARIANTS 4096u
#define MAX_MEMBERS  256u
#define MAX_BRANCHES 6u /* one within another */

/* A walk, and what is known where it is. */
struct walk {
    const struct mb_manifest *manifest;
    bool is_by_parameter; /* nothing else can choose here */
    unsigned n_branches;
};

static enum mb_status check_value(struct walk *walk, const struct mb_key *key,
                                  const cJSON *node, struct mb_err *err);

/* ---- Names */

struct names {
    const char *of[MAX_CHOICES];
    size_t n;
};

/* Say that a word is none of `names`, and which is meant. */
static enum mb_status fail_name(const struct walk *walk, const cJSON *node, const char *what,
                                const char *word, const struct names *names, struct mb_err *err)
{
    MB_FAIL(err, MB_ERRC_INPUT, "%s '%.63s'", what, word);
    mb_err_hint_nearest(err, word, names->of, names->n, NULL);
    return mb_manifest_blame(walk->manifest, node, err);
}

/* Whether the word is among the first `n`. */
static bool holds(const struct names *names, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names->of[i], word) == 0) {
            return true;
        }
    }
    return false;
}

/* The names of an object's members. */
static size_t list_members(const cJSON *object, const char *names[MAX_CHOICES])
{
    size_t n = 0;
    for (const cJSON *member = cJSON_IsObject(object) ? object->child : NULL;
         member && n < MAX_CHOICES; member = member->next) {
        names[n++] = member->string;
    }
    return n;
}

static enum mb_status check_reference(const struct walk *walk, const cJSON *node,
                                      const char *map, struct mb_err *err)
{
    struct names names;
    char what[64];
    names.n = list_members(mb_json_get(walk->manifest->json.root, map), names.of);
    MB_BLAME_IF(!cJSON_IsString(node), walk->manifest, node, err, "a name in quotes is wanted");
    snprintf(what, sizeof what, "\"%s\" has no", map);
    return holds(&names, names.n, node->valuestring)
               ? MB_OK
               : fail_name(walk, node, what, node->valuestring, &names, err);
}

static enum mb_status check_choice(const struct walk *walk, const struct mb_key *key,
                                   const cJSON *node, struct mb_err *err)
{
    struct names names;
    names.n = mb_key_choices(key, names.of, MAX_CHOICES);
    MB_BLAME_IF(!cJSON_IsString(node), walk->manifest, node, err, "a name in quotes is wanted");
    return holds(&names, names.n, node->valuestring)
               ? MB_OK
               : fail_name(walk, node, "unknown name", node->valuestring, &names, err);
}

/* ---- Expressions */

static enum mb_status check_expression(const struct walk *walk, const struct mb_key *key,
                                       const cJSON *node, struct mb_err *err)
{
    struct mb_named_value names[MB_MAX_NAMED];
    struct mb_layout layout;
    const struct mb_pick pick = {.manifest = walk->manifest};
    struct mb_scope scope = {.names = names, .layout = &layout};
    if (cJSON_IsNumber(node)) {
        return MB_OK;
    }
    MB_BLAME_IF(!cJSON_IsString(node), walk->manifest, node, err,
                "a number or an expression in quotes is wanted");
    mb_layout_init(&layout, &mb_formats[0], (struct mb_extent){64, 64}, 1, 7);
    for (size_t i = 0; mb_expression_names[i]; i++) {
        if (key->scope == MB_SCOPE_STEP || i < mb_n_chain_names) {
            names[scope.n_names++].name = mb_expression_names[i];
        }
    }
    scope.n_names = mb_manifest_add_numbers(&pick, names, scope.n_names);
    const bool has_addresses =
        strcmp(key->name, "push") == 0 || strcmp(key->name, "fields") == 0;
    for (size_t i = 0;
         has_addresses && i < walk->manifest->buffers.n && scope.n_names < MB_MAX_NAMED; i++) {
        names[scope.n_names++].name = walk->manifest->buffers.items[i];
    }
    for (size_t i = 0; i < scope.n_names; i++) {
        names[i].value = mb_integer(1);
    }
    return mb_expression_check(node->valuestring, &scope, err) == MB_OK
               ? MB_OK
               : mb_manifest_blame(walk->manifest, node, err);
}

/* ---- Objects */

static const struct mb_key *find_key(const struct mb_key *keys, const char *name)
{
    while (keys->name && strcmp(keys->name, name) != 0) {
        keys++;
    }
    return keys->name ? keys : NULL;
}

static bool is_earlier(const cJSON *object, const cJSON *member)
{
    for (const cJSON *other = object->child; other != member; other = other->next) {
        if (strcmp(other->string, member->string) == 0) {
            return true;
        }
    }
    return false;
}

/* An object, without a key twice. */
static enum mb_status check_members(const struct walk *walk, const cJSON *node,
                                    struct mb_err *err)
{
    size_t n = 0;
    MB_BLAME_IF(!cJSON_IsObject(node), walk->manifest, node, err,
                "an object in braces is wanted");
    for (const cJSON *member = node->child; member; member = member->next) {
        MB_BLAME_IF(++n > MAX_MEMBERS || is_earlier(node, member), walk->manifest, member, err,
                    "%s", n > MAX_MEMBERS ? "too many members" : "the key is there twice");
    }
    return MB_OK;
}

static enum mb_status check_object(struct walk *walk, const struct mb_key *keys,
                                   const cJSON *node, struct mb_err *err)
{
    struct names names = {.n = 0};
    MB_DO(check_members(walk, node, err));
    for (const struct mb_key *key = keys; key->name && names.n < MAX_CHOICES; key++) {
        names.of[names.n++] = key->name;
    }
    for (const cJSON *member = node->child; member; member = member->next) {
        const struct mb_key *key = find_key(keys, member->string);
        if (!key) {
            return fail_name(walk, member, "unknown key", member->string, &names, err);
        }
        const bool was_by_parameter = walk->is_by_parameter;
        walk->is_by_parameter = was_by_parameter || key->is_by_parameter;
        MB_DO(check_value(walk, key, member, err));
        walk->is_by_parameter = was_by_parameter;
    }
    for (const struct mb_key *key = keys; key->name; key++) {
        MB_BLAME_IF(key->is_required && !mb_json_get(node, key->name), walk->manifest, node,
                    err, "the key \"%s\" is missing", key->name);
    }
    return MB_OK;
}

/* Members of any name. */
static enum mb_status check_map(struct walk *walk, const struct mb_key *key, const cJSON *node,
                                struct mb_err *err)
{
    struct mb_key each = *key;
    each.is_fixed = false;
    each.kind = key->kind == MB_KEY_OBJECT_MAP  ? MB_KEY_OBJECT
                : key->kind == MB_KEY_VALUE_MAP ? MB_KEY_EXPRESSION
                                                : MB_KEY_SCALAR;
    MB_DO(check_members(walk, node, err));
    for (const cJSON *member = node->child; member; member = member->next) {
        struct mb_key own = each;
        if (key->kind == MB_KEY_VALUE_MAP && cJSON_IsArray(member)) {
            own.kind = MB_KEY_EXPRESSIONS;
        }
        MB_DO(check_value(walk, &own, member, err));
    }
    return MB_OK;
}

static enum mb_status check_list(struct walk *walk, const struct mb_key *key,
                                 enum mb_key_kind kind, const cJSON *node, struct mb_err *err)
{
    struct mb_key each = *key;
    each.kind = kind;
    MB_BLAME_IF(!cJSON_IsArray(node), walk->manifest, node, err,
                "a list in brackets is wanted");
    for (const cJSON *element = node->child; element; element = element->next) {
        MB_DO(check_value(walk, &each, element, err));
    }
    return MB_OK;
}

static enum mb_status check_range(struct walk *walk, const struct mb_key *key,
                                  const cJSON *node, struct mb_err *err)
{
    return cJSON_IsObject(node) ? check_object(walk, mb_range_keys, node, err)
                                : check_list(walk, key, MB_KEY_EXPRESSION, node, err);
}

/* ---- {"by": ...} */

/* The values that "by" chooses among; all of those that branches must be there for come first,
 * `*n_needed` of them. Returns how many. */
static size_t list_values(const struct walk *walk, const char *by,
                          const char *names[MAX_CHOICES], size_t *n_needed)
{
    static const struct mb_key formats = {.name = "formats"};
    size_t n = 0;
    *n_needed = 0;
    for (const struct mb_param *param = walk->manifest->params; param->name; param++) {
        if (strcmp(param->name, by) == 0) {
            while (n < MAX_CHOICES && param->values[n]) {
                names[n] = param->values[n];
                n++;
            }
            *n_needed = n;
            return n;
        }
    }
    if (walk->is_by_parameter) {
        return 0;
    }
    if (strcmp(by, "format") == 0) {
        const cJSON *domain = mb_json_get(walk->manifest->json.root, "domain");
        const struct mb_pick pick = {.manifest = walk->manifest};
        n = mb_key_choices(&formats, names, MAX_CHOICES);
        for (size_t i = 0; i < n; i++) {
            if (mb_pick_lists(&pick, domain, "formats", names[i])) {
                const char *needed = names[i];
                names[i] = names[*n_needed];
                names[(*n_needed)++] = needed;
            }
        }
    } else if (strcmp(by, "reduce") == 0) {
        for (; n < MB_N_REDUCES; n++) {
            names[n] = mb_reduce_names[n];
        }
    } else if (strcmp(by, "alpha") == 0) {
        names[n++] = mb_alpha_name(MB_ALPHA_STRAIGHT);
        names[n++] = mb_alpha_name(MB_ALPHA_PREMULTIPLIED);
    } else if (strcmp(by, "subgroup_size") == 0) {
        static const char *const sizes[] = {"4", "8", "16", "32", "64", "128"};
        for (; n < MB_COUNTOF(sizes); n++) {
            names[n] = sizes[n];
        }
    }
    return n;
}

static enum mb_status fail_by(const struct walk *walk, const cJSON *by, struct mb_err *err)
{
    struct names names = {.n = 0};
    for (const struct mb_param *p = walk->manifest->params;
         p->name && names.n < MAX_CHOICES - 4; p++) {
        names.of[names.n++] = p->name;
    }
    if (!walk->is_by_parameter) {
        names.of[names.n++] = "format";
        names.of[names.n++] = "reduce";
        names.of[names.n++] = "alpha";
        names.of[names.n++] = "subgroup_size";
    }
    MB_BLAME_IF(names.n == 0, walk->manifest, by, err,
                "nothing can choose here: there are no \"parameters\"");
    return fail_name(walk, by, "nothing is chosen by", by->valuestring, &names, err);
}

static enum mb_status check_branches(struct walk *walk, const struct mb_key *key,
                                     const cJSON *node, const cJSON *by, struct mb_err *err)
{
    struct names names;
    size_t n_needed;
    MB_BLAME_IF(!cJSON_IsString(by) || key->is_fixed, walk->manifest, by, err, "%s",
                key->is_fixed ? "nothing can choose here"
                              : "the name of a parameter, format, reduce, alpha or "
                                "subgroup_size is wanted");
    names.n = list_values(walk, by->valuestring, names.of, &n_needed);
    if (names.n == 0) {
        return fail_by(walk, by, err);
    }
    for (const cJSON *branch = node->child; branch; branch = branch->next) {
        if (branch == by) {
            continue;
        }
        if (strcmp(branch->string, "*") != 0 && !holds(&names, names.n, branch->string)) {
            return fail_name(walk, branch, "no value of it is", branch->string, &names, err);
        }
        MB_DO(check_value(walk, key, branch, err));
    }
    for (size_t i = 0; i < n_needed && !mb_json_get(node, "*"); i++) {
        MB_BLAME_IF(!cJSON_HasObjectItem(node, names.of[i]), walk->manifest, node, err,
                    "there is no branch for %s, and none for \"*\"", names.of[i]);
    }
    return MB_OK;
}

/* ---- Every kind */

static enum mb_status check_plain(struct walk *walk, const struct mb_key *key,
                                  const cJSON *node, struct mb_err *err)
{
    const bool is_text = cJSON_IsString(node) && node->valuestring[0] != '\0';
    switch (key->kind) {
    case MB_KEY_VERSION:
        MB_BLAME_IF(!cJSON_IsNumber(node) || node->valuedouble != 1.0, walk->manifest, node,
                    err, "this program reads version 1");
        return MB_OK;
    case MB_KEY_NAME:
    case MB_KEY_TEXT:
        MB_BLAME_IF(!is_text, walk->manifest, node, err, "a text in quotes is wanted");
        return MB_OK;
    case MB_KEY_SCALAR:
        MB_BLAME_IF(!cJSON_IsString(node) && !cJSON_IsNumber(node), walk->manifest, node, err,
                    "a number or a text is wanted");
        return MB_OK;
    case MB_KEY_BOOLEAN:
        MB_BLAME_IF(!cJSON_IsBool(node), walk->manifest, node, err, "true or false is wanted");
        return MB_OK;
    case MB_KEY_CHOICE:
        return check_choice(walk, key, node, err);
    case MB_KEY_SHADER:
        return check_reference(walk, node, "shaders", err);
    case MB_KEY_BUFFER:
        return check_reference(walk, node, "buffers", err);
    default:
        return check_expression(walk, key, node, err);
    }
}

static enum mb_status check_value(struct walk *walk, const struct mb_key *key,
                                  const cJSON *node, struct mb_err *err)
{
    const cJSON *by = mb_json_get(node, "by");
    if (by) {
        MB_BLAME_IF(++walk->n_branches > MAX_BRANCHES, walk->manifest, node, err,
                    "too many choices within one another");
        MB_DO(check_branches(walk, key, node, by, err));
        walk->n_branches--;
        return MB_OK;
    }
    switch (key->kind) {
    case MB_KEY_TEXTS:
        return check_list(walk, key, MB_KEY_TEXT, node, err);
    case MB_KEY_CHOICES:
        return check_list(walk, key, MB_KEY_CHOICE, node, err);
    case MB_KEY_EXPRESSIONS:
        return check_list(walk, key, MB_KEY_EXPRESSION, node, err);
    case MB_KEY_OBJECTS:
        return check_list(walk, key, MB_KEY_OBJECT, node, err);
    case MB_KEY_RANGE:
        return check_range(walk, key, node, err);
    case MB_KEY_OBJECT:
        return check_object(walk, key->keys, node, err);
    case MB_KEY_OBJECT_MAP:
    case MB_KEY_VALUE_MAP:
    case MB_KEY_DEFINES:
        return check_map(walk, key, node, err);
    case MB_KEY_PARAMETERS:
        return MB_OK; /* read before */
    default:
        return check_plain(walk, key, node, err);
    }
}

/* ---- What tables do not say */

static enum mb_status check_features(const struct mb_manifest *manifest, const cJSON *node,
                                     struct mb_err *err)
{
    for (const cJSON *child = node ? node->child : NULL; child; child = child->next) {
        const bool is_by = child->string && strcmp(child->string, "by") == 0;
        MB_BLAME_IF(
            cJSON_IsString(child) && !is_by && !mb_features_is_known(child->valuestring),
            manifest, child, err, "'%.80s' is no feature or extension that mipbench knows",
            child->valuestring);
        MB_DO(check_features(manifest, child, err));
    }
    return MB_OK;
}

/* What has a name: longer labels would be cut in tables and files. */
static enum mb_status check_names(const struct mb_manifest *manifest, struct mb_err *err)
{
    const cJSON *root = manifest->json.root;
    const char *name = mb_json_read_string(root, "name");
    size_t n_bytes = strlen(name), n_variants = 1;
    MB_BLAME_IF(!mb_is_kernel_name(name, true) || strcmp(name, "all") == 0, manifest,
                mb_json_get(root, "name"), err,
                "a name has at most 40 small letters, digits and '-', and is not all");
    for (const struct mb_param *param = manifest->params; param->name; param++) {
        size_t longest = 0;
        size_t n_values = 0;
        for (; param->values[n_values]; n_values++) {
            const size_t n = strlen(param->values[n_values]);
            longest = n > longest ? n : longest;
        }
        n_variants *= n_values;
        MB_BLAME_IF(n_variants > MAX_VARIANTS, manifest, mb_json_get(root, "parameters"), err,
                    "there are more than %u variants", MAX_VARIANTS);
        n_bytes += 2 + strlen(param->name) + longest;
    }
    MB_BLAME_IF(n_bytes >= MB_MAX_KERNEL_LABEL, manifest, mb_json_get(root, "parameters"), err,
                "the name with all parameters has more than 150 letters");
    return MB_OK;
}

enum mb_status mb_manifest_check(const struct mb_manifest *manifest, struct mb_err *err)
{
    struct walk walk = {.manifest = manifest};
    const cJSON *root = manifest->json.root;
    MB_DO(check_object(&walk, mb_manifest_keys, root, err));
    MB_DO(check_names(manifest, err));
    return check_features(manifest, mb_json_get(mb_json_get(root, "requires"), "features"),
                          err);
}
