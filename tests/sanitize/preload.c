/* Preloaded in sanitizer runs (scripts/test.sh). Keeps Vulkan drivers mapped until the end, so
 * that the leak checker sees who still points at their memory, and reports have names. And
 * loads llvmpipe's driver behind allocate.c: more than half of a run's time went into what
 * AddressSanitizer kept about its memory. What the driver does with the program's memory, and
 * the program with memory that the driver maps, is watched where MB_SANITIZE_DRIVER is set, and
 * not elsewhere. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int dlclose(void *handle)
{
    return 0;
}

void *dlopen(const char *name, int mode)
{
    void *(*const next)(const char *, int) =
        (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    const bool is_watched = getenv("MB_SANITIZE_DRIVER") != NULL;
    if (name && strstr(name, "libvulkan_lvp") && !is_watched) {
        /* Needs allocate.c and the driver, in this order, and is where their calls are looked
         * up first. */
        next(MB_DRIVER, RTLD_NOW | RTLD_DEEPBIND);
    }
    return next(name, mode);
}
