/* The page is made by a script, because it is text put together; this runs it. */
#include "cli/page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"

#define SCRIPT        "report.py"
#define SYSTEM_PYTHON "/usr/bin/python3"

extern char **environ;

/* FOLDER/NAME in `out`, if it fits and such a file can be used. */
static bool is_there(const char *folder, size_t n_folder_bytes, const char *name,
                     int access_mode, char out[PATH_MAX])
{
    const int n = snprintf(out, PATH_MAX, "%.*s/%s", (int)n_folder_bytes, folder, name);
    return n > 0 && n < PATH_MAX && access(out, access_mode) == 0;
}

/* An empty entry of PATH is the working folder by old custom; it is passed over, so that
 * nothing is run that merely lies there. */
static bool find_python(char python[PATH_MAX])
{
    const char *entry = getenv("PATH");
    while (entry && *entry) {
        const size_t n_bytes = strcspn(entry, ":");
        if (n_bytes > 0 && n_bytes < PATH_MAX &&
            is_there(entry, n_bytes, "python3", X_OK, python)) {
            return true;
        }
        entry += n_bytes + (entry[n_bytes] == ':');
    }
    snprintf(python, PATH_MAX, "%s", SYSTEM_PYTHON);
    return access(python, X_OK) == 0;
}

/* The folder that the program is in, or false. */
static bool find_own_folder(char folder[PATH_MAX])
{
    const ssize_t n_bytes = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (n_bytes <= 0) {
        return false;
    }
    folder[n_bytes] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) {
        *slash = '\0';
    }
    return slash != NULL;
}

static bool find_script(char script[PATH_MAX])
{
    static const char *const beside[] = {"../share/mipbench/" SCRIPT, "../scripts/" SCRIPT};
    static const char *const configured[] = {MB_SOURCE_SCRIPTS, MB_DATA_DIR};
    char folder[PATH_MAX];
    const char *chosen = getenv("MIPBENCH_DATA");
    if (chosen && chosen[0] != '\0') {
        return is_there(chosen, strnlen(chosen, PATH_MAX), SCRIPT, R_OK, script);
    }
    const bool has_folder = find_own_folder(folder);
    for (size_t i = 0; has_folder && i < MB_COUNTOF(beside); i++) {
        if (is_there(folder, strlen(folder), beside[i], R_OK, script)) {
            return true;
        }
    }
    for (size_t i = 0; i < MB_COUNTOF(configured); i++) {
        if (is_there(configured[i], strlen(configured[i]), SCRIPT, R_OK, script)) {
            return true;
        }
    }
    return false;
}

enum mb_status mb_page_find(struct mb_page_tools *tools, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    if (!find_python(tools->python)) {
        status = MB_FAIL(err, MB_ERRC_OUTPUT,
                         "--report: python3 is neither on PATH nor " SYSTEM_PYTHON);
        mb_err_hint(err, "install python3, or leave --report out");
    } else if (!find_script(tools->script)) {
        status = MB_FAIL(err, MB_ERRC_OUTPUT, "--report: " SCRIPT " is not beside the program");
        mb_err_hint(err, "set MIPBENCH_DATA to the folder scripts/ of the sources");
    }
    return status;
}

/* Signals that this program ignores are the child's own again; what it prints is left out, for
 * the caller says where the page is. */
static int spawn(char *const *argv, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0) {
        return failed;
    }
    failed = posix_spawnattr_init(&attributes);
    if (failed != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return failed;
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    failed =
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (failed == 0) {
        failed = posix_spawn(pid, argv[0], &actions, &attributes, argv, environ);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static enum mb_status run(char *const *argv, struct mb_err *err)
{
    pid_t pid = 0;
    int result = 0;
    const int failed = spawn(argv, &pid);
    MB_FAIL_IF(failed != 0, err, MB_ERRC_OUTPUT, "--report: %s: %s", argv[0], strerror(failed));
    while (waitpid(pid, &result, 0) < 0) {
        MB_FAIL_IF(errno != EINTR, err, MB_ERRC_OUTPUT, "--report: %s: %s", argv[0],
                   strerror(errno));
    }
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0) {
        return MB_OK;
    }
    return WIFEXITED(result)
               ? MB_FAIL(err, MB_ERRC_OUTPUT, "--report: " SCRIPT " failed with exit code %d",
                         WEXITSTATUS(result))
               : MB_FAIL(err, MB_ERRC_OUTPUT, "--report: " SCRIPT " was ended by signal %d",
                         WTERMSIG(result));
}

enum mb_status mb_page_make(const struct mb_page_tools *tools, const char *dir,
                            struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) results = {0}, out = {0};
    mb_strbuf_printf(&results, "%s/results.json", dir);
    mb_strbuf_printf(&out, "--out=%s/report.html", dir);
    MB_DO(mb_strbuf_check(&results, err));
    MB_DO(mb_strbuf_check(&out, err));
    /* -B: a folder of scripts stays as it is. */
    const char *argv[] = {tools->python, "-B",
                          tools->script, mb_strbuf_text(&out),
                          "--",          mb_strbuf_text(&results),
                          NULL};
    return run((char *const *)argv, err);
}
