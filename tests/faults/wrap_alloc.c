/* Allocations of the program that fail: --wrap=mb_alloc and its like lead here. */
#include "base/alloc.h"
#include "fault.h"

void *__real_mb_alloc(size_t count, size_t elem_bytes);
void *__real_mb_malloc(size_t bytes);
void *__real_mb_realloc(void *ptr, size_t bytes);
char *__real_mb_strdup(const char *text);
void *__wrap_mb_alloc(size_t count, size_t elem_bytes);
void *__wrap_mb_malloc(size_t bytes);
void *__wrap_mb_realloc(void *ptr, size_t bytes);
char *__wrap_mb_strdup(const char *text);

static const struct mb_fault_function allocation = {
    .name = "mb_alloc",
    .results = {{.code = 1, .text = "out of memory"}},
};

void *__wrap_mb_alloc(size_t count, size_t elem_bytes)
{
    return mb_fault_due(MB_FAULT_ALLOCATION, &allocation) ? NULL
                                                          : __real_mb_alloc(count, elem_bytes);
}

void *__wrap_mb_malloc(size_t bytes)
{
    return mb_fault_due(MB_FAULT_ALLOCATION, &allocation) ? NULL : __real_mb_malloc(bytes);
}

void *__wrap_mb_realloc(void *ptr, size_t bytes)
{
    return mb_fault_due(MB_FAULT_ALLOCATION, &allocation) ? NULL
                                                          : __real_mb_realloc(ptr, bytes);
}

char *__wrap_mb_strdup(const char *text)
{
    return mb_fault_due(MB_FAULT_ALLOCATION, &allocation) ? NULL : __real_mb_strdup(text);
}
