/* Running a strategy's own commands and judging what they leave. */
#pragma once

#include "bench/candidate.h"
#include "bench/test_image.h"
#include "bench/verify/chain_hash.h"
#include "bench/verify/reference.h"

enum mb_judge_pass { MB_JUDGE_BEFORE, MB_JUDGE_AFTER }; /* timing */

/* Of the chains of one case. */
struct mb_judge {
    struct mb_test_image *test_image; /* holds the image of the case; borrowed */
    struct mb_task task;
    bool is_blind;                                /* it runs, but judges nothing */
    struct mb_reference reference[MB_N_CONTENTS]; /* of each content */
    void *probe;                                  /* its level 0 of all layers; owned */
    struct mb_chain_hash hash;                    /* of the test image; gpu NULL: none */

    /* The run that is judged. */
    struct mb_candidate *candidate;
    enum mb_content content; /* IMAGE or PROBE */
    enum mb_judge_pass pass;
    bool is_again; /* what was judged before of this content has to come out */
    uint32_t poison;
};

/* `source` is level 0 of the test image; both must outlive it. Finish it in any case. */
MB_MUST_CHECK enum mb_status mb_judge_init(struct mb_judge *judge,
                                           struct mb_test_image *test_image, const void *source,
                                           const struct mb_task *task, bool is_blind,
                                           struct mb_err *err);
void mb_judge_finish(struct mb_judge *judge);

/* Run the candidate's commands on a content, over poison (but over the probe's chain where it
 * is the image after timing), read the image back and judge it: the
 * levels made by the reference (unless they are, bit for bit, what was judged before of this
 * content), and the levels not asked for by the poison that must still be there. An update
 * (struct mb_task) must lead to the chain of a full regeneration, bit for bit, or within 1 LSB
 * where sums are of halves, and write nothing outside the affected regions. A bad chain is a
 * result with a reason; a damaged level 0 is mended, and the image is back in it. Fails on
 * Vulkan errors and without memory. */
MB_MUST_CHECK enum mb_status mb_judge_run(struct mb_judge *judge,
                                          struct mb_candidate *candidate,
                                          enum mb_content content, enum mb_judge_pass pass,
                                          struct mb_err *err);

/* The same of one that no policy describes: whatever it makes, level 0 and the levels not asked
 * for stay as they are; its distance to box is noted. Not of a blind judge. */
MB_MUST_CHECK enum mb_status
mb_judge_bounds(struct mb_judge *judge, struct mb_candidate *candidate, struct mb_err *err);
