/* All heap use of the program: one small allocator, so that tests can make the Nth allocation
 * fail and count what is alive. Thread-safe. libdeflate, cJSON and stb_image are given the same
 * functions. */
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

/* Room for one more element behind `n`: `items`, or where that is full a larger copy in its
 * place, or NULL without memory; `items` is still there then. Only for arrays that grow by it.
 */
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
