/* Running a strategy's own commands and judging what they leave. */
#pragma once

#include "result/result.h"
#include "bench/test_image.h"
#include "bench/verify/chain_hash.h"
#include "bench/verify/instance.h"
#include "bench/verify/verify.h"

/* What level 0 holds: the image of the case, or the probe (image/pattern.h), in which wrong
 * texels stand out that other images hide. */
enum mb_content {
    MB_CONTENT_IMAGE,
    MB_CONTENT_PROBE,
    MB_N_CONTENTS,
    MB_CONTENT_AGAIN =
        MB_N_CONTENTS, /* the image, over another poison: in place of the probe */
};

/* One strategy of a case. */
struct mb_candidate {
    const struct mb_variant *row;
    struct mb_result *result;
    struct mb_instance instance; /* of the case's task: what is timed */
    struct mb_instance whole;    /* of an update: the same with the whole image as rectangle */
    uint64_t fingerprint[MB_N_CONTENTS]; /* of the output that was judged last */
    uint64_t hash; /* of the chain that was judged on the image, by the device; 0: none */
};

struct mb_judge {
    struct mb_test_image *test_image; /* holds the image of the case */
    /* Of each content; NULL: run, but judge nothing. */
    struct mb_verifier *verifier[MB_N_CONTENTS];
    const struct mb_case *c;
    const struct mb_chain_hash *hash; /* of the test image, or NULL */
};

enum mb_judge_pass { MB_JUDGE_BEFORE, MB_JUDGE_AFTER }; /* timing */

/* Run the candidate's commands on a content, over poison (but over the probe's chain where it
 * is the image after timing), read the image back and judge it: the
 * levels made by the golden model (unless they are, bit for bit, what was judged before of this
 * content), and the levels not asked for by the poison that must still be there. An update
 * (struct mb_task) must lead to the chain of a full regeneration, bit for bit, or within 1 LSB
 * where sums are of halves, and write nothing outside the affected regions. A bad chain is a
 * result with a reason; a damaged level 0 is mended, and the image is back in it. Fails on
 * Vulkan errors and without memory. */
MB_MUST_CHECK enum mb_status mb_judge_run(const struct mb_judge *judge,
                                          struct mb_candidate *candidate,
                                          enum mb_content content, enum mb_judge_pass pass,
                                          struct mb_err *err);

/* The same of one that no policy describes: whatever it makes, level 0 and the levels not asked
 * for stay as they are; its distance to box is noted. A verifier is needed. */
MB_MUST_CHECK enum mb_status mb_judge_bounds(const struct mb_judge *judge,
                                             struct mb_candidate *candidate,
                                             struct mb_err *err);
