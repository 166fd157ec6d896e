/* Comparisons within a run. */
#include "result/relate.h"

#include <math.h>

#include "base/alloc.h"

#define MIN_BLOCKS 6 /* fewer have no 95 % interval */

const struct mb_relation mb_no_relation = {
    .ratio = (double)NAN,
    .ci = {(double)NAN, (double)NAN},
    .p = (double)NAN,
    .least_p = (double)NAN,
    .p_adjusted = (double)NAN,
    .outcome = MB_OUTCOME_INCONCLUSIVE,
};

/* p, and the least that a test can reach: equal times and equal differences stay, as ties raise
 * it. Overwrites the logarithms. */
static enum mb_status test(double *log_ratio, size_t n, struct mb_relation *relation,
                           struct mb_err *err)
{
    MB_DO(mb_wilcoxon(log_ratio, n, &relation->p, err));
    for (size_t i = 0; i < n; i++) {
        log_ratio[i] = fabs(log_ratio[i]);
    }
    return mb_wilcoxon(log_ratio, n, &relation->least_p, err);
}

enum mb_status mb_relate_logs(double *log_ratio, size_t n, const struct mb_bootstrap *how,
                              struct mb_relation *relation, struct mb_err *err)
{
    const struct mb_series series = {.values = log_ratio, .n = n};
    struct mb_estimate estimate;
    *relation = mb_no_relation;
    if (n < MIN_BLOCKS) {
        relation->ratio = exp(mb_median(log_ratio, n));
        return MB_OK;
    }
    MB_DO(mb_bootstrap_runs(&(struct mb_runs){&series, 1}, how, &estimate, err));
    relation->ratio = exp(estimate.figure);
    relation->ci[0] = exp(estimate.ci[0]);
    relation->ci[1] = exp(estimate.ci[1]);
    return test(log_ratio, n, relation, err);
}

bool mb_relate_blocks(const struct mb_samples *samples, size_t a, size_t b, double *log_ratio)
{
    for (size_t i = 0; i < samples->n_blocks; i++) {
        const struct mb_sample *sample = &samples->sample[i * samples->n_candidates];
        if (!samples->block[i].is_kept) {
            continue;
        }
        if (!(sample[a].duration_ns > 0.0 && sample[b].duration_ns > 0.0)) {
            return false;
        }
        *log_ratio++ = log(sample[b].duration_ns / sample[a].duration_ns);
    }
    return true;
}

/* The ratio of column `b` over column `a`. */
static enum mb_status relate(const struct mb_samples *samples, size_t a, size_t b,
                             uint64_t seed, struct mb_relation *relation, struct mb_err *err)
{
    const uint32_t n = samples->n_kept;
    MB_FREED double *log_ratio = mb_alloc(n, sizeof *log_ratio);
    MB_DO(MB_NEED(log_ratio, "comparison"));
    *relation = mb_no_relation;
    return !mb_relate_blocks(samples, a, b, log_ratio)
               ? MB_OK
               : mb_relate_logs(log_ratio, n, &(struct mb_bootstrap){.seed = seed}, relation,
                                err);
}

static bool is_timed(const struct mb_timing *timing, const struct mb_row *row)
{
    return row->column != SIZE_MAX && timing->samples.n_kept > 0 && !row->result->is_diagnostic;
}

enum mb_status mb_relate_timing(struct mb_timing *timing, uint64_t seed, struct mb_err *err)
{
    const struct mb_samples *samples = &timing->samples;
    timing->twin = mb_no_relation;
    const struct mb_row *twin_of =
        timing->twin_of != SIZE_MAX ? &timing->rows[timing->twin_of] : NULL;
    if (twin_of && is_timed(timing, twin_of) && twin_of->stats.n > 0) {
        MB_DO(relate(samples, twin_of->column, timing->twin_column, seed, &timing->twin, err));
    }
    for (size_t i = 0; i < timing->of->n_results; i++) {
        struct mb_row *row = &timing->rows[i];
        row->relation = mb_no_relation;
        if (timing->fastest == SIZE_MAX || !is_timed(timing, row) ||
            !mb_rows_are_alike(&timing->rows[timing->fastest], row)) {
            continue;
        }
        if (i == timing->fastest) {
            row->relation.ratio = row->relation.ci[0] = row->relation.ci[1] = 1.0;
            row->relation.outcome = MB_OUTCOME_SAME;
            continue;
        }
        MB_DO(relate(samples, timing->rows[timing->fastest].column, row->column, seed,
                     &row->relation, err));
    }
    return mb_relate_judge(timing, err);
}

static bool is_tested(const struct mb_timing *timing, size_t index)
{
    return index != timing->fastest && !isnan(timing->rows[index].relation.p);
}

size_t mb_relate_n_tests(const struct mb_timing *timing)
{
    size_t n = 0;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        n += is_tested(timing, i);
    }
    return n;
}

bool mb_relate_can_tell(const struct mb_timing *timing, size_t index)
{
    const double least_p = timing->rows[index].relation.least_p;
    size_t n_factor = mb_relate_n_tests(timing); /* less those before it in Holm's order */
    if (!is_tested(timing, index)) {
        return true;
    }
    for (size_t i = 0; i < timing->of->n_results; i++) {
        n_factor -= i != index && is_tested(timing, i) && timing->rows[i].relation.p < least_p;
    }
    return (double)n_factor * least_p < MB_SIGNIFICANT;
}

size_t mb_relate_samples_needed(const struct mb_timing *timing)
{
    /* With 20 samples and no ties the smallest possible p is 2^-19, enough for 26,000 tests. If
     * that many were not enough, there are ties: ask for twice as many. */
    const size_t n = timing->samples.n_kept;
    return n < MB_ENOUGH_SAMPLES ? MB_ENOUGH_SAMPLES : 2 * n;
}

double mb_relate_margin(const struct mb_timing *timing)
{
    /* The bounds are 1 + margin and one over that: a ratio below 1 is inverted. */
    const double ratio = timing->twin.ratio;
    const double off = (ratio < 1.0 ? 1.0 / ratio : ratio) - 1.0;
    return off > MB_MARGIN ? off : MB_MARGIN; /* NaN: no twin */
}

enum mb_status mb_relate_judge(struct mb_timing *timing, struct mb_err *err)
{
    const size_t n = timing->of->n_results;
    MB_FREED double *p = mb_alloc(n, sizeof *p);
    MB_DO(MB_NEED(p, "comparison"));
    for (size_t i = 0; i < n; i++) {
        p[i] = is_tested(timing, i) ? timing->rows[i].relation.p : (double)NAN;
    }
    MB_DO(mb_holm(p, n, err));
    for (size_t i = 0; i < n; i++) {
        if (is_tested(timing, i)) {
            struct mb_relation *relation = &timing->rows[i].relation;
            relation->p_adjusted = p[i];
            relation->outcome =
                mb_outcome(relation->ci, p[i], MB_MARGIN, mb_relate_margin(timing));
        }
    }
    return MB_OK;
}

enum mb_status mb_relate_again(struct mb_timing *timing, struct mb_err *err)
{
    const struct mb_samples *samples = &timing->samples;
    bool is_open = false;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        struct mb_relation *relation = &timing->rows[i].relation;
        relation->p = i == timing->fastest ? (double)NAN : relation->p_adjusted;
        relation->least_p = 0.0;
        is_open |= is_tested(timing, i) && relation->outcome == MB_OUTCOME_INCONCLUSIVE;
    }
    MB_FREED double *logs = mb_alloc(samples->n_kept, sizeof *logs);
    MB_DO(MB_NEED(logs, "comparison"));
    for (size_t i = 0; i < timing->of->n_results && is_open; i++) {
        struct mb_row *row = &timing->rows[i];
        if (is_tested(timing, i) && timing->fastest != SIZE_MAX && is_timed(timing, row) &&
            is_timed(timing, &timing->rows[timing->fastest]) &&
            mb_relate_blocks(samples, timing->rows[timing->fastest].column, row->column,
                             logs)) {
            MB_DO(test(logs, samples->n_kept, &row->relation, err));
        }
    }
    return MB_OK;
}
