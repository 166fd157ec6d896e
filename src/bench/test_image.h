/* The test image, on which every strategy of a case works, and its upload, poison and
 * read-back. */
#pragma once

#include "vk/buffer.h"
#include "vk/image.h"
#include "vk/submit.h"

/* The two poison colours differ in every channel, so that an unwritten texel cannot match both
 * runs. In float formats the second is NaN, to expose kernels that weight poison by zero. */
#define MB_N_POISONS 2u

struct mb_test_image {
    struct mb_vk_image image;
    struct mb_layout full;     /* of all levels of the image; image.layout is its beginning */
    struct mb_buffer readback; /* a packed block of `full` */
    uint8_t *poisoned; /* such a block, read back after poisoning, if the task makes fewer
                          levels than the image has; else NULL. Owned */
    struct mb_submission submission;
    double image_ms; /* host time that making the image and its views took */
};

/* The usage flags (transfers, sampling, storage, drawing) that the device supports for this
 * format. */
VkImageUsageFlags mb_test_image_usage(const struct mb_gpu *gpu, const struct mb_format *format);

/* Record a copy of levels [0, n_levels) of all layers between images of one layout. `from` is
 * in the state of strategy.h before and after, `to` after. */
void mb_record_image_copy(VkCommandBuffer cmd, const struct mb_vk_image *from,
                          const struct mb_vk_image *to, uint32_t n_levels);
/* Record a copy of level 0 to a depth image, through a buffer: Vulkan does not copy between
 * color and depth images. */
void mb_record_depth_copy(VkCommandBuffer cmd, const struct mb_vk_image *from,
                          const struct mb_vk_image *to, const struct mb_buffer *between);

/* Create the image and upload `source`, [layer][height][width] in its format, to level 0, which
 * is then readable in SHADER_READ_ONLY_OPTIMAL. Its usage includes transfers both ways.
 * UNSUPPORTED as mb_vk_image_init. */
MB_MUST_CHECK enum mb_status mb_test_image_init(struct mb_test_image *test_image,
                                                const struct mb_gpu *gpu,
                                                const struct mb_vk_image_options *options,
                                                const void *source, struct mb_err *err);
void mb_test_image_finish(struct mb_test_image *test_image);

/* Upload the first `n_levels` of a block packed as test_image->full: a chain, or level 0 alone
 * to change the content or repair damage by a strategy. The levels are readable afterwards. */
MB_MUST_CHECK enum mb_status mb_test_image_upload(struct mb_test_image *test_image,
                                                  const void *block, uint32_t n_levels,
                                                  struct mb_err *err);

/* Make `n` copies of the test image with the same usage and all its levels, in the state of
 * strategy.h. `copies` arrive zeroed; the caller finishes them, also after a failure. */
MB_MUST_CHECK enum mb_status mb_test_image_copy(struct mb_test_image *test_image,
                                                struct mb_vk_image *copies, uint32_t n,
                                                struct mb_err *err);

/* Fill levels 1.. with poison `index` < MB_N_POISONS; level 0 is not touched. */
MB_MUST_CHECK enum mb_status mb_test_image_poison(struct mb_test_image *test_image,
                                                  uint32_t index, struct mb_err *err);

/* Read all levels back into test_image->readback.mapped. */
MB_MUST_CHECK enum mb_status mb_test_image_read(struct mb_test_image *test_image,
                                                struct mb_err *err);

/* Record filling levels [1, n_levels) of any image with poison `index`; the levels are readable
 * afterwards. */
void mb_record_poison(const struct mb_vk_image *image, uint32_t n_levels, uint32_t index,
                      VkCommandBuffer cmd);
/* Record overwriting one texel in each of levels 1.. of an image, in all layers, at places
 * chosen by `seed`; `texels` has one for each layer. Levels are readable before and after. */
void mb_record_spots(const struct mb_vk_image *image, const struct mb_buffer *texels,
                     uint64_t seed, VkCommandBuffer cmd);
/* Record the commands of mb_test_image_read(), in a submission of the caller. */
void mb_test_image_record_read(const struct mb_test_image *test_image, VkCommandBuffer cmd);
