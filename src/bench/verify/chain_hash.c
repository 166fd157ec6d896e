/* Hashing chains on the device. All workgroups add to the slots; so the slots are in device
 * memory and are copied to the host afterwards. */
#include "bench/verify/chain_hash.h"

#include <string.h>

#include "base/alloc.h"
#include "vk/barrier.h"
#include "vk/submit.h"

#define SLOT_BYTES  (2 * sizeof(uint32_t))
#define TILE_TEXELS 32u /* on a side, as in shaders/chain_hash.comp */

extern const struct mb_shader mb_spv_chain_hash;

struct push {
    uint32_t slot, n_levels, n_layers;
};

bool mb_chain_hash_supports(const struct mb_vk_image *image)
{
    return image->layout.n_levels > 1 && (image->usage & VK_IMAGE_USAGE_SAMPLED_BIT) != 0 &&
           (image->gpu->info.queue_flags & VK_QUEUE_COMPUTE_BIT) != 0;
}

static uint32_t count_tiles(const struct mb_layout *layout)
{
    uint32_t n = 0;
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(layout->base, level);
        n += (extent.width + TILE_TEXELS - 1) / TILE_TEXELS *
             ((extent.height + TILE_TEXELS - 1) / TILE_TEXELS);
    }
    return n * layout->n_layers;
}

/* Bind the image by its storage format: stored codes are hashed, sRGB is not decoded. */
static enum mb_status bind_image(struct mb_chain_hash *hash, uint32_t index,
                                 const struct mb_vk_image *image, struct mb_err *err)
{
    const struct mb_view part = {
        .format = image->layout.format->vk_storage_format,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
        .first_level = 1,
        .n_levels = hash->n_levels,
        .n_layers = hash->n_layers,
    };
    MB_DO(mb_vk_image_create_view(image, &part, &hash->views[index], err));
    const struct mb_descriptor descriptors[] = {
        {.binding = 0, .sampler = hash->sampler, .views = &hash->views[index]},
        {.binding = 1, .buffer = &hash->sums},
    };
    mb_pipeline_bind(&hash->compute, index, descriptors, MB_COUNTOF(descriptors));
    return MB_OK;
}

enum mb_status mb_chain_hash_init(struct mb_chain_hash *hash, const struct mb_vk_image *image,
                                  const struct mb_vk_image *copies, uint32_t n_copies,
                                  uint32_t n_slots, struct mb_err *err)
{
    const struct mb_gpu *gpu = image->gpu;
    const struct mb_layout *layout = &image->layout;
    const uint32_t n_images = 1 + n_copies;
    const struct mb_sampler_options nearest = {.address = MB_SAMPLER_ADDRESS};
    const struct mb_pipeline_options pipeline = {
        .shader = &mb_spv_chain_hash,
        .push_constant_bytes = sizeof(struct push),
        .n_copies = n_images,
        .name = "hash of the chain",
    };
    *hash = (struct mb_chain_hash){
        .gpu = gpu,
        .n_images = n_images,
        .n_levels = layout->n_levels - 1,
        .n_layers = layout->n_layers,
        .n_groups = count_tiles(layout),
    };
    hash->views = mb_alloc(n_images, sizeof *hash->views);
    MB_DO(MB_NEED(hash->views, "hash of the chain"));
    MB_DO(mb_sampler_create(gpu, &nearest, &hash->sampler, err));
    MB_DO(mb_buffer_init(&hash->sums, gpu, MB_BUFFER_DEVICE, n_slots * SLOT_BYTES, "hashes",
                         err));
    MB_DO(mb_buffer_init(&hash->readback, gpu, MB_BUFFER_READBACK, n_slots * SLOT_BYTES,
                         "hashes", err));
    MB_DO(mb_pipeline_init(&hash->compute, gpu, &pipeline, err));
    for (uint32_t i = 0; i < n_images; i++) {
        MB_DO(bind_image(hash, i, i > 0 ? &copies[i - 1] : image, err));
    }
    return MB_OK;
}

void mb_chain_hash_finish(struct mb_chain_hash *hash)
{
    mb_pipeline_finish(&hash->compute);
    mb_buffer_finish(&hash->readback);
    mb_buffer_finish(&hash->sums);
    mb_sampler_destroy(hash->gpu, hash->sampler);
    for (uint32_t i = 0; hash->views && !hash->gpu->state->is_lost && i < hash->n_images; i++) {
        vkDestroyImageView(hash->gpu->device, hash->views[i], NULL);
    }
    mb_free(hash->views);
    *hash = (struct mb_chain_hash){0};
}

void mb_chain_hash_record_begin(const struct mb_chain_hash *hash, uint32_t slot,
                                VkCommandBuffer cmd)
{
    vkCmdFillBuffer(cmd, hash->sums.buffer, slot * SLOT_BYTES, SLOT_BYTES, 0);
    mb_barrier_memory(cmd, &mb_access_transfer_write, &mb_access_compute_read_write);
}

void mb_chain_hash_record_add(const struct mb_chain_hash *hash, uint32_t image, uint32_t slot,
                              VkCommandBuffer cmd)
{
    const struct push push = {slot, hash->n_levels, hash->n_layers};
    mb_pipeline_dispatch_rows(&hash->compute, cmd, image, &push, hash->n_groups);
}

void mb_chain_hash_record_end(const struct mb_chain_hash *hash, uint32_t slot,
                              VkCommandBuffer cmd)
{
    const VkBufferCopy region = {slot * SLOT_BYTES, slot * SLOT_BYTES, SLOT_BYTES};
    vkCmdCopyBuffer(cmd, hash->sums.buffer, hash->readback.buffer, 1, &region);
    mb_barrier_memory(cmd, &mb_access_transfer_write, &mb_access_host_read);
}

uint64_t mb_chain_hash_sum(const struct mb_chain_hash *hash, uint32_t slot)
{
    uint32_t words[2];
    memcpy(words, (const uint8_t *)hash->readback.mapped + slot * SLOT_BYTES, sizeof words);
    return (uint64_t)words[1] << 32 | words[0];
}

uint64_t mb_chain_hash_times(uint64_t hash, uint32_t n)
{
    return (hash >> 32) * n << 32 | (uint32_t)(hash * n);
}

enum mb_status mb_chain_hash_run(const struct mb_chain_hash *hash, uint32_t image,
                                 uint64_t *sum, struct mb_err *err)
{
    MB_SCOPED(mb_submission) submission = {0};
    MB_DO(mb_submission_init(&submission, hash->gpu, "hash of the chain", err));
    mb_chain_hash_record_begin(hash, 0, submission.cmd);
    mb_chain_hash_record_add(hash, image, 0, submission.cmd);
    mb_barrier_full(submission.cmd);
    mb_chain_hash_record_end(hash, 0, submission.cmd);
    MB_DO(mb_submission_run(&submission, err));
    *sum = mb_chain_hash_sum(hash, 0);
    return MB_OK;
}
