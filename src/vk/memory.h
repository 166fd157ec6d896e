/* Device memory for one image or buffer. */
#pragma once

#include "vk/gpu.h"

struct mb_memory_options {
    VkMemoryPropertyFlags required, preferred;
    bool has_address;
    const char *what; /* what the memory is for, in messages */
};

/* MB_OK if the device could ever hold `n_bytes` in one piece, else MB_ERRC_RUNTIME with a
 * message that names `what`. Allocates nothing. */
MB_MUST_CHECK enum mb_status mb_memory_check(const struct mb_gpu *gpu, VkDeviceSize n_bytes,
                                             const char *what, struct mb_err *err);

/* Allocate for `requirements` from a memory type with all `required` flags, and with the
 * `preferred` flags if such a type exists. If the heap is too small, fails without trying, as
 * software drivers promise memory that they do not have; the message says how much `what` needs
 * and how much the heap has (MB_ERRC_RUNTIME). */
MB_MUST_CHECK enum mb_status mb_memory_allocate(const struct mb_gpu *gpu,
                                                const VkMemoryRequirements *requirements,
                                                const struct mb_memory_options *options,
                                                VkDeviceMemory *memory, struct mb_err *err);
