/* The images of the stress test: contents, and references that the golden model has approved.
 */
#include "stress_bench.h"

#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "vk/barrier.h"

/* Noise in [0, 1) in every channel; owned by the caller. */
static void *make_noise(const struct mb_layout *layout, uint64_t seed)
{
    const size_t n_texels = (size_t)layout->base.width * layout->base.height * layout->n_layers;
    double *values = mb_alloc(n_texels, 4 * sizeof *values);
    void *texels = mb_alloc(n_texels, layout->format->texel_bytes);
    struct mb_rng rng;
    mb_rng_init(&rng, seed);
    for (size_t i = 0; values && i < 4 * n_texels; i++) {
        values[i] = mb_rng_unit(&rng);
    }
    if (values && texels) {
        mb_format_encode(layout->format, values, n_texels, texels);
        mb_free(values);
        return texels;
    }
    mb_free(values);
    mb_free(texels);
    return NULL;
}

static enum mb_status make_contents(struct stress_bench *bench, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_vk_image_options options = {
        .layout = &bench->layout,
        .n_levels = bench->layout.n_levels,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 VK_IMAGE_USAGE_SAMPLED_BIT,
        .name = "reference",
    };
    for (uint32_t i = 0; i < STRESS_N_CONTENTS; i++) {
        bench->texels[i] = make_noise(&bench->layout, i + 1);
        if (!bench->texels[i]) {
            return MB_FAIL(err, MB_ERRC_RUNTIME, "contents: out of memory");
        }
        mb_verifier_init(&bench->verifier[i], &bench->layout, bench->texels[i]);
        MB_TRY(mb_vk_image_init(&bench->reference[i], bench->gpu, &options, err));
    }
fail:
    return status;
}

enum mb_status mb_stress_bench_init(struct stress_bench *bench, const struct mb_gpu *gpu,
                                    const struct stress_shape *shape, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    *bench = (struct stress_bench){.gpu = gpu};
    mb_layout_init(&bench->layout, mb_format_find(shape->format), shape->extent,
                   shape->n_layers,
                   shape->n_levels > 0 ? shape->n_levels : mb_full_level_count(shape->extent));
    MB_TRY(make_contents(bench, err));
    const struct mb_vk_image_options options = {.layout = &bench->layout};
    MB_TRY(mb_test_image_init(&bench->test_image, gpu, &options, bench->texels[0], err));
    MB_TRY(mb_image_diff_init(&bench->diff, &bench->test_image.image, bench->reference,
                              STRESS_N_CONTENTS, err));
    MB_TRY(mb_submission_init(&bench->submission, gpu, "stress bench", err));
    return MB_OK;
fail:
    mb_stress_bench_finish(bench);
    return status;
}

void mb_stress_bench_finish(struct stress_bench *bench)
{
    mb_submission_finish(&bench->submission);
    mb_image_diff_finish(&bench->diff);
    mb_test_image_finish(&bench->test_image);
    for (uint32_t i = 0; i < STRESS_N_CONTENTS; i++) {
        mb_vk_image_finish(&bench->reference[i]);
        mb_verifier_finish(&bench->verifier[i]);
        mb_free(bench->texels[i]);
    }
    *bench = (struct stress_bench){0};
}

/* Copy the first levels of one image to another; all are readable before and after. */
static void copy_levels(VkCommandBuffer cmd, const struct mb_vk_image *from,
                        const struct mb_vk_image *to, uint32_t n_levels)
{
    VkImageCopy regions[MB_MAX_LEVELS];
    for (uint32_t level = 0; level < n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(from->layout.base, level);
        const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0,
                                                 from->layout.n_layers};
        regions[level] = (VkImageCopy){
            .srcSubresource = layers,
            .dstSubresource = layers,
            .extent = {extent.width, extent.height, 1},
        };
    }
    mb_barrier_levels(cmd, from, 0, n_levels, &mb_access_readable, &mb_access_transfer_read);
    mb_barrier_levels(cmd, to, 0, n_levels, &mb_access_undefined, &mb_access_transfer_write);
    vkCmdCopyImage(cmd, from->image, mb_access_transfer_read.layout, to->image,
                   mb_access_transfer_write.layout, n_levels, regions);
    mb_barrier_levels(cmd, from, 0, n_levels, &mb_access_transfer_read, &mb_access_readable);
    mb_barrier_levels(cmd, to, 0, n_levels, &mb_access_transfer_write, &mb_access_readable);
}

/* Copy the test_image's image to a reference. */
static enum mb_status keep(struct stress_bench *bench, uint32_t content, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    MB_TRY(mb_submission_begin(&bench->submission, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
                               err));
    copy_levels(bench->submission.cmd, &bench->test_image.image, &bench->reference[content],
                bench->layout.n_levels);
    MB_TRY(mb_submission_end(&bench->submission, err));
    MB_TRY(mb_submission_run(&bench->submission, err));
fail:
    return status;
}

enum mb_status mb_stress_bench_refer(struct stress_bench *bench, struct mb_instance *instance,
                                     struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_test_image *test_image = &bench->test_image;
    for (uint32_t i = 0; i < STRESS_N_CONTENTS; i++) {
        struct mb_verdict verdict = {0};
        MB_TRY(mb_test_image_upload(test_image, bench->texels[i], err));
        MB_TRY(mb_test_image_poison(test_image, i % MB_N_POISONS, err));
        MB_TRY(mb_submission_run(&instance->submission, err));
        MB_TRY(mb_test_image_read(test_image, err));
        MB_TRY(mb_verify(&bench->verifier[i], test_image->readback.mapped,
                         &instance->work.tolerance, &verdict, err));
        if (!verdict.pass) {
            char where[256];
            mb_bad_texel_describe(&verdict.first_bad, where, sizeof where);
            return MB_FAIL(err, MB_ERRC_VERIFY, "reference of content %u: %s", i, where);
        }
        MB_TRY(keep(bench, i, err));
    }
fail:
    return status;
}

enum mb_status mb_stress_bench_plant(struct stress_bench *bench, uint32_t level, bool is_wrong,
                                     struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_layout *layout = &bench->layout;
    const uint32_t layer = layout->n_layers - 1, n_bytes = layout->format->texel_bytes;
    const struct mb_extent extent = mb_level_extent(layout->base, level);
    /* The last content's chain is the one that was read back last. */
    const uint8_t *texels =
        mb_layout_level(layout, bench->test_image.readback.mapped, level, layer);
    const struct mb_vk_image *reference = &bench->reference[STRESS_N_CONTENTS - 1];
    VkCommandBuffer cmd = bench->submission.cmd;
    struct mb_buffer upload = {0};
    MB_TRY(mb_buffer_init(&upload, bench->gpu, MB_BUFFER_UPLOAD, n_bytes, "planted", err));
    uint8_t *texel = upload.mapped;
    memcpy(texel, texels + layout->level_layer_bytes[level] - n_bytes, n_bytes);
    texel[0] = (uint8_t)(texel[0] ^ (is_wrong ? 1u : 0u));
    MB_TRY(mb_submission_begin(&bench->submission, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
                               err));
    const VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1},
        .imageOffset = {(int32_t)extent.width - 1, (int32_t)extent.height - 1, 0},
        .imageExtent = {1, 1, 1},
    };
    mb_barrier_levels(cmd, reference, level, 1, &mb_access_readable, &mb_access_transfer_write);
    vkCmdCopyBufferToImage(cmd, upload.buffer, reference->image,
                           mb_access_transfer_write.layout, 1, &region);
    mb_barrier_levels(cmd, reference, level, 1, &mb_access_transfer_write, &mb_access_readable);
    MB_TRY(mb_submission_end(&bench->submission, err));
    MB_TRY(mb_submission_run(&bench->submission, err));
fail:
    mb_buffer_finish(&upload);
    return status;
}

void mb_stress_bench_record_load(const struct stress_bench *bench, uint32_t content,
                                 VkCommandBuffer cmd)
{
    copy_levels(cmd, &bench->reference[content], &bench->test_image.image, 1);
}

void mb_stress_bench_record_poison(const struct stress_bench *bench, const float color[4],
                                   VkCommandBuffer cmd)
{
    const struct mb_vk_image *image = &bench->test_image.image;
    const uint32_t n_levels = bench->layout.n_levels - 1;
    const VkClearColorValue value = {.float32 = {color[0], color[1], color[2], color[3]}};
    const VkImageSubresourceRange range = {
        .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
        .baseMipLevel = 1,
        .levelCount = n_levels,
        .layerCount = bench->layout.n_layers,
    };
    mb_barrier_levels(cmd, image, 1, n_levels, &mb_access_undefined, &mb_access_transfer_write);
    vkCmdClearColorImage(cmd, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &value, 1,
                         &range);
    mb_barrier_levels(cmd, image, 1, n_levels, &mb_access_transfer_write, &mb_access_readable);
}
