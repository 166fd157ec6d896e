/* Comparisons within a run. */
#include "result/relate.h"

#include <math.h>

#include "base/alloc.h"

enum mb_status mb_relate_logs(const struct mb_runs *log_ratios, const struct mb_bootstrap *how,
                              struct mb_relation *relation, struct mb_err *err)
{
    const struct mb_series *first = &log_ratios->series[0];
    struct mb_estimate estimate;
    *relation = mb_no_relation;
    MB_DO(mb_bootstrap_runs(log_ratios, how, &estimate, err));
    relation->ratio = exp(estimate.figure);
    if (!mb_runs_suffice(log_ratios)) {
        return MB_OK;
    }
    relation->ci[0] = exp(estimate.ci[0]);
    relation->ci[1] = exp(estimate.ci[1]);
    relation->p = estimate.p;
    return log_ratios->n > 1 ? MB_OK : mb_wilcoxon(first->values, first->n, &relation->p, err);
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

/* Relate column `b` to column `a`. */
static enum mb_status relate(const struct mb_samples *samples, size_t a, size_t b,
                             uint64_t seed, struct mb_relation *relation, struct mb_err *err)
{
    MB_FREED double *log_ratio = mb_alloc(samples->n_kept, sizeof *log_ratio);
    const struct mb_series series = {log_ratio, samples->n_kept};
    MB_DO(MB_NEED(log_ratio, "comparison"));
    return !mb_relate_blocks(samples, a, b, log_ratio)
               ? MB_OK
               : mb_relate_logs(&(struct mb_runs){&series, 1},
                                &(struct mb_bootstrap){.seed = seed}, relation, err);
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
            row->relation = mb_to_itself;
            continue;
        }
        MB_DO(relate(samples, timing->rows[timing->fastest].column, row->column, seed,
                     &row->relation, err));
    }
    return mb_relate_judge(timing, err);
}

bool mb_relate_can_tell(const struct mb_timing *timing)
{
    double n_tests = 0.0;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        n_tests += isnan(timing->rows[i].relation.p) ? 0.0 : 1.0;
    }
    return n_tests * exp2(1.0 - (double)timing->samples.n_kept) < MB_SIGNIFICANT;
}

double mb_relate_margin(const struct mb_timing *timing)
{
    /* The bounds are 1 + margin and 1 / (1 + margin): a ratio below 1 is inverted. */
    const double ratio = timing->twin.ratio;
    const double off = (ratio < 1.0 ? 1.0 / ratio : ratio) - 1.0;
    return off > MB_MARGIN ? off : MB_MARGIN; /* false if NaN: no twin */
}

enum mb_status mb_relate_judge(struct mb_timing *timing, struct mb_err *err)
{
    const size_t n = timing->of->n_results;
    MB_FREED double *p = mb_alloc(n, sizeof *p);
    MB_DO(MB_NEED(p, "comparison"));
    for (size_t i = 0; i < n; i++) {
        p[i] = timing->rows[i].relation.p;
    }
    MB_DO(mb_holm(p, n, err));
    for (size_t i = 0; i < n; i++) {
        struct mb_relation *relation = &timing->rows[i].relation;
        relation->p = p[i];
        if (!isnan(p[i])) {
            relation->outcome =
                mb_outcome(relation->ci, p[i], MB_MARGIN, mb_relate_margin(timing));
        }
    }
    return MB_OK;
}
