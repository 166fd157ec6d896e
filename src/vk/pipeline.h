/* Compute pipelines with their descriptor sets, as the shader has them; with a vertex shader,
 * pipelines that draw over part of one level: dynamic rendering, one triangle. */
#ifndef MB_VK_PIPELINE_H
#define MB_VK_PIPELINE_H

#include "vk/buffer.h"
#include "vk/pipeline_pool.h"
#include "vk/shader.h"

/* The value of a constant that is a float. */
uint32_t mb_float_bits(double value);

struct mb_pipeline_options {
    const struct mb_shader *shader; /* compute, or fragment where there is a vertex shader */
    const struct mb_shader *vertex; /* NULL: a compute pipeline */
    VkFormat target_format;         /* of the view that the fragment shader draws to */
    /* Specialisation constants that have other values than by default: the shader's own, each
     * of which it must have, and those of a file that it may include. */
    const struct mb_constant *constants, *shared;
    uint32_t n_constants, n_shared;
    uint32_t push_constant_bytes;
    /* Full subgroups of this size are required where the device can; 0: no. The workgroup has
     * n_invocations. */
    uint32_t subgroup_size;
    uint32_t n_invocations;
    uint32_t n_copies; /* of all descriptor sets */
    const char *name;
};

struct mb_pipeline {
    const struct mb_gpu *gpu;
    struct mb_kept_pipeline *made; /* owned, unless the device keeps it */
    bool is_kept;
    VkDescriptorPool pool;
    VkDescriptorSet *sets; /* [n_copies][shader->n_sets], owned */
};

/* A constant that the shader does not have is MB_FAILED, by name. */
MB_MUST_CHECK enum mb_status mb_pipeline_init(struct mb_pipeline *pipeline,
                                              const struct mb_gpu *gpu,
                                              const struct mb_pipeline_options *options,
                                              struct mb_err *err);
void mb_pipeline_finish(struct mb_pipeline *pipeline);

/* What one binding is to hold, by its type: views, a sampler, both, or a buffer as a whole. */
struct mb_descriptor {
    uint32_t set, binding;
    VkSampler sampler;
    /* Every element of an array needs a valid view: those past the last repeat it. */
    const VkImageView *views;
    uint32_t n_views;     /* 0 counts as 1 */
    VkImageLayout layout; /* of the views; 0: GENERAL if stored to, else SHADER_READ_ONLY */
    const struct mb_buffer *buffer;
};

/* Write descriptors of one copy of the sets. The shader must have each of them. */
void mb_pipeline_bind(const struct mb_pipeline *pipeline, uint32_t copy,
                      const struct mb_descriptor *descriptors, uint32_t n);

/* Bind pipeline, sets and push constants, and dispatch. */
struct mb_dispatch {
    uint32_t copy;    /* of the sets */
    const void *push; /* push[push_constant_bytes] of the pipeline; NULL without any */
    uint32_t n_groups[3];
};
void mb_pipeline_dispatch(const struct mb_pipeline *pipeline, VkCommandBuffer cmd,
                          const struct mb_dispatch *dispatch);

struct mb_draw {
    uint32_t copy;      /* of the sets */
    const void *push;   /* as of a dispatch, of the fragment shader */
    VkImageView target; /* one layer, in COLOR_ATTACHMENT_OPTIMAL */
    /* What the vertex shader's clip space [-1, 1] is mapped to; texels outside keep what they
     * hold. The shader has to draw every texel of it: what they held is not loaded. */
    VkRect2D area;
};

/* A rendering of its own: bind pipeline, sets and push constants, and draw three vertices. */
void mb_pipeline_draw(const struct mb_pipeline *pipeline, VkCommandBuffer cmd,
                      const struct mb_draw *draw);

#endif
