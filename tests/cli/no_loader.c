/* Preloaded by test_bad_input.py: a machine without the Vulkan loader. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

void *dlopen(const char *path, int flags)
{
    void *(*next)(const char *, int) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&next, &symbol, sizeof next);
    return path && strstr(path, "libvulkan.so") ? NULL : next(path, flags);
}
