/* Windows 10 from 1903 on, where windows.manifest makes arguments, paths and the environment
 * UTF-8. A backslash separates names as a slash does. Symbolic links are followed if their
 * target exists. */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <windows.h>

#include <bcrypt.h>

#define MAX_RENAMES   20 /* in one second: virus scanners hold new files for a moment */
#define RENAME_GAP_MS 50
#define MAX_ARGUMENTS 8

static void make_slashes(char *path)
{
    for (char *c = strchr(path, '\\'); c; c = strchr(c, '\\')) {
        *c = '/';
    }
}

static HANDLE handle_of(int fd)
{
    return (HANDLE)_get_osfhandle(fd);
}

/* ---- The process */

/* The shell's code page, restored at exit: shell and program share the console. */
static UINT code_page_before;

static void restore_code_page(void)
{
    SetConsoleOutputCP(code_page_before);
}

/* Turns backslashes of all arguments into slashes: only paths have backslashes. */
void mb_os_begin(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        make_slashes(argv[i]);
    }
    setvbuf(stderr, NULL, _IOFBF, 1u << 14); /* else each byte is a write of its own */
    _setmode(MB_STDOUT, _O_BINARY);
    _setmode(MB_STDERR, _O_BINARY);
    code_page_before = GetConsoleOutputCP();
    if (code_page_before != 0 && code_page_before != CP_UTF8 && SetConsoleOutputCP(CP_UTF8)) {
        atexit(restore_code_page);
    }
    for (int fd = MB_STDOUT; fd <= MB_STDERR; fd++) {
        DWORD mode;
        if (GetConsoleMode(handle_of(fd), &mode)) {
            SetConsoleMode(handle_of(fd), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
        }
    }
}

/* For this function and mb_os_catch_crashes: the C library restores a signal's default action
 * before it calls the handler. */
void mb_os_catch_signals(void (*on_signal)(int number))
{
    signal(SIGINT, on_signal);
    signal(SIGBREAK, on_signal);
    signal(SIGTERM, on_signal);
}

static void (*crash_handler)(void);

static void on_crash(int number)
{
    crash_handler();
    raise(number);
}

void mb_os_catch_crashes(void (*handler)(void))
{
    crash_handler = handler;
    signal(SIGSEGV, on_crash);
    signal(SIGABRT, on_crash);
    signal(SIGILL, on_crash);
    signal(SIGFPE, on_crash);
}

void mb_os_program(char out[MB_PATH_BYTES])
{
    const DWORD n = GetModuleFileNameA(NULL, out, MB_PATH_BYTES);
    out[n < MB_PATH_BYTES ? n : 0] = '\0';
    make_slashes(out);
}

void mb_os_working_folder(char *out, size_t out_bytes)
{
    if (!getcwd(out, (int)out_bytes)) {
        out[0] = '\0';
    }
    make_slashes(out);
}

/* Arguments are paths and options without quotes and without a final backslash, so they can
 * simply be quoted. Clears the sign bit, which is set in the exit code of a crash. */
int mb_os_run(const char *const *argv, int *code)
{
    char quoted[MAX_ARGUMENTS][MB_PATH_BYTES + 2];
    const char *arguments[MAX_ARGUMENTS + 1] = {NULL};
    for (size_t i = 0; i < MAX_ARGUMENTS && argv[i]; i++) {
        snprintf(quoted[i], sizeof quoted[i], "\"%s\"", argv[i]);
        arguments[i] = quoted[i];
    }
    const int out = _dup(MB_STDOUT), nul = _open("NUL", _O_WRONLY);
    _dup2(nul, MB_STDOUT);
    const intptr_t result = _spawnv(_P_WAIT, argv[0], arguments);
    const int error = result == -1 ? errno : 0;
    _dup2(out, MB_STDOUT);
    _close(out);
    _close(nul);
    *code = (int)(result & 0x7fffffff);
    return error;
}

/* ---- The host */

uint32_t mb_os_processors(void)
{
    return (uint32_t)pthread_num_processors_np();
}

static void read_registry(const char *key, const char *name, char *out, size_t out_bytes)
{
    DWORD n_bytes = (DWORD)out_bytes;
    if (RegGetValueA(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, NULL, out, &n_bytes) !=
        ERROR_SUCCESS) {
        snprintf(out, out_bytes, "unknown");
    }
}

void mb_os_describe_host(struct mb_host_info *host)
{
    static const char windows[] = "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
    char build[64];
    *host = (struct mb_host_info){.n_cores = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS)};
    read_registry(windows, "ProductName", host->os, sizeof host->os);
    read_registry(windows, "CurrentBuildNumber", build, sizeof build);
    snprintf(host->kernel, sizeof host->kernel, "Windows build %s", build);
    read_registry("HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", "ProcessorNameString",
                  host->cpu, sizeof host->cpu);
}

/* Hash up to 2 GiB at once, as lengths have 32 bits. These calls cannot fail here. */
void mb_sha256_hex(const void *data, size_t n_bytes, char hex[65])
{
    BCRYPT_ALG_HANDLE algorithm = NULL;
    BCRYPT_HASH_HANDLE hash = NULL;
    uint8_t digest[32] = {0};
    BCryptOpenAlgorithmProvider(&algorithm, BCRYPT_SHA256_ALGORITHM, NULL, 0);
    BCryptCreateHash(algorithm, &hash, NULL, 0, NULL, 0, 0);
    for (size_t i = 0, n = 0; i < n_bytes; i += n) {
        n = n_bytes - i < 1u << 31 ? n_bytes - i : 1u << 31;
        BCryptHashData(hash, (uint8_t *)data + i, (ULONG)n, 0);
    }
    BCryptFinishHash(hash, digest, sizeof digest, 0);
    BCryptDestroyHash(hash);
    BCryptCloseAlgorithmProvider(algorithm, 0);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
}

/* ---- Terminals */

/* A console obeys escape sequences, which mb_os_begin has enabled. */
size_t mb_os_columns(enum mb_stream stream)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    DWORD mode;
    return GetConsoleMode(handle_of(stream), &mode) &&
                   (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0 &&
                   GetConsoleScreenBufferInfo(handle_of(stream), &info)
               ? (size_t)(info.srWindow.Right - info.srWindow.Left + 1)
               : 0;
}

/* ---- Files */

/* A folder can be opened only with FILE_FLAG_BACKUP_SEMANTICS. */
static HANDLE open_handle(const char *path)
{
    return CreateFileA(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                       OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

static void find_facts(HANDLE handle, struct mb_file_facts *facts)
{
    BY_HANDLE_FILE_INFORMATION info = {0};
    const bool is_folder = GetFileInformationByHandle(handle, &info) &&
                           (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    *facts = (struct mb_file_facts){
        .kind = is_folder                               ? MB_KIND_FOLDER
                : GetFileType(handle) == FILE_TYPE_DISK ? MB_KIND_FILE
                                                        : MB_KIND_OTHER,
        .n_bytes = (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow,
        .volume = info.dwVolumeSerialNumber,
        .index = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow,
    };
}

int mb_os_look(const char *path, struct mb_file_facts *facts)
{
    const HANDLE handle = open_handle(path);
    if (handle == INVALID_HANDLE_VALUE) {
        return _access(path, 0) != 0 ? errno : EACCES; /* CreateFileA sets no errno */
    }
    find_facts(handle, facts);
    CloseHandle(handle);
    return 0;
}

int mb_os_look_at(int fd, struct mb_file_facts *facts)
{
    find_facts(handle_of(fd), facts);
    return 0;
}

/* After the reader has closed a pipe, writing fails with EINVAL on Windows. */
int mb_os_write_error(int fd)
{
    return errno == EINVAL && GetFileType(handle_of(fd)) == FILE_TYPE_PIPE ? EPIPE : errno;
}

/* Nothing to do: a file inherits the rights of its folder. */
int mb_os_take_mode(int fd, const char *path)
{
    return 0;
}

/* Retries if access is denied, too: another program may just have the file open. */
int mb_os_rename(const char *from, const char *to)
{
    int error = MB_IN_USE;
    for (int i = 0; error == MB_IN_USE && i < MAX_RENAMES; i++) {
        Sleep(i > 0 ? RENAME_GAP_MS : 0);
        const bool is_done =
            MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
        const DWORD code = is_done ? ERROR_SUCCESS : GetLastError();
        const bool is_denied = code == ERROR_ACCESS_DENIED;
        const bool is_kept = is_denied && (GetFileAttributesA(to) & FILE_ATTRIBUTE_READONLY);
        const bool is_open =
            is_denied || code == ERROR_SHARING_VIOLATION || code == ERROR_USER_MAPPED_FILE;
        const int other = code == ERROR_INVALID_NAME ? EINVAL : EIO;
        error = is_done ? 0 : is_kept ? EACCES : is_open ? MB_IN_USE : other;
    }
    return error;
}

/* Locks by a named mutex: an open handle of the folder would prevent renaming its files. */
int mb_os_keep_folder(const char *path)
{
    struct mb_file_facts facts = {.volume = 0};
    char name[64];
    const bool is_known = mb_os_look(path, &facts) == 0;
    snprintf(name, sizeof name, "mipbench-%llx-%llx", (unsigned long long)facts.volume,
             (unsigned long long)facts.index);
    const HANDLE mutex = is_known ? CreateMutexA(NULL, FALSE, name) : NULL;
    return mutex && GetLastError() == ERROR_ALREADY_EXISTS ? EBUSY : 0;
}

/* ---- Where paths lead */

/* ".." removes the name before it from the text, as Windows does. */
int mb_os_resolve(const char *path, char out[MB_PATH_BYTES])
{
    DWORD n = 0;
    const HANDLE handle = open_handle(path);
    if (handle != INVALID_HANDLE_VALUE) {
        n = GetFinalPathNameByHandleA(handle, out, MB_PATH_BYTES, 0);
        CloseHandle(handle);
    }
    if (n == 0 || n >= MB_PATH_BYTES) {
        n = GetFullPathNameA(path, MB_PATH_BYTES, out, NULL);
    }
    if (n == 0 || n >= MB_PATH_BYTES) {
        out[0] = '\0';
        return n == 0 ? ENOENT : ENAMETOOLONG;
    }
    make_slashes(out);
    return 0;
}
