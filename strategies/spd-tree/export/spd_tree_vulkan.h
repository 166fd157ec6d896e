/* A plan of spd_tree.h as calls of Vulkan, for C11 and C++11: descriptors, pipeline, dispatch.
 * For engines to take, or to read and do by their own means. */
#ifndef SPD_TREE_VULKAN_H
#define SPD_TREE_VULKAN_H

#include <vulkan/vulkan.h>

#include "spd_tree.h"

#define SPD_TREE_N_BINDINGS 4u

/* Of the views: `format` is the image's, or that of an sRGB image without _SRGB. */
static inline VkFormat spd_tree_view_format(const struct spd_tree_plan *plan, VkFormat format)
{
    return plan->view == SPD_TREE_VIEW_R32      ? VK_FORMAT_R32_UINT
           : plan->view == SPD_TREE_VIEW_R32G32 ? VK_FORMAT_R32G32_UINT
                                                : format;
}

/* Of a level, for set 0. */
static inline VkResult spd_tree_make_view(VkDevice device, VkImage image, VkFormat format,
                                          VkImageAspectFlags aspect, uint32_t level,
                                          VkImageView *view)
{
    const VkComponentMapping as_is = {
        VK_COMPONENT_SWIZZLE_IDENTITY, VK_COMPONENT_SWIZZLE_IDENTITY,
        VK_COMPONENT_SWIZZLE_IDENTITY, VK_COMPONENT_SWIZZLE_IDENTITY};
    const VkImageSubresourceRange range = {aspect, level, 1, 0, VK_REMAINING_ARRAY_LAYERS};
    const VkImageViewCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        NULL,
                                        0,
                                        image,
                                        VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                                        format,
                                        as_is,
                                        range};
    return vkCreateImageView(device, &info, NULL, view);
}

/* Plans whose module and constants are the same share one. */
struct spd_tree_pipeline {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkSampler sampler;
    VkPipeline pipeline;
};

static inline VkResult spd_tree_make_layouts(VkDevice device,
                                             VkDescriptorSetLayoutCreateFlags flags,
                                             struct spd_tree_pipeline *made)
{
    const VkShaderStageFlags stage = VK_SHADER_STAGE_COMPUTE_BIT;
    const VkDescriptorSetLayoutBinding bindings[SPD_TREE_N_BINDINGS] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, stage, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, SPD_TREE_MAX_LEVELS - 1, stage, NULL},
        {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stage, NULL},
        {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stage, NULL},
    };
    const VkDescriptorSetLayoutCreateInfo set = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, NULL, flags, SPD_TREE_N_BINDINGS,
        bindings};
    const VkPushConstantRange push = {stage, 0, sizeof(struct spd_tree_push)};
    const VkPipelineLayoutCreateInfo layout = {
        VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, NULL, 0, 1, &made->set_layout, 1, &push};
    const VkResult result = vkCreateDescriptorSetLayout(device, &set, NULL, &made->set_layout);
    return result == VK_SUCCESS ? vkCreatePipelineLayout(device, &layout, NULL, &made->layout)
                                : result;
}

/* Nearest texel, clamped to the edge. */
static inline VkResult spd_tree_make_sampler(VkDevice device, VkSampler *sampler)
{
    const VkSamplerAddressMode edge = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    const VkSamplerCreateInfo info = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                      NULL,
                                      0,
                                      VK_FILTER_NEAREST,
                                      VK_FILTER_NEAREST,
                                      VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                      edge,
                                      edge,
                                      edge,
                                      0.0f,
                                      VK_FALSE,
                                      0.0f,
                                      VK_FALSE,
                                      VK_COMPARE_OP_NEVER,
                                      0.0f,
                                      0.0f,
                                      VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
                                      VK_FALSE};
    return vkCreateSampler(device, &info, NULL, sampler);
}

static inline VkResult spd_tree_specialise(VkDevice device, const struct spd_tree_plan *plan,
                                           VkShaderModule module,
                                           struct spd_tree_pipeline *made)
{
    uint32_t values[SPD_TREE_N_CONSTANTS];
    VkSpecializationMapEntry entries[SPD_TREE_N_CONSTANTS];
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo lanes = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, NULL,
        plan->subgroup_size};
    for (uint32_t i = 0; i < SPD_TREE_N_CONSTANTS; i++) {
        values[i] = plan->constants[i].value;
        entries[i].constantID = plan->constants[i].id;
        entries[i].offset = i * (uint32_t)sizeof values[0];
        entries[i].size = sizeof values[0];
    }
    const VkSpecializationInfo constants = {SPD_TREE_N_CONSTANTS, entries, sizeof values,
                                            values};
    const bool has_subgroups = plan->module.has_subgroups;
    const VkPipelineShaderStageCreateInfo stage = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        has_subgroups ? &lanes : NULL,
        has_subgroups ? (VkPipelineShaderStageCreateFlags)
                            VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT
                      : 0,
        VK_SHADER_STAGE_COMPUTE_BIT,
        module,
        "main",
        &constants};
    const VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              NULL,
                                              0,
                                              stage,
                                              made->layout,
                                              VK_NULL_HANDLE,
                                              -1};
    return vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &made->pipeline);
}

/* Of the code of a plan's module (spd_tree_modules.h). `flags` of the set's layout: 0, or those
 * of push descriptors. What was made before a failure is left in `*made`, which is zero before.
 */
static inline VkResult spd_tree_make_pipeline(VkDevice device,
                                              VkDescriptorSetLayoutCreateFlags flags,
                                              const struct spd_tree_plan *plan,
                                              const struct spd_tree_code *code,
                                              struct spd_tree_pipeline *made)
{
    const VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0,
                                           code->n_bytes, code->words};
    VkShaderModule module = VK_NULL_HANDLE;
    VkResult result = spd_tree_make_layouts(device, flags, made);
    result = result == VK_SUCCESS ? spd_tree_make_sampler(device, &made->sampler) : result;
    result = result == VK_SUCCESS ? vkCreateShaderModule(device, &info, NULL, &module) : result;
    result = result == VK_SUCCESS ? spd_tree_specialise(device, plan, module, made) : result;
    vkDestroyShaderModule(device, module, NULL);
    return result;
}

static inline void spd_tree_destroy_pipeline(VkDevice device, struct spd_tree_pipeline *made)
{
    vkDestroyPipeline(device, made->pipeline, NULL);
    vkDestroySampler(device, made->sampler, NULL);
    vkDestroyPipelineLayout(device, made->layout, NULL);
    vkDestroyDescriptorSetLayout(device, made->set_layout, NULL);
}

/* What set 0 holds. */
struct spd_tree_resources {
    VkDescriptorImageInfo source; /* sampler, level 0's view, its layout */
    VkDescriptorImageInfo levels[SPD_TREE_MAX_LEVELS - 1]; /* filled in below */
    VkDescriptorBufferInfo hand_off, counters;
};

/* `views` are those of levels 1, 2, ..; the writes, which point into `*resources`, are for
 * vkUpdateDescriptorSets, or for vkCmdPushDescriptorSetKHR, where `set` counts for nothing. */
static inline void spd_tree_fill_writes(struct spd_tree_resources *resources,
                                        const VkImageView *views, uint32_t n_views,
                                        VkDescriptorSet set,
                                        VkWriteDescriptorSet writes[SPD_TREE_N_BINDINGS])
{
    const uint32_t n_levels = SPD_TREE_MAX_LEVELS - 1;
    for (uint32_t i = 0; i < n_levels; i++) {
        const VkDescriptorImageInfo level = {
            VK_NULL_HANDLE, views[i < n_views ? i : n_views - 1], VK_IMAGE_LAYOUT_GENERAL};
        resources->levels[i] = level;
    }
    const VkWriteDescriptorSet all[SPD_TREE_N_BINDINGS] = {
        {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, 0, 0, 1,
         VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, &resources->source, NULL, NULL},
        {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, 1, 0, n_levels,
         VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, resources->levels, NULL, NULL},
        {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, 2, 0, 1,
         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, NULL, &resources->hand_off, NULL},
        {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, 3, 0, 1,
         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, NULL, &resources->counters, NULL},
    };
    memcpy(writes, all, sizeof all);
}

/* With set 0 bound, between the barriers that spd_tree.h describes. */
static inline void spd_tree_dispatch(VkCommandBuffer cmd, const struct spd_tree_pipeline *made,
                                     const struct spd_tree_plan *plan)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, made->pipeline);
    vkCmdPushConstants(cmd, made->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof plan->push,
                       &plan->push);
    vkCmdDispatch(cmd, plan->n_groups[0], plan->n_groups[1], plan->n_groups[2]);
}

#endif
