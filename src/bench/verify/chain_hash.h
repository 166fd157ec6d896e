/* A hash of a chain, made on the device, tells whether the chain is, bit for bit, one that was
 * verified; shaders/chain_hash.comp. */
#pragma once

#include "vk/buffer.h"
#include "vk/image.h"
#include "vk/pipeline.h"

/* Hashes chains in a few images of one layout into slots that the host reads. */
struct mb_chain_hash {
    const struct mb_gpu *gpu; /* NULL: nothing can be hashed */
    VkSampler sampler;
    VkImageView *views; /* of levels 1.. of each image; owned */
    uint32_t n_images;
    uint32_t n_levels, n_layers, n_groups;
    struct mb_pipeline compute;
    struct mb_buffer sums, readback; /* [n_slots][2] */
};

/* True if the image has levels below the first, can be sampled, and the queue computes. */
bool mb_chain_hash_supports(const struct mb_vk_image *image);

/* Set up for an image that mb_chain_hash_supports(), as image 0, and its copies, as images 1 to
 * n_copies. All must outlive the hash. */
MB_MUST_CHECK enum mb_status mb_chain_hash_init(struct mb_chain_hash *hash,
                                                const struct mb_vk_image *image,
                                                const struct mb_vk_image *copies,
                                                uint32_t n_copies, uint32_t n_slots,
                                                struct mb_err *err);
void mb_chain_hash_finish(struct mb_chain_hash *hash);

/* Set the slot to zero, visible to what is recorded next. */
void mb_chain_hash_record_begin(const struct mb_chain_hash *hash, uint32_t slot,
                                VkCommandBuffer cmd);
/* Add the hash of the chain in an image, which is in the state of strategy.h. Earlier commands
 * must be complete and visible, and a full barrier must come before the next write. */
void mb_chain_hash_record_add(const struct mb_chain_hash *hash, uint32_t image, uint32_t slot,
                              VkCommandBuffer cmd);
/* Hand the slot to the host, after a full barrier. */
void mb_chain_hash_record_end(const struct mb_chain_hash *hash, uint32_t slot,
                              VkCommandBuffer cmd);

/* The sum of the hashes that a completed submission added to the slot. */
uint64_t mb_chain_hash_sum(const struct mb_chain_hash *hash, uint32_t slot);
/* The sum of `n` equal hashes. Pure. */
uint64_t mb_chain_hash_times(uint64_t hash, uint32_t n);

/* Hash what an image holds now, with nothing in flight; uses slot 0. */
MB_MUST_CHECK enum mb_status mb_chain_hash_run(const struct mb_chain_hash *hash, uint32_t image,
                                               uint64_t *sum, struct mb_err *err);
