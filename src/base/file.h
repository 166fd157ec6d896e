/* Files: read whole, write atomically; and folders to put them in. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/os.h"
#include "base/path.h"
#include "base/strbuf.h"

struct mb_bytes {
    uint8_t *data; /* owned: mb_bytes_finish */
    size_t n_bytes;
};

/* Free and zero. */
void mb_bytes_finish(struct mb_bytes *bytes);

/* Read a regular file of at most `max_bytes` whole; a zero follows its bytes. A folder, FIFO,
 * device, an empty file and one that is larger fail with MB_ERRC_INPUT and one sentence each;
 * nothing blocks (O_NONBLOCK, fstat before read). */
MB_MUST_CHECK enum mb_status mb_file_read(const char *path, size_t max_bytes,
                                          struct mb_bytes *out, struct mb_err *err);

/* Write `n_bytes` to `path` so that it is old or new, never half: temporary file in the same
 * folder (O_EXCL), full write, fsync, close checked, rename, fsync of the folder. A file that
 * is replaced keeps its mode; symbolic links are written through, also to what is not there
 * yet, but for those of other users (mb_os_resolve). On failure the temporary file is
 * gone and MB_ERRC_OUTPUT is set. `path` "-" is an error here. */
MB_MUST_CHECK enum mb_status mb_file_write_atomic(const char *path, const void *data,
                                                  size_t n_bytes, struct mb_err *err);

/* The same of the file `name` in the folder `dir`. */
MB_MUST_CHECK enum mb_status mb_file_write_in(const char *dir, const char *name,
                                              const void *data, size_t n_bytes,
                                              struct mb_err *err);

/* Find out whether mb_file_write_atomic could write to `path`, without touching what is there:
 * MB_OK, or the failure that it would have. A pipe or device is not tried. */
MB_MUST_CHECK enum mb_status mb_file_check_writable(const char *path, struct mb_err *err);

/* Write all of `text` to stdout and flush; a closed or full stdout is MB_ERRC_OUTPUT. A pipe
 * whose reader has gone is fine: whoever piped into `head` has seen enough, and the run's files
 * are still wanted. SIGPIPE must be ignored. */
MB_MUST_CHECK enum mb_status mb_stdout_write(const char *text, size_t n_bytes,
                                             struct mb_err *err);

/* The same of a text that may have failed. */
MB_MUST_CHECK enum mb_status mb_strbuf_print(const struct mb_strbuf *text, struct mb_err *err);

/* mkdir -p. An existing folder is fine; anything else in the way, and a symbolic link of
 * another user, is MB_ERRC_OUTPUT. */
MB_MUST_CHECK enum mb_status mb_make_dirs(const char *path, struct mb_err *err);

/* Make a folder `parent`/`name` that was not there before (`parent` as by mb_make_dirs), or
 * `name`-2, `name`-3, ... if it was: two runs never share one. `*path` is owned by the caller
 * (mb_free). */
MB_MUST_CHECK enum mb_status mb_make_new_dir(const char *parent, const char *name, char **path,
                                             struct mb_err *err);
