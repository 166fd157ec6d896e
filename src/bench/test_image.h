/* The test image: what every strategy of a case works on, and the harness's own ways in and out
 * of it: upload, poison, read-back. */
#pragma once

#include "vk/buffer.h"
#include "vk/image.h"
#include "vk/submit.h"

/* Poison colours differ in every channel, so that an unwritten texel cannot match both runs;
 * the second is NaN in float formats, which shows where a kernel weighs poison by zero. */
#define MB_N_POISONS 2u

struct mb_test_image {
    struct mb_vk_image image;
    struct mb_layout full;     /* of all levels of the image; image.layout is its beginning */
    struct mb_buffer readback; /* a packed block of `full` */
    uint8_t *poisoned; /* such a block as poison left it, where there are levels that are not to
                          be made; else NULL. Owned */
    struct mb_submission submission;
    double image_ms; /* host time that making the image and its views took */
};

/* Usage flags that every image of this format is given: transfers, sampling, and storage and
 * drawing where the device has them for the format. */
VkImageUsageFlags mb_test_image_usage(const struct mb_gpu *gpu, const struct mb_format *format);

/* Record a copy of levels [0, n_levels) of all layers between images of one layout. The first
 * is as strategy.h promises before and after, the other afterwards. */
void mb_record_image_copy(VkCommandBuffer cmd, const struct mb_vk_image *from,
                          const struct mb_vk_image *to, uint32_t n_levels);
/* The same of level 0 to a depth image, through a buffer: images of color and depth cannot be
 * copied to each other. */
void mb_record_depth_copy(VkCommandBuffer cmd, const struct mb_vk_image *from,
                          const struct mb_vk_image *to, const struct mb_buffer *between);

/* Create the image and upload level 0, source[layer][height][width] of its format, which is
 * then readable in SHADER_READ_ONLY_OPTIMAL. Of the options, n_levels 0 means those of the
 * layout, and usage 0 all of mb_test_image_usage() and raw views; transfers are added to any
 * other. UNSUPPORTED as mb_vk_image_init. */
MB_MUST_CHECK enum mb_status mb_test_image_init(struct mb_test_image *test_image,
                                                const struct mb_gpu *gpu,
                                                const struct mb_vk_image_options *options,
                                                const void *source, struct mb_err *err);
void mb_test_image_finish(struct mb_test_image *test_image);

/* Upload the first `n_levels` of a block packed as test_image->full, which are then in the
 * state of level 0: that alone again, for another content or when a strategy has damaged it, or
 * a chain. */
MB_MUST_CHECK enum mb_status mb_test_image_upload(struct mb_test_image *test_image,
                                                  const void *block, uint32_t n_levels,
                                                  struct mb_err *err);

/* Make `n` images like the test image: the same usage, and copies of all its levels, in the
 * state that strategy.h promises. `copies` are zeroed before, and the caller's to finish after
 * a failure, too. */
MB_MUST_CHECK enum mb_status mb_test_image_copy(struct mb_test_image *test_image,
                                                struct mb_vk_image *copies, uint32_t n,
                                                struct mb_err *err);

/* Fill levels 1.. with poison `index` < MB_N_POISONS; level 0 is not touched. */
MB_MUST_CHECK enum mb_status mb_test_image_poison(struct mb_test_image *test_image,
                                                  uint32_t index, struct mb_err *err);

/* Read all levels back into test_image->readback.mapped. */
MB_MUST_CHECK enum mb_status mb_test_image_read(struct mb_test_image *test_image,
                                                struct mb_err *err);

/* Record filling levels [1, n_levels) of any image with poison `index`; they are readable then.
 */
void mb_record_poison(const struct mb_vk_image *image, uint32_t n_levels, uint32_t index,
                      VkCommandBuffer cmd);
/* Record writing one texel of each of levels 1.. of an image, at a place that `seed` chooses,
 * in all layers: `texels` has one for each layer. The rest of them is as it was; all are
 * readable before and after. */
void mb_record_spots(const struct mb_vk_image *image, const struct mb_buffer *texels,
                     uint64_t seed, VkCommandBuffer cmd);
/* The commands of mb_test_image_read(), for a caller's own submission. */
void mb_test_image_record_read(const struct mb_test_image *test_image, VkCommandBuffer cmd);
