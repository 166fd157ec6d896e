/* Comparing images on the device, bit for bit. */
#include "image_diff.h"

#include <stdio.h>
#include <string.h>

#include "vk/sampler.h"

#define N_INVOCATIONS 256u /* as in image_diff.comp */

extern const struct mb_shader mb_spv_image_diff;

static uint32_t count_groups(const struct mb_layout *layout)
{
    uint32_t n_texels = 0;
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(layout->base, level);
        n_texels += extent.width * extent.height;
    }
    return (n_texels + N_INVOCATIONS - 1) / N_INVOCATIONS;
}

enum mb_status mb_image_diff_init(struct image_diff *diff, const struct mb_vk_image *image,
                                  const struct mb_vk_image *wanted, uint32_t n_wanted,
                                  struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_gpu *gpu = image->gpu;
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_image_diff,
        .push_constant_bytes = sizeof(uint32_t),
        .n_copies = n_wanted,
        .name = "image diff",
    };
    *diff = (struct image_diff){.gpu = gpu,
                                .n_groups = count_groups(&image->layout),
                                .n_layers = image->layout.n_layers};
    MB_TRY(mb_sampler_create(gpu, VK_FILTER_NEAREST, VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE,
                             &diff->sampler, err));
    MB_TRY(mb_buffer_init(&diff->report, gpu, MB_BUFFER_READBACK,
                          sizeof(struct image_diff_report), "image diff report", err));
    MB_TRY(mb_pipeline_init(&diff->compute, gpu, &options, err));
    for (uint32_t i = 0; i < n_wanted; i++) {
        const struct mb_descriptor descriptors[] = {
            {.binding = 0, .sampler = diff->sampler, .views = &image->sampled_all},
            {.binding = 1, .sampler = diff->sampler, .views = &wanted[i].sampled_all},
            {.binding = 2, .buffer = &diff->report},
        };
        mb_pipeline_bind(&diff->compute, i, descriptors, MB_COUNTOF(descriptors));
    }
    memset(diff->report.mapped, 0, sizeof(struct image_diff_report));
    return MB_OK;
fail:
    mb_image_diff_finish(diff);
    return status;
}

void mb_image_diff_finish(struct image_diff *diff)
{
    mb_pipeline_finish(&diff->compute);
    mb_sampler_destroy(diff->gpu, diff->sampler);
    mb_buffer_finish(&diff->report);
    *diff = (struct image_diff){0};
}

void mb_image_diff_record(const struct image_diff *diff, uint32_t index, uint32_t tag,
                          VkCommandBuffer cmd)
{
    const struct mb_dispatch dispatch = {
        .copy = index,
        .push = &tag,
        .n_groups = {diff->n_groups, 1, diff->n_layers},
    };
    mb_pipeline_dispatch(&diff->compute, cmd, &dispatch);
}

void mb_image_diff_record_end(VkCommandBuffer cmd)
{
    const VkMemoryBarrier to_host = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &to_host, 0, NULL, 0, NULL);
}

struct image_diff_report mb_image_diff_take(const struct image_diff *diff)
{
    struct image_diff_report report;
    memcpy(&report, diff->report.mapped, sizeof report);
    memset(diff->report.mapped, 0, sizeof report);
    return report;
}

void mb_image_diff_describe(const struct image_diff_report *report, char *out, size_t out_bytes)
{
    float got[4], wanted[4];
    memcpy(got, report->got, sizeof got);
    memcpy(wanted, report->wanted, sizeof wanted);
    snprintf(out, out_bytes,
             "%u texels differ; first: level %u, layer %u, x %u, y %u: wanted "
             "(%.9g, %.9g, %.9g, %.9g), got (%.9g, %.9g, %.9g, %.9g)",
             report->n_texels, report->level, report->layer, report->x, report->y,
             (double)wanted[0], (double)wanted[1], (double)wanted[2], (double)wanted[3],
             (double)got[0], (double)got[1], (double)got[2], (double)got[3]);
}
