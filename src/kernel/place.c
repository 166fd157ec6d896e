/* Where a value of a JSON text is. */
#include "kernel/place.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cJSON.h>

/* Count the values of the text up to the one that is wanted, in the order in which they begin,
 * which is the order of the tree. */
static const char *find_value(const char *text, size_t index)
{
    size_t n = 0;
    for (const char *at = text; *at != '\0';) {
        const char *begin = at;
        if (strchr(" \t\r\n,:]}", *at)) {
            at++;
            continue;
        }
        if (*at == '"') {
            for (at++; *at != '\0' && *at != '"'; at++) {
                at += *at == '\\' && at[1] != '\0';
            }
            at += *at == '"';
            if (at[strspn(at, " \t\r\n")] == ':') {
                continue; /* a key */
            }
        } else if (*at == '[' || *at == '{') {
            at++;
        } else {
            at += strcspn(at, " \t\r\n,:]}");
        }
        if (n++ == index) {
            return begin;
        }
    }
    return text;
}

/* The index of a node of the tree in that order; `*n` counts those before it. */
static bool find_index(const cJSON *tree, const cJSON *node, size_t *n)
{
    if (tree == node) {
        return true;
    }
    (*n)++;
    for (const cJSON *child = tree->child; child; child = child->next) {
        if (find_index(child, node, n)) {
            return true;
        }
    }
    return false;
}

/* Append the way from `tree` to the node; false where it is not in there. */
static bool add_path(const cJSON *tree, const cJSON *node, char *path, size_t n_bytes)
{
    size_t index = 0;
    if (tree == node) {
        return true;
    }
    for (const cJSON *child = tree->child; child; child = child->next, index++) {
        char step[96];
        if (cJSON_IsArray(tree)) {
            snprintf(step, sizeof step, "[%zu]", index);
        } else {
            snprintf(step, sizeof step, "%s%.80s", tree->prev || tree->string ? "." : "",
                     child->string);
        }
        const size_t n_old = strlen(path);
        snprintf(path + n_old, n_bytes - n_old, "%s", step);
        if (add_path(child, node, path, n_bytes)) {
            return true;
        }
        path[n_old] = '\0';
    }
    return false;
}

struct mb_place mb_place_find(const char *text, const cJSON *root, const cJSON *node)
{
    struct mb_place place = {0};
    size_t index = 0;
    if (!node || !find_index(root, node, &index)) {
        return place;
    }
    const char *at = find_value(text, index);
    place.line = place.column = 1;
    for (const char *c = text; c < at; c++) {
        place.column = *c == '\n' ? 1 : place.column + 1;
        place.line += *c == '\n';
    }
    (void)add_path(root, node, place.path, sizeof place.path);
    return place;
}
