/* Linux, and what it has in common with other POSIX systems but not with Windows. */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
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
#include <unistd.h>

#include "base/text.h"

#define MAX_LINKS     40 /* as many as Linux follows */
#define USUAL_COLUMNS 80 /* of a terminal that does not know its width */

extern char **environ;

/* ---- The process */

/* Give the number of each closed standard stream to a file for the other direction, so that
 * using the stream fails. Otherwise the next file to be opened gets the number, and then the
 * stream's output: this happened to lavapipe's memory (Mesa 25.0). */
void mb_os_begin(int argc, char **argv)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) {
            _exit(127);
        }
    }
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

static void (*crash_handler)(void);

static void on_crash(int number)
{
    crash_handler();
    raise(number);
}

void mb_os_catch_crashes(void (*handler)(void))
{
    static char stack[1u << 16]; /* the usual stack may be full */
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction once = {.sa_handler = on_crash,
                                   .sa_flags = (int)SA_RESETHAND | SA_ONSTACK};
    crash_handler = handler;
    sigaltstack(&other, NULL);
    sigaction(SIGSEGV, &once, NULL);
    sigaction(SIGABRT, &once, NULL);
    sigaction(SIGBUS, &once, NULL);
    sigaction(SIGILL, &once, NULL);
    sigaction(SIGFPE, &once, NULL);
}

void mb_os_program(char out[MB_PATH_BYTES])
{
    const ssize_t n_bytes = readlink("/proc/self/exe", out, MB_PATH_BYTES - 1);
    out[n_bytes > 0 ? n_bytes : 0] = '\0';
}

void mb_os_working_folder(char *out, size_t out_bytes)
{
    if (!getcwd(out, out_bytes)) {
        out[0] = '\0';
    }
}

/* The program inherits ignored signals, which is harmless: Python sets its own handlers. */
int mb_os_run(const char *const *argv, int *code)
{
    pid_t pid = 0;
    int result = 0;
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (error == 0) {
        error = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    while (error == 0 && waitpid(pid, &result, 0) < 0) {
        error = errno == EINTR ? 0 : errno;
    }
    *code = WIFEXITED(result) ? WEXITSTATUS(result) : -WTERMSIG(result);
    return error;
}

/* ---- The host */

uint32_t mb_os_processors(void)
{
    cpu_set_t set;
    const bool is_known = sched_getaffinity(0, sizeof set, &set) == 0;
    return is_known ? (uint32_t)CPU_COUNT(&set) : 1;
}

/* Read a value by sscanf from the first line of a file that has this format. */
static void read_value(const char *path, const char *format, char out[128])
{
    char line[256], value[128] = "unknown";
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, format, value) != 1) {
    }
    if (file) {
        fclose(file);
    }
    mb_utf8_sanitize(value, out, 128);
}

void mb_os_describe_host(struct mb_host_info *host)
{
    struct utsname name;
    uname(&name);
    snprintf(host->kernel, sizeof host->kernel, "%.60s %.60s", name.sysname, name.release);
    read_value("/etc/os-release", "PRETTY_NAME%*[=\"]%127[^\"\n]", host->os);
    read_value("/proc/cpuinfo", "model name%*[ \t:]%127[^\n]", host->cpu);
    host->n_cores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
}

void mb_sha256_hex(const void *data, size_t n_bytes, char hex[65])
{
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, data, n_bytes);
    SHA256End(&context, hex);
}

/* ---- Terminals */

size_t mb_os_columns(enum mb_stream stream)
{
    struct winsize size;
    const bool is_terminal = ioctl((int)stream, TIOCGWINSZ, &size) == 0;
    return !is_terminal ? 0 : size.ws_col > 0 ? size.ws_col : USUAL_COLUMNS;
}

/* ---- Files */

/* Convert what stat() found; `result` is its return value. */
static int facts_of(int result, const struct stat *info, struct mb_file_facts *facts)
{
    if (result != 0) {
        return errno;
    }
    *facts = (struct mb_file_facts){
        .kind = S_ISREG(info->st_mode)   ? MB_KIND_FILE
                : S_ISDIR(info->st_mode) ? MB_KIND_FOLDER
                                         : MB_KIND_OTHER,
        .n_bytes = info->st_size > 0 ? (uint64_t)info->st_size : 0,
        .volume = info->st_dev,
        .index = info->st_ino,
    };
    return 0;
}

int mb_os_look(const char *path, struct mb_file_facts *facts)
{
    struct stat info;
    return facts_of(stat(path, &info), &info, facts);
}

int mb_os_look_at(int fd, struct mb_file_facts *facts)
{
    struct stat info;
    return facts_of(fstat(fd, &info), &info, facts);
}

int mb_os_write_error(int fd)
{
    if (errno == EAGAIN) {
        poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        return 0;
    }
    return errno == EINTR ? 0 : errno;
}

int mb_os_take_mode(int fd, const char *path)
{
    struct stat old;
    const bool is_file = stat(path, &old) == 0 && S_ISREG(old.st_mode);
    return is_file && fchmod(fd, old.st_mode & 0777) != 0 ? errno : 0;
}

/* Open a folder; if it may be written but not read, `*fd` is -1. */
static int open_folder(const char *folder, int *fd)
{
    *fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *fd < 0 && errno != EACCES ? errno : 0;
}

/* Syncing the folder makes the rename durable. Some file systems cannot sync folders and return
 * EINVAL. */
int mb_os_rename(const char *from, const char *to)
{
    int fd = -1;
    char folder[MB_PATH_BYTES];
    mb_path_parent(to, folder);
    int error = rename(from, to) != 0 ? errno : open_folder(folder, &fd);
    if (error == 0 && fd >= 0) {
        error = fsync(fd) != 0 && errno != EINVAL ? errno : 0;
        close(fd);
    }
    return error;
}

/* The lock lasts as long as the descriptor, which stays open. Some file systems have no locks,
 * or lock only files that are open for writing, which a folder cannot be. */
int mb_os_keep_folder(const char *path)
{
    int fd;
    const int error = open_folder(path, &fd);
    return error == 0 && fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
               ? EBUSY
               : error;
}

/* ---- Where paths lead */

/* Whether another user made this link in a shared folder (sticky and world-writable). Linux's
 * protected_symlinks refuses to follow the same links. Root and the folder's owner are trusted:
 * they could replace the target anyway. */
static bool is_foreign(const char *folder, const char *link)
{
    const mode_t shared = S_ISVTX | S_IWOTH;
    struct stat info, of_folder;
    return lstat(link, &info) == 0 && S_ISLNK(info.st_mode) && info.st_uid != geteuid() &&
           info.st_uid != 0 && stat(folder, &of_folder) == 0 &&
           (of_folder.st_mode & shared) == shared && of_folder.st_uid != info.st_uid;
}

static int follow(char at[MB_PATH_BYTES], const char *path, unsigned *n_links);

/* Append a name to the path `at`, or follow it if it is a symbolic link. */
static int enter(char at[MB_PATH_BYTES], const char *name, int n_name, unsigned *n_links)
{
    char next[MB_PATH_BYTES], link[MB_PATH_BYTES];
    const char *joint = strcmp(at, "/") == 0 ? "" : "/";
    if (snprintf(next, sizeof next, "%s%s%.*s", at, joint, n_name, name) >= MB_PATH_BYTES) {
        return ENAMETOOLONG;
    }
    const ssize_t n_link = readlink(next, link, sizeof link);
    if (n_link <= 0) {
        strcpy(at, next);
        return 0;
    }
    if (n_link == sizeof link || ++*n_links > MAX_LINKS) {
        return n_link == sizeof link ? ENAMETOOLONG : ELOOP;
    }
    if (is_foreign(at, next)) {
        return MB_FOREIGN_LINK;
    }
    link[n_link] = '\0';
    return follow(at, link, n_links);
}

/* Append `path` to `at`, an absolute path without links, "." or "..", following links. */
static int follow(char at[MB_PATH_BYTES], const char *path, unsigned *n_links)
{
    int error = 0;
    if (path[0] == '/') {
        strcpy(at, "/");
    }
    for (const char *name = path; name && error == 0;) {
        const int n_name = (int)strcspn(name, "/");
        if (n_name == 2 && strncmp(name, "..", 2) == 0) {
            char *slash = strrchr(at, '/');
            slash[slash == at] = '\0'; /* above the root is the root */
        } else if (n_name > 1 || (n_name == 1 && name[0] != '.')) {
            error = enter(at, name, n_name, n_links);
        }
        name = name[n_name] == '/' ? name + n_name + 1 : NULL;
    }
    return error;
}

int mb_os_resolve(const char *path, char out[MB_PATH_BYTES])
{
    unsigned n_links = 0;
    int error = path[0] == '\0' ? ENOENT : 0;
    if (error == 0 && path[0] != '/' && !getcwd(out, MB_PATH_BYTES)) {
        error = errno;
    }
    error = error != 0 ? error : follow(out, path, &n_links);
    if (error != 0) {
        out[0] = '\0';
    }
    return error;
}
