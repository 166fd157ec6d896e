/* A thin layer over cJSON. Writing never produces NaN or invalid UTF-8, and turns integers
 * above 2^53 into strings. Reading treats an absent value, null and a value of the wrong type
 * alike: not known.
 *
 * A writer remembers the first failure and ignores later calls, so that callers check once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cJSON.h>

#include "base/strbuf.h"

struct mb_json {
    struct cJSON *root; /* owned */
    bool failed;
};

/* Start with an empty object as root. Routes cJSON's memory through mb_alloc. */
void mb_json_init(struct mb_json *json);
/* Add "schema" to the root: the kind of file and its version. */
void mb_json_schema(struct mb_json *json, const char *name, const char *version);
void mb_json_finish(struct mb_json *json);

/* Add a value to `parent`, which is an object, or if `key` is NULL, an array. Nothing is added
 * to a NULL parent. The tree owns the returned node, which is NULL after a failure. */
struct cJSON *mb_json_object(struct mb_json *json, struct cJSON *parent, const char *key);
/* As mb_json_object if `known`; else adds null and returns NULL. */
struct cJSON *mb_json_object_if(struct mb_json *json, struct cJSON *parent, const char *key,
                                bool known);
struct cJSON *mb_json_array(struct mb_json *json, struct cJSON *parent, const char *key);
void mb_json_string(struct mb_json *json, struct cJSON *parent, const char *key,
                    const char *text); /* NULL becomes null; sanitised to UTF-8 */
void mb_json_number(struct mb_json *json, struct cJSON *parent, const char *key,
                    double value); /* NaN or infinite: null */
void mb_json_u64(struct mb_json *json, struct cJSON *parent, const char *key,
                 uint64_t value); /* above 2^53: a string */
void mb_json_bool(struct mb_json *json, struct cJSON *parent, const char *key, bool value);
void mb_json_null(struct mb_json *json, struct cJSON *parent, const char *key);
void mb_json_numbers(struct mb_json *json, struct cJSON *parent, const char *key,
                     const double *values, size_t n);

/* Append the tree, indented, and a newline; if the writer has failed, `out` fails, too. Numbers
 * read back as the same doubles. */
void mb_json_print(const struct mb_json *json, struct mb_strbuf *out);

/* Use instead of mb_json_init to parse all of `text`; the root may be any value. Invalid JSON
 * is MB_ERRC_INPUT with the line and column (in bytes, from 1) and the text around them. */
MB_MUST_CHECK enum mb_status mb_json_parse(struct mb_json *json, const char *text,
                                           struct mb_err *err);

/* The member `key` of an object. NULL if it is absent or null, or if `parent` is NULL or not an
 * object. Lives as long as the tree. With a NULL `key` the readers below read `parent`. */
const struct cJSON *mb_json_get(const struct cJSON *parent, const char *key);

/* The first element of the array `key` or the first member of the object `key`, or NULL if
 * there is none; `next` leads to the others. mb_json_count: their number. */
const struct cJSON *mb_json_elements(const struct cJSON *parent, const char *key);
const struct cJSON *mb_json_members(const struct cJSON *parent, const char *key);
size_t mb_json_count(const struct cJSON *parent, const char *key);

/* Read a value that was parsed or written; if it is not known: NULL, NaN or `otherwise`.
 * Numbers are never infinite. A u64 may be a number up to 2^53 or a string. Text is not
 * sanitised: any UTF-8. */
const char *mb_json_read_string(const struct cJSON *parent, const char *key);
double mb_json_read_number(const struct cJSON *parent, const char *key);
bool mb_json_read_bool(const struct cJSON *parent, const char *key, bool otherwise);
uint64_t mb_json_read_u64(const struct cJSON *parent, const char *key, uint64_t otherwise);
