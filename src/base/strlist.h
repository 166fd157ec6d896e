/* A growing list of strings that it owns. Zero is a valid empty list. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct mb_strlist {
    char **items; /* array and strings are owned */
    size_t n;
};

/* Free and zero. */
void mb_strlist_finish(struct mb_strlist *list);

/* Append formatted text. Fails only without memory, and leaves the list unchanged then. */
MB_PRINTF(3, 4)
MB_MUST_CHECK enum mb_status mb_strlist_add(struct mb_strlist *list, struct mb_err *err,
                                            const char *fmt, ...);

/* Remove every string that equals `text`; true if there was one. */
bool mb_strlist_remove(struct mb_strlist *list, const char *text);

/* Append the items of `text`, which commas separate. An empty item is MB_ERRC_USAGE; the
 * message begins with `label`: "--size" or "compare". */
MB_MUST_CHECK enum mb_status mb_strlist_split(struct mb_strlist *list, const char *label,
                                              const char *text, struct mb_err *err);
