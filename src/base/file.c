/* Files. Reading trusts nothing about the path; writing leaves the old file or the new one, and
 * no temporary. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define MAX_TEMP_ATTEMPTS 100

void mb_bytes_finish(struct mb_bytes *bytes)
{
    mb_free(bytes->data);
    *bytes = (struct mb_bytes){.data = NULL};
}

static const char *file_type_name(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a folder";
    case S_IFIFO:
        return "a pipe";
    case S_IFSOCK:
        return "a socket";
    case S_IFCHR:
    case S_IFBLK:
        return "a device";
    default:
        return "not a regular file";
    }
}

/* Decide from the open file itself, so that nothing can change in between. */
static enum mb_status check_readable(int fd, const char *path, size_t max_bytes,
                                     size_t *n_bytes, struct mb_err *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: is %s; a regular file is needed", path,
                       file_type_name(info.st_mode));
    }
    if (info.st_size <= 0) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: the file is empty", path);
    }
    if ((uint64_t)info.st_size > max_bytes) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: has %lld bytes; at most %zu are read", path,
                       (long long)info.st_size, max_bytes);
    }
    *n_bytes = (size_t)info.st_size;
    return MB_OK;
}

static enum mb_status read_all(int fd, const char *path, struct mb_bytes *out,
                               struct mb_err *err)
{
    size_t n_done = 0;
    while (n_done < out->n_bytes) {
        const ssize_t n = read(fd, out->data + n_done, out->n_bytes - n_done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return MB_FAIL(err, MB_ERRC_INPUT, "%s: %s", path, strerror(errno));
        }
        if (n == 0) {
            return MB_FAIL(err, MB_ERRC_INPUT, "%s: shrank while it was read", path);
        }
        n_done += (size_t)n;
    }
    return MB_OK;
}

enum mb_status mb_file_read(const char *path, size_t max_bytes, struct mb_bytes *out,
                            struct mb_err *err)
{
    enum mb_status status;
    struct mb_bytes bytes = {.data = NULL};
    *out = bytes;
    /* Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever. */
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: %s", path, strerror(errno));
    }
    MB_TRY(check_readable(fd, path, max_bytes, &bytes.n_bytes, err));
    bytes.data = mb_malloc(bytes.n_bytes);
    if (bytes.data == NULL) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory for %zu bytes", path,
                         bytes.n_bytes);
        goto fail;
    }
    MB_TRY(read_all(fd, path, &bytes, err));
    close(fd);
    *out = bytes;
    return MB_OK;

fail:
    mb_bytes_finish(&bytes);
    close(fd);
    return status;
}

/* Write everything, through interruptions, short writes and a non-blocking descriptor. Returns
 * 0 or the errno. */
static int write_all(int fd, const void *data, size_t n_bytes)
{
    const uint8_t *next = data;
    while (n_bytes > 0) {
        const ssize_t n = write(fd, next, n_bytes);
        if (n > 0) {
            next += n;
            n_bytes -= (size_t)n;
        } else if (n == 0) {
            return EIO;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/* `close` reports late write errors; after EINTR, Linux has closed the descriptor all the same.
 */
static int close_checked(int fd)
{
    return close(fd) != 0 && errno != EINTR ? errno : 0;
}

/* The folder part of `path` ("." where there is none), newly allocated, or NULL. */
static char *parent_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return mb_strdup(".");
    }
    const size_t n_bytes = slash == path ? 1 : (size_t)(slash - path);
    char *folder = mb_malloc(n_bytes + 1);
    if (folder != NULL) {
        memcpy(folder, path, n_bytes);
        folder[n_bytes] = '\0';
    }
    return folder;
}

/* Create a file in `folder` that did not exist; `*temp_path` is set only with a descriptor. */
static int open_temporary(const char *folder, char **temp_path)
{
    for (unsigned i = 0; i < MAX_TEMP_ATTEMPTS; i++) {
        char name[64];
        snprintf(name, sizeof name, ".mipbench-%ld-%u.tmp", (long)getpid(), i);
        char *candidate = mb_path_join(folder, name);
        if (candidate == NULL) {
            errno = ENOMEM;
            return -1;
        }
        const int fd = open(candidate, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            *temp_path = candidate;
            return fd;
        }
        mb_free(candidate);
        if (errno != EEXIST) {
            return -1;
        }
    }
    return -1;
}

/* Make a rename durable. Some file systems have no fsync for folders and say EINVAL. */
static int sync_folder(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return errno == EACCES ? 0 : errno; /* a folder may be writable, yet not readable */
    }
    const int sync_errno = fsync(fd) != 0 && errno != EINVAL ? errno : 0;
    const int close_errno = close_checked(fd);
    return sync_errno != 0 ? sync_errno : close_errno;
}

/* Fill, sync and close the temporary file, and give it its name. Returns 0 or the errno. */
static int commit_temporary(int fd, const char *temp_path, const char *path, const void *data,
                            size_t n_bytes)
{
    int error = write_all(fd, data, n_bytes);
    if (error == 0 && fsync(fd) != 0) {
        error = errno;
    }
    const int close_errno = close_checked(fd);
    if (error == 0) {
        error = close_errno;
    }
    if (error == 0 && rename(temp_path, path) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlink(temp_path);
    }
    return error;
}

/* Returns 0 or the errno. */
static int replace_file(const char *path, const void *data, size_t n_bytes)
{
    char *folder = parent_folder(path);
    if (folder == NULL) {
        return ENOMEM;
    }
    char *temp_path = NULL;
    const int fd = open_temporary(folder, &temp_path);
    int error = fd < 0 ? errno : commit_temporary(fd, temp_path, path, data, n_bytes);
    if (error == 0) {
        error = sync_folder(folder);
    }
    mb_free(temp_path);
    mb_free(folder);
    return error;
}

/* A device or pipe has no old content to keep, and renaming over /dev/null would destroy it.
 * O_NONBLOCK only while opening: a pipe without a reader is an error, not a wait. */
static int write_in_place(const char *path, const void *data, size_t n_bytes)
{
    const int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return errno;
    }
    const int write_errno = write_all(fd, data, n_bytes);
    const int close_errno = close_checked(fd);
    return write_errno != 0 ? write_errno : close_errno;
}

static enum mb_status fail_output(struct mb_err *err, const char *path, int error)
{
    const enum mb_errc code = error == ENOMEM ? MB_ERRC_RUNTIME : MB_ERRC_OUTPUT;
    return MB_FAIL(err, code, "%s: cannot be written: %s", path, strerror(error));
}

enum mb_status mb_file_write_atomic(const char *path, const void *data, size_t n_bytes,
                                    struct mb_err *err)
{
    if (strcmp(path, "-") == 0 || path[0] == '\0') {
        return MB_FAIL(err, MB_ERRC_OUTPUT, "'%s': is not a file name", path);
    }
    struct stat info;
    char resolved[PATH_MAX];
    const char *target = path;
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode)) {
            return MB_FAIL(err, MB_ERRC_OUTPUT, "%s: is a folder; a file name is needed", path);
        }
        if (!S_ISREG(info.st_mode)) {
            const int error = write_in_place(path, data, n_bytes);
            return error == 0 ? MB_OK : fail_output(err, path, error);
        }
        /* Replace what a symbolic link points to, not the link. */
        if (realpath(path, resolved) != NULL) {
            target = resolved;
        }
    }
    const int error = replace_file(target, data, n_bytes);
    return error == 0 ? MB_OK : fail_output(err, path, error);
}

enum mb_status mb_file_check_writable(const char *path, struct mb_err *err)
{
    struct stat info;
    char resolved[PATH_MAX];
    char *temp_path = NULL;
    const bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) {
        return MB_FAIL(err, MB_ERRC_OUTPUT, "%s: is a folder; a file name is needed", path);
    }
    if (exists && !S_ISREG(info.st_mode)) {
        return MB_OK;
    }
    char *folder = parent_folder(exists && realpath(path, resolved) != NULL ? resolved : path);
    const int fd = folder != NULL ? open_temporary(folder, &temp_path) : -1;
    int error = fd >= 0 ? 0 : folder != NULL ? errno : ENOMEM;
    if (fd >= 0) {
        error = close_checked(fd);
        unlink(temp_path);
    }
    mb_free(temp_path);
    mb_free(folder);
    return error == 0 ? MB_OK : fail_output(err, path, error);
}

enum mb_status mb_stdout_write(const char *text, size_t n_bytes, struct mb_err *err)
{
    int error = fflush(stdout) != 0 ? errno : 0;
    if (error == 0) {
        error = write_all(STDOUT_FILENO, text, n_bytes);
    }
    if (error != 0 && error != EPIPE) {
        return MB_FAIL(err, MB_ERRC_OUTPUT, "standard output: cannot be written: %s",
                       strerror(error));
    }
    return MB_OK;
}

/* One folder of the path; one that is there already is fine. Returns 0 or the errno. */
static int make_dir(const char *path)
{
    if (mkdir(path, 0777) == 0) {
        return 0;
    }
    const int error = errno;
    struct stat info;
    if (stat(path, &info) == 0) {
        return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
    }
    return error;
}

enum mb_status mb_make_dirs(const char *path, struct mb_err *err)
{
    char *partial = mb_strdup(path);
    if (partial == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory", path);
    }
    int error = path[0] == '\0' ? ENOENT : 0;
    for (char *s = partial; *s != '\0' && error == 0; s++) {
        if (*s == '/' && s != partial) {
            *s = '\0';
            error = make_dir(partial);
            *s = '/';
        }
    }
    if (error == 0) {
        error = make_dir(partial);
    }
    mb_free(partial);
    if (error != 0) {
        return MB_FAIL(err, MB_ERRC_OUTPUT, "%s: the folder cannot be made: %s", path,
                       strerror(error));
    }
    return MB_OK;
}

enum mb_status mb_make_new_dir(const char *parent, const char *name, char **path,
                               struct mb_err *err)
{
    char numbered[256];
    const enum mb_status status = mb_make_dirs(parent, err);
    int error = 0;
    *path = NULL;
    for (unsigned n = 1; status == MB_OK && n < 1000; n++) {
        snprintf(numbered, sizeof numbered, n == 1 ? "%s" : "%s-%u", name, n);
        *path = mb_path_join(parent, numbered);
        if (*path == NULL) {
            return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory", parent);
        }
        error = mkdir(*path, 0777) == 0 ? 0 : errno;
        if (error != EEXIST) {
            break;
        }
        mb_free(*path);
        *path = NULL;
    }
    if (status == MB_OK && error != 0) {
        mb_free(*path);
        *path = NULL;
        return MB_FAIL(err, MB_ERRC_OUTPUT, "%s/%s: the folder cannot be made: %s", parent,
                       name, strerror(error));
    }
    return status;
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
