/* Who goes on from a pass, and who is chosen in a final. */
#include "bench/tune_choose.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/relate.h"

bool mb_tune_is_power(struct mb_extent base)
{
    return (base.width & (base.width - 1)) == 0 && (base.height & (base.height - 1)) == 0;
}

/* Nothing is lost but the rounding to the format; minima and maxima lose nothing anyway. */
static bool is_lossless(const struct mb_claim *claim, enum mb_reduce reduce)
{
    return reduce != MB_REDUCE_AVG || claim->arithmetic == MB_ARITHMETIC_FP32 ||
           claim->arithmetic == MB_ARITHMETIC_CORNER;
}

unsigned mb_tune_kinds(const struct mb_claim *claim, struct mb_extent base,
                       enum mb_reduce reduce)
{
    static const enum mb_tune_kind wide[MB_N_POLICIES] = {
        [MB_POLICY_KAISER] = MB_TUNE_KAISER,
        [MB_POLICY_LANCZOS] = MB_TUNE_LANCZOS,
        [MB_POLICY_GAUSSIAN] = MB_TUNE_GAUSSIAN,
        [MB_POLICY_GAUSSIAN16] = MB_TUNE_GAUSSIAN16,
    };
    const enum mb_policy policy = claim->filter.policy;
    if (mb_policy_is_wide(policy)) {
        return 1u << wide[policy];
    }
    const bool is_box = policy == MB_POLICY_BOX || mb_tune_is_power(base);
    return 1u << MB_TUNE_ANY | (is_box && is_lossless(claim, reduce) ? 1u << MB_TUNE_BOX : 0u);
}

static bool is_in(const struct mb_tune_variant *variant, int kind)
{
    return variant->state == MB_TUNE_ACTIVE && isfinite(variant->ratio) &&
           (variant->kinds & 1u << kind) != 0;
}

static double best_of(const struct mb_tune_variant *variants, size_t n_variants, int kind)
{
    double best = (double)NAN;
    for (size_t i = 0; i < n_variants; i++) {
        if (is_in(&variants[i], kind)) {
            best = fmin(best, variants[i].ratio); /* of a NaN and a number: the number */
        }
    }
    return best;
}

/* How many of a kind are faster, or as fast and earlier. */
static size_t place_of(const struct mb_tune_variant *variants, size_t n_variants, size_t index,
                       int kind)
{
    size_t n_before = 0;
    for (size_t i = 0; i < n_variants; i++) {
        n_before += i != index && is_in(&variants[i], kind) &&
                    (variants[i].ratio < variants[index].ratio ||
                     (variants[i].ratio == variants[index].ratio && i < index));
    }
    return n_before;
}

/* Judge one variant against the best of its kinds: the least it is behind, and its best place.
 */
static void judge(const struct mb_tune_variant *variants, size_t n_variants, const double *best,
                  double margin, size_t cap, size_t index, struct mb_tune_variant *out)
{
    bool is_near = false, is_kept = false;
    *out = variants[index];
    out->behind = INFINITY;
    for (int kind = 0; kind < MB_N_TUNE_KINDS; kind++) {
        if (!is_in(&variants[index], kind)) {
            continue;
        }
        const double behind = variants[index].ratio / best[kind];
        out->behind = fmin(out->behind, behind);
        if (behind <= margin) {
            is_near = true;
            is_kept = is_kept || cap == 0 || place_of(variants, n_variants, index, kind) < cap;
        }
    }
    out->state = is_kept ? MB_TUNE_ACTIVE : MB_TUNE_DROPPED;
    out->is_over_cap = is_near && !is_kept;
}

size_t mb_tune_select(struct mb_tune_variant *variants, size_t n_variants, double margin,
                      size_t cap, uint32_t pass)
{
    double best[MB_N_TUNE_KINDS];
    size_t n_left = 0;
    for (int kind = 0; kind < MB_N_TUNE_KINDS; kind++) {
        best[kind] = best_of(variants, n_variants, kind);
    }
    /* Marked first and dropped after, since places are among all that are active. */
    for (size_t i = 0; i < n_variants; i++) {
        struct mb_tune_variant judged;
        if (variants[i].state != MB_TUNE_ACTIVE) {
            continue;
        }
        judge(variants, n_variants, best, margin, cap, i, &judged);
        variants[i].behind = judged.behind;
        variants[i].is_over_cap = judged.is_over_cap;
        variants[i].pass = judged.state == MB_TUNE_DROPPED ? pass : UINT32_MAX;
        n_left += judged.state == MB_TUNE_ACTIVE;
    }
    for (size_t i = 0; i < n_variants; i++) {
        if (variants[i].state == MB_TUNE_ACTIVE && variants[i].pass == pass) {
            variants[i].state = MB_TUNE_DROPPED;
        }
    }
    return n_left;
}

enum mb_status mb_tune_reopen(struct mb_tune_case *c, bool *is_open, struct mb_err *err)
{
    const uint32_t last = c->n_passes - 1;
    const size_t n = c->n_variants;
    struct mb_tune_variant *again = mb_alloc(n, sizeof *again);
    if (!again) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "tune: out of memory");
    }
    memcpy(again, c->variants, n * sizeof *again);
    for (size_t i = 0; i < n; i++) {
        if (again[i].state == MB_TUNE_DROPPED || again[i].state == MB_TUNE_FINAL) {
            again[i].state = MB_TUNE_ACTIVE;
        }
    }
    const size_t n_out =
        mb_tune_select(again, n, c->pass[last].margin, MB_TUNE_FINALISTS, last);
    *is_open = false;
    for (size_t i = 0; i < n; i++) {
        *is_open = *is_open || (again[i].state == MB_TUNE_ACTIVE &&
                                c->variants[i].state == MB_TUNE_DROPPED);
    }
    for (size_t i = 0; i < n; i++) {
        const bool was_dropped = c->variants[i].state == MB_TUNE_DROPPED;
        if (*is_open || was_dropped) {
            c->variants[i] = again[i]; /* the dropped ones held against the new bar */
        }
    }
    c->pass[last].n_out = *is_open ? n_out : c->pass[last].n_out;
    mb_free(again);
    return MB_OK;
}

static bool is_candidate(const struct mb_cell *cell, const struct mb_result *result,
                         enum mb_tune_kind kind)
{
    return result->verify == MB_VERIFY_PASS && result->status == MB_RESULT_OK &&
           result->n_samples > 0 && isfinite(result->stats.median_ns) &&
           (mb_tune_kinds(&result->work.claim, cell->layout.base, cell->task.reduce) &
            1u << kind) != 0;
}

/* The fastest of a kind that is not `besides`, or SIZE_MAX. */
static size_t find_fastest(const struct mb_cell *cell, enum mb_tune_kind kind, size_t besides)
{
    size_t fastest = SIZE_MAX;
    for (size_t i = 0; i < cell->n_results; i++) {
        if (i != besides && is_candidate(cell, &cell->results[i], kind) &&
            (fastest == SIZE_MAX ||
             cell->results[i].stats.median_ns < cell->results[fastest].stats.median_ns)) {
            fastest = i;
        }
    }
    return fastest;
}

/* Relate all of a kind to its fastest, as if no other had been there. */
static enum mb_status relate(const struct mb_cell *cell, enum mb_tune_kind kind, uint64_t seed,
                             struct mb_tune_choice *choice, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_cell view = *cell;
    view.results = mb_alloc(cell->n_results, sizeof *view.results);
    choice->relation = mb_alloc(cell->n_results, sizeof *choice->relation);
    if (!view.results || !choice->relation) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "tune: out of memory");
        goto fail;
    }
    memcpy(view.results, cell->results, cell->n_results * sizeof *view.results);
    view.fastest = choice->fastest;
    for (size_t i = 0; i < cell->n_results; i++) {
        if (!is_candidate(cell, &cell->results[i], kind)) {
            view.results[i].column = SIZE_MAX; /* left out of the comparison */
        }
    }
    MB_TRY(mb_relate_cell(&view, seed, err));
    view.twin = cell->twin; /* the noise of the ruler is that of all */
    MB_TRY(mb_relate_judge(&view, err));
    choice->margin = mb_relate_margin(&view);
    for (size_t i = 0; i < cell->n_results; i++) {
        choice->relation[i] = view.results[i].relation;
    }
fail:
    mb_free(view.results); /* what they own is the cell's */
    return status;
}

static bool is_tied(const struct mb_tune_choice *choice, size_t index)
{
    return index == choice->fastest || choice->relation[index].outcome != MB_OUTCOME_SLOWER;
}

static size_t count_settings(const struct mb_params *params)
{
    size_t n = 0;
    for (size_t i = 0; i < MB_MAX_PARAMS; i++) {
        n += params->choice[i] != 0;
    }
    return n;
}

static double spread_of(const struct mb_result *result)
{
    return (result->stats.p75_ns - result->stats.p25_ns) / result->stats.median_ns;
}

/* True if `a` is to be had rather than `b`, where their times do not say. */
static bool is_simpler(const struct mb_result *a, const struct mb_result *b)
{
    const size_t n_a = count_settings(&a->params), n_b = count_settings(&b->params);
    if (n_a != n_b) {
        return n_a < n_b;
    }
    if (a->work.n_dispatches != b->work.n_dispatches) {
        return a->work.n_dispatches < b->work.n_dispatches;
    }
    return spread_of(a) < spread_of(b);
}

static void choose_simplest(const struct mb_cell *cell, enum mb_tune_kind kind,
                            struct mb_tune_choice *choice)
{
    choice->chosen = choice->fastest;
    for (size_t i = 0; i < cell->n_results; i++) {
        if (i == choice->fastest || !is_candidate(cell, &cell->results[i], kind) ||
            !is_tied(choice, i)) {
            continue;
        }
        choice->n_tied++;
        if (choice->relation[i].ratio <= 1.0 + MB_MARGIN &&
            is_simpler(&cell->results[i], &cell->results[choice->chosen])) {
            choice->chosen = i;
        }
    }
}

/* The same comparison from the other side. */
static struct mb_relation invert(const struct mb_relation *relation)
{
    struct mb_relation inverse = *relation;
    inverse.ratio = 1.0 / relation->ratio;
    inverse.ci[0] = 1.0 / relation->ci[1];
    inverse.ci[1] = 1.0 / relation->ci[0];
    if (relation->outcome == MB_OUTCOME_FASTER) {
        inverse.outcome = MB_OUTCOME_SLOWER;
    } else if (relation->outcome == MB_OUTCOME_SLOWER) {
        inverse.outcome = MB_OUTCOME_FASTER;
    }
    return inverse;
}

/* The fastest of the others: where the chosen one is not the fastest, that. */
static void find_runner_up(const struct mb_cell *cell, enum mb_tune_kind kind,
                           struct mb_tune_choice *choice)
{
    choice->runner_up = find_fastest(cell, kind, choice->chosen);
    if (choice->runner_up == SIZE_MAX) {
        return;
    }
    choice->next = choice->chosen == choice->fastest
                       ? choice->relation[choice->runner_up]
                       : invert(&choice->relation[choice->chosen]);
    choice->is_distinct = choice->next.outcome == MB_OUTCOME_SLOWER;
}

enum mb_status mb_tune_choose(const struct mb_cell *cell, enum mb_tune_kind kind, uint64_t seed,
                              struct mb_tune_choice *choice, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    *choice = (struct mb_tune_choice){
        .fastest = find_fastest(cell, kind, SIZE_MAX),
        .chosen = SIZE_MAX,
        .runner_up = SIZE_MAX,
        .margin = (double)NAN,
    };
    if (choice->fastest == SIZE_MAX) {
        return MB_OK;
    }
    MB_TRY(relate(cell, kind, seed, choice, err));
    choose_simplest(cell, kind, choice);
    find_runner_up(cell, kind, choice);
fail:
    return status;
}
