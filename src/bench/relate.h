/* Comparisons within a run: block by block, with the ruler's own noise as the measure. */
#ifndef MB_BENCH_RELATE_H
#define MB_BENCH_RELATE_H

#include "bench/result.h"

#define MB_MARGIN 0.01 /* ratios within this of 1 are no difference */

/* Fill the relations of a cell whose samples are there: every result and the A/A twin, paired
 * within blocks. `fastest` may be SIZE_MAX: then there is nothing to relate to but the twin. */
MB_MUST_CHECK enum mb_status mb_relate_cell(struct mb_cell *cell, uint64_t seed,
                                            struct mb_err *err);

/* Adjust the p of a cell's relations together, and say what may be said of each ratio. What
 * other cells hold has no part in it: a table that is printed stays true. */
MB_MUST_CHECK enum mb_status mb_relate_judge(struct mb_cell *cell, struct mb_err *err);

/* Whether a rank test of the cell, once its relations are there, has passed or could have: with
 * n blocks, Wilcoxon's p is 2^(1-n) at the least, and the least of m is multiplied by m (Holm).
 * `*n_compared` is the number of rows that are compared, the fastest among them. */
bool mb_relate_can_tell(const struct mb_cell *cell, size_t *n_compared);

/* What a difference in a cell must clear: MB_MARGIN, or what the twin is off, if that is more.
 */
double mb_relate_margin(const struct mb_cell *cell);

#endif
