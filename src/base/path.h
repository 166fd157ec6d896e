/* Paths as text. */
#pragma once

#include <stddef.h>

#include "base/os.h"

/* `dir`/`name`, newly allocated (mb_free), or NULL without memory. */
char *mb_path_join(const char *dir, const char *name);

/* Turn any text into a slug for file names: [a-z0-9._-], other characters become '-', no
 * leading or trailing '-' or '.', at most `out_bytes` - 1 bytes, "unnamed" if nothing is left.
 */
void mb_slug(const char *text, char *out, size_t out_bytes);

/* The folder part of `path`, or ".". */
void mb_path_parent(const char *path, char out[MB_PATH_BYTES]);
