/* The test bench for one cell: the image every strategy works on, and the ways in and out of it
 * that are the harness's own: upload, poison, read-back. */
#ifndef MB_BENCH_TEST_IMAGE_H
#define MB_BENCH_TEST_IMAGE_H

#include "vk/buffer.h"
#include "vk/image.h"
#include "vk/submit.h"

/* Poison colours differ in every channel, so that an unwritten texel cannot match both runs. */
#define MB_N_POISONS 2u

struct mb_test_image {
    const struct mb_gpu *gpu;
    struct mb_vk_image image;
    struct mb_layout full;     /* of all levels of the image; image.layout is its beginning */
    struct mb_buffer readback; /* a packed block of `full` */
    uint8_t
        *poisoned; /* levels below those to be made as poison left them; NULL: none. Owned */
    struct mb_submission submission;
    bool is_cube;
    double image_ms; /* host time that making the image and its views took */
};

struct mb_test_image_options {
    const struct mb_layout *layout; /* with the levels to be made */
    uint32_t n_image_levels;        /* at least those */
    bool is_cube;
    const void *source;      /* level 0, source[layer][height][width] of layout->format */
    VkImageUsageFlags usage; /* 0: all of mb_test_image_usage, and raw views; else what the
                                strategies need, to which transfers and sampling are added */
    bool is_raw;             /* then also raw views */
};

/* Usage flags that every image of this format is given: transfers, sampling, and storage and
 * drawing where the device has them for the format. */
VkImageUsageFlags mb_test_image_usage(const struct mb_gpu *gpu, const struct mb_format *format);

/* Create the image and upload level 0, which is then readable in SHADER_READ_ONLY_OPTIMAL.
 * UNSUPPORTED as mb_vk_image_init. */
MB_MUST_CHECK enum mb_status mb_test_image_init(struct mb_test_image *test_image,
                                                const struct mb_gpu *gpu,
                                                const struct mb_test_image_options *options,
                                                struct mb_err *err);
void mb_test_image_finish(struct mb_test_image *test_image);

/* Upload level 0 again: for another content, or when a strategy has damaged it. */
MB_MUST_CHECK enum mb_status mb_test_image_upload(struct mb_test_image *test_image,
                                                  const void *source, struct mb_err *err);

/* Upload levels 1.. of `block`, packed as test_image->full, which are then in the state of
 * level 0. */
MB_MUST_CHECK enum mb_status mb_test_image_upload_chain(struct mb_test_image *test_image,
                                                        const void *block, struct mb_err *err);

/* Fill levels 1.. with poison `index` < MB_N_POISONS; level 0 is not touched. */
MB_MUST_CHECK enum mb_status mb_test_image_poison(struct mb_test_image *test_image,
                                                  uint32_t index, struct mb_err *err);

/* Read all levels back into test_image->readback.mapped. */
MB_MUST_CHECK enum mb_status mb_test_image_read(struct mb_test_image *test_image,
                                                struct mb_err *err);

/* The commands of the last two, for a caller's own submission: poison before, read-back after.
 */
void mb_test_image_record_poison(const struct mb_test_image *test_image, uint32_t index,
                                 VkCommandBuffer cmd);
void mb_test_image_record_read(const struct mb_test_image *test_image, VkCommandBuffer cmd);

#endif
