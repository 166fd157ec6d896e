/* Empties the last-level cache of everything else by reading through a buffer. */
#pragma once

#include "vk/pipeline.h"

#define MB_EVICTOR_GROUP_BYTES (256u * 4u * 16u) /* read by each workgroup */

struct mb_evictor {
    const struct mb_gpu *gpu;
    struct mb_buffer stream; /* noise, in whole groups */
    struct mb_buffer sums;   /* xor of the words that each workgroup read */
    uint32_t n_groups;
    struct mb_pipeline compute;
};

/* `n_bytes`, a few times the cache, is rounded up to whole groups. UNSUPPORTED if the device
 * cannot bind that much at once, has no memory for it, or no workgroups of 256. */
MB_MUST_CHECK enum mb_status mb_evictor_init(struct mb_evictor *evictor,
                                             const struct mb_gpu *gpu, uint64_t n_bytes,
                                             struct mb_err *err);
void mb_evictor_finish(struct mb_evictor *evictor);

/* Record one pass. Commands before it must be complete, and a full barrier must follow. It
 * leaves no dirty lines in the cache. */
void mb_evictor_record(const struct mb_evictor *evictor, VkCommandBuffer cmd);
