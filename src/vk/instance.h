/* The Vulkan instance, with or without the validation layer; used by gpu.c. */
#ifndef MB_VK_INSTANCE_H
#define MB_VK_INSTANCE_H

#include "vk/gpu.h"

#define MB_MAX_DEVICES 16

/* Load the loader and create gpu->instance (and gpu->messenger if gpu->validate). No loader, no
 * driver and a missing layer are MB_ERRC_DEVICE with a hint. On failure what was made stays in
 * `gpu` for mb_instance_finish. */
MB_MUST_CHECK enum mb_status mb_instance_init(struct mb_gpu *gpu, struct mb_err *err);
void mb_instance_finish(struct mb_gpu *gpu);

/* Usable devices in the loader's order; `infos[i]` describes `devices[i]`. */
MB_MUST_CHECK enum mb_status mb_instance_devices(const struct mb_gpu *gpu,
                                                 VkPhysicalDevice devices[MB_MAX_DEVICES],
                                                 struct mb_gpu_info infos[MB_MAX_DEVICES],
                                                 size_t *n_devices, struct mb_err *err);

#endif
