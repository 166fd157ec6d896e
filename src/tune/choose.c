/* Which variants go on from a pass, which are chosen in a final, and how far that reaches. */
#include "tune/choose.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "result/ranking.h"
#include "result/relate.h"

static bool is_in(const struct mb_tune_variant *variant, int question)
{
    return variant->state == MB_TUNE_ACTIVE && isfinite(variant->ratio) &&
           (variant->questions & 1u << question) != 0;
}

static double best_of(const struct mb_tune_variant *variants, size_t n_variants, int question)
{
    double best = (double)NAN;
    for (size_t i = 0; i < n_variants; i++) {
        if (is_in(&variants[i], question)) {
            best = fmin(best, variants[i].ratio); /* of a NaN and a number: the number */
        }
    }
    return best;
}

/* How many of a question are faster, or as fast and earlier. */
static size_t place_of(const struct mb_tune_variant *variants, size_t n_variants, size_t index,
                       int question)
{
    size_t n_before = 0;
    for (size_t i = 0; i < n_variants; i++) {
        n_before += i != index && is_in(&variants[i], question) &&
                    (variants[i].ratio < variants[index].ratio ||
                     (variants[i].ratio == variants[index].ratio && i < index));
    }
    return n_before;
}

/* Judge one variant against the best of its questions, by the least it is behind and its best
 * place; one that goes on has the pass UINT32_MAX. */
static void judge(struct mb_tune_variant *variants, size_t n_variants, size_t index,
                  const double *best, double margin, size_t cap)
{
    struct mb_tune_variant *judged = &variants[index];
    bool is_near = false, is_kept = false;
    judged->behind = INFINITY;
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        if (is_in(judged, question)) {
            const double behind = judged->ratio / best[question];
            const bool has_place =
                cap == 0 || place_of(variants, n_variants, index, question) < cap;
            judged->behind = fmin(judged->behind, behind);
            is_near = is_near || behind <= margin;
            is_kept = is_kept || (behind <= margin && has_place);
        }
    }
    judged->is_over_cap = is_near && !is_kept;
    judged->pass = is_kept ? UINT32_MAX : 0;
}

size_t mb_tune_select(struct mb_tune_variant *variants, size_t n_variants, double margin,
                      size_t cap, uint32_t pass)
{
    double best[MB_N_QUESTIONS];
    size_t n_left = 0;
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        best[question] = best_of(variants, n_variants, question);
    }
    /* Marked first and dropped after, since places are among all that are active. */
    for (size_t i = 0; i < n_variants; i++) {
        if (variants[i].state == MB_TUNE_ACTIVE) {
            judge(variants, n_variants, i, best, margin, cap);
        }
    }
    for (size_t i = 0; i < n_variants; i++) {
        const bool is_active = variants[i].state == MB_TUNE_ACTIVE;
        if (is_active && variants[i].pass != UINT32_MAX) {
            variants[i].pass = pass;
            variants[i].state = MB_TUNE_DROPPED;
        }
        n_left += variants[i].state == MB_TUNE_ACTIVE;
    }
    return n_left;
}

bool mb_tune_reopen(struct mb_tune_case *c)
{
    const uint32_t last = c->n_passes - 1;
    bool is_open = false;
    for (size_t i = 0; i < c->n_variants; i++) {
        const enum mb_tune_state state = c->variants[i].state;
        if (state == MB_TUNE_DROPPED || state == MB_TUNE_FINAL) {
            c->variants[i].state = MB_TUNE_ACTIVE;
        }
    }
    const size_t n_out = mb_tune_select(c->variants, c->n_variants, mb_tune_rules[last].margin,
                                        MB_TUNE_FINALISTS, last);
    for (size_t i = 0; i < c->n_variants; i++) {
        is_open =
            is_open || (c->variants[i].state == MB_TUNE_ACTIVE && c->variants[i].row == NULL);
    }
    for (size_t i = 0; i < c->n_variants; i++) {
        if (is_open) {
            c->variants[i].row = NULL; /* of a final that counts no more */
        } else if (c->variants[i].state == MB_TUNE_ACTIVE) {
            c->variants[i].state = MB_TUNE_FINAL;
        }
    }
    c->pass[last].n_out = is_open ? n_out : c->pass[last].n_out;
    return is_open;
}

static size_t count_settings(const struct mb_params *params)
{
    size_t n = 0;
    for (size_t i = 0; i < MB_MAX_PARAMS; i++) {
        n += params->choice[i] != 0;
    }
    return n;
}

static double spread_of(const struct mb_row *row)
{
    return (row->stats.p75_ns - row->stats.p25_ns) / row->stats.median_ns;
}

/* Whether `a` is preferred to `b` where their times cannot be told apart. */
static bool is_simpler(const struct mb_row *a, const struct mb_row *b)
{
    const size_t n_a = count_settings(&a->result->params);
    const size_t n_b = count_settings(&b->result->params);
    if (n_a != n_b) {
        return n_a < n_b;
    }
    if (a->result->work.n_dispatches != b->result->work.n_dispatches) {
        return a->result->work.n_dispatches < b->result->work.n_dispatches;
    }
    return spread_of(a) < spread_of(b);
}

/* Among what the ranking of the timing's question cannot tell from its fastest. */
static void choose_simplest(const struct mb_timing *timing, const size_t *order, size_t n,
                            struct mb_tune_choice *choice)
{
    choice->fastest = choice->chosen = &timing->rows[timing->fastest];
    for (size_t i = 0; i < n; i++) {
        const struct mb_row *row = &timing->rows[order[i]];
        if (mb_ranking_is_tied(timing, order[i])) {
            const bool is_near = row->relation.ratio <= 1.0 + MB_MARGIN;
            choice->n_tied++;
            choice->chosen = is_near && is_simpler(row, choice->chosen) ? row : choice->chosen;
        }
    }
    for (size_t i = 0; i < n && choice->runner_up == NULL; i++) {
        const struct mb_row *row = &timing->rows[order[i]];
        choice->runner_up = row != choice->chosen ? row : NULL;
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

static enum mb_status choose(struct mb_timing *timing, uint64_t seed,
                             struct mb_tune_choice *choice, struct mb_err *err)
{
    size_t n;
    MB_FREED size_t *order = mb_ranking_order(timing, timing->question, &n);
    MB_DO(MB_NEED(order, "tune"));
    MB_DO(mb_relate_timing(timing, seed, err));
    MB_DO(mb_relate_judge(timing, err));
    choose_simplest(timing, order, n, choice);
    if (choice->runner_up != NULL) {
        choice->next = choice->chosen == choice->fastest ? choice->runner_up->relation
                                                         : invert(&choice->chosen->relation);
        choice->is_distinct = choice->next.outcome == MB_OUTCOME_SLOWER;
    }
    return MB_OK;
}

enum mb_status mb_tune_choose(struct mb_timing *timing, uint64_t seed,
                              struct mb_tune_choice choice[MB_N_QUESTIONS], struct mb_err *err)
{
    /* Backwards: relations are those of the first question then, as a run has them. */
    for (int q = MB_N_QUESTIONS - 1; q >= 0; q--) {
        choice[q] = (struct mb_tune_choice){.chosen = NULL};
        if (mb_ranking_ask(timing, (enum mb_question)q)) {
            MB_DO(choose(timing, seed, &choice[q], err));
        }
    }
    mb_ranking_choose(timing);
    return MB_OK;
}

/* The variant that was chosen. */
static size_t chosen_variant(const struct mb_tune_choice *choice)
{
    const struct mb_tune_variant *variants = choice->of->variants;
    size_t i = 0;
    while (variants[i].state != MB_TUNE_FINAL ||
           variants[i].row->result != choice->chosen->result) {
        i++;
    }
    return i;
}

double mb_tune_cross(double below_texels, double below_ratio, double above_texels,
                     double above_ratio)
{
    const double y0 = log(below_ratio), y1 = log(above_ratio);
    const double x0 = log(below_texels), x1 = log(above_texels);
    if (!(y0 < 0.0 && y1 > 0.0)) {
        return (double)NAN;
    }
    return exp(x0 + (x1 - x0) * (-y0 / (y1 - y0)));
}

static uint64_t texels_of(const struct mb_tune_case *c)
{
    return (uint64_t)c->layout.base.width * c->layout.base.height;
}

static uint32_t edge_of(const struct mb_tune_case *c)
{
    const struct mb_extent base = c->layout.base;
    return base.width > base.height ? base.width : base.height;
}

/* The variant that stands for this one in a case. */
static size_t standing_for(const struct mb_tune_case *c, size_t variant)
{
    const struct mb_tune_variant *found = &c->variants[variant];
    return found->state == MB_TUNE_SAME ? found->same_as : variant;
}

/* Time of variant `a` over that of `b` in one case: of the final where both were in it, else of
 * the passes; NaN where one was not timed. */
static double ratio_of(const struct mb_tune_case *c, size_t a, size_t b, bool *is_final)
{
    const struct mb_tune_variant *x = &c->variants[standing_for(c, a)];
    const struct mb_tune_variant *y = &c->variants[standing_for(c, b)];
    *is_final = x->state == MB_TUNE_FINAL && y->state == MB_TUNE_FINAL;
    if (*is_final) {
        return x->row->stats.median_ns / y->row->stats.median_ns;
    }
    return x->ratio / y->ratio;
}

static bool runs_in(const struct mb_tune_case *c, size_t variant)
{
    const enum mb_tune_state state = c->variants[standing_for(c, variant)].state;
    return state == MB_TUNE_FINAL || state == MB_TUNE_DROPPED;
}

/* Where one class ends and the next begins. */
static double find_border(const struct mb_tune_choice *below,
                          const struct mb_tune_choice *above, enum mb_tune_how *how)
{
    const size_t a = chosen_variant(below), b = chosen_variant(above);
    const double low = (double)texels_of(below->of), high = (double)texels_of(above->of);
    bool is_final[2];
    if (!runs_in(above->of, a)) {
        *how = MB_TUNE_LIMIT;
        return low;
    }
    const double texels = mb_tune_cross(low, ratio_of(below->of, a, b, &is_final[0]), high,
                                        ratio_of(above->of, a, b, &is_final[1]));
    *how = is_final[0] && is_final[1] ? MB_TUNE_INTERPOLATED : MB_TUNE_ESTIMATED;
    if (isnan(texels)) {
        *how = MB_TUNE_MIDPOINT;
        return sqrt(low * high);
    }
    return texels;
}

/* By texels, then edges, then in the order of the cases. */
static int compare_classes(const void *a, const void *b)
{
    const struct mb_tune_choice *x = *(struct mb_tune_choice *const *)a;
    const struct mb_tune_choice *y = *(struct mb_tune_choice *const *)b;
    if (texels_of(x->of) != texels_of(y->of)) {
        return texels_of(x->of) < texels_of(y->of) ? -1 : 1;
    }
    if (edge_of(x->of) != edge_of(y->of)) {
        return edge_of(x->of) < edge_of(y->of) ? -1 : 1;
    }
    return (x->of > y->of) - (x->of < y->of);
}

/* Append what was chosen for a question in one format and kind of size, in order. Each reaches
 * to its own size. */
static void collect(struct mb_tune *tune, const struct mb_format *format,
                    enum mb_question question, bool is_even)
{
    const size_t first = tune->n_classes;
    for (size_t i = 0; i < tune->n_cases; i++) {
        struct mb_tune_case *c = &tune->cases[i];
        struct mb_tune_choice *choice = &c->choice[question];
        if (c->layout.format == format && choice->chosen != NULL &&
            mb_policies_agree(c->layout.base, c->layout.n_levels) == is_even) {
            choice->of = c;
            choice->question = question;
            choice->is_even = is_even;
            choice->max_texels = texels_of(c);
            choice->max_edge = edge_of(c);
            choice->above = NULL;
            tune->classes[tune->n_classes++] = choice;
        }
    }
    qsort(tune->classes + first, tune->n_classes - first, sizeof(*tune->classes),
          compare_classes);
}

/* Let a class reach to the one above it, and note whether the winner changes there. */
static void reach(struct mb_tune_choice *class, const struct mb_tune_choice *above)
{
    class->border_texels = find_border(class, above, &class->how);
    const double growth = sqrt(class->border_texels / (double)texels_of(class->of));
    class->max_texels = (uint64_t) class->border_texels;
    class->max_edge = (uint32_t)((double)edge_of(class->of) * growth);
    if (standing_for(above->of, chosen_variant(class)) != chosen_variant(above)) {
        class->above = above;
    }
}

/* True for the first case of its format. */
static bool is_first_of_format(const struct mb_tune *tune, size_t index)
{
    size_t i = 0;
    while (tune->cases[i].layout.format != tune->cases[index].layout.format) {
        i++;
    }
    return i == index;
}

static void classify_format(struct mb_tune *tune, const struct mb_format *format)
{
    for (int i = 0; i < 2 * MB_N_QUESTIONS; i++) {
        const size_t first = tune->n_classes;
        collect(tune, format, (enum mb_question)(i / 2), i % 2 == 0);
        for (size_t k = first; k + 1 < tune->n_classes; k++) {
            reach(tune->classes[k], tune->classes[k + 1]);
        }
    }
}

enum mb_status mb_tune_classify(struct mb_tune *tune, struct mb_err *err)
{
    mb_free(tune->classes);
    tune->n_classes = 0;
    tune->classes = mb_alloc(tune->n_cases * MB_N_QUESTIONS, sizeof(*tune->classes));
    MB_DO(MB_NEED(tune->classes, "tune"));
    for (size_t i = 0; i < tune->n_cases; i++) {
        if (is_first_of_format(tune, i)) {
            classify_format(tune, tune->cases[i].layout.format);
        }
    }
    return MB_OK;
}
