/* Comparisons within a run: block by block, with the instrument's own noise as the measure. */
#ifndef MB_RESULT_RELATE_H
#define MB_RESULT_RELATE_H

#include "result/result.h"

#define MB_MARGIN 0.01 /* ratios within this of 1 are no difference */

extern const struct mb_relation mb_no_relation; /* NaN, and inconclusive */

/* What logarithms of ratios say, one for each block in time order; reorders and changes them.
 * Of fewer than 6 only the ratio is known. */
MB_MUST_CHECK enum mb_status mb_relate_logs(double *log_ratio, size_t n,
                                            const struct mb_bootstrap *how,
                                            struct mb_relation *relation, struct mb_err *err);

/* Fill the relations of a timing whose samples are there: every result and the A/A twin, paired
 * within blocks. `fastest` may be SIZE_MAX: then there is nothing to relate to but the twin. */
MB_MUST_CHECK enum mb_status mb_relate_timing(struct mb_timing *timing, uint64_t seed,
                                              struct mb_err *err);

/* Adjust the p of a timing's relations together, and say what may be said of each ratio. What
 * other timings hold has no part in it: a table that is printed stays true. */
MB_MUST_CHECK enum mb_status mb_relate_judge(struct mb_timing *timing, struct mb_err *err);

/* Relations of the timing that are tested. */
size_t mb_relate_n_tests(const struct mb_timing *timing);

/* Whether the test of a result could have passed with the blocks that there are, once relations
 * are there: Wilcoxon's least p, by Holm multiplied by how many tests are not before it. */
bool mb_relate_can_tell(const struct mb_timing *timing, size_t index);

/* Samples with which the tests of a timing that cannot tell could: MB_ENOUGH_SAMPLES or more.
 */
size_t mb_relate_samples_needed(const struct mb_timing *timing);

/* What a difference in a timing must clear: MB_MARGIN, or what the twin is off, if that is
 * more.
 */
double mb_relate_margin(const struct mb_timing *timing);

#endif
