/* Files: what is refused, that a failure leaves the old content, and that no temporary stays.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/os.h"
#include "base/text.h"
#include "check.h"

static char folder[] = "/tmp/mipbench-test-file-XXXXXX";

static const char *in_folder(const char *name)
{
    static char paths[4][512];
    static unsigned n_used;
    char *path = paths[n_used++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static unsigned count_entries(void)
{
    unsigned n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(dir);
    return n;
}

static void check_content(const char *path, const char *want)
{
    struct mb_bytes bytes;
    struct mb_err err;
    CHECK_EQ_INT(mb_file_read(path, 1000, &bytes, &err), MB_OK);
    CHECK_EQ_INT(bytes.n_bytes, strlen(want));
    CHECK(bytes.data != NULL && memcmp(bytes.data, want, strlen(want)) == 0);
    mb_bytes_finish(&bytes);
}

static void check_read_fails(const char *path, size_t max_bytes, const char *part)
{
    struct mb_bytes bytes = {.n_bytes = 1};
    struct mb_err err = {.code = MB_ERRC_NONE};
    CHECK_EQ_INT(mb_file_read(path, max_bytes, &bytes, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
    CHECK(bytes.data == NULL && bytes.n_bytes == 0);
    if (strstr(err.text, part) == NULL || strstr(err.text, path) == NULL) {
        CHECK_EQ_STR(err.text, part);
    }
}

static void check_write_fails(const char *path, size_t n_bytes, const char *part)
{
    static const char data[65536];
    struct mb_err err = {.code = MB_ERRC_NONE};
    const unsigned n_before = count_entries();
    CHECK_EQ_INT(mb_file_write_atomic(path, data, n_bytes, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_OUTPUT);
    CHECK_EQ_INT(count_entries(), n_before);
    if (strstr(err.text, part) == NULL) {
        CHECK_EQ_STR(err.text, part);
    }
}

static void test_write(void)
{
    struct mb_err err;
    const char *path = in_folder("out.txt");
    CHECK_EQ_INT(mb_file_write_atomic(path, "first", 5, &err), MB_OK);
    check_content(path, "first");
    CHECK_EQ_INT(mb_file_write_atomic(path, "second time", 11, &err), MB_OK);
    check_content(path, "second time");

    const char *link_path = in_folder("link");
    CHECK_EQ_INT(symlink("out.txt", link_path), 0);
    CHECK_EQ_INT(mb_file_write_atomic(link_path, "third", 5, &err), MB_OK);
    check_content(path, "third");
    struct stat info;
    CHECK(lstat(link_path, &info) == 0 && S_ISLNK(info.st_mode));
    CHECK_EQ_INT(count_entries(), 2);

    /* A leftover of a killed run with our number is stepped over, and not touched. */
    char name[64];
    snprintf(name, sizeof name, ".mipbench-%ld-0.tmp", (long)getpid());
    const int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0);
    close(fd);
    CHECK_EQ_INT(mb_file_write_atomic(path, "fourth", 6, &err), MB_OK);
    check_content(path, "fourth");
    CHECK_EQ_INT(unlink(in_folder(name)), 0);
}

/* Links are written through, to where they point, and no temporary stays beside either. */
static void test_write_through_links(void)
{
    struct mb_err err;
    struct stat info;
    CHECK_EQ_INT(mkdir(in_folder("there"), 0700), 0);
    CHECK_EQ_INT(symlink("there/chain", in_folder("dangling")), 0);
    CHECK_EQ_INT(symlink("../there/end.txt", in_folder("there/chain")), 0);
    CHECK_EQ_INT(mb_file_check_writable(in_folder("dangling"), &err), MB_OK);
    CHECK_EQ_INT(mb_file_write_atomic(in_folder("dangling"), "end", 3, &err), MB_OK);
    CHECK(lstat(in_folder("dangling"), &info) == 0 && S_ISLNK(info.st_mode));
    check_content(in_folder("there/end.txt"), "end");
    CHECK_EQ_INT(unlink(in_folder("there/end.txt")), 0);
    CHECK_EQ_INT(unlink(in_folder("there/chain")), 0);
    CHECK_EQ_INT(rmdir(in_folder("there")), 0); /* the link now leads nowhere */
    check_write_fails(in_folder("dangling"), 5, "dangling: cannot be written: No such file");
    CHECK_EQ_INT(unlink(in_folder("dangling")), 0);

    CHECK_EQ_INT(symlink("self", in_folder("self")), 0);
    check_write_fails(in_folder("self"), 5, "cannot be written: Too many levels of symbolic");
    CHECK_EQ_INT(mb_file_check_writable(in_folder("self"), &err), MB_FAILED);
    CHECK(strstr(err.text, "Too many levels of symbolic") != NULL);
    CHECK(lstat(in_folder("self"), &info) == 0 && S_ISLNK(info.st_mode));
    CHECK_EQ_INT(unlink(in_folder("self")), 0);
    static const char *const folders[] = {"missing/", "missing/.", "missing/./.", "missing//"};
    for (size_t i = 0; i < MB_COUNTOF(folders); i++) {
        check_write_fails(in_folder(folders[i]), 5, "is a folder");
    }
}

/* What a file's owner made of its mode stays; a new file has what umask leaves. */
static void test_write_keeps_mode(void)
{
    static const mode_t modes[] = {0600, 0664, 0444};
    struct mb_err err;
    struct stat info;
    const char *path = in_folder("moded");
    const mode_t old_mask = umask(027);
    CHECK_EQ_INT(mb_file_write_atomic(path, "x", 1, &err), MB_OK);
    CHECK(stat(path, &info) == 0 && (info.st_mode & 07777) == 0640);
    for (size_t i = 0; i < MB_COUNTOF(modes); i++) {
        CHECK_EQ_INT(chmod(path, modes[i]), 0);
        CHECK_EQ_INT(mb_file_write_atomic(path, "y", 1, &err), MB_OK);
        CHECK(stat(path, &info) == 0 && (info.st_mode & 07777) == modes[i]);
    }
    umask(old_mask);
    CHECK_EQ_INT(unlink(path), 0);
}

static void check_same(const char *a, const char *b, bool want)
{
    if (mb_os_is_same_file(a, b) != want || mb_os_is_same_file(b, a) != want) {
        CHECK_EQ_STR(a, b);
    }
}

static void test_same(void)
{
    char deep[600], linked[600];
    check_same(in_folder("out.txt"), in_folder("link"), true);
    check_same(in_folder("out.txt"), in_folder("./out.txt"), true);
    CHECK_EQ_INT(link(in_folder("out.txt"), in_folder("hard")), 0);
    check_same(in_folder("out.txt"), in_folder("hard"), true);
    CHECK_EQ_INT(unlink(in_folder("hard")), 0);
    check_same(in_folder("out.txt"), in_folder("absent"), false);
    check_same(in_folder("other"), in_folder("absent"), false);
    check_same("/dev/null", "/dev/null", false); /* nothing in it to lose */
    check_same(folder, folder, false);

    /* Not there yet, nor are their folders. */
    check_same(in_folder("new/a"), in_folder("new//./a"), true);
    check_same(in_folder("new/a"), in_folder("new/b/../a"), true);
    check_same(in_folder("new/a"), in_folder("a"), false);
    CHECK_EQ_INT(symlink(folder, in_folder("around")), 0);
    snprintf(deep, sizeof deep, "%s/around/around/new/a", folder);
    check_same(in_folder("new/a"), deep, true);
    CHECK_EQ_INT(symlink("new/a", in_folder("dangling")), 0);
    snprintf(linked, sizeof linked, "%s/around/dangling", folder);
    check_same(in_folder("new/a"), linked, true);
    CHECK_EQ_INT(unlink(in_folder("around")), 0);
    CHECK_EQ_INT(unlink(in_folder("dangling")), 0);

    char old[512];
    CHECK(getcwd(old, sizeof old) != NULL && chdir(folder) == 0);
    check_same("new/a", in_folder("new/a"), true);
    check_same("out.txt", in_folder("out.txt"), true);
    CHECK_EQ_INT(chdir("/"), 0);
    check_same("no-such-folder/a", "/no-such-folder/a", true);
    CHECK_EQ_INT(chdir(old), 0);
}

static void test_write_refused(void)
{
    check_write_fails(folder, 5, "is a folder");
    check_write_fails("", 5, "No such file");
    check_write_fails(in_folder("missing/out.txt"), 5, "No such file");
    check_write_fails(in_folder("missing/.."), 5, "is a folder");
    check_write_fails(in_folder("out.txt/below"), 5, "Not a directory");
    check_write_fails("/proc/mipbench-out.txt", 5, "cannot be written");
    check_write_fails("/dev/full", 5, "No space left");
    CHECK_EQ_INT(mkfifo(in_folder("fifo"), 0600), 0);
    check_write_fails(in_folder("fifo"), 5, "cannot be written");
    char long_name[400];
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    check_write_fails(in_folder(long_name), 5, "File name too long");
    check_content(in_folder("out.txt"), "fourth");

    struct mb_err err;
    struct stat info;
    CHECK_EQ_INT(mb_file_check_writable(in_folder("missing/../new.txt"), &err), MB_OK);
    CHECK_EQ_INT(mb_file_write_atomic("/dev/null", "x", 1, &err), MB_OK);
    CHECK(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
}

static void test_write_limited(void)
{
    struct rlimit old;
    CHECK_EQ_INT(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = {.rlim_cur = 4096, .rlim_max = old.rlim_max};
    CHECK_EQ_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
    check_write_fails(in_folder("out.txt"), 65536, "File too large");
    check_write_fails(in_folder("new.txt"), 65536, "File too large");
    CHECK_EQ_INT(setrlimit(RLIMIT_FSIZE, &old), 0);
    check_content(in_folder("out.txt"), "fourth");
}

/* What is opened next must not become stdout. */
static void test_closed_stream(void)
{
    const int kept = dup(STDOUT_FILENO);
    close(STDOUT_FILENO);
    mb_os_begin(0, NULL);
    CHECK(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
    CHECK(write(STDOUT_FILENO, "x", 1) < 0 && errno == EBADF);
    CHECK_EQ_INT(dup2(kept, STDOUT_FILENO), STDOUT_FILENO);
    close(kept);
}

static void test_read_refused(void)
{
    const int fd = open(in_folder("empty"), O_WRONLY | O_CREAT, 0600);
    CHECK(fd >= 0);
    close(fd);
    check_read_fails(in_folder("missing"), 100, "No such file");
    check_read_fails(folder, 100, "is a folder");
    check_read_fails(in_folder("fifo"), 100, "not a regular file");
    check_read_fails("/dev/zero", 100, "not a regular file");
    check_read_fails(in_folder("empty"), 100, "is empty");
    check_read_fails(in_folder("out.txt"), 5, "has 6 bytes; at most 5");
    check_content(in_folder("out.txt"), "fourth");
}

/* What is there stays as it is, and nothing is left behind. */
static void test_check_writable(void)
{
    struct mb_err err = {.code = MB_ERRC_NONE};
    CHECK_EQ_INT(mb_file_write_atomic(in_folder("probed"), "old", 3, &err), MB_OK);
    CHECK_EQ_INT(mb_file_check_writable(in_folder("probed"), &err), MB_OK);
    check_content(in_folder("probed"), "old");
    unlink(in_folder("probed"));
    CHECK_EQ_INT(mb_file_check_writable(in_folder("probed"), &err), MB_OK);
    CHECK(access(in_folder("probed"), F_OK) != 0);
    CHECK_EQ_INT(mb_file_check_writable("/dev/null", &err), MB_OK);
    CHECK_EQ_INT(mb_file_check_writable(folder, &err), MB_FAILED);
    CHECK(strstr(err.text, "is a folder") != NULL);
    CHECK_EQ_INT(mb_file_check_writable(in_folder("no/such"), &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_OUTPUT);
    CHECK(strstr(err.text, "cannot be written: No such file") != NULL);
    CHECK_EQ_INT(mb_file_check_writable("/proc/x", &err), MB_FAILED);
}

/* Nobody reads on: no failure. */
static void test_closed_pipe(void)
{
    struct mb_err err = {.code = MB_ERRC_NONE};
    int ends[2];
    fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    signal(SIGPIPE, SIG_IGN);
    CHECK(saved >= 0 && pipe(ends) == 0);
    close(ends[0]);
    CHECK_EQ_INT(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    const enum mb_status status = mb_stdout_write("text", 4, &err);
    CHECK_EQ_INT(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
    CHECK_EQ_INT(status, MB_OK);
    close(saved);
    close(ends[1]);
}

static void test_stdout(void)
{
    struct mb_err err = {.code = MB_ERRC_NONE};
    fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    const int full = open("/dev/full", O_WRONLY);
    CHECK(saved >= 0 && full >= 0 && dup2(full, STDOUT_FILENO) == STDOUT_FILENO);
    CHECK_EQ_INT(mb_stdout_write("text", 4, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_OUTPUT);
    close(full);
    close(STDOUT_FILENO);
    err = (struct mb_err){.code = MB_ERRC_NONE};
    CHECK_EQ_INT(mb_stdout_write("text", 4, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_OUTPUT);

    const int file = open(in_folder("stdout"), O_RDWR | O_CREAT, 0600);
    CHECK_EQ_INT(file, STDOUT_FILENO); /* the lowest number that is free */
    CHECK_EQ_INT(mb_stdout_write("text", 4, &err), MB_OK);
    CHECK_EQ_INT(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
    close(saved);
    check_content(in_folder("stdout"), "text");
}

static void test_folders(void)
{
    struct mb_err err = {.code = MB_ERRC_NONE};
    struct stat info;
    CHECK_EQ_INT(mb_make_dirs(in_folder("a/b/c/"), &err), MB_OK);
    CHECK(stat(in_folder("a/b/c"), &info) == 0 && S_ISDIR(info.st_mode));
    CHECK_EQ_INT(mb_make_dirs(in_folder("a//b/c"), &err), MB_OK);
    CHECK_EQ_INT(mb_make_dirs("/", &err), MB_OK);
    static const char *const bad[] = {"out.txt", "out.txt/x"};
    for (size_t i = 0; i < MB_COUNTOF(bad); i++) {
        CHECK_EQ_INT(mb_make_dirs(in_folder(bad[i]), &err), MB_FAILED);
        CHECK_EQ_INT(err.code, MB_ERRC_OUTPUT);
    }
    CHECK_EQ_INT(mb_make_dirs("/proc/mipbench/x", &err), MB_FAILED);
    CHECK_EQ_INT(mb_make_dirs("", &err), MB_FAILED);
}

static void test_paths(void)
{
    static const struct {
        const char *dir, *name, *want;
    } joins[] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"/", "b", "/b"}, {"", "b", "b"}};
    for (size_t i = 0; i < MB_COUNTOF(joins); i++) {
        char *path = mb_path_join(joins[i].dir, joins[i].name);
        CHECK_EQ_STR(path, joins[i].want);
        mb_free(path);
    }
    static const struct {
        const char *text, *want;
    } slugs[] = {
        {"NVIDIA H200", "nvidia-h200"},
        {"llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe-llvm-15.0.6-256-bits"},
        {"../../etc/passwd", "etc-passwd"},
        {"compute_npot=floor", "compute_npot-floor"},
        {"caf\xc3\xa9\n", "caf"},
        {"", "unnamed"},
        {"...", "unnamed"},
        {"a234567890123456789012345678901234567890", "a23456789012345678901234567890123456789"},
    };
    for (size_t i = 0; i < MB_COUNTOF(slugs); i++) {
        char slug[40];
        mb_slug(slugs[i].text, slug, sizeof slug);
        CHECK_EQ_STR(slug, slugs[i].want);
    }
}

static void clean_up(void)
{
    static const char *const files[] = {"out.txt", "link", "fifo", "empty", "stdout"};
    for (size_t i = 0; i < MB_COUNTOF(files); i++) {
        CHECK_EQ_INT(unlink(in_folder(files[i])), 0);
    }
    CHECK_EQ_INT(rmdir(in_folder("a/b/c")), 0);
    CHECK_EQ_INT(rmdir(in_folder("a/b")), 0);
    CHECK_EQ_INT(rmdir(in_folder("a")), 0);
    CHECK_EQ_INT(rmdir(folder), 0); /* fails if anything else was left */
}

static void set_up(void)
{
    CHECK(mkdtemp(folder) != NULL);
}

int main(void)
{
    return CHECK_TESTS(set_up, test_write, test_write_through_links, test_write_keeps_mode,
                       test_same, test_write_refused, test_write_limited, test_read_refused,
                       test_check_writable, test_closed_stream, test_closed_pipe, test_stdout,
                       test_folders, test_paths, clean_up);
}
