/* Allocations of the program that fail: --wrap=mb_alloc and its like lead here. */
#include "base/alloc.h"
#include "fault.h"
#include "vk/pipeline_pool.h"

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

/* What cannot be shared is made once more: a run does without the pool. */
static const struct mb_fault_function growth = {
    .name = "mb_realloc of the pool",
    .results = {{.code = 1, .text = "out of memory"}},
    .may_be_ignored = true,
};

static _Thread_local bool is_pool_growing;

bool __real_mb_pipeline_pool_add(struct mb_pipeline_pool *pool, void *key, size_t key_bytes,
                                 const struct mb_pipeline_objects *objects);
bool __wrap_mb_pipeline_pool_add(struct mb_pipeline_pool *pool, void *key, size_t key_bytes,
                                 const struct mb_pipeline_objects *objects);
bool __wrap_mb_pipeline_pool_add(struct mb_pipeline_pool *pool, void *key, size_t key_bytes,
                                 const struct mb_pipeline_objects *objects)
{
    is_pool_growing = true;
    const bool is_added = __real_mb_pipeline_pool_add(pool, key, key_bytes, objects);
    is_pool_growing = false;
    return is_added;
}

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
    const struct mb_fault_function *function = is_pool_growing ? &growth : &allocation;
    return mb_fault_due(MB_FAULT_ALLOCATION, function) ? NULL : __real_mb_realloc(ptr, bytes);
}

char *__wrap_mb_strdup(const char *text)
{
    return mb_fault_due(MB_FAULT_ALLOCATION, &allocation) ? NULL : __real_mb_strdup(text);
}
