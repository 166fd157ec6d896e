/* Just enough Vulkan for example.c: a device, memory, one command buffer, one compute pipeline.
 * Nothing here belongs to spd_tree.h; an engine has all of it already.
 *
 * The first call that fails is noted in `failed`, and what comes after it does nothing. */
#ifndef VK_MIN_H
#define VK_MIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <vulkan/vulkan.h>

#define VK_MIN_MAX_BUFFERS 4
#define VK_MIN_MAX_LEVELS  16

/* Make a call unless one has failed before. */
#define VK_MIN(vk, call)                                                                       \
    do {                                                                                       \
        if ((vk)->failed == NULL && (call) != VK_SUCCESS) {                                    \
            (vk)->failed = #call;                                                              \
        }                                                                                      \
    } while (0)

struct vk_min {
    const char *failed; /* NULL: none has */
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool cmd_pool;
    VkCommandBuffer cmd;
    VkDescriptorPool set_pool;
    VkDescriptorSetLayout set_layout;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkSampler sampler;
    uint32_t family;
    uint32_t n_buffers, n_views;
    VkBuffer buffers[VK_MIN_MAX_BUFFERS];
    VkDeviceMemory memory[VK_MIN_MAX_BUFFERS + 1]; /* the last is the image's */
    VkImage image;
    VkImageView views[VK_MIN_MAX_LEVELS];
};

/* A queue family for compute, of a device that can run the kernel. */
static inline bool vk_min_device_fits(VkPhysicalDevice physical, uint32_t *family)
{
    VkQueueFamilyProperties families[16];
    uint32_t n_families = 16;
    VkPhysicalDeviceVulkan12Features vulkan12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    };
    VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &vulkan12,
    };
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    if (properties.apiVersion < VK_API_VERSION_1_2) {
        return false;
    }
    vkGetPhysicalDeviceFeatures2(physical, &features);
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &n_families, families);
    for (uint32_t i = 0; i < n_families; i++) {
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
            *family = i;
            return vulkan12.vulkanMemoryModel && vulkan12.vulkanMemoryModelDeviceScope &&
                   features.features.shaderStorageImageWriteWithoutFormat;
        }
    }
    return false;
}

static inline void vk_min_pick(struct vk_min *vk)
{
    VkPhysicalDevice devices[16];
    uint32_t n_devices = 16;
    const VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = VK_API_VERSION_1_2,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app,
    };
    VK_MIN(vk, vkCreateInstance(&info, NULL, &vk->instance));
    if (vk->failed) {
        return;
    }
    const VkResult listed = vkEnumeratePhysicalDevices(vk->instance, &n_devices, devices);
    for (uint32_t i = 0; listed >= 0 && i < n_devices && !vk->physical; i++) {
        vk->physical = vk_min_device_fits(devices[i], &vk->family) ? devices[i] : NULL;
    }
    if (!vk->physical) {
        vk->failed = "finding a device with what README.md lists";
    }
}

/* The first device that fits, and a command buffer that is being recorded. */
static inline void vk_min_open(struct vk_min *vk)
{
    vk_min_pick(vk);
    const float priority = 1.0f;
    VkPhysicalDeviceVulkan12Features vulkan12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .vulkanMemoryModel = VK_TRUE,
        .vulkanMemoryModelDeviceScope = VK_TRUE,
    };
    const VkPhysicalDeviceFeatures features = {
        .shaderStorageImageWriteWithoutFormat = VK_TRUE,
    };
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = vk->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &vulkan12,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .pEnabledFeatures = &features,
    };
    VK_MIN(vk, vkCreateDevice(vk->physical, &info, NULL, &vk->device));
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = vk->family,
    };
    VK_MIN(vk, vkCreateCommandPool(vk->device, &pool, NULL, &vk->cmd_pool));
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = vk->cmd_pool,
        .commandBufferCount = 1,
    };
    VK_MIN(vk, vkAllocateCommandBuffers(vk->device, &allocate, &vk->cmd));
    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    };
    VK_MIN(vk, vkBeginCommandBuffer(vk->cmd, &begin));
}

static inline VkDeviceMemory vk_min_allocate(struct vk_min *vk,
                                             const VkMemoryRequirements *needed,
                                             VkMemoryPropertyFlags flags)
{
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkPhysicalDeviceMemoryProperties properties;
    uint32_t type = 0;
    vkGetPhysicalDeviceMemoryProperties(vk->physical, &properties);
    while (type < properties.memoryTypeCount &&
           (!(needed->memoryTypeBits >> type & 1) ||
            (properties.memoryTypes[type].propertyFlags & flags) != flags)) {
        type++;
    }
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needed->size,
        .memoryTypeIndex = type,
    };
    if (type == properties.memoryTypeCount) {
        vk->failed = "finding a memory type";
    }
    VK_MIN(vk, vkAllocateMemory(vk->device, &info, NULL, &memory));
    return memory;
}

/* `mapped` NULL: on the device; else in the host's memory, and where. */
static inline VkBuffer vk_min_buffer(struct vk_min *vk, VkDeviceSize n_bytes, void **mapped)
{
    const uint32_t i = vk->n_buffers++;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = n_bytes,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    VkMemoryRequirements needed;
    VK_MIN(vk, vkCreateBuffer(vk->device, &info, NULL, &vk->buffers[i]));
    if (vk->failed) {
        return VK_NULL_HANDLE;
    }
    vkGetBufferMemoryRequirements(vk->device, vk->buffers[i], &needed);
    vk->memory[i] = vk_min_allocate(vk, &needed,
                                    mapped ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                 VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
                                           : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VK_MIN(vk, vkBindBufferMemory(vk->device, vk->buffers[i], vk->memory[i], 0));
    if (mapped) {
        VK_MIN(vk, vkMapMemory(vk->device, vk->memory[i], 0, VK_WHOLE_SIZE, 0, mapped));
    }
    return vk->buffers[i];
}

static inline void vk_min_image(struct vk_min *vk, VkFormat format, VkFormat view_format,
                                VkExtent3D extent, uint32_t n_levels)
{
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = format == view_format
                     ? 0
                     : VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = extent,
        .mipLevels = n_levels,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                 VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    VkImageFormatProperties can;
    VkMemoryRequirements needed;
    VK_MIN(vk,
           vkGetPhysicalDeviceImageFormatProperties(vk->physical, format, info.imageType,
                                                    info.tiling, info.usage, info.flags, &can));
    if (!vk->failed &&
        (extent.width > can.maxExtent.width || extent.height > can.maxExtent.height)) {
        vk->failed = "fitting the size into the device's limit of image dimensions";
    }
    VK_MIN(vk, vkCreateImage(vk->device, &info, NULL, &vk->image));
    if (vk->failed) {
        return;
    }
    vkGetImageMemoryRequirements(vk->device, vk->image, &needed);
    vk->memory[VK_MIN_MAX_BUFFERS] =
        vk_min_allocate(vk, &needed, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VK_MIN(vk, vkBindImageMemory(vk->device, vk->image, vk->memory[VK_MIN_MAX_BUFFERS], 0));
    for (; vk->n_views < n_levels; vk->n_views++) {
        const VkImageViewCreateInfo view = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
            .image = vk->image,
            .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
            .format = view_format,
            .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, vk->n_views, 1, 0, 1},
        };
        VK_MIN(vk, vkCreateImageView(vk->device, &view, NULL, &vk->views[vk->n_views]));
    }
}

/* A module from a file. */
static inline VkShaderModule vk_min_module(struct vk_min *vk, const char *path)
{
    VkShaderModule module = VK_NULL_HANDLE;
    FILE *file = fopen(path, "rb");
    const size_t most = 1 << 20;
    uint32_t *code = (uint32_t *)malloc(most);
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = file && code ? fread(code, 1, most, file) : 0,
        .pCode = code,
    };
    if (info.codeSize == 0) {
        vk->failed = vk->failed ? vk->failed : "reading the SPIR-V module";
    }
    VK_MIN(vk, vkCreateShaderModule(vk->device, &info, NULL, &module));
    free(code);
    if (file) {
        fclose(file);
    }
    return module;
}

/* Descriptor set and layouts for these bindings, and a sampler. */
static inline void vk_min_layouts(struct vk_min *vk,
                                  const VkDescriptorSetLayoutBinding *bindings,
                                  uint32_t n_bindings, uint32_t push_bytes)
{
    VkDescriptorPoolSize sizes[16];
    for (uint32_t i = 0; i < n_bindings; i++) {
        sizes[i].type = bindings[i].descriptorType;
        sizes[i].descriptorCount = bindings[i].descriptorCount;
    }
    const VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = n_bindings,
        .pBindings = bindings,
    };
    VK_MIN(vk, vkCreateDescriptorSetLayout(vk->device, &set_layout, NULL, &vk->set_layout));
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = n_bindings,
        .pPoolSizes = sizes,
    };
    VK_MIN(vk, vkCreateDescriptorPool(vk->device, &pool, NULL, &vk->set_pool));
    const VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = vk->set_pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &vk->set_layout,
    };
    VK_MIN(vk, vkAllocateDescriptorSets(vk->device, &allocate, &vk->set));
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &vk->set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &push,
    };
    VK_MIN(vk, vkCreatePipelineLayout(vk->device, &layout, NULL, &vk->layout));
    const VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    VK_MIN(vk, vkCreateSampler(vk->device, &sampler, NULL, &vk->sampler));
}

static inline void vk_min_pipeline(struct vk_min *vk, const char *path,
                                   const VkSpecializationInfo *specialization)
{
    VkShaderModule module = vk_min_module(vk, path);
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage =
            {
                .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main",
                .pSpecializationInfo = specialization,
            },
        .layout = vk->layout,
    };
    VK_MIN(vk,
           vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &vk->pipeline));
    if (vk->device) {
        vkDestroyShaderModule(vk->device, module, NULL);
    }
}

/* Everything before it is done and visible to everything after it; all levels
 * go to GENERAL. An engine names the stages and accesses that it has. */
static inline void vk_min_barrier(const struct vk_min *vk, VkImageLayout from)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .image = vk->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, 1},
    };
    const VkMemoryBarrier buffers = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = barrier.srcAccessMask,
        .dstAccessMask = barrier.dstAccessMask,
    };
    vkCmdPipelineBarrier(vk->cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &buffers, 0, NULL, 1, &barrier);
}

/* Run what was recorded, and wait for it. */
static inline void vk_min_submit(struct vk_min *vk)
{
    VK_MIN(vk, vkEndCommandBuffer(vk->cmd));
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &vk->cmd,
    };
    vkGetDeviceQueue(vk->device, vk->family, 0, &vk->queue);
    VK_MIN(vk, vkQueueSubmit(vk->queue, 1, &submit, VK_NULL_HANDLE));
    VK_MIN(vk, vkQueueWaitIdle(vk->queue));
}

static inline void vk_min_close(struct vk_min *vk)
{
    if (vk->device) {
        vkDestroyPipeline(vk->device, vk->pipeline, NULL);
        vkDestroyPipelineLayout(vk->device, vk->layout, NULL);
        vkDestroyDescriptorPool(vk->device, vk->set_pool, NULL);
        vkDestroyDescriptorSetLayout(vk->device, vk->set_layout, NULL);
        vkDestroySampler(vk->device, vk->sampler, NULL);
        for (uint32_t i = 0; i < vk->n_views; i++) {
            vkDestroyImageView(vk->device, vk->views[i], NULL);
        }
        vkDestroyImage(vk->device, vk->image, NULL);
        for (uint32_t i = 0; i < vk->n_buffers; i++) {
            vkDestroyBuffer(vk->device, vk->buffers[i], NULL);
        }
        for (uint32_t i = 0; i < VK_MIN_MAX_BUFFERS + 1; i++) {
            vkFreeMemory(vk->device, vk->memory[i], NULL);
        }
        vkDestroyCommandPool(vk->device, vk->cmd_pool, NULL);
        vkDestroyDevice(vk->device, NULL);
    }
    if (vk->instance) {
        vkDestroyInstance(vk->instance, NULL);
    }
}

#endif
