/* The program's allocator: malloc that counts live blocks and can fail on request. Its only
 * state is three atomics, as several threads allocate at once. */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* No object may be larger (C11 6.5.6), and sanitizers abort at larger requests. */
#define MAX_BYTES ((size_t)PTRDIFF_MAX)

#define LEAST_ELEMENTS 8u /* first capacity of a growing array; a power of two */

static _Atomic uint64_t n_live;
static _Atomic uint64_t fail_countdown; /* 1: the next allocation fails; 0: none does */
static _Atomic bool fail_sticky;

/* Count down; true for the allocation that must fail and, if sticky, for all after it. */
static bool must_fail(void)
{
    uint64_t left = atomic_load(&fail_countdown);
    while (left != 0) {
        if (left == 1 && atomic_load(&fail_sticky)) {
            return true;
        }
        if (atomic_compare_exchange_weak(&fail_countdown, &left, left - 1)) {
            return left == 1;
        }
    }
    return false;
}

static void *counted(void *ptr)
{
    if (ptr != NULL) {
        atomic_fetch_add(&n_live, 1);
    }
    return ptr;
}

void *mb_alloc(size_t count, size_t elem_bytes)
{
    if (must_fail() || (elem_bytes != 0 && count > MAX_BYTES / elem_bytes)) {
        return NULL;
    }
    /* For zero bytes calloc may return NULL, which callers would take for a failure. */
    return counted(count == 0 || elem_bytes == 0 ? calloc(1, 1) : calloc(count, elem_bytes));
}

void *mb_malloc(size_t bytes)
{
    if (must_fail() || bytes > MAX_BYTES) {
        return NULL;
    }
    return counted(malloc(bytes == 0 ? 1 : bytes));
}

void *mb_realloc(void *ptr, size_t bytes)
{
    if (ptr == NULL) {
        return mb_malloc(bytes);
    }
    if (must_fail() || bytes > MAX_BYTES) {
        return NULL;
    }
    return realloc(ptr, bytes == 0 ? 1 : bytes);
}

void *mb_grow(void *items, size_t n, size_t elem_bytes)
{
    const bool is_full = n == 0 || (n >= LEAST_ELEMENTS && (n & (n - 1)) == 0);
    const size_t capacity = n == 0 ? LEAST_ELEMENTS : 2 * n;
    return is_full ? mb_realloc(items, capacity * elem_bytes) : items;
}

void mb_free(void *ptr)
{
    if (ptr != NULL) {
        atomic_fetch_sub(&n_live, 1);
        free(ptr);
    }
}

void mb_free_at(void *pointer)
{
    mb_free(*(void **)pointer);
}

char *mb_strdup(const char *text)
{
    const size_t n_bytes = strlen(text) + 1;
    char *copy = mb_malloc(n_bytes);
    if (copy != NULL) {
        memcpy(copy, text, n_bytes);
    }
    return copy;
}

void mb_alloc_fail_nth(uint64_t nth, bool sticky)
{
    atomic_store(&fail_countdown, 0);
    atomic_store(&fail_sticky, sticky);
    atomic_store(&fail_countdown, nth);
}

uint64_t mb_alloc_live_count(void)
{
    return atomic_load(&n_live);
}
