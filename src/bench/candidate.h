/* A variant on the image of a case. It owns the variant's instances and recordings, and knows
 * what its chains must be, from the first verification to the last sample. */
#pragma once

#include "bench/timing/sample.h"
#include "bench/verify/instance.h"
#include "result/result.h"

/* What level 0 holds: the image of the case, or the probe (image/pattern.h), which shows wrong
 * texels that other images hide. */
enum mb_content {
    MB_CONTENT_IMAGE,
    MB_CONTENT_PROBE,
    MB_N_CONTENTS,
};

struct mb_candidate {
    const struct mb_variant *row;
    struct mb_result *result;
    /* The first is on the test image, and its commands are verified. While a condition is timed
     * that rotates images, there is one on each copy, too. Owned. */
    struct mb_instance *instances;
    uint32_t n_instances;
    struct mb_instance whole;            /* for an update: makes the whole chain */
    uint64_t fingerprint[MB_N_CONTENTS]; /* of the output that was verified last */
    uint64_t hash; /* by the device, of the chain verified on the image; 0: none */

    /* While a condition is timed; see timing/time_case.c. */
    struct mb_recorded_sample *recorded; /* owned */
    uint32_t n_recorded;
    uint64_t timed_hash;         /* its chains must have this hash; 0: not verified */
    double pilot_ns;             /* about what one chain takes: the least of a few runs */
    double pilot_host_ns;        /* and what the host waits for it, likewise */
    uint32_t n_taken, n_dropped; /* samples, and those of them with invalid stamps */
    bool is_given_up;
};

/* Set the variant up on the test image; for an update also as a full regeneration, to compare
 * with. UNSUPPORTED as mb_instance_supports(). Finish it in any case. */
MB_MUST_CHECK enum mb_status mb_candidate_init(struct mb_candidate *candidate,
                                               const struct mb_vk_image *image,
                                               const struct mb_task *task, struct mb_err *err);
void mb_candidate_finish(struct mb_candidate *candidate);

/* Set the variant up on `n` copies of the test image as well. */
MB_MUST_CHECK enum mb_status mb_candidate_rotate(struct mb_candidate *candidate,
                                                 const struct mb_vk_image *copies, uint32_t n,
                                                 const struct mb_task *task,
                                                 struct mb_err *err);
/* Undo mb_candidate_rotate() and free what else a condition made. */
void mb_candidate_end_timing(struct mb_candidate *candidate);

/* Mark the result as failed, `is_wrong`: because a chain is wrong. The first reason stays,
 * except that a wrong chain replaces any other. */
MB_PRINTF(3, 4)
void mb_candidate_fail(struct mb_candidate *candidate, bool is_wrong, const char *format, ...);
