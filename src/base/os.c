/* Functions that differ between systems only in names: C11 and the POSIX of mingw-w64. */
#include "base/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

#ifdef _WIN32
#include <windows.h>

#undef X_OK
#define X_OK                         F_OK /* Windows rejects other modes */
#define O_CLOEXEC                    O_NOINHERIT
#define O_NOCTTY                     0
#define O_NONBLOCK                   0 /* opening never waits on Windows */
#define fsync                        _commit
#define mkdir(path, mode)            mkdir(path)
#define setenv(name, value, replace) _putenv_s(name, value)
#define is_same_name(a, b)           (lstrcmpiA(a, b) == 0)
#define PATH_SEPARATOR               ";"
/* py.exe, the launcher, comes first, as python3.exe may just open the Microsoft Store. */
#define PYTHON_NAMES "py.exe", "python3.exe", "python.exe"
#else
#define O_BINARY           0
#define is_same_name(a, b) (strcmp(a, b) == 0)
#define PATH_SEPARATOR     ":"
#define PYTHON_NAMES       "python3"
#endif

uint64_t mb_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void mb_os_set(const char *name, const char *value)
{
    setenv(name, value, 1);
}

static bool find_program(const char *name, char out[MB_PATH_BYTES])
{
    const char *entry = getenv("PATH");
    while (entry && *entry) {
        const int n_bytes = (int)strcspn(entry, PATH_SEPARATOR);
        const int n = snprintf(out, MB_PATH_BYTES, "%.*s/%s", n_bytes, entry, name);
        if (n_bytes > 0 && n < MB_PATH_BYTES && access(out, X_OK) == 0) {
            return true;
        }
        entry += n_bytes + (entry[n_bytes] != '\0');
    }
    return false;
}

bool mb_os_find_python(char out[MB_PATH_BYTES])
{
    static const char *const names[] = {PYTHON_NAMES};
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        if (find_program(names[i], out)) {
            return true;
        }
    }
    return false;
}

enum mb_kind mb_os_kind(const char *path)
{
    struct mb_file_facts facts;
    errno = mb_os_look(path, &facts);
    return errno == 0 ? facts.kind : MB_KIND_NONE;
}

bool mb_os_is_same_file(const char *a, const char *b)
{
    struct mb_file_facts facts_a, facts_b;
    char path_a[MB_PATH_BYTES], path_b[MB_PATH_BYTES];
    const bool has_a = mb_os_look(a, &facts_a) == 0;
    const bool has_b = mb_os_look(b, &facts_b) == 0;
    if (has_a && has_b) {
        return facts_a.kind == MB_KIND_FILE && facts_a.volume == facts_b.volume &&
               facts_a.index == facts_b.index;
    }
    /* Failures are ignored, as the folders may be made later. */
    mb_os_resolve(a, path_a);
    mb_os_resolve(b, path_b);
    return !has_a && !has_b && path_a[0] != '\0' && is_same_name(path_a, path_b);
}

/* Without O_NONBLOCK, opening a pipe whose other end is not open would wait for ever. */
int mb_os_open(const char *path, enum mb_open how, int *fd)
{
    static const int flags[] = {
        [MB_OPEN_TO_READ] = O_RDONLY | O_NONBLOCK,
        [MB_OPEN_IN_PLACE] = O_WRONLY | O_NONBLOCK,
        [MB_OPEN_NEW] = O_WRONLY | O_CREAT | O_EXCL,
    };
    *fd = open(path, flags[how] | O_CLOEXEC | O_NOCTTY | O_BINARY, 0666);
    return *fd < 0 ? errno : 0;
}

static unsigned at_once(size_t n_bytes)
{
    return (unsigned)(n_bytes < 1u << 30 ? n_bytes : 1u << 30); /* any system accepts this */
}

int mb_os_read(int fd, void *data, size_t n_bytes, size_t *n_read)
{
    ssize_t n = 1;
    for (*n_read = 0; *n_read < n_bytes && n != 0; *n_read += n > 0 ? (size_t)n : 0) {
        n = read(fd, (uint8_t *)data + *n_read, at_once(n_bytes - *n_read));
        if (n < 0 && errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int mb_os_write(int fd, const void *data, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes;) {
        const ssize_t n = write(fd, (const uint8_t *)data + i, at_once(n_bytes - i));
        const int error = n > 0 ? 0 : n == 0 ? EIO : mb_os_write_error(fd);
        if (error != 0) {
            return error;
        }
        i += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int mb_os_sync(int fd)
{
    return fsync(fd) != 0 ? errno : 0;
}

/* `close` reports late write errors; after EINTR, Linux has closed the descriptor anyway. */
int mb_os_close(int fd)
{
    return close(fd) != 0 && errno != EINTR ? errno : 0;
}

int mb_os_make_folder(const char *path)
{
    return mkdir(path, 0777) != 0 ? errno : 0;
}

enum mb_status mb_os_list(const char *folder, enum mb_errc code, struct mb_strlist *names,
                          struct mb_err *err)
{
    enum mb_status status = MB_OK;
    DIR *entries = opendir(folder);
    while (entries && status == MB_OK) {
        errno = 0; /* a failing readdir sets it, the end of the folder does not */
        const struct dirent *entry = readdir(entries);
        if (!entry) {
            break;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            status = mb_strlist_add(names, err, "%s", entry->d_name);
        }
    }
    const int error = errno;
    if (entries) {
        closedir(entries);
    }
    MB_FAIL_IF(status == MB_OK && error != 0, err, code, "%s: the folder cannot be read: %s",
               folder, strerror(error));
    return status;
}

const char *mb_os_error_text(int error)
{
    return error == MB_FOREIGN_LINK ? "a symbolic link of another user is in the way"
           : error == MB_IN_USE     ? "another program has it open"
           : error == EISDIR        ? "is a folder"
                                    : strerror(error);
}

/* True for a path that begins with a slash or a drive letter. */
bool mb_path_is_absolute(const char *path)
{
    return path[0] == '/' || (path[0] != '\0' && path[1] == ':');
}

void mb_path_parent(const char *path, char out[MB_PATH_BYTES])
{
    const char *slash = strrchr(path, '/');
    const int n_bytes = slash == NULL ? 0 : slash == path ? 1 : (int)(slash - path);
    snprintf(out, MB_PATH_BYTES, "%.*s", n_bytes > 0 ? n_bytes : 1, n_bytes > 0 ? path : ".");
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
