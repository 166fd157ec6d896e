/* What one sample submits: a strategy's commands, recorded once, between stamps. */
#pragma once

#include "bench/timing/blocks.h"
#include "bench/verify/chain_hash.h"
#include "bench/verify/instance.h"
#include "vk/submit.h"
#include "vk/timer.h"

struct mb_field;

struct mb_recorded_sample {
    const struct mb_timer *timer;
    uint32_t first_pair;                 /* part i is timed by pair first_pair + i */
    uint32_t n_parts;                    /* 1 to MB_MAX_PARTS */
    uint32_t n_chains[MB_MAX_PARTS];     /* between the stamps of each part */
    const struct mb_instance *instances; /* one strategy, set up on each image */
    uint32_t n_instances;
    uint32_t first_instance;        /* chains take the images in turn from this one on */
    bool is_overlapped;             /* no barrier between the chains of a part */
    uint32_t n_lead;                /* untimed chains before each part, on its first images */
    const struct mb_field *evictor; /* or NULL: nothing is evicted before a part */
    /* Before a part, run the chain untimed on the image whose turn is furthest off: the code
     * and its tables are then in the cache, whatever ran before. */
    bool warms_code;
    /* One texel for each layer. Before a part begins, it overwrites one texel in each of levels
     * 1..: a chain that finds its levels right could skip its work. NULL: all texels are
     * overwritten. */
    const struct mb_buffer *spots;
    /* Hashes the instances' images, in their order: after the stamps of each part, the chains
     * that images still hold are added to slot `first_pair`. NULL: nothing is hashed. */
    const struct mb_chain_hash *hash;
    const char *name;

    /* Made by mb_recorded_sample_init(). */
    struct mb_submission submission;
    uint32_t n_hashed; /* chains that are still in their images at the end of their part */
};

/* Record the sample. What its members point to is borrowed, and must outlive the sample. */
MB_MUST_CHECK enum mb_status mb_recorded_sample_init(struct mb_recorded_sample *sample,
                                                     struct mb_err *err);
void mb_recorded_sample_finish(struct mb_recorded_sample *sample);

/* Check the hashes of a collected sample. Returns the number of hashed chains if all of them
 * have `chain_hash`, else -1. */
int32_t mb_recorded_sample_verify(const struct mb_recorded_sample *sample, uint64_t chain_hash);
