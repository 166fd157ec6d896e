/* Files. Reading trusts nothing about the path; writing leaves either the old or the new file,
 * and no temporary one. */
#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#define MAX_TEMP_ATTEMPTS 100

void mb_bytes_finish(struct mb_bytes *bytes)
{
    mb_free(bytes->data);
    *bytes = (struct mb_bytes){.data = NULL};
}

static enum mb_status check_readable(int fd, const char *path, size_t max_bytes,
                                     size_t *n_bytes, struct mb_err *err)
{
    struct mb_file_facts file;
    const int error = mb_os_look_at(fd, &file);
    MB_FAIL_IF(error != 0, err, MB_ERRC_INPUT, "%s: %s", path, mb_os_error_text(error));
    MB_FAIL_IF(file.kind != MB_KIND_FILE, err, MB_ERRC_INPUT, "%s: is %s", path,
               file.kind == MB_KIND_FOLDER ? "a folder" : "not a regular file");
    MB_FAIL_IF(file.n_bytes == 0, err, MB_ERRC_INPUT, "%s: the file is empty", path);
    MB_FAIL_IF(file.n_bytes > max_bytes, err, MB_ERRC_INPUT,
               "%s: has %" PRIu64 " bytes; at most %zu are read", path, file.n_bytes,
               max_bytes);
    *n_bytes = (size_t)file.n_bytes;
    return MB_OK;
}

static enum mb_status read_all(int fd, const char *path, struct mb_bytes *out,
                               struct mb_err *err)
{
    size_t n_read;
    const int error = mb_os_read(fd, out->data, out->n_bytes, &n_read);
    MB_FAIL_IF(error != 0, err, MB_ERRC_INPUT, "%s: %s", path, mb_os_error_text(error));
    MB_FAIL_IF(n_read < out->n_bytes, err, MB_ERRC_INPUT, "%s: shrank while it was read", path);
    return MB_OK;
}

enum mb_status mb_file_read(const char *path, size_t max_bytes, struct mb_bytes *out,
                            struct mb_err *err)
{
    enum mb_status status;
    struct mb_bytes bytes = {.data = NULL};
    *out = bytes;
    int fd;
    const int error = mb_os_open(path, MB_OPEN_TO_READ, &fd);
    MB_FAIL_IF(error != 0, err, MB_ERRC_INPUT, "%s: %s", path, mb_os_error_text(error));
    MB_TRY(check_readable(fd, path, max_bytes, &bytes.n_bytes, err));
    bytes.data = mb_malloc(bytes.n_bytes + 1);
    MB_TRY(MB_NEED(bytes.data, path));
    MB_TRY(read_all(fd, path, &bytes, err));
    bytes.data[bytes.n_bytes] = '\0';
    mb_os_close(fd);
    *out = bytes;
    return MB_OK;

fail:
    mb_bytes_finish(&bytes);
    mb_os_close(fd);
    return status;
}

/* A temporary file that is to replace `target`: the path with its symbolic links followed. */
struct draft {
    char target[MB_PATH_BYTES], temp_path[MB_PATH_BYTES + 64];
    int fd;
};

/* Create a new file in the target's folder. Returns 0 or the errno. */
static int open_draft(const char *path, struct draft *draft)
{
    char folder[MB_PATH_BYTES];
    int error = mb_os_resolve(path, draft->target);
    if (error != 0) {
        return error;
    }
    mb_path_parent(draft->target, folder);
    error = EEXIST;
    for (unsigned i = 0; error == EEXIST && i < MAX_TEMP_ATTEMPTS; i++) {
        snprintf(draft->temp_path, sizeof draft->temp_path, "%s/.mipbench-%ld-%u.tmp", folder,
                 (long)getpid(), i);
        error = mb_os_open(draft->temp_path, MB_OPEN_NEW, &draft->fd);
    }
    return error;
}

/* Give the temporary file the mode of the target, write, sync and close it, and rename it.
 * Returns 0 or the errno. */
static int replace_file(const char *path, const void *data, size_t n_bytes)
{
    struct draft draft;
    int error = open_draft(path, &draft);
    if (error != 0) {
        return error;
    }
    error = mb_os_take_mode(draft.fd, draft.target);
    error = error != 0 ? error : mb_os_write(draft.fd, data, n_bytes);
    error = error != 0 ? error : mb_os_sync(draft.fd);
    const int close_errno = mb_os_close(draft.fd);
    error = error != 0 ? error : close_errno;
    error = error != 0 ? error : mb_os_rename(draft.temp_path, draft.target);
    if (error != 0) {
        unlink(draft.temp_path);
    }
    return error;
}

/* Write to a device or pipe, which has no old content to keep; to rename a file over /dev/null
 * would destroy it. */
static int write_in_place(const char *path, const void *data, size_t n_bytes)
{
    int fd;
    char target[MB_PATH_BYTES];
    int error = mb_os_resolve(path, target) == MB_FOREIGN_LINK ? MB_FOREIGN_LINK : 0;
    error = error != 0 ? error : mb_os_open(path, MB_OPEN_IN_PLACE, &fd);
    if (error != 0) {
        return error;
    }
    const int write_errno = mb_os_write(fd, data, n_bytes);
    const int close_errno = mb_os_close(fd);
    return write_errno != 0 ? write_errno : close_errno;
}

static enum mb_status fail_output(struct mb_err *err, const char *path, int error)
{
    MB_FAIL(err, MB_ERRC_OUTPUT, "%s: cannot be written: %s", path, mb_os_error_text(error));
    if (err != NULL) {
        err->is_disk_full = error == ENOSPC;
#ifdef EDQUOT /* a user's quota */
        err->is_disk_full |= error == EDQUOT;
#endif
    }
    return MB_FAILED;
}

enum mb_status mb_file_write_atomic(const char *path, const void *data, size_t n_bytes,
                                    struct mb_err *err)
{
    MB_FAIL_IF(strcmp(path, "-") == 0 || path[0] == '\0', err, MB_ERRC_OUTPUT,
               "'%s': is not a file name", path);
    const enum mb_kind kind = mb_os_kind(path);
    MB_FAIL_IF(kind == MB_KIND_FOLDER, err, MB_ERRC_OUTPUT,
               "%s: is a folder; a file name is needed", path);
    const bool is_replaced = kind == MB_KIND_NONE || kind == MB_KIND_FILE;
    const int error =
        is_replaced ? replace_file(path, data, n_bytes) : write_in_place(path, data, n_bytes);
    return error == 0 ? MB_OK : fail_output(err, path, error);
}

enum mb_status mb_file_write_in(const char *dir, const char *name, const void *data,
                                size_t n_bytes, struct mb_err *err)
{
    MB_FREED char *path = mb_path_join(dir, name);
    return path ? mb_file_write_atomic(path, data, n_bytes, err) : MB_NEED(path, name);
}

enum mb_status mb_file_check_writable(const char *path, struct mb_err *err)
{
    struct draft draft;
    const enum mb_kind kind = mb_os_kind(path);
    MB_FAIL_IF(kind == MB_KIND_FOLDER, err, MB_ERRC_OUTPUT,
               "%s: is a folder; a file name is needed", path);
    if (kind != MB_KIND_NONE && kind != MB_KIND_FILE) {
        return MB_OK;
    }
    int error = open_draft(path, &draft);
    if (error == 0) {
        error = mb_os_close(draft.fd);
        unlink(draft.temp_path);
    }
    return error == 0 ? MB_OK : fail_output(err, path, error);
}

enum mb_status mb_stdout_write(const char *text, size_t n_bytes, struct mb_err *err)
{
    int error = fflush(stdout) != 0 ? errno : 0;
    if (error == 0) {
        error = mb_os_write(MB_STDOUT, text, n_bytes);
    }
    MB_FAIL_IF(error != 0 && error != EPIPE, err, MB_ERRC_OUTPUT,
               "standard output: cannot be written: %s", mb_os_error_text(error));
    return MB_OK;
}

enum mb_status mb_strbuf_print(const struct mb_strbuf *text, struct mb_err *err)
{
    MB_DO(mb_strbuf_check(text, err));
    return mb_stdout_write(mb_strbuf_text(text), text->n_bytes, err);
}

/* Make one folder of the path unless it exists. Returns 0 or the errno. */
static int make_dir(const char *path)
{
    const int error = mb_os_make_folder(path);
    const enum mb_kind kind = error == 0 ? MB_KIND_FOLDER : mb_os_kind(path);
    if (kind == MB_KIND_NONE) {
        return error == EEXIST ? errno : error; /* "File exists" would explain nothing */
    }
    return kind == MB_KIND_FOLDER ? 0 : ENOTDIR;
}

enum mb_status mb_make_dirs(const char *path, struct mb_err *err)
{
    char partial[MB_PATH_BYTES];
    const size_t n_bytes = strlen(path);
    int error = n_bytes == 0 ? ENOENT : n_bytes >= MB_PATH_BYTES ? ENAMETOOLONG : 0;
    if (error == 0 && mb_os_resolve(path, partial) == MB_FOREIGN_LINK) {
        error = MB_FOREIGN_LINK;
    }
    for (size_t i = 0; error == 0 && i <= n_bytes; i++) {
        partial[i] = '\0';
        if (i > 0 && (path[i] == '/' || path[i] == '\0')) {
            error = make_dir(partial);
        }
        partial[i] = path[i];
    }
    MB_FAIL_IF(error != 0, err, MB_ERRC_OUTPUT, "%s: the folder cannot be made: %s", path,
               mb_os_error_text(error));
    return MB_OK;
}

enum mb_status mb_make_new_dir(const char *parent, const char *name, char **path,
                               struct mb_err *err)
{
    char numbered[256];
    enum mb_status status = mb_make_dirs(parent, err);
    int error = EEXIST;
    *path = NULL;
    for (unsigned n = 1; status == MB_OK && error == EEXIST && n < 1000; n++) {
        snprintf(numbered, sizeof numbered, n == 1 ? "%s" : "%s-%u", name, n);
        mb_free(*path);
        *path = mb_path_join(parent, numbered);
        MB_DO(MB_NEED(*path, parent));
        error = mb_os_make_folder(*path);
    }
    if (status == MB_OK && error != 0) {
        status = MB_FAIL(err, MB_ERRC_OUTPUT, "%s/%s: the folder cannot be made: %s", parent,
                         name, mb_os_error_text(error));
        mb_free(*path);
        *path = NULL;
    }
    return status;
}
