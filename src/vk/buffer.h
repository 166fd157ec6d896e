/* Buffers with their memory. */
#pragma once

#include "vk/gpu.h"

enum mb_buffer_kind {
    MB_BUFFER_DEVICE,    /* device-local, zeroed at creation: counters, hand-off */
    MB_BUFFER_ADDRESSED, /* the same, and mb_buffer_address works */
    MB_BUFFER_UPLOAD,    /* host-visible and coherent, mapped: written by the host */
    MB_BUFFER_READBACK,  /* host-visible and coherent, cached if there is such memory, mapped */
};

struct mb_buffer {
    const struct mb_gpu *gpu;
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size_bytes;
    void *mapped; /* NULL for device buffers; finish unmaps it */
};

/* Make a buffer for storage, uniforms and transfers both ways. `size_bytes` is rounded up to a
 * multiple of 4. Zeroing a device buffer submits and waits, so strategies may only call this
 * from init(). */
MB_MUST_CHECK enum mb_status mb_buffer_init(struct mb_buffer *buffer, struct mb_gpu const *gpu,
                                            enum mb_buffer_kind kind, VkDeviceSize size_bytes,
                                            const char *name, struct mb_err *err);

/* Fill the beginning of a device buffer. Submits and waits: strategies may only call this from
 * init(). */
MB_MUST_CHECK enum mb_status mb_buffer_upload(const struct mb_buffer *buffer, const void *data,
                                              size_t n_bytes, struct mb_err *err);

/* The device address of an MB_BUFFER_ADDRESSED; needs the feature bufferDeviceAddress. */
VkDeviceAddress mb_buffer_address(const struct mb_buffer *buffer);

void mb_buffer_finish(struct mb_buffer *buffer);
