/* A growing list of strings. */
#include "base/strlist.h"

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

enum mb_status mb_strlist_add(struct mb_strlist *list, const char *text, size_t n_bytes,
                              struct mb_err *err)
{
    if (list->n == list->capacity) {
        const size_t capacity = list->capacity == 0 ? 8 : 2 * list->capacity;
        char **items = mb_realloc(list->items, capacity * sizeof *items);
        if (items == NULL) {
            return MB_FAIL(err, MB_ERRC_RUNTIME, "list of names: out of memory");
        }
        list->items = items;
        list->capacity = capacity;
    }
    char *copy = mb_alloc(n_bytes + 1, 1);
    if (copy == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "list of names: out of memory");
    }
    memcpy(copy, text, n_bytes);
    copy[n_bytes] = '\0';
    list->items[list->n++] = copy;
    return MB_OK;
}
