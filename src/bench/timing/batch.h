/* What the batches of a throughput sample say beside their slope, and when it says nothing. */
#ifndef MB_BENCH_TIMING_BATCH_H
#define MB_BENCH_TIMING_BATCH_H

#include "result/result.h"

#define MB_MAX_BEND 0.05 /* between slopes of pairs of batches, before they are no line */

/* True if the slopes between the pairs of `n` >= 2 points agree to MB_MAX_BEND of their median.
 * Pure. */
bool mb_batch_is_line(const double *n_chains, const double *part_ns, size_t n);

/* Fill row->fixed_ns, the time that no chain adds, from the medians of the parts over the
 * blocks that count; NaN, with a warning, where those are no line: then it is none. The
 * result's column and n_chains are the caller's. */
MB_MUST_CHECK enum mb_status mb_batch_keep_fixed(const struct mb_samples *samples,
                                                 struct mb_row *row, struct mb_err *err);

/* Times whose interval reaches zero are no times: make a skipped result of it, "below
 * resolution", without samples or statistics. The raw parts stay in the timing. */
MB_MUST_CHECK enum mb_status mb_batch_drop_unresolved(struct mb_row *row, struct mb_err *err);

#endif
