/* Compute pipelines with their descriptor sets, made from a table of bindings; with a vertex
 * shader, graphics pipelines for vk/graphics.h to draw with. */
#ifndef MB_VK_PIPELINE_H
#define MB_VK_PIPELINE_H

#include "image/filter.h"
#include "vk/buffer.h"
#include "vk/gpu.h"
#include "vk/shader.h"

#define MB_MAX_BINDINGS       8
#define MB_MAX_SPEC_CONSTANTS 10 /* ids from 10 on belong to shaders/levels.glsl */
#define MB_N_SHARED_CONSTANTS 9  /* of those */

struct mb_binding {
    uint32_t binding;
    VkDescriptorType type;
    uint32_t n_descriptors; /* array size; 1 for a single one */
};

/* What shaders/levels.glsl is told of a format, by constants 11 to 15. */
struct mb_format_constants {
    double unorm_max, unorm_max_alpha; /* codes less one of colour and alpha; 0: floats */
    bool is_srgb;
    uint32_t dropped_bits, dropped_bits_blue; /* of a 32-bit mantissa, not held */
};

struct mb_format_constants mb_format_constants(const struct mb_format *format);

struct mb_compute_options {
    const struct mb_shader *shader; /* compute, or fragment where there is a vertex shader */
    const struct mb_shader *vertex; /* NULL: a compute pipeline */
    VkFormat target_format;         /* of the view that the fragment shader draws to */
    const struct mb_binding *bindings;
    uint32_t n_bindings;
    const uint32_t *spec_constants; /* constant_id i is spec_constants[i] */
    uint32_t n_spec_constants;      /* at most MB_MAX_SPEC_CONSTANTS */
    /* What shaders/levels.glsl is told: the image, and what is to be done. Without a layout it
     * is told nothing: a kernel that does not include it. */
    const struct mb_layout *layout;
    enum mb_reduce reduce;
    enum mb_alpha alpha;
    bool is_update;
    uint32_t push_constant_bytes;
    /* Full subgroups of this size are required where the device can; 0: no. The workgroup has
     * n_invocations. */
    uint32_t subgroup_size;
    uint32_t n_invocations;
    uint32_t n_sets; /* descriptor sets to allocate, at least 1; 0 without bindings */
    const char *name;
};

struct mb_compute {
    const struct mb_gpu *gpu;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    bool is_shared; /* those three belong to the device's pool of pipelines */
    VkDescriptorPool pool;
    VkDescriptorSet *sets; /* owned; n_sets */
    uint32_t n_sets;
};

MB_MUST_CHECK enum mb_status mb_compute_init(struct mb_compute *compute,
                                             const struct mb_gpu *gpu,
                                             const struct mb_compute_options *options,
                                             struct mb_err *err);
void mb_compute_finish(struct mb_compute *compute);

/* The caller destroys the module. */
MB_MUST_CHECK enum mb_status mb_shader_module_create(const struct mb_gpu *gpu,
                                                     const struct mb_shader *shader,
                                                     VkShaderModule *module,
                                                     struct mb_err *err);

/* Write one binding of set `set`: a combined image sampler, the image in `layout`. */
void mb_compute_bind_sampled(const struct mb_compute *compute, uint32_t set, uint32_t binding,
                             VkSampler sampler, VkImageView view, VkImageLayout layout);

/* The same for an array of `n` of them, at most MB_MAX_LEVELS. */
void mb_compute_bind_sampled_array(const struct mb_compute *compute, uint32_t set,
                                   uint32_t binding, VkSampler sampler,
                                   const VkImageView *views, uint32_t n, VkImageLayout layout);

/* An array of `n_descriptors` storage images in GENERAL, at most MB_MAX_LEVELS. Every element
 * needs a valid view: those past the `n` >= 1 views repeat the last one, unused. */
void mb_compute_bind_storage(const struct mb_compute *compute, uint32_t set, uint32_t binding,
                             const VkImageView *views, uint32_t n, uint32_t n_descriptors);
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
 * LSB. Linear filtering takes the minimum or maximum of the texels instead of their weighted
 * sum with MB_REDUCE_MIN or MAX. */
MB_MUST_CHECK enum mb_status mb_sampler_create(const struct mb_gpu *gpu, VkFilter filter,
                                               enum mb_reduce reduce, VkSampler *sampler,
                                               struct mb_err *err);

/* How a kernel loads 2x2 texels that are joined. */
enum mb_load {
    MB_LOAD_AUTO,    /* SAMPLER where it is supported, else TEXEL */
    MB_LOAD_SAMPLER, /* one fetch of the filter at their common corner */
    MB_LOAD_TEXEL,   /* four fetches */
};

/* MB_OK if the filter joins 2x2 texels of such an image in the way asked for with the precision
 * that image/claim.h demands, else MB_UNSUPPORTED with a sentence; MB_OK for other loads.
 * `is_carried`: the kernel goes on to further levels from the sums. */
MB_MUST_CHECK enum mb_status mb_load_supports(enum mb_load load, const struct mb_gpu *gpu,
                                              const struct mb_layout *layout,
                                              enum mb_reduce reduce, enum mb_alpha alpha,
                                              bool is_carried, struct mb_err *why);

/* True if such a load goes by the sampler. */
bool mb_load_uses_sampler(enum mb_load load, const struct mb_gpu *gpu,
                          const struct mb_layout *layout, enum mb_reduce reduce,
                          enum mb_alpha alpha, bool is_carried);
/* Accepts a null sampler, and a NULL gpu with it. */
void mb_sampler_destroy(const struct mb_gpu *gpu, VkSampler sampler);

#endif
