/* A depth pyramid: of a D32_SFLOAT depth image of 1921x1081 the farthest of each region, in
 * levels of an R32_SFLOAT image, which begins with level 1; by one dispatch, with push
 * descriptors, checked against a CPU.
 *
 *     cc -std=c11 -O2 example_depth.c -o example_depth -lvulkan -lm */
#include "example_host.h"

static const struct spd_tree_image depth_pyramid = {.width = 1921,
                                                    .height = 1081,
                                                    .n_layers = 1,
                                                    .n_levels = 11,
                                                    .format = {SPD_TREE_FLOAT32, 1},
                                                    .reduction = SPD_TREE_MAXIMUM,
                                                    .is_depth = true};

struct pyramid {
    struct spd_tree_plan plan;
    struct spd_tree_pipeline pipeline;
    VkImage depth, levels;
    VkImageView depth_view, views[SPD_TREE_MAX_LEVELS];
};

static bool make_images(struct host *host, struct pyramid *made)
{
    const VkImageUsageFlags copied =
        VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const VkImageCreateInfo depth = {.format = VK_FORMAT_D32_SFLOAT,
                                     .extent = {depth_pyramid.width, depth_pyramid.height, 1},
                                     .mipLevels = 1,
                                     .usage = copied | VK_IMAGE_USAGE_SAMPLED_BIT |
                                              VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT};
    const VkImageCreateInfo levels = {
        .format = VK_FORMAT_R32_SFLOAT,
        .extent = {depth_pyramid.width / 2, depth_pyramid.height / 2, 1},
        .mipLevels = depth_pyramid.n_levels - 1,
        .usage = copied | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT};
    if (!host_image(host, depth, &made->depth) || !host_image(host, levels, &made->levels)) {
        return false;
    }
    TRY(spd_tree_make_view(host->device, made->depth, depth.format, VK_IMAGE_ASPECT_DEPTH_BIT,
                           0, &made->depth_view));
    for (uint32_t i = 0; i < levels.mipLevels; i++) {
        TRY(spd_tree_make_view(host->device, made->levels,
                               spd_tree_view_format(&made->plan, levels.format),
                               VK_IMAGE_ASPECT_COLOR_BIT, i, &made->views[i]));
    }
    return true;
}

/* Set 0. */
static bool push(struct host *host, const struct pyramid *made)
{
    PFN_vkCmdPushDescriptorSetKHR push_set = (PFN_vkCmdPushDescriptorSetKHR)vkGetDeviceProcAddr(
        host->device, "vkCmdPushDescriptorSetKHR");
    struct spd_tree_resources resources = {{made->pipeline.sampler, made->depth_view,
                                            VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL},
                                           .hand_off.range = VK_WHOLE_SIZE,
                                           .counters.range = VK_WHOLE_SIZE};
    VkWriteDescriptorSet writes[SPD_TREE_N_BINDINGS];
    void *zeros;
    if (!host_buffer(host, made->plan.hand_off_bytes, &resources.hand_off.buffer, &zeros) ||
        !host_buffer(host, made->plan.counter_bytes, &resources.counters.buffer, &zeros)) {
        return false;
    }
    spd_tree_fill_writes(&resources, made->views, depth_pyramid.n_levels - 1, VK_NULL_HANDLE,
                         writes);
    push_set(host->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, made->pipeline.layout, 0,
             SPD_TREE_N_BINDINGS, writes);
    return true;
}

/* What a frame does: here depth comes from a buffer. */
static void record(struct host *host, const struct pyramid *made, VkBuffer buffer,
                   VkBufferImageCopy *levels)
{
    const VkImageAspectFlags color = VK_IMAGE_ASPECT_COLOR_BIT,
                             depth = VK_IMAGE_ASPECT_DEPTH_BIT;
    const VkImageLayout none = VK_IMAGE_LAYOUT_UNDEFINED, general = VK_IMAGE_LAYOUT_GENERAL;
    VkBufferImageCopy copies[SPD_TREE_MAX_LEVELS];
    for (uint32_t i = 0; i + 1 < depth_pyramid.n_levels; i++) {
        copies[i] = levels[i + 1];
        copies[i].imageSubresource.mipLevel = i;
    }
    VkBufferImageCopy first = levels[0];
    first.imageSubresource.aspectMask = depth;
    host_barrier(host, made->depth, depth, none, general);
    vkCmdCopyBufferToImage(host->cmd, buffer, made->depth, general, 1, &first);
    host_barrier(host, made->depth, depth, general,
                 VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL);
    host_barrier(host, made->levels, color, none, general);
    spd_tree_dispatch(host->cmd, &made->pipeline, &made->plan);
    host_barrier(host, made->levels, color, general, general);
    vkCmdCopyImageToBuffer(host->cmd, made->levels, general, buffer, depth_pyramid.n_levels - 1,
                           copies);
}

static bool run(struct host *host)
{
    struct pyramid pyramid = {0};
    VkBufferImageCopy levels[SPD_TREE_MAX_LEVELS];
    VkBuffer buffer;
    void *texels;
    const char *why = spd_tree_make_plan(&host->limits, &depth_pyramid, NULL, &pyramid.plan);
    const struct spd_tree_code *code = why ? NULL : spd_tree_code_of(&pyramid.plan.module);
    if (!code) {
        fprintf(stderr, "error: %s\n", why ? why : "the plan's module was not exported");
        return false;
    }
    TRY(spd_tree_make_pipeline(host->device,
                               VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
                               &pyramid.plan, code, &pyramid.pipeline));
    if (!make_images(host, &pyramid) ||
        !host_buffer(host, host_place(&depth_pyramid, levels), &buffer, &texels) ||
        !push(host, &pyramid)) {
        return false;
    }
    host_fill(depth_pyramid.format, texels, levels[1].bufferOffset);
    record(host, &pyramid, buffer, levels);
    return host_run(host) && host_check(&depth_pyramid, levels, texels);
}

int main(void)
{
    struct host host = {.extension = VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME};
    return host_open(&host) && run(&host) ? 0 : 1;
}
