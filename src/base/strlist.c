/* A growing list of strings. */
#include "base/strlist.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

void mb_strlist_finish(struct mb_strlist *list)
{
    for (size_t i = 0; i < list->n; i++) {
        mb_free(list->items[i]);
    }
    mb_free(list->items);
    *list = (struct mb_strlist){0};
}

enum mb_status mb_strlist_add(struct mb_strlist *list, struct mb_err *err, const char *fmt, ...)
{
    va_list args;
    char **items = mb_grow(list->items, list->n, sizeof *items);
    MB_DO(MB_NEED(items, "list of names"));
    list->items = items;
    va_start(args, fmt);
    const size_t n_bytes = (size_t)vsnprintf(NULL, 0, fmt, args) + 1;
    va_end(args);
    char *item = mb_alloc(n_bytes, 1);
    MB_DO(MB_NEED(item, "list of names"));
    va_start(args, fmt);
    vsnprintf(item, n_bytes, fmt, args);
    va_end(args);
    list->items[list->n++] = item;
    return MB_OK;
}

bool mb_strlist_remove(struct mb_strlist *list, const char *text)
{
    const size_t n_before = list->n;
    list->n = 0;
    for (size_t i = 0; i < n_before; i++) {
        if (strcmp(list->items[i], text) == 0) {
            mb_free(list->items[i]);
        } else {
            list->items[list->n++] = list->items[i];
        }
    }
    return list->n < n_before;
}

enum mb_status mb_strlist_split(struct mb_strlist *list, const char *label, const char *text,
                                struct mb_err *err)
{
    const char *item = text;
    for (bool is_last = false; !is_last;) {
        const size_t n_bytes = strcspn(item, ",");
        MB_FAIL_IF(n_bytes == 0, err, MB_ERRC_USAGE, "%s: '%s' has an empty item", label, text);
        MB_DO(mb_strlist_add(list, err, "%.*s", (int)n_bytes, item));
        is_last = item[n_bytes] == '\0';
        item += n_bytes + 1;
    }
    return MB_OK;
}
