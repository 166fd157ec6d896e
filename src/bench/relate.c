/* Comparisons within a run. */
#include "bench/relate.h"

#include <math.h>

#include "base/alloc.h"

#define MIN_BLOCKS 6 /* fewer have no 95 % interval */

static const struct mb_relation no_relation = {
    .ratio = (double)NAN,
    .ci = {(double)NAN, (double)NAN},
    .p = (double)NAN,
    .least_p = (double)NAN,
    .p_adjusted = (double)NAN,
    .outcome = MB_OUTCOME_INCONCLUSIVE,
};

/* The ratio of column `b` over column `a`, from the logarithm of their ratio in each block. */
static enum mb_status relate(const struct mb_samples *samples, size_t a, size_t b,
                             uint64_t seed, double *scratch, struct mb_relation *relation,
                             struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_bootstrap options = {.seed = seed};
    const uint32_t n = samples->n_kept;
    double *log_ratio = scratch, *other = scratch + n;
    double ci[2];
    *relation = no_relation;
    mb_samples_column(samples, b, log_ratio);
    mb_samples_column(samples, a, other);
    for (uint32_t i = 0; i < n; i++) {
        if (!(log_ratio[i] > 0.0 && other[i] > 0.0)) {
            return MB_OK; /* a slope within the noise of its batches has no ratio */
        }
        log_ratio[i] = log(log_ratio[i] / other[i]);
    }
    if (n < MIN_BLOCKS) {
        relation->ratio = exp(mb_median(log_ratio, n));
        return MB_OK;
    }
    MB_TRY(mb_bootstrap_median(log_ratio, n, &options, ci, err));
    MB_TRY(mb_wilcoxon(log_ratio, n, &relation->p, err));
    relation->ratio = exp(mb_median(log_ratio, n));
    relation->ci[0] = exp(ci[0]);
    relation->ci[1] = exp(ci[1]);
    /* Equal times and equal differences stay: ties raise the least p that a test can reach. */
    for (uint32_t i = 0; i < n; i++) {
        log_ratio[i] = fabs(log_ratio[i]);
    }
    MB_TRY(mb_wilcoxon(log_ratio, n, &relation->least_p, err));
fail:
    return status;
}

static bool is_timed(const struct mb_cell *cell, const struct mb_result *result)
{
    return result->column != SIZE_MAX && cell->samples.n_kept > 0 && !result->is_diagnostic;
}

enum mb_status mb_relate_cell(struct mb_cell *cell, uint64_t seed, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_samples *samples = &cell->samples;
    double *scratch = mb_alloc(2 * (size_t)samples->n_kept + 1, sizeof *scratch);
    if (!scratch) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "comparison: out of memory");
    }
    cell->twin = no_relation;
    const struct mb_result *twin_of =
        cell->twin_of != SIZE_MAX ? &cell->results[cell->twin_of] : NULL;
    if (twin_of && is_timed(cell, twin_of) && twin_of->n_samples > 0) {
        MB_TRY(relate(samples, twin_of->column, cell->twin_column, seed, scratch, &cell->twin,
                      err));
    }
    for (size_t i = 0; i < cell->n_results; i++) {
        struct mb_result *result = &cell->results[i];
        result->relation = no_relation;
        if (cell->fastest == SIZE_MAX || !is_timed(cell, result) ||
            !mb_results_are_alike(&cell->results[cell->fastest], result)) {
            continue;
        }
        if (i == cell->fastest) {
            result->relation.ratio = result->relation.ci[0] = result->relation.ci[1] = 1.0;
            result->relation.outcome = MB_OUTCOME_SAME;
            continue;
        }
        MB_TRY(relate(samples, cell->results[cell->fastest].column, result->column, seed,
                      scratch, &result->relation, err));
    }
fail:
    mb_free(scratch);
    return status;
}

static bool is_tested(const struct mb_cell *cell, size_t index)
{
    return index != cell->fastest && !isnan(cell->results[index].relation.p);
}

size_t mb_relate_n_tests(const struct mb_cell *cell)
{
    size_t n = 0;
    for (size_t i = 0; i < cell->n_results; i++) {
        n += is_tested(cell, i);
    }
    return n;
}

bool mb_relate_can_tell(const struct mb_cell *cell, size_t index)
{
    const double least_p = cell->results[index].relation.least_p;
    size_t n_factor = mb_relate_n_tests(cell); /* less those before it in Holm's order */
    if (!is_tested(cell, index)) {
        return true;
    }
    for (size_t i = 0; i < cell->n_results; i++) {
        n_factor -= i != index && is_tested(cell, i) && cell->results[i].relation.p < least_p;
    }
    return (double)n_factor * least_p < MB_SIGNIFICANT;
}

size_t mb_relate_samples_needed(const struct mb_cell *cell)
{
    /* With 20 samples and no ties the smallest possible p is 2^-19, enough for 26,000 tests. If
     * that many were not enough, there are ties: ask for twice as many. */
    const size_t n = cell->samples.n_kept;
    return n < MB_ENOUGH_SAMPLES ? MB_ENOUGH_SAMPLES : 2 * n;
}

double mb_relate_margin(const struct mb_cell *cell)
{
    /* The bounds are 1 + margin and one over that: a ratio below 1 is inverted. */
    const double ratio = cell->twin.ratio;
    const double off = (ratio < 1.0 ? 1.0 / ratio : ratio) - 1.0;
    return off > MB_MARGIN ? off : MB_MARGIN; /* NaN: no twin */
}

/* The relations of a cell that are tested: of all results but the fastest. With `back`,
 * p_adjusted is taken from `p`. Returns their number. */
static size_t walk(struct mb_cell *cell, double *p, bool back)
{
    size_t n = 0;
    for (size_t i = 0; i < cell->n_results; i++) {
        struct mb_relation *relation = &cell->results[i].relation;
        if (i == cell->fastest || isnan(relation->p)) {
            continue;
        }
        if (back) {
            relation->p_adjusted = p[n];
            relation->outcome =
                mb_outcome(relation->ci, p[n], MB_MARGIN, mb_relate_margin(cell));
        } else {
            p[n] = relation->p;
        }
        n++;
    }
    return n;
}

enum mb_status mb_relate_judge(struct mb_cell *cell, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    double *p = mb_alloc(cell->n_results + 1, sizeof *p);
    if (!p) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "comparison: out of memory");
    }
    MB_TRY(mb_holm(p, walk(cell, p, false), err));
    walk(cell, p, true);
fail:
    mb_free(p);
    return status;
}
