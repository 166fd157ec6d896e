/* What the driver says of a compiled pipeline. */
#include "vk/pipeline_facts.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/text.h"
#include "vk/gpu.h"

#define MAX_EXECUTABLES 16u  /* of a pipeline; others are left out */
#define MAX_STATISTICS  128u /* of an executable */

static double value_of(const VkPipelineExecutableStatisticKHR *statistic)
{
    switch (statistic->format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
        return statistic->value.b32 ? 1.0 : 0.0;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
        return (double)statistic->value.i64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
        return (double)statistic->value.u64;
    default:
        return statistic->value.f64;
    }
}

static enum mb_status add_fact(struct mb_pipeline_facts *facts,
                               const VkPipelineExecutableStatisticKHR *statistic,
                               struct mb_err *err)
{
    struct mb_pipeline_fact *longer = mb_grow(facts->facts, facts->n_facts, sizeof *longer);
    MB_DO(MB_NEED(longer, "pipeline facts"));
    facts->facts = longer;
    struct mb_pipeline_fact *fact = &facts->facts[facts->n_facts++];
    fact->executable = (uint32_t)facts->n_executables - 1;
    mb_utf8_sanitize(statistic->name, fact->name, sizeof fact->name);
    fact->value = value_of(statistic);
    return MB_OK;
}

/* Append the statistics of the executable that was appended last. */
static enum mb_status read_statistics(const struct mb_gpu *gpu, VkPipeline pipeline,
                                      uint32_t index, struct mb_pipeline_facts *facts,
                                      struct mb_err *err)
{
    VkPipelineExecutableStatisticKHR statistics[MAX_STATISTICS] = {{0}};
    uint32_t n = MAX_STATISTICS;
    const VkPipelineExecutableInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
        .pipeline = pipeline,
        .executableIndex = index,
    };
    for (uint32_t i = 0; i < n; i++) {
        statistics[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    }
    MB_DO(MB_VK(vkGetPipelineExecutableStatisticsKHR(gpu->device, &info, &n, statistics)));
    for (uint32_t i = 0; i < n; i++) {
        MB_DO(add_fact(facts, &statistics[i], err));
    }
    return MB_OK;
}

/* Append an executable of the pipeline that is being added. */
static enum mb_status add_executable(struct mb_pipeline_facts *facts, const char *shader,
                                     const char *name, uint32_t subgroup_size,
                                     struct mb_err *err)
{
    struct mb_executable *longer =
        mb_grow(facts->executables, facts->n_executables, sizeof *longer);
    MB_DO(MB_NEED(longer, "pipeline facts"));
    facts->executables = longer;
    struct mb_executable *executable = &facts->executables[facts->n_executables++];
    *executable = (struct mb_executable){
        .pipeline = facts->n_pipelines,
        .subgroup_size = subgroup_size,
    };
    snprintf(executable->shader, sizeof executable->shader, "%s", shader);
    mb_utf8_sanitize(name, executable->name, sizeof executable->name);
    return MB_OK;
}

static enum mb_status read_executables(const struct mb_gpu *gpu, VkPipeline pipeline,
                                       const char *name, struct mb_pipeline_facts *facts,
                                       struct mb_err *err)
{
    VkPipelineExecutablePropertiesKHR properties[MAX_EXECUTABLES] = {{0}};
    uint32_t n = MAX_EXECUTABLES;
    const VkPipelineInfoKHR which = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR,
        .pipeline = pipeline,
    };
    for (uint32_t i = 0; i < n; i++) {
        properties[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
    }
    MB_DO(MB_VK(vkGetPipelineExecutablePropertiesKHR(gpu->device, &which, &n, properties)));
    for (uint32_t i = 0; i < n; i++) {
        if (properties[i].stages != VK_SHADER_STAGE_VERTEX_BIT) {
            MB_DO(add_executable(facts, name, properties[i].name, properties[i].subgroupSize,
                                 err));
            MB_DO(read_statistics(gpu, pipeline, i, facts, err));
        }
    }
    return MB_OK;
}

enum mb_status mb_pipeline_facts_add(const struct mb_gpu *gpu, VkPipeline pipeline,
                                     const char *name, struct mb_pipeline_facts *facts,
                                     struct mb_err *err)
{
    MB_DO(pipeline ? read_executables(gpu, pipeline, name, facts, err)
                   : add_executable(facts, name, "", 0, err));
    facts->n_pipelines++;
    return MB_OK;
}

void mb_pipeline_facts_finish(struct mb_pipeline_facts *facts)
{
    mb_free(facts->executables);
    mb_free(facts->facts);
    *facts = (struct mb_pipeline_facts){0};
}

void mb_executable_label(const struct mb_pipeline_facts *facts, size_t index, char *out,
                         size_t out_bytes)
{
    const struct mb_executable *executables = facts->executables;
    const struct mb_executable *of = &executables[index];
    const bool has_others =
        (index > 0 && executables[index - 1].pipeline == of->pipeline) ||
        (index + 1 < facts->n_executables && executables[index + 1].pipeline == of->pipeline);
    snprintf(out, out_bytes, "%s%s%s", of->shader, has_others ? ", " : "",
             has_others ? of->name : "");
}
