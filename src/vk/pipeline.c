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
static VkShaderStageFlagBits stage_of(const struct mb_pipeline *pipeline)
{
    return pipeline->made->vertex ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_COMPUTE_BIT;
}

static enum mb_status create_set_layout(struct mb_pipeline *pipeline, uint32_t set,
                                        struct mb_err *err)
{
    const struct mb_shader *shader = pipeline->made->shader;
    VkDescriptorSetLayoutBinding bindings[MB_MAX_BINDINGS];
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .pBindings = bindings,
    };
    for (uint32_t i = 0; i < shader->n_bindings; i++) {
        if (shader->bindings[i].set == set) {
            bindings[info.bindingCount++] = (VkDescriptorSetLayoutBinding){
                .binding = shader->bindings[i].binding,
                .descriptorType = shader->bindings[i].type,
                .descriptorCount = shader->bindings[i].n_descriptors,
                .stageFlags = stage_of(pipeline),
            };
        }
    }
    return MB_VK_MAKE(vkCreateDescriptorSetLayout, pipeline->gpu->device, &info,
                      &pipeline->made->set_layouts[set]);
}

static enum mb_status create_layouts(struct mb_pipeline *pipeline, struct mb_err *err)
{
    struct mb_made_pipeline *made = pipeline->made;
    const VkPushConstantRange push = {
        .stageFlags = stage_of(pipeline),
        .size = made->push_constant_bytes,
    };
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = made->shader->n_sets,
        .pSetLayouts = made->set_layouts,
        .pushConstantRangeCount = push.size > 0 ? 1 : 0,
        .pPushConstantRanges = &push,
    };
    for (uint32_t set = 0; set < layout.setLayoutCount; set++) {
        MB_DO(create_set_layout(pipeline, set, err));
    }
    return MB_VK_MAKE(vkCreatePipelineLayout, pipeline->gpu->device, &layout, &made->layout);
}

static enum mb_status create_pool(struct mb_pipeline *pipeline, uint32_t n_copies,
                                  struct mb_err *err)
{
    const struct mb_shader *shader = pipeline->made->shader;
    VkDescriptorPoolSize sizes[MB_MAX_BINDINGS];
    for (uint32_t i = 0; i < shader->n_bindings; i++) {
        sizes[i] = (VkDescriptorPoolSize){
            .type = shader->bindings[i].type,
            .descriptorCount = shader->bindings[i].n_descriptors * n_copies,
        };
    }
    const VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = shader->n_sets * n_copies,
        .poolSizeCount = shader->n_bindings,
        .pPoolSizes = sizes,
    };
    return MB_VK_MAKE(vkCreateDescriptorPool, pipeline->gpu->device, &info, &pipeline->pool);
}

static enum mb_status create_sets(struct mb_pipeline *pipeline, uint32_t n_copies,
                                  const char *name, struct mb_err *err)
{
    const struct mb_gpu *gpu = pipeline->gpu;
    const uint32_t n_sets = pipeline->made->shader->n_sets;
    MB_DO(create_pool(pipeline, n_copies, err));
    pipeline->sets = mb_alloc((size_t)n_copies * n_sets, sizeof *pipeline->sets);
    MB_DO(MB_NEED(pipeline->sets, name));
    for (uint32_t i = 0; i < n_copies * n_sets; i++) {
        const VkDescriptorSetAllocateInfo allocate = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
            .descriptorPool = pipeline->pool,
            .descriptorSetCount = 1,
            .pSetLayouts = &pipeline->made->set_layouts[i % n_sets],
        };
        MB_DO(MB_VK(vkAllocateDescriptorSets(gpu->device, &allocate, &pipeline->sets[i])));
        mb_gpu_name(gpu, VK_OBJECT_TYPE_DESCRIPTOR_SET, (uint64_t)pipeline->sets[i], name);
    }
    return MB_OK;
}

/* Set the value of a constant; false if the shader has no such constant. */
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
        MB_FAIL_IF(!set_value(shader, &options->constants[i], values), err, MB_ERRC_RUNTIME,
                   "%s has no specialisation constant %s", shader->name,
                   options->constants[i].name);
    }
    return MB_OK;
}

static enum mb_status create_compute(const struct mb_pipeline *pipeline,
                                     VkPipelineShaderStageCreateInfo stage,
                                     VkPipelineCreateFlags flags, VkPipeline *handle,
                                     struct mb_err *err)
{
    const struct mb_made_pipeline *made = pipeline->made;
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = made->subgroup_size,
    };
    const struct mb_gpu_info *gpu = &pipeline->gpu->info;
    if (made->subgroup_size > 0 && gpu->has_full_subgroups) {
        stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
        /* If the workgroup has too many subgroups, their size cannot be required
         * (VUID-VkPipelineShaderStageCreateInfo-pNext-02756), but full subgroups still can. */
        stage.pNext = made->n_invocations <= made->subgroup_size * gpu->max_workgroup_subgroups
                          ? &required
                          : NULL;
    }
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = flags,
        .stage = stage,
        .layout = made->layout,
    };
    return MB_VK(vkCreateComputePipelines(pipeline->gpu->device, VK_NULL_HANDLE, 1, &info, NULL,
                                          handle));
}

/* The state that all graphics pipelines share. */
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

static enum mb_status create_graphics(const struct mb_pipeline *pipeline,
                                      const VkPipelineShaderStageCreateInfo stages[2],
                                      VkPipelineCreateFlags flags, VkPipeline *handle,
                                      struct mb_err *err)
{
    const VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &pipeline->made->target_format,
    };
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = &rendering,
        .flags = flags,
        .stageCount = 2,
        .pStages = stages,
        .pVertexInputState = &no_input,
        .pInputAssemblyState = &triangles,
        .pViewportState = &one_viewport,
        .pRasterizationState = &filled,
        .pMultisampleState = &single_sample,
        .pColorBlendState = &unblended,
        .pDynamicState = &dynamic,
        .layout = pipeline->made->layout,
    };
    return MB_VK(vkCreateGraphicsPipelines(pipeline->gpu->device, VK_NULL_HANDLE, 1, &info,
                                           NULL, handle));
}

/* Uses the shader's code unchanged: the driver fills in the specialisation constants. */
static enum mb_status create_module(const struct mb_gpu *gpu, const struct mb_shader *shader,
                                    VkShaderModule *module, struct mb_err *err)
{
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = shader->code_bytes,
        .pCode = shader->code,
    };
    return MB_VK_MAKE(vkCreateShaderModule, gpu->device, &info, module);
}

static enum mb_status create_pipeline(const struct mb_pipeline *pipeline,
                                      VkPipelineCreateFlags flags, VkPipeline *handle,
                                      struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_gpu *gpu = pipeline->gpu;
    const struct mb_made_pipeline *made = pipeline->made;
    const VkSpecializationInfo specialization = {
        .mapEntryCount = made->shader->n_constants,
        .pMapEntries = made->shader->entries,
        .dataSize = made->shader->n_constants * sizeof *made->constants,
        .pData = made->constants,
    };
    VkPipelineShaderStageCreateInfo vertex = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = VK_SHADER_STAGE_VERTEX_BIT,
        .pName = "main",
    };
    VkPipelineShaderStageCreateInfo stage = vertex;
    stage.stage = stage_of(pipeline);
    stage.pName = made->shader->entry ? made->shader->entry : "main";
    stage.pSpecializationInfo = &specialization;
    MB_TRY(create_module(gpu, made->shader, &stage.module, err));
    if (made->vertex) {
        MB_TRY(create_module(gpu, made->vertex, &vertex.module, err));
        const VkPipelineShaderStageCreateInfo stages[] = {vertex, stage};
        MB_TRY(create_graphics(pipeline, stages, flags, handle, err));
    } else {
        MB_TRY(create_compute(pipeline, stage, flags, handle, err));
    }
fail:
    vkDestroyShaderModule(gpu->device, vertex.module, NULL);
    vkDestroyShaderModule(gpu->device, stage.module, NULL);
    return status;
}

/* Make the pipeline once more, with statistics, to ask what the driver says of it. */
static enum mb_status describe(const struct mb_pipeline *pipeline, struct mb_err *err)
{
    const struct mb_gpu *gpu = pipeline->gpu;
    enum mb_status status = MB_OK;
    VkPipeline captured = VK_NULL_HANDLE;
    if (gpu->info.features.executables.pipelineExecutableInfo) {
        MB_TRY(create_pipeline(pipeline, VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR,
                               &captured, err));
    }
    MB_TRY(mb_pipeline_facts_add(gpu, captured, pipeline->made->shader->name, gpu->state->facts,
                                 err));
fail:
    vkDestroyPipeline(gpu->device, captured, NULL);
    return status;
}

static bool is_like(const struct mb_made_pipeline *a, const struct mb_made_pipeline *b)
{
    return a->shader == b->shader && a->vertex == b->vertex &&
           a->target_format == b->target_format &&
           a->push_constant_bytes == b->push_constant_bytes &&
           a->subgroup_size == b->subgroup_size && a->n_invocations == b->n_invocations &&
           memcmp(a->constants, b->constants, a->shader->n_constants * sizeof *a->constants) ==
               0;
}

/* Destroy one pipeline, or the whole list of pipelines that the device keeps. */
static void destroy_made(void *list)
{
    struct mb_made_pipeline *made = list;
    while (made) {
        struct mb_made_pipeline *next = made->next;
        vkDestroyPipeline(made->device, made->pipeline, NULL);
        vkDestroyPipelineLayout(made->device, made->layout, NULL);
        for (uint32_t i = 0; i < MB_MAX_SETS; i++) {
            vkDestroyDescriptorSetLayout(made->device, made->set_layouts[i], NULL);
        }
        mb_free(made);
        made = next;
    }
}

static enum mb_status make(struct mb_pipeline *pipeline, const char *name, struct mb_err *err)
{
    const struct mb_gpu *gpu = pipeline->gpu;
    struct mb_made_pipeline *made = pipeline->made;
    MB_DO(create_layouts(pipeline, err));
    if (!gpu->state->only_compiles || !gpu->info.features.executables.pipelineExecutableInfo) {
        MB_DO(create_pipeline(pipeline, 0, &made->pipeline, err));
        mb_gpu_name(gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)made->pipeline, name);
    }
    return gpu->state->facts ? describe(pipeline, err) : MB_OK;
}

/* Find the pipeline among those that the device keeps, or make it. If its facts are wanted,
 * always make it. */
static enum mb_status obtain(struct mb_pipeline *pipeline, const char *name, struct mb_err *err)
{
    if (!pipeline->gpu->state->keeps_pipelines || pipeline->gpu->state->facts) {
        return make(pipeline, name, err);
    }
    void **list = mb_gpu_kept(pipeline->gpu, destroy_made);
    MB_DO(MB_NEED(list, name));
    struct mb_made_pipeline *made = pipeline->made, *kept = *list;
    while (kept && !is_like(kept, made)) {
        kept = kept->next;
    }
    if (kept) {
        mb_free(made);
        pipeline->made = kept;
    } else {
        MB_DO(make(pipeline, name, err));
        made->next = *list;
        *list = made;
    }
    pipeline->is_kept = true;
    return MB_OK;
}

enum mb_status mb_pipeline_init(struct mb_pipeline *pipeline, const struct mb_gpu *gpu,
                                const struct mb_pipeline_options *options, struct mb_err *err)
{
    const struct mb_shader *shader = options->shader;
    struct mb_made_pipeline *made =
        mb_alloc(1, sizeof *made + shader->n_constants * sizeof *made->constants);
    *pipeline = (struct mb_pipeline){.gpu = gpu, .made = made};
    MB_DO(MB_NEED(made, options->name));
    made->device = gpu->device;
    made->shader = shader;
    made->vertex = options->vertex;
    made->target_format = options->target_format;
    made->push_constant_bytes = options->push_constant_bytes;
    made->subgroup_size = options->subgroup_size;
    made->n_invocations = options->n_invocations;
    MB_DO(fill_values(options, made->constants, err));
    MB_DO(obtain(pipeline, options->name, err));
    if (options->n_copies > 0 && shader->n_sets > 0 && !gpu->state->only_compiles) {
        MB_DO(create_sets(pipeline, options->n_copies, options->name, err));
    }
    return MB_OK;
}

void mb_pipeline_finish(struct mb_pipeline *pipeline)
{
    if (!pipeline->gpu) {
        return;
    }
    if (pipeline->gpu->state->is_lost) {
        mb_free(pipeline->is_kept ? NULL : pipeline->made);
    } else {
        vkDestroyDescriptorPool(pipeline->gpu->device, pipeline->pool, NULL);
        destroy_made(pipeline->is_kept ? NULL : pipeline->made);
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
    const struct mb_binding *binding = binding_of(pipeline->made->shader, descriptor);
    const bool is_stored = binding->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    const VkImageLayout layout =
        is_stored ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    const uint32_t last = descriptor->n_views > 0 ? descriptor->n_views - 1 : 0;
    const VkDescriptorBufferInfo buffer = {
        .buffer = descriptor->buffer ? descriptor->buffer->buffer : VK_NULL_HANDLE,
        .offset = descriptor->buffer_offset,
        .range = descriptor->buffer_bytes > 0 ? descriptor->buffer_bytes : VK_WHOLE_SIZE,
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
            .dstSet = pipeline->sets[copy * pipeline->made->shader->n_sets + binding->set],
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
    for (uint32_t i = 0; i < n && !pipeline->gpu->state->only_compiles; i++) {
        write_descriptor(pipeline, copy, &descriptors[i]);
    }
}

/* Bind the pipeline, one copy of its sets, and its push constants. */
static void bind_all(const struct mb_pipeline *pipeline, VkCommandBuffer cmd, uint32_t copy,
                     const void *push)
{
    const struct mb_made_pipeline *made = pipeline->made;
    const uint32_t n_sets = made->shader->n_sets;
    const VkPipelineBindPoint point =
        made->vertex ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
    vkCmdBindPipeline(cmd, point, made->pipeline);
    if (n_sets > 0) {
        vkCmdBindDescriptorSets(cmd, point, made->layout, 0, n_sets,
                                &pipeline->sets[copy * n_sets], 0, NULL);
    }
    if (push) {
        vkCmdPushConstants(cmd, made->layout, stage_of(pipeline), 0, made->push_constant_bytes,
                           push);
    }
}

void mb_pipeline_dispatch(const struct mb_pipeline *pipeline, VkCommandBuffer cmd,
                          const struct mb_dispatch *dispatch)
{
    bind_all(pipeline, cmd, dispatch->copy, dispatch->push);
    vkCmdDispatch(cmd, dispatch->n_groups[0], dispatch->n_groups[1], dispatch->n_groups[2]);
}

void mb_pipeline_dispatch_rows(const struct mb_pipeline *pipeline, VkCommandBuffer cmd,
                               uint32_t copy, const void *push, uint32_t n_groups)
{
    const uint32_t widest = pipeline->gpu->info.limits.maxComputeWorkGroupCount[0];
    const uint32_t width = n_groups < widest ? n_groups : widest;
    const struct mb_dispatch dispatch = {
        copy, push, .n_groups = {width, (n_groups + width - 1) / width, 1}};
    mb_pipeline_dispatch(pipeline, cmd, &dispatch);
}

/* Nothing is loaded, as every texel of the area is about to be drawn; loads and stores act
 * within the render area only (Vulkan, "Render Pass Load Operations"). */
void mb_pipeline_draw(const struct mb_pipeline *pipeline, VkCommandBuffer cmd,
                      const struct mb_draw *draw)
{
    const bool is_core = pipeline->gpu->info.usable_version >= VK_API_VERSION_1_3;
    const VkRenderingAttachmentInfo attachment = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = draw->target,
        .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    };
    const VkRenderingInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .renderArea = draw->area,
        .layerCount = 1,
        .colorAttachmentCount = 1,
        .pColorAttachments = &attachment,
    };
    const VkViewport viewport = {
        .x = (float)draw->area.offset.x,
        .y = (float)draw->area.offset.y,
        .width = (float)draw->area.extent.width,
        .height = (float)draw->area.extent.height,
        .maxDepth = 1.0f,
    };
    (is_core ? vkCmdBeginRendering : vkCmdBeginRenderingKHR)(cmd, &info);
    bind_all(pipeline, cmd, draw->copy, draw->push);
    vkCmdSetViewport(cmd, 0, 1, &viewport);
    vkCmdSetScissor(cmd, 0, 1, &draw->area);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    (is_core ? vkCmdEndRendering : vkCmdEndRenderingKHR)(cmd);
}
