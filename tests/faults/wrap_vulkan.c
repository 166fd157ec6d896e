/* Vulkan calls of the program that fail, each with the results that the specification allows
 * it, and a count of what is created and destroyed. volk's function pointers are replaced
 * whenever volk has loaded them; --wrap tells when. What a failed call leaves undefined is
 * filled with bytes that are no handle. */
#include <stdlib.h>
#include <string.h>

#include <volk.h>

#include "../stand_in.h"
#include "disguise.h"
#include "fault.h"

#define UNDEFINED_BYTE 0xdb

enum object {
    INSTANCE,
    DEVICE,
    MESSENGER,
    COMMAND_POOL,
    FENCE,
    QUERY_POOL,
    BUFFER,
    IMAGE,
    IMAGE_VIEW,
    SAMPLER,
    MEMORY,
    SHADER_MODULE,
    PIPELINE_LAYOUT,
    SET_LAYOUT,
    DESCRIPTOR_POOL,
    PIPELINE,
};

static void count_created(enum object object, const char *name)
{
    struct mb_fault_log *log = mb_fault_get_log();
    log->objects[object].name = name;
    log->objects[object].n_created++;
}

/* False for what is no handle: it must not reach the driver. */
static bool count_destroyed(enum object object, const void *handle, size_t n_bytes)
{
    static const unsigned char zero[8];
    unsigned char undefined[8];
    struct mb_fault_log *log = mb_fault_get_log();
    memset(undefined, UNDEFINED_BYTE, sizeof undefined);
    if (memcmp(handle, undefined, n_bytes) == 0) {
        log->n_foreign_destroyed++;
        return false;
    }
    log->objects[object].n_destroyed += memcmp(handle, zero, n_bytes) != 0;
    return true;
}

static VkResult fault_of(const struct mb_fault_function *function)
{
    const struct mb_fault_result *result = mb_fault_due(MB_FAULT_VULKAN, function);
    return result != NULL ? (VkResult)result->code : VK_SUCCESS;
}

/* Before main: stand_in_call is that of `call`. */
#define PLACE(call)                                                                            \
    __attribute__((constructor)) static void place_##call(void)                                \
    {                                                                                          \
        stand_in_add(&call, (PFN_vkVoidFunction)stand_in_##call);                              \
    }

/* clang-format off */
#define RESULT(name)   {.code = name, .text = #name}
#define HOST_MEMORY    RESULT(VK_ERROR_OUT_OF_HOST_MEMORY)
#define DEVICE_MEMORY  RESULT(VK_ERROR_OUT_OF_DEVICE_MEMORY)
#define DEVICE_LOST    RESULT(VK_ERROR_DEVICE_LOST)
#define INIT_FAILED    RESULT(VK_ERROR_INITIALIZATION_FAILED)
/* clang-format on */

/* What stands in for a call, where `...` are the members of its mb_fault_function. */
#define MAY_FAIL(call, parameters, arguments, ...)                                             \
    static VkResult VKAPI_CALL stand_in_##call parameters                                      \
    {                                                                                          \
        static const struct mb_fault_function function = {.name = #call, __VA_ARGS__};         \
        const VkResult fault = fault_of(&function);                                            \
        return fault == VK_SUCCESS ? REAL(call) arguments : fault;                             \
    }                                                                                          \
    PLACE(call)

/* The same for one that creates `n` objects, and leaves their handles undefined if it fails. */
#define CREATES(call, object, parameters, arguments, handle, ...)                              \
    static VkResult VKAPI_CALL stand_in_##call parameters                                      \
    {                                                                                          \
        static const struct mb_fault_function function = {.name = #call, __VA_ARGS__};         \
        VkResult result = fault_of(&function);                                                 \
        if (result != VK_SUCCESS) {                                                            \
            memset(handle, UNDEFINED_BYTE, sizeof *handle);                                    \
            return result;                                                                     \
        }                                                                                      \
        result = REAL(call) arguments;                                                         \
        if (result >= 0) {                                                                     \
            count_created(object, #call);                                                      \
        }                                                                                      \
        return result;                                                                         \
    }                                                                                          \
    PLACE(call)

#define DESTROYS(call, object, type)                                                           \
    static void VKAPI_CALL stand_in_##call(VkDevice device, type handle,                       \
                                           const VkAllocationCallbacks *callbacks)             \
    {                                                                                          \
        if (count_destroyed(object, &handle, sizeof handle)) {                                 \
            REAL(call)(device, handle, callbacks);                                             \
        }                                                                                      \
    }                                                                                          \
    PLACE(call)

/* An object of a device that is created and destroyed in the usual way. */
#define OBJECT(object, name, ...)                                                              \
    CREATES(vkCreate##name, object,                                                            \
            (VkDevice device, const Vk##name##CreateInfo *info,                                \
             const VkAllocationCallbacks *callbacks, Vk##name *handle),                        \
            (device, info, callbacks, handle), handle, __VA_ARGS__)                            \
    DESTROYS(vkDestroy##name, object, Vk##name)

OBJECT(FENCE, Fence, .results = {HOST_MEMORY, DEVICE_MEMORY})
OBJECT(QUERY_POOL, QueryPool, .results = {HOST_MEMORY, DEVICE_MEMORY})
OBJECT(BUFFER, Buffer, .results = {HOST_MEMORY, DEVICE_MEMORY})
OBJECT(IMAGE, Image, .results = {HOST_MEMORY, DEVICE_MEMORY})
OBJECT(IMAGE_VIEW, ImageView, .results = {HOST_MEMORY, DEVICE_MEMORY})
OBJECT(SAMPLER, Sampler,
       .results = {HOST_MEMORY, DEVICE_MEMORY, RESULT(VK_ERROR_TOO_MANY_OBJECTS)})
OBJECT(SHADER_MODULE, ShaderModule,
       .results = {HOST_MEMORY, DEVICE_MEMORY, RESULT(VK_ERROR_INVALID_SHADER_NV)})
OBJECT(PIPELINE_LAYOUT, PipelineLayout, .results = {HOST_MEMORY, DEVICE_MEMORY})
OBJECT(SET_LAYOUT, DescriptorSetLayout, .results = {HOST_MEMORY, DEVICE_MEMORY})
OBJECT(DESCRIPTOR_POOL, DescriptorPool,
       .results = {HOST_MEMORY, DEVICE_MEMORY, RESULT(VK_ERROR_FRAGMENTATION)})
OBJECT(COMMAND_POOL, CommandPool, .results = {HOST_MEMORY, DEVICE_MEMORY})
CREATES(vkAllocateMemory, MEMORY,
        (VkDevice device, const VkMemoryAllocateInfo *info,
         const VkAllocationCallbacks *callbacks, VkDeviceMemory *handle),
        (device, info, callbacks, handle), handle,
        .results = {HOST_MEMORY, DEVICE_MEMORY, RESULT(VK_ERROR_TOO_MANY_OBJECTS)})
DESTROYS(vkFreeMemory, MEMORY, VkDeviceMemory)
DESTROYS(vkDestroyPipeline, PIPELINE, VkPipeline)
CREATES(vkCreateDevice, DEVICE,
        (VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
         const VkAllocationCallbacks *callbacks, VkDevice *handle),
        (physical, info, callbacks, handle), handle,
        .results = {HOST_MEMORY, DEVICE_MEMORY, INIT_FAILED, DEVICE_LOST,
                    RESULT(VK_ERROR_EXTENSION_NOT_PRESENT),
                    RESULT(VK_ERROR_FEATURE_NOT_PRESENT), RESULT(VK_ERROR_TOO_MANY_OBJECTS)})
CREATES(vkCreateInstance, INSTANCE,
        (const VkInstanceCreateInfo *info, const VkAllocationCallbacks *callbacks,
         VkInstance *handle),
        (info, callbacks, handle), handle,
        .results = {HOST_MEMORY, DEVICE_MEMORY, INIT_FAILED, RESULT(VK_ERROR_LAYER_NOT_PRESENT),
                    RESULT(VK_ERROR_EXTENSION_NOT_PRESENT),
                    RESULT(VK_ERROR_INCOMPATIBLE_DRIVER)},
        .exit_code = 4)
MAY_FAIL(vkEnumerateDeviceExtensionProperties,
         (VkPhysicalDevice physical, const char *layer, uint32_t *n,
          VkExtensionProperties *list),
         (physical, layer, n, list),
         .results = {HOST_MEMORY, DEVICE_MEMORY, RESULT(VK_ERROR_LAYER_NOT_PRESENT)},
         .may_be_ignored = true)
MAY_FAIL(vkEnumeratePhysicalDevices, (VkInstance instance, uint32_t *n, VkPhysicalDevice *list),
         (instance, n, list), .results = {HOST_MEMORY, DEVICE_MEMORY, INIT_FAILED})
MAY_FAIL(vkGetPhysicalDeviceImageFormatProperties,
         (VkPhysicalDevice physical, VkFormat format, VkImageType type, VkImageTiling tiling,
          VkImageUsageFlags usage, VkImageCreateFlags flags,
          VkImageFormatProperties *properties),
         (physical, format, type, tiling, usage, flags, properties),
         .results = {HOST_MEMORY, DEVICE_MEMORY, {.code = VK_ERROR_FORMAT_NOT_SUPPORTED}},
         .exit_code = 5)
MAY_FAIL(vkSetDebugUtilsObjectNameEXT,
         (VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info), (device, info),
         .results = {HOST_MEMORY, DEVICE_MEMORY}, .may_be_ignored = true)
MAY_FAIL(vkAllocateCommandBuffers,
         (VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *buffers),
         (device, info, buffers), .results = {HOST_MEMORY, DEVICE_MEMORY})
MAY_FAIL(vkBeginCommandBuffer, (VkCommandBuffer cmd, const VkCommandBufferBeginInfo *info),
         (cmd, info), .results = {HOST_MEMORY, DEVICE_MEMORY})
MAY_FAIL(vkEndCommandBuffer, (VkCommandBuffer cmd), (cmd),
         .results = {HOST_MEMORY, DEVICE_MEMORY})
MAY_FAIL(vkResetFences, (VkDevice device, uint32_t n, const VkFence *fences),
         (device, n, fences), .results = {DEVICE_MEMORY})
MAY_FAIL(vkWaitForFences,
         (VkDevice device, uint32_t n, const VkFence *fences, VkBool32 all,
          uint64_t timeout_ns),
         (device, n, fences, all, timeout_ns),
         .results = {HOST_MEMORY,
                     DEVICE_MEMORY,
                     DEVICE_LOST,
                     {.code = VK_TIMEOUT, .text = "no answer for"}},
         .exit_code = 6)
MAY_FAIL(vkQueueSubmit, (VkQueue queue, uint32_t n, const VkSubmitInfo *infos, VkFence fence),
         (queue, n, infos, fence), .results = {HOST_MEMORY, DEVICE_MEMORY, DEVICE_LOST})
MAY_FAIL(vkGetQueryPoolResults,
         (VkDevice device, VkQueryPool pool, uint32_t first, uint32_t n, size_t n_bytes,
          void *data, VkDeviceSize stride, VkQueryResultFlags flags),
         (device, pool, first, n, n_bytes, data, stride, flags),
         .results = {HOST_MEMORY,
                     DEVICE_MEMORY,
                     DEVICE_LOST,
                     {.code = VK_NOT_READY, .text = "left no timestamp", .may_pass = true}},
         .exit_code = 6)
MAY_FAIL(vkMapMemory,
         (VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize n_bytes,
          VkMemoryMapFlags flags, void **data),
         (device, memory, offset, n_bytes, flags, data),
         .results = {HOST_MEMORY, DEVICE_MEMORY, RESULT(VK_ERROR_MEMORY_MAP_FAILED)})
MAY_FAIL(vkBindBufferMemory,
         (VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset),
         (device, buffer, memory, offset), .results = {HOST_MEMORY, DEVICE_MEMORY})
MAY_FAIL(vkBindImageMemory,
         (VkDevice device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset),
         (device, image, memory, offset), .results = {HOST_MEMORY, DEVICE_MEMORY})
MAY_FAIL(vkAllocateDescriptorSets,
         (VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *sets),
         (device, info, sets),
         .results = {HOST_MEMORY, DEVICE_MEMORY, RESULT(VK_ERROR_FRAGMENTED_POOL),
                     RESULT(VK_ERROR_OUT_OF_POOL_MEMORY)})
MAY_FAIL(vkGetPipelineExecutablePropertiesKHR,
         (VkDevice device, const VkPipelineInfoKHR *info, uint32_t *n,
          VkPipelineExecutablePropertiesKHR *list),
         (device, info, n, list), .results = {HOST_MEMORY, DEVICE_MEMORY},
         .may_be_ignored = true)
MAY_FAIL(vkGetPipelineExecutableStatisticsKHR,
         (VkDevice device, const VkPipelineExecutableInfoKHR *info, uint32_t *n,
          VkPipelineExecutableStatisticKHR *list),
         (device, info, n, list), .results = {HOST_MEMORY, DEVICE_MEMORY},
         .may_be_ignored = true)

/* Pipelines come in arrays; those that fail are VK_NULL_HANDLE. */
#define MAKES_PIPELINES(call, info_type)                                                       \
    static VkResult VKAPI_CALL stand_in_##call(                                                \
        VkDevice device, VkPipelineCache cache, uint32_t n, const info_type *infos,            \
        const VkAllocationCallbacks *callbacks, VkPipeline *pipelines)                         \
    {                                                                                          \
        static const struct mb_fault_function function = {                                     \
            .name = #call,                                                                     \
            .results = {HOST_MEMORY, DEVICE_MEMORY, RESULT(VK_ERROR_INVALID_SHADER_NV)}};      \
        VkResult result = fault_of(&function);                                                 \
        if (result != VK_SUCCESS) {                                                            \
            memset(pipelines, 0, n * sizeof *pipelines);                                       \
            return result;                                                                     \
        }                                                                                      \
        result = REAL(call)(device, cache, n, infos, callbacks, pipelines);                    \
        for (uint32_t i = 0; i < n && result >= 0; i++) {                                      \
            count_created(PIPELINE, "vkCreate*Pipelines");                                     \
        }                                                                                      \
        return result;                                                                         \
    }                                                                                          \
    PLACE(call)

MAKES_PIPELINES(vkCreateComputePipelines, VkComputePipelineCreateInfo)
MAKES_PIPELINES(vkCreateGraphicsPipelines, VkGraphicsPipelineCreateInfo)

static void VKAPI_CALL stand_in_vkDestroyInstance(VkInstance instance,
                                                  const VkAllocationCallbacks *callbacks)
{
    if (count_destroyed(INSTANCE, &instance, sizeof instance)) {
        REAL(vkDestroyInstance)(instance, callbacks);
    }
}
PLACE(vkDestroyInstance)

static void VKAPI_CALL stand_in_vkDestroyDevice(VkDevice device,
                                                const VkAllocationCallbacks *callbacks)
{
    if (count_destroyed(DEVICE, &device, sizeof device)) {
        REAL(vkDestroyDevice)(device, callbacks);
    }
}
PLACE(vkDestroyDevice)

VkResult __real_volkInitialize(void);
VkResult __wrap_volkInitialize(void);
VkResult __wrap_volkInitialize(void)
{
    static const struct mb_fault_function function = {
        .name = "volkInitialize",
        .results = {{.code = VK_ERROR_INITIALIZATION_FAILED, .text = "libvulkan.so.1"}},
        .exit_code = 4};
    VkResult result = fault_of(&function);
    if (result == VK_SUCCESS) {
        result = __real_volkInitialize();
        stand_ins_place();
        stand_ins_settle();
    }
    return result;
}

void __real_volkLoadInstance(VkInstance instance);
void __wrap_volkLoadInstance(VkInstance instance);
void __wrap_volkLoadInstance(VkInstance instance)
{
    __real_volkLoadInstance(instance);
    stand_ins_place();
    mb_disguise_instance();
    stand_ins_settle();
}

void __real_volkLoadDevice(VkDevice device);
void __wrap_volkLoadDevice(VkDevice device);
void __wrap_volkLoadDevice(VkDevice device)
{
    __real_volkLoadDevice(device);
    stand_ins_place();
    mb_disguise_device();
    stand_ins_settle();
}
