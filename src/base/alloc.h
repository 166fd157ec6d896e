/* The allocator that the whole program uses, so that tests can make the Nth allocation fail and
 * count the blocks that are alive. Thread-safe. libdeflate, cJSON and stb_image use it too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `count` zeroed elements of `elem_bytes`, or NULL (no memory, overflow, or an injected
 * failure). A zero-size request returns a unique pointer. Owned by the caller: mb_free. */
void *mb_alloc(size_t count, size_t elem_bytes);

/* malloc and realloc with the same rules; `mb_malloc` leaves memory uninitialised. */
void *mb_malloc(size_t bytes);
void *mb_realloc(void *ptr, size_t bytes);

/* Make room for one more element behind the first `n`. Returns `items`, or a larger copy if the
 * array was full, or NULL without memory, which leaves `items` valid. Only for arrays that
 * mb_grow() has allocated. */
void *mb_grow(void *items, size_t n, size_t elem_bytes);

/* Accepts NULL. */
void mb_free(void *ptr);

/* Declares a local pointer that is freed when it goes out of scope: MB_FREED char *text = ...
 */
#define MB_FREED __attribute__((cleanup(mb_free_at)))
void mb_free_at(void *pointer); /* the address of the pointer */

/* A copy of `text`, or NULL. Owned by the caller: mb_free. */
char *mb_strdup(const char *text);

/* Fault injection, for tests: fail the `nth` allocation from now (1 is the next; 0 never), and,
 * if `sticky`, every one after it. */
void mb_alloc_fail_nth(uint64_t nth, bool sticky);

/* Blocks allocated and not yet freed. */
uint64_t mb_alloc_live_count(void);
