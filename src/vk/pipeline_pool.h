/* A pipeline's Vulkan objects and all that they depend on. The same kernels are set up many
 * times, for each image of a rotation and at other sizes: a device can keep pipelines and share
 * them. */
#pragma once

#include <volk.h>

#include "vk/shader.h"

struct mb_kept_pipeline {
    struct mb_kept_pipeline *next;
    VkDescriptorSetLayout set_layouts[MB_MAX_SETS]; /* null beyond those there are */
    VkPipelineLayout layout;
    VkPipeline pipeline;
    /* Everything that they depend on. */
    const struct mb_shader *shader, *vertex;
    VkFormat target_format;
    uint32_t push_constant_bytes, subgroup_size, n_invocations;
    uint32_t constants[]; /* [shader->n_constants]: values of the specialisation constants */
};

/* The pipeline that depends on the same as `wanted`, or NULL. */
struct mb_kept_pipeline *mb_kept_pipeline_find(struct mb_kept_pipeline *list,
                                               const struct mb_kept_pipeline *wanted);

/* Destroy and free a list, or a single pipeline; none may be in use. */
void mb_kept_pipelines_destroy(struct mb_kept_pipeline *list, VkDevice device);
