/* Pipelines that are kept and shared, since the same kernels are set up again and again, on the
 * images of a rotation or at other sizes. */
#ifndef MB_VK_PIPELINE_POOL_H
#define MB_VK_PIPELINE_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include <volk.h>

#include "vk/shader.h"

struct mb_pipeline_objects {
    VkDescriptorSetLayout set_layouts[MB_MAX_SETS]; /* null beyond those there are */
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

void mb_pipeline_objects_destroy(const struct mb_pipeline_objects *objects, VkDevice device);

struct mb_pipeline_pool;

/* NULL without memory. */
struct mb_pipeline_pool *mb_pipeline_pool_create(void);
/* Destroys all pipelines in it; nothing may use them any more. Accepts NULL. */
void mb_pipeline_pool_destroy(struct mb_pipeline_pool *pool, VkDevice device);

/* `key`: everything that a pipeline depends on. False if there is none of this key. */
bool mb_pipeline_pool_find(const struct mb_pipeline_pool *pool, const void *key,
                           size_t key_bytes, struct mb_pipeline_objects *objects);

/* Take a pipeline over, and its key, which is from mb_alloc. False without memory: they stay
 * the caller's. */
bool mb_pipeline_pool_add(struct mb_pipeline_pool *pool, void *key, size_t key_bytes,
                          const struct mb_pipeline_objects *objects);

#endif
