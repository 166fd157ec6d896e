/* Windows 7 and later: paths and arguments are UTF-16 there, and a backslash is as good as a
 * slash. Symbolic links are followed where they lead to something. */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <windows.h>

#include <bcrypt.h>
#include <shellapi.h>

#include "base/alloc.h"
#include "base/path.h"
#include "base/strbuf.h"

#define MAX_RENAMES   20 /* in one second: scanners of viruses hold what is new for a moment */
#define RENAME_GAP_MS 50
#define MAX_LINE      32767 /* characters, as CreateProcess takes */

/* ---- Text and errors */

/* A path as the system has it, less slashes at its end, which it would look for a name behind;
 * "" if it is no UTF-8 or too long, which nothing is found by. */
static const wchar_t *wide(const char *path, wchar_t out[MB_PATH_BYTES])
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/' && path[n - 2] != ':') {
        n--;
    }
    const int n_wide = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, (int)n, out,
                                           MB_PATH_BYTES - 1);
    out[n_wide] = L'\0';
    return out;
}

/* UTF-8 with slashes, or "" if it does not fit. */
static void narrow(const wchar_t *text, char *out, size_t out_bytes)
{
    if (WideCharToMultiByte(CP_UTF8, 0, text, -1, out, (int)out_bytes, NULL, NULL) == 0) {
        out[0] = '\0';
    }
    for (char *c = strchr(out, '\\'); c != NULL; c = strchr(c, '\\')) {
        *c = '/';
    }
}

static int last_error(void)
{
    static const struct {
        DWORD code;
        int error;
    } table[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},    {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},      {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},     {ERROR_SHARING_VIOLATION, EBUSY},
        {ERROR_USER_MAPPED_FILE, EBUSY},   {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},    {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_DISK_FULL, ENOSPC},         {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM}, {ERROR_BAD_EXE_FORMAT, ENOEXEC},
    };
    const DWORD code = GetLastError();
    for (size_t i = 0; i < MB_COUNTOF(table); i++) {
        if (table[i].code == code) {
            return table[i].error;
        }
    }
    return EIO;
}

const char *mb_os_error_text(int error)
{
    return error == EBUSY ? "another program has it open" : strerror(error);
}

static unsigned at_most_1_gib(size_t n_bytes)
{
    return n_bytes < 1u << 30 ? (unsigned)n_bytes : 1u << 30;
}

/* ---- The process */

/* Of what mipbench takes, only paths have backslashes. */
static char **utf8_arguments(int *argc)
{
    wchar_t **given = CommandLineToArgvW(GetCommandLineW(), argc);
    char **argv = given ? mb_alloc((size_t)*argc + 1, sizeof *argv) : NULL;
    for (int i = 0; argv && i < *argc; i++) {
        const size_t n_bytes = 3 * wcslen(given[i]) + 1;
        argv[i] = mb_alloc(n_bytes, 1);
        if (!argv[i]) {
            return NULL;
        }
        narrow(given[i], argv[i], n_bytes);
    }
    LocalFree(given);
    return argv;
}

static HANDLE handle_of(enum mb_stream stream)
{
    return GetStdHandle(stream == MB_STDOUT ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

/* The console belongs to the shell, which goes on with the code page that it had. */
static UINT code_page_before;

static void restore_code_page(void)
{
    SetConsoleOutputCP(code_page_before);
}

void mb_os_begin(int *argc, char ***argv)
{
    int n = 0;
    char **arguments = utf8_arguments(&n);
    if (arguments) {
        *argc = n;
        *argv = arguments;
    }
    setvbuf(stderr, NULL, _IOFBF, 1u << 14); /* else each byte is written by itself */
    _setmode(MB_STDOUT, _O_BINARY);
    _setmode(MB_STDERR, _O_BINARY);
    code_page_before = GetConsoleOutputCP();
    if (code_page_before != 0 && code_page_before != CP_UTF8 && SetConsoleOutputCP(CP_UTF8)) {
        atexit(restore_code_page);
    }
    for (enum mb_stream stream = MB_STDOUT; stream <= MB_STDERR; stream++) {
        DWORD mode;
        if (GetConsoleMode(handle_of(stream), &mode)) {
            SetConsoleMode(handle_of(stream), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
        }
    }
}

/* The C library resets a signal before it calls its handler. */
void mb_os_catch_signals(void (*on_signal)(int number))
{
    signal(SIGINT, on_signal);
    signal(SIGBREAK, on_signal);
    signal(SIGTERM, on_signal);
}

/* The C library has reset the signal before it calls its handler. */
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

long mb_os_process_id(void)
{
    return (long)GetCurrentProcessId();
}

void mb_os_variable(const char *name, char out[MB_PATH_BYTES])
{
    wchar_t wide_name[MB_PATH_BYTES], value[MB_PATH_BYTES];
    const DWORD n = GetEnvironmentVariableW(wide(name, wide_name), value, MB_PATH_BYTES);
    narrow(n < MB_PATH_BYTES ? value : L"", out, MB_PATH_BYTES);
    out[n == 0 ? 0 : strlen(out)] = '\0';
}

void mb_os_set(const char *name, const char *value)
{
    SetEnvironmentVariableA(name, value);
}

void mb_os_set_default(const char *name, const char *value)
{
    if (GetEnvironmentVariableA(name, NULL, 0) == 0) {
        SetEnvironmentVariableA(name, value);
    }
}

void mb_os_program(char out[MB_PATH_BYTES])
{
    wchar_t path[MB_PATH_BYTES];
    const DWORD n = GetModuleFileNameW(NULL, path, MB_PATH_BYTES);
    narrow(n > 0 && n < MB_PATH_BYTES ? path : L"", out, MB_PATH_BYTES);
}

void mb_os_program_folder(char out[MB_PATH_BYTES])
{
    mb_os_program(out);
    char *slash = strrchr(out, '/');
    *(slash ? slash : out) = '\0';
}

void mb_os_working_folder(char out[MB_PATH_BYTES])
{
    wchar_t path[MB_PATH_BYTES];
    const DWORD n = GetCurrentDirectoryW(MB_PATH_BYTES, path);
    narrow(n > 0 && n < MB_PATH_BYTES ? path : L"", out, MB_PATH_BYTES);
}

static bool find_program(const char *name, char out[MB_PATH_BYTES])
{
    char path[MB_PATH_BYTES];
    mb_os_variable("PATH", path);
    for (char *entry = path; *entry;) {
        const size_t n_bytes = strcspn(entry, ";");
        const int n = snprintf(out, MB_PATH_BYTES, "%.*s/%s.exe", (int)n_bytes, entry, name);
        if (n_bytes > 0 && n < MB_PATH_BYTES && mb_os_kind(out) == MB_KIND_FILE) {
            return true;
        }
        entry += n_bytes + (entry[n_bytes] == ';');
    }
    return false;
}

/* The launcher first: a python3.exe may be there only to open a shop. */
bool mb_os_find_python(char out[MB_PATH_BYTES])
{
    return find_program("py", out) || find_program("python3", out) ||
           find_program("python", out);
}

/* Wait until a process is gone, and close it; an exception's code has the sign bit. */
static int take_code(const PROCESS_INFORMATION *process)
{
    DWORD code = 1;
    CloseHandle(process->hThread);
    WaitForSingleObject(process->hProcess, INFINITE);
    GetExitCodeProcess(process->hProcess, &code);
    CloseHandle(process->hProcess);
    return (int)(code & 0x7fffffffu);
}

/* Arguments are paths with slashes, and options: there is no quote and no backslash in them. */
int mb_os_run(const char *const *argv, int *code)
{
    wchar_t path[MB_PATH_BYTES], line[MAX_LINE];
    PROCESS_INFORMATION process;
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    MB_SCOPED(mb_strbuf) text = {0};
    for (size_t i = 0; argv[i]; i++) {
        mb_strbuf_printf(&text, "\"%s\" ", argv[i]);
    }
    if (text.failed || MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.text, -1, line,
                                           MAX_LINE) == 0) {
        return E2BIG;
    }
    const HANDLE nul = CreateFileW(L"NUL", GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                   &inherited, OPEN_EXISTING, 0, NULL);
    STARTUPINFOW info = {
        .cb = sizeof info,
        .dwFlags = STARTF_USESTDHANDLES,
        .hStdInput = GetStdHandle(STD_INPUT_HANDLE),
        .hStdOutput = nul,
        .hStdError = handle_of(MB_STDERR),
    };
    const bool is_started = CreateProcessW(wide(argv[0], path), line, NULL, NULL, TRUE, 0, NULL,
                                           NULL, &info, &process) != 0;
    const int error = is_started ? 0 : last_error();
    *code = is_started ? take_code(&process) : 0;
    CloseHandle(nul);
    return error;
}

/* ---- The host */

uint64_t mb_now_ns(void)
{
    LARGE_INTEGER ticks, per_s;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&per_s);
    const uint64_t n = (uint64_t)ticks.QuadPart, hz = (uint64_t)per_s.QuadPart;
    return n / hz * UINT64_C(1000000000) + n % hz * UINT64_C(1000000000) / hz;
}

uint32_t mb_os_processors(void)
{
    DWORD_PTR ours = 0, all = 0;
    uint32_t n = 0;
    GetProcessAffinityMask(GetCurrentProcess(), &ours, &all);
    for (; ours != 0; ours &= ours - 1) {
        n++;
    }
    return n > 0 ? n : 1; /* 0: this process is in several groups of processors */
}

static void read_registry(const wchar_t *key, const wchar_t *name, char *out, size_t out_bytes)
{
    wchar_t value[128];
    DWORD n_bytes = sizeof value;
    const bool is_there = RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, NULL,
                                       value, &n_bytes) == ERROR_SUCCESS;
    narrow(is_there ? value : L"unknown", out, out_bytes);
}

void mb_os_describe_host(struct mb_host_info *host)
{
    static const wchar_t windows[] = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
    char build[64];
    *host = (struct mb_host_info){.n_cores = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS)};
    read_registry(windows, L"ProductName", host->os, sizeof host->os);
    read_registry(windows, L"CurrentBuildNumber", build, sizeof build);
    snprintf(host->kernel, sizeof host->kernel, "Windows build %s", build);
    read_registry(L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", L"ProcessorNameString",
                  host->cpu, sizeof host->cpu);
}

/* Up to 2 GiB at once: lengths are 32 bits. What cannot fail here is not asked. */
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

/* One that obeys escape sequences, as since Windows 10 all do: mb_os_begin. */
bool mb_os_is_terminal(enum mb_stream stream)
{
    DWORD mode;
    return GetConsoleMode(handle_of(stream), &mode) &&
           (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

size_t mb_os_columns(enum mb_stream stream)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    return GetConsoleScreenBufferInfo(handle_of(stream), &info)
               ? (size_t)(info.srWindow.Right - info.srWindow.Left + 1)
               : 0;
}

bool mb_os_shows_utf8(void)
{
    return true; /* mb_os_begin */
}

/* True if both handles are of one file, which for pipes nothing tells. */
static bool is_same(HANDLE a, HANDLE b)
{
    BY_HANDLE_FILE_INFORMATION x, y;
    return GetFileInformationByHandle(a, &x) && GetFileInformationByHandle(b, &y) &&
           x.dwVolumeSerialNumber == y.dwVolumeSerialNumber &&
           x.nFileIndexHigh == y.nFileIndexHigh && x.nFileIndexLow == y.nFileIndexLow;
}

bool mb_os_is_one_stream(void)
{
    return (mb_os_is_terminal(MB_STDOUT) && mb_os_is_terminal(MB_STDERR)) ||
           is_same(handle_of(MB_STDOUT), handle_of(MB_STDERR));
}

/* ---- Files */

/* A folder has a handle only with "backup semantics". */
static HANDLE open_handle(const char *path, DWORD access)
{
    wchar_t name[MB_PATH_BYTES];
    return CreateFileW(wide(path, name), access,
                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                       OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

static enum mb_kind kind_of(HANDLE handle)
{
    BY_HANDLE_FILE_INFORMATION info = {0};
    switch (GetFileType(handle)) {
    case FILE_TYPE_DISK:
        GetFileInformationByHandle(handle, &info);
        return info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? MB_KIND_FOLDER : MB_KIND_FILE;
    case FILE_TYPE_CHAR:
        return MB_KIND_DEVICE;
    case FILE_TYPE_PIPE:
        return MB_KIND_PIPE;
    default:
        return MB_KIND_OTHER;
    }
}

enum mb_kind mb_os_kind(const char *path)
{
    const HANDLE handle = open_handle(path, 0);
    if (handle == INVALID_HANDLE_VALUE) {
        errno = last_error();
        return MB_KIND_NONE;
    }
    const enum mb_kind kind = kind_of(handle);
    CloseHandle(handle);
    return kind;
}

static int open_fd(const char *path, DWORD access, int *fd)
{
    const HANDLE handle = open_handle(path, access);
    if (handle == INVALID_HANDLE_VALUE) {
        return last_error();
    }
    *fd = _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT);
    if (*fd < 0) {
        CloseHandle(handle);
    }
    return *fd < 0 ? EMFILE : 0;
}

int mb_os_open(const char *path, int *fd)
{
    return open_fd(path, GENERIC_READ, fd);
}

int mb_os_open_in_place(const char *path, int *fd)
{
    return open_fd(path, GENERIC_WRITE, fd);
}

int mb_os_create(const char *path, int *fd)
{
    wchar_t name[MB_PATH_BYTES];
    *fd = _wopen(wide(path, name), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT,
                 _S_IREAD | _S_IWRITE);
    return *fd < 0 ? errno : 0;
}

int mb_os_describe_file(int fd, enum mb_kind *kind, uint64_t *n_bytes)
{
    LARGE_INTEGER n = {.QuadPart = 0};
    const HANDLE handle = (HANDLE)_get_osfhandle(fd);
    *kind = kind_of(handle);
    GetFileSizeEx(handle, &n);
    *n_bytes = (uint64_t)n.QuadPart;
    return 0;
}

int mb_os_read(int fd, void *data, size_t n_bytes, size_t *n_read)
{
    int n = 1;
    for (*n_read = 0; *n_read < n_bytes && n > 0; *n_read += (size_t)n) {
        n = _read(fd, (uint8_t *)data + *n_read, at_most_1_gib(n_bytes - *n_read));
        if (n < 0) {
            return errno;
        }
    }
    return 0;
}

int mb_os_write(int fd, const void *data, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes;) {
        const int n = _write(fd, (const uint8_t *)data + i, at_most_1_gib(n_bytes - i));
        if (n <= 0) {
            /* A pipe whose reader has gone is "invalid" here. */
            const bool is_pipe = kind_of((HANDLE)_get_osfhandle(fd)) == MB_KIND_PIPE;
            return n == 0 ? EIO : is_pipe && errno == EINVAL ? EPIPE : errno;
        }
        i += (size_t)n;
    }
    return 0;
}

/* A file has the rights of its folder. */
int mb_os_take_mode(int fd, const char *path)
{
    return 0;
}

int mb_os_sync(int fd)
{
    return _commit(fd) != 0 ? errno : 0;
}

int mb_os_close(int fd)
{
    return _close(fd) != 0 ? errno : 0;
}

int mb_os_rename(const char *from, const char *to)
{
    wchar_t old_name[MB_PATH_BYTES], new_name[MB_PATH_BYTES];
    int error = EBUSY;
    for (int i = 0; error == EBUSY && i < MAX_RENAMES; i++) {
        Sleep(i > 0 ? RENAME_GAP_MS : 0);
        const bool is_done = MoveFileExW(wide(from, old_name), wide(to, new_name),
                                         MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
        error = is_done ? 0 : last_error();
        if (error == EACCES && !(GetFileAttributesW(new_name) & FILE_ATTRIBUTE_READONLY)) {
            error = EBUSY; /* what a file that is open, and may be deleted, answers */
        }
    }
    return error;
}

void mb_os_remove(const char *path)
{
    wchar_t name[MB_PATH_BYTES];
    DeleteFileW(wide(path, name));
}

int mb_os_make_folder(const char *path)
{
    wchar_t name[MB_PATH_BYTES];
    return CreateDirectoryW(wide(path, name), NULL) ? 0 : last_error();
}

/* By a mutex: a handle of the folder would keep its files from being renamed. */
int mb_os_keep_folder(const char *path)
{
    BY_HANDLE_FILE_INFORMATION info = {0};
    char name[64];
    const HANDLE handle = open_handle(path, 0);
    const bool is_known = GetFileInformationByHandle(handle, &info);
    CloseHandle(handle);
    snprintf(name, sizeof name, "mipbench-%lx-%lx-%lx", info.dwVolumeSerialNumber,
             info.nFileIndexHigh, info.nFileIndexLow);
    const HANDLE mutex = is_known ? CreateMutexA(NULL, FALSE, name) : NULL;
    return mutex && GetLastError() == ERROR_ALREADY_EXISTS ? EBUSY : 0;
}

static enum mb_status add_names(HANDLE search, WIN32_FIND_DATAW *found,
                                struct mb_strlist *names, struct mb_err *err)
{
    do {
        char name[MB_PATH_BYTES];
        narrow(found->cFileName, name, sizeof name);
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            MB_DO(mb_strlist_add(names, err, "%s", name));
        }
    } while (FindNextFileW(search, found));
    return MB_OK;
}

enum mb_status mb_os_list(const char *folder, enum mb_errc code, struct mb_strlist *names,
                          struct mb_err *err)
{
    wchar_t pattern[MB_PATH_BYTES];
    WIN32_FIND_DATAW found;
    MB_FREED char *all = mb_path_join(folder, "*");
    MB_DO(MB_NEED(all, folder));
    const HANDLE search = FindFirstFileW(wide(all, pattern), &found);
    MB_FAIL_IF(search == INVALID_HANDLE_VALUE, err, code, "%s: the folder cannot be read: %s",
               folder, mb_os_error_text(last_error()));
    const enum mb_status status = add_names(search, &found, names, err);
    const bool is_all = GetLastError() == ERROR_NO_MORE_FILES;
    FindClose(search);
    MB_FAIL_IF(status == MB_OK && !is_all, err, code, "%s: the folder cannot be read", folder);
    return status;
}

bool mb_os_is_same_file(const char *a, const char *b)
{
    wchar_t path_a[MB_PATH_BYTES], path_b[MB_PATH_BYTES];
    char text[MB_PATH_BYTES];
    const HANDLE handle_a = open_handle(a, 0), handle_b = open_handle(b, 0);
    const bool has_a = handle_a != INVALID_HANDLE_VALUE;
    const bool has_b = handle_b != INVALID_HANDLE_VALUE;
    bool same =
        has_a && has_b && kind_of(handle_a) == MB_KIND_FILE && is_same(handle_a, handle_b);
    if (!has_a && !has_b && mb_os_resolve(a, text) == 0) {
        wide(text, path_a);
        same = mb_os_resolve(b, text) == 0 &&
               CompareStringOrdinal(path_a, -1, wide(text, path_b), -1, TRUE) == CSTR_EQUAL;
    }
    CloseHandle(handle_a);
    CloseHandle(handle_b);
    return same;
}

/* ---- Where paths lead */

/* ".." is taken from the text, as the system does. */
int mb_os_resolve(const char *path, char out[MB_PATH_BYTES])
{
    wchar_t name[MB_PATH_BYTES], full[MB_PATH_BYTES];
    const size_t n_bytes = strlen(path);
    const char *last = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    out[0] = '\0';
    if (n_bytes == 0 || n_bytes >= MB_PATH_BYTES) {
        return n_bytes == 0 ? ENOENT : ENAMETOOLONG;
    }
    if (last[0] == '\0' || strcmp(last, ".") == 0 || strcmp(last, "..") == 0) {
        return EISDIR;
    }
    const HANDLE handle = open_handle(path, 0);
    DWORD n = 0;
    if (handle != INVALID_HANDLE_VALUE) {
        n = GetFinalPathNameByHandleW(handle, full, MB_PATH_BYTES, 0);
        CloseHandle(handle);
    }
    if (n == 0 || n >= MB_PATH_BYTES) {
        n = GetFullPathNameW(wide(path, name), MB_PATH_BYTES, full, NULL);
    }
    if (n == 0 || n >= MB_PATH_BYTES) {
        return n == 0 ? last_error() : ENAMETOOLONG;
    }
    narrow(full, out, MB_PATH_BYTES);
    return 0;
}

int mb_os_resolve_output(const char *path, char out[MB_PATH_BYTES])
{
    return mb_os_resolve(path, out);
}

bool mb_os_is_absolute(const char *path)
{
    return path[0] == '/' || (path[0] != '\0' && path[1] == ':');
}
