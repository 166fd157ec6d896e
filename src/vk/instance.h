/* The Vulkan instance, with or without the validation layer. */
#pragma once

#include "vk/gpu_info.h"

#define MB_MAX_DEVICES 16

struct mb_vk_instance {
    VkInstance handle;
    VkDebugUtilsMessengerEXT messenger; /* with the layer only */
    uint32_t n_messages;                /* warnings and errors of the layer, which are logged */
    char reason[256];                   /* the loader's first error, or "" */
};

/* Load the Vulkan loader and create the instance; `*instance` must not move. `validate` enables
 * the validation layer. No loader, no driver and a missing layer are MB_ERRC_DEVICE with a
 * hint. After a failure, too, call mb_vk_instance_finish, which leaves `n_messages`. */
MB_MUST_CHECK enum mb_status mb_vk_instance_init(struct mb_vk_instance *instance, bool validate,
                                                 struct mb_err *err);
void mb_vk_instance_finish(struct mb_vk_instance *instance);

/* All devices in the loader's order, also unusable ones; MB_ERRC_DEVICE if there are none.
 * `infos[i]` describes `devices[i]`. */
MB_MUST_CHECK enum mb_status mb_vk_instance_devices(const struct mb_vk_instance *instance,
                                                    VkPhysicalDevice devices[MB_MAX_DEVICES],
                                                    struct mb_gpu_info infos[MB_MAX_DEVICES],
                                                    size_t *n_devices, struct mb_err *err);
