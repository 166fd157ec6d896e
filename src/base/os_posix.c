/* Linux, and what it shares with other POSIX systems. */
#include "base/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <sched.h>
#include <sha256.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/path.h"
#include "base/text.h"

#define SYSTEM_PYTHON "/usr/bin/python3"
#define MAX_LINKS     40 /* as many as Linux follows */

extern char **environ;

/* ---- The process */

/* What is opened first gets the number of a stream that was closed, and then the stream's
 * output: lavapipe's memory did (Mesa 25.0). A file for the other direction keeps its place,
 * and fails. */
static void fill_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) {
            _exit(127);
        }
    }
}

void mb_os_begin(int *argc, char ***argv)
{
    fill_closed_streams();
    setlocale(LC_CTYPE, "");
}

void mb_os_catch_signals(void (*on_signal)(int number))
{
    struct sigaction once = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &once, NULL);
    sigaction(SIGTERM, &once, NULL);
    sigaction(SIGHUP, &once, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE};
static struct sigaction before[MB_COUNTOF(crashes)];
static void (*crash_handler)(void);

/* Whoever handled the signal before does it again, as a sanitizer: a fault comes again where
 * the handler returns to, a signal that was sent does not. */
static void on_crash(int number, siginfo_t *info, void *context)
{
    (void)context;
    crash_handler();
    for (size_t i = 0; i < MB_COUNTOF(crashes); i++) {
        if (crashes[i] == number) {
            sigaction(number, &before[i], NULL);
        }
    }
    if (info->si_code <= 0) {
        raise(number);
    }
}

void mb_os_catch_crashes(void (*handler)(void))
{
    static char stack[1u << 16]; /* another one, as the usual one may be full */
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_sigaction = on_crash,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK};
    crash_handler = handler;
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < MB_COUNTOF(crashes); i++) {
        sigaction(crashes[i], &action, &before[i]);
    }
}

long mb_os_process_id(void)
{
    return (long)getpid();
}

void mb_os_variable(const char *name, char out[MB_PATH_BYTES])
{
    const char *value = getenv(name);
    const bool fits = value && strlen(value) < MB_PATH_BYTES;
    strcpy(out, fits ? value : "");
}

void mb_os_set(const char *name, const char *value)
{
    setenv(name, value, 1);
}

void mb_os_set_default(const char *name, const char *value)
{
    setenv(name, value, 0);
}

void mb_os_program(char out[MB_PATH_BYTES])
{
    const ssize_t n_bytes = readlink("/proc/self/exe", out, MB_PATH_BYTES - 1);
    out[n_bytes > 0 ? n_bytes : 0] = '\0';
}

void mb_os_program_folder(char out[MB_PATH_BYTES])
{
    mb_os_program(out);
    char *slash = strrchr(out, '/');
    *(slash ? slash : out) = '\0';
}

void mb_os_working_folder(char out[MB_PATH_BYTES])
{
    if (!getcwd(out, MB_PATH_BYTES)) {
        out[0] = '\0';
    }
}

static bool find_program(const char *name, char out[MB_PATH_BYTES])
{
    const char *entry = getenv("PATH");
    while (entry && *entry) {
        const int n_bytes = (int)strcspn(entry, ":");
        const int n = snprintf(out, MB_PATH_BYTES, "%.*s/%s", n_bytes, entry, name);
        if (n_bytes > 0 && n < MB_PATH_BYTES && access(out, X_OK) == 0) {
            return true;
        }
        entry += n_bytes + (entry[n_bytes] == ':');
    }
    return false;
}

bool mb_os_find_python(char out[MB_PATH_BYTES])
{
    if (find_program("python3", out)) {
        return true;
    }
    strcpy(out, SYSTEM_PYTHON);
    return access(out, X_OK) == 0;
}

int mb_os_run(const char *const *argv, int *code)
{
    pid_t pid = 0;
    int result = 0;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0) {
        return failed;
    }
    /* Signals that this program ignores are the other one's own again. None of this fails on
     * Linux. */
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    failed =
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (failed == 0) {
        failed =
            posix_spawn(&pid, argv[0], &actions, &attributes, (char *const *)argv, environ);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    while (failed == 0 && waitpid(pid, &result, 0) < 0) {
        failed = errno == EINTR ? 0 : errno;
    }
    *code = WIFEXITED(result) ? WEXITSTATUS(result) : -WTERMSIG(result);
    return failed;
}

/* ---- The host */

uint64_t mb_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint32_t mb_os_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return 1;
    }
    const int count = CPU_COUNT(&set);
    return count < 1 ? 1 : (uint32_t)count;
}

/* The rest of the first line of `path` that begins with `key`, without quotes. */
static void read_value(const char *path, const char *key, char *out, size_t out_bytes)
{
    char line[256];
    snprintf(out, out_bytes, "unknown");
    FILE *file = fopen(path, "re");
    if (!file) {
        return;
    }
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) == 0) {
            char *value = line + strlen(key);
            value += strspn(value, " \t:=\"");
            value[strcspn(value, "\"\n")] = '\0';
            mb_utf8_sanitize(value, out, out_bytes);
            break;
        }
    }
    fclose(file);
}

void mb_os_describe_host(struct mb_host_info *host)
{
    struct utsname name;
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
    *host = (struct mb_host_info){.n_cores = n_cores > 0 ? (uint32_t)n_cores : 0};
    read_value("/etc/os-release", "PRETTY_NAME", host->os, sizeof host->os);
    read_value("/proc/cpuinfo", "model name", host->cpu, sizeof host->cpu);
    if (uname(&name) == 0) {
        snprintf(host->kernel, sizeof host->kernel, "%.60s %.60s", name.sysname, name.release);
    } else {
        snprintf(host->kernel, sizeof host->kernel, "unknown");
    }
}

void mb_sha256_hex(const void *data, size_t n_bytes, char hex[65])
{
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, data, n_bytes);
    SHA256End(&context, hex);
}

/* ---- Terminals */

bool mb_os_is_terminal(enum mb_stream stream)
{
    return isatty((int)stream) == 1;
}

size_t mb_os_columns(enum mb_stream stream)
{
    struct winsize size = {0};
    return ioctl((int)stream, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool mb_os_shows_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool mb_os_is_one_stream(void)
{
    struct stat out, err;
    return fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
           out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

/* ---- Files */

static enum mb_kind kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return MB_KIND_FILE;
    case S_IFDIR:
        return MB_KIND_FOLDER;
    case S_IFIFO:
        return MB_KIND_PIPE;
    case S_IFSOCK:
        return MB_KIND_SOCKET;
    case S_IFCHR:
    case S_IFBLK:
        return MB_KIND_DEVICE;
    default:
        return MB_KIND_OTHER;
    }
}

enum mb_kind mb_os_kind(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? kind_of(info.st_mode) : MB_KIND_NONE;
}

static int open_fd(const char *path, int flags, int *fd)
{
    *fd = open(path, flags | O_CLOEXEC | O_NOCTTY, 0666);
    return *fd < 0 ? errno : 0;
}

/* Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever. */
int mb_os_open(const char *path, int *fd)
{
    return open_fd(path, O_RDONLY | O_NONBLOCK, fd);
}

/* A pipe without a reader is an error. */
int mb_os_open_in_place(const char *path, int *fd)
{
    return open_fd(path, O_WRONLY | O_NONBLOCK, fd);
}

int mb_os_create(const char *path, int *fd)
{
    return open_fd(path, O_WRONLY | O_CREAT | O_EXCL, fd);
}

int mb_os_describe_file(int fd, enum mb_kind *kind, uint64_t *n_bytes)
{
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return errno;
    }
    *kind = kind_of(info.st_mode);
    *n_bytes = info.st_size > 0 ? (uint64_t)info.st_size : 0;
    return 0;
}

int mb_os_read(int fd, void *data, size_t n_bytes, size_t *n_read)
{
    *n_read = 0;
    while (*n_read < n_bytes) {
        const ssize_t n = read(fd, (uint8_t *)data + *n_read, n_bytes - *n_read);
        if (n == 0) {
            break;
        }
        if (n > 0) {
            *n_read += (size_t)n;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int mb_os_write(int fd, const void *data, size_t n_bytes)
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

int mb_os_take_mode(int fd, const char *path)
{
    struct stat old;
    return stat(path, &old) == 0 && fchmod(fd, old.st_mode & 0777) != 0 ? errno : 0;
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

/* Make a rename durable. Some file systems have no fsync for folders and say EINVAL. */
static int sync_folder(const char *folder)
{
    int fd;
    const int error = open_fd(folder, O_RDONLY | O_DIRECTORY, &fd);
    if (error != 0) {
        return error == EACCES ? 0 : error; /* a folder may be writable, yet not readable */
    }
    const int sync_errno = mb_os_sync(fd);
    const int close_errno = mb_os_close(fd);
    return sync_errno != 0 && sync_errno != EINVAL ? sync_errno : close_errno;
}

int mb_os_rename(const char *from, const char *to)
{
    char folder[MB_PATH_BYTES];
    mb_path_parent(to, folder);
    return rename(from, to) != 0 ? errno : sync_folder(folder);
}

void mb_os_remove(const char *path)
{
    unlink(path);
}

int mb_os_make_folder(const char *path)
{
    return mkdir(path, 0777) != 0 ? errno : 0;
}

/* The lock lasts as long as the descriptor. Some file systems lock nothing, or only what is
 * open for writing, as no folder is. */
int mb_os_keep_folder(const char *path)
{
    int fd;
    const int error = open_fd(path, O_RDONLY | O_DIRECTORY, &fd);
    if (error != 0) {
        return error == EACCES ? 0 : error; /* a folder may be writable, yet not readable */
    }
    return flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK ? EBUSY : 0;
}

enum mb_status mb_os_list(const char *folder, enum mb_errc code, struct mb_strlist *names,
                          struct mb_err *err)
{
    const struct dirent *entry;
    enum mb_status status = MB_OK;
    DIR *entries = opendir(folder);
    int error = entries ? 0 : errno;
    while (entries && status == MB_OK) {
        errno = 0; /* the end of a folder leaves it so, a failure does not */
        entry = readdir(entries);
        if (!entry) {
            error = errno;
            break;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            status = mb_strlist_add(names, err, "%s", entry->d_name);
        }
    }
    if (entries) {
        closedir(entries);
    }
    MB_FAIL_IF(error != 0, err, code, "%s: the folder cannot be read: %s", folder,
               strerror(error));
    return status;
}

bool mb_os_is_same_file(const char *a, const char *b)
{
    struct stat stat_a, stat_b;
    char path_a[MB_PATH_BYTES], path_b[MB_PATH_BYTES];
    const bool has_a = stat(a, &stat_a) == 0;
    const bool has_b = stat(b, &stat_b) == 0;
    if (has_a && has_b) {
        return S_ISREG(stat_a.st_mode) && stat_a.st_dev == stat_b.st_dev &&
               stat_a.st_ino == stat_b.st_ino;
    }
    /* Whatever is wrong with them: their folders may be made later. */
    mb_os_resolve(a, path_a);
    mb_os_resolve(b, path_b);
    return !has_a && !has_b && path_a[0] != '\0' && strcmp(path_a, path_b) == 0;
}

const char *mb_os_error_text(int error)
{
    return error == MB_FOREIGN_LINK ? "a symbolic link of another user is in the way"
                                    : strerror(error);
}

/* ---- Where paths lead */

/* A path that is walked: what is behind, without links, "." and "..", and what is ahead. */
struct walk {
    char done[MB_PATH_BYTES];
    char rest[MB_PATH_BYTES];
    bool is_output;      /* no links of other users */
    bool ends_in_folder; /* the last name can only be a folder's: ".", ".." or before a slash */
    int error;           /* why ".." could not be taken, or 0 */
};

/* Leave the folder, as ".." does; one that is missing is noted. */
static void leave(struct walk *walk)
{
    char *slash = strrchr(walk->done, '/');
    struct stat info;
    if (walk->error == 0 && walk->done[0] != '\0') {
        walk->error = stat(walk->done, &info) != 0 ? errno
                      : S_ISDIR(info.st_mode)      ? 0
                                                   : ENOTDIR;
    }
    *(slash != NULL ? slash : walk->done) = '\0';
}

/* Whether somebody else made this link in a shared folder (sticky and world-writable): what
 * Linux's protected_symlinks refuses. Root, and whose folder it is, could replace what it leads
 * to anyway. */
static bool is_foreign(const char *folder, const char *link)
{
    const mode_t shared = S_ISVTX | S_IWOTH;
    struct stat info, of_folder;
    return lstat(link, &info) == 0 && S_ISLNK(info.st_mode) && info.st_uid != geteuid() &&
           info.st_uid != 0 && stat(folder[0] != '\0' ? folder : "/", &of_folder) == 0 &&
           (of_folder.st_mode & shared) == shared && of_folder.st_uid != info.st_uid;
}

/* Take the next name of the path, and set `is_link` if a symbolic link took its place. Returns
 * 0 or the errno. */
static int step(struct walk *walk, bool *is_link)
{
    char next[MB_PATH_BYTES], link[MB_PATH_BYTES], rest[MB_PATH_BYTES];
    const int n_name = (int)strcspn(walk->rest, "/");
    const char *name = walk->rest;
    const bool has_slash = name[n_name] == '/';
    const bool is_parent = n_name == 2 && strncmp(name, "..", 2) == 0;
    const bool is_same = n_name == 0 || (n_name == 1 && name[0] == '.');
    *is_link = false;
    strcpy(rest, name + n_name + has_slash);
    walk->ends_in_folder = is_parent || is_same || (has_slash && rest[0] == '\0');
    if (is_parent) {
        leave(walk);
    } else if (!is_same) {
        if (snprintf(next, sizeof next, "%s/%.*s", walk->done, n_name, name) >= MB_PATH_BYTES) {
            return ENAMETOOLONG;
        }
        const ssize_t n_link = readlink(next, link, sizeof link);
        *is_link = n_link > 0;
        if (*is_link && walk->is_output && is_foreign(walk->done, next)) {
            return MB_FOREIGN_LINK;
        }
        if (*is_link) {
            if (link[0] == '/') {
                walk->done[0] = '\0';
            }
            const int n = snprintf(walk->rest, MB_PATH_BYTES, "%.*s%s%s", (int)n_link, link,
                                   has_slash ? "/" : "", rest);
            return n >= MB_PATH_BYTES ? ENAMETOOLONG : 0;
        }
        strcpy(walk->done, next);
    }
    strcpy(walk->rest, rest);
    return 0;
}

static int resolve(const char *path, bool is_output, char out[MB_PATH_BYTES])
{
    struct walk walk = {.is_output = is_output};
    unsigned n_links = 0;
    const size_t n_bytes = strlen(path);
    out[0] = '\0';
    if (n_bytes == 0 || n_bytes >= MB_PATH_BYTES) {
        return n_bytes == 0 ? ENOENT : ENAMETOOLONG;
    }
    if (path[0] != '/' && getcwd(walk.done, sizeof walk.done) == NULL) {
        return errno;
    }
    if (strcmp(walk.done, "/") == 0) {
        walk.done[0] = '\0';
    }
    strcpy(walk.rest, path);
    while (walk.rest[0] != '\0') {
        bool is_link;
        const int error = step(&walk, &is_link);
        n_links += is_link;
        if (error != 0 || n_links > MAX_LINKS) {
            return error != 0 ? error : ELOOP;
        }
    }
    if (walk.ends_in_folder) {
        return EISDIR;
    }
    strcpy(out, walk.done);
    return walk.error;
}

int mb_os_resolve(const char *path, char out[MB_PATH_BYTES])
{
    return resolve(path, false, out);
}

int mb_os_resolve_output(const char *path, char out[MB_PATH_BYTES])
{
    return resolve(path, true, out);
}

bool mb_os_is_absolute(const char *path)
{
    return path[0] == '/';
}
