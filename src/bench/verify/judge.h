/* Running a strategy's own commands and judging what they leave. */
#ifndef MB_BENCH_VERIFY_JUDGE_H
#define MB_BENCH_VERIFY_JUDGE_H

#include "result/result.h"
#include "bench/verify/instance.h"
#include "bench/verify/verify.h"

/* One strategy of a c. */
struct mb_candidate {
    const struct mb_variant *row;
    struct mb_result *result;
    struct mb_instance instance; /* of the cell's task: what is timed */
    struct mb_instance whole;    /* of an update: the same with the whole image as rectangle */
    uint64_t fingerprint;        /* of the output that was judged last */
};

struct mb_judge {
    struct mb_test_image *test_image;
    struct mb_verifier *verifier;
    const struct mb_case *c;
    bool is_on; /* false: run, but judge nothing */
};

/* Run the candidate's commands over poison `poison`, read the image back and judge it (for the
 * first time, or, with `is_again`, once more after timing): the levels
 * made by the golden model (unless they are, bit for bit, what was judged before), the levels
 * not asked for by the poison that must still be there, and an update by mb_update_check. A bad
 * chain is a result with a reason that begins with `when`; a damaged level 0 is mended. Fails
 * on Vulkan errors and without memory. */
MB_MUST_CHECK enum mb_status mb_judge_run(const struct mb_judge *judge,
                                          struct mb_candidate *candidate, uint32_t poison,
                                          bool is_again, const char *when, struct mb_err *err);

#endif
