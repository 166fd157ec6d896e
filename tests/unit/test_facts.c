/* What a driver tells of pipelines: of each executable under its own name, however many. */
#include "vk/pipeline_facts.h"

#include <stdio.h>

#include "base/alloc.h"
#include "../stand_in.h"
#include "check.h"
#include "vk/gpu.h"

#define N_EXECUTABLES 6u /* the first is of vertices */
#define N_STATISTICS  70u

static VKAPI_ATTR VkResult VKAPI_CALL properties(VkDevice device, const VkPipelineInfoKHR *info,
                                                 uint32_t *n,
                                                 VkPipelineExecutablePropertiesKHR *list)
{
    *n = N_EXECUTABLES;
    for (uint32_t i = 0; list != NULL && i < *n; i++) {
        list[i].stages = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_COMPUTE_BIT;
        list[i].subgroupSize = 4u << i;
        snprintf(list[i].name, sizeof list[i].name, "SIMD%u", 4u << i);
    }
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL statistics(VkDevice device,
                                                 const VkPipelineExecutableInfoKHR *info,
                                                 uint32_t *n,
                                                 VkPipelineExecutableStatisticKHR *list)
{
    *n = N_STATISTICS;
    for (uint32_t i = 0; list != NULL && i < *n; i++) {
        snprintf(list[i].name, sizeof list[i].name, "fact %u", i);
        list[i].format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
        list[i].value.u64 = 1000 * info->executableIndex + i;
    }
    return VK_SUCCESS;
}

static void test_all(void)
{
    const struct mb_gpu gpu = {.device = VK_NULL_HANDLE};
    MB_SCOPED(mb_pipeline_facts) facts = {0};
    struct mb_err err = {0};
    char label[128];
    STAND_IN(vkGetPipelineExecutablePropertiesKHR, properties);
    STAND_IN(vkGetPipelineExecutableStatisticsKHR, statistics);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ_INT(mb_pipeline_facts_add(&gpu, (VkPipeline)1, "a.comp", &facts, &err), MB_OK);
    }
    CHECK_EQ_INT(mb_pipeline_facts_add(NULL, VK_NULL_HANDLE, "b.comp", &facts, &err), MB_OK);
    CHECK_EQ_INT(facts.n_pipelines, 4);
    CHECK_EQ_INT(facts.n_executables, 3 * (N_EXECUTABLES - 1) + 1);
    CHECK_EQ_INT(facts.n_facts, 3 * (N_EXECUTABLES - 1) * N_STATISTICS);
    for (size_t i = 0; i < facts.n_facts; i++) {
        const size_t executable = i / N_STATISTICS;
        CHECK_EQ_INT(facts.facts[i].executable, executable);
        CHECK(facts.facts[i].value == 1000.0 * (double)(executable % (N_EXECUTABLES - 1) + 1) +
                                          (double)(i % N_STATISTICS));
    }
    CHECK_EQ_INT(facts.executables[7].pipeline, 1);
    CHECK_EQ_INT(facts.executables[7].subgroup_size, 32);
    mb_executable_label(&facts, 7, label, sizeof label);
    CHECK_EQ_STR(label, "a.comp, SIMD32");
    mb_executable_label(&facts, facts.n_executables - 1, label, sizeof label);
    CHECK_EQ_STR(label, "b.comp");
}

/* Without memory nothing is left behind. */
static void test_memory(void)
{
    const struct mb_gpu gpu = {.device = VK_NULL_HANDLE};
    const uint64_t n_live = mb_alloc_live_count();
    bool is_done = false;
    for (uint64_t nth = 1; !is_done && nth < 100; nth++) {
        MB_SCOPED(mb_pipeline_facts) facts = {0};
        struct mb_err err = {0};
        mb_alloc_fail_nth(nth, false);
        is_done = mb_pipeline_facts_add(&gpu, (VkPipeline)1, "a", &facts, &err) == MB_OK;
        CHECK(is_done || strcmp(err.text, "pipeline facts: out of memory") == 0);
    }
    mb_alloc_fail_nth(0, false);
    CHECK(is_done);
    CHECK_EQ_INT(mb_alloc_live_count(), n_live);
}

int main(void)
{
    return CHECK_TESTS(test_all, test_memory);
}
