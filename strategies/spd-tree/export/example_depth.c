/* A depth pyramid with push descriptors, checked on the CPU: an R32_SFLOAT image, which begins
 * with level 1, holds the farthest depth of each region of a 1921x1081 D32_SFLOAT image.
 *
 *     cc -std=c11 -O2 example_depth.c spd_tree*.c -o example_depth -lvulkan -lm */
#include "example_check.h"
#include "example_memory.h"

static const struct spd_tree_job job = {.width = 1921,
                                        .height = 1081,
                                        .n_levels = 11,
                                        .n_layers = 1,
                                        .format = VK_FORMAT_R32_SFLOAT,
                                        .reduction = SPD_TREE_MAXIMUM,
                                        .is_depth = true};
static VkImage depth, levels;
static VkImageView views[SPD_TREE_MAX_LEVELS]; /* of levels 1, 2, .. */

static bool make_depth(struct host *host, VkImageView *view)
{
    const VkImageCreateInfo info = {TYPE(IMAGE_CREATE_INFO),
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_D32_SFLOAT,
                                    .extent = {job.width, job.height, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                             VK_IMAGE_USAGE_SAMPLED_BIT |
                                             VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    if (!host_image(host, &info, &depth)) {
        return false;
    }
    const VkImageViewCreateInfo view_info = {
        TYPE(IMAGE_VIEW_CREATE_INFO), .image = depth, .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
        .format = info.format, .subresourceRange = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1}};
    TRY(vkCreateImageView(host->device, &view_info, NULL, view));
    return true;
}

/* Makes the image of levels 1, 2, ..: level 1 is the image's own first level. */
static bool make_levels(struct host *host)
{
    VkImageCreateInfo info = {.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    VkImageViewCreateInfo view;
    spd_tree_image_info(&job, &info);
    if (!host_image(host, &info, &levels)) {
        return false;
    }
    for (uint32_t i = 0; i < info.mipLevels; i++) {
        spd_tree_view_info(&job, levels, i, 0, &view);
        TRY(vkCreateImageView(host->device, &view, NULL, &views[i]));
    }
    return true;
}

/* Records what a frame would do, except that here depth is copied from a buffer. */
static VkResult record(struct host *host, struct spd_tree *tree,
                       const struct spd_tree_resources *resources, VkBuffer buffer,
                       const VkBufferImageCopy *copies)
{
    const VkImageLayout none = VK_IMAGE_LAYOUT_UNDEFINED, general = VK_IMAGE_LAYOUT_GENERAL;
    const VkAccessFlags written = VK_ACCESS_TRANSFER_WRITE_BIT,
                        read = VK_ACCESS_SHADER_READ_BIT, stored = VK_ACCESS_SHADER_WRITE_BIT;
    const VkImageAspectFlags of_depth = VK_IMAGE_ASPECT_DEPTH_BIT,
                             color = VK_IMAGE_ASPECT_COLOR_BIT;
    const uint32_t n_made = job.n_levels - 1;
    VkBufferImageCopy copy[SPD_TREE_MAX_LEVELS];
    for (uint32_t i = 0; i < job.n_levels; i++) {
        copy[i] = copies[i];
        copy[i].imageSubresource.aspectMask = i == 0 ? of_depth : color;
        copy[i].imageSubresource.mipLevel = i == 0 ? 0 : i - 1;
    }
    host_barrier(host, (struct change){depth, of_depth, 0, 1, none, general, 0, written});
    vkCmdCopyBufferToImage(host->cmd, buffer, depth, general, 1, copy);
    host_barrier(host, (struct change){depth, of_depth, 0, 1, general, resources->source_layout,
                                       written, read});
    host_barrier(host, (struct change){levels, color, 0, n_made, none, general, 0, stored});
    const VkResult result = spd_tree_record(tree, host->cmd, &job, resources);
    host_barrier(host, (struct change){levels, color, 0, n_made, general, general, stored,
                                       VK_ACCESS_TRANSFER_READ_BIT});
    vkCmdCopyImageToBuffer(host->cmd, levels, general, buffer, n_made, &copy[1]);
    return result;
}

static bool run(struct host *host)
{
    struct spd_tree_create_info create = {.device = host->device,
                                          .limits = host->features.device};
    struct spd_tree_resources resources = {
        .source_layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL, .levels = views};
    struct spd_tree *tree;
    VkBuffer buffer;
    VkBufferImageCopy copies[SPD_TREE_MAX_LEVELS];
    void *texels, *zeros;
    create.push_descriptor_set = (PFN_vkCmdPushDescriptorSetKHR)vkGetDeviceProcAddr(
        host->device, "vkCmdPushDescriptorSetKHR");
    TRY(spd_tree_create(&create, &tree));
    TRY(spd_tree_prepare(tree, &job));
    if (!make_depth(host, &resources.source) || !make_levels(host) ||
        !host_buffer(host, place_levels(&job, copies), &buffer, &texels) ||
        !host_buffer(host, spd_tree_scratch_bytes(tree, &job), &resources.scratch, &zeros)) {
        return false;
    }
    fill(texels, copies[0].imageExtent);
    for (uint32_t i = 0; i < job.width * job.height; i++) { /* depths from 0.5 to 1 */
        ((uint32_t *)texels)[i] = 0x3f000000 | (((uint32_t *)texels)[i] & 0x7fffff);
    }
    TRY(record(host, tree, &resources, buffer, copies));
    return host_run(host) && check_levels(texels, copies, job.n_levels, true);
}

int main(int argc, char **argv)
{
    struct host host = {0};
    if (argc > 1) {
        fprintf(stderr, "usage: %s\n", argv[0]);
        return 2;
    }
    return host_open(&host, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) && run(&host) ? 0 : 1;
}
