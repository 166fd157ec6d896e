/* What the driver says of a compiled pipeline. */
#include "vk/pipeline_facts.h"

#include <stdio.h>

#include "base/text.h"
#include "vk/gpu.h"

#define MAX_EXECUTABLES 4
#define MAX_STATISTICS  32

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

static enum mb_status read_executable(const struct mb_gpu *gpu, VkPipeline pipeline,
                                      uint32_t index, const char *name,
                                      struct mb_pipeline_facts *facts, struct mb_err *err)
{
    VkPipelineExecutableStatisticKHR statistics[MAX_STATISTICS];
    uint32_t n = MAX_STATISTICS;
    const VkPipelineExecutableInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
        .pipeline = pipeline,
        .executableIndex = index,
    };
    for (uint32_t i = 0; i < MAX_STATISTICS; i++) {
        statistics[i] = (VkPipelineExecutableStatisticKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
    }
    MB_DO(MB_VK(vkGetPipelineExecutableStatisticsKHR(gpu->device, &info, &n, statistics)));
    for (uint32_t i = 0; i < n && facts->n < MB_MAX_FACTS; i++) {
        struct mb_pipeline_fact *fact = &facts->fact[facts->n++];
        fact->pipeline = facts->n_pipelines;
        snprintf(fact->shader, sizeof fact->shader, "%s", name);
        mb_utf8_sanitize(statistics[i].name, fact->name, sizeof fact->name);
        fact->value = value_of(&statistics[i]);
    }
    return MB_OK;
}

enum mb_status mb_pipeline_facts_read(const struct mb_gpu *gpu, VkPipeline pipeline,
                                      const char *name, struct mb_pipeline_facts *facts,
                                      struct mb_err *err)
{
    VkPipelineExecutablePropertiesKHR properties[MAX_EXECUTABLES];
    uint32_t n = MAX_EXECUTABLES;
    const VkPipelineInfoKHR which = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR,
        .pipeline = pipeline,
    };
    for (uint32_t i = 0; i < MAX_EXECUTABLES; i++) {
        properties[i] = (VkPipelineExecutablePropertiesKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
    }
    MB_DO(MB_VK(vkGetPipelineExecutablePropertiesKHR(gpu->device, &which, &n, properties)));
    for (uint32_t i = 0; i < n; i++) {
        if (properties[i].stages != VK_SHADER_STAGE_VERTEX_BIT) {
            MB_DO(read_executable(gpu, pipeline, i, name, facts, err));
        }
    }
    facts->n_pipelines++;
    return MB_OK;
}
