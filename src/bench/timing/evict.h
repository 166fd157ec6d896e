/* Leaves nothing else in the last-level cache, by reading through buffers. */
#pragma once

#include "vk/pipeline.h"

#define MB_EVICTOR_GROUP_BYTES (256u * 4u * 16u) /* that a workgroup reads */
#define MB_EVICTOR_MAX_REACHES 64u               /* buffers */

/* What one dispatch reads: no more than the device can bind at once. */
struct mb_evictor_reach {
    struct mb_buffer stream; /* noise, in whole groups */
    struct mb_buffer sums;   /* xor of the words that each workgroup read */
    uint32_t n_groups;
};

struct mb_evictor {
    const struct mb_gpu *gpu;
    struct mb_evictor_reach reach[MB_EVICTOR_MAX_REACHES];
    uint32_t n_reaches;
    struct mb_pipeline compute; /* a descriptor set for each */
};

/* `n_bytes` is rounded up to whole groups and cut into as few buffers as the device's limits
 * allow; a few times the cache is enough. UNSUPPORTED if that takes more than
 * MB_EVICTOR_MAX_REACHES of them, if there is no memory for them, or if the device has no
 * workgroups of 256. */
MB_MUST_CHECK enum mb_status mb_evictor_init(struct mb_evictor *evictor,
                                             const struct mb_gpu *gpu, uint64_t n_bytes,
                                             struct mb_err *err);
void mb_evictor_finish(struct mb_evictor *evictor);

/* Record one pass: a dispatch per buffer. What comes before must be finished, and a full
 * barrier must follow. The lines that it leaves behind are clean. */
void mb_evictor_record(const struct mb_evictor *evictor, VkCommandBuffer cmd);
