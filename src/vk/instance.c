/* The Vulkan instance: loader, driver, and the validation layer when asked for. */
#include "vk/instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/os.h"
#include "base/text.h"

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

/* Messages of type GENERAL are the loader's own and prove nothing about the program; the first
 * error among them says why a driver does not load. `user` is the instance. */
static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(
    VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
    const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct mb_vk_instance *instance = user;
    char *reason = instance->reason;
    const bool is_error = severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    if (types != VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT) {
        instance->n_messages++;
        mb_log(is_error ? MB_LOG_ERROR : MB_LOG_WARN, "validation: %s", data->pMessage);
        return VK_FALSE;
    }
    mb_log(MB_LOG_DEBUG, "loader: %s", data->pMessage);
    if (is_error && reason[0] == '\0') {
        snprintf(reason, sizeof instance->reason, "%.*s", (int)strcspn(data->pMessage, "\r\n"),
                 data->pMessage);
        mb_utf8_sanitize(reason, reason, sizeof instance->reason);
    }
    return VK_FALSE;
}

static enum mb_status describe_failure(VkResult result, bool validate, const char *reason,
                                       struct mb_err *err)
{
    if (validate && result == VK_ERROR_LAYER_NOT_PRESENT) {
        MB_FAIL(err, MB_ERRC_DEVICE, "--validate: the layer %s is not installed",
                VALIDATION_LAYER);
        return mb_err_hint(err, "on Debian and Ubuntu: apt install vulkan-validationlayers");
    }
    /* If a driver file is not JSON, loader 1.3.239 says "out of host memory". */
    MB_FAIL(
        err, MB_ERRC_DEVICE, "no Vulkan driver could be loaded: %s%s",
        reason[0] ? "" : "vkCreateInstance: ", reason[0] ? reason : mb_vk_result_name(result));
    return mb_err_hint(err, "install one (software: apt install mesa-vulkan-drivers), or check "
                            "the driver files, VK_DRIVER_FILES and VK_ICD_FILENAMES, and in a "
                            "container doc/install.md");
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_of(struct mb_vk_instance *instance)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = instance,
    };
}

static VkResult create_instance(struct mb_vk_instance *instance, bool validate)
{
    static const char *const layer = VALIDATION_LAYER;
    /* The loader offers the first extension, the layer the second. */
    static const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                             VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
    const VkValidationFeatureEnableEXT enables[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,
    };
    VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_of(instance);
    const VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .pNext = &messenger,
        .enabledValidationFeatureCount = MB_COUNTOF(enables),
        .pEnabledValidationFeatures = enables,
    };
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "mipbench",
        .apiVersion = volkGetInstanceVersion() >= VK_API_VERSION_1_3 ? VK_API_VERSION_1_3
                                                                     : VK_API_VERSION_1_2,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = validate ? (const void *)&features : &messenger,
        .pApplicationInfo = &application,
        .enabledLayerCount = validate,
        .ppEnabledLayerNames = &layer,
        .enabledExtensionCount = validate ? 2 : 1,
        .ppEnabledExtensionNames = extensions,
    };
    const VkResult result = vkCreateInstance(&info, NULL, &instance->handle);
    if (result != VK_SUCCESS) {
        instance->handle = VK_NULL_HANDLE;
    }
    return result;
}

/* Set an environment variable, unless the user has set it. */
static void set_default(const char *name, const char *value)
{
    if (!getenv(name)) {
        mb_os_set(name, value);
    }
}

/* Disable Mesa's shader cache if the width of llvmpipe's vectors is set: Mesa (25.0) finds
 * cached code by shader and processor, not by that width, and code for another width crashes,
 * or makes wrong texels. */
static void leave_out_mesas_cache(void)
{
    const char *width = getenv("LP_NATIVE_VECTOR_WIDTH");
    if (width && width[0] != '\0') {
        set_default("MESA_SHADER_CACHE_DISABLE", "true");
    }
}

enum mb_status mb_vk_instance_init(struct mb_vk_instance *instance, bool validate,
                                   struct mb_err *err)
{
    leave_out_mesas_cache();
    if (volkInitialize() != VK_SUCCESS) {
        MB_FAIL(err, MB_ERRC_DEVICE,
                "the Vulkan loader (libvulkan.so.1 or vulkan-1.dll) is missing");
        return mb_err_hint(err,
                           "on Debian and Ubuntu: apt install libvulkan1 mesa-vulkan-drivers");
    }
    if (validate) {
        /* Only environment variables can enable checks across submissions (in layer 1.3.239)
         * and checks of shader accesses (in layer 1.4.309, off by default). */
        set_default("VK_LAYER_ENABLES",
                    "VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT");
        set_default("VK_KHRONOS_VALIDATION_SYNCVAL_SHADER_ACCESSES_HEURISTIC", "1");
    }
    const VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_of(instance);
    const VkResult result = create_instance(instance, validate);
    if (result != VK_SUCCESS) {
        return describe_failure(result, validate, instance->reason, err);
    }
    volkLoadInstance(instance->handle);
    if (validate) {
        MB_DO(MB_VK_MAKE(vkCreateDebugUtilsMessengerEXT, instance->handle, &messenger,
                         &instance->messenger));
    }
    return MB_OK;
}

void mb_vk_instance_finish(struct mb_vk_instance *instance)
{
    if (instance->messenger) {
        vkDestroyDebugUtilsMessengerEXT(instance->handle, instance->messenger, NULL);
    }
    if (instance->handle) {
        vkDestroyInstance(instance->handle, NULL);
    }
    *instance = (struct mb_vk_instance){.n_messages = instance->n_messages};
}

enum mb_status mb_vk_instance_devices(const struct mb_vk_instance *instance,
                                      VkPhysicalDevice devices[MB_MAX_DEVICES],
                                      struct mb_gpu_info infos[MB_MAX_DEVICES],
                                      size_t *n_devices, struct mb_err *err)
{
    uint32_t n = MB_MAX_DEVICES;
    MB_DO(MB_VK(vkEnumeratePhysicalDevices(instance->handle, &n, devices)));
    if (n == 0) {
        MB_FAIL(err, MB_ERRC_DEVICE, "no Vulkan device");
        return mb_err_hint(err, "software: apt install mesa-vulkan-drivers");
    }
    for (uint32_t i = 0; i < n; i++) {
        mb_gpu_read_info(devices[i], i, &infos[i]);
    }
    *n_devices = n;
    return MB_OK;
}
