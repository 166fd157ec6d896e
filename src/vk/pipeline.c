/* Pipelines with their descriptor sets. */
#include "vk/pipeline.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "vk/pipeline_facts.h"

uint32_t mb_float_bits(double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

/* The stage that has all the bindings and constants. */
static VkShaderStageFlags stage_of(bool is_drawn)
{
    return is_drawn ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_COMPUTE_BIT;
}

/* A pipeline has one set at least where any is to be bound. */
static uint32_t count_sets(const struct mb_pipeline_options *options)
{
    return options->shader->n_sets > 0 ? options->shader->n_sets : options->n_copies > 0;
}

static enum mb_status create_set_layout(struct mb_pipeline *pipeline, uint32_t set,
                                        const struct mb_pipeline_options *options,
                                        struct mb_err *err)
{
    enum mb_status status = MB_OK;
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    VkDescriptorSetLayoutBinding bindings[MB_MAX_BINDINGS];
    for (uint32_t i = 0; i < options->shader->n_bindings; i++) {
        if (options->shader->bindings[i].set == set) {
            bindings[info.bindingCount++] = (VkDescriptorSetLayoutBinding){
                .binding = options->shader->bindings[i].binding,
                .descriptorType = options->shader->bindings[i].type,
                .descriptorCount = options->shader->bindings[i].n_descriptors,
                .stageFlags = stage_of(options->vertex),
            };
        }
    }
    info.pBindings = bindings;
    MB_VK_MAKE(vkCreateDescriptorSetLayout, pipeline->gpu->device, &info,
               &pipeline->objects.set_layouts[set]);
fail:
    return status;
}

static enum mb_status create_layouts(struct mb_pipeline *pipeline,
                                     const struct mb_pipeline_options *options,
                                     struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const VkPushConstantRange push = {
        .stageFlags = stage_of(options->vertex),
        .size = options->push_constant_bytes,
    };
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = count_sets(options),
        .pSetLayouts = pipeline->objects.set_layouts,
        .pushConstantRangeCount = options->push_constant_bytes > 0 ? 1 : 0,
        .pPushConstantRanges = &push,
    };
    for (uint32_t set = 0; set < layout.setLayoutCount; set++) {
        MB_TRY(create_set_layout(pipeline, set, options, err));
    }
    MB_VK_MAKE(vkCreatePipelineLayout, pipeline->gpu->device, &layout,
               &pipeline->objects.layout);
fail:
    return status;
}

static enum mb_status create_pool(struct mb_pipeline *pipeline,
                                  const struct mb_pipeline_options *options, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    VkDescriptorPoolSize sizes[MB_MAX_BINDINGS];
    for (uint32_t i = 0; i < options->shader->n_bindings; i++) {
        sizes[i] = (VkDescriptorPoolSize){
            .type = options->shader->bindings[i].type,
            .descriptorCount = options->shader->bindings[i].n_descriptors * options->n_copies,
        };
    }
    const VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = pipeline->n_sets * options->n_copies,
        .poolSizeCount = options->shader->n_bindings,
        .pPoolSizes = sizes,
    };
    MB_VK_MAKE(vkCreateDescriptorPool, pipeline->gpu->device, &info, &pipeline->pool);
fail:
    return status;
}

static enum mb_status create_sets(struct mb_pipeline *pipeline,
                                  const struct mb_pipeline_options *options, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_gpu *gpu = pipeline->gpu;
    pipeline->n_sets = count_sets(options);
    MB_TRY(create_pool(pipeline, options, err));
    pipeline->sets =
        mb_alloc((size_t)options->n_copies * pipeline->n_sets, sizeof *pipeline->sets);
    if (!pipeline->sets) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory", options->name);
    }
    for (uint32_t i = 0; i < options->n_copies * pipeline->n_sets; i++) {
        const VkDescriptorSetAllocateInfo allocate = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
            .descriptorPool = pipeline->pool,
            .descriptorSetCount = 1,
            .pSetLayouts = &pipeline->objects.set_layouts[i % pipeline->n_sets],
        };
        MB_VK(vkAllocateDescriptorSets(gpu->device, &allocate, &pipeline->sets[i]));
        mb_gpu_name(gpu, VK_OBJECT_TYPE_DESCRIPTOR_SET, (uint64_t)pipeline->sets[i],
                    options->name);
    }
fail:
    return status;
}

/* Everything that a pipeline depends on, in one block of memory, compared byte by byte: `head`,
 * and the values of all constants of the shader. */
struct head {
    const struct mb_shader *shader, *vertex;
    VkFormat target_format;
    uint32_t push_constant_bytes, subgroup_size, n_invocations, n_sets;
};

static size_t key_bytes(const struct mb_pipeline_options *options)
{
    return sizeof(struct head) + options->shader->n_constants * sizeof(uint32_t);
}

/* False if the shader has no such constant. */
static bool set_value(const struct mb_shader *shader, const struct mb_constant *constant,
                      uint32_t *values)
{
    for (uint32_t i = 0; i < shader->n_constants; i++) {
        if (strcmp(shader->constants[i].name, constant->name) == 0) {
            values[i] = constant->value;
            return true;
        }
    }
    return false;
}

static enum mb_status fill_values(const struct mb_pipeline_options *options, uint32_t *values,
                                  struct mb_err *err)
{
    const struct mb_shader *shader = options->shader;
    for (uint32_t i = 0; i < shader->n_constants; i++) {
        values[i] = shader->constants[i].value;
    }
    for (uint32_t i = 0; i < options->n_shared; i++) {
        (void)set_value(shader, &options->shared[i], values);
    }
    for (uint32_t i = 0; i < options->n_constants; i++) {
        if (!set_value(shader, &options->constants[i], values)) {
            return MB_FAIL(err, MB_ERRC_RUNTIME, "%s has no specialisation constant %s",
                           shader->name, options->constants[i].name);
        }
    }
    return MB_OK;
}

/* `*key` is the caller's (mb_free), after a failure, too; `*values` lies within. */
static enum mb_status make_key(const struct mb_pipeline_options *options, void **key,
                               const uint32_t **values, struct mb_err *err)
{
    struct head *head = *key = mb_alloc(1, key_bytes(options)); /* zeroed, with its padding */
    if (!head) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory", options->name);
    }
    head->shader = options->shader;
    head->vertex = options->vertex;
    head->target_format = options->target_format;
    head->push_constant_bytes = options->push_constant_bytes;
    head->subgroup_size = options->subgroup_size;
    head->n_invocations = options->n_invocations;
    head->n_sets = count_sets(options);
    uint32_t *own = (void *)(head + 1);
    *values = own;
    return fill_values(options, own, err);
}

static enum mb_status create_compute(struct mb_pipeline *pipeline, VkShaderModule module,
                                     const struct mb_pipeline_options *options,
                                     const VkSpecializationInfo *specialization,
                                     struct mb_err *err)
{
    enum mb_status status = MB_OK;
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = options->subgroup_size,
    };
    const struct mb_gpu_info *gpu = &pipeline->gpu->info;
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
        .layout = pipeline->objects.layout,
    };
    MB_VK(vkCreateComputePipelines(pipeline->gpu->device, VK_NULL_HANDLE, 1, &info, NULL,
                                   &pipeline->objects.pipeline));
    if (pipeline->gpu->state->facts) {
        MB_TRY(mb_pipeline_facts_capture(pipeline->gpu, &info, options->shader->name,
                                         pipeline->gpu->state->facts, err));
    }
fail:
    return status;
}

static enum mb_status create_module(const struct mb_gpu *gpu, const struct mb_shader *shader,
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

/* What all these pipelines are told. */
static const VkPipelineVertexInputStateCreateInfo no_input = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
};
static const VkPipelineInputAssemblyStateCreateInfo triangles = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
};
static const VkPipelineViewportStateCreateInfo one_viewport = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
    .viewportCount = 1,
    .scissorCount = 1,
};
static const VkPipelineRasterizationStateCreateInfo filled = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
    .lineWidth = 1.0f,
};
static const VkPipelineMultisampleStateCreateInfo single_sample = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
};
static const VkPipelineColorBlendAttachmentState all_channels = {
    .colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                      VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT,
};
static const VkPipelineColorBlendStateCreateInfo unblended = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &all_channels,
};
static const VkDynamicState dynamic_states[] = {VK_DYNAMIC_STATE_VIEWPORT,
                                                VK_DYNAMIC_STATE_SCISSOR};
static const VkPipelineDynamicStateCreateInfo dynamic = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
    .dynamicStateCount = MB_COUNTOF(dynamic_states),
    .pDynamicStates = dynamic_states,
};

/* The shaders apart, everything that a pipeline is told. */
static enum mb_status create_drawn(struct mb_pipeline *pipeline,
                                   const VkPipelineShaderStageCreateInfo stages[2],
                                   const struct mb_pipeline_options *options,
                                   struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &options->target_format,
    };
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = &rendering,
        .stageCount = 2,
        .pStages = stages,
        .pVertexInputState = &no_input,
        .pInputAssemblyState = &triangles,
        .pViewportState = &one_viewport,
        .pRasterizationState = &filled,
        .pMultisampleState = &single_sample,
        .pColorBlendState = &unblended,
        .pDynamicState = &dynamic,
        .layout = pipeline->objects.layout,
    };
    MB_VK(vkCreateGraphicsPipelines(pipeline->gpu->device, VK_NULL_HANDLE, 1, &info, NULL,
                                    &pipeline->objects.pipeline));
    if (pipeline->gpu->state->facts) {
        MB_TRY(mb_pipeline_facts_capture_graphics(pipeline->gpu, &info, options->shader->name,
                                                  pipeline->gpu->state->facts, err));
    }
fail:
    return status;
}

static enum mb_status create_graphics(struct mb_pipeline *pipeline, VkShaderModule fragment,
                                      const struct mb_pipeline_options *options,
                                      const VkSpecializationInfo *specialization,
                                      struct mb_err *err)
{
    enum mb_status status = MB_OK;
    VkPipelineShaderStageCreateInfo stages[2] = {
        {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_VERTEX_BIT,
            .pName = "main",
        },
        {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
            .module = fragment,
            .pName = "main",
            .pSpecializationInfo = specialization,
        },
    };
    MB_TRY(create_module(pipeline->gpu, options->vertex, &stages[0].module, err));
    MB_TRY(create_drawn(pipeline, stages, options, err));
fail:
    vkDestroyShaderModule(pipeline->gpu->device, stages[0].module, NULL);
    return status;
}

/* Layouts and pipeline, made anew. */
static enum mb_status make_pipeline(struct mb_pipeline *pipeline,
                                    const struct mb_pipeline_options *options,
                                    const uint32_t *values, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_shader *shader = options->shader;
    VkShaderModule module = VK_NULL_HANDLE;
    const VkSpecializationInfo specialization = {
        .mapEntryCount = shader->n_constants,
        .pMapEntries = shader->entries,
        .dataSize = shader->n_constants * sizeof *values,
        .pData = values,
    };
    MB_TRY(create_layouts(pipeline, options, err));
    MB_TRY(create_module(pipeline->gpu, shader, &module, err));
    if (options->vertex) {
        MB_TRY(create_graphics(pipeline, module, options, &specialization, err));
    } else {
        MB_TRY(create_compute(pipeline, module, options, &specialization, err));
    }
    mb_gpu_name(pipeline->gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline->objects.pipeline,
                options->name);
fail:
    vkDestroyShaderModule(pipeline->gpu->device, module, NULL);
    return status;
}

/* From the pool, or made and left there if there is one. */
static enum mb_status obtain_pipeline(struct mb_pipeline *pipeline,
                                      const struct mb_pipeline_options *options,
                                      struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_pipeline_pool *pool = pipeline->gpu->state->pipelines;
    const size_t n_bytes = key_bytes(options);
    const uint32_t *values = NULL;
    void *key = NULL;
    MB_TRY(make_key(options, &key, &values, err));
    pipeline->is_shared = pool && mb_pipeline_pool_find(pool, key, n_bytes, &pipeline->objects);
    if (!pipeline->is_shared) {
        MB_TRY(make_pipeline(pipeline, options, values, err));
        if (pool && mb_pipeline_pool_add(pool, key, n_bytes, &pipeline->objects)) {
            pipeline->is_shared = true;
            return MB_OK;
        }
    }
fail:
    mb_free(key);
    return status;
}

enum mb_status mb_pipeline_init(struct mb_pipeline *pipeline, const struct mb_gpu *gpu,
                                const struct mb_pipeline_options *options, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    *pipeline = (struct mb_pipeline){
        .gpu = gpu,
        .shader = options->shader,
        .is_drawn = options->vertex != NULL,
        .push_constant_bytes = options->push_constant_bytes,
    };
    MB_TRY(obtain_pipeline(pipeline, options, err));
    if (options->n_copies > 0) {
        MB_TRY(create_sets(pipeline, options, err));
    }
    return MB_OK;
fail:
    mb_pipeline_finish(pipeline);
    return status;
}

void mb_pipeline_finish(struct mb_pipeline *pipeline)
{
    if (!pipeline->gpu) {
        return;
    }
    if (!pipeline->gpu->state->is_lost) {
        VkDevice device = pipeline->gpu->device;
        vkDestroyDescriptorPool(device, pipeline->pool, NULL);
        if (!pipeline->is_shared) {
            mb_pipeline_objects_destroy(&pipeline->objects, device);
        }
    }
    mb_free(pipeline->sets);
    *pipeline = (struct mb_pipeline){0};
}

static const struct mb_binding *binding_of(const struct mb_shader *shader,
                                           const struct mb_descriptor *descriptor)
{
    uint32_t i = 0;
    while (i < shader->n_bindings && (shader->bindings[i].set != descriptor->set ||
                                      shader->bindings[i].binding != descriptor->binding)) {
        i++;
    }
    assert(i < shader->n_bindings);
    return &shader->bindings[i];
}

static void write_descriptor(const struct mb_pipeline *pipeline, uint32_t copy,
                             const struct mb_descriptor *descriptor)
{
    const struct mb_binding *binding = binding_of(pipeline->shader, descriptor);
    const bool is_stored = binding->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    const VkImageLayout layout =
        is_stored ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    const uint32_t last = descriptor->n_views > 0 ? descriptor->n_views - 1 : 0;
    const VkDescriptorBufferInfo buffer = {
        .buffer = descriptor->buffer ? descriptor->buffer->buffer : VK_NULL_HANDLE,
        .range = VK_WHOLE_SIZE,
    };
    for (uint32_t i = 0; i < binding->n_descriptors; i++) {
        const VkDescriptorImageInfo image = {
            .sampler = descriptor->sampler,
            .imageView =
                descriptor->views ? descriptor->views[i < last ? i : last] : VK_NULL_HANDLE,
            .imageLayout = descriptor->layout ? descriptor->layout : layout,
        };
        const VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = pipeline->sets[copy * pipeline->n_sets + binding->set],
            .dstBinding = binding->binding,
            .dstArrayElement = i,
            .descriptorCount = 1,
            .descriptorType = binding->type,
            .pImageInfo = &image,
            .pBufferInfo = &buffer,
        };
        vkUpdateDescriptorSets(pipeline->gpu->device, 1, &write, 0, NULL);
    }
}

void mb_pipeline_bind(const struct mb_pipeline *pipeline, uint32_t copy,
                      const struct mb_descriptor *descriptors, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        write_descriptor(pipeline, copy, &descriptors[i]);
    }
}

/* The pipeline and one copy of its sets. */
static void bind_all(const struct mb_pipeline *pipeline, VkCommandBuffer cmd, uint32_t copy)
{
    const VkPipelineBindPoint point =
        pipeline->is_drawn ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
    vkCmdBindPipeline(cmd, point, pipeline->objects.pipeline);
    if (pipeline->n_sets > 0) {
        vkCmdBindDescriptorSets(cmd, point, pipeline->objects.layout, 0, pipeline->n_sets,
                                &pipeline->sets[copy * pipeline->n_sets], 0, NULL);
    }
}

void mb_pipeline_dispatch(const struct mb_pipeline *pipeline, VkCommandBuffer cmd,
                          const struct mb_dispatch *dispatch)
{
    bind_all(pipeline, cmd, dispatch->copy);
    if (dispatch->push) {
        vkCmdPushConstants(cmd, pipeline->objects.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           pipeline->push_constant_bytes, dispatch->push);
    }
    vkCmdDispatch(cmd, dispatch->n_groups[0], dispatch->n_groups[1], dispatch->n_groups[2]);
}

/* Every texel of the area is about to be drawn, so there is nothing to load; and loads and
 * stores act within the render area only (Vulkan, "Render Pass Load Operations"). */
static void begin(const struct mb_gpu *gpu, VkCommandBuffer cmd, VkImageView target,
                  const VkRect2D *area)
{
    const VkRenderingAttachmentInfo attachment = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = target,
        .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    };
    const VkRenderingInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .renderArea = *area,
        .layerCount = 1,
        .colorAttachmentCount = 1,
        .pColorAttachments = &attachment,
    };
    if (mb_gpu_usable_version(gpu->info.api_version) >= VK_API_VERSION_1_3) {
        vkCmdBeginRendering(cmd, &info);
    } else {
        vkCmdBeginRenderingKHR(cmd, &info);
    }
}

static void end(const struct mb_gpu *gpu, VkCommandBuffer cmd)
{
    if (mb_gpu_usable_version(gpu->info.api_version) >= VK_API_VERSION_1_3) {
        vkCmdEndRendering(cmd);
    } else {
        vkCmdEndRenderingKHR(cmd);
    }
}

void mb_pipeline_draw(const struct mb_pipeline *pipeline, VkCommandBuffer cmd,
                      const struct mb_draw *draw)
{
    const VkViewport viewport = {
        .x = (float)draw->area.offset.x,
        .y = (float)draw->area.offset.y,
        .width = (float)draw->area.extent.width,
        .height = (float)draw->area.extent.height,
        .maxDepth = 1.0f,
    };
    begin(pipeline->gpu, cmd, draw->target, &draw->area);
    bind_all(pipeline, cmd, draw->copy);
    vkCmdSetViewport(cmd, 0, 1, &viewport);
    vkCmdSetScissor(cmd, 0, 1, &draw->area);
    vkCmdPushConstants(cmd, pipeline->objects.layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                       pipeline->push_constant_bytes, draw->push);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    end(pipeline->gpu, cmd);
}
