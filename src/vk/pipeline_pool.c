/* Pipelines that are kept and shared: a list, searched from its end. */
#include "vk/pipeline_pool.h"

#include <string.h>

#include "base/alloc.h"

struct entry {
    struct mb_pipeline_key key;
    struct mb_pipeline pipeline;
};

struct mb_pipeline_pool {
    struct entry *entries; /* owned */
    size_t n_entries;
};

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
        const struct mb_pipeline *pipeline = &pool->entries[i].pipeline;
        vkDestroyPipeline(device, pipeline->pipeline, NULL);
        vkDestroyPipelineLayout(device, pipeline->layout, NULL);
        vkDestroyDescriptorSetLayout(device, pipeline->set_layout, NULL);
    }
    mb_free(pool->entries);
    mb_free(pool);
}

bool mb_pipeline_pool_find(const struct mb_pipeline_pool *pool,
                           const struct mb_pipeline_key *key, struct mb_pipeline *pipeline)
{
    for (size_t i = pool->n_entries; i > 0; i--) {
        const struct entry *entry = &pool->entries[i - 1];
        if (memcmp(&entry->key, key, sizeof *key) == 0) {
            *pipeline = entry->pipeline;
            return true;
        }
    }
    return false;
}

bool mb_pipeline_pool_add(struct mb_pipeline_pool *pool, const struct mb_pipeline_key *key,
                          const struct mb_pipeline *pipeline)
{
    struct entry *entries = mb_realloc(pool->entries, (pool->n_entries + 1) * sizeof *entries);
    if (!entries) {
        return false;
    }
    pool->entries = entries;
    entries[pool->n_entries++] = (struct entry){.key = *key, .pipeline = *pipeline};
    return true;
}
