/* What test_windows.py needs done on Windows itself.
 *
 * on_windows hold FILE MS               keep a file open, as most programs do
 * on_windows ctrl-c MS PROGRAM ARG...   run a program on a console of its own, and press Ctrl-C
 * on_windows console FILE PROGRAM ARG... run a program on a console of code page 850; the file
 *                                       gets its code page after that, and what it shows, in
 *                                       UTF-8
 *
 * As python3.exe: run Linux's python3, as wine can, by "-B SCRIPT --out=PAGE ...". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <windows.h>

static void check(int is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "on_windows: %s failed: %lu\n", what, GetLastError());
        exit(99);
    }
}

static int hold(wchar_t **argv)
{
    const HANDLE file =
        CreateFileW(argv[2], GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    check(file != INVALID_HANDLE_VALUE, "CreateFile");
    puts("held");
    fflush(stdout);
    Sleep((DWORD)_wtoi(argv[3]));
    return 0;
}

/* Start the program of `argv` on this process's console, or by its own handles. */
static HANDLE start(wchar_t **argv, HANDLE console)
{
    static wchar_t line[32768];
    PROCESS_INFORMATION process;
    STARTUPINFOW info = {.cb = sizeof info};
    for (; *argv; argv++) {
        wcscat(wcscat(wcscat(line, L"\""), *argv), L"\" ");
    }
    if (console) {
        info.dwFlags = STARTF_USESTDHANDLES;
        info.hStdOutput = info.hStdError = console;
    }
    check(CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &info, &process),
          "CreateProcess");
    return process.hProcess;
}

static int wait(HANDLE process)
{
    DWORD code;
    WaitForSingleObject(process, INFINITE);
    GetExitCodeProcess(process, &code);
    return (int)code;
}

static void use_new_console(void)
{
    FreeConsole();
    check(AllocConsole(), "AllocConsole");
}

static int ctrl_c(wchar_t **argv)
{
    use_new_console();
    const HANDLE process = start(argv + 3, NULL);
    Sleep((DWORD)_wtoi(argv[2]));
    SetConsoleCtrlHandler(NULL, TRUE); /* not for this one */
    check(GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0), "GenerateConsoleCtrlEvent");
    return wait(process);
}

static int console(wchar_t **argv)
{
    static wchar_t shown[200 * 100];
    static char text[3 * 200 * 100];
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    use_new_console();
    const HANDLE screen =
        CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE,
                    FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, NULL);
    check(screen != INVALID_HANDLE_VALUE, "CONOUT$");
    check(SetConsoleScreenBufferSize(screen, (COORD){200, 100}), "SetConsoleScreenBufferSize");
    check(SetConsoleOutputCP(850), "SetConsoleOutputCP");
    const int code = wait(start(argv + 3, screen));
    DWORD n = 0;
    check(ReadConsoleOutputCharacterW(screen, shown, 200 * 100, (COORD){0, 0}, &n), "read");
    WideCharToMultiByte(CP_UTF8, 0, shown, (int)n, text, sizeof text - 1, NULL, NULL);
    FILE *file = _wfopen(argv[2], L"wb");
    check(file != NULL, "fopen");
    fprintf(file, "%u\n%s\n", GetConsoleOutputCP(), text);
    fclose(file);
    return code;
}

/* "Z:/a" is "/a" to Linux. Wine has no handle of a Linux process: its page is waited for. */
static int python(wchar_t **argv)
{
    static wchar_t program[] = L"Z:\\usr\\bin\\python3";
    argv[0] = program;
    for (wchar_t **arg = argv + 1; *arg; arg++) {
        wchar_t *drive = wcsstr(*arg, L"Z:/");
        if (drive) {
            wmemmove(drive, drive + 2, wcslen(drive + 2) + 1);
        }
    }
    const wchar_t *page = wcsstr(argv[3], L"=") + 1;
    start(argv, NULL);
    for (int i = 0; i < 1200; i++) {
        if (GetFileAttributesW(page) != INVALID_FILE_ATTRIBUTES) {
            return 0;
        }
        Sleep(50);
    }
    return 1;
}

int wmain(int argc, wchar_t **argv)
{
    if (wcsstr(argv[0], L"python3")) {
        return python(argv);
    }
    if (argc == 4 && wcscmp(argv[1], L"hold") == 0) {
        return hold(argv);
    }
    if (argc > 3 && wcscmp(argv[1], L"ctrl-c") == 0) {
        return ctrl_c(argv);
    }
    if (argc > 3 && wcscmp(argv[1], L"console") == 0) {
        return console(argv);
    }
    fprintf(stderr, "on_windows: what?\n");
    return 99;
}
