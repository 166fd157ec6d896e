/* What puts text together is a script; this runs it. */
#include "cli/script.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"

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
static bool find_on_path(const char *name, char out[PATH_MAX])
{
    const char *entry = getenv("PATH");
    while (entry && *entry) {
        const size_t n_bytes = strcspn(entry, ":");
        if (n_bytes > 0 && n_bytes < PATH_MAX && is_there(entry, n_bytes, name, X_OK, out)) {
            return true;
        }
        entry += n_bytes + (entry[n_bytes] == ':');
    }
    return false;
}

static bool find_python(char python[PATH_MAX])
{
    if (find_on_path("python3", python)) {
        return true;
    }
    snprintf(python, PATH_MAX, "%s", SYSTEM_PYTHON);
    return access(python, X_OK) == 0;
}

bool mb_script_finds(const char *program)
{
    char path[PATH_MAX];
    return find_on_path(program, path);
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

/* FOLDER/BESIDE/NAME in `out`, as is_there(). */
static bool is_beside(const char *folder, const char *beside, const char *name,
                      char out[PATH_MAX])
{
    char path[PATH_MAX];
    const int n = snprintf(path, PATH_MAX, "%s/%s", folder, beside);
    return n > 0 && n < PATH_MAX && is_there(path, (size_t)n, name, R_OK, out);
}

static bool find_script(const char *name, char script[PATH_MAX])
{
    static const char *const beside[] = {"../share/mipbench", "../scripts"};
    static const char *const configured[] = {MB_SOURCE_SCRIPTS, MB_DATA_DIR};
    char folder[PATH_MAX];
    const char *chosen = getenv("MIPBENCH_DATA");
    if (chosen && chosen[0] != '\0') {
        return is_there(chosen, strnlen(chosen, PATH_MAX), name, R_OK, script);
    }
    const bool has_folder = find_own_folder(folder);
    for (size_t i = 0; has_folder && i < MB_COUNTOF(beside); i++) {
        if (is_beside(folder, beside[i], name, script)) {
            return true;
        }
    }
    for (size_t i = 0; i < MB_COUNTOF(configured); i++) {
        if (is_there(configured[i], strlen(configured[i]), name, R_OK, script)) {
            return true;
        }
    }
    return false;
}

enum mb_status mb_script_find(struct mb_script *script, const char *option, const char *name,
                              struct mb_err *err)
{
    enum mb_status status = MB_OK;
    script->option = option;
    script->name = name;
    if (!find_python(script->python)) {
        status = MB_FAIL(err, MB_ERRC_OUTPUT,
                         "%s: python3 is neither on PATH nor " SYSTEM_PYTHON, option);
        mb_err_hint(err, "install python3, or leave %s out", option);
    } else if (!find_script(name, script->path)) {
        status = MB_FAIL(err, MB_ERRC_OUTPUT, "%s: %s is not beside the program", option, name);
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

static enum mb_status run(const struct mb_script *script, char *const *argv, struct mb_err *err)
{
    pid_t pid = 0;
    int result = 0;
    const int failed = spawn(argv, &pid);
    MB_FAIL_IF(failed != 0, err, MB_ERRC_OUTPUT, "%s: %s: %s", script->option, argv[0],
               strerror(failed));
    while (waitpid(pid, &result, 0) < 0) {
        MB_FAIL_IF(errno != EINTR, err, MB_ERRC_OUTPUT, "%s: %s: %s", script->option, argv[0],
                   strerror(errno));
    }
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0) {
        return MB_OK;
    }
    return WIFEXITED(result) ? MB_FAIL(err, MB_ERRC_OUTPUT, "%s: %s failed with exit code %d",
                                       script->option, script->name, WEXITSTATUS(result))
                             : MB_FAIL(err, MB_ERRC_OUTPUT, "%s: %s was ended by signal %d",
                                       script->option, script->name, WTERMSIG(result));
}

enum mb_status mb_script_run(const struct mb_script *script, const char *first,
                             const char *second, struct mb_err *err)
{
    /* -B: a folder of scripts stays as it is. */
    const char *argv[] = {script->python, "-B", script->path, first, "--", second, NULL};
    return run(script, (char *const *)argv, err);
}
