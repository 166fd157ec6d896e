/* Members of a JSON file: the same call writes a variable or reads it back. */
#pragma once

#include "base/json.h"
#include "base/strlist.h"

/* State of a reader: the texts that its results point to, and whether it failed, for the reason
 * in `why` or, if that is "", for lack of memory. */
struct mb_field_reader {
    struct mb_strlist *texts;
    bool failed;
    char why[120];
};

/* An object or an array, to write to or to read from. */
struct mb_node {
    struct mb_json *json;           /* writing, else NULL */
    struct cJSON *out;              /* writing: NULL discards what is added */
    struct mb_field_reader *reader; /* reading, else NULL */
    const struct cJSON *in;         /* reading: NULL if absent */
};

struct mb_node mb_node_write(struct mb_json *json, struct cJSON *out);

/* The object `key` of `parent`; mb_field_object_if() writes null unless `known`. When reading,
 * `known` is ignored: the node's `in` tells whether the object is there. */
struct mb_node mb_field_object(struct mb_node parent, const char *key);
struct mb_node mb_field_object_if(struct mb_node parent, const char *key, bool known);
bool mb_node_failed(struct mb_node node); /* false when writing: mb_json notes failures */

/* `parent`, to add the member `key` to. Unless `known`, writes null for the member and returns
 * a node that discards it. */
struct mb_node mb_field_if(struct mb_node parent, const char *key, bool known);

/* The array `key`. mb_list_next() returns its next element: pass it with key NULL to read or
 * write the value; mb_list_object() returns the next element as an object. `n` is the length
 * when reading. */
struct mb_list {
    struct mb_node array;
    const struct cJSON *next;
    size_t n;
};
struct mb_list mb_field_list(struct mb_node parent, const char *key);
struct mb_node mb_list_next(struct mb_list *list);
struct mb_node mb_list_object(struct mb_list *list);
/* Number of elements to visit: `own` when writing, else those in the file, up to `most`. */
size_t mb_list_length(const struct mb_list *list, size_t own, size_t most);

/* An absent member, or one of the wrong type, is read as NaN, 0, false or "". mb_field_number()
 * writes all digits, mb_field_rounded() six: errors and ratios are not more precise. */
void mb_field_number(struct mb_node parent, const char *key, double *value);
void mb_field_rounded(struct mb_node parent, const char *key, double *value);
void mb_field_u64(struct mb_node parent, const char *key, uint64_t *value);
void mb_field_u32(struct mb_node parent, const char *key, uint32_t *value);
void mb_field_bool(struct mb_node parent, const char *key, bool *value);
/* A text is read clean (mb_utf8_sanitize) and cut to the array. mb_field_text_if() writes "" as
 * null. */
void mb_field_text(struct mb_node parent, const char *key, char *text, size_t n_bytes);
void mb_field_text_if(struct mb_node parent, const char *key, char *text, size_t n_bytes);
/* A text that the variable points to; the reader owns a text that was read. "" is written as
 * null. */
void mb_field_static(struct mb_node parent, const char *key, const char **text);
/* The reader's own copy of a text, clean; "" without memory. */
const char *mb_field_keep(struct mb_node node, const char *text);
/* A list of texts, each read clean. */
void mb_field_texts(struct mb_node parent, const char *key, struct mb_strlist *texts);
/* One of names[n] as an index. Any other word is read as `otherwise`. */
unsigned mb_field_word(struct mb_node parent, const char *key, const char *const *names,
                       unsigned n, unsigned value, unsigned otherwise);
/* Likewise for a word without which figures mean nothing: an unknown word is refused, and an
 * absent one is read as the first name. */
unsigned mb_field_known_word(struct mb_node parent, const char *key, const char *const *names,
                             unsigned n, unsigned value);

/* A list of words as a mask of 1 << index. Words that later versions add are skipped. */
unsigned mb_field_words(struct mb_node parent, const char *key, const char *const *names,
                        unsigned n, unsigned mask);

/* When reading, make a value outside [low, high] NaN: only a damaged file has such a value. */
void mb_field_limit(struct mb_node node, double *value, double low, double high);

/* When reading, note why the file cannot be used. The first reason is kept. */
MB_PRINTF(2, 3)
void mb_field_refuse(struct mb_node node, const char *fmt, ...);

/* When reading, mb_alloc(n, n_bytes). If that fails, notes the failure and returns NULL. */
void *mb_field_alloc(struct mb_node node, size_t n, size_t n_bytes);
