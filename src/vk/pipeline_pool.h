/* Pipelines that are kept and shared, since the same kernels are set up again and again, on the
 * images of a rotation or at other sizes. */
#ifndef MB_VK_PIPELINE_POOL_H
#define MB_VK_PIPELINE_POOL_H

#include "vk/pipeline.h"

/* Everything that a pipeline depends on; compared byte by byte, so zero it before it is filled.
 */
struct mb_pipeline_key {
    const struct mb_shader *shader, *vertex;
    VkFormat target_format;
    struct mb_binding bindings[MB_MAX_BINDINGS];
    uint32_t spec_ids[MB_MAX_SPEC_CONSTANTS + MB_N_SHARED_CONSTANTS];
    uint32_t spec_values[MB_MAX_SPEC_CONSTANTS + MB_N_SHARED_CONSTANTS];
    uint32_t n_spec_constants;
    uint32_t push_constant_bytes;
    uint32_t subgroup_size, n_invocations;
};

struct mb_pipeline {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

struct mb_pipeline_pool;

/* NULL without memory. */
struct mb_pipeline_pool *mb_pipeline_pool_create(void);
/* Destroys all pipelines in it; nothing may use them any more. Accepts NULL. */
void mb_pipeline_pool_destroy(struct mb_pipeline_pool *pool, VkDevice device);

/* False if there is none of this key. */
bool mb_pipeline_pool_find(const struct mb_pipeline_pool *pool,
                           const struct mb_pipeline_key *key, struct mb_pipeline *pipeline);

/* Take a pipeline over. False without memory: it stays the caller's. */
bool mb_pipeline_pool_add(struct mb_pipeline_pool *pool, const struct mb_pipeline_key *key,
                          const struct mb_pipeline *pipeline);

#endif
