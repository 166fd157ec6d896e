/* Files. Reading trusts nothing about the path; writing leaves the old file or the new one, and
 * no temporary. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
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
    MB_FAIL_IF(fstat(fd, &info) != 0, err, MB_ERRC_INPUT, "%s: %s", path, strerror(errno));
    MB_FAIL_IF(!S_ISREG(info.st_mode), err, MB_ERRC_INPUT,
               "%s: is %s; a regular file is needed", path, file_type_name(info.st_mode));
    MB_FAIL_IF(info.st_size <= 0, err, MB_ERRC_INPUT, "%s: the file is empty", path);
    MB_FAIL_IF((uint64_t)info.st_size > max_bytes, err, MB_ERRC_INPUT,
               "%s: has %lld bytes; at most %zu are read", path, (long long)info.st_size,
               max_bytes);
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
        MB_FAIL_IF(n < 0, err, MB_ERRC_INPUT, "%s: %s", path, strerror(errno));
        MB_FAIL_IF(n == 0, err, MB_ERRC_INPUT, "%s: shrank while it was read", path);
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
    MB_FAIL_IF(fd < 0, err, MB_ERRC_INPUT, "%s: %s", path, strerror(errno));
    MB_TRY(check_readable(fd, path, max_bytes, &bytes.n_bytes, err));
    bytes.data = mb_malloc(bytes.n_bytes + 1);
    if (bytes.data == NULL) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory for %zu bytes", path,
                         bytes.n_bytes);
        goto fail;
    }
    MB_TRY(read_all(fd, path, &bytes, err));
    bytes.data[bytes.n_bytes] = '\0';
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

/* `close` reports late write errors; after EINTR, Linux has closed the descriptor anyway. */
static int close_checked(int fd)
{
    return close(fd) != 0 && errno != EINTR ? errno : 0;
}

bool mb_file_is_same(const char *a, const char *b)
{
    struct stat stat_a, stat_b;
    char path_a[PATH_MAX], path_b[PATH_MAX];
    const bool has_a = stat(a, &stat_a) == 0;
    const bool has_b = stat(b, &stat_b) == 0;
    if (has_a && has_b) {
        return S_ISREG(stat_a.st_mode) && stat_a.st_dev == stat_b.st_dev &&
               stat_a.st_ino == stat_b.st_ino;
    }
    /* Whatever is wrong with them: their folders may be made later. */
    mb_path_resolve(a, path_a);
    mb_path_resolve(b, path_b);
    return !has_a && !has_b && path_a[0] != '\0' && strcmp(path_a, path_b) == 0;
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

/* A file on its way to `target`: where a symbolic link may have led, not the link. */
struct draft {
    char target[PATH_MAX], folder[PATH_MAX], temp_path[PATH_MAX + 64];
    int fd;
};

/* Create a file in the target's folder that did not exist. Returns 0 or the errno. */
static int open_draft(const char *path, struct draft *draft)
{
    const int error = mb_path_resolve(path, draft->target);
    if (error != 0) {
        return error;
    }
    mb_path_parent(draft->target, draft->folder);
    for (unsigned i = 0; i < MAX_TEMP_ATTEMPTS; i++) {
        snprintf(draft->temp_path, sizeof draft->temp_path, "%s/.mipbench-%ld-%u.tmp",
                 draft->folder, (long)getpid(), i);
        draft->fd = open(draft->temp_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (draft->fd >= 0 || errno != EEXIST) {
            break;
        }
    }
    return draft->fd < 0 ? errno : 0;
}

/* Fill, sync and close the temporary file, and give it its name and the mode of what it
 * replaces. Returns 0 or the errno. */
static int commit_temporary(const struct draft *draft, const void *data, size_t n_bytes)
{
    struct stat old;
    int error = 0;
    if (stat(draft->target, &old) == 0 && fchmod(draft->fd, old.st_mode & 0777) != 0) {
        error = errno;
    }
    if (error == 0) {
        error = write_all(draft->fd, data, n_bytes);
    }
    if (error == 0 && fsync(draft->fd) != 0) {
        error = errno;
    }
    const int close_errno = close_checked(draft->fd);
    if (error == 0) {
        error = close_errno;
    }
    if (error == 0 && rename(draft->temp_path, draft->target) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlink(draft->temp_path);
    }
    return error;
}

/* Returns 0 or the errno. */
static int replace_file(const char *path, const void *data, size_t n_bytes)
{
    struct draft draft;
    int error = open_draft(path, &draft);
    if (error == 0) {
        error = commit_temporary(&draft, data, n_bytes);
    }
    if (error == 0) {
        error = sync_folder(draft.folder);
    }
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
    return MB_FAIL(err, MB_ERRC_OUTPUT, "%s: cannot be written: %s", path, strerror(error));
}

enum mb_status mb_file_write_atomic(const char *path, const void *data, size_t n_bytes,
                                    struct mb_err *err)
{
    MB_FAIL_IF(strcmp(path, "-") == 0 || path[0] == '\0', err, MB_ERRC_OUTPUT,
               "'%s': is not a file name", path);
    struct stat info;
    const bool exists = stat(path, &info) == 0;
    MB_FAIL_IF(exists && S_ISDIR(info.st_mode), err, MB_ERRC_OUTPUT,
               "%s: is a folder; a file name is needed", path);
    const int error = exists && !S_ISREG(info.st_mode) ? write_in_place(path, data, n_bytes)
                                                       : replace_file(path, data, n_bytes);
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
    struct stat info;
    struct draft draft;
    const bool exists = stat(path, &info) == 0;
    MB_FAIL_IF(exists && S_ISDIR(info.st_mode), err, MB_ERRC_OUTPUT,
               "%s: is a folder; a file name is needed", path);
    if (exists && !S_ISREG(info.st_mode)) {
        return MB_OK;
    }
    int error = open_draft(path, &draft);
    if (error == 0) {
        error = close_checked(draft.fd);
        unlink(draft.temp_path);
    }
    return error == 0 ? MB_OK : fail_output(err, path, error);
}

enum mb_status mb_stdout_write(const char *text, size_t n_bytes, struct mb_err *err)
{
    int error = fflush(stdout) != 0 ? errno : 0;
    if (error == 0) {
        error = write_all(STDOUT_FILENO, text, n_bytes);
    }
    MB_FAIL_IF(error != 0 && error != EPIPE, err, MB_ERRC_OUTPUT,
               "standard output: cannot be written: %s", strerror(error));
    return MB_OK;
}

enum mb_status mb_strbuf_print(const struct mb_strbuf *text, struct mb_err *err)
{
    MB_DO(mb_strbuf_check(text, err));
    return mb_stdout_write(mb_strbuf_text(text), text->n_bytes, err);
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
    return error == EEXIST ? errno : error; /* "File exists" would be no reason */
}

enum mb_status mb_make_dirs(const char *path, struct mb_err *err)
{
    char partial[PATH_MAX];
    const size_t n_bytes = strlen(path);
    int error = n_bytes == 0 ? ENOENT : n_bytes >= PATH_MAX ? ENAMETOOLONG : 0;
    for (size_t i = 0; error == 0 && i <= n_bytes; i++) {
        partial[i] = '\0';
        if (i > 0 && (path[i] == '/' || path[i] == '\0')) {
            error = make_dir(partial);
        }
        partial[i] = path[i];
    }
    MB_FAIL_IF(error != 0, err, MB_ERRC_OUTPUT, "%s: the folder cannot be made: %s", path,
               strerror(error));
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
        error = mkdir(*path, 0777) == 0 ? 0 : errno;
    }
    if (status == MB_OK && error != 0) {
        status = MB_FAIL(err, MB_ERRC_OUTPUT, "%s/%s: the folder cannot be made: %s", parent,
                         name, strerror(error));
        mb_free(*path);
        *path = NULL;
    }
    return status;
}
