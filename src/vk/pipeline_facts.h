/* What the driver says of a compiled pipeline: registers, shared memory, spills, under the
 * driver's own names (VK_KHR_pipeline_executable_properties). */
#pragma once

#include <volk.h>

#include "base/err.h"

#define MB_MAX_FACTS 64

struct mb_gpu;

struct mb_pipeline_fact {
    uint32_t pipeline; /* index, in the order of creation */
    char shader[48];
    char name[48]; /* "Register Count" */
    double value;
};

/* Of all pipelines of a strategy, in the order of their creation. */
struct mb_pipeline_facts {
    uint32_t n_pipelines;
    uint32_t n; /* further facts are dropped */
    struct mb_pipeline_fact fact[MB_MAX_FACTS];
};

/* Append the statistics of `pipeline`, which was created to capture them; vertex shaders, which
 * make three vertices, are left out. The device must have pipelineExecutableInfo. */
MB_MUST_CHECK enum mb_status mb_pipeline_facts_read(const struct mb_gpu *gpu,
                                                    VkPipeline pipeline, const char *name,
                                                    struct mb_pipeline_facts *facts,
                                                    struct mb_err *err);
