/* Graphics pipelines for fullscreen triangles, and drawing with them. */
#include "vk/graphics.h"

#include <string.h>

#include "vk/gpu_info.h"
#include "vk/pipeline_facts.h"

bool mb_gpu_crashes_on_draws(const struct mb_gpu_info *info)
{
    return strcmp(info->driver_name, "llvmpipe") == 0 &&
           strncmp(info->driver_info, "Mesa 22.", strlen("Mesa 22.")) == 0 &&
           strstr(info->name, "512 bits") != NULL;
}

enum mb_status mb_gpu_require_drawing(const struct mb_gpu *gpu, VkFormat format,
                                      struct mb_extent extent, struct mb_err *why)
{
    const uint32_t limit = gpu->info.max_attachment_dimension;
    if (!gpu->info.has_dynamic_rendering) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device has no dynamic rendering (Vulkan 1.3 or "
                       "VK_KHR_dynamic_rendering)");
    }
    if (extent.width > limit || extent.height > limit) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device draws to at most %ux%u texels; level 1 has %ux%u", limit,
                       limit, extent.width, extent.height);
    }
    return mb_gpu_require_format(gpu, format, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT, "drawing",
                                 why);
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
static enum mb_status create_pipeline(struct mb_compute *graphics,
                                      const VkPipelineShaderStageCreateInfo stages[2],
                                      const struct mb_compute_options *options,
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
        .layout = graphics->layout,
    };
    MB_VK(vkCreateGraphicsPipelines(graphics->gpu->device, VK_NULL_HANDLE, 1, &info, NULL,
                                    &graphics->pipeline));
    if (graphics->gpu->state->facts) {
        MB_TRY(mb_pipeline_facts_capture_graphics(graphics->gpu, &info, options->shader->name,
                                                  graphics->gpu->state->facts, err));
    }
fail:
    return status;
}

enum mb_status mb_graphics_create(struct mb_compute *graphics, VkShaderModule fragment,
                                  const struct mb_compute_options *options,
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
    MB_TRY(mb_shader_module_create(graphics->gpu, options->vertex, &stages[0].module, err));
    MB_TRY(create_pipeline(graphics, stages, options, err));
fail:
    vkDestroyShaderModule(graphics->gpu->device, stages[0].module, NULL);
    return status;
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

void mb_graphics_draw(const struct mb_compute *graphics, VkCommandBuffer cmd,
                      const struct mb_draw *draw)
{
    const struct mb_rect area = draw->area;
    const VkRect2D scissor = {
        .offset = {(int32_t)area.x, (int32_t)area.y},
        .extent = {area.width, area.height},
    };
    const VkViewport viewport = {
        .x = (float)area.x,
        .y = (float)area.y,
        .width = (float)area.width,
        .height = (float)area.height,
        .maxDepth = 1.0f,
    };
    begin(graphics->gpu, cmd, draw->target, &scissor);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->pipeline);
    vkCmdSetViewport(cmd, 0, 1, &viewport);
    vkCmdSetScissor(cmd, 0, 1, &scissor);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->layout, 0, 1,
                            &graphics->sets[draw->set], 0, NULL);
    vkCmdPushConstants(cmd, graphics->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, draw->push_bytes,
                       draw->push);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    end(graphics->gpu, cmd);
}
