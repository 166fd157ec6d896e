/* Whether a partial update does what it promises (struct mb_task): the chain afterwards is bit
 * for bit that of a full regeneration, or within 1 LSB where sums are of halves, and nothing
 * outside the affected regions of its rectangles is written. */
#ifndef MB_BENCH_VERIFY_UPDATE_H
#define MB_BENCH_VERIFY_UPDATE_H

#include "bench/verify/instance.h"
#include "image/compare.h"

struct mb_update_check {
    struct mb_test_image *test_image;
    struct mb_instance *partial; /* with the rectangles */
    const struct mb_task *task;  /* that has them */
    const void *regenerated; /* the whole chain made anew, a packed block of test_image->full */
};

/* Run the update twice: over the regenerated chain with every texel but those of the affected
 * regions spoilt, and over one with those spoilt. Spoilt means that each bit is inverted, so
 * that writing anything there, even what is right, is told from leaving it alone. `*bad` is the
 * first texel that is not what it must be, `*what` the rule it breaks (static); bad->found is
 * false if there is none. The chain is left in the test_image's read-back buffer and image as
 * the last run made it: of the two, that over the regenerated chain. Fails on Vulkan errors and
 * without memory. */
MB_MUST_CHECK enum mb_status mb_update_check(const struct mb_update_check *check,
                                             struct mb_bad_texel *bad, const char **what,
                                             struct mb_err *err);

#endif
