/* What the driver says of a compiled pipeline: registers, shared memory, spills, under the
 * driver's own names (VK_KHR_pipeline_executable_properties). */
#pragma once

#include <volk.h>

#include "base/err.h"

struct mb_gpu;

/* One number that the driver reports about one executable. */
struct mb_pipeline_fact {
    uint32_t executable; /* index in mb_pipeline_facts.executables */
    char name[64];       /* "Register Count" */
    double value;
};

/* A driver may make several executables of one shader, say for subgroups of 8, 16 and 32. */
struct mb_executable {
    uint32_t pipeline;      /* index, in the order of creation */
    char shader[48];        /* "spd/spd_wave.comp" */
    char name[64];          /* the driver's: "SIMD16 Compute Shader" */
    uint32_t subgroup_size; /* 0: the driver does not say */
};

/* The facts of all pipelines of a strategy, in the order of their creation. Zero is valid and
 * empty. */
struct mb_pipeline_facts {
    uint32_t n_pipelines;
    struct mb_executable *executables; /* owned */
    size_t n_executables;
    struct mb_pipeline_fact *facts; /* in the order of executables; owned */
    size_t n_facts;
};

/* Append the statistics of `pipeline`, which was created to capture them; trivial vertex
 * shaders are left out. If the driver lacks pipelineExecutableInfo, pass VK_NULL_HANDLE: the
 * pipeline is added without statistics. */
MB_MUST_CHECK enum mb_status mb_pipeline_facts_add(const struct mb_gpu *gpu,
                                                   VkPipeline pipeline, const char *name,
                                                   struct mb_pipeline_facts *facts,
                                                   struct mb_err *err);

/* Free and zero. */
void mb_pipeline_facts_finish(struct mb_pipeline_facts *facts);

/* "spd/spd_wave.comp"; if the pipeline has several executables, the executable's own name
 * follows: "spd/spd_wave.comp, SIMD16 Compute Shader". */
void mb_executable_label(const struct mb_pipeline_facts *facts, size_t index, char *out,
                         size_t out_bytes);
