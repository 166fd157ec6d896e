/* Members of a JSON file that one call writes, or reads back into the same variable. */
#pragma once

#include "base/json.h"
#include "base/strlist.h"

/* What is read: texts that last as long as what points to them; whether memory ran out, or why
 * the file cannot be used. */
struct mb_field_reader {
    struct mb_strlist *texts;
    bool failed;
    char why[120];
};

/* An object or an array that is written or read. */
struct mb_node {
    struct mb_json *json;           /* NULL: it is read */
    struct cJSON *out;              /* written: NULL: nothing is */
    struct mb_field_reader *reader; /* NULL: it is written */
    const struct cJSON *in;         /* read: NULL: it is not there */
};

struct mb_node mb_node_write(struct mb_json *json, struct cJSON *out);

/* The object `key` of `parent`, which is null where it is not `known`. Read, it is that whether
 * or not it is: mb_node_has() tells. */
struct mb_node mb_field_object(struct mb_node parent, const char *key);
struct mb_node mb_field_object_if(struct mb_node parent, const char *key, bool known);
bool mb_node_has(struct mb_node node); /* always, where it is written */

/* `parent`, for a member that is null where it is not `known`, and then is not to be written.
 */
struct mb_node mb_field_if(struct mb_node parent, const char *key, bool known);

/* The array `key`. mb_list_next() is its next element, to be taken with key NULL as a value;
 * mb_list_object() the same as an object. Read, there are `n` of them. */
struct mb_list {
    struct mb_node array;
    const struct cJSON *next;
    size_t n;
};
struct mb_list mb_field_list(struct mb_node parent, const char *key);
struct mb_node mb_list_next(struct mb_list *list);
struct mb_node mb_list_object(struct mb_list *list);
/* How many elements there are to go through: written, `own`; read, what there is up to `most`.
 */
size_t mb_list_length(const struct mb_list *list, size_t own, size_t most);

/* Read: what is absent or of the wrong type is NaN, 0, false, "" or NULL. Numbers are written
 * with all digits or rounded to six, as no more is known of errors and ratios. */
void mb_field_number(struct mb_node parent, const char *key, double *value);
void mb_field_rounded(struct mb_node parent, const char *key, double *value);
void mb_field_u64(struct mb_node parent, const char *key, uint64_t *value);
void mb_field_u32(struct mb_node parent, const char *key, uint32_t *value);
void mb_field_bool(struct mb_node parent, const char *key, bool *value);
/* Read, it is clean (mb_utf8_sanitize) and cut. mb_field_text_if() writes "" as null. */
void mb_field_text(struct mb_node parent, const char *key, char *text, size_t n_bytes);
void mb_field_text_if(struct mb_node parent, const char *key, char *text, size_t n_bytes);
/* A text that is not the variable's own: read, the reader owns it. */
void mb_field_static(struct mb_node parent, const char *key, const char **text);
/* The reader's own copy of a text, clean; NULL without memory. */
const char *mb_field_keep(struct mb_node node, const char *text);
/* Each of a list, as mb_field_text(). */
void mb_field_texts(struct mb_node parent, const char *key, struct mb_strlist *texts);
/* One of names[n], as an index; read, `otherwise` where it is none of them. */
unsigned mb_field_word(struct mb_node parent, const char *key, const char *const *names,
                       unsigned n, unsigned value, unsigned otherwise);
/* The same, of words that later versions may add to: one that is not known is kept in `*other`,
 * else NULL, and read as the first. */
unsigned mb_field_open_word(struct mb_node parent, const char *key, const char *const *names,
                            unsigned n, unsigned value, const char **other);

/* Read: NaN unless it is within these: beyond them is only what damage wrote. */
void mb_field_limit(struct mb_node node, double *value, double low, double high);

/* Read: the file cannot be used. The first reason counts. */
MB_PRINTF(2, 3)
void mb_field_refuse(struct mb_node node, const char *fmt, ...);

/* mb_alloc(n, n_bytes) for what is read; NULL without memory, which is noted. */
void *mb_field_alloc(struct mb_node node, size_t n, size_t n_bytes);
