#include "sandbox.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/alloc.h"

/* A hang is not a slow machine: runs take a second. */
#define HANG_S 600u

int mipbench_main(int argc, char **argv);

static char in_memory[] = "/dev/shm/mipbench-faults-XXXXXX"; /* where fsync costs nothing */
static char on_disk[] = "/tmp/mipbench-faults-XXXXXX";
static const char *folder;
static struct mb_snapshot *walked; /* what nftw fills */

bool mb_sandbox_enter(void)
{
    folder = mkdtemp(in_memory);
    folder = folder ? folder : mkdtemp(on_disk);
    return folder && chdir(folder) == 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
    return remove(path);
}

void mb_sandbox_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void mb_sandbox_leave(void)
{
    if (chdir("/") == 0) {
        mb_sandbox_remove(folder);
    }
}

/* What a process that begins has: its own standard streams, and no file of this test. */
static void be_the_program(const char *const *args, const struct mb_fault *fault,
                           enum mb_fault_kind recorded, int out, int err)
{
    char *argv[MB_SANDBOX_MAX_ARGS + 2] = {"mipbench"};
    int argc = 1;
    for (; args[argc - 1] != NULL && argc <= (int)MB_SANDBOX_MAX_ARGS; argc++) {
        argv[argc] = (char *)(uintptr_t)args[argc - 1];
    }
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    alarm(HANG_S);
    mb_fault_arm(fault, recorded);
    const int code = mipbench_main(argc, argv);
    mb_fault_disarm();
    mb_fault_get_log()->main_returned = true;
    mb_fault_get_log()->n_live_blocks = mb_alloc_live_count();
    fflush(NULL);
    _exit(code);
}

static void read_back(int fd, char *text, size_t n_bytes)
{
    const ssize_t n = pread(fd, text, n_bytes - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    close(fd);
}

void mb_sandbox_run(const char *const *args, const struct mb_fault *fault,
                    enum mb_fault_kind recorded, struct mb_outcome *outcome)
{
    int status = 0;
    const int out = memfd_create("stdout", MFD_CLOEXEC);
    const int err = memfd_create("stderr", MFD_CLOEXEC);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        be_the_program(args, fault, recorded, out, err);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        perror("the test itself");
        exit(1);
    }
    outcome->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    outcome->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read_back(out, outcome->out, sizeof outcome->out);
    read_back(err, outcome->err, sizeof outcome->err);
}

static void *read_file(const char *path, size_t *n_bytes)
{
    struct stat info;
    char *bytes = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &info) == 0) {
        *n_bytes = (size_t)info.st_size;
        bytes = calloc(1, *n_bytes + 1);
        if (bytes != NULL && read(fd, bytes, *n_bytes) != (ssize_t)*n_bytes) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return bytes;
}

static uint64_t digest_file(const char *path, size_t *n_bytes)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    unsigned char *bytes = read_file(path, n_bytes);
    for (size_t i = 0; bytes != NULL && i < *n_bytes; i++) {
        digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    free(bytes);
    return digest;
}

static int note_file(const char *path, const struct stat *info, int type, struct FTW *place)
{
    if (type == FTW_D) {
        return 0;
    }
    if (walked->n_files == MB_SANDBOX_MAX_FILES) {
        fprintf(stderr, "the test itself: more than %u files\n", MB_SANDBOX_MAX_FILES);
        exit(1);
    }
    struct mb_snapshot_file *file = &walked->files[walked->n_files++];
    *file = (struct mb_snapshot_file){.n_bytes = 0};
    snprintf(file->path, sizeof file->path, "%s", path);
    file->digest = digest_file(path, &file->n_bytes);
    return 0;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(a, b); /* a file begins with its path */
}

void mb_snapshot_take(struct mb_snapshot *snapshot)
{
    snapshot->n_files = 0;
    walked = snapshot;
    nftw(".", note_file, 16, FTW_PHYS);
    qsort(snapshot->files, snapshot->n_files, sizeof snapshot->files[0], compare_paths);
}

/* The file of that path, or NULL. */
static const struct mb_snapshot_file *find(const struct mb_snapshot *snapshot, const char *path)
{
    for (size_t i = 0; snapshot != NULL && i < snapshot->n_files; i++) {
        if (strcmp(snapshot->files[i].path, path) == 0) {
            return &snapshot->files[i];
        }
    }
    return NULL;
}

static bool ends_with(const char *bytes, size_t n_bytes, const char *end, size_t n_end)
{
    return n_bytes >= n_end && memcmp(bytes + n_bytes - n_end, end, n_end) == 0;
}

/* By what ends a file of its kind; JSON has to parse, and other binary files are always of the
 * same size. */
static bool is_whole(const char *path, size_t usual_bytes)
{
    static const char png_end[] = "\0\0\0\0IEND\xae\x42\x60\x82";
    size_t n_bytes = 0;
    const char *suffix = strrchr(path, '.');
    char *bytes = read_file(path, &n_bytes);
    bool whole = bytes != NULL && n_bytes > 0;
    if (whole && strcmp(suffix, ".json") == 0) {
        cJSON *document = cJSON_ParseWithLength(bytes, n_bytes);
        whole = document != NULL;
        cJSON_Delete(document);
    } else if (whole && strcmp(suffix, ".png") == 0) {
        whole = ends_with(bytes, n_bytes, png_end, sizeof png_end - 1);
    } else if (whole && (strcmp(suffix, ".ktx2") == 0 || strcmp(suffix, ".dds") == 0 ||
                         strcmp(suffix, ".spv") == 0)) {
        whole = n_bytes == usual_bytes;
    } else if (whole) {
        whole = bytes[n_bytes - 1] == '\n';
    }
    free(bytes);
    return whole;
}

static bool is_temporary(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    return strncmp(name, ".mipbench-", 10) == 0;
}

/* Of one file after the run; NULL: nothing is wrong. */
static const char *judge_file(const struct mb_snapshot_file *file,
                              const struct mb_snapshot_file *old,
                              const struct mb_snapshot_file *usual, bool may_litter)
{
    if (is_temporary(file->path)) {
        return may_litter ? NULL : "was left behind";
    }
    if (old == NULL && usual == NULL) {
        return "is new here";
    }
    const bool is_old = old != NULL && old->digest == file->digest;
    return is_old || is_whole(file->path, old ? old->n_bytes : usual->n_bytes) ? NULL
                                                                               : "is not whole";
}

void mb_snapshot_forget_removed(struct mb_snapshot *snapshot)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < snapshot->n_files; i++) {
        const char *path = snapshot->files[i].path;
        const bool is_picture =
            strstr(path, ".png") || strstr(path, ".ktx2") || strstr(path, ".dds");
        if (!is_picture || access(path, F_OK) == 0) {
            snapshot->files[n_kept++] = snapshot->files[i];
        }
    }
    snapshot->n_files = n_kept;
}

void mb_snapshot_judge(const struct mb_snapshot *before, const struct mb_snapshot *allowed,
                       bool may_litter, struct mb_snapshot *now, char *why, size_t why_bytes)
{
    why[0] = '\0';
    mb_snapshot_take(now);
    for (size_t i = 0; i < before->n_files; i++) {
        if (find(now, before->files[i].path) == NULL) {
            snprintf(why, why_bytes, "%s is gone", before->files[i].path);
        }
    }
    for (size_t i = 0; i < now->n_files; i++) {
        const char *path = now->files[i].path;
        const char *wrong =
            judge_file(&now->files[i], find(before, path), find(allowed, path), may_litter);
        if (wrong != NULL) {
            snprintf(why, why_bytes, "%s %s", path, wrong);
        }
    }
}

void mb_snapshot_sweep(const struct mb_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->n_files; i++) {
        if (is_temporary(snapshot->files[i].path)) {
            remove(snapshot->files[i].path);
        }
    }
}

unsigned mb_count_lines(const char *text, const char *prefix)
{
    unsigned n = 0;
    for (const char *line = text; line != NULL && *line != '\0';) {
        n += strncmp(line, prefix, strlen(prefix)) == 0;
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return n;
}
