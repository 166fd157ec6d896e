/* Tables of keys as a JSON schema (draft 2020-12), for editors. {"by": ...} is let pass
 * wherever it may stand: `mipbench kernel check` says whether its branches are right. */
#include "kernel/json_schema.h"

#include "kernel/schema.h"

#define MAX_CHOICES 32u

static void add_keys(struct mb_json *json, struct cJSON *node, const struct mb_key *keys);

static void add_type(struct mb_json *json, struct cJSON *node, const char *a, const char *b)
{
    if (!b) {
        mb_json_string(json, node, "type", a);
        return;
    }
    struct cJSON *types = mb_json_array(json, node, "type");
    mb_json_string(json, types, NULL, a);
    mb_json_string(json, types, NULL, b);
}

static void add_choices(struct mb_json *json, struct cJSON *node, const struct mb_key *key)
{
    const char *names[MAX_CHOICES];
    const size_t n = mb_key_choices(key, names, MAX_CHOICES);
    struct cJSON *list = mb_json_array(json, node, "enum");
    for (size_t i = 0; i < n; i++) {
        mb_json_string(json, list, NULL, names[i]);
    }
}

/* What a value of a kind is, without a choice. */
static void add_plain(struct mb_json *json, struct cJSON *node, const struct mb_key *key,
                      enum mb_key_kind kind)
{
    switch (kind) {
    case MB_KEY_VERSION:
        mb_json_u64(json, node, "const", 1);
        return;
    case MB_KEY_NAME:
        add_type(json, node, "string", NULL);
        mb_json_string(json, node, "pattern", "^[a-z0-9-]{1,40}$");
        return;
    case MB_KEY_TEXT:
    case MB_KEY_SHADER:
    case MB_KEY_BUFFER:
        add_type(json, node, "string", NULL);
        return;
    case MB_KEY_BOOLEAN:
        add_type(json, node, "boolean", NULL);
        return;
    case MB_KEY_CHOICE:
        add_choices(json, node, key);
        return;
    case MB_KEY_OBJECT:
        add_keys(json, node, key->keys);
        return;
    default:
        add_type(json, node, "number", "string");
        return;
    }
}

/* The same, or {"by": ...}. */
static void add_value(struct mb_json *json, struct cJSON *node, const struct mb_key *key,
                      enum mb_key_kind kind)
{
    if (key->is_fixed) {
        add_plain(json, node, key, kind);
        return;
    }
    struct cJSON *any = mb_json_array(json, node, "anyOf");
    add_plain(json, mb_json_object(json, any, NULL), key, kind);
    mb_json_string(json, mb_json_object(json, any, NULL), "$ref", "#/$defs/by");
}

static void add_list(struct mb_json *json, struct cJSON *node, const struct mb_key *key,
                     enum mb_key_kind kind)
{
    struct cJSON *any = mb_json_array(json, node, "anyOf");
    struct cJSON *list = mb_json_object(json, any, NULL);
    add_type(json, list, "array", NULL);
    add_value(json, mb_json_object(json, list, "items"), key, kind);
    mb_json_string(json, mb_json_object(json, any, NULL), "$ref",
                   key->kind == MB_KEY_RANGE ? "#/$defs/range" : "#/$defs/by");
}

static void add_map(struct mb_json *json, struct cJSON *node, const struct mb_key *key)
{
    add_type(json, node, "object", NULL);
    struct cJSON *each = mb_json_object(json, node, "additionalProperties");
    switch (key->kind) {
    case MB_KEY_OBJECT_MAP:
        add_value(json, each, key, MB_KEY_OBJECT);
        return;
    case MB_KEY_DEFINES:
        add_value(json, each, key, MB_KEY_SCALAR);
        return;
    default:
        mb_json_string(json, each, "$ref", "#/$defs/values");
        return;
    }
}

static void add_key(struct mb_json *json, struct cJSON *node, const struct mb_key *key)
{
    mb_json_string(json, node, "description", key->help);
    switch (key->kind) {
    case MB_KEY_TEXTS:
        add_list(json, node, key, MB_KEY_TEXT);
        return;
    case MB_KEY_CHOICES:
        add_list(json, node, key, MB_KEY_CHOICE);
        return;
    case MB_KEY_EXPRESSIONS:
    case MB_KEY_RANGE:
        add_list(json, node, key, MB_KEY_EXPRESSION);
        return;
    case MB_KEY_OBJECTS:
        add_list(json, node, key, MB_KEY_OBJECT);
        return;
    case MB_KEY_OBJECT_MAP:
    case MB_KEY_VALUE_MAP:
    case MB_KEY_DEFINES:
        add_map(json, node, key);
        return;
    case MB_KEY_PARAMETERS:
        mb_json_string(json, node, "$ref", "#/$defs/parameters");
        return;
    default:
        add_value(json, node, key, key->kind);
        return;
    }
}

static void add_keys(struct mb_json *json, struct cJSON *node, const struct mb_key *keys)
{
    add_type(json, node, "object", NULL);
    struct cJSON *required = mb_json_array(json, node, "required");
    for (const struct mb_key *key = keys; key->name; key++) {
        if (key->is_required) {
            mb_json_string(json, required, NULL, key->name);
        }
    }
    mb_json_bool(json, node, "additionalProperties", false);
    struct cJSON *properties = mb_json_object(json, node, "properties");
    for (const struct mb_key *key = keys; key->name; key++) {
        add_key(json, mb_json_object(json, properties, key->name), key);
    }
}

/* What several keys share. */
static void add_shared(struct mb_json *json)
{
    struct cJSON *shared = mb_json_object(json, json->root, "$defs");
    struct cJSON *by = mb_json_object(json, shared, "by");
    mb_json_string(
        json, by, "description",
        "a branch for each value of a parameter, format, reduce, alpha or subgroup_size; "
        "\"*\" for all others");
    add_type(json, by, "object", NULL);
    mb_json_string(json, mb_json_array(json, by, "required"), NULL, "by");
    add_type(json, mb_json_object(json, mb_json_object(json, by, "properties"), "by"), "string",
             NULL);

    struct cJSON *range = mb_json_object(json, shared, "range");
    add_keys(json, range, mb_range_keys);

    struct cJSON *values = mb_json_array(json, mb_json_object(json, shared, "values"), "anyOf");
    const struct mb_key value = {"value", MB_KEY_EXPRESSION, .help = ""};
    add_value(json, mb_json_object(json, values, NULL), &value, MB_KEY_EXPRESSION);
    add_list(json, mb_json_object(json, values, NULL), &value, MB_KEY_EXPRESSION);

    struct cJSON *parameters = mb_json_object(json, shared, "parameters");
    add_type(json, parameters, "object", NULL);
    struct cJSON *names = mb_json_object(json, parameters, "additionalProperties");
    add_type(json, names, "array", NULL);
    mb_json_u64(json, names, "minItems", 1);
    add_type(json, mb_json_object(json, names, "items"), "string", NULL);
}

void mb_kernel_schema(struct mb_json *json)
{
    mb_json_string(json, json->root, "$schema", "https://json-schema.org/draft/2020-12/schema");
    mb_json_string(json, json->root, "title", "a kernel for mipbench --kernel");
    add_keys(json, json->root, mb_manifest_keys);
    add_shared(json);
}
