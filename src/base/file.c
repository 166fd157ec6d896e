/* Files. Reading trusts nothing about the path; writing leaves either the old or the new file,
 * and no temporary one. */
#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"

#define MAX_TEMP_ATTEMPTS 100

void mb_bytes_finish(struct mb_bytes *bytes)
{
    mb_free(bytes->data);
    *bytes = (struct mb_bytes){.data = NULL};
}

static enum mb_status read_open(int fd, const char *path, size_t max_bytes,
                                struct mb_bytes *out, struct mb_err *err)
{
    struct mb_file_facts file;
    size_t n_read = 0;
    int error = mb_os_look_at(fd, &file);
    MB_FAIL_IF(error != 0, err, MB_ERRC_INPUT, "%s: %s", path, mb_os_error_text(error));
    MB_FAIL_IF(file.kind != MB_KIND_FILE, err, MB_ERRC_INPUT, "%s: is %s", path,
               file.kind == MB_KIND_FOLDER ? "a folder" : "not a regular file");
    MB_FAIL_IF(file.n_bytes == 0, err, MB_ERRC_INPUT, "%s: the file is empty", path);
    MB_FAIL_IF(file.n_bytes > max_bytes, err, MB_ERRC_INPUT,
               "%s: has %" PRIu64 " bytes; at most %zu are read", path, file.n_bytes,
               max_bytes);
    *out = (struct mb_bytes){mb_malloc((size_t)file.n_bytes + 1), (size_t)file.n_bytes};
    MB_DO(MB_NEED(out->data, path));
    error = mb_os_read(fd, out->data, out->n_bytes, &n_read);
    MB_FAIL_IF(error != 0, err, MB_ERRC_INPUT, "%s: %s", path, mb_os_error_text(error));
    MB_FAIL_IF(n_read < out->n_bytes, err, MB_ERRC_INPUT, "%s: shrank while it was read", path);
    out->data[out->n_bytes] = '\0';
    return MB_OK;
}

enum mb_status mb_file_read(const char *path, size_t max_bytes, struct mb_bytes *out,
                            struct mb_err *err)
{
    int fd;
    const int error = mb_os_open(path, MB_OPEN_TO_READ, &fd);
    *out = (struct mb_bytes){.data = NULL};
    MB_FAIL_IF(error != 0, err, MB_ERRC_INPUT, "%s: %s", path, mb_os_error_text(error));
    const enum mb_status status = read_open(fd, path, max_bytes, out, err);
    mb_os_close(fd);
    if (status != MB_OK) {
        mb_bytes_finish(out);
    }
    return status;
}

/* The file that is written: a temporary file that will replace the target; or the target itself
 * if it is a device or pipe, which has no content to keep and which a rename would destroy. */
struct draft {
    char target[MB_PATH_BYTES];         /* the path with its symbolic links followed */
    char temp_path[MB_PATH_BYTES + 64]; /* "": none */
    int fd;
};

/* Open the target, or create a new file in its folder. Returns 0 or the errno. */
static int open_draft(const char *path, struct draft *draft)
{
    char folder[MB_PATH_BYTES];
    const enum mb_kind kind = mb_os_kind(path);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const bool is_dots = strlen(name) < 3 && name[strspn(name, ".")] == '\0'; /* a folder's */
    int error = mb_os_resolve(path, draft->target);
    draft->temp_path[0] = '\0';
    if (error != 0 || is_dots || kind == MB_KIND_FOLDER) {
        return error != 0 ? error : EISDIR;
    }
    if (kind == MB_KIND_OTHER) {
        return mb_os_open(path, MB_OPEN_IN_PLACE, &draft->fd);
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

/* Close the file. A temporary file then replaces its target; if `error` is not 0 or a call here
 * fails, it is removed instead. Returns the first error, or 0. */
static int close_draft(const struct draft *draft, int error)
{
    const bool is_temp = draft->temp_path[0] != '\0';
    error = is_temp && error == 0 ? mb_os_sync(draft->fd) : error;
    const int close_error = mb_os_close(draft->fd);
    error = error != 0 ? error : close_error;
    error = is_temp && error == 0 ? mb_os_rename(draft->temp_path, draft->target) : error;
    if (is_temp && error != 0) {
        unlink(draft->temp_path);
    }
    return error;
}

static enum mb_status status_of(int error, const char *path, struct mb_err *err)
{
    if (error == 0) {
        return MB_OK;
    }
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
    struct draft draft;
    int error = open_draft(path, &draft);
    if (error == 0) {
        error = mb_os_take_mode(draft.fd, draft.target);
        error = error != 0 ? error : mb_os_write(draft.fd, data, n_bytes);
        error = close_draft(&draft, error);
    }
    return status_of(error, path, err);
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
    if (mb_os_kind(path) == MB_KIND_OTHER) {
        return MB_OK;
    }
    int error = open_draft(path, &draft);
    if (error == 0) {
        error = mb_os_close(draft.fd);
        unlink(draft.temp_path);
    }
    return status_of(error, path, err);
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
        return error == EEXIST ? errno : error; /* EEXIST would explain nothing */
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
    int error = EEXIST;
    *path = NULL;
    MB_DO(mb_make_dirs(parent, err));
    for (unsigned n = 1; error == EEXIST && n < 1000; n++) {
        const struct mb_text numbered = mb_text(n == 1 ? "%s" : "%s-%u", name, n);
        mb_free(*path);
        *path = mb_path_join(parent, numbered.s);
        MB_DO(MB_NEED(*path, parent));
        error = mb_os_make_folder(*path);
    }
    MB_FAIL_IF(error != 0, err, MB_ERRC_OUTPUT, "%s: the folder cannot be made: %s", *path,
               mb_os_error_text(error));
    return MB_OK;
}
