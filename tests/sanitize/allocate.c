/* malloc and what goes with it for a Vulkan driver in sanitizer runs (preload.c): the C
 * library's, past AddressSanitizer's. What the C library allocates for the driver, as in
 * strdup, is still AddressSanitizer's, and is freed there. */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own names. */
void *__libc_malloc(size_t n_bytes);
void *__libc_calloc(size_t n, size_t n_bytes);
void *__libc_realloc(void *memory, size_t n_bytes);
void *__libc_memalign(size_t alignment, size_t n_bytes);
void __libc_free(void *memory);

/* sanitizer/allocator_interface.h */
int __sanitizer_get_ownership(const volatile void *memory);
size_t __sanitizer_get_allocated_size(const volatile void *memory);

static bool is_sanitizers(const void *memory)
{
    return memory && __sanitizer_get_ownership(memory);
}

static void free_sanitizers(void *memory)
{
    void (*const free_it)(void *) =
        (void (*)(void *))dlsym(dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD), "free");
    free_it(memory);
}

void *malloc(size_t n_bytes)
{
    return __libc_malloc(n_bytes);
}

void *calloc(size_t n, size_t n_bytes)
{
    return __libc_calloc(n, n_bytes);
}

void *realloc(void *memory, size_t n_bytes)
{
    if (!is_sanitizers(memory)) {
        return __libc_realloc(memory, n_bytes);
    }
    const size_t n_old = __sanitizer_get_allocated_size(memory);
    void *moved = __libc_malloc(n_bytes);
    if (moved) {
        memcpy(moved, memory, n_old < n_bytes ? n_old : n_bytes);
        free_sanitizers(memory);
    }
    return moved;
}

/* Of which the C library's own would call AddressSanitizer's. */
void *reallocarray(void *memory, size_t n, size_t n_bytes)
{
    if (n_bytes != 0 && n > SIZE_MAX / n_bytes) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(memory, n * n_bytes);
}

void *memalign(size_t alignment, size_t n_bytes)
{
    return __libc_memalign(alignment, n_bytes);
}

void *aligned_alloc(size_t alignment, size_t n_bytes)
{
    return __libc_memalign(alignment, n_bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t n_bytes)
{
    *memory = __libc_memalign(alignment, n_bytes);
    return *memory ? 0 : ENOMEM;
}

void free(void *memory)
{
    if (is_sanitizers(memory)) {
        free_sanitizers(memory);
    } else {
        __libc_free(memory);
    }
}
