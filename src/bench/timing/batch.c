/* What the batches of a throughput sample say beside their slope, and when it says nothing. */
#include "bench/timing/batch.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"

bool mb_batch_is_line(const double *n_chains, const double *part_ns, size_t n)
{
    double least = INFINITY, most = -INFINITY, intercept_ns;
    const double slope_ns = mb_theil_sen(n_chains, part_ns, n, &intercept_ns);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            double pair_ns = (part_ns[k] - part_ns[i]) / (n_chains[k] - n_chains[i]);
            least = fmin(least, pair_ns);
            most = fmax(most, pair_ns);
        }
    }
    return most - least <= MB_MAX_BEND * slope_ns;
}

static double median_of_part(const struct mb_samples *samples, size_t column, uint32_t part,
                             double *scratch)
{
    uint32_t n = 0;
    for (uint32_t block = 0; block < samples->n_blocks; block++) {
        if (samples->block[block].is_kept) {
            size_t cell = block * samples->n_candidates + column;
            scratch[n++] = samples->part_ns[cell * samples->n_parts + part];
        }
    }
    return mb_median(scratch, n);
}

enum mb_status mb_batch_keep_fixed(const struct mb_samples *samples, struct mb_row *row,
                                   struct mb_err *err)
{
    double n_chains[MB_MAX_PARTS], part_ns[MB_MAX_PARTS];
    row->fixed_ns = (double)NAN;
    if (samples->n_kept == 0 || samples->n_parts < 2) {
        return MB_OK;
    }
    double *scratch = mb_alloc(samples->n_kept, sizeof *scratch);
    if (!scratch) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "timing: out of memory");
    }
    for (uint32_t i = 0; i < samples->n_parts; i++) {
        n_chains[i] = row->n_chains[i];
        part_ns[i] = median_of_part(samples, row->column, i, scratch);
    }
    mb_free(scratch);
    if (mb_batch_is_line(n_chains, part_ns, samples->n_parts)) {
        mb_theil_sen(n_chains, part_ns, samples->n_parts, &row->fixed_ns);
        return MB_OK;
    }
    mb_warn(&row->warnings, "not_a_line",
            "batches of %u, %u and %u chains are not on a line (%.0f %%): the time per "
            "chain depends on how many there are",
            row->n_chains[0], row->n_chains[1], row->n_chains[2], 100.0 * MB_MAX_BEND);
    return MB_OK;
}

enum mb_status mb_batch_drop_unresolved(struct mb_row *row, struct mb_err *err)
{
    if (row->stats.n == 0 || row->stats.median_ci_ns[0] > 0.0) {
        return MB_OK;
    }
    snprintf(row->skipped, sizeof row->skipped,
             "below resolution: the interval of its time, %.0f to %.0f ns, reaches zero",
             row->stats.median_ci_ns[0], row->stats.median_ci_ns[1]);
    row->fixed_ns = (double)NAN;
    return mb_stats_compute(NULL, 0, &row->stats, err);
}
