/* Comparisons within a run: block by block, with the instrument's own noise as the measure. */
#pragma once

#include "result/result.h"

#define MB_MARGIN 0.01 /* ratios within this of 1 are no difference */

extern const struct mb_relation mb_no_relation; /* NaN, and inconclusive */

/* The logarithm of the ratio of column `b` over column `a` in each block that counts, in time
 * order: log_ratio[n_kept]. False: a slope within the noise of its batches has no ratio. */
MB_MUST_CHECK bool mb_relate_blocks(const struct mb_samples *samples, size_t a, size_t b,
                                    double *log_ratio);

/* The relation that logarithms of ratios show, one per block in time order; overwrites them.
 * With fewer than 6 only the ratio is known. */
MB_MUST_CHECK enum mb_status mb_relate_logs(double *log_ratio, size_t n,
                                            const struct mb_bootstrap *how,
                                            struct mb_relation *relation, struct mb_err *err);

/* Fill the relations of a timing that has its samples, and judge them: every row to the fastest
 * and the A/A twin to its original, paired within blocks. Without a fastest (SIZE_MAX) only the
 * twin's. */
MB_MUST_CHECK enum mb_status mb_relate_timing(struct mb_timing *timing, uint64_t seed,
                                              struct mb_err *err);

/* Adjust the p of a timing's relations together, and judge each ratio. Other timings do not
 * count, so that a table stays true once it is printed. */
MB_MUST_CHECK enum mb_status mb_relate_judge(struct mb_timing *timing, struct mb_err *err);

/* Restore what a file leaves out of its relations: p, and where a row is undecided, the least
 * that p can be. */
MB_MUST_CHECK enum mb_status mb_relate_again(struct mb_timing *timing, struct mb_err *err);

/* Number of relations in the timing that are tested. */
size_t mb_relate_n_tests(const struct mb_timing *timing);

/* Whether the test of a row could find any difference with this many blocks: Wilcoxon's least
 * p, times the number of tests that do not precede it in Holm's order, must be significant. */
bool mb_relate_can_tell(const struct mb_timing *timing, size_t index);

/* Number of samples that tests need where they cannot tell: MB_ENOUGH_SAMPLES or more. */
size_t mb_relate_samples_needed(const struct mb_timing *timing);

/* The least ratio minus 1 that counts as a difference: MB_MARGIN, or the A/A twin's if larger.
 */
double mb_relate_margin(const struct mb_timing *timing);
