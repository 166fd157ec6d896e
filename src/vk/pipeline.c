/* Pipelines with their descriptor sets. */
#include "vk/pipeline.h"

#include <string.h>

#include "base/alloc.h"
#include "vk/graphics.h"
#include "vk/pipeline_facts.h"
#include "vk/pipeline_pool.h"

/* The stage that has all the bindings and constants. */
static VkShaderStageFlags stage_of(const struct mb_compute_options *options)
{
    return options->vertex ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_COMPUTE_BIT;
}

static enum mb_status create_set_layout(struct mb_compute *compute,
                                        const struct mb_compute_options *options,
                                        struct mb_err *err)
{
    enum mb_status status = MB_OK;
    VkDescriptorSetLayoutBinding bindings[MB_MAX_BINDINGS];
    for (uint32_t i = 0; i < options->n_bindings; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = options->bindings[i].binding,
            .descriptorType = options->bindings[i].type,
            .descriptorCount = options->bindings[i].n_descriptors,
            .stageFlags = stage_of(options),
        };
    }
    VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = options->n_bindings,
        .pBindings = bindings,
    };
    MB_VK_MAKE(vkCreateDescriptorSetLayout, compute->gpu->device, &set_layout,
               &compute->set_layout);
    VkPushConstantRange push = {
        .stageFlags = stage_of(options),
        .size = options->push_constant_bytes,
    };
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = options->n_sets > 0 ? 1 : 0,
        .pSetLayouts = &compute->set_layout,
        .pushConstantRangeCount = options->push_constant_bytes > 0 ? 1 : 0,
        .pPushConstantRanges = &push,
    };
    MB_VK_MAKE(vkCreatePipelineLayout, compute->gpu->device, &layout, &compute->layout);
fail:
    return status;
}

static enum mb_status create_sets(struct mb_compute *compute,
                                  const struct mb_compute_options *options, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    VkDescriptorPoolSize sizes[MB_MAX_BINDINGS];
    for (uint32_t i = 0; i < options->n_bindings; i++) {
        sizes[i] = (VkDescriptorPoolSize){
            .type = options->bindings[i].type,
            .descriptorCount = options->bindings[i].n_descriptors * options->n_sets,
        };
    }
    VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = options->n_sets,
        .poolSizeCount = options->n_bindings,
        .pPoolSizes = sizes,
    };
    MB_VK_MAKE(vkCreateDescriptorPool, compute->gpu->device, &pool, &compute->pool);
    compute->sets = mb_alloc(options->n_sets, sizeof *compute->sets);
    if (!compute->sets) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory", options->name);
    }
    compute->n_sets = options->n_sets;
    for (uint32_t i = 0; i < options->n_sets; i++) {
        VkDescriptorSetAllocateInfo allocate = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
            .descriptorPool = compute->pool,
            .descriptorSetCount = 1,
            .pSetLayouts = &compute->set_layout,
        };
        MB_VK(vkAllocateDescriptorSets(compute->gpu->device, &allocate, &compute->sets[i]));
        mb_gpu_name(compute->gpu, VK_OBJECT_TYPE_DESCRIPTOR_SET, (uint64_t)compute->sets[i],
                    options->name);
    }
fail:
    return status;
}

/* Texels per axis up to which samplers take the middle for that: an H200's not at 8191. */
#define MAX_FINE_SIZE 4096u

/* Specialisation: the strategy's own constants from id 0, then those of shaders/levels.glsl. */
struct specialization {
    VkSpecializationMapEntry entries[MB_MAX_SPEC_CONSTANTS + MB_N_SHARED_CONSTANTS];
    uint32_t values[MB_MAX_SPEC_CONSTANTS + MB_N_SHARED_CONSTANTS];
    VkSpecializationInfo info;
};

static void add_constant(struct specialization *s, uint32_t id, uint32_t value)
{
    uint32_t i = s->info.mapEntryCount++;
    s->values[i] = value;
    s->entries[i] = (VkSpecializationMapEntry){
        .constantID = id,
        .offset = i * (uint32_t)sizeof s->values[0],
        .size = sizeof s->values[0],
    };
}

static uint32_t float_bits(double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static void add_shared_constants(struct specialization *s,
                                 const struct mb_compute_options *options)
{
    const struct mb_format *format = options->layout->format;
    const struct mb_format_constants constants = mb_format_constants(format);
    const uint32_t shared[MB_N_SHARED_CONSTANTS] = {
        mb_layout_has_narrow_levels(options->layout),
        float_bits(constants.unorm_max),
        float_bits(constants.unorm_max_alpha),
        constants.is_srgb,
        constants.dropped_bits,
        constants.dropped_bits_blue,
        (uint32_t)options->reduce,
        mb_weighs_alpha(options->reduce, options->alpha, format),
        options->is_update,
    };
    for (uint32_t i = 0; i < MB_N_SHARED_CONSTANTS; i++) {
        add_constant(s, MB_MAX_SPEC_CONSTANTS + i, shared[i]);
    }
}

static void fill_specialization(struct specialization *s,
                                const struct mb_compute_options *options)
{
    *s = (struct specialization){0};
    for (uint32_t i = 0; i < options->n_spec_constants; i++) {
        add_constant(s, i, options->spec_constants[i]);
    }
    if (options->layout) {
        add_shared_constants(s, options);
    }
    s->info.pMapEntries = s->entries;
    s->info.dataSize = s->info.mapEntryCount * sizeof s->values[0];
    s->info.pData = s->values;
}

static enum mb_status create_compute(struct mb_compute *compute, VkShaderModule module,
                                     const struct mb_compute_options *options,
                                     const VkSpecializationInfo *specialization,
                                     struct mb_err *err)
{
    enum mb_status status = MB_OK;
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = options->subgroup_size,
    };
    const struct mb_gpu_info *gpu = &compute->gpu->info;
    bool full = options->subgroup_size > 0 && gpu->has_full_subgroups;
    /* Small subgroups: the size cannot be required of a workgroup of too many of them
     * (VUID-VkPipelineShaderStageCreateInfo-pNext-02756); that they be full still can. */
    bool sized =
        full && options->n_invocations <= options->subgroup_size * gpu->max_workgroup_subgroups;
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage =
            {
                .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .pNext = sized ? &required : NULL,
                .flags = full ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main",
                .pSpecializationInfo = specialization,
            },
        .layout = compute->layout,
    };
    MB_VK(vkCreateComputePipelines(compute->gpu->device, VK_NULL_HANDLE, 1, &info, NULL,
                                   &compute->pipeline));
    if (compute->gpu->state->facts) {
        MB_TRY(mb_pipeline_facts_capture(compute->gpu, &info, options->shader->name,
                                         compute->gpu->state->facts, err));
    }
fail:
    return status;
}

enum mb_status mb_shader_module_create(const struct mb_gpu *gpu, const struct mb_shader *shader,
                                       VkShaderModule *module, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = shader->code_bytes,
        .pCode = shader->code,
    };
    MB_VK_MAKE(vkCreateShaderModule, gpu->device, &info, module);
fail:
    return status;
}

/* Set layout, layout and pipeline, made anew. */
static enum mb_status make_pipeline(struct mb_compute *compute,
                                    const struct mb_compute_options *options,
                                    const VkSpecializationInfo *specialization,
                                    struct mb_err *err)
{
    enum mb_status status = MB_OK;
    VkDevice device = compute->gpu->device;
    VkShaderModule module = VK_NULL_HANDLE;
    MB_TRY(create_set_layout(compute, options, err));
    MB_TRY(mb_shader_module_create(compute->gpu, options->shader, &module, err));
    if (options->vertex) {
        MB_TRY(mb_graphics_create(compute, module, options, specialization, err));
    } else {
        MB_TRY(create_compute(compute, module, options, specialization, err));
    }
    mb_gpu_name(compute->gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)compute->pipeline,
                options->name);
fail:
    vkDestroyShaderModule(device, module, NULL);
    return status;
}

static struct mb_pipeline_key pipeline_key(const struct mb_compute_options *options,
                                           const struct specialization *specialization)
{
    struct mb_pipeline_key key;
    memset(&key, 0, sizeof key); /* with its padding */
    key.shader = options->shader;
    key.vertex = options->vertex;
    key.target_format = options->target_format;
    for (uint32_t i = 0; i < options->n_bindings; i++) {
        key.bindings[i] = options->bindings[i];
    }
    key.n_spec_constants = specialization->info.mapEntryCount;
    for (uint32_t i = 0; i < key.n_spec_constants; i++) {
        key.spec_ids[i] = specialization->entries[i].constantID;
        key.spec_values[i] = specialization->values[i];
    }
    key.push_constant_bytes = options->push_constant_bytes;
    key.subgroup_size = options->subgroup_size;
    key.n_invocations = options->n_invocations;
    return key;
}

/* From the pool, or made and left there. */
static enum mb_status share_pipeline(struct mb_compute *compute,
                                     const struct mb_compute_options *options,
                                     const struct specialization *specialization,
                                     struct mb_err *err)
{
    struct mb_pipeline_pool *pool = compute->gpu->state->pipelines;
    const struct mb_pipeline_key key = pipeline_key(options, specialization);
    struct mb_pipeline shared;
    if (mb_pipeline_pool_find(pool, &key, &shared)) {
        compute->set_layout = shared.set_layout;
        compute->layout = shared.layout;
        compute->pipeline = shared.pipeline;
        compute->is_shared = true;
        return MB_OK;
    }
    enum mb_status status = make_pipeline(compute, options, &specialization->info, err);
    if (status == MB_OK) {
        shared = (struct mb_pipeline){compute->set_layout, compute->layout, compute->pipeline};
        compute->is_shared = mb_pipeline_pool_add(pool, &key, &shared);
    }
    return status;
}

enum mb_status mb_compute_init(struct mb_compute *compute, const struct mb_gpu *gpu,
                               const struct mb_compute_options *options, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct specialization specialization;
    *compute = (struct mb_compute){.gpu = gpu};
    fill_specialization(&specialization, options);
    if (gpu->state->pipelines) {
        MB_TRY(share_pipeline(compute, options, &specialization, err));
    } else {
        MB_TRY(make_pipeline(compute, options, &specialization.info, err));
    }
    if (options->n_sets > 0) {
        MB_TRY(create_sets(compute, options, err));
    }
    return MB_OK;
fail:
    mb_compute_finish(compute);
    return status;
}

void mb_compute_finish(struct mb_compute *compute)
{
    if (!compute->gpu) {
        return;
    }
    if (!compute->gpu->state->is_lost) {
        VkDevice device = compute->gpu->device;
        vkDestroyDescriptorPool(device, compute->pool, NULL);
        if (!compute->is_shared) {
            vkDestroyPipeline(device, compute->pipeline, NULL);
            vkDestroyPipelineLayout(device, compute->layout, NULL);
            vkDestroyDescriptorSetLayout(device, compute->set_layout, NULL);
        }
    }
    mb_free(compute->sets);
    *compute = (struct mb_compute){0};
}

static void bind_images(const struct mb_compute *compute, uint32_t set, uint32_t binding,
                        VkDescriptorType type, const VkDescriptorImageInfo *images, uint32_t n)
{
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = compute->sets[set],
        .dstBinding = binding,
        .descriptorCount = n,
        .descriptorType = type,
        .pImageInfo = images,
    };
    vkUpdateDescriptorSets(compute->gpu->device, 1, &write, 0, NULL);
}

void mb_compute_bind_sampled(const struct mb_compute *compute, uint32_t set, uint32_t binding,
                             VkSampler sampler, VkImageView view, VkImageLayout layout)
{
    mb_compute_bind_sampled_array(compute, set, binding, sampler, &view, 1, layout);
}

void mb_compute_bind_sampled_array(const struct mb_compute *compute, uint32_t set,
                                   uint32_t binding, VkSampler sampler,
                                   const VkImageView *views, uint32_t n, VkImageLayout layout)
{
    VkDescriptorImageInfo images[MB_MAX_LEVELS];
    for (uint32_t i = 0; i < n; i++) {
        images[i] = (VkDescriptorImageInfo){
            .sampler = sampler, .imageView = views[i], .imageLayout = layout};
    }
    bind_images(compute, set, binding, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, images, n);
}

void mb_compute_bind_storage(const struct mb_compute *compute, uint32_t set, uint32_t binding,
                             const VkImageView *views, uint32_t n, uint32_t n_descriptors)
{
    VkDescriptorImageInfo images[MB_MAX_LEVELS];
    for (uint32_t i = 0; i < n_descriptors; i++) {
        images[i] = (VkDescriptorImageInfo){
            .imageView = views[i < n ? i : n - 1],
            .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        };
    }
    bind_images(compute, set, binding, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, images, n_descriptors);
}

void mb_compute_bind_buffer(const struct mb_compute *compute, uint32_t set, uint32_t binding,
                            const struct mb_buffer *buffer)
{
    VkDescriptorBufferInfo info = {
        .buffer = buffer->buffer,
        .range = VK_WHOLE_SIZE,
    };
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = compute->sets[set],
        .dstBinding = binding,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = &info,
    };
    vkUpdateDescriptorSets(compute->gpu->device, 1, &write, 0, NULL);
}

void mb_compute_dispatch(const struct mb_compute *compute, VkCommandBuffer cmd,
                         const struct mb_dispatch *dispatch)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, compute->pipeline);
    if (compute->n_sets > 0) {
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, compute->layout, 0, 1,
                                &compute->sets[dispatch->set], 0, NULL);
    }
    if (dispatch->push) {
        vkCmdPushConstants(cmd, compute->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           dispatch->push_bytes, dispatch->push);
    }
    vkCmdDispatch(cmd, dispatch->n_groups[0], dispatch->n_groups[1], dispatch->n_groups[2]);
}

enum mb_status mb_sampler_create(const struct mb_gpu *gpu, VkFilter filter,
                                 enum mb_reduce reduce, VkSampler *sampler, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    bool has_mode = filter == VK_FILTER_LINEAR && reduce != MB_REDUCE_AVG;
    const VkSamplerReductionModeCreateInfo mode = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO,
        .reductionMode = reduce == MB_REDUCE_MIN ? VK_SAMPLER_REDUCTION_MODE_MIN
                                                 : VK_SAMPLER_REDUCTION_MODE_MAX,
    };
    VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .pNext = has_mode ? &mode : NULL,
        .magFilter = filter,
        .minFilter = filter,
        .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
        .addressModeU = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
        .addressModeV = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
        .addressModeW = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
        .maxLod = VK_LOD_CLAMP_NONE,
    };
    MB_VK_MAKE(vkCreateSampler, gpu->device, &info, sampler);
    mb_gpu_name(gpu, VK_OBJECT_TYPE_SAMPLER, (uint64_t)*sampler,
                filter == VK_FILTER_LINEAR ? "bilinear" : "nearest");
fail:
    return status;
}

static enum mb_status sampler_supports(const struct mb_gpu *gpu, const struct mb_format *format,
                                       enum mb_reduce reduce, struct mb_err *why)
{
    if (reduce == MB_REDUCE_AVG) {
        return mb_gpu_require_format(gpu, format->vk_storage_format,
                                     VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT,
                                     "linear filtering", why);
    }
    if (!gpu->info.has_sampler_filter_minmax) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device's samplers have no %s (samplerFilterMinmax); try load=texel",
                       mb_reduce_name(reduce));
    }
    return mb_gpu_require_format(gpu, format->vk_storage_format,
                                 VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT |
                                     VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_MINMAX_BIT,
                                 "minimum and maximum filtering", why);
}

static bool has_coarse_coordinates(uint32_t size)
{
    return size > MAX_FINE_SIZE && (size & (size - 1)) != 0;
}

enum mb_status mb_load_supports(enum mb_load load, const struct mb_gpu *gpu,
                                const struct mb_layout *layout, enum mb_reduce reduce,
                                enum mb_alpha alpha, bool is_carried, struct mb_err *why)
{
    const struct mb_format *format = layout->format;
    if (load != MB_LOAD_SAMPLER) {
        return MB_OK;
    }
    if (mb_weighs_alpha(reduce, alpha, format)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the sampler cannot weigh colour by alpha; try load=texel");
    }
    /* Seen on an H200: up to 1.4 codes in the dark, where a code is least in linear light. */
    if (format->codec == MB_CODEC_SRGB8 && reduce == MB_REDUCE_AVG) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "samplers decode sRGB too coarsely to be exact; try load=texel");
    }
    /* Seen there, too: sums off by half an ulp, which the next level adds to its rounding. */
    if (format->codec == MB_CODEC_SFLOAT16 && reduce == MB_REDUCE_AVG && is_carried) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "samplers sum half floats too coarsely to go on from; try load=texel");
    }
    /* And weights that are not halves: 0.75 of a code at 12289x7001. */
    if (reduce == MB_REDUCE_AVG && (has_coarse_coordinates(layout->base.width) ||
                                    has_coarse_coordinates(layout->base.height))) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "samplers place coordinates too coarsely on an axis above %u that is no "
                       "power of two; try load=texel",
                       MAX_FINE_SIZE);
    }
    return sampler_supports(gpu, format, reduce, why);
}

bool mb_load_uses_sampler(enum mb_load load, const struct mb_gpu *gpu,
                          const struct mb_layout *layout, enum mb_reduce reduce,
                          enum mb_alpha alpha, bool is_carried)
{
    struct mb_err ignored = {0};
    if (load == MB_LOAD_AUTO && layout->format->codec == MB_CODEC_SFLOAT32 &&
        reduce == MB_REDUCE_AVG) {
        return false; /* weights of fixed point cost tens of ulp */
    }
    return load != MB_LOAD_TEXEL && mb_load_supports(MB_LOAD_SAMPLER, gpu, layout, reduce,
                                                     alpha, is_carried, &ignored) == MB_OK;
}

void mb_sampler_destroy(const struct mb_gpu *gpu, VkSampler sampler)
{
    if (gpu && !gpu->state->is_lost) {
        vkDestroySampler(gpu->device, sampler, NULL);
    }
}
