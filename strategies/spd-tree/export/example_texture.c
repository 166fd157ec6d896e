/* Makes all mip levels of an sRGB texture by one dispatch and checks them on the CPU.
 *
 *     cc -std=c11 -O2 example_texture.c spd_tree*.c -o example_texture -lvulkan -lm
 *     ./example_texture [WIDTH HEIGHT] */
#include "example_check.h"
#include "example_memory.h"

static VkImageView views[SPD_TREE_MAX_LEVELS];

static bool make_views(struct host *host, const struct spd_tree_job *job, VkImage image)
{
    VkImageViewCreateInfo info;
    for (uint32_t i = 0; i < job->n_levels; i++) {
        spd_tree_view_info(job, image, i, 0, &info);
        TRY(vkCreateImageView(host->device, &info, NULL, &views[i]));
    }
    /* The view that a renderer samples. _SRGB views do not support STORAGE usage. */
    const VkImageViewUsageCreateInfo usage = {TYPE(IMAGE_VIEW_USAGE_CREATE_INFO), NULL,
                                              VK_IMAGE_USAGE_SAMPLED_BIT};
    VkImageView sampled;
    info.pNext = &usage;
    info.format = job->format;
    TRY(vkCreateImageView(host->device, &info, NULL, &sampled));
    return true;
}

static bool make_set(struct host *host, struct spd_tree *tree, const struct spd_tree_job *job,
                     struct spd_tree_resources *resources)
{
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 15},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 15},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}};
    const VkDescriptorPoolCreateInfo info = {
        TYPE(DESCRIPTOR_POOL_CREATE_INFO), NULL, 0, 1, 3, sizes};
    const VkDescriptorSetLayout layout = spd_tree_set_layout(tree);
    VkDescriptorPool pool;
    TRY(vkCreateDescriptorPool(host->device, &info, NULL, &pool));
    const VkDescriptorSetAllocateInfo allocate = {TYPE(DESCRIPTOR_SET_ALLOCATE_INFO), NULL,
                                                  pool, 1, &layout};
    TRY(vkAllocateDescriptorSets(host->device, &allocate, &resources->set));
    TRY(spd_tree_write_set(tree, job, resources));
    return true;
}

static bool run(const struct spd_tree_job *job)
{
    const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL, none = VK_IMAGE_LAYOUT_UNDEFINED;
    const VkAccessFlags written = VK_ACCESS_TRANSFER_WRITE_BIT,
                        read = VK_ACCESS_SHADER_READ_BIT, stored = VK_ACCESS_SHADER_WRITE_BIT;
    const VkImageAspectFlags color = VK_IMAGE_ASPECT_COLOR_BIT;
    const uint32_t n_made = job->n_levels - 1;
    struct host host = {0};
    struct spd_tree *tree;
    VkImage image;
    VkBuffer buffer;
    void *texels, *zeros;
    VkBufferImageCopy copies[SPD_TREE_MAX_LEVELS];
    VkImageCreateInfo info = {.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                       VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    struct spd_tree_resources resources = {.source_layout = general, .levels = &views[1]};
    if (!host_open(&host, NULL)) {
        return false;
    }
    const struct spd_tree_create_info create = {.device = host.device,
                                                .limits = host.features.device};
    TRY(spd_tree_create(&create, &tree));
    TRY(spd_tree_prepare(tree, job));
    spd_tree_image_info(job, &info);
    if (!host_image(&host, &info, &image) || !make_views(&host, job, image) ||
        !host_buffer(&host, place_levels(job, copies), &buffer, &texels) ||
        !host_buffer(&host, spd_tree_scratch_bytes(tree, job), &resources.scratch, &zeros)) {
        return false;
    }
    resources.source = views[0];
    if (!make_set(&host, tree, job, &resources)) {
        return false;
    }
    fill(texels, copies[0].imageExtent);
    host_barrier(&host, (struct change){image, color, 0, 1, none, general, 0, written});
    vkCmdCopyBufferToImage(host.cmd, buffer, image, general, 1, copies);
    host_barrier(&host, (struct change){image, color, 0, 1, general, general, written, read});
    host_barrier(&host, (struct change){image, color, 1, n_made, none, general, 0, stored});
    TRY(spd_tree_record(tree, host.cmd, job, &resources));
    host_barrier(&host, (struct change){image, color, 1, n_made, general, general, stored,
                                        VK_ACCESS_TRANSFER_READ_BIT});
    vkCmdCopyImageToBuffer(host.cmd, image, general, buffer, n_made, &copies[1]);
    return host_run(&host) && check_levels(texels, copies, job->n_levels, false);
}

/* Returns 0 if the word is not a size. */
static uint32_t size_of(const char *word)
{
    char *end;
    const long size = strtol(word, &end, 10);
    return *end == '\0' && size >= 1 && size <= 8192 ? (uint32_t)size : 0;
}

int main(int argc, char **argv)
{
    const uint32_t width = argc > 2 ? size_of(argv[1]) : 1921;
    const uint32_t height = argc > 2 ? size_of(argv[2]) : 1081;
    if ((argc != 1 && argc != 3) || width == 0 || height == 0 || width + height < 3) {
        fprintf(stderr, "usage: example_texture [WIDTH HEIGHT], of 1 to 8192 texels\n");
        return 2;
    }
    struct spd_tree_job job = {.width = width,
                               .height = height,
                               .n_levels = 1,
                               .n_layers = 1,
                               .format = VK_FORMAT_R8G8B8A8_SRGB,
                               .reduction = SPD_TREE_AVERAGE};
    job.n_levels = spd_tree_level_count(job.width, job.height);
    return run(&job) ? 0 : 1;
}
