/* Pipelines that are kept and shared: a list, searched from its end. */
#include "vk/pipeline_pool.h"

#include <string.h>

#include "base/alloc.h"

struct entry {
    void *key; /* owned */
    size_t key_bytes;
    struct mb_pipeline_objects objects;
};

struct mb_pipeline_pool {
    struct entry *entries; /* owned */
    size_t n_entries;
};

void mb_pipeline_objects_destroy(const struct mb_pipeline_objects *objects, VkDevice device)
{
    vkDestroyPipeline(device, objects->pipeline, NULL);
    vkDestroyPipelineLayout(device, objects->layout, NULL);
    for (uint32_t i = 0; i < MB_MAX_SETS; i++) {
        vkDestroyDescriptorSetLayout(device, objects->set_layouts[i], NULL);
    }
}

struct mb_pipeline_pool *mb_pipeline_pool_create(void)
{
    return mb_alloc(1, sizeof(struct mb_pipeline_pool));
}

void mb_pipeline_pool_destroy(struct mb_pipeline_pool *pool, VkDevice device)
{
    if (!pool) {
        return;
    }
    for (size_t i = 0; i < pool->n_entries; i++) {
        mb_pipeline_objects_destroy(&pool->entries[i].objects, device);
        mb_free(pool->entries[i].key);
    }
    mb_free(pool->entries);
    mb_free(pool);
}

bool mb_pipeline_pool_find(const struct mb_pipeline_pool *pool, const void *key,
                           size_t key_bytes, struct mb_pipeline_objects *objects)
{
    for (size_t i = pool->n_entries; i > 0; i--) {
        const struct entry *entry = &pool->entries[i - 1];
        if (entry->key_bytes == key_bytes && memcmp(entry->key, key, key_bytes) == 0) {
            *objects = entry->objects;
            return true;
        }
    }
    return false;
}

bool mb_pipeline_pool_add(struct mb_pipeline_pool *pool, void *key, size_t key_bytes,
                          const struct mb_pipeline_objects *objects)
{
    struct entry *entries = mb_realloc(pool->entries, (pool->n_entries + 1) * sizeof *entries);
    if (!entries) {
        return false;
    }
    pool->entries = entries;
    entries[pool->n_entries++] =
        (struct entry){.key = key, .key_bytes = key_bytes, .objects = *objects};
    return true;
}
