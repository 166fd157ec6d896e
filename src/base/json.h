/* A thin layer over cJSON that makes wrong JSON hard to write: never NaN, always valid UTF-8,
 * integers above 2^53 as strings, and one place that notices an allocation failure. And one to
 * read with, where absent, null and of the wrong type are the same: not known.
 *
 * A writer keeps the first failure; every call after it is a no-op, so that a long builder
 * reads straight and checks once. */
#pragma once

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
/* "schema" of the root: which kind of file it is. */
void mb_json_schema(struct mb_json *json, const char *name, const char *version);
void mb_json_finish(struct mb_json *json);

/* Add to `parent` (an object with `key`, or an array with key NULL). The returned node is owned
 * by the tree; NULL after a failure. To a NULL parent nothing is added. */
struct cJSON *mb_json_object(struct mb_json *json, struct cJSON *parent, const char *key);
/* NULL, and null in the file, where the object is not `known`. */
struct cJSON *mb_json_object_if(struct mb_json *json, struct cJSON *parent, const char *key,
                                bool known);
struct cJSON *mb_json_array(struct mb_json *json, struct cJSON *parent, const char *key);
void mb_json_string(struct mb_json *json, struct cJSON *parent, const char *key,
                    const char *text); /* NULL text: null; sanitised to UTF-8 */
void mb_json_number(struct mb_json *json, struct cJSON *parent, const char *key,
                    double value); /* NaN or infinite: null */
void mb_json_rounded(struct mb_json *json, struct cJSON *parent, const char *key, double value,
                     int n_digits); /* to so many significant ones; NaN or infinite: null */
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

/* Parse all of `text` in place of mb_json_init; the root is any value. Invalid JSON is
 * MB_ERRC_INPUT with the line and column (in bytes, from 1) of the error. */
MB_MUST_CHECK enum mb_status mb_json_parse(struct mb_json *json, const char *text,
                                           struct mb_err *err);

/* The member `key` of an object, or NULL: absent, null, or `parent` is NULL or no object. Lives
 * as long as the tree. The readers below take `parent` itself where `key` is NULL. */
const struct cJSON *mb_json_get(const struct cJSON *parent, const char *key);

/* The elements of an array, or the members of an object, that is the member `key`: the first of
 * them, or NULL without any; the next, or NULL; their number; and the key of a member. */
const struct cJSON *mb_json_elements(const struct cJSON *parent, const char *key);
const struct cJSON *mb_json_members(const struct cJSON *parent, const char *key);
const struct cJSON *mb_json_next(const struct cJSON *node);
size_t mb_json_count(const struct cJSON *parent, const char *key);
const char *mb_json_key(const struct cJSON *member);

bool mb_json_is_array(const struct cJSON *node);

/* A value, or what stands for "not known": NULL, NaN (never infinite), `otherwise`. A u64 may
 * be written as a number up to 2^53 or as a string. Text is as it was written: any UTF-8. */
const char *mb_json_read_string(const struct cJSON *parent, const char *key);
double mb_json_read_number(const struct cJSON *parent, const char *key);
bool mb_json_read_bool(const struct cJSON *parent, const char *key, bool otherwise);
uint64_t mb_json_read_u64(const struct cJSON *parent, const char *key, uint64_t otherwise);
