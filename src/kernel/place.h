/* Where a value of a JSON text is: cJSON keeps no positions. */
#pragma once

#include <stddef.h>

struct cJSON;

/* The line and column (in bytes, from 1) where a value begins, and its path:
 * "dispatches[0].groups"; 0 and "" for what is none of the tree's nodes. */
struct mb_place {
    size_t line, column;
    char path[256];
};

/* `root` is what `text` was parsed to, all of it. */
struct mb_place mb_place_find(const char *text, const struct cJSON *root,
                              const struct cJSON *node);
