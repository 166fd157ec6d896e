/* JSON out and in. cJSON rounds doubles to 15 digits where that changes them little, so numbers
 * are printed here and handed over as raw text. */
#include "base/json.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define MAX_EXACT_INTEGER (UINT64_C(1) << 53)
#define EXCERPT_BYTES     40 /* shown around an error */

/* Tells a lack of memory from invalid JSON, as cJSON returns NULL for both. Thread-local, as
 * cJSON's hooks have no user pointer. */
static _Thread_local bool lacks_memory;

static void *noting_malloc(size_t n_bytes)
{
    void *memory = mb_malloc(n_bytes);
    lacks_memory = lacks_memory || memory == NULL;
    return memory;
}

static void set_hooks(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = noting_malloc, .free_fn = mb_free});
}

void mb_json_init(struct mb_json *json)
{
    set_hooks();
    json->root = cJSON_CreateObject();
    json->failed = json->root == NULL;
}

void mb_json_finish(struct mb_json *json)
{
    cJSON_Delete(json->root);
    *json = (struct mb_json){.root = NULL};
}

void mb_json_schema(struct mb_json *json, const char *name, const char *version)
{
    struct cJSON *schema = mb_json_object(json, json->root, "schema");
    mb_json_string(json, schema, "name", name);
    mb_json_string(json, schema, "version", version);
}

/* Put a new item under `parent`, and remember a failure. `item` is NULL without memory. */
static cJSON *attach(struct mb_json *json, cJSON *parent, const char *key, cJSON *item)
{
    const bool is_attached = !json->failed && parent != NULL && item != NULL &&
                             (key == NULL ? cJSON_AddItemToArray(parent, item)
                                          : cJSON_AddItemToObject(parent, key, item));
    if (!is_attached) {
        json->failed = json->failed || parent != NULL || item == NULL;
        cJSON_Delete(item);
        return NULL;
    }
    return item;
}

struct cJSON *mb_json_object(struct mb_json *json, struct cJSON *parent, const char *key)
{
    return attach(json, parent, key, cJSON_CreateObject());
}

struct cJSON *mb_json_array(struct mb_json *json, struct cJSON *parent, const char *key)
{
    return attach(json, parent, key, cJSON_CreateArray());
}

struct cJSON *mb_json_object_if(struct mb_json *json, struct cJSON *parent, const char *key,
                                bool known)
{
    if (known) {
        return mb_json_object(json, parent, key);
    }
    mb_json_null(json, parent, key);
    return NULL;
}

void mb_json_null(struct mb_json *json, struct cJSON *parent, const char *key)
{
    attach(json, parent, key, cJSON_CreateNull());
}

void mb_json_bool(struct mb_json *json, struct cJSON *parent, const char *key, bool value)
{
    attach(json, parent, key, cJSON_CreateBool(value));
}

void mb_json_string(struct mb_json *json, struct cJSON *parent, const char *key,
                    const char *text)
{
    if (text == NULL) {
        mb_json_null(json, parent, key);
        return;
    }
    const size_t n_bytes = strlen(text) + 1;
    MB_FREED char *clean = mb_malloc(n_bytes);
    if (clean == NULL) {
        json->failed = true;
        return;
    }
    mb_utf8_sanitize(text, clean, n_bytes);
    attach(json, parent, key, cJSON_CreateString(clean));
}

void mb_json_number(struct mb_json *json, struct cJSON *parent, const char *key, double value)
{
    const struct mb_text text = isfinite(value) ? mb_number_text(value) : mb_text("null");
    attach(json, parent, key, cJSON_CreateRaw(text.s));
}

void mb_json_u64(struct mb_json *json, struct cJSON *parent, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    attach(json, parent, key,
           value > MAX_EXACT_INTEGER ? cJSON_CreateString(text) : cJSON_CreateRaw(text));
}

void mb_json_numbers(struct mb_json *json, struct cJSON *parent, const char *key,
                     const double *values, size_t n)
{
    cJSON *array = mb_json_array(json, parent, key);
    for (size_t i = 0; i < n && !json->failed; i++) {
        mb_json_number(json, array, NULL, values[i]);
    }
}

void mb_json_print(const struct mb_json *json, struct mb_strbuf *out)
{
    MB_FREED char *printed = json->failed ? NULL : cJSON_Print(json->root);
    out->failed = out->failed || printed == NULL;
    mb_strbuf_printf(out, "%s\n", printed ? printed : "");
}

/* Say where JSON is invalid. If the text ends too early, cJSON stops behind its end: then name
 * its last character. */
static enum mb_status fail_at(const char *text, const char *at, struct mb_err *err)
{
    while (at > text && strchr(" \t\r\n", *at) != NULL) {
        at--;
    }
    size_t n_lines = 1;
    const char *line = text;
    for (const char *s = text; s < at; s++) {
        if (*s == '\n') {
            n_lines++;
            line = s + 1;
        }
    }
    const char *begin = at - line > EXCERPT_BYTES / 2 ? at - EXCERPT_BYTES / 2 : line;
    const size_t n_bytes = strcspn(begin, "\r\n");
    return MB_FAIL(err, MB_ERRC_INPUT, "line %zu, column %zu: not JSON near '%.*s'", n_lines,
                   (size_t)(at - line) + 1,
                   n_bytes < EXCERPT_BYTES ? (int)n_bytes : EXCERPT_BYTES, begin);
}

enum mb_status mb_json_parse(struct mb_json *json, const char *text, struct mb_err *err)
{
    const char *end = text;
    set_hooks();
    lacks_memory = false;
    *json = (struct mb_json){.root = cJSON_ParseWithOpts(text, &end, true)};
    json->failed = json->root == NULL;
    MB_DO(MB_NEED(!lacks_memory, "JSON"));
    return json->failed ? fail_at(text, end != NULL ? end : text, err) : MB_OK;
}

static const cJSON *known(const cJSON *node)
{
    return cJSON_IsNull(node) ? NULL : node;
}

const struct cJSON *mb_json_get(const struct cJSON *parent, const char *key)
{
    return key == NULL ? known(parent) : known(cJSON_GetObjectItemCaseSensitive(parent, key));
}

const struct cJSON *mb_json_elements(const struct cJSON *parent, const char *key)
{
    const cJSON *list = mb_json_get(parent, key);
    return cJSON_IsArray(list) ? list->child : NULL;
}

const struct cJSON *mb_json_members(const struct cJSON *parent, const char *key)
{
    const cJSON *object = mb_json_get(parent, key);
    return cJSON_IsObject(object) ? object->child : NULL;
}

size_t mb_json_count(const struct cJSON *parent, const char *key)
{
    return (size_t)cJSON_GetArraySize(mb_json_get(parent, key));
}

const char *mb_json_read_string(const struct cJSON *parent, const char *key)
{
    return cJSON_GetStringValue(mb_json_get(parent, key));
}

double mb_json_read_number(const struct cJSON *parent, const char *key)
{
    const cJSON *node = mb_json_get(parent, key);
    double value = cJSON_IsNumber(node) ? node->valuedouble : (double)NAN;
    if (cJSON_IsRaw(node) && !mb_parse_double(node->valuestring, -DBL_MAX, DBL_MAX, &value)) {
        value = (double)NAN;
    }
    return isfinite(value) ? value : (double)NAN;
}

bool mb_json_read_bool(const struct cJSON *parent, const char *key, bool otherwise)
{
    const cJSON *node = mb_json_get(parent, key);
    return cJSON_IsBool(node) ? cJSON_IsTrue(node) : otherwise;
}

uint64_t mb_json_read_u64(const struct cJSON *parent, const char *key, uint64_t otherwise)
{
    const double number = mb_json_read_number(parent, key);
    const char *text = mb_json_read_string(parent, key);
    uint64_t value = 0;
    if (text != NULL) {
        return mb_parse_u64(text, &value) ? value : otherwise;
    }
    const bool is_count =
        number >= 0 && number <= (double)MAX_EXACT_INTEGER && floor(number) == number;
    return is_count ? (uint64_t)number : otherwise;
}
