/* Opening a device: selection, features, queue and command pool. */
#include "vk/gpu.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"

enum mb_status mb_gpu_enumerate(struct mb_gpu_info infos[MB_MAX_DEVICES], size_t *n_infos,
                                struct mb_err *err)
{
    MB_SCOPED(mb_vk_instance) instance = {0};
    VkPhysicalDevice devices[MB_MAX_DEVICES];
    MB_DO(mb_vk_instance_init(&instance, false, err));
    return mb_vk_instance_devices(&instance, devices, infos, n_infos, err);
}

static bool contains_ignoring_case(const char *text, const char *part)
{
    size_t n = strlen(part);
    for (; *text; text++) {
        if (strncasecmp(text, part, n) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether `selector` means this device. A number above every index counts as part of a name if
 * it has three digits or more ("4090"), else as a wrong index. */
static bool selector_fits(const char *selector, const struct mb_gpu_info *info,
                          size_t n_devices)
{
    uint64_t index;
    if (strcmp(selector, "cpu") == 0) {
        return mb_gpu_is_cpu(info);
    }
    if (mb_parse_u64(selector, &index) && (index < n_devices || strlen(selector) < 3)) {
        return index == info->index;
    }
    return strcasecmp(selector, info->uuid) == 0 ||
           contains_ignoring_case(info->name, selector);
}

/* The device with the lowest rank is chosen: usable devices come first, and among them, unless
 * only_compiles is set, devices that execute. */
static size_t rank_of(const struct mb_gpu_options *options, const struct mb_gpu_info *info)
{
    const size_t behind_all_types = 100;
    return mb_gpu_type_rank(info->type) +
           (options->only_compiles || mb_gpu_executes(info) ? 0 : behind_all_types) +
           (info->unusable[0] == '\0' ? 0 : 2 * behind_all_types);
}

static size_t choose_device(const struct mb_gpu_options *options,
                            const struct mb_gpu_info *infos, size_t n)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        if (options->selector && !selector_fits(options->selector, &infos[i], n)) {
            continue;
        }
        if (best == SIZE_MAX || rank_of(options, &infos[i]) < rank_of(options, &infos[best])) {
            best = i;
        }
    }
    return best;
}

static enum mb_status no_such_device(const char *selector, const struct mb_gpu_info *infos,
                                     size_t n, struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) names = {0};
    for (size_t i = 0; i < n; i++) {
        mb_strbuf_printf(&names, "%s%u: %s", i ? ", " : "", infos[i].index, infos[i].name);
    }
    MB_FAIL(err, MB_ERRC_DEVICE, "no device matches '%s'", selector ? selector : "");
    return mb_err_hint(err, "there is %s", mb_strbuf_text(&names));
}

/* Whether a tool that shows labels is attached: RenderDoc, a profiler, the validation layer.
 * Some tools answer only the extension's function, not the one of Vulkan 1.3. */
static bool has_tool(const struct mb_gpu *gpu)
{
    const PFN_vkGetPhysicalDeviceToolProperties calls[] = {
        gpu->info.api_version >= VK_API_VERSION_1_3 ? vkGetPhysicalDeviceToolProperties : NULL,
        vkGetPhysicalDeviceToolPropertiesEXT,
    };
    VkToolPurposeFlags purposes = 0;
    for (size_t i = 0; i < MB_COUNTOF(calls); i++) {
        VkPhysicalDeviceToolProperties tools[8] = {{0}};
        uint32_t n_tools = MB_COUNTOF(tools);
        for (uint32_t k = 0; k < n_tools; k++) {
            tools[k].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES;
        }
        if (calls[i] && calls[i](gpu->physical_device, &n_tools, tools) >= 0) {
            for (uint32_t k = 0; k < n_tools; k++) {
                purposes |= tools[k].purposes;
            }
        }
    }
    return purposes & (VK_TOOL_PURPOSE_TRACING_BIT | VK_TOOL_PURPOSE_PROFILING_BIT |
                       VK_TOOL_PURPOSE_DEBUG_MARKERS_BIT_EXT);
}

static enum mb_status take_queue(struct mb_gpu *gpu, struct mb_err *err)
{
    const VkCommandPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = gpu->info.queue_family,
    };
    vkGetDeviceQueue(gpu->device, info.queueFamilyIndex, 0, &gpu->queue);
    MB_DO(MB_VK_MAKE(vkCreateCommandPool, gpu->device, &info, &gpu->command_pool));
    mb_gpu_name(gpu, VK_OBJECT_TYPE_COMMAND_POOL, (uint64_t)gpu->command_pool, "mipbench pool");
    return MB_OK;
}

static enum mb_status create_device(struct mb_gpu *gpu, struct mb_err *err)
{
    static const float priority = 1.0f;
    const char *extensions[MB_N_FEATURE_GROUPS];
    struct mb_features features = gpu->info.features;
    const uint32_t n_extensions =
        mb_features_enable(&features, gpu->info.usable_version, extensions);
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = gpu->info.queue_family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features.core,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = n_extensions,
        .ppEnabledExtensionNames = extensions,
    };
    MB_DO(MB_VK_MAKE(vkCreateDevice, gpu->physical_device, &create, &gpu->device));
    volkLoadDevice(gpu->device);
    return take_queue(gpu, err);
}

enum mb_status mb_gpu_init(struct mb_gpu *gpu, const struct mb_gpu_options *options,
                           struct mb_err *err)
{
    *gpu = (struct mb_gpu){.validate = options->validate};
    VkPhysicalDevice devices[MB_MAX_DEVICES];
    struct mb_gpu_info infos[MB_MAX_DEVICES];
    size_t n;
    gpu->state = mb_alloc(1, sizeof *gpu->state);
    MB_DO(MB_NEED(gpu->state, "devices"));
    MB_DO(mb_vk_instance_init(&gpu->instance, options->validate, err));
    MB_DO(mb_vk_instance_devices(&gpu->instance, devices, infos, &n, err));
    size_t chosen = choose_device(options, infos, n);
    if (chosen == SIZE_MAX) {
        return no_such_device(options->selector, infos, n, err);
    }
    gpu->physical_device = devices[chosen];
    gpu->info = infos[chosen];
    MB_FAIL_IF(gpu->info.unusable[0] != '\0', err, MB_ERRC_DEVICE, "%s cannot be used: %s",
               gpu->info.name, gpu->info.unusable);
    MB_FAIL_IF(!options->only_compiles && !mb_gpu_executes(&gpu->info), err, MB_ERRC_DEVICE,
               "%s executes nothing; 'mipbench inspect' shows what it compiles",
               gpu->info.name);
    MB_DO(create_device(gpu, err));
    gpu->state->keeps_pipelines = true; /* a rotation sets each strategy up many times */
    gpu->has_tool = has_tool(gpu);
    gpu->state->kernel_timeout_ns = (uint64_t)(options->kernel_timeout_s * 1e9);
    gpu->state->only_compiles = options->only_compiles;
    return MB_OK;
}

struct mb_kept_object {
    struct mb_kept_object *next;
    void *object;
    void (*destroy)(void *object);
};

void **mb_gpu_kept(const struct mb_gpu *gpu, void (*destroy)(void *object))
{
    struct mb_kept_object *kept = gpu->state->objects;
    while (kept && kept->destroy != destroy) {
        kept = kept->next;
    }
    if (!kept) {
        kept = mb_alloc(1, sizeof *kept);
        if (!kept) {
            return NULL;
        }
        *kept = (struct mb_kept_object){gpu->state->objects, NULL, destroy};
        gpu->state->objects = kept;
    }
    return &kept->object;
}

static void destroy_kept(struct mb_kept_object *kept)
{
    while (kept) {
        struct mb_kept_object *next = kept->next;
        kept->destroy(kept->object);
        mb_free(kept);
        kept = next;
    }
}

uint32_t mb_gpu_finish(struct mb_gpu *gpu)
{
    if (!gpu->state || gpu->state->is_lost) {
        return 0; /* objects in flight must not be destroyed; the process ends */
    }
    destroy_kept(gpu->state->objects);
    if (gpu->device) {
        vkDestroyCommandPool(gpu->device, gpu->command_pool, NULL);
        vkDestroyDevice(gpu->device, NULL);
    }
    mb_vk_instance_finish(&gpu->instance);
    const uint32_t n_messages = gpu->instance.n_messages;
    mb_free(gpu->state);
    *gpu = (struct mb_gpu){0};
    return n_messages;
}

void mb_gpu_name(const struct mb_gpu *gpu, VkObjectType type, uint64_t handle, const char *name)
{
    if (!handle || !name) {
        return;
    }
    VkDebugUtilsObjectNameInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = type,
        .objectHandle = handle,
        .pObjectName = name,
    };
    (void)vkSetDebugUtilsObjectNameEXT(gpu->device, &info);
}

void mb_gpu_label_begin(const struct mb_gpu *gpu, VkCommandBuffer cmd, const char *name)
{
    if (gpu->has_tool) {
        const VkDebugUtilsLabelEXT label = {
            .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
            .pLabelName = name,
        };
        vkCmdBeginDebugUtilsLabelEXT(cmd, &label);
    }
}

void mb_gpu_label_end(const struct mb_gpu *gpu, VkCommandBuffer cmd)
{
    if (gpu->has_tool) {
        vkCmdEndDebugUtilsLabelEXT(cmd);
    }
}

enum mb_status mb_gpu_require_format(const struct mb_gpu *gpu, VkFormat format,
                                     VkFormatFeatureFlags features, const char *use,
                                     struct mb_err *why)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(gpu->physical_device, format, &properties);
    MB_FAIL_IF((properties.optimalTilingFeatures & features) != features, why,
               MB_ERRC_UNSUPPORTED, "the device has no %s of this format", use);
    return MB_OK;
}

enum mb_status mb_gpu_require_workgroup(const struct mb_gpu *gpu, uint32_t n_invocations,
                                        struct mb_err *why)
{
    const uint32_t widest = gpu->info.limits.maxComputeWorkGroupSize[0];
    const uint32_t most = gpu->info.limits.maxComputeWorkGroupInvocations;
    const uint32_t least = most < widest ? most : widest;
    MB_FAIL_IF(least < n_invocations, why, MB_ERRC_UNSUPPORTED,
               "the device's workgroups have at most %u invocations along x; %u are needed",
               least, n_invocations);
    return MB_OK;
}
