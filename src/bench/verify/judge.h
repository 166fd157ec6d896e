/* Runs a strategy's own commands and verifies what they leave. */
#pragma once

#include "bench/test_image.h"
#include "bench/verify/chain_hash.h"
#include "bench/verify/instance.h"
#include "bench/verify/reference_cache.h"
#include "result/result.h"

struct mb_recorded_sample;

/* What level 0 holds: the image of the case, or the probe (image/pattern.h), which shows wrong
 * texels that other images hide. */
enum mb_content {
    MB_CONTENT_IMAGE,
    MB_CONTENT_PROBE,
    MB_N_CONTENTS,
};

/* A variant on the image of a case. It owns the variant's instances and recordings, and knows
 * what its chains must be, from the first verification to the last sample. */
struct mb_candidate {
    const struct mb_variant *row;
    struct mb_result *result;
    /* The first is on the test image, and its commands are verified. While a condition that
     * rotates images is timed, each copy has an instance, too. Owned. */
    struct mb_instance *instances;
    uint32_t n_instances;
    struct mb_instance whole;            /* for an update: makes the whole chain */
    uint64_t fingerprint[MB_N_CONTENTS]; /* of the output that was verified last */
    uint64_t hash; /* by the device, of the chain verified on the image; 0: none */

    /* While a condition is timed; see timing/time_case.c. */
    struct mb_recorded_sample *recorded; /* owned */
    uint64_t timed_hash;                 /* its chains must have this hash; 0: not verified */
    double pilot_ns;             /* about what one chain takes: the least of a few runs */
    double pilot_host_ns;        /* how long the host waits for one chain, likewise */
    uint32_t n_taken, n_dropped; /* samples taken, and how many had invalid stamps */
    bool is_given_up;
};

/* Mark the result as failed; if `is_wrong`, because a chain is wrong. The first reason stays,
 * except that a wrong chain replaces any other. */
MB_PRINTF(3, 4)
void mb_candidate_fail(struct mb_candidate *candidate, bool is_wrong, const char *format, ...);

enum mb_judge_pass { MB_JUDGE_BEFORE, MB_JUDGE_AFTER }; /* timing */

/* Verifies the chains of one case. */
struct mb_judge {
    struct mb_test_image *test_image; /* holds the image of the case; borrowed */
    struct mb_task task;
    bool is_blind;                                /* runs chains, but verifies nothing */
    struct mb_reference reference[MB_N_CONTENTS]; /* for each content */
    void *probe;                                  /* level 0 of all its layers; owned */
    struct mb_chain_hash hash;                    /* of the test image; gpu NULL: none */

    /* The run that is being verified. */
    struct mb_candidate *candidate;
    enum mb_content content; /* IMAGE or PROBE */
    enum mb_judge_pass pass;
};

/* `source` is level 0 of the test image; both must outlive it. Finish it in any case. */
MB_MUST_CHECK enum mb_status mb_judge_init(struct mb_judge *judge,
                                           struct mb_test_image *test_image, const void *source,
                                           const struct mb_task *task, bool is_blind,
                                           struct mb_err *err);
void mb_judge_finish(struct mb_judge *judge);

/* Run the candidate's commands on a content, over poison or, for the image after timing, over
 * the probe's chain; read the image back and verify it. Levels that the task asks for are
 * compared with the reference, unless after timing they have the checksum of those verified
 * before; other levels must still hold the poison. An update (struct mb_task) must lead to the
 * chain of an update of the whole image bit for bit (sums of halves: within 1 LSB), and write
 * nothing outside the affected regions. A wrong chain is a result with a reason. Level 0 holds
 * the image afterwards. Fails on Vulkan errors and without memory. */
MB_MUST_CHECK enum mb_status mb_judge_run(struct mb_judge *judge,
                                          struct mb_candidate *candidate,
                                          enum mb_content content, enum mb_judge_pass pass,
                                          struct mb_err *err);

/* Verify a candidate that no filter describes: its levels may hold anything, but it must not
 * touch level 0 or levels that were not asked for. Notes the distance to box. The judge must
 * not be blind. */
MB_MUST_CHECK enum mb_status
mb_judge_bounds(struct mb_judge *judge, struct mb_candidate *candidate, struct mb_err *err);
