/* What the driver says of a compiled pipeline: registers, shared memory, spills, under the
 * driver's own names (VK_KHR_pipeline_executable_properties). */
#ifndef MB_VK_PIPELINE_FACTS_H
#define MB_VK_PIPELINE_FACTS_H

#include <volk.h>

#include "base/err.h"

#define MB_MAX_FACTS 64

struct mb_gpu;

struct mb_pipeline_fact {
    uint32_t pipeline; /* counts from 0 */
    char shader[48];
    char name[48]; /* "Register Count" */
    double value;
};

/* Of all pipelines of a strategy, in the order made. */
struct mb_pipeline_facts {
    uint32_t n_pipelines;
    uint32_t n; /* further facts are dropped */
    struct mb_pipeline_fact fact[MB_MAX_FACTS];
};

/* Append what the driver says of `pipeline`, which was made with statistics captured; of a
 * vertex shader nothing: it makes three vertices. The device must have pipelineExecutableInfo.
 * A driver that gives none adds none. */
MB_MUST_CHECK enum mb_status mb_pipeline_facts_read(const struct mb_gpu *gpu,
                                                    VkPipeline pipeline, const char *name,
                                                    struct mb_pipeline_facts *facts,
                                                    struct mb_err *err);

#endif
