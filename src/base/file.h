/* Files: read whole, write atomically; and folders to put them in. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/os.h"
#include "base/strbuf.h"

struct mb_bytes {
    uint8_t *data; /* owned: mb_bytes_finish */
    size_t n_bytes;
};

/* Free and zero. */
void mb_bytes_finish(struct mb_bytes *bytes);

/* Read a whole regular file of at most `max_bytes`, and add a zero byte. An empty or larger
 * file, and anything but a regular file, is MB_ERRC_INPUT. Never blocks (O_NONBLOCK, fstat). */
MB_MUST_CHECK enum mb_status mb_file_read(const char *path, size_t max_bytes,
                                          struct mb_bytes *out, struct mb_err *err);

/* Write `n_bytes` to `path` so that it has the old or the new content, never a part: temporary
 * file in the same folder (O_EXCL), full write, fsync, checked close, rename, fsync of the
 * folder. A replaced file keeps its mode. Symbolic links are followed, also to a file that does
 * not exist yet, except those of other users (mb_os_resolve). Failures are MB_ERRC_OUTPUT and
 * remove the temporary file. */
MB_MUST_CHECK enum mb_status mb_file_write_atomic(const char *path, const void *data,
                                                  size_t n_bytes, struct mb_err *err);

/* The same for the file `name` in the folder `dir`. */
MB_MUST_CHECK enum mb_status mb_file_write_in(const char *dir, const char *name,
                                              const void *data, size_t n_bytes,
                                              struct mb_err *err);

/* Check whether mb_file_write_atomic could write to `path`, without changing what is there:
 * MB_OK, or the failure that it would return. Pipes and devices are not tried. */
MB_MUST_CHECK enum mb_status mb_file_check_writable(const char *path, struct mb_err *err);

/* Write all of `text` to stdout and flush; a closed or full stdout is MB_ERRC_OUTPUT. A pipe
 * that its reader closed is no error: a run piped into `head` still writes its files. SIGPIPE
 * must be ignored. */
MB_MUST_CHECK enum mb_status mb_stdout_write(const char *text, size_t n_bytes,
                                             struct mb_err *err);

/* The same for a buffer; fails if an append to it ran out of memory. */
MB_MUST_CHECK enum mb_status mb_strbuf_print(const struct mb_strbuf *text, struct mb_err *err);

/* mkdir -p. Fails with MB_ERRC_OUTPUT if another user's symbolic link, or anything but a
 * folder, is in the way. */
MB_MUST_CHECK enum mb_status mb_make_dirs(const char *path, struct mb_err *err);

/* Make `parent` by mb_make_dirs and in it a new folder `name`, or `name`-2, `name`-3, ... if
 * `name` exists: two runs never share a folder. `*path` is owned by the caller (mb_free). */
MB_MUST_CHECK enum mb_status mb_make_new_dir(const char *parent, const char *name, char **path,
                                             struct mb_err *err);
