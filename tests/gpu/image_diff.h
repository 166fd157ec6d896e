/* Comparing images on the device, bit for bit: one dispatch per comparison, within a caller's
 * own submission, and a report for the host afterwards. */
#ifndef MB_TESTS_IMAGE_DIFF_H
#define MB_TESTS_IMAGE_DIFF_H

#include "vk/buffer.h"
#include "vk/image.h"
#include "vk/pipeline.h"

/* What the comparisons of a submission found; of the rest than n_texels, the first one. */
struct image_diff_report {
    uint32_t n_texels; /* that differ */
    uint32_t tag;      /* of the comparison that found the first */
    uint32_t level, layer, x, y;
    uint32_t got[4], wanted[4]; /* bits of floats */
};

struct image_diff {
    const struct mb_gpu *gpu;
    struct mb_pipeline compute;
    VkSampler sampler;
    struct mb_buffer report;
    uint32_t n_groups;
    uint32_t n_layers;
};

/* Compare `image` with any of `n_wanted` images of the same format, extent, layers and levels.
 * At a comparison all are in SHADER_READ_ONLY_OPTIMAL. */
MB_MUST_CHECK enum mb_status mb_image_diff_init(struct image_diff *diff,
                                                const struct mb_vk_image *image,
                                                const struct mb_vk_image *wanted,
                                                uint32_t n_wanted, struct mb_err *err);
/* The queue must be idle. Accepts zero. */
void mb_image_diff_finish(struct image_diff *diff);

/* Compare with wanted[index]. Full barriers before and after are the caller's. */
void mb_image_diff_record(const struct image_diff *diff, uint32_t index, uint32_t tag,
                          VkCommandBuffer cmd);
/* After the last comparison of a submission: the host may read the report then. */
void mb_image_diff_record_end(VkCommandBuffer cmd);

/* The report of all submissions since the last call, and an empty one for the next. */
struct image_diff_report mb_image_diff_take(const struct image_diff *diff);

/* One line: where, and both values. */
void mb_image_diff_describe(const struct image_diff_report *report, char *out,
                            size_t out_bytes);

#endif
