/* Calls of the program that touch a file, its folder or another process, and fail: --wrap leads
 * here, by the names that glibc gives calls with 64-bit offsets. A call that closes has closed
 * all the same, as on Linux. What the test itself does is not meant: it does it while no fault
 * is armed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault.h"

#define N_KEPT_FDS 1024

/* Descriptors that are written to: only their closing can lose anything. */
static bool is_written[N_KEPT_FDS];

/* A due fault sets errno. True: the call must not be made. */
static bool is_due(const struct mb_fault_function *function)
{
    const struct mb_fault_result *result = mb_fault_due(MB_FAULT_FILE, function);
    if (result != NULL) {
        errno = result->code;
    }
    return result != NULL;
}

/* clang-format off */
#define IO_ERROR  {.code = EIO, .text = "Input/output error"}
#define DISK_FULL {.code = ENOSPC, .text = "No space left on device"}
#define NO_ACCESS {.code = EACCES, .text = "Permission denied"}
#define NO_FILES  {.code = EMFILE, .text = "Too many open files"}
#define INTERRUPT {.code = EINTR, .is_no_excuse = true}
/* clang-format on */

int __real_access(const char *path, int mode);

/* Where there is no folder, nothing has to be made to fail. */
static bool is_in_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    return folder[0] == '\0' || __real_access(folder, F_OK) == 0;
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
    static const struct mb_fault_function to_read = {
        .name = "open", .results = {IO_ERROR, NO_FILES}, .exit_code = 3};
    static const struct mb_fault_function to_write = {
        .name = "open (to write)", .results = {NO_ACCESS, DISK_FULL, NO_FILES}};
    const bool writes = (flags & (O_WRONLY | O_RDWR)) != 0;
    va_list args;
    va_start(args, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (is_in_folder(path) && is_due(writes ? &to_write : &to_read)) {
        return -1;
    }
    const int fd = __real_open64(path, flags, mode);
    if (fd >= 0 && fd < N_KEPT_FDS) {
        is_written[fd] = writes;
    }
    return fd;
}

ssize_t __real_read(int fd, void *data, size_t n_bytes);
ssize_t __wrap_read(int fd, void *data, size_t n_bytes);
ssize_t __wrap_read(int fd, void *data, size_t n_bytes)
{
    static const struct mb_fault_function function = {
        .name = "read",
        .results = {IO_ERROR,
                    INTERRUPT,
                    {.code = MB_FAULT_SHORT, .is_no_excuse = true},
                    {.code = MB_FAULT_END, .text = "shrank while it was read"}},
        .exit_code = 3};
    if (!is_due(&function)) {
        return __real_read(fd, data, n_bytes);
    }
    if (errno == MB_FAULT_SHORT) {
        return __real_read(fd, data, (n_bytes + 1) / 2);
    }
    return errno == MB_FAULT_END ? 0 : -1;
}

ssize_t __real_write(int fd, const void *data, size_t n_bytes);

/* The limit is this call's alone: a driver's files in memory are larger. */
static ssize_t write_limited(int fd, const void *data, size_t n_bytes)
{
    const size_t max_file_bytes = mb_fault_max_file_bytes();
    struct rlimit usual;
    if (max_file_bytes == 0 || getrlimit(RLIMIT_FSIZE, &usual) != 0) {
        return __real_write(fd, data, n_bytes);
    }
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){max_file_bytes, usual.rlim_max});
    const ssize_t n_written = __real_write(fd, data, n_bytes);
    const int error = errno;
    setrlimit(RLIMIT_FSIZE, &usual);
    errno = error;
    return n_written;
}

ssize_t __wrap_write(int fd, const void *data, size_t n_bytes);
ssize_t __wrap_write(int fd, const void *data, size_t n_bytes)
{
    static const struct mb_fault_function function = {
        .name = "write",
        .results = {DISK_FULL,
                    IO_ERROR,
                    INTERRUPT,
                    {.code = EAGAIN, .is_no_excuse = true},
                    {.code = MB_FAULT_SHORT, .is_no_excuse = true},
                    {.code = MB_FAULT_END, .text = "Input/output error"}}};
    if (!is_due(&function)) {
        return write_limited(fd, data, n_bytes);
    }
    if (errno == MB_FAULT_SHORT) {
        return __real_write(fd, data, (n_bytes + 1) / 2);
    }
    return errno == MB_FAULT_END ? 0 : -1;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    static const struct mb_fault_function function = {.name = "close (of what was written)",
                                                      .results = {IO_ERROR, INTERRUPT}};
    const bool fails = fd >= 0 && fd < N_KEPT_FDS && is_written[fd] && is_due(&function);
    const int error = errno;
    const int result = __real_close(fd);
    errno = fails ? error : errno;
    return fails ? -1 : result;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    static const struct mb_fault_function function = {.name = "fsync",
                                                      .results = {IO_ERROR, DISK_FULL}};
    return is_due(&function) ? -1 : __real_fsync(fd);
}

int __real_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode)
{
    static const struct mb_fault_function function = {
        .name = "fchmod", .results = {NO_ACCESS, IO_ERROR}, .may_be_ignored = true};
    return is_due(&function) ? -1 : __real_fchmod(fd, mode);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    static const struct mb_fault_function function = {.name = "rename",
                                                      .results = {NO_ACCESS, IO_ERROR}};
    return is_due(&function) ? -1 : __real_rename(from, to);
}

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path)
{
    static const struct mb_fault_function function = {
        .name = "unlink", .results = {NO_ACCESS}, .may_be_ignored = true};
    if (is_due(&function)) {
        mb_fault_get_log()->unlink_failed = true;
        return -1;
    }
    return __real_unlink(path);
}

int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode)
{
    static const struct mb_fault_function function = {.name = "mkdir",
                                                      .results = {DISK_FULL, NO_ACCESS}};
    static const struct mb_fault_function of_old = {.name = "mkdir (of one that is there)",
                                                    .results = {DISK_FULL, NO_ACCESS},
                                                    .may_be_ignored = true};
    const bool is_old = __real_access(path, F_OK) == 0;
    return is_due(is_old ? &of_old : &function) ? -1 : __real_mkdir(path, mode);
}

int __real_fstat64(int fd, struct stat *info);
int __wrap_fstat64(int fd, struct stat *info);
int __wrap_fstat64(int fd, struct stat *info)
{
    static const struct mb_fault_function function = {
        .name = "fstat", .results = {IO_ERROR}, .exit_code = 3};
    return is_due(&function) ? -1 : __real_fstat64(fd, info);
}

/* From here on: questions whose answer a run can do without. */

int __real_stat64(const char *path, struct stat *info);
int __wrap_stat64(const char *path, struct stat *info);
int __wrap_stat64(const char *path, struct stat *info)
{
    static const struct mb_fault_function function = {
        .name = "stat", .results = {NO_ACCESS}, .may_be_ignored = true};
    return is_due(&function) ? -1 : __real_stat64(path, info);
}

int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
    static const struct mb_fault_function function = {
        .name = "access", .results = {{.code = EACCES}}, .may_be_ignored = true};
    return is_due(&function) ? -1 : __real_access(path, mode);
}

ssize_t __real_readlink(const char *path, char *text, size_t n_bytes);
ssize_t __wrap_readlink(const char *path, char *text, size_t n_bytes);
ssize_t __wrap_readlink(const char *path, char *text, size_t n_bytes)
{
    static const struct mb_fault_function function = {
        .name = "readlink", .results = {NO_ACCESS}, .may_be_ignored = true};
    return is_due(&function) ? -1 : __real_readlink(path, text, n_bytes);
}

char *__real_getcwd(char *text, size_t n_bytes);
char *__wrap_getcwd(char *text, size_t n_bytes);
char *__wrap_getcwd(char *text, size_t n_bytes)
{
    static const struct mb_fault_function function = {
        .name = "getcwd", .results = {NO_ACCESS}, .may_be_ignored = true};
    return is_due(&function) ? NULL : __real_getcwd(text, n_bytes);
}

FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode)
{
    static const struct mb_fault_function function = {
        .name = "fopen", .results = {NO_ACCESS}, .may_be_ignored = true};
    return is_due(&function) ? NULL : __real_fopen64(path, mode);
}

/* Folders and processes. */

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
    static const struct mb_fault_function function = {.name = "opendir",
                                                      .results = {NO_ACCESS, NO_FILES}};
    return is_due(&function) ? NULL : __real_opendir(path);
}

struct dirent *__real_readdir64(DIR *stream);
struct dirent *__wrap_readdir64(DIR *stream);
struct dirent *__wrap_readdir64(DIR *stream)
{
    static const struct mb_fault_function function = {.name = "readdir", .results = {IO_ERROR}};
    return is_due(&function) ? NULL : __real_readdir64(stream);
}

int __real_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[],
                       char *const env[]);
int __wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[],
                       char *const env[]);
int __wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[],
                       char *const env[])
{
    static const struct mb_fault_function function = {
        .name = "posix_spawn",
        .results = {NO_ACCESS, {.code = EAGAIN, .text = "Resource temporarily unavailable"}}};
    const struct mb_fault_result *result = mb_fault_due(MB_FAULT_FILE, &function);
    return result != NULL ? result->code
                          : __real_posix_spawn(pid, path, actions, attributes, argv, env);
}

pid_t __real_waitpid(pid_t pid, int *result, int options);
pid_t __wrap_waitpid(pid_t pid, int *result, int options);
pid_t __wrap_waitpid(pid_t pid, int *result, int options)
{
    static const struct mb_fault_function function = {
        .name = "waitpid",
        .results = {{.code = ECHILD, .text = "No child processes"}, INTERRUPT}};
    return is_due(&function) ? -1 : __real_waitpid(pid, result, options);
}
