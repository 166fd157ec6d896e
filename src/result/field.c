/* Writes and reads the members of a JSON file. */
#include "result/field.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define N_DIGITS 6 /* significant digits of rounded numbers */

struct mb_node mb_node_write(struct mb_json *json, struct cJSON *out)
{
    return (struct mb_node){.json = json, .out = out};
}

bool mb_node_failed(struct mb_node node)
{
    return node.reader != NULL && node.reader->failed;
}

static struct mb_node read_node(struct mb_node parent, const char *key)
{
    return (struct mb_node){.reader = parent.reader, .in = mb_json_get(parent.in, key)};
}

struct mb_node mb_field_object(struct mb_node parent, const char *key)
{
    return parent.reader
               ? read_node(parent, key)
               : mb_node_write(parent.json, mb_json_object(parent.json, parent.out, key));
}

struct mb_node mb_field_if(struct mb_node parent, const char *key, bool known)
{
    if (!parent.reader && !known) {
        mb_json_null(parent.json, parent.out, key);
        parent.out = NULL;
    }
    return parent;
}

struct mb_node mb_field_object_if(struct mb_node parent, const char *key, bool known)
{
    return mb_field_object(mb_field_if(parent, key, known), key);
}

struct mb_list mb_field_list(struct mb_node parent, const char *key)
{
    if (parent.reader) {
        return (struct mb_list){
            .array = read_node(parent, key),
            .next = mb_json_elements(parent.in, key),
            .n = mb_json_count(parent.in, key),
        };
    }
    return (struct mb_list){
        .array = mb_node_write(parent.json, mb_json_array(parent.json, parent.out, key))};
}

struct mb_node mb_list_next(struct mb_list *list)
{
    struct mb_node node = list->array;
    if (node.reader) {
        node.in = list->next ? mb_json_get(list->next, NULL) : NULL;
        list->next = list->next ? list->next->next : NULL;
    }
    return node;
}

struct mb_node mb_list_object(struct mb_list *list)
{
    struct mb_node node = mb_list_next(list);
    node.out = node.reader ? NULL : mb_json_object(node.json, node.out, NULL);
    return node;
}

size_t mb_list_length(const struct mb_list *list, size_t own, size_t most)
{
    return !list->array.reader ? own : list->n < most ? list->n : most;
}

void mb_field_number(struct mb_node parent, const char *key, double *value)
{
    if (parent.reader) {
        *value = mb_json_read_number(parent.in, key);
    } else {
        mb_json_number(parent.json, parent.out, key, *value);
    }
}

void mb_field_rounded(struct mb_node parent, const char *key, double *value)
{
    if (parent.reader) {
        *value = mb_json_read_number(parent.in, key);
    } else {
        mb_json_number(parent.json, parent.out, key,
                       strtod(mb_text("%.*g", N_DIGITS, *value).s, NULL));
    }
}

void mb_field_u64(struct mb_node parent, const char *key, uint64_t *value)
{
    if (parent.reader) {
        *value = mb_json_read_u64(parent.in, key, 0);
    } else {
        mb_json_u64(parent.json, parent.out, key, *value);
    }
}

void mb_field_u32(struct mb_node parent, const char *key, uint32_t *value)
{
    uint64_t wide = *value;
    mb_field_u64(parent, key, &wide);
    *value = wide <= UINT32_MAX ? (uint32_t)wide : 0;
}

void mb_field_bool(struct mb_node parent, const char *key, bool *value)
{
    if (parent.reader) {
        *value = mb_json_read_bool(parent.in, key, false);
    } else {
        mb_json_bool(parent.json, parent.out, key, *value);
    }
}

void mb_field_text(struct mb_node parent, const char *key, char *text, size_t n_bytes)
{
    if (parent.reader) {
        const char *read = mb_json_read_string(parent.in, key);
        mb_utf8_sanitize(read ? read : "", text, n_bytes);
    } else {
        mb_json_string(parent.json, parent.out, key, text);
    }
}

void mb_field_text_if(struct mb_node parent, const char *key, char *text, size_t n_bytes)
{
    mb_field_text(mb_field_if(parent, key, text[0] != '\0'), key, text, n_bytes);
}

static void add_clean(struct mb_field_reader *reader, struct mb_strlist *texts,
                      const char *text)
{
    if (mb_strlist_add(texts, NULL, "%s", text) != MB_OK) {
        reader->failed = true;
        return;
    }
    char *own = texts->items[texts->n - 1];
    mb_utf8_sanitize(text, own, strlen(own) + 1);
}

const char *mb_field_keep(struct mb_node node, const char *text)
{
    struct mb_strlist *texts = node.reader->texts;
    const size_t n = texts->n;
    add_clean(node.reader, texts, text);
    return texts->n > n ? texts->items[n] : "";
}

void mb_field_static(struct mb_node parent, const char *key, const char **text)
{
    const char *read = mb_json_read_string(parent.in, key);
    if (parent.reader) {
        *text = read ? mb_field_keep(parent, read) : "";
    } else {
        mb_json_string(parent.json, parent.out, key, *text && *text[0] ? *text : NULL);
    }
}

void mb_field_texts(struct mb_node parent, const char *key, struct mb_strlist *texts)
{
    struct mb_list list = mb_field_list(parent, key);
    for (size_t i = 0; i < (parent.reader ? list.n : texts->n); i++) {
        const struct mb_node item = mb_list_next(&list);
        if (!parent.reader) {
            mb_json_string(item.json, item.out, NULL, texts->items[i]);
        } else if (mb_json_read_string(item.in, NULL)) {
            add_clean(item.reader, texts, mb_json_read_string(item.in, NULL));
        }
    }
}

unsigned mb_field_word(struct mb_node parent, const char *key, const char *const *names,
                       unsigned n, unsigned value, unsigned otherwise)
{
    if (!parent.reader) {
        mb_json_string(parent.json, parent.out, key, names[value]);
        return value;
    }
    const char *read = mb_json_read_string(parent.in, key);
    unsigned found = 0;
    while (found < n && (!read || strcmp(read, names[found]) != 0)) {
        found++;
    }
    return found < n ? found : otherwise;
}

unsigned mb_field_known_word(struct mb_node parent, const char *key, const char *const *names,
                             unsigned n, unsigned value)
{
    const unsigned found = mb_field_word(parent, key, names, n, value, n);
    const char *read = mb_json_read_string(parent.in, key);
    if (found == n && read) {
        mb_field_refuse(parent, "this mipbench has no %s '%s'", key, read);
    }
    return found < n ? found : 0;
}

unsigned mb_field_words(struct mb_node parent, const char *key, const char *const *names,
                        unsigned n, unsigned mask)
{
    struct mb_list list = mb_field_list(parent, key);
    for (unsigned i = 0; i < n && !parent.reader; i++) {
        if ((mask & 1u << i) != 0) {
            mb_field_word(mb_list_next(&list), NULL, names, n, i, 0);
        }
    }
    while (list.next) {
        const unsigned i = mb_field_word(mb_list_next(&list), NULL, names, n, 0, n);
        mask |= i < n ? 1u << i : 0u;
    }
    return mask;
}

void mb_field_limit(struct mb_node node, double *value, double low, double high)
{
    if (node.reader && !(*value >= low && *value <= high)) {
        *value = (double)NAN;
    }
}

void mb_field_refuse(struct mb_node node, const char *fmt, ...)
{
    if (!node.reader->failed) {
        va_list args;
        va_start(args, fmt);
        mb_utf8_sanitize_format(node.reader->why, sizeof node.reader->why, fmt, args);
        va_end(args);
        node.reader->failed = true;
    }
}

void *mb_field_alloc(struct mb_node node, size_t n, size_t n_bytes)
{
    void *memory = mb_alloc(n, n_bytes);
    node.reader->failed = node.reader->failed || !memory;
    return memory;
}
