/* Paths as text, and where they lead. */
#include "base/path.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define MAX_LINKS 40 /* as many as Linux follows */

void mb_path_parent(const char *path, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const int n_bytes = slash == NULL ? 0 : slash == path ? 1 : (int)(slash - path);
    snprintf(out, PATH_MAX, "%.*s", n_bytes > 0 ? n_bytes : 1, n_bytes > 0 ? path : ".");
}

/* A path that is walked: what is behind, without links, "." and "..", and what is ahead. */
struct walk {
    char done[PATH_MAX];
    char rest[PATH_MAX];
    bool ends_in_folder; /* the last name can only be a folder's: ".", ".." or before a slash */
    int error;           /* why ".." could not be taken, or 0 */
};

/* Leave the folder, as ".." does; one that is missing is noted. */
static void leave(struct walk *walk)
{
    char *slash = strrchr(walk->done, '/');
    struct stat info;
    if (walk->error == 0 && walk->done[0] != '\0') {
        walk->error = stat(walk->done, &info) != 0 ? errno
                      : S_ISDIR(info.st_mode)      ? 0
                                                   : ENOTDIR;
    }
    *(slash != NULL ? slash : walk->done) = '\0';
}

/* Take the next name of the path, and set `is_link` if a symbolic link took its place. Returns
 * 0 or the errno. */
static int step(struct walk *walk, bool *is_link)
{
    char next[PATH_MAX], link[PATH_MAX], rest[PATH_MAX];
    const int n_name = (int)strcspn(walk->rest, "/");
    const char *name = walk->rest;
    const bool has_slash = name[n_name] == '/';
    const bool is_parent = n_name == 2 && strncmp(name, "..", 2) == 0;
    const bool is_same = n_name == 0 || (n_name == 1 && name[0] == '.');
    *is_link = false;
    strcpy(rest, name + n_name + has_slash);
    walk->ends_in_folder = is_parent || is_same || (has_slash && rest[0] == '\0');
    if (is_parent) {
        leave(walk);
    } else if (!is_same) {
        if (snprintf(next, sizeof next, "%s/%.*s", walk->done, n_name, name) >= PATH_MAX) {
            return ENAMETOOLONG;
        }
        const ssize_t n_link = readlink(next, link, sizeof link);
        *is_link = n_link > 0;
        if (*is_link) {
            if (link[0] == '/') {
                walk->done[0] = '\0';
            }
            const int n = snprintf(walk->rest, PATH_MAX, "%.*s%s%s", (int)n_link, link,
                                   has_slash ? "/" : "", rest);
            return n >= PATH_MAX ? ENAMETOOLONG : 0;
        }
        strcpy(walk->done, next);
    }
    strcpy(walk->rest, rest);
    return 0;
}

int mb_path_resolve(const char *path, char out[PATH_MAX])
{
    struct walk walk = {.done = ""};
    unsigned n_links = 0;
    const size_t n_bytes = strlen(path);
    out[0] = '\0';
    if (n_bytes == 0 || n_bytes >= PATH_MAX) {
        return n_bytes == 0 ? ENOENT : ENAMETOOLONG;
    }
    if (path[0] != '/' && getcwd(walk.done, sizeof walk.done) == NULL) {
        return errno;
    }
    if (strcmp(walk.done, "/") == 0) {
        walk.done[0] = '\0';
    }
    strcpy(walk.rest, path);
    while (walk.rest[0] != '\0') {
        bool is_link;
        const int error = step(&walk, &is_link);
        n_links += is_link;
        if (error != 0 || n_links > MAX_LINKS) {
            return error != 0 ? error : ELOOP;
        }
    }
    if (walk.ends_in_folder) {
        return EISDIR;
    }
    strcpy(out, walk.done);
    return walk.error;
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
