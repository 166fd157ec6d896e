/* What one sample submits. The order of these commands is how a time is taken. */
#include "bench/timing/sample.h"

#include "bench/roofline/traffic.h"
#include "bench/test_image.h"
#include "vk/barrier.h"

static void record_chain(const struct mb_recorded_sample_options *options, uint32_t index,
                         VkCommandBuffer cmd)
{
    mb_instance_chain(&options->instances[index % options->n_instances], cmd);
}

static void record_chains(const struct mb_recorded_sample_options *options,
                          uint32_t first_instance, uint32_t n_chains, bool is_overlapped,
                          VkCommandBuffer cmd)
{
    for (uint32_t i = 0; i < n_chains; i++) {
        if (i > 0 && !is_overlapped) {
            mb_barrier_full(cmd);
        }
        record_chain(options, first_instance + i, cmd);
    }
}

/* Overwrite results on up to `n` images. Each recording has its spots in other places. */
static void record_spoil(const struct mb_recorded_sample_options *options,
                         uint32_t first_instance, uint32_t n, VkCommandBuffer cmd)
{
    for (uint32_t i = 0; i < n && i < options->n_instances; i++) {
        const struct mb_vk_image *image =
            options->instances[(first_instance + i) % options->n_instances].image;
        if (options->spots) {
            mb_record_spots(image, options->spots, options->first_pair, cmd);
        } else {
            mb_record_poison(image, image->layout.n_levels, 0, cmd);
        }
    }
}

/* How many of a part's chains, the last ones, their images still hold. */
static uint32_t count_last(const struct mb_recorded_sample_options *options, uint32_t part)
{
    const uint32_t n = options->n_chains[part];
    return n < options->n_instances ? n : options->n_instances;
}

/* Record a part of a sample; only batches have several. Results on all images are overwritten
 * before it begins and after it ends:
 *
 *     [ sweep through memory; full barrier ]     nothing of the image is in the cache
 *     [ chain on another image; full barrier ]   the code is
 *     [ n_lead chains; overwrite ]               the cache is as chains in a row leave it
 *     reset queries; prime; full barrier
 *     stamp; barrier                             a stamp's second scope is only itself
 *     n_chains chains                            with full barriers between them
 *     stamp; full barrier
 *     [ hashes of chains; full barrier ]         the sweep, the chain or the lead of the next
 *     overwrite                                  part drives these out of the cache
 *
 * Spots are overwritten, not whole levels, as these leave much in the cache that must still be
 * written to memory: on an H100 cold samples took up to 7 % longer, with spots at most 1 %. */
static void record_part(const struct mb_recorded_sample_options *options, uint32_t part,
                        uint32_t first_instance, VkCommandBuffer cmd)
{
    const uint32_t pair = options->first_pair + part, n_last = count_last(options, part);
    const uint32_t first = first_instance + options->n_lead;
    const uint32_t first_last = first + options->n_chains[part] - n_last;
    const uint32_t other = first_instance + options->n_instances / 2;
    if (options->evictor) {
        mb_traffic_record(options->evictor, cmd, 0, 1);
        mb_barrier_full(cmd);
    }
    if (options->warms_code) {
        record_chain(options, other, cmd);
        mb_barrier_full(cmd);
        if (options->n_instances == 1) {
            record_spoil(options, other, 1, cmd);
        }
    }
    record_chains(options, first_instance, options->n_lead, false, cmd);
    record_spoil(options, first_instance, options->n_lead, cmd);
    mb_timer_begin(options->timer, cmd, pair);
    record_chains(options, first, options->n_chains[part], options->is_overlapped, cmd);
    mb_timer_end(options->timer, cmd, pair);
    for (uint32_t i = 0; options->hash && i < n_last; i++) {
        mb_chain_hash_record_add(options->hash, (first_last + i) % options->n_instances,
                                 options->first_pair, cmd);
    }
    if (options->hash) {
        mb_barrier_full(cmd);
    }
    record_spoil(options, first_last, n_last, cmd);
    if (options->warms_code && options->n_instances > 1) {
        record_spoil(options, other, 1, cmd);
    }
}

enum mb_status mb_recorded_sample_init(struct mb_recorded_sample *recorded,
                                       const struct mb_recorded_sample_options *options,
                                       struct mb_err *err)
{
    /* Each further part continues with the next image. */
    uint32_t instance = options->first_instance;
    *recorded = (struct mb_recorded_sample){
        .first_pair = options->first_pair, .n_parts = options->n_parts, .hash = options->hash};
    MB_DO(mb_submission_init(&recorded->submission, options->timer->gpu, options->name, err));
    recorded->submission.kernel = mb_instance_kernel(options->instances);
    VkCommandBuffer cmd = recorded->submission.cmd;
    if (options->hash) {
        mb_chain_hash_record_begin(options->hash, options->first_pair, cmd);
    }
    for (uint32_t part = 0; part < options->n_parts; part++) {
        recorded->n_chains[part] = options->n_chains[part];
        recorded->n_hashed += options->hash ? count_last(options, part) : 0;
        record_part(options, part, instance, cmd);
        instance =
            (instance + options->n_lead + options->n_chains[part]) % options->n_instances;
    }
    if (options->hash) {
        mb_chain_hash_record_end(options->hash, options->first_pair, cmd);
    }
    MB_DO(mb_submission_end(&recorded->submission, err));
    return MB_OK;
}

void mb_recorded_sample_finish(struct mb_recorded_sample *recorded)
{
    mb_submission_finish(&recorded->submission);
    *recorded = (struct mb_recorded_sample){0};
}

int32_t mb_recorded_sample_verify(const struct mb_recorded_sample *recorded,
                                  uint64_t chain_hash)
{
    if (!recorded->hash) {
        return 0;
    }
    const uint64_t sum = mb_chain_hash_sum(recorded->hash, recorded->first_pair);
    return sum == mb_chain_hash_times(chain_hash, recorded->n_hashed)
               ? (int32_t)recorded->n_hashed
               : -1;
}
