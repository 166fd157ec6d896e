/* Compute pipelines with their descriptor sets, made from a table of bindings. */
#ifndef MB_VK_PIPELINE_H
#define MB_VK_PIPELINE_H

#include "image/pyramid.h"
#include "vk/buffer.h"
#include "vk/gpu.h"
#include "vk/shader.h"

#define MB_MAX_BINDINGS       8
#define MB_MAX_SPEC_CONSTANTS 10 /* ids from 10 on belong to shaders/levels.glsl */

struct mb_binding {
    uint32_t binding;
    VkDescriptorType type;
    uint32_t n_descriptors; /* array size; 1 for a single one */
};

struct mb_compute_options {
    const struct mb_shader *shader;
    const struct mb_binding *bindings;
    uint32_t n_bindings;
    const uint32_t *spec_constants; /* constant_id i is spec_constants[i] */
    uint32_t n_spec_constants;      /* at most MB_MAX_SPEC_CONSTANTS */
    const struct mb_layout *layout; /* of the image: sets what shaders/levels.glsl needs */
    uint32_t push_constant_bytes;
    /* Full subgroups of this size are required where the device can; 0: no. The workgroup has
     * n_invocations. */
    uint32_t subgroup_size;
    uint32_t n_invocations;
    uint32_t n_sets; /* descriptor sets to allocate, at least 1 */
    const char *name;
};

struct mb_compute {
    const struct mb_gpu *gpu;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet *sets; /* owned; n_sets */
    uint32_t n_sets;
};

MB_MUST_CHECK enum mb_status mb_compute_init(struct mb_compute *compute,
                                             const struct mb_gpu *gpu,
                                             const struct mb_compute_options *options,
                                             struct mb_err *err);
void mb_compute_finish(struct mb_compute *compute);

/* Write one binding of set `set`. `n` views in array order; sampled images are bound in
 * SHADER_READ_ONLY_OPTIMAL with `sampler`, storage images in GENERAL. n <= MB_MAX_LEVELS. */
void mb_compute_bind_images(const struct mb_compute *compute, uint32_t set, uint32_t binding,
                            VkDescriptorType type, VkSampler sampler, const VkImageView *views,
                            uint32_t n);
void mb_compute_bind_buffer(const struct mb_compute *compute, uint32_t set, uint32_t binding,
                            const struct mb_buffer *buffer);

/* Bind pipeline, set and push constants, and dispatch. `push` may be NULL. */
struct mb_dispatch {
    uint32_t set;
    const void *push;
    uint32_t push_bytes;
    uint32_t n_groups[3];
};
void mb_compute_dispatch(const struct mb_compute *compute, VkCommandBuffer cmd,
                         const struct mb_dispatch *dispatch);

/* A sampler for normalised coordinates within [0, 1], where MIRRORED_REPEAT reads the same
 * texels as CLAMP_TO_EDGE: half a texel beyond an edge lies the edge texel again. With
 * clamping, llvmpipe filters 8-bit formats in 8-bit steps (its "AoS" path), which costs a whole
 * LSB. */
MB_MUST_CHECK enum mb_status mb_sampler_create(const struct mb_gpu *gpu, VkFilter filter,
                                               VkSampler *sampler, struct mb_err *err);
/* Accepts a null sampler, and a NULL gpu with it. */
void mb_sampler_destroy(const struct mb_gpu *gpu, VkSampler sampler);

#endif
