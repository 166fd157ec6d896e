/* Pipelines with their descriptor sets, laid out as the shader declares them: compute
 * pipelines, and graphics pipelines that draw one triangle over part of a level, by dynamic
 * rendering. */
#pragma once

#include "vk/buffer.h"
#include "vk/shader.h"

/* The value of a specialisation constant of type float. */
uint32_t mb_float_bits(double value);

struct mb_pipeline_options {
    const struct mb_shader *shader; /* compute, or if there is a vertex shader, fragment */
    const struct mb_shader *vertex; /* NULL: a compute pipeline */
    VkFormat target_format;         /* of the view that the fragment shader draws to */
    /* Values for specialisation constants; others keep their defaults. The shader must have all
     * of `constants`, but need not have all of `shared`: they belong to a file that several
     * shaders include. */
    const struct mb_constant *constants, *shared;
    uint32_t n_constants, n_shared;
    uint32_t push_constant_bytes;
    /* Require full subgroups of this size, if the device can; 0: do not. The workgroup has
     * n_invocations. */
    uint32_t subgroup_size;
    uint32_t n_invocations;
    uint32_t n_copies; /* how many copies of all descriptor sets to make */
    const char *name;
};

/* A pipeline's Vulkan objects and all that they depend on. The same kernels are set up many
 * times, for each image of a rotation and at other sizes: a device can keep the objects
 * (mb_gpu_kept), and pipelines with equal dependencies share them. */
struct mb_made_pipeline {
    struct mb_made_pipeline *next; /* in the device's list */
    VkDevice device;
    VkDescriptorSetLayout set_layouts[MB_MAX_SETS]; /* null beyond the shader's sets */
    VkPipelineLayout layout;
    VkPipeline pipeline;
    /* The rest is everything that the objects depend on. */
    const struct mb_shader *shader, *vertex;
    VkFormat target_format;
    uint32_t push_constant_bytes, subgroup_size, n_invocations;
    uint32_t constants[]; /* [shader->n_constants]: values of the specialisation constants */
};

struct mb_pipeline {
    const struct mb_gpu *gpu;
    struct mb_made_pipeline *made; /* owned, unless the device keeps it */
    bool is_kept;
    VkDescriptorPool pool;
    VkDescriptorSet *sets; /* [n_copies][shader->n_sets], owned */
};

/* If the shader lacks one of `constants`, fails and names the constant. */
MB_MUST_CHECK enum mb_status mb_pipeline_init(struct mb_pipeline *pipeline,
                                              const struct mb_gpu *gpu,
                                              const struct mb_pipeline_options *options,
                                              struct mb_err *err);
void mb_pipeline_finish(struct mb_pipeline *pipeline);

/* What to write to one binding. Its type says which: views, a sampler, both, or a buffer. */
struct mb_descriptor {
    uint32_t set, binding;
    VkSampler sampler;
    /* If the array has more than n_views elements, the last view fills the others, as every
     * element needs a view. */
    const VkImageView *views;
    uint32_t n_views;     /* 0 counts as 1 */
    VkImageLayout layout; /* of the views; 0: GENERAL if stored to, else SHADER_READ_ONLY */
    const struct mb_buffer *buffer;
    uint64_t buffer_offset, buffer_bytes; /* the part to bind; 0 bytes: up to the end */
};

/* Write descriptors of one copy of the sets. The shader must have each binding. */
void mb_pipeline_bind(const struct mb_pipeline *pipeline, uint32_t copy,
                      const struct mb_descriptor *descriptors, uint32_t n);

/* Bind pipeline, sets and push constants, and dispatch. */
struct mb_dispatch {
    uint32_t copy;    /* of the sets */
    const void *push; /* push constants, push_constant_bytes; NULL: none */
    uint32_t n_groups[3];
};
void mb_pipeline_dispatch(const struct mb_pipeline *pipeline, VkCommandBuffer cmd,
                          const struct mb_dispatch *dispatch);

/* Dispatch `n_groups` workgroups in rows as wide as the device allows. The last row may have
 * workgroups beyond `n_groups`, which the shader must skip. */
void mb_pipeline_dispatch_rows(const struct mb_pipeline *pipeline, VkCommandBuffer cmd,
                               uint32_t copy, const void *push, uint32_t n_groups);

struct mb_draw {
    uint32_t copy;      /* of the sets */
    const void *push;   /* as for a dispatch, but for the fragment shader */
    VkImageView target; /* one layer, in COLOR_ATTACHMENT_OPTIMAL */
    /* The area that clip space [-1, 1] is mapped to; texels outside are left as they are. The
     * shader must write every texel inside, as the old contents are not loaded. */
    VkRect2D area;
};

/* Begin rendering, bind pipeline, sets and push constants, draw three vertices, and end. */
void mb_pipeline_draw(const struct mb_pipeline *pipeline, VkCommandBuffer cmd,
                      const struct mb_draw *draw);
