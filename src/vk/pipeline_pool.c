/* Pipelines that are kept and shared: a list. */
#include "vk/pipeline_pool.h"

#include <string.h>

#include "base/alloc.h"

static bool is_like(const struct mb_kept_pipeline *a, const struct mb_kept_pipeline *b)
{
    return a->shader == b->shader && a->vertex == b->vertex &&
           a->target_format == b->target_format &&
           a->push_constant_bytes == b->push_constant_bytes &&
           a->subgroup_size == b->subgroup_size && a->n_invocations == b->n_invocations &&
           memcmp(a->constants, b->constants, a->shader->n_constants * sizeof *a->constants) ==
               0;
}

struct mb_kept_pipeline *mb_kept_pipeline_find(struct mb_kept_pipeline *list,
                                               const struct mb_kept_pipeline *wanted)
{
    while (list && !is_like(list, wanted)) {
        list = list->next;
    }
    return list;
}

void mb_kept_pipelines_destroy(struct mb_kept_pipeline *list, VkDevice device)
{
    while (list) {
        struct mb_kept_pipeline *next = list->next;
        vkDestroyPipeline(device, list->pipeline, NULL);
        vkDestroyPipelineLayout(device, list->layout, NULL);
        for (uint32_t i = 0; i < MB_MAX_SETS; i++) {
            vkDestroyDescriptorSetLayout(device, list->set_layouts[i], NULL);
        }
        mb_free(list);
        list = next;
    }
}
