/* What differs between operating systems. os.c has functions that differ only in names,
 * os_posix.c and os_windows.c the rest; no other file depends on the system. Paths are UTF-8
 * with '/' as separator. Functions that return an int return 0, an errno, MB_FOREIGN_LINK or
 * MB_IN_USE. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"

#define MB_PATH_BYTES   4096 /* of any path, with its terminator */
#define MB_FOREIGN_LINK (-1)
#define MB_IN_USE       (-2) /* another program has the file open */

/* ---- The process */

/* Call before anything else: makes arguments and terminals UTF-8 where possible. */
void mb_os_begin(int argc, char **argv);

/* Call `on_signal` when a signal such as Ctrl-C first asks this process to end; the same signal
 * again ends the process. Writes to a closed pipe, or beyond the limit of file sizes, fail. */
void mb_os_catch_signals(void (*on_signal)(int number));

/* Call `handler` once when the process crashes, on any thread, then crash as before. The
 * handler may only write. */
void mb_os_catch_crashes(void (*handler)(void));

/* Set an environment variable. */
void mb_os_set(const char *name, const char *value);

/* The path of the program; its working folder. "" if unknown or too long. */
void mb_os_program(char out[MB_PATH_BYTES]);
void mb_os_working_folder(char *out, size_t out_bytes);

/* Find Python 3 on PATH. Skips empty entries, which shells take for the working folder. */
bool mb_os_find_python(char out[MB_PATH_BYTES]);

/* Run a program to its end, without its output; argv ends in NULL. `*code` is its exit code, or
 * minus the number of the signal that ended it. */
int mb_os_run(const char *const *argv, int *code);

/* ---- The host */

/* Nanoseconds since an arbitrary point, never going back. */
uint64_t mb_now_ns(void);

/* Number of processors that this process may use, at least 1; a container may limit them. */
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

enum mb_stream { MB_STDOUT = 1, MB_STDERR = 2 }; /* the values are descriptors */

size_t mb_os_columns(enum mb_stream stream); /* 0: not a terminal */

/* ---- Files */

enum mb_kind {
    MB_KIND_NONE, /* it does not exist, or cannot be seen: errno says why */
    MB_KIND_FILE,
    MB_KIND_FOLDER,
    MB_KIND_OTHER, /* a pipe, a device */
};

struct mb_file_facts {
    enum mb_kind kind;
    uint64_t n_bytes;
    uint64_t volume, index; /* together they identify a file */
};

/* Describe the file that a path leads to, following symbolic links; or describe an open file,
 * which, unlike a path, always means the same file. */
int mb_os_look(const char *path, struct mb_file_facts *facts);
int mb_os_look_at(int fd, struct mb_file_facts *facts);
enum mb_kind mb_os_kind(const char *path);

enum mb_open {
    MB_OPEN_TO_READ,
    MB_OPEN_IN_PLACE, /* to write into an existing file, pipe or device */
    MB_OPEN_NEW,      /* to create a file; EEXIST if it exists */
};

/* Open a descriptor. Does not wait, for instance for the other end of a pipe. */
int mb_os_open(const char *path, enum mb_open how, int *fd);

/* Read or write all `n_bytes`, despite interruptions; reading stops at the end of the file. */
int mb_os_read(int fd, void *data, size_t n_bytes, size_t *n_read);
int mb_os_write(int fd, const void *data, size_t n_bytes);

/* Give an open file the mode of the file at `path`, if that exists. */
int mb_os_take_mode(int fd, const char *path);

/* Wait until the written data is on the disk. */
int mb_os_sync(int fd);
int mb_os_close(int fd);

/* Rename a file durably, replacing one that has the new name. */
int mb_os_rename(const char *from, const char *to);

/* Make a folder; EEXIST if anything has its name. */
int mb_os_make_folder(const char *path);

/* Lock a folder until this process ends. EBUSY if any process, also this one, has locked it.
 * Writes nothing into it. If the file system has no locks, returns 0 without one. */
int mb_os_keep_folder(const char *path);

/* Append the names in a folder, without "." and ".."; failures have `code`. */
MB_MUST_CHECK enum mb_status mb_os_list(const char *folder, enum mb_errc code,
                                        struct mb_strlist *names, struct mb_err *err);

/* True if both paths lead to the same regular file or, if neither file exists, would lead to
 * the same new file. Follows symbolic links; folders need not exist. */
bool mb_os_is_same_file(const char *a, const char *b);

/* Where a path leads: as realpath(), but keeps names that do not exist yet, also behind a
 * symbolic link; ".." removes even such a name. Returns 0 or the errno: ELOOP, ENAMETOOLONG.
 * MB_FOREIGN_LINK: a symbolic link in a shared folder is owned by neither this user, root nor
 * the folder's owner, and may be there to have a file read or replaced. `out` is "" after a
 * failure. */
int mb_os_resolve(const char *path, char out[MB_PATH_BYTES]);

/* ---- Paths as text */

bool mb_path_is_absolute(const char *path);

/* `dir`/`name`, newly allocated (mb_free), or NULL without memory. */
char *mb_path_join(const char *dir, const char *name);

/* The folder part of `path`, or ".". */
void mb_path_parent(const char *path, char out[MB_PATH_BYTES]);

/* The text for an error that the functions above return. */
const char *mb_os_error_text(int error);

/* For os.c only, after a failed write: if the write can be repeated, wait until it can and
 * return 0, else return the error. */
int mb_os_write_error(int fd);
