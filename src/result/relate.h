/* Comparisons within a run: block by block, judged against the instrument's own noise. */
#pragma once

#include "result/result.h"

#define MB_MARGIN 0.01 /* ratios closer to 1 than this count as equal */

/* The logarithm of the ratio of column `b` over column `a` in each block that counts, in time
 * order: log_ratio[n_kept]. False if a duration is not positive, such as a slope within the
 * noise of its batches. */
MB_MUST_CHECK bool mb_relate_blocks(const struct mb_samples *samples, size_t a, size_t b,
                                    double *log_ratio);

/* Compute a relation from the logarithms of ratios, one for each block of each run. A single
 * run is tested by Wilcoxon's test, several runs by resampling, since the blocks of one run do
 * not show how runs differ. If a run has fewer than MB_FEW_SAMPLES, only the ratio is known. */
MB_MUST_CHECK enum mb_status mb_relate_logs(const struct mb_runs *log_ratios,
                                            const struct mb_bootstrap *how,
                                            struct mb_relation *relation, struct mb_err *err);

/* Fill the relations of a timing that has its samples, and judge them: every row is
 * related to the fastest, and the A/A twin to its original, by pairs within blocks. If there is
 * no fastest (SIZE_MAX), only the twin is related. */
MB_MUST_CHECK enum mb_status mb_relate_timing(struct mb_timing *timing, uint64_t seed,
                                              struct mb_err *err);

/* Adjust the p values of a timing's relations together, and judge each ratio. Other timings are
 * left out, so that a printed table stays true. */
MB_MUST_CHECK enum mb_status mb_relate_judge(struct mb_timing *timing, struct mb_err *err);

/* Whether every test could find a difference with this many blocks: Wilcoxon's least p, times
 * the number of tests, must be significant. MB_ENOUGH_SAMPLES suffice for 26,000 tests. */
bool mb_relate_can_tell(const struct mb_timing *timing);

/* How far from 1 a ratio must be to count as a difference: MB_MARGIN, or as far as the A/A
 * twin's ratio if that is farther. */
double mb_relate_margin(const struct mb_timing *timing);
