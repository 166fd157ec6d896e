/* A hash of a chain, made on the device: whether a chain is, bit for bit, one that was judged;
 * shaders/chain_hash.comp. */
#pragma once

#include "vk/buffer.h"
#include "vk/image.h"
#include "vk/pipeline.h"

/* Of chains in a few images of one layout, into slots that the host reads. */
struct mb_chain_hash {
    const struct mb_gpu *gpu; /* NULL: nothing can be hashed */
    VkSampler sampler;
    VkImageView *views; /* of levels 1.. of each image; owned */
    uint32_t n_images;
    uint32_t n_levels, n_layers, n_groups;
    struct mb_pipeline compute;
    struct mb_buffer sums, readback; /* [n_slots][2] */
};

/* Whether there is anything to hash, and a way: levels below the first, that can be sampled, on
 * a queue that computes. */
bool mb_chain_hash_supports(const struct mb_vk_image *image);

/* Images that mb_chain_hash_supports(); they must outlive it. After a failure nothing is left.
 */
MB_MUST_CHECK enum mb_status mb_chain_hash_init(struct mb_chain_hash *hash,
                                                const struct mb_vk_image *const *images,
                                                uint32_t n_images, uint32_t n_slots,
                                                struct mb_err *err);
void mb_chain_hash_finish(struct mb_chain_hash *hash);

/* Set the slot to zero, visible to what is recorded next. */
void mb_chain_hash_record_begin(const struct mb_chain_hash *hash, uint32_t slot,
                                VkCommandBuffer cmd);
/* Add the chain in an image, in the state of strategy.h. The commands before must be complete
 * and visible, and nothing may write to the image until a full barrier. */
void mb_chain_hash_record_add(const struct mb_chain_hash *hash, uint32_t image, uint32_t slot,
                              VkCommandBuffer cmd);
/* Hand the slot to the host, after a full barrier. */
void mb_chain_hash_record_end(const struct mb_chain_hash *hash, uint32_t slot,
                              VkCommandBuffer cmd);

/* What the slot holds of a completed submission: the sum of the hashes that were added. */
uint64_t mb_chain_hash_sum(const struct mb_chain_hash *hash, uint32_t slot);
/* Such a sum of `n` times one hash. Pure. */
uint64_t mb_chain_hash_times(uint64_t hash, uint32_t n);

/* Hash what an image holds now, with nothing in flight; in slot 0. */
MB_MUST_CHECK enum mb_status mb_chain_hash_run(const struct mb_chain_hash *hash, uint32_t image,
                                               uint64_t *sum, struct mb_err *err);
