/* What one sample submits. The order of these commands is how a time is taken. */
#include "bench/timing/recorded_sample.h"

#include "bench/roofline/traffic.h"
#include "bench/test_image.h"
#include "vk/barrier.h"

static void record_chains(const struct mb_recorded_sample *sample, uint32_t first_instance,
                          uint32_t n_chains, bool is_overlapped, VkCommandBuffer cmd)
{
    for (uint32_t i = 0; i < n_chains; i++) {
        if (i > 0 && !is_overlapped) {
            mb_barrier_full(cmd);
        }
        mb_instance_chain(&sample->instances[(first_instance + i) % sample->n_instances], cmd);
    }
}

/* Overwrite results on up to `n` images. Each recording overwrites other places. */
static void record_spoil(const struct mb_recorded_sample *sample, uint32_t first_instance,
                         uint32_t n, VkCommandBuffer cmd)
{
    for (uint32_t i = 0; i < n && i < sample->n_instances; i++) {
        const struct mb_vk_image *image =
            sample->instances[(first_instance + i) % sample->n_instances].image;
        if (sample->spots) {
            mb_record_spots(image, sample->spots, sample->first_pair, cmd);
        } else {
            mb_record_poison(image, image->layout.n_levels, 0, cmd);
        }
    }
}

/* How many of a part's chains are still in their images: the last one of each image. */
static uint32_t count_last(const struct mb_recorded_sample *sample, uint32_t part)
{
    const uint32_t n = sample->n_chains[part];
    return n < sample->n_instances ? n : sample->n_instances;
}

/* Record a part of a sample; only batches have several. Results on all images are overwritten
 * before it begins and after it ends:
 *
 *     [ sweep through memory; full barrier ]     nothing of the image is in the cache
 *     [ chain on another image; full barrier ]   but the code is
 *     [ n_lead chains; overwrite ]               the cache is as chains in a row leave it
 *     reset queries; prime; full barrier
 *     stamp; barrier                             a stamp's second scope is only itself
 *     n_chains chains                            with full barriers between them
 *     stamp; full barrier
 *     [ hashes of chains; full barrier ]         the sweep, chain or lead of the next part
 *     overwrite                                  drives what these leave out of the cache
 *
 * Spots are overwritten, not whole levels. Levels leave much in the cache that must still be
 * written to memory: on an H100 cold samples took up to 7 % longer, with spots at most 1 %. */
static void record_part(const struct mb_recorded_sample *sample, uint32_t part,
                        uint32_t first_instance, VkCommandBuffer cmd)
{
    const uint32_t pair = sample->first_pair + part, n_last = count_last(sample, part);
    const uint32_t first = first_instance + sample->n_lead;
    const uint32_t first_last = first + sample->n_chains[part] - n_last;
    const uint32_t other = first_instance + sample->n_instances / 2;
    if (sample->evictor) {
        mb_field_record(sample->evictor, cmd, 1);
        mb_barrier_full(cmd);
    }
    if (sample->warms_code) {
        record_chains(sample, other, 1, false, cmd);
        mb_barrier_full(cmd);
        if (sample->n_instances == 1) {
            record_spoil(sample, other, 1, cmd);
        }
    }
    record_chains(sample, first_instance, sample->n_lead, false, cmd);
    record_spoil(sample, first_instance, sample->n_lead, cmd);
    mb_timer_begin(sample->timer, cmd, pair);
    record_chains(sample, first, sample->n_chains[part], sample->is_overlapped, cmd);
    mb_timer_end(sample->timer, cmd, pair);
    for (uint32_t i = 0; sample->hash && i < n_last; i++) {
        mb_chain_hash_record_add(sample->hash, (first_last + i) % sample->n_instances,
                                 sample->first_pair, cmd);
    }
    if (sample->hash) {
        mb_barrier_full(cmd);
    }
    record_spoil(sample, first_last, n_last, cmd);
    if (sample->warms_code && sample->n_instances > 1) {
        record_spoil(sample, other, 1, cmd);
    }
}

enum mb_status mb_recorded_sample_init(struct mb_recorded_sample *sample, struct mb_err *err)
{
    /* Each further part continues with the next image. */
    uint32_t instance = sample->first_instance;
    MB_DO(mb_submission_init(&sample->submission, sample->timer->gpu, sample->name, err));
    sample->submission.kernel = mb_instance_kernel(sample->instances);
    VkCommandBuffer cmd = sample->submission.cmd;
    if (sample->hash) {
        mb_chain_hash_record_begin(sample->hash, sample->first_pair, cmd);
    }
    for (uint32_t part = 0; part < sample->n_parts; part++) {
        sample->n_hashed += sample->hash ? count_last(sample, part) : 0;
        record_part(sample, part, instance, cmd);
        instance = (instance + sample->n_lead + sample->n_chains[part]) % sample->n_instances;
    }
    if (sample->hash) {
        mb_chain_hash_record_end(sample->hash, sample->first_pair, cmd);
    }
    return mb_submission_end(&sample->submission, err);
}

void mb_recorded_sample_finish(struct mb_recorded_sample *sample)
{
    mb_submission_finish(&sample->submission);
    *sample = (struct mb_recorded_sample){0};
}

int32_t mb_recorded_sample_verify(const struct mb_recorded_sample *sample, uint64_t chain_hash)
{
    if (!sample->hash) {
        return 0;
    }
    const uint64_t sum = mb_chain_hash_sum(sample->hash, sample->first_pair);
    return sum == mb_chain_hash_times(chain_hash, sample->n_hashed) ? (int32_t)sample->n_hashed
                                                                    : -1;
}
