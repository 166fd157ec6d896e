/* Paths as text. */
#include "base/path.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

void mb_path_parent(const char *path, char out[MB_PATH_BYTES])
{
    const char *slash = strrchr(path, '/');
    const int n_bytes = slash == NULL ? 0 : slash == path ? 1 : (int)(slash - path);
    snprintf(out, MB_PATH_BYTES, "%.*s", n_bytes > 0 ? n_bytes : 1, n_bytes > 0 ? path : ".");
}

char *mb_path_join(const char *dir, const char *name)
{
    const size_t dir_bytes = strlen(dir);
    const bool needs_slash = dir_bytes > 0 && dir[dir_bytes - 1] != '/';
    const size_t n_bytes = dir_bytes + needs_slash + strlen(name) + 1;
    char *path = mb_malloc(n_bytes);
    if (path != NULL) {
        snprintf(path, n_bytes, "%s%s%s", dir, needs_slash ? "/" : "", name);
    }
    return path;
}

static char slug_character(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return (char)(c - 'A' + 'a');
    }
    const bool is_kept =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
    return is_kept ? c : '-';
}

void mb_slug(const char *text, char *out, size_t out_bytes)
{
    if (out_bytes == 0) {
        return;
    }
    size_t n = 0;
    for (; *text != '\0' && n + 1 < out_bytes; text++) {
        const char c = slug_character(*text);
        const bool is_dull = c == '-' && (n == 0 || out[n - 1] == '-'); /* leading, or a run */
        if (!is_dull && !(c == '.' && n == 0)) {
            out[n++] = c;
        }
    }
    while (n > 0 && (out[n - 1] == '-' || out[n - 1] == '.')) {
        n--;
    }
    out[n] = '\0';
    if (n == 0) {
        snprintf(out, out_bytes, "unnamed");
    }
}
