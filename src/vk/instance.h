/* The Vulkan instance, with or without the validation layer. */
#pragma once

#include "vk/gpu_info.h"

#define MB_MAX_DEVICES 16

struct mb_vk_instance {
    VkInstance handle;
    VkDebugUtilsMessengerEXT messenger; /* with the layer only */
    bool has_debug_names;
};

/* Load the Vulkan loader and create the instance. If `n_messages` is not NULL, enable the
 * validation layer, log its messages and count them there; it must outlive the instance. No
 * loader, no driver and a missing layer are MB_ERRC_DEVICE with a hint. After a failure, too,
 * call mb_vk_instance_finish. */
MB_MUST_CHECK enum mb_status mb_vk_instance_init(struct mb_vk_instance *instance,
                                                 uint32_t *n_messages, struct mb_err *err);
void mb_vk_instance_finish(struct mb_vk_instance *instance);

/* All devices in the loader's order, also those that are unusable; none is MB_ERRC_DEVICE.
 * `infos[i]` describes `devices[i]`. */
MB_MUST_CHECK enum mb_status mb_vk_instance_devices(const struct mb_vk_instance *instance,
                                                    VkPhysicalDevice devices[MB_MAX_DEVICES],
                                                    struct mb_gpu_info infos[MB_MAX_DEVICES],
                                                    size_t *n_devices, struct mb_err *err);
