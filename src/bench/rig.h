/* The test bench for one cell: the image every strategy works on, and the ways in and out of it
 * that are the harness's own: upload, poison, read-back. */
#ifndef MB_BENCH_RIG_H
#define MB_BENCH_RIG_H

#include "vk/buffer.h"
#include "vk/image.h"
#include "vk/submit.h"

/* Poison colours differ in every channel, so that an unwritten texel cannot match both runs. */
#define MB_N_POISONS 2u

struct mb_rig {
    const struct mb_gpu *gpu;
    struct mb_vk_image image;
    struct mb_buffer readback; /* a packed block of image.layout */
    struct mb_submission submission;
};

/* Usage flags that every image of this format is given: transfers, sampling, and storage where
 * the device has it for the format. */
VkImageUsageFlags mb_rig_usage(const struct mb_gpu *gpu, const struct mb_format *format);

/* Create the image and upload level 0, source[layer][height][width] of layout->format, which is
 * then readable in SHADER_READ_ONLY_OPTIMAL. UNSUPPORTED as mb_vk_image_init. */
MB_MUST_CHECK enum mb_status mb_rig_init(struct mb_rig *rig, const struct mb_gpu *gpu,
                                         const struct mb_layout *layout, const void *source,
                                         struct mb_err *err);
void mb_rig_finish(struct mb_rig *rig);

/* Upload level 0 again: for when a strategy has damaged it. */
MB_MUST_CHECK enum mb_status mb_rig_upload(struct mb_rig *rig, const void *source,
                                           struct mb_err *err);

/* Fill levels 1.. with poison `index` < MB_N_POISONS; level 0 is not touched. */
MB_MUST_CHECK enum mb_status mb_rig_poison(struct mb_rig *rig, uint32_t index,
                                           struct mb_err *err);

/* Read all levels back into rig->readback.mapped. */
MB_MUST_CHECK enum mb_status mb_rig_read(struct mb_rig *rig, struct mb_err *err);

#endif
