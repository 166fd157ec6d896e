/* How far decisions reach, and where the winner changes. */
#include "tune/class.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "tune/choose.h"

/* The variant that was chosen. */
static size_t chosen_variant(const struct mb_tune_choice *choice)
{
    const struct mb_tune_variant *variants = choice->of->variants;
    size_t i = 0;
    while (variants[i].state != MB_TUNE_FINAL || variants[i].row != choice->chosen) {
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
                    enum mb_question question, bool is_power)
{
    const size_t first = tune->n_classes;
    for (size_t i = 0; i < tune->n_cases; i++) {
        struct mb_tune_case *c = &tune->cases[i];
        struct mb_tune_choice *choice = &c->choice[question];
        if (c->layout.format == format && choice->chosen != NULL &&
            mb_tune_is_power(c->layout.base) == is_power) {
            choice->of = c;
            choice->question = question;
            choice->is_power = is_power;
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
    if (!tune->classes) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "tune: out of memory");
    }
    for (size_t i = 0; i < tune->n_cases; i++) {
        if (is_first_of_format(tune, i)) {
            classify_format(tune, tune->cases[i].layout.format);
        }
    }
    return MB_OK;
}
