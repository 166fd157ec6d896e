/* What the examples have besides the library: a device, images, texels in and out, and what
 * each level must be. An engine has all of it. Functions that return false have said why.
 * Nothing is given back: the process ends. */
#ifndef EXAMPLE_HOST_H
#define EXAMPLE_HOST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "spd_tree_modules.h"
#include "spd_tree_vulkan.h"

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
    VkQueue queue;       /* of family 0, which is for compute on every device that is known */
    VkCommandBuffer cmd; /* being recorded */
    struct spd_tree_device limits;
    VkDeviceMemory memory; /* allocated last */
    const char *extension; /* of the device, that the example asks for; or NULL */
};

/* What the planner asks of a device; an engine asks for what README.md lists, too. */
static void host_read_limits(VkPhysicalDevice physical, struct spd_tree_device *limits)
{
    VkPhysicalDeviceVulkan12Features v12 = {TYPE(PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)};
    VkPhysicalDeviceFeatures2 features = {TYPE(PHYSICAL_DEVICE_FEATURES_2), &v12};
    VkPhysicalDeviceVulkan11Properties v11 = {TYPE(PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)};
    VkPhysicalDeviceVulkan13Properties v13 = {TYPE(PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES),
                                              &v11};
    VkPhysicalDeviceProperties2 properties = {TYPE(PHYSICAL_DEVICE_PROPERTIES_2), &v13};
    vkGetPhysicalDeviceProperties2(physical, &properties);
    vkGetPhysicalDeviceFeatures2(physical, &features);
    limits->has_subgroups =
        (v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
        (v11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) &&
        v11.subgroupSize >= 4 && v11.subgroupSize <= 128;
    limits->has_int64_atomics = features.features.shaderInt64 && v12.shaderBufferInt64Atomics;
    limits->subgroup_size = v11.subgroupSize;
    limits->max_shared_bytes = properties.properties.limits.maxComputeSharedMemorySize;
    limits->max_buffer_bytes = properties.properties.limits.maxStorageBufferRange;
    limits->is_cpu = properties.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

static VkResult host_make_device(struct host *host)
{
    const float priority = 1.0f;
    VkPhysicalDeviceVulkan12Features v12 = {TYPE(PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)};
    VkPhysicalDeviceVulkan13Features v13 = {TYPE(PHYSICAL_DEVICE_VULKAN_1_3_FEATURES), &v12};
    VkPhysicalDeviceFeatures features = {.shaderStorageImageWriteWithoutFormat = true};
    v12.vulkanMemoryModel = v12.vulkanMemoryModelDeviceScope = true;
    v12.shaderBufferInt64Atomics = features.shaderInt64 = host->limits.has_int64_atomics;
    v13.subgroupSizeControl = v13.computeFullSubgroups = true; /* Vulkan 1.3 has both */
    const VkDeviceQueueCreateInfo queue = {
        TYPE(DEVICE_QUEUE_CREATE_INFO), NULL, 0, 0, 1, &priority};
    const VkDeviceCreateInfo info = {
        TYPE(DEVICE_CREATE_INFO), &v13,     0, 1, &queue, 0, NULL, host->extension != NULL,
        &host->extension,         &features};
    return vkCreateDevice(host->physical, &info, NULL, &host->device);
}

/* The first device. */
static bool host_open(struct host *host)
{
    const VkApplicationInfo app = {TYPE(APPLICATION_INFO), .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {TYPE(INSTANCE_CREATE_INFO), .pApplicationInfo = &app};
    VkInstance instance;
    uint32_t n = 1;
    TRY(vkCreateInstance(&info, NULL, &instance));
    const VkResult listed = vkEnumeratePhysicalDevices(instance, &n, &host->physical);
    TRY(listed >= 0 && n > 0 ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED);
    host_read_limits(host->physical, &host->limits);
    TRY(host_make_device(host));
    vkGetDeviceQueue(host->device, 0, 0, &host->queue);
    VkCommandPoolCreateInfo pool_info = {TYPE(COMMAND_POOL_CREATE_INFO)};
    VkCommandPool pool;
    TRY(vkCreateCommandPool(host->device, &pool_info, NULL, &pool));
    const VkCommandBufferAllocateInfo allocate = {TYPE(COMMAND_BUFFER_ALLOCATE_INFO), NULL,
                                                  pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    const VkCommandBufferBeginInfo begin = {TYPE(COMMAND_BUFFER_BEGIN_INFO)};
    TRY(vkAllocateCommandBuffers(host->device, &allocate, &host->cmd));
    TRY(vkBeginCommandBuffer(host->cmd, &begin));
    return true;
}

static VkResult host_allocate(struct host *host, const VkMemoryRequirements *needs,
                              VkMemoryPropertyFlags flags)
{
    VkPhysicalDeviceMemoryProperties types;
    uint32_t i = 0;
    vkGetPhysicalDeviceMemoryProperties(host->physical, &types);
    while (i + 1 < types.memoryTypeCount &&
           !(needs->memoryTypeBits >> i & 1 &&
             (types.memoryTypes[i].propertyFlags & flags) == flags)) {
        i++;
    }
    const VkMemoryAllocateInfo info = {TYPE(MEMORY_ALLOCATE_INFO), NULL, needs->size, i};
    return vkAllocateMemory(host->device, &info, NULL, &host->memory);
}

/* Of zeros, and mapped. */
static bool host_buffer(struct host *host, VkDeviceSize n_bytes, VkBuffer *buffer,
                        void **mapped)
{
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                     VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                     VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    const VkBufferCreateInfo info = {TYPE(BUFFER_CREATE_INFO), .size = n_bytes, .usage = usage};
    VkMemoryRequirements needs;
    TRY(vkCreateBuffer(host->device, &info, NULL, buffer));
    vkGetBufferMemoryRequirements(host->device, *buffer, &needs);
    TRY(host_allocate(host, &needs,
                      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT));
    TRY(vkBindBufferMemory(host->device, *buffer, host->memory, 0));
    TRY(vkMapMemory(host->device, host->memory, 0, VK_WHOLE_SIZE, 0, mapped));
    memset(*mapped, 0, n_bytes);
    return true;
}

/* Format, size, levels, usage and flags are given. */
static bool host_image(struct host *host, VkImageCreateInfo info, VkImage *image)
{
    VkMemoryRequirements needs;
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.extent.depth = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    VkImageFormatProperties most;
    TRY(vkGetPhysicalDeviceImageFormatProperties(host->physical, info.format, info.imageType,
                                                 info.tiling, info.usage, info.flags, &most));
    if (info.extent.width > most.maxExtent.width ||
        info.extent.height > most.maxExtent.height) {
        fprintf(stderr, "error: the device has images of at most %ux%u texels\n",
                most.maxExtent.width, most.maxExtent.height);
        return false;
    }
    TRY(vkCreateImage(host->device, &info, NULL, image));
    vkGetImageMemoryRequirements(host->device, *image, &needs);
    TRY(host_allocate(host, &needs, 0));
    TRY(vkBindImageMemory(host->device, *image, host->memory, 0));
    return true;
}

/* Between all and all: an engine has narrower ones. */
static void host_barrier(struct host *host, VkImage image, VkImageAspectFlags aspect,
                         VkImageLayout from, VkImageLayout to)
{
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkMemoryBarrier memory = {TYPE(MEMORY_BARRIER), NULL, all, all};
    const VkImageMemoryBarrier barrier = {TYPE(IMAGE_MEMORY_BARRIER),
                                          NULL,
                                          all,
                                          all,
                                          from,
                                          to,
                                          0,
                                          0,
                                          image,
                                          {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, 1}};
    vkCmdPipelineBarrier(host->cmd, stages, stages, 0, 1, &memory, 0, NULL, 1, &barrier);
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

/* Where levels lie in a buffer, one after the other; returns its bytes. */
static VkDeviceSize host_place(const struct spd_tree_image *image, VkBufferImageCopy *levels)
{
    VkDeviceSize n_bytes = 0;
    for (uint32_t i = 0; i < image->n_levels; i++) {
        const uint32_t x = spd_tree_size_of_level(image->width, i),
                       y = spd_tree_size_of_level(image->height, i);
        levels[i] =
            (VkBufferImageCopy){.bufferOffset = n_bytes,
                                .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0, 1},
                                .imageExtent = {x, y, 1}};
        n_bytes += ((VkDeviceSize)x * y * spd_tree_texel_bytes(image->format) + 15) / 16 * 16;
    }
    return n_bytes;
}

/* Any codes; floats from 0.5 to 1. */
static void host_fill(struct spd_tree_format format, void *texels, VkDeviceSize n_bytes)
{
    static const uint32_t ones[] = {0, 0, 0, 0x38003800, 0x3f000000, 0x701c0380};
    static const uint32_t mask[] = {~0u, ~0u, ~0u, 0x03ff03ff, 0x007fffff, 0x07c1f83f};
    uint32_t random = 1;
    for (VkDeviceSize i = 0; i < n_bytes / 4; i++) {
        random = random * 1664525u + 1013904223u;
        ((uint32_t *)texels)[i] =
            ones[format.codec] | ((random >> 16 | random << 16) & mask[format.codec]);
    }
}

static uint32_t host_bits(struct spd_tree_format format, uint32_t channel)
{
    static const uint8_t n_bits[] = {8, 8, 10, 16, 32, 11};
    const bool is_last = format.codec == SPD_TREE_FLOAT11_10 && channel == 2;
    return format.codec == SPD_TREE_UNORM10_2 && channel == 3 ? 2
                                                              : n_bits[format.codec] - is_last;
}

/* Linear; of floats those that host_fill() makes, and what lies between them. */
static double host_decode(struct spd_tree_format format, uint32_t channel, const uint8_t *texel)
{
    const uint32_t n_bits = host_bits(format, channel), at = channel * host_bits(format, 0);
    const uint32_t mask = (uint32_t)((UINT64_C(1) << n_bits) - 1);
    uint32_t word;
    memcpy(&word, texel + at / 32 * 4, sizeof word);
    word = word >> at % 32 & mask;
    if (!spd_tree_is_normalised(format)) {
        const int n = n_bits == 32 ? 23 : n_bits == 16 ? 10 : (int)n_bits - 5;
        const int exponent = (int)(word >> n) - (n_bits == 32 ? 127 : 15);
        return ldexp(1 + ldexp(word & ((1u << n) - 1), -n), exponent);
    }
    const double x = word / (double)mask;
    const double linear = x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
    return format.codec == SPD_TREE_SRGB8 && channel < 3 ? linear : x;
}

/* As a code, or in units of a float's last place. */
static double host_code(struct spd_tree_format format, uint32_t channel, double x)
{
    const int n = (int)host_bits(format, channel);
    const double srgb = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
    if (!spd_tree_is_normalised(format)) {
        return ldexp(x, n == 32 ? 24 : n == 16 ? 11 : n - 4); /* of numbers from 0.5 to 1 */
    }
    return (format.codec == SPD_TREE_SRGB8 && channel < 3 ? srgb : x) * ((1 << n) - 1);
}

/* Weight of tap i of texel x, along an axis of n texels. */
static double host_weight(uint32_t i, uint32_t x, uint32_t n)
{
    const uint32_t half = n / 2, odd = i == 0 ? half - x : i == 1 ? half : x + 1;
    return n == 1 ? i == 0 : n % 2 == 0 ? (i < 2) * 0.5 : (double)odd / n;
}

/* Texel x, y of the level below level[size.height][size.width]. */
static double host_reduce(const double *level, VkExtent3D size, uint32_t x, uint32_t y,
                          enum spd_tree_reduction reduction)
{
    double sum = 0, least = HUGE_VAL, largest = 0;
    for (uint32_t i = 0; i < 9; i++) {
        const double weight =
            host_weight(i % 3, x, size.width) * host_weight(i / 3, y, size.height);
        const double *tap = &level[(2 * y + i / 3) * size.width + 2 * x + i % 3];
        sum += weight > 0 ? weight * *tap : 0;
        least = weight > 0 ? fmin(least, *tap) : least;
        largest = weight > 0 ? fmax(largest, *tap) : largest;
    }
    return reduction == SPD_TREE_AVERAGE   ? sum
           : reduction == SPD_TREE_MINIMUM ? least
                                           : largest;
}

/* Every texel of every level; says `ok`, or what the first is that is wrong. */
static bool host_check(const struct spd_tree_image *image, const VkBufferImageCopy *levels,
                       const uint8_t *texels)
{
    const struct spd_tree_format format = image->format;
    const double most = image->reduction != SPD_TREE_AVERAGE ? 1e-6
                        : format.codec == SPD_TREE_FLOAT32   ? 4
                                                             : 0.51;
    double *level = (double *)malloc((size_t)image->width * image->height * sizeof *level);
    TRY(level ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY);
    for (uint32_t i = 0; i < format.n_channels * image->n_levels; i++) {
        const uint32_t c = i / image->n_levels, n = i % image->n_levels;
        const VkExtent3D size = levels[n].imageExtent;
        const uint8_t *texel = texels + levels[n].bufferOffset;
        for (uint32_t k = 0; k < size.width * size.height; k++) { /* in place: it reads ahead */
            const double got = host_decode(format, c, texel + k * spd_tree_texel_bytes(format));
            level[k] = n == 0 ? got
                              : host_reduce(level, levels[n - 1].imageExtent, k % size.width,
                                            k / size.width, image->reduction);
            if (!(fabs(host_code(format, c, got) - host_code(format, c, level[k])) <= most)) {
                fprintf(stderr, "error: level %u, texel %u, channel %u: %g in place of %g\n", n,
                        k, c, got, level[k]);
                return false;
            }
        }
    }
    puts("ok");
    return true;
}

#endif
