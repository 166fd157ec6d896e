/* blit: one linear vkCmdBlitImage and one layout change per level. */
#include <string.h>

#include "strategy.h"
#include "vk/barrier.h"

extern const struct mb_strategy mb_strategy_blit;

struct state {
    const struct mb_vk_image *image;
};

/* llvmpipe of Mesa 22 crashes while it compiles the shader of any blit for 512-bit vectors. */
static bool driver_crashes(const struct mb_gpu_info *info)
{
    return strcmp(info->driver_name, "llvmpipe") == 0 &&
           strncmp(info->driver_info, "Mesa 22.", strlen("Mesa 22.")) == 0 &&
           strstr(info->name, "512 bits") != NULL;
}

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_params *choice, struct mb_err *why)
{
    (void)choice;
    if (driver_crashes(&gpu->info)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "this llvmpipe (Mesa 22) crashes on blits with 512-bit vectors");
    }
    return mb_gpu_require_format(gpu, layout->format->vk_format,
                                 VK_FORMAT_FEATURE_BLIT_SRC_BIT |
                                     VK_FORMAT_FEATURE_BLIT_DST_BIT |
                                     VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT,
                                 "linear blit", why);
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    (void)gpu;
    (void)choice;
    (void)err;
    struct state *s = state;
    s->image = target->image;
    return MB_OK;
}

static void blit_level(const struct mb_vk_image *image, VkCommandBuffer cmd, uint32_t level)
{
    const struct mb_layout *layout = &image->layout;
    struct mb_extent source = mb_level_extent(layout->base, level - 1);
    struct mb_extent target = mb_level_extent(layout->base, level);
    VkImageBlit region = {
        .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level - 1, 0, layout->n_layers},
        .srcOffsets = {{0, 0, 0}, {(int32_t)source.width, (int32_t)source.height, 1}},
        .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, layout->n_layers},
        .dstOffsets = {{0, 0, 0}, {(int32_t)target.width, (int32_t)target.height, 1}},
    };
    vkCmdBlitImage(cmd, image->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image->image,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region, VK_FILTER_LINEAR);
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct mb_vk_image *image = ((const struct state *)state)->image;
    uint32_t n_levels = image->layout.n_levels;
    if (n_levels == 1) {
        return;
    }
    mb_barrier_levels(cmd, image, 0, 1, &mb_access_readable, &mb_access_transfer_read);
    mb_barrier_levels(cmd, image, 1, n_levels - 1, &mb_access_undefined,
                      &mb_access_transfer_write);
    for (uint32_t level = 1; level < n_levels; level++) {
        blit_level(image, cmd, level);
        mb_barrier_levels(cmd, image, level, 1, &mb_access_transfer_write,
                          &mb_access_transfer_read);
    }
    mb_barrier_levels(cmd, image, 0, n_levels, &mb_access_transfer_read, &mb_access_readable);
}

static void describe(const void *state, struct mb_work *work)
{
    const struct mb_layout *layout = &((const struct state *)state)->image->layout;
    work->n_dispatches = layout->n_levels - 1;
    work->n_barriers = layout->n_levels > 1 ? layout->n_levels + 2 : 0;
    work->algorithmic_bytes = mb_layout_per_level_bytes(layout);
    work->claim = (struct mb_claim){
        .filter.policy = MB_POLICY_BLIT,
        .arithmetic = MB_ARITHMETIC_FILTER,
        .reread_levels = ~UINT32_C(0),
    };
}

static void finish(void *state)
{
    (void)state;
}

const struct mb_strategy mb_strategy_blit = {
    .name = "blit",
    .title = "linear vkCmdBlitImage, one per level",
    .source = "https://vulkan-tutorial.com/Generating_Mipmaps",
    .queue_flags = VK_QUEUE_GRAPHICS_BIT,
    .image_usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    .state_bytes = sizeof(struct state),
    .supports = supports,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
