/* Leaves nothing else in the last-level cache, by reading through a buffer. */
#pragma once

#include "vk/pipeline.h"

#define MB_EVICTOR_GROUP_BYTES (256u * 4u * 16u) /* that a workgroup reads */

struct mb_evictor {
    const struct mb_gpu *gpu;
    struct mb_buffer stream; /* noise, in whole groups */
    struct mb_buffer sums;   /* xor of the words that each workgroup read */
    uint32_t n_groups;
    struct mb_pipeline compute;
};

/* `n_bytes` is rounded up to whole groups; a few times the cache is enough. UNSUPPORTED if that
 * is more than the device can bind at once, if there is no memory for it, or if the device has
 * no workgroups of 256. */
MB_MUST_CHECK enum mb_status mb_evictor_init(struct mb_evictor *evictor,
                                             const struct mb_gpu *gpu, uint64_t n_bytes,
                                             struct mb_err *err);
void mb_evictor_finish(struct mb_evictor *evictor);

/* Record one pass. What comes before must be finished, and a full
 * barrier must follow. The lines that it leaves behind are clean. */
void mb_evictor_record(const struct mb_evictor *evictor, VkCommandBuffer cmd);
