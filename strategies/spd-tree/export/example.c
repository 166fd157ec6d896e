/* Makes the mip levels of one image by one dispatch, and prints a checksum of each.
 *
 *     cc -std=c11 -O2 example.c -o example -lvulkan
 *     ./example [FORMAT [WIDTH HEIGHT [LEVEL0 LEVELS]]]
 *
 * FORMAT is one of spd_tree_formats.h. LEVEL0 is a file of its texels, row by row, LEVELS one
 * that is written: all levels one after the other. Without them level 0 is a pattern. */
#include <stdlib.h>

#include "spd_tree_formats.h"
#include "texels.h"
#include "vk_min.h"

static void make_pipeline(struct vk_min *vk, const struct spd_tree_plan *plan,
                          const struct spd_tree_format *format)
{
    VkDescriptorSetLayoutBinding bindings[SPD_TREE_N_BINDINGS];
    VkSpecializationMapEntry entries[SPD_TREE_N_CONSTANTS];
    const struct spd_tree_constants constants = spd_tree_constants_of(plan, format);
    const VkSpecializationInfo info = {SPD_TREE_N_CONSTANTS, entries, sizeof constants,
                                       &constants};
    spd_tree_bindings(bindings);
    spd_tree_map_entries(entries);
    vk_min_layouts(vk, bindings, SPD_TREE_N_BINDINGS, sizeof plan->push);
    vk_min_pipeline(vk, "spd_tree.spv", &info);
}

static void bind(const struct vk_min *vk, uint32_t n_levels, VkBuffer hand_off,
                 VkBuffer counters)
{
    struct spd_tree_writes writes;
    struct spd_tree_resources resources = {.n_levels = n_levels,
                                           .base_layout = VK_IMAGE_LAYOUT_GENERAL,
                                           .sampler = vk->sampler,
                                           .hand_off = hand_off,
                                           .counters = counters};
    memcpy(resources.level, vk->views, n_levels * sizeof *vk->views);
    spd_tree_fill_writes(&writes, vk->set, &resources);
    vkUpdateDescriptorSets(vk->device, SPD_TREE_N_BINDINGS, writes.write, 0, NULL);
}

static void record(const struct vk_min *vk, const struct spd_tree_plan *plan, VkBuffer texels,
                   const VkBufferImageCopy *levels, VkBuffer counters)
{
    vk_min_barrier(vk, VK_IMAGE_LAYOUT_UNDEFINED);
    vkCmdCopyBufferToImage(vk->cmd, texels, vk->image, VK_IMAGE_LAYOUT_GENERAL, 1, levels);
    vkCmdFillBuffer(vk->cmd, counters, 0, VK_WHOLE_SIZE, 0); /* once in the buffer's life */
    vk_min_barrier(vk, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdBindPipeline(vk->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, vk->pipeline);
    vkCmdBindDescriptorSets(vk->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, vk->layout, 0, 1, &vk->set,
                            0, NULL);
    vkCmdPushConstants(vk->cmd, vk->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof plan->push,
                       &plan->push);
    vkCmdDispatch(vk->cmd, plan->n_groups[0], plan->n_groups[1], plan->n_groups[2]);
    vk_min_barrier(vk, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyImageToBuffer(vk->cmd, vk->image, VK_IMAGE_LAYOUT_GENERAL, texels,
                           (uint32_t)plan->push.n_levels, levels);
    vk_min_barrier(vk, VK_IMAGE_LAYOUT_GENERAL);
}

/* All of it; NULL, or what failed. */
static const char *run(struct vk_min *vk, const struct spd_tree_format *format, uint32_t width,
                       uint32_t height, const char *in, const char *out)
{
    struct spd_tree_plan plan;
    VkBufferImageCopy levels[SPD_TREE_MAX_LEVELS];
    void *texels = NULL;
    const uint32_t n_levels = spd_tree_full_chain(width, height);
    if (!spd_tree_plan_init(&plan, width, height, n_levels, 1)) {
        return "planning: a size from 2x1 or 1x2 to 65535x65535 is needed";
    }
    const size_t n_bytes = texels_place(levels, n_levels, width, height, format->texel_bytes);
    vk_min_open(vk);
    vk_min_image(vk, format->format, format->view_format, levels[0].imageExtent, n_levels);
    const VkBuffer staging = vk_min_buffer(vk, n_bytes, &texels);
    const VkBuffer hand_off = vk_min_buffer(vk, plan.hand_off_bytes, NULL);
    const VkBuffer counters = vk_min_buffer(vk, plan.counter_bytes, NULL);
    make_pipeline(vk, &plan, format);
    if (vk->failed) {
        return vk->failed;
    }
    if (!texels_fill(texels, levels[1].bufferOffset, in)) {
        return "reading LEVEL0";
    }
    bind(vk, n_levels, hand_off, counters);
    record(vk, &plan, staging, levels, counters);
    vk_min_submit(vk);
    for (uint32_t i = 0; vk->failed == NULL && i < n_levels; i++) {
        texels_show(texels, &levels[i], format->texel_bytes);
    }
    return out && !vk->failed && !texels_save(texels, n_bytes, out) ? "writing LEVELS"
                                                                    : vk->failed;
}

int main(int argc, char **argv)
{
    const struct spd_tree_format *format = argc > 1 ? NULL : &spd_tree_formats[0];
    for (int i = 0; !format && i < SPD_TREE_N_FORMATS; i++) {
        format = strcmp(spd_tree_formats[i].name, argv[1]) == 0 ? &spd_tree_formats[i] : NULL;
    }
    const bool has_size = argc > 3, has_files = argc > 5;
    struct vk_min vk = {0};
    const char *failed = !format ? "finding FORMAT in spd_tree_formats.h"
                                 : run(&vk, format, has_size ? (uint32_t)atoi(argv[2]) : 101,
                                       has_size ? (uint32_t)atoi(argv[3]) : 67,
                                       has_files ? argv[4] : NULL, has_files ? argv[5] : NULL);
    vk_min_close(&vk);
    if (failed) {
        fprintf(stderr, "example: error: %s\n", failed);
    }
    return failed ? 1 : 0;
}
