/* Every level of a texture by one dispatch, checked against a CPU.
 *
 *     cc -std=c11 -O2 example_texture.c -o example_texture -lvulkan -lm
 *     ./example_texture [FORMAT [WIDTH HEIGHT [avg|min|max]]] */
#include "example_host.h"

static const struct format {
    const char *name;
    VkFormat format;
    struct spd_tree_format numbers;
} formats[] = {
    {"rgba8", VK_FORMAT_R8G8B8A8_UNORM, {SPD_TREE_UNORM8, 4}},
    {"rgba8-srgb", VK_FORMAT_R8G8B8A8_SRGB, {SPD_TREE_SRGB8, 4}},
    {"r8", VK_FORMAT_R8_UNORM, {SPD_TREE_UNORM8, 1}},
    {"rg8", VK_FORMAT_R8G8_UNORM, {SPD_TREE_UNORM8, 2}},
    {"rgb10a2", VK_FORMAT_A2B10G10R10_UNORM_PACK32, {SPD_TREE_UNORM10_2, 4}},
    {"r16f", VK_FORMAT_R16_SFLOAT, {SPD_TREE_FLOAT16, 1}},
    {"rg16f", VK_FORMAT_R16G16_SFLOAT, {SPD_TREE_FLOAT16, 2}},
    {"rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT, {SPD_TREE_FLOAT16, 4}},
    {"r32f", VK_FORMAT_R32_SFLOAT, {SPD_TREE_FLOAT32, 1}},
    {"rg32f", VK_FORMAT_R32G32_SFLOAT, {SPD_TREE_FLOAT32, 2}},
    {"rgba32f", VK_FORMAT_R32G32B32A32_SFLOAT, {SPD_TREE_FLOAT32, 4}},
    {"rg11b10f", VK_FORMAT_B10G11R11_UFLOAT_PACK32, {SPD_TREE_FLOAT11_10, 3}},
};

/* A whole number of at most five digits; 0 for anything else. */
static uint32_t parse_size(const char *text)
{
    const size_t n_digits = strspn(text, "0123456789");
    return n_digits < 6 && text[n_digits] == '\0' ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

/* The format, or NULL. */
static const struct format *parse(int argc, char **argv, struct spd_tree_image *image)
{
    static const char *const reductions[] = {"avg", "min", "max"};
    const size_t n_formats = sizeof formats / sizeof formats[0];
    const uint32_t x = argc > 3 ? parse_size(argv[2]) : 101;
    const uint32_t y = argc > 3 ? parse_size(argv[3]) : 67;
    size_t i = 0, k = 0;
    for (; argc > 1 && i < n_formats && strcmp(formats[i].name, argv[1]) != 0; i++) {
    }
    for (; argc > 4 && k < 3 && strcmp(reductions[k], argv[4]) != 0; k++) {
    }
    *image = (struct spd_tree_image){x, y, .n_layers = 1, .n_levels = 1};
    while (image->n_levels < SPD_TREE_MAX_LEVELS && (x | y) >> image->n_levels) {
        image->n_levels++;
    }
    image->reduction = (enum spd_tree_reduction)k;
    image->format = formats[i < n_formats ? i : 0].numbers;
    const bool is_size = x >= 1 && y >= 1 && (x | y) >> SPD_TREE_MAX_LEVELS == 0 && (x | y) > 1;
    return argc != 3 && argc < 6 && k < 3 && i < n_formats && is_size ? &formats[i] : NULL;
}

struct texture {
    struct spd_tree_plan plan;
    struct spd_tree_pipeline pipeline;
    VkImage image;
    VkImageView views[SPD_TREE_MAX_LEVELS];
    VkBuffer buffer; /* of all levels */
    void *texels;
    VkBufferImageCopy levels[SPD_TREE_MAX_LEVELS];
};

/* With a pattern for level 0 in the buffer. */
static bool make_texture(struct host *host, VkFormat format, const struct spd_tree_image *image,
                         struct texture *made)
{
    const VkImageCreateInfo info = {
        .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT,
        .format = format,
        .extent = {image->width, image->height, 1},
        .mipLevels = image->n_levels,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                 VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    const bool is_srgb = format == VK_FORMAT_R8G8B8A8_SRGB; /* no device stores to it */
    const VkFormat stored = is_srgb ? VK_FORMAT_R8G8B8A8_UNORM : format;
    const VkDeviceSize n_bytes = host_place(image, made->levels);
    if (!host_image(host, info, &made->image) ||
        !host_buffer(host, n_bytes, &made->buffer, &made->texels)) {
        return false;
    }
    for (uint32_t i = 0; i < image->n_levels; i++) {
        TRY(spd_tree_make_view(host->device, made->image,
                               spd_tree_view_format(&made->plan, stored),
                               VK_IMAGE_ASPECT_COLOR_BIT, i, &made->views[i]));
    }
    host_fill(image->format, made->texels, made->levels[1].bufferOffset);
    return true;
}

/* Set 0. */
static bool bind(struct host *host, uint32_t n_levels, const struct texture *made)
{
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 15},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}};
    const VkDescriptorPoolCreateInfo of = {
        TYPE(DESCRIPTOR_POOL_CREATE_INFO), NULL, 0, 1, 3, sizes};
    struct spd_tree_resources resources = {
        {made->pipeline.sampler, made->views[0], VK_IMAGE_LAYOUT_GENERAL},
        .hand_off.range = VK_WHOLE_SIZE,
        .counters.range = VK_WHOLE_SIZE};
    VkWriteDescriptorSet writes[SPD_TREE_N_BINDINGS];
    VkDescriptorPool pool;
    VkDescriptorSet set;
    void *zeros;
    TRY(vkCreateDescriptorPool(host->device, &of, NULL, &pool));
    const VkDescriptorSetAllocateInfo info = {TYPE(DESCRIPTOR_SET_ALLOCATE_INFO), NULL, pool, 1,
                                              &made->pipeline.set_layout};
    TRY(vkAllocateDescriptorSets(host->device, &info, &set));
    if (!host_buffer(host, made->plan.hand_off_bytes, &resources.hand_off.buffer, &zeros) ||
        !host_buffer(host, made->plan.counter_bytes, &resources.counters.buffer, &zeros)) {
        return false;
    }
    spd_tree_fill_writes(&resources, &made->views[1], n_levels - 1, set, writes);
    vkUpdateDescriptorSets(host->device, SPD_TREE_N_BINDINGS, writes, 0, NULL);
    vkCmdBindDescriptorSets(host->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, made->pipeline.layout, 0,
                            1, &set, 0, NULL);
    return true;
}

static bool run(struct host *host, VkFormat format, const struct spd_tree_image *image)
{
    const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL, none = VK_IMAGE_LAYOUT_UNDEFINED;
    const VkImageAspectFlags color = VK_IMAGE_ASPECT_COLOR_BIT;
    struct texture t = {0};
    const char *why = spd_tree_make_plan(&host->limits, image, NULL, &t.plan);
    const struct spd_tree_code *code = why ? NULL : spd_tree_code_of(&t.plan.module);
    if (!code) {
        fprintf(stderr, "error: %s\n", why ? why : "the plan's module was not exported");
        return false;
    }
    TRY(spd_tree_make_pipeline(host->device, 0, &t.plan, code, &t.pipeline));
    if (!make_texture(host, format, image, &t) || !bind(host, image->n_levels, &t)) {
        return false;
    }
    host_barrier(host, t.image, color, none, general);
    vkCmdCopyBufferToImage(host->cmd, t.buffer, t.image, general, 1, t.levels);
    host_barrier(host, t.image, color, general, general);
    spd_tree_dispatch(host->cmd, &t.pipeline, &t.plan);
    host_barrier(host, t.image, color, general, general);
    vkCmdCopyImageToBuffer(host->cmd, t.image, general, t.buffer, image->n_levels, t.levels);
    return host_run(host) && host_check(image, t.levels, t.texels);
}

int main(int argc, char **argv)
{
    struct host host = {0};
    struct spd_tree_image image;
    const struct format *format = parse(argc, argv, &image);
    if (!format) {
        fprintf(stderr, "usage: example_texture [FORMAT [WIDTH HEIGHT [avg|min|max]]]\n");
        return 2;
    }
    return host_open(&host) && run(&host, format->format, &image) ? 0 : 1;
}
