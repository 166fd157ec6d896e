/* The little path arithmetic that files need. */
#pragma once

#include <stddef.h>

#include "base/os.h"

/* `dir`/`name`, newly allocated (mb_free), or NULL without memory. */
char *mb_path_join(const char *dir, const char *name);

/* Make a file-name slug of any text: [a-z0-9._-], others become '-', no leading or trailing
 * '-' or '.', cut to `out_bytes` - 1, "unnamed" if nothing is left. */
void mb_slug(const char *text, char *out, size_t out_bytes);

/* The folder part of `path`; "." where there is none. */
void mb_path_parent(const char *path, char out[MB_PATH_BYTES]);
