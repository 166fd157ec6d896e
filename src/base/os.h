/* What operating systems do differently: os.c has what needs only other names, os_posix.c or
 * os_windows.c the rest, and nothing else asks which one this is. Paths are UTF-8, and '/'
 * stands between their names. A function that returns an int returns 0, an errno,
 * MB_FOREIGN_LINK or MB_IN_USE. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"

#define MB_PATH_BYTES   4096 /* of a path with its terminator */
#define MB_FOREIGN_LINK (-1)
#define MB_IN_USE       (-2) /* another program has the file open */

/* ---- The process */

/* Before anything else: arguments and terminals are UTF-8 from then on, where they can be. */
void mb_os_begin(int argc, char **argv);

/* Call `on_signal`, once for each, on what asks this process to end (Ctrl-C); the second time
 * the system ends it. A closed pipe and a file limit come back as errors instead. */
void mb_os_catch_signals(void (*on_signal)(int number));

/* Call `handler` once when the process crashes, on any thread, then crash as before. The
 * handler may only write. */
void mb_os_catch_crashes(void (*handler)(void));

/* Set an environment variable. */
void mb_os_set(const char *name, const char *value);

/* The program itself, or the folder that it works in; "" where that is not known. */
void mb_os_program(char out[MB_PATH_BYTES]);
void mb_os_working_folder(char out[MB_PATH_BYTES]);

/* Python 3 on PATH. The working folder is not looked into for an empty entry. */
bool mb_os_find_python(char out[MB_PATH_BYTES]);

/* Run a program to its end, its output left out; argv ends in NULL. `*code` is its exit code,
 * or minus the number of the signal that ended it. */
int mb_os_run(const char *const *argv, int *code);

/* ---- The host */

/* Nanoseconds since an arbitrary point, never going back. */
uint64_t mb_now_ns(void);

/* Processors that this process may run on, at least 1: in a container fewer than there are. */
uint32_t mb_os_processors(void);

struct mb_host_info {
    char os[128];     /* PRETTY_NAME of os-release */
    char kernel[128]; /* uname -sr */
    char cpu[128];
    uint32_t n_cores;
};

void mb_os_describe_host(struct mb_host_info *host);

/* SHA-256 in lower-case hex. */
void mb_sha256_hex(const void *data, size_t n_bytes, char hex[65]);

/* ---- Terminals */

enum mb_stream { MB_STDOUT = 1, MB_STDERR = 2 }; /* their descriptors */

bool mb_os_is_terminal(enum mb_stream stream);
size_t mb_os_columns(enum mb_stream stream); /* 0: no terminal, or not known */
bool mb_os_shows_utf8(void);

/* Whether stdout and stderr are known to be the same file, pipe or terminal. */
bool mb_os_is_one_stream(void);

/* ---- Files */

enum mb_kind {
    MB_KIND_NONE, /* nothing is there, or it cannot be seen: errno says why */
    MB_KIND_FILE,
    MB_KIND_FOLDER,
    MB_KIND_PIPE,
    MB_KIND_DEVICE,
    MB_KIND_OTHER,
};

struct mb_file_facts {
    enum mb_kind kind;
    uint64_t n_bytes;
    uint64_t volume, index; /* both together tell files apart */
};

/* What a path leads to, symbolic links followed; or what is open, so that nothing can change in
 * between. */
int mb_os_look(const char *path, struct mb_file_facts *facts);
int mb_os_look_at(int fd, struct mb_file_facts *facts);
enum mb_kind mb_os_kind(const char *path);

enum mb_open {
    MB_OPEN_TO_READ,
    MB_OPEN_IN_PLACE, /* to write into what is there */
    MB_OPEN_NEW,      /* to write a file that was not there before: EEXIST */
};

/* Open a descriptor. Nothing is waited for, such as the other end of a pipe. */
int mb_os_open(const char *path, enum mb_open how, int *fd);

/* All `n_bytes`, through interruptions; fewer are read only where the file ends. */
int mb_os_read(int fd, void *data, size_t n_bytes, size_t *n_read);
int mb_os_write(int fd, const void *data, size_t n_bytes);

/* Give an open file the mode of the one at `path`, if there is one. */
int mb_os_take_mode(int fd, const char *path);

/* Wait until what was written is on the disk. */
int mb_os_sync(int fd);
int mb_os_close(int fd);

/* Give a file another name, in place of the file that has it, and durably. */
int mb_os_rename(const char *from, const char *to);

/* EEXIST if anything is there. */
int mb_os_make_folder(const char *path);

/* Keep a folder for this process until it ends. EBUSY if it is kept already, by whichever
 * process. Nothing is written into it; 0 also where the system cannot tell. */
int mb_os_keep_folder(const char *path);

/* Append the names of what is in a folder, but "." and ".."; `code` is that of a failure. */
MB_MUST_CHECK enum mb_status mb_os_list(const char *folder, enum mb_errc code,
                                        struct mb_strlist *names, struct mb_err *err);

/* True if both are the same regular file, under whatever names; or, where neither is there yet,
 * if they will be, once written: symbolic links followed, folders need not be there. */
bool mb_os_is_same_file(const char *a, const char *b);

/* Where a file written to `path` ends up: as realpath(), but what is missing is kept as it
 * is named, also behind a symbolic link. Returns 0 or the errno: ELOOP, ENAMETOOLONG, EISDIR
 * for a path that ends in a slash, "." or "..", ENOENT or ENOTDIR for ".." behind what is no
 * folder. MB_FOREIGN_LINK: a symbolic link belongs to neither this user nor root, who may have
 * planted it to have another file read or replaced. `out` is then "", but after ".." it is
 * where the path leads once the folder exists. */
int mb_os_resolve(const char *path, char out[MB_PATH_BYTES]);

bool mb_os_is_absolute(const char *path);

/* What an error of these functions means. */
const char *mb_os_error_text(int error);

/* ---- What os.c needs of the system */

/* Of PATH, and the names of Python 3 in the order they are looked for. NULL ends them. */
extern const char mb_os_path_separator[2];
extern const char *const mb_os_python_names[];

/* Whether two names, as by mb_os_resolve, would be one file's. */
bool mb_os_is_same_name(const char *a, const char *b);

/* After a failed write: 0 where it can be tried again, as soon as it can be, or the error. */
int mb_os_write_error(int fd);
