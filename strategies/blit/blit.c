/* blit: one linear vkCmdBlitImage and one layout change per level. */
#include "strategy/marks.h"
#include "strategy.h"
#include "vk/barrier.h"

struct state {
    const struct mb_vk_image *image;
    struct mb_task task;
    struct mb_marks *marks;
    struct mb_rect affected[MB_MAX_LEVELS]; /* the region of each level to blit */
};

/* Whether an update would blit part of an odd axis: a blit scales its region as a whole, and
 * part of an odd axis does not correspond to whole texels above it. */
static bool cuts_odd_axis(const struct mb_layout *layout, struct mb_rect rect)
{
    struct mb_rect affected[MB_MAX_LEVELS];
    mb_filter_affected_levels(MB_POLICY_BLIT, layout, rect, affected);
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        struct mb_extent source = mb_level_extent(layout->base, level - 1);
        struct mb_extent target = mb_level_extent(layout->base, level);
        if (mb_rect_is_empty(affected[level])) {
            return false; /* the region is empty from here on */
        }
        if ((source.width != 2 * target.width && affected[level].width != target.width) ||
            (source.height != 2 * target.height && affected[level].height != target.height)) {
            return true;
        }
    }
    return false;
}

static struct mb_needs needs_of(const struct mb_params *choice)
{
    return (struct mb_needs){.averages_only = true, .straight_only = true, .blits = true};
}

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *choice,
                               struct mb_err *why)
{
    if (task->is_update && cuts_odd_axis(layout, task->rect)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "a blit of part of an axis of odd size has no whole texels as source");
    }
    return MB_OK;
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    struct state *s = state;
    s->image = target->image;
    s->task = target->task;
    s->marks = target->marks;
    mb_filter_affected_levels(MB_POLICY_BLIT, &s->image->layout, s->task.rect, s->affected);
    return MB_OK;
}

static VkOffset3D offset(uint32_t x, uint32_t y, int32_t z)
{
    return (VkOffset3D){(int32_t)x, (int32_t)y, z};
}

/* Along an axis that is exactly halved, texel x comes from 2x and 2x + 1, so a part can be
 * blitted; any other axis is blitted as a whole. */
static void blit_level(const struct state *s, VkCommandBuffer cmd, uint32_t level)
{
    const struct mb_vk_image *image = s->image;
    const struct mb_layout *layout = &image->layout;
    struct mb_extent source = mb_level_extent(layout->base, level - 1);
    struct mb_extent target = mb_level_extent(layout->base, level);
    struct mb_rect part = s->affected[level];
    struct mb_rect from = {2 * part.x, 2 * part.y, 2 * part.width, 2 * part.height};
    if (mb_rect_is_empty(part)) {
        return;
    }
    if (part.width == target.width) {
        from.width = source.width;
    }
    if (part.height == target.height) {
        from.height = source.height;
    }
    mb_mark_begin(s->marks, image, cmd, level, 1);
    for (uint32_t layer = 0; layer < layout->n_layers; layer += MB_MAX_COPIED_LAYERS) {
        uint32_t n_left = layout->n_layers - layer;
        uint32_t n_layers = n_left < MB_MAX_COPIED_LAYERS ? n_left : MB_MAX_COPIED_LAYERS;
        VkImageBlit region = {
            .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level - 1, layer, n_layers},
            .srcOffsets = {offset(from.x, from.y, 0),
                           offset(from.x + from.width, from.y + from.height, 1)},
            .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, n_layers},
            .dstOffsets = {offset(part.x, part.y, 0),
                           offset(part.x + part.width, part.y + part.height, 1)},
        };
        vkCmdBlitImage(cmd, image->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image->image,
                       VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region, VK_FILTER_LINEAR);
    }
    mb_mark_end(s->marks, image, cmd);
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    const struct mb_vk_image *image = s->image;
    uint32_t n_levels = image->layout.n_levels;
    if (n_levels == 1) {
        return;
    }
    mb_barrier_levels(cmd, image, 0, 1, &mb_access_readable, &mb_access_transfer_read);
    mb_barrier_levels(cmd, image, 1, n_levels - 1,
                      s->task.is_update ? &mb_access_readable : &mb_access_undefined,
                      &mb_access_transfer_write);
    for (uint32_t level = 1; level < n_levels; level++) {
        blit_level(s, cmd, level);
        mb_barrier_levels(cmd, image, level, 1, &mb_access_transfer_write,
                          &mb_access_transfer_read);
    }
    mb_barrier_levels(cmd, image, 0, n_levels, &mb_access_transfer_read, &mb_access_readable);
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        if (!mb_rect_is_empty(s->affected[level])) {
            work->n_dispatches +=
                (layout->n_layers + MB_MAX_COPIED_LAYERS - 1) / MB_MAX_COPIED_LAYERS;
        }
    }
    work->n_barriers = layout->n_levels > 1 ? layout->n_levels + 2 : 0;
    work->algorithmic_bytes = mb_filter_per_level_bytes(MB_POLICY_BLIT, layout, s->task.rect);
    work->tolerance = (struct mb_tolerance){
        .filter.policy = MB_POLICY_BLIT,
        .arithmetic = MB_ARITHMETIC_FILTER,
        .reread_levels = ~UINT32_C(0),
    };
}

static void finish(void *state)
{
}

const struct mb_strategy mb_strategy_blit = {
    .name = "blit",
    .title = "linear vkCmdBlitImage, one per level",
    .source = "https://vulkan-tutorial.com/Generating_Mipmaps",
    .queue_flags = VK_QUEUE_GRAPHICS_BIT,
    .image_usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    .state_bytes = sizeof(struct state),
    .needs = needs_of,
    .supports = supports,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
