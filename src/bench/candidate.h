/* A variant on the image of a case: one object owns what is set up and recorded of it, and
 * knows what its chains must be, from the first time that it is judged to its last sample. */
#pragma once

#include "bench/timing/sample.h"
#include "bench/verify/instance.h"
#include "result/result.h"

/* What level 0 holds: the image of the case, or the probe (image/pattern.h), in which wrong
 * texels stand out that other images hide. */
enum mb_content {
    MB_CONTENT_IMAGE,
    MB_CONTENT_PROBE,
    MB_N_CONTENTS,
    MB_CONTENT_AGAIN =
        MB_N_CONTENTS, /* the image, over another poison: in place of the probe */
};

struct mb_candidate {
    const struct mb_variant *row;
    struct mb_result *result;
    /* Of the case's task: the first on the test image, whose commands are judged; while a
     * condition is timed that rotates images, one on each. Owned. */
    struct mb_instance *instances;
    uint32_t n_instances;
    struct mb_instance whole; /* of an update: the same with the whole image as rectangle */
    uint64_t fingerprint[MB_N_CONTENTS]; /* of the output that was judged last */
    uint64_t hash; /* of the chain that was judged on the image, by the device; 0: none */

    /* Of the condition that is timed; see timing/time_case.c. */
    struct mb_recorded_sample *recorded; /* owned */
    uint32_t n_recorded;
    uint64_t timed_hash;         /* that its chains must have; 0: they are not verified */
    double pilot_ns;             /* about what one chain takes: the least of a few */
    double pilot_host_ns;        /* and how long the host waits for it, at least */
    uint32_t n_taken, n_dropped; /* samples; of these, those with invalid stamps */
    bool is_given_up;
};

/* Set it up on the test image, and for an update also the regeneration that it is held against.
 * UNSUPPORTED as mb_instance_supports(). Finish it in any case. */
MB_MUST_CHECK enum mb_status mb_candidate_init(struct mb_candidate *candidate,
                                               const struct mb_vk_image *image,
                                               const struct mb_task *task, struct mb_err *err);
void mb_candidate_finish(struct mb_candidate *candidate);

/* Set it up on `n` copies of the test image, too. */
MB_MUST_CHECK enum mb_status mb_candidate_rotate(struct mb_candidate *candidate,
                                                 const struct mb_vk_image *copies, uint32_t n,
                                                 const struct mb_task *task,
                                                 struct mb_err *err);
/* Undo that, and drop what else a condition has made. */
void mb_candidate_end_timing(struct mb_candidate *candidate);

/* It has failed, `is_wrong`: as its chains are wrong. The first reason stays, but that of a
 * wrong chain replaces any other. */
MB_PRINTF(3, 4)
void mb_candidate_fail(struct mb_candidate *candidate, bool is_wrong, const char *format, ...);
