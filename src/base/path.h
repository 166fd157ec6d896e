/* The little path arithmetic that files need. */
#pragma once

#include <limits.h>
#include <stddef.h>

/* `dir`/`name`, newly allocated (mb_free), or NULL without memory. */
char *mb_path_join(const char *dir, const char *name);

/* Make a file-name slug of any text: [a-z0-9._-], others become '-', no leading or trailing
 * '-' or '.', cut to `out_bytes` - 1, "unnamed" if nothing is left. */
void mb_slug(const char *text, char *out, size_t out_bytes);

/* The folder part of `path`; "." where there is none. */
void mb_path_parent(const char *path, char out[PATH_MAX]);

/* Where a file written to `path` ends up: as realpath(), but what is missing is kept as it
 * is named, also behind a symbolic link. Returns 0 or the errno: ELOOP, ENAMETOOLONG, EISDIR
 * for a path that ends in a slash, "." or "..", ENOENT or ENOTDIR for ".." behind what is no
 * folder. `out` is then "", but after ".." it is where the path leads once the folder exists.
 */
int mb_path_resolve(const char *path, char out[PATH_MAX]);
