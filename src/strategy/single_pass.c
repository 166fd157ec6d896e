/* Shared by single-pass downsamplers. */
#include "strategy/single_pass.h"

#define TILE_WIDTH 64u

enum mb_status mb_single_pass_init(struct mb_single_pass *pass, const struct mb_gpu *gpu,
                                   const struct mb_target *target, const struct mb_needs *needs,
                                   uint64_t texel_bytes, struct mb_err *err)
{
    const uint32_t n_layers = target->image->layout.n_layers;
    pass->source = target->source ? target->source : target->image;
    pass->tiles = mb_rect_tiles(target->task.rect, TILE_WIDTH);
    pass->texel_bytes = texel_bytes;
    MB_DO(mb_levels_init(&pass->levels, gpu, target, needs, err));
    MB_DO(mb_buffer_init(&pass->hand_off, gpu, MB_BUFFER_DEVICE,
                         n_layers * MB_SINGLE_PASS_TAIL_TEXELS * texel_bytes, "hand-off", err));
    return mb_buffer_init(&pass->counter, gpu, MB_BUFFER_DEVICE, n_layers * sizeof(uint32_t),
                          "counter", err);
}

static bool has_tail(const struct mb_single_pass *pass)
{
    return pass->levels.image->layout.n_levels > 7;
}

/* Whether level 6 is read back, as updates do. */
static bool rereads(const struct mb_single_pass *pass)
{
    return pass->levels.task.is_update && has_tail(pass);
}

/* Write all descriptors: every binding needs a valid view, used or not. */
void mb_single_pass_bind(const struct mb_single_pass *pass)
{
    const struct mb_vk_image *image = pass->levels.image;
    const VkSampler sampler = pass->levels.sampler;
    const uint32_t last = image->layout.n_levels - 1;
    const bool is_reread = rereads(pass);
    const struct mb_descriptor descriptors[] = {
        {.binding = 0, .sampler = sampler, .views = &pass->source->stored[0]},
        {.binding = 1, .views = &image->storage[last > 0 ? 1 : 0], .n_views = last},
        {.binding = 2, .buffer = &pass->hand_off},
        {.binding = 3, .buffer = &pass->counter},
        {.binding = 4,
         .sampler = sampler,
         .views = is_reread ? &image->stored[6] : &pass->source->stored[0],
         .layout =
             is_reread ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
    };
    mb_pipeline_bind(&pass->levels.pipelines[0], 0, descriptors, MB_COUNTOF(descriptors));
}

struct mb_level_barrier mb_single_pass_opening(const struct mb_single_pass *pass)
{
    return mb_levels_opening(&pass->levels, rereads(pass) ? &mb_access_compute_read_write
                                                          : &mb_access_compute_write);
}

/* Add the hand-off to the bytes: every tile writes its texel of level 6 there. */
void mb_single_pass_describe(const struct mb_single_pass *pass, uint32_t n_read,
                             struct mb_work *work)
{
    const struct mb_levels *levels = &pass->levels;
    const struct mb_layout *layout = &levels->image->layout;
    const uint32_t n_written = pass->tiles.width * pass->tiles.height;
    mb_levels_describe(levels, work);
    work->n_dispatches = layout->n_levels > 1;
    work->n_barriers = layout->n_levels > 1 ? 2 : 0;
    work->algorithmic_bytes =
        mb_filter_affected_bytes(levels->policy, layout, levels->task.rect);
    if (has_tail(pass)) {
        work->algorithmic_bytes += pass->texel_bytes * layout->n_layers * (n_written + n_read);
    }
    work->tolerance.reread_levels = rereads(pass) ? UINT32_C(1) << 6 : 0;
}

void mb_single_pass_finish(void *state)
{
    struct mb_single_pass *pass = state;
    mb_buffer_finish(&pass->counter);
    mb_buffer_finish(&pass->hand_off);
    mb_levels_finish(&pass->levels);
}
