/* What the examples need besides spd-tree: a device and a command buffer. An engine has
 * both. Functions print why they return false. Nothing is freed: the process ends. */
#ifndef EXAMPLE_HOST_H
#define EXAMPLE_HOST_H

#include <stdio.h>
#include <stdlib.h>

#include "spd_tree.h"

#define TYPE(x) .sType = VK_STRUCTURE_TYPE_##x
#define TRY(call)                                                                              \
    do {                                                                                       \
        if ((call) != VK_SUCCESS) {                                                            \
            fprintf(stderr, "error: %s\n", #call);                                             \
            return false;                                                                      \
        }                                                                                      \
    } while (0)

struct host {
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue; /* of family 0, which every known device offers compute on */
    VkCommandBuffer cmd;
    struct spd_tree_features features;
    VkDeviceMemory memory; /* the latest allocation */
};

/* `extension` is a device extension, or NULL. */
static VkResult host_make_device(struct host *host, const char *extension)
{
    struct spd_tree_features *features = &host->features;
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue = {
        TYPE(DEVICE_QUEUE_CREATE_INFO), NULL, 0, 0, 1, &priority};
    const char *extensions[] = {features->extension ? features->extension : extension,
                                extension};
    VkDeviceCreateInfo info = {TYPE(DEVICE_CREATE_INFO),
                               &features->v12,
                               0,
                               1,
                               &queue,
                               .ppEnabledExtensionNames = extensions,
                               .pEnabledFeatures = &features->core};
    info.enabledExtensionCount = (features->extension ? 1u : 0u) + (extension ? 1u : 0u);
    features->v12.pNext = features->has_size_control ? &features->size_control : NULL;
    return vkCreateDevice(host->physical, &info, NULL, &host->device);
}

/* Opens the first device and begins a command buffer. */
static bool host_open(struct host *host, const char *extension)
{
    const VkApplicationInfo app = {TYPE(APPLICATION_INFO), .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info = {TYPE(INSTANCE_CREATE_INFO), .pApplicationInfo = &app};
    VkInstance instance;
    uint32_t n = 1;
    TRY(vkCreateInstance(&info, NULL, &instance));
    const VkResult listed = vkEnumeratePhysicalDevices(instance, &n, &host->physical);
    TRY(listed >= 0 && n > 0 ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED);
    spd_tree_get_features(host->physical, &host->features);
    if (host->features.why_not) {
        fprintf(stderr, "error: %s\n", host->features.why_not);
        return false;
    }
    TRY(host_make_device(host, extension));
    vkGetDeviceQueue(host->device, 0, 0, &host->queue);
    const VkCommandPoolCreateInfo pool_info = {TYPE(COMMAND_POOL_CREATE_INFO)};
    VkCommandPool pool;
    TRY(vkCreateCommandPool(host->device, &pool_info, NULL, &pool));
    const VkCommandBufferAllocateInfo allocate = {TYPE(COMMAND_BUFFER_ALLOCATE_INFO), NULL,
                                                  pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    const VkCommandBufferBeginInfo begin = {TYPE(COMMAND_BUFFER_BEGIN_INFO)};
    TRY(vkAllocateCommandBuffers(host->device, &allocate, &host->cmd));
    TRY(vkBeginCommandBuffer(host->cmd, &begin));
    return true;
}

static bool host_run(struct host *host)
{
    const VkSubmitInfo submit = {TYPE(SUBMIT_INFO), .commandBufferCount = 1,
                                 .pCommandBuffers = &host->cmd};
    TRY(vkEndCommandBuffer(host->cmd));
    TRY(vkQueueSubmit(host->queue, 1, &submit, VK_NULL_HANDLE));
    TRY(vkQueueWaitIdle(host->queue));
    return true;
}

#endif
