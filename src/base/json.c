/* The JSON writer. cJSON prints doubles with 15 digits unless they then differ by more than a
 * tolerance; numbers are printed here instead and handed over as raw text. */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cJSON.h>

#include "base/alloc.h"
#include "base/text.h"

#define MAX_EXACT_INTEGER (UINT64_C(1) << 53)

void mb_json_init(struct mb_json *json)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = mb_malloc, .free_fn = mb_free});
    json->root = cJSON_CreateObject();
    json->failed = json->root == NULL;
}

void mb_json_finish(struct mb_json *json)
{
    cJSON_Delete(json->root);
    *json = (struct mb_json){.root = NULL};
}

/* Hang a new item (NULL without memory) under `parent`; the first failure is kept. */
static cJSON *attach(struct mb_json *json, cJSON *parent, const char *key, cJSON *item)
{
    const bool is_attached = !json->failed && parent != NULL && item != NULL &&
                             (key == NULL ? cJSON_AddItemToArray(parent, item)
                                          : cJSON_AddItemToObject(parent, key, item));
    if (!is_attached) {
        json->failed = true;
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
    char *clean = mb_malloc(n_bytes);
    if (clean == NULL) {
        json->failed = true;
        return;
    }
    mb_utf8_sanitize(text, clean, n_bytes);
    attach(json, parent, key, cJSON_CreateString(clean));
    mb_free(clean);
}

void mb_json_number(struct mb_json *json, struct cJSON *parent, const char *key, double value)
{
    if (!isfinite(value)) {
        mb_json_null(json, parent, key);
        return;
    }
    char text[32];
    mb_number_text(value, text, sizeof text);
    attach(json, parent, key, cJSON_CreateRaw(text));
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

enum mb_status mb_json_print(const struct mb_json *json, char **text, struct mb_err *err)
{
    *text = NULL;
    char *printed = json->failed ? NULL : cJSON_Print(json->root);
    if (printed == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "JSON: out of memory");
    }
    const size_t n_bytes = strlen(printed);
    char *terminated = mb_realloc(printed, n_bytes + 2);
    if (terminated == NULL) {
        mb_free(printed);
        return MB_FAIL(err, MB_ERRC_RUNTIME, "JSON: out of memory");
    }
    memcpy(terminated + n_bytes, "\n", 2);
    *text = terminated;
    return MB_OK;
}
