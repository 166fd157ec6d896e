/* Programs that run beside this one: this test is its own child, by its first argument. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/os.h"
#include "check.h"

#define SECOND_NS     UINT64_C(1000000000)
#define LEFT_OPEN     77 /* a descriptor that children could inherit */
#define N_PIPE_BYTES  300000
#define N_PIECE_BYTES 1000

static char program[MB_PATH_BYTES];

/* ---- As the child */

static int echo(void)
{
    char byte;
    while (read(STDIN_FILENO, &byte, 1) == 1) {
        if (byte == '!' || write(STDOUT_FILENO, &byte, 1) != 1) {
            break;
        }
    }
    return 0;
}

static int fill(void)
{
    for (int i = 0; i < N_PIPE_BYTES; i++) {
        putchar('a' + i % 26);
    }
    return 0;
}

/* What of this program's the child has: nothing but its three files, and signals of its own. */
static int describe(void)
{
    struct sigaction action;
    sigaction(SIGPIPE, NULL, &action);
    printf("%s %s\n", fcntl(LEFT_OPEN, F_GETFD) < 0 ? "closed" : "open",
           action.sa_handler == SIG_DFL ? "default" : "changed");
    return 0;
}

static int hang(void)
{
    sleep(3600);
    return 0;
}

static int be_child(const char *what)
{
    return strcmp(what, "echo") == 0       ? echo()
           : strcmp(what, "fill") == 0     ? fill()
           : strcmp(what, "describe") == 0 ? describe()
           : strcmp(what, "hang") == 0     ? hang()
           : strcmp(what, "signal") == 0   ? raise(SIGTERM)
                                           : atoi(what);
}

/* ---- As the parent */

static struct mb_os_child start(const char *what)
{
    struct mb_os_child child = {0};
    const int error = mb_os_child_start((const char *const[]){program, what, NULL}, &child);
    if (error != 0) {
        fprintf(stderr, "%s: %s\n", program, mb_os_error_text(error));
        exit(1);
    }
    return child;
}

static void test_echo(void)
{
    char text[16] = "";
    size_t n = 0, n_all = 0;
    int code = -1;
    struct mb_os_child child = start("echo");
    CHECK_EQ_INT(mb_os_child_write(&child, "hello", 5), 0);
    while (n_all < 5 &&
           mb_os_child_read(&child, text + n_all, 5 - n_all, 60 * SECOND_NS, &n) == 0 &&
           n > 0) {
        n_all += n;
    }
    CHECK_EQ_STR(text, "hello");
    CHECK_EQ_INT(mb_os_child_write(&child, "!", 1), 0);
    CHECK_EQ_INT(mb_os_child_read(&child, text, sizeof text, 60 * SECOND_NS, &n), 0);
    CHECK_EQ_INT(n, 0);
    CHECK_EQ_INT(mb_os_child_end(&child, false, &code), 0);
    CHECK_EQ_INT(code, 0);
}

/* The end of its input ends it. */
static void test_end_of_input(void)
{
    int code = -1;
    struct mb_os_child child = start("echo");
    CHECK_EQ_INT(mb_os_child_end(&child, false, &code), 0);
    CHECK_EQ_INT(code, 0);
}

/* More than a pipe holds, in small pieces. */
static void test_fill(void)
{
    static char text[N_PIECE_BYTES];
    size_t n = 1, n_all = 0;
    int code = -1, error = 0;
    bool is_right = true;
    struct mb_os_child child = start("fill");
    while (n > 0 && error == 0) {
        error = mb_os_child_read(&child, text, sizeof text, UINT64_MAX, &n);
        for (size_t i = 0; i < n; i++) {
            is_right = is_right && text[i] == 'a' + (int)((n_all + i) % 26);
        }
        n_all += n;
    }
    CHECK_EQ_INT(error, 0);
    CHECK(is_right);
    CHECK_EQ_INT(n_all, N_PIPE_BYTES);
    CHECK_EQ_INT(mb_os_child_end(&child, false, &code), 0);
    CHECK_EQ_INT(code, 0);
}

static void test_time_limit(void)
{
    char byte;
    size_t n = 1;
    int code = 0;
    struct mb_os_child child = start("hang");
    const uint64_t begin_ns = mb_now_ns();
    CHECK_EQ_INT(mb_os_child_read(&child, &byte, 1, SECOND_NS / 20, &n), ETIMEDOUT);
    CHECK_EQ_INT(n, 0);
    CHECK(mb_now_ns() - begin_ns >= SECOND_NS / 20);
    CHECK_EQ_INT(mb_os_child_end(&child, true, &code), 0);
    CHECK_EQ_INT(code, -SIGKILL);
}

/* That it ignores its closed input does not keep it. Takes ten seconds. */
static void test_reluctant(void)
{
    int code = 0;
    if (getenv("MB_TEST_FULL") == NULL) {
        return;
    }
    struct mb_os_child child = start("hang");
    CHECK_EQ_INT(mb_os_child_end(&child, false, &code), 0);
    CHECK_EQ_INT(code, -SIGKILL);
}

/* The system closes a child's files one after another. */
static int write_until_error(const struct mb_os_child *child)
{
    int error = 0;
    for (int i = 0; error == 0 && i < 5000; i++) {
        error = mb_os_child_write(child, "?", 1);
        usleep(1000);
    }
    return error;
}

static void test_codes(void)
{
    static const struct {
        const char *what;
        int code;
    } table[] = {{"0", 0}, {"3", 3}, {"255", 255}, {"signal", -SIGTERM}};
    for (size_t i = 0; i < MB_COUNTOF(table); i++) {
        char byte;
        size_t n = 1;
        int code = -1;
        struct mb_os_child child = start(table[i].what);
        CHECK_EQ_INT(mb_os_child_read(&child, &byte, 1, 60 * SECOND_NS, &n), 0);
        CHECK_EQ_INT(n, 0);
        CHECK_EQ_INT(write_until_error(&child), EPIPE);
        CHECK_EQ_INT(mb_os_child_end(&child, false, &code), 0);
        CHECK_EQ_INT(code, table[i].code);
    }
}

static void test_not_there(void)
{
    struct mb_os_child child;
    CHECK_EQ_INT(mb_os_child_start((const char *const[]){"/nowhere/nothing", NULL}, &child),
                 ENOENT);
}

static void test_inherits_nothing(void)
{
    char text[64] = "";
    size_t n = 0;
    int code = -1;
    CHECK_EQ_INT(dup2(STDERR_FILENO, LEFT_OPEN), LEFT_OPEN);
    signal(SIGPIPE, SIG_IGN);
    struct mb_os_child child = start("describe");
    CHECK_EQ_INT(mb_os_child_read(&child, text, sizeof text - 1, 60 * SECOND_NS, &n), 0);
    CHECK_EQ_STR(text, "closed default\n");
    CHECK_EQ_INT(mb_os_child_end(&child, false, &code), 0);
    CHECK_EQ_INT(code, 0);
    close(LEFT_OPEN);
}

static void test_temporary_folder(void)
{
    char folder[MB_PATH_BYTES], other[MB_PATH_BYTES], inner[MB_PATH_BYTES + 16];
    struct stat info;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_os_make_temporary_folder(folder), 0);
    CHECK_EQ_INT(mb_os_make_temporary_folder(other), 0);
    CHECK(strcmp(folder, other) != 0);
    CHECK(stat(folder, &info) == 0 && (info.st_mode & 0777) == 0700);
    must(mb_file_write_in(folder, "file", "x", 1, &err), &err);
    CHECK_EQ_INT(mb_os_remove_folder(folder), 0);
    CHECK_EQ_INT(mb_os_kind(folder), MB_KIND_NONE);
    CHECK_EQ_INT(mb_os_remove_folder(folder), ENOENT);

    snprintf(inner, sizeof inner, "%s/inner", other);
    CHECK_EQ_INT(mb_os_make_folder(inner), 0);
    CHECK_EQ_INT(mb_os_remove_folder(other), ENOTEMPTY);
    CHECK_EQ_INT(mb_os_remove_folder(inner), 0);
    CHECK_EQ_INT(mb_os_remove_folder(other), 0);
}

static void test_no_temporary_folder(void)
{
    char folder[MB_PATH_BYTES], before[MB_PATH_BYTES];
    mb_os_variable("TMPDIR", before);
    mb_os_set("TMPDIR", "/nowhere");
    CHECK_EQ_INT(mb_os_make_temporary_folder(folder), ENOENT);
    mb_os_set("TMPDIR", before);
}

int main(int argc, char **argv)
{
    static void (*const tests[])(void) = {test_echo,
                                          test_end_of_input,
                                          test_fill,
                                          test_time_limit,
                                          test_reluctant,
                                          test_codes,
                                          test_not_there,
                                          test_inherits_nothing,
                                          test_temporary_folder,
                                          test_no_temporary_folder,
                                          NULL};
    if (argc > 1) {
        return be_child(argv[1]);
    }
    mb_os_program(program);
    CHECK(mb_os_is_same_file(program, argv[0]));
    return check_tests(__FILE__, tests);
}
