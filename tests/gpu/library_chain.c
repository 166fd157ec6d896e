/* An image whose levels are made by spd-tree's library. */
#include "library_chain.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "vk/barrier.h"
#include "vk/memory.h"

#define POISON 0x5a /* no float of it is infinite or NaN */

void mb_library_check(bool is_right, const char *name, const char *what)
{
    CHECK(is_right);
    if (!is_right) {
        fprintf(stderr, "    case %s: %s\n", name, what);
    }
}

struct spd_tree *mb_library_tree(const struct mb_gpu *gpu, PFN_vkCmdPushDescriptorSetKHR push)
{
    struct spd_tree_features features;
    struct spd_tree *tree = NULL;
    spd_tree_get_features(gpu->physical_device, &features);
    const struct spd_tree_create_info info = {
        .device = gpu->device,
        .limits = features.device,
        .push_descriptor_set = push,
    };
    CHECK_EQ_INT(spd_tree_create(&info, &tree), VK_SUCCESS);
    return tree;
}

/* ---- Setting up */

static enum mb_status make_image(const struct mb_gpu *gpu, const VkImageCreateInfo *info,
                                 VkImage *image, VkDeviceMemory *memory, struct mb_err *err)
{
    VkImageFormatProperties properties;
    VkMemoryRequirements requirements;
    const struct mb_memory_options options = {.required = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                              .what = "image of the library"};
    MB_FAIL_IF(vkGetPhysicalDeviceImageFormatProperties(
                   gpu->physical_device, info->format, info->imageType, info->tiling,
                   info->usage, info->flags, &properties) == VK_ERROR_FORMAT_NOT_SUPPORTED,
               err, MB_ERRC_UNSUPPORTED, "the device has no such images of format %d",
               (int)info->format);
    MB_DO(MB_VK_MAKE(vkCreateImage, gpu->device, info, image));
    vkGetImageMemoryRequirements(gpu->device, *image, &requirements);
    MB_DO(mb_memory_allocate(gpu, &requirements, &options, memory, err));
    return MB_VK(vkBindImageMemory(gpu->device, *image, *memory, 0));
}

/* Levels that are not the depth image's. */
static uint32_t first_level(const struct library_chain *c)
{
    return c->info.job.is_depth ? 1 : 0;
}

static enum mb_status make_levels(struct library_chain *c, struct mb_err *err)
{
    const struct spd_tree_job *job = &c->info.job;
    const uint32_t first = first_level(c);
    struct spd_tree_job whole = *job;
    VkImageViewCreateInfo view;
    VkImageCreateInfo info = {.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                       VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    whole.n_layers = c->layout.n_layers;
    mb_library_check(spd_tree_image_info(&whole, &info), c->info.name, "no such image");
    MB_DO(make_image(c->gpu, &info, &c->image, &c->memory, err));
    for (uint32_t i = first; i < job->n_levels; i++) {
        spd_tree_view_info(job, c->image, i - first, c->info.first_layer, &view);
        MB_DO(MB_VK_MAKE(vkCreateImageView, c->gpu->device, &view, &c->views[i]));
    }
    if (job->format != VK_FORMAT_R8G8B8A8_SRGB && job->format != VK_FORMAT_B8G8R8A8_SRGB) {
        return MB_OK;
    }
    const VkImageViewUsageCreateInfo usage = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
    };
    spd_tree_view_info(job, c->image, 0, c->info.first_layer, &view);
    view.pNext = &usage;
    view.format = job->format;
    view.subresourceRange.levelCount = job->n_levels;
    return MB_VK_MAKE(vkCreateImageView, c->gpu->device, &view, &c->curved);
}

static VkImageAspectFlags depth_aspects(const struct library_chain *c)
{
    return VK_IMAGE_ASPECT_DEPTH_BIT |
           (c->info.depth == VK_FORMAT_D24_UNORM_S8_UINT ? VK_IMAGE_ASPECT_STENCIL_BIT : 0u);
}

/* Codes of the texels of level 0, which become what the codes are; texel by texel. */
static void encode_depth(struct library_chain *c)
{
    const size_t n = c->layout.level_layer_bytes[0] / sizeof(float) * c->layout.n_layers;
    float *texels = (float *)(void *)c->block;
    for (size_t i = 0; i < n; i++) {
        const double max_code = c->info.depth == VK_FORMAT_D16_UNORM ? 65535.0 : 16777215.0;
        const uint32_t code = (uint32_t)((double)texels[i] * max_code + 0.5);
        if (c->info.depth == VK_FORMAT_D32_SFLOAT) {
            ((float *)c->codes.mapped)[i] = texels[i];
            continue;
        }
        if (c->info.depth == VK_FORMAT_D16_UNORM) {
            ((uint16_t *)c->codes.mapped)[i] = (uint16_t)code;
        } else {
            ((uint32_t *)c->codes.mapped)[i] = code;
        }
        texels[i] = (float)(code / max_code);
    }
}

static enum mb_status make_depth(struct library_chain *c, struct mb_err *err)
{
    const struct spd_tree_job *job = &c->info.job;
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = c->info.depth,
        .extent = {job->width, job->height, 1},
        .mipLevels = 1,
        .arrayLayers = c->layout.n_layers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                 VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    MB_DO(make_image(c->gpu, &info, &c->depth, &c->depth_memory, err));
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = c->depth,
        .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
        .format = c->info.depth,
        .subresourceRange = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, c->info.first_layer,
                             job->n_layers},
    };
    MB_DO(MB_VK_MAKE(vkCreateImageView, c->gpu->device, &view, &c->views[0]));
    MB_DO(mb_buffer_init(&c->codes, c->gpu, MB_BUFFER_UPLOAD,
                         c->layout.level_layer_bytes[0] * c->layout.n_layers, "codes", err));
    encode_depth(c);
    return MB_OK;
}

static enum mb_status make_set(struct library_chain *c, struct mb_err *err)
{
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 15},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 15},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}};
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = MB_COUNTOF(sizes),
        .pPoolSizes = sizes,
    };
    const VkDescriptorSetLayout layout = spd_tree_set_layout(c->info.tree);
    MB_DO(MB_VK_MAKE(vkCreateDescriptorPool, c->gpu->device, &pool, &c->pool));
    const VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = c->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &layout,
    };
    MB_DO(MB_VK(vkAllocateDescriptorSets(c->gpu->device, &allocate, &c->resources.set)));
    return MB_VK(spd_tree_write_set(c->info.tree, &c->info.job, &c->resources));
}

/* Scratch that is not given, and descriptors. */
static enum mb_status make_resources(struct library_chain *c, struct mb_err *err)
{
    const struct spd_tree_job *job = &c->info.job;
    c->resources = (struct spd_tree_resources){
        .source = c->views[0],
        .source_layout = job->is_depth ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL
                                       : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
        .levels = &c->views[1],
    };
    MB_DO(MB_VK(spd_tree_prepare(c->info.tree, job)));
    if (job->n_levels == 1) {
        return MB_OK;
    }
    if (!c->info.scratch) {
        MB_DO(mb_buffer_init(&c->scratch, c->gpu, MB_BUFFER_DEVICE,
                             spd_tree_scratch_bytes(c->info.tree, job), "scratch", err));
    }
    c->resources.scratch = c->info.scratch ? c->info.scratch->buffer : c->scratch.buffer;
    c->resources.scratch_offset = c->info.scratch_offset;
    return c->info.is_pushed ? MB_OK : make_set(c, err);
}

enum mb_status mb_library_init(struct library_chain *c, const struct mb_gpu *gpu,
                               const struct library_info *info, struct mb_err *err)
{
    const struct spd_tree_job *job = &info->job;
    const struct mb_extent extent = {job->width, job->height};
    *c = (struct library_chain){.gpu = gpu, .info = *info};
    mb_layout_init(&c->layout, mb_format_find(info->format), extent,
                   info->n_layers > 0 ? info->n_layers : job->n_layers, job->n_levels);
    const size_t n_bytes = c->layout.total_bytes;
    uint8_t *texels = mb_test_texels(&c->layout, "noise");
    c->block = mb_malloc(n_bytes);
    if (texels && c->block) {
        memset(c->block, POISON, n_bytes);
        memcpy(c->block, texels, c->layout.level_layer_bytes[0] * c->layout.n_layers);
    }
    mb_free(texels);
    MB_DO(MB_NEED(texels && c->block, "texels"));
    MB_DO(mb_buffer_init(&c->upload, gpu, MB_BUFFER_UPLOAD, n_bytes, "upload", err));
    MB_DO(mb_buffer_init(&c->readback, gpu, MB_BUFFER_READBACK, n_bytes, "read-back", err));
    MB_DO(make_levels(c, err));
    if (job->is_depth) {
        MB_DO(make_depth(c, err));
    }
    memcpy(c->upload.mapped, c->block, n_bytes);
    MB_DO(make_resources(c, err));
    return mb_submission_init(&c->submission, gpu, "library", err);
}

void mb_library_finish(struct library_chain *c)
{
    if (!c->gpu || c->gpu->state->is_lost) {
        return;
    }
    const VkDevice device = c->gpu->device;
    if (c->submission.gpu) {
        mb_submission_finish(&c->submission);
    }
    vkDestroyDescriptorPool(device, c->pool, NULL);
    vkDestroyImageView(device, c->curved, NULL);
    for (uint32_t i = 0; i < MB_MAX_LEVELS; i++) {
        vkDestroyImageView(device, c->views[i], NULL);
    }
    vkDestroyImage(device, c->image, NULL);
    vkDestroyImage(device, c->depth, NULL);
    vkFreeMemory(device, c->memory, NULL);
    vkFreeMemory(device, c->depth_memory, NULL);
    mb_buffer_finish(&c->upload);
    mb_buffer_finish(&c->codes);
    mb_buffer_finish(&c->readback);
    mb_buffer_finish(&c->scratch);
    mb_free(c->block);
    *c = (struct library_chain){0};
}

void mb_library_change(struct library_chain *c, VkRect2D rect)
{
    const struct mb_layout *layout = &c->layout;
    const size_t texel_bytes = layout->format->texel_bytes;
    uint8_t *other = mb_test_texels(layout, "gradient");
    for (uint32_t row = 0; other && row < layout->n_layers * rect.extent.height; row++) {
        const uint32_t layer = row / rect.extent.height;
        const uint32_t y = (uint32_t)rect.offset.y + row % rect.extent.height;
        const size_t at = ((size_t)layer * layout->base.height + y) * layout->base.width +
                          (uint32_t)rect.offset.x;
        memcpy(c->block + at * texel_bytes, other + at * texel_bytes,
               rect.extent.width * texel_bytes);
    }
    mb_library_check(other != NULL, c->info.name, "no texels");
    mb_free(other);
    memcpy(c->upload.mapped, c->block, layout->total_bytes);
}

/* ---- Recording */

struct change {
    VkImage image;
    VkImageAspectFlags aspects;
    uint32_t first, n; /* levels of the image */
    VkImageLayout from, to;
};

static void change_layout(VkCommandBuffer cmd, struct change change)
{
    const VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = all,
        .oldLayout = change.from,
        .newLayout = change.to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = change.image,
        .subresourceRange = {change.aspects, change.first, change.n, 0,
                             VK_REMAINING_ARRAY_LAYERS},
    };
    if (change.n > 0) {
        vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1,
                             &barrier);
    }
}

/* A level of all layers, in a packed block and in the image that has it. */
static VkBufferImageCopy region_of(const struct library_chain *c, uint32_t level)
{
    const struct mb_extent extent = mb_level_extent(c->layout.base, level);
    return (VkBufferImageCopy){
        .bufferOffset = c->layout.level_offset_bytes[level],
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level - first_level(c), 0,
                             c->layout.n_layers},
        .imageExtent = {extent.width, extent.height, 1},
    };
}

static void record_depth(struct library_chain *c, VkCommandBuffer cmd)
{
    const VkImageLayout target = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    const VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, c->layout.n_layers},
        .imageExtent = {c->layout.base.width, c->layout.base.height, 1},
    };
    struct change change = {c->depth, depth_aspects(c),          0,
                            1,        VK_IMAGE_LAYOUT_UNDEFINED, target};
    change_layout(cmd, change);
    vkCmdCopyBufferToImage(cmd, c->codes.buffer, c->depth, target, 1, &region);
    change.from = target;
    change.to = c->resources.source_layout;
    change_layout(cmd, change);
}

void mb_library_record_upload(struct library_chain *c, VkCommandBuffer cmd, bool is_poisoned)
{
    const VkImageLayout target = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        none = VK_IMAGE_LAYOUT_UNDEFINED, general = VK_IMAGE_LAYOUT_GENERAL;
    const uint32_t first = first_level(c), n_made = c->info.job.n_levels - 1;
    const uint32_t end = is_poisoned ? c->info.job.n_levels : 1;
    struct change change = {c->image, VK_IMAGE_ASPECT_COLOR_BIT, 0, end - first, none, target};
    change_layout(cmd, change);
    for (uint32_t i = first; i < end; i++) {
        const VkBufferImageCopy region = region_of(c, i);
        vkCmdCopyBufferToImage(cmd, c->upload.buffer, c->image, target, 1, &region);
    }
    if (first > 0) {
        record_depth(c, cmd);
    } else {
        change =
            (struct change){c->image, change.aspects, 0, 1, target, c->resources.source_layout};
        change_layout(cmd, change);
    }
    change = (struct change){c->image,
                             change.aspects,
                             1 - first,
                             n_made,
                             is_poisoned ? target : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                             general};
    change_layout(cmd, change);
}

void mb_library_record_make(struct library_chain *c, VkCommandBuffer cmd)
{
    const VkResult result = spd_tree_record(c->info.tree, cmd, &c->info.job, &c->resources);
    mb_library_check(result == VK_SUCCESS, c->info.name, "spd_tree_record failed");
}

void mb_library_record_read(struct library_chain *c, VkCommandBuffer cmd)
{
    const VkImageLayout source = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    const uint32_t first = first_level(c), n_made = c->info.job.n_levels - 1;
    const VkMemoryBarrier to_host = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    struct change change = {c->image,  VK_IMAGE_ASPECT_COLOR_BIT,  0,
                            1 - first, c->resources.source_layout, source};
    change_layout(cmd, change);
    change = (struct change){c->image, change.aspects,          1 - first,
                             n_made,   VK_IMAGE_LAYOUT_GENERAL, source};
    change_layout(cmd, change);
    for (uint32_t i = first; i < c->info.job.n_levels; i++) {
        const VkBufferImageCopy region = region_of(c, i);
        vkCmdCopyImageToBuffer(cmd, c->image, source, c->readback.buffer, 1, &region);
    }
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &to_host, 0, NULL, 0, NULL);
}

enum mb_status mb_library_run(struct library_chain *c, struct mb_err *err)
{
    const VkCommandBuffer cmd = c->submission.cmd;
    MB_DO(mb_submission_begin(&c->submission, err));
    mb_library_record_upload(c, cmd, true);
    mb_library_record_make(c, cmd);
    mb_library_record_read(c, cmd);
    return mb_submission_run(&c->submission, err);
}

/* ---- Judging */

static struct mb_tolerance tolerance_of(const struct library_chain *c)
{
    static const enum mb_reduce reduces[] = {
        [SPD_TREE_AVERAGE] = MB_REDUCE_AVG,
        [SPD_TREE_MINIMUM] = MB_REDUCE_MIN,
        [SPD_TREE_MAXIMUM] = MB_REDUCE_MAX,
    };
    const struct spd_tree_job *job = &c->info.job;
    struct mb_tolerance tolerance = {
        .filter = {MB_POLICY_BOX, reduces[job->reduction],
                   job->weighs_alpha ? MB_ALPHA_PREMULTIPLIED : MB_ALPHA_STRAIGHT},
        .arithmetic = MB_ARITHMETIC_FP32,
        .is_strict = !job->weighs_alpha,
    };
    struct spd_tree_features features;
    struct spd_tree_plan plan;
    spd_tree_get_features(c->gpu->physical_device, &features);
    const bool is_planned = !spd_tree_plan_job(&features.device, job, &plan);
    for (uint32_t i = plan.n_first; is_planned && job->changed.extent.width > 0; i++) {
        if (i + 1 >= job->n_levels) {
            break;
        }
        tolerance.reread_levels |= UINT32_C(1) << i;
    }
    if (job->is_depth && c->info.depth != VK_FORMAT_D32_SFLOAT) {
        tolerance.max_error_lsb = 1.5; /* how a device makes floats of codes */
    }
    return tolerance;
}

/* The job's layers of a packed block, packed. */
static void take_layers(const struct library_chain *c, const struct mb_layout *part,
                        const void *block, uint8_t *out)
{
    for (uint32_t level = 0; level < part->n_levels; level++) {
        memcpy(out + part->level_offset_bytes[level],
               mb_layout_level(&c->layout, block, level, c->info.first_layer),
               part->level_layer_bytes[level] * part->n_layers);
    }
}

/* Whether the layers beside the job's are as they were. */
static bool are_others_kept(const struct library_chain *c)
{
    const struct mb_layout *layout = &c->layout;
    bool are_kept = true;
    for (uint32_t i = 0; i < layout->n_levels * layout->n_layers; i++) {
        const uint32_t level = i / layout->n_layers, layer = i % layout->n_layers;
        const bool is_other = layer - c->info.first_layer >= c->info.job.n_layers;
        are_kept =
            are_kept &&
            (!is_other || memcmp(mb_layout_level(layout, c->block, level, layer),
                                 mb_layout_level(layout, c->readback.mapped, level, layer),
                                 layout->level_layer_bytes[level]) == 0);
    }
    return are_kept;
}

bool mb_library_is_same(const struct library_chain *a, const struct library_chain *b)
{
    const struct mb_layout *layout = &a->layout;
    bool is_same = true;
    for (uint32_t i = 0; i < layout->n_levels; i++) { /* there are gaps between levels */
        is_same = is_same && memcmp(mb_layout_level(layout, a->readback.mapped, i, 0),
                                    mb_layout_level(layout, b->readback.mapped, i, 0),
                                    layout->level_layer_bytes[i] * layout->n_layers) == 0;
    }
    return is_same;
}

void mb_library_judge(struct library_chain *c)
{
    const struct mb_tolerance tolerance = tolerance_of(c);
    const size_t level0_bytes = c->layout.level_layer_bytes[0] * c->layout.n_layers;
    struct mb_layout part;
    struct mb_reference reference;
    struct mb_verdict verdict = {0};
    struct mb_err err = {.text = "no memory"};
    mb_layout_init(&part, c->layout.format, c->layout.base, c->info.job.n_layers,
                   c->layout.n_levels);
    uint8_t *want = mb_alloc(1, part.total_bytes), *got = mb_alloc(1, part.total_bytes);
    enum mb_status status = MB_FAILED;
    if (c->info.job.is_depth) { /* which is not read back */
        memcpy(c->readback.mapped, c->block, level0_bytes);
    }
    if (want && got) {
        take_layers(c, &part, c->block, want);
        take_layers(c, &part, c->readback.mapped, got);
        mb_reference_init(&reference, &part, want);
        status = mb_verify(&reference, got, &tolerance, &verdict, &err);
        mb_reference_finish(&reference);
    }
    mb_library_check(status == MB_OK && verdict.pass, c->info.name,
                     status == MB_OK ? mb_failure_describe(&verdict, part.format).s : err.text);
    mb_library_check(are_others_kept(c), c->info.name, "a layer beside the job's has changed");
    mb_free(want);
    mb_free(got);
}

bool mb_library_try(const struct mb_gpu *gpu, const struct library_info *info)
{
    struct library_chain c;
    struct mb_err err = {0};
    enum mb_status status = mb_library_init(&c, gpu, info, &err);
    const bool is_supported = status != MB_UNSUPPORTED;
    if (status == MB_OK) {
        status = mb_library_run(&c, &err);
    }
    if (status == MB_OK) {
        mb_library_judge(&c);
    }
    if (is_supported) {
        mb_library_check(status == MB_OK, info->name, err.text);
    } else {
        printf("left out: %s: %s\n", info->name, err.text);
    }
    mb_library_finish(&c);
    return is_supported;
}
