/* Which variants reach the final, which one wins, and for which sizes. */
#include "tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/figure.h"
#include "result/ranking.h"
#include "result/relate.h"

void mb_tune_finish(struct mb_tune *tune)
{
    mb_free(tune->classes);
    *tune = (struct mb_tune){.classes = NULL};
}

bool mb_tune_is_power(struct mb_extent base)
{
    return mb_is_power_of_two(base.width) && mb_is_power_of_two(base.height);
}

/* Count the variants that answer a question and are faster than variant `index`, or equal and
 * earlier in the list. `*best` is the best ratio. */
static size_t place_of(const struct mb_tune_trial *trials, size_t n, size_t index, int question,
                       double *best)
{
    size_t n_before = 0;
    *best = trials[index].ratio;
    for (size_t i = 0; i < n; i++) {
        const double ratio = trials[i].ratio;
        if ((trials[i].questions & 1u << question) != 0) {
            n_before +=
                ratio < trials[index].ratio || (ratio == trials[index].ratio && i < index);
            *best = fmin(*best, ratio);
        }
    }
    return n_before;
}

/* Whether a variant goes on to the final. Also notes how far it is behind the best. */
static bool goes_on(struct mb_tune_trial *trials, size_t n, size_t index)
{
    struct mb_tune_trial *judged = &trials[index];
    double behind = INFINITY;
    bool is_good = judged->questions == 0;
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        if ((judged->questions & 1u << question) != 0) {
            double best;
            const size_t n_before = place_of(trials, n, index, question, &best);
            is_good = is_good ||
                      (judged->ratio <= MB_TUNE_MARGIN * best && n_before < MB_TUNE_FINALISTS);
            behind = fmin(behind, judged->ratio / best);
        }
    }
    judged->left_out = mb_text("not in the final: %sx slower than the best in the first pass",
                               mb_ratio_text(behind).s);
    return is_good;
}

size_t mb_tune_select(struct mb_tune_trial *trials, size_t n, const char **left_out)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        left_out[i] = goes_on(trials, n, i) ? NULL : trials[i].left_out.s;
        n_kept += left_out[i] == NULL;
    }
    return n_kept;
}

static size_t count_settings(const struct mb_row *row)
{
    size_t n = 0;
    for (size_t i = 0; i < MB_MAX_PARAMS; i++) {
        n += row->result->params.choice[i] != 0;
    }
    return n;
}

/* Relate all rows to row `index`. */
static enum mb_status relate_to(struct mb_timing *timing, size_t index, uint64_t seed,
                                struct mb_err *err)
{
    timing->fastest = index;
    return mb_relate_timing(timing, seed, err);
}

/* Choose a variant for class->question. Leaves all rows related to the chosen one, or to none
 * if no row answers the question. */
static enum mb_status choose(struct mb_timing *timing, uint64_t seed,
                             struct mb_tune_class *class, struct mb_err *err)
{
    const struct mb_row *rows = timing->rows;
    size_t n;
    MB_FREED size_t *order = mb_ranking_order(timing, class->question, &n);
    MB_DO(MB_NEED(order, "tune"));
    size_t chosen = n > 0 ? order[0] : SIZE_MAX;
    MB_DO(relate_to(timing, chosen, seed, err));
    for (size_t i = 1; i < n; i++) {
        const struct mb_row *row = &rows[order[i]];
        if (row->relation.outcome != MB_OUTCOME_SLOWER &&
            row->relation.ratio <= 1.0 + MB_MARGIN &&
            count_settings(row) < count_settings(&rows[chosen])) {
            chosen = order[i];
        }
    }
    if (n > 0 && chosen != order[0]) {
        MB_DO(relate_to(timing, chosen, seed, err));
    }
    class->fastest = n > 0 ? &rows[order[0]] : NULL;
    class->chosen = n > 0 ? &rows[chosen] : NULL;
    class->runner_up = n > 1 ? &rows[order[chosen == order[0]]] : NULL;
    class->next = class->runner_up ? class->runner_up->relation : mb_no_relation;
    return MB_OK;
}

/* The number of texels at which a ratio of times is 1, by linear interpolation of logarithms;
 * NaN unless the ratio is below 1 at `below` and above 1 at `above`. */
static double cross(double below_texels, double below_ratio, double above_texels,
                    double above_ratio)
{
    const double y0 = log(below_ratio), y1 = log(above_ratio);
    const double x0 = log(below_texels), x1 = log(above_texels);
    return y0 < 0.0 && y1 > 0.0 ? exp(x0 + (x1 - x0) * (-y0 / (y1 - y0))) : (double)NAN;
}

static const struct mb_layout *layout_of(const struct mb_tune_class *class)
{
    return &class->timing->of->layout;
}

static uint64_t texels_of(const struct mb_tune_class *class)
{
    return (uint64_t)layout_of(class)->base.width * layout_of(class)->base.height;
}

static uint32_t edge_of(const struct mb_tune_class *class)
{
    const struct mb_extent base = layout_of(class)->base;
    return base.width > base.height ? base.width : base.height;
}

/* The row in `timing`, perhaps without times, of the winner of a class; NULL if the winner
 * cannot run there. */
static const struct mb_row *winner_in(const struct mb_timing *timing,
                                      const struct mb_tune_class *class)
{
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_result *result = &timing->of->results[i];
        if (strcmp(result->slug, class->chosen->result->slug) == 0) {
            return result->status == MB_RESULT_OK ? &timing->rows[i] : NULL;
        }
    }
    return NULL;
}

/* The number of texels at which one class ends and the next begins: the size of `below` if its
 * winner cannot run above, else where the winners' times cross, or if unknown, halfway. */
static double find_border(const struct mb_tune_class *below, const struct mb_tune_class *above)
{
    const struct mb_row *upper_below = winner_in(below->timing, above);
    const struct mb_row *lower_above = winner_in(above->timing, below);
    const double low = (double)texels_of(below), high = (double)texels_of(above);
    double texels = (double)NAN;
    if (lower_above == NULL) {
        return low;
    }
    if (upper_below != NULL) { /* if NULL, or without times, no crossing is known */
        texels = cross(low, below->chosen->stats.median_ns / upper_below->stats.median_ns, high,
                       lower_above->stats.median_ns / above->chosen->stats.median_ns);
    }
    return isnan(texels) ? sqrt(low * high) : texels;
}

/* Compare by format, question and kind of size; returns a number as strcmp() does. */
static int compare_kinds(const struct mb_tune_class *x, const struct mb_tune_class *y)
{
    const int by_format = strcmp(layout_of(x)->format->name, layout_of(y)->format->name);
    const int by_question = (int)x->question - (int)y->question;
    return by_format != 0     ? by_format
           : by_question != 0 ? by_question
                              : (int)y->is_power - (int)x->is_power;
}

static int compare_classes(const void *a, const void *b)
{
    const struct mb_tune_class *x = a, *y = b;
    const int by_kind = compare_kinds(x, y);
    if (by_kind != 0) {
        return by_kind;
    }
    if (texels_of(x) != texels_of(y)) {
        return texels_of(x) < texels_of(y) ? -1 : 1;
    }
    return (edge_of(x) > edge_of(y)) - (edge_of(x) < edge_of(y));
}

/* Set the range of a class: up to its own size, or to the border with the next one of its
 * kind. */
static void reach(struct mb_tune_class *class, const struct mb_tune_class *above)
{
    const double own = (double)texels_of(class);
    const double texels = above != NULL ? find_border(class, above) : own;
    class->max_texels = (uint64_t)texels;
    class->max_edge = (uint32_t)((double)edge_of(class) * sqrt(texels / own));
}

static enum mb_status append(struct mb_tune *tune, const struct mb_tune_class *class,
                             struct mb_err *err)
{
    struct mb_tune_class *longer = mb_grow(tune->classes, tune->n_classes, sizeof *longer);
    MB_DO(MB_NEED(longer, "tune"));
    tune->classes = longer;
    tune->classes[tune->n_classes++] = *class;
    return MB_OK;
}

/* Append a class for each question that a row answers. Restores the relations of the rows. */
static enum mb_status decide(struct mb_tune *tune, struct mb_timing *timing, uint64_t seed,
                             struct mb_err *err)
{
    const size_t fastest = timing->fastest;
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        struct mb_tune_class class = {
            .timing = timing,
            .question = (enum mb_question)question,
            .is_power = mb_tune_is_power(timing->of->layout.base),
        };
        MB_DO(choose(timing, seed, &class, err));
        MB_DO(class.chosen ? append(tune, &class, err) : MB_OK);
    }
    return relate_to(timing, fastest, seed, err);
}

enum mb_status mb_tune_add(struct mb_tune *tune, struct mb_timing *timing, uint64_t seed,
                           struct mb_err *err)
{
    const size_t n_before = tune->n_classes;
    const enum mb_status status = decide(tune, timing, seed, err);
    struct mb_tune_class *classes = tune->classes;
    tune->n_classes = status == MB_OK ? tune->n_classes : n_before;
    if (tune->n_classes > 0) {
        qsort(classes, tune->n_classes, sizeof *classes, compare_classes);
    }
    for (size_t i = 0; i < tune->n_classes; i++) {
        const bool is_last =
            i + 1 == tune->n_classes || compare_kinds(&classes[i], &classes[i + 1]) != 0;
        reach(&classes[i], is_last ? NULL : &classes[i + 1]);
    }
    return status;
}

const struct mb_tune_class *mb_tune_find(const struct mb_tune *tune, const struct mb_case *c,
                                         enum mb_question question)
{
    for (size_t i = 0; i < tune->n_classes; i++) {
        if (tune->classes[i].timing->of == c && tune->classes[i].question == question) {
            return &tune->classes[i];
        }
    }
    return NULL;
}
