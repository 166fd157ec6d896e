/* A thin layer over cJSON that makes wrong JSON hard to write: never NaN, always valid UTF-8,
 * integers above 2^53 as strings, and one place that notices an allocation failure.
 *
 * A writer keeps the first failure; every call after it is a no-op, so that a long builder
 * reads straight and checks once. */
#ifndef MB_BASE_JSON_H
#define MB_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct cJSON;

struct mb_json {
    struct cJSON *root; /* owned */
    bool failed;
};

/* Start with an empty object as root. Routes cJSON's memory through mb_alloc. */
void mb_json_init(struct mb_json *json);
void mb_json_finish(struct mb_json *json);

/* Add to `parent` (an object with `key`, or an array with key NULL). The returned node is owned
 * by the tree; NULL after a failure, and NULL is accepted as parent. */
struct cJSON *mb_json_object(struct mb_json *json, struct cJSON *parent, const char *key);
struct cJSON *mb_json_array(struct mb_json *json, struct cJSON *parent, const char *key);
void mb_json_string(struct mb_json *json, struct cJSON *parent, const char *key,
                    const char *text); /* NULL text: null; sanitised to UTF-8 */
void mb_json_number(struct mb_json *json, struct cJSON *parent, const char *key,
                    double value); /* NaN or infinite: null */
void mb_json_u64(struct mb_json *json, struct cJSON *parent, const char *key,
                 uint64_t value); /* a string above 2^53 */
void mb_json_bool(struct mb_json *json, struct cJSON *parent, const char *key, bool value);
void mb_json_null(struct mb_json *json, struct cJSON *parent, const char *key);
void mb_json_numbers(struct mb_json *json, struct cJSON *parent, const char *key,
                     const double *values, size_t n);

/* Print, indented, with a trailing newline; numbers round-trip (17 digits where needed).
 * `*text` is owned by the caller (mb_free). */
MB_MUST_CHECK enum mb_status mb_json_print(const struct mb_json *json, char **text,
                                           struct mb_err *err);

#endif
