/* How far decisions reach, and where the winner changes. */
#include "tune/class.h"

#include <math.h>

#include "base/alloc.h"
#include "tune/choose.h"

size_t mb_tune_chosen_variant(const struct mb_tune_case *c, enum mb_question question)
{
    for (size_t i = 0; c->choice[question].chosen != SIZE_MAX && i < c->n_variants; i++) {
        if (c->variants[i].state == MB_TUNE_FINAL &&
            c->variants[i].result == c->choice[question].chosen) {
            return i;
        }
    }
    return SIZE_MAX;
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
static double ratio_of(const struct mb_run *run, const struct mb_tune_case *c, size_t a,
                       size_t b, bool *is_final)
{
    const struct mb_tune_variant *x = &c->variants[standing_for(c, a)];
    const struct mb_tune_variant *y = &c->variants[standing_for(c, b)];
    *is_final = x->state == MB_TUNE_FINAL && y->state == MB_TUNE_FINAL;
    if (*is_final) {
        const struct mb_row *rows = mb_tune_final(run, c)->rows;
        return rows[x->result].stats.median_ns / rows[y->result].stats.median_ns;
    }
    return x->ratio / y->ratio;
}

static bool runs_in(const struct mb_tune_case *c, size_t variant)
{
    const enum mb_tune_state state = c->variants[standing_for(c, variant)].state;
    return state == MB_TUNE_FINAL || state == MB_TUNE_DROPPED;
}

/* Where one class ends and the next begins. */
static double find_border(const struct mb_run *run, const struct mb_tune_case *below,
                          const struct mb_tune_case *above, enum mb_question question,
                          enum mb_tune_how *how)
{
    const size_t a = mb_tune_chosen_variant(below, question);
    const size_t b = mb_tune_chosen_variant(above, question);
    const double low = (double)texels_of(below), high = (double)texels_of(above);
    bool is_final[2];
    if (!runs_in(above, a)) {
        *how = MB_TUNE_LIMIT;
        return low;
    }
    const double texels = mb_tune_cross(low, ratio_of(run, below, a, b, &is_final[0]), high,
                                        ratio_of(run, above, a, b, &is_final[1]));
    *how = is_final[0] && is_final[1] ? MB_TUNE_INTERPOLATED : MB_TUNE_ESTIMATED;
    if (isnan(texels)) {
        *how = MB_TUNE_MIDPOINT;
        return sqrt(low * high);
    }
    return texels;
}

/* The cases of one format and question of size in which something of `question` was chosen, in
 * order of texels, then edges, appended as classes. */
static void collect(struct mb_tune *tune, const struct mb_format *format,
                    enum mb_question question, bool is_power)
{
    const size_t first = tune->n_classes;
    for (size_t i = 0; i < tune->n_cases; i++) {
        const struct mb_tune_case *c = &tune->cases[i];
        if (c->layout.format != format || c->choice[question].chosen == SIZE_MAX ||
            mb_tune_is_power(c->layout.base) != is_power) {
            continue;
        }
        size_t at = tune->n_classes++;
        for (; at > first; at--) {
            const struct mb_tune_case *other = &tune->cases[tune->classes[at - 1].index];
            if (texels_of(other) < texels_of(c) ||
                (texels_of(other) == texels_of(c) && edge_of(other) <= edge_of(c))) {
                break;
            }
            tune->classes[at] = tune->classes[at - 1];
        }
        tune->classes[at] = (struct mb_tune_class){
            .index = i,
            .question = question,
            .is_power = is_power,
            .max_texels = texels_of(c),
            .max_edge = edge_of(c),
        };
    }
}

/* Let the class at `index` reach to the next one, and note it if the winner changes there. */
static void reach(struct mb_tune *tune, const struct mb_run *run, size_t index)
{
    struct mb_tune_class *class = &tune->classes[index];
    const struct mb_tune_case *below = &tune->cases[class->index];
    const struct mb_tune_case *above = &tune->cases[tune->classes[index + 1].index];
    enum mb_tune_how how = MB_TUNE_MIDPOINT;
    const double texels = find_border(run, below, above, class->question, &how);
    const double growth = sqrt(texels / (double)texels_of(below));
    class->max_texels = (uint64_t)texels;
    class->max_edge = (uint32_t)((double)edge_of(below) * growth);
    if (standing_for(above, mb_tune_chosen_variant(below, class->question)) !=
        mb_tune_chosen_variant(above, class->question)) {
        tune->crossovers[tune->n_crossovers++] = (struct mb_tune_crossover){
            .below = index,
            .above = index + 1,
            .texels = texels,
            .how = how,
        };
    }
}

/* True for the first case of its format. */
static bool is_first_of_format(const struct mb_tune *tune, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (tune->cases[i].layout.format == tune->cases[index].layout.format) {
            return false;
        }
    }
    return true;
}

static void classify_format(struct mb_tune *tune, const struct mb_run *run,
                            const struct mb_format *format)
{
    for (int i = 0; i < 2 * MB_N_QUESTIONS; i++) {
        const size_t first = tune->n_classes;
        collect(tune, format, (enum mb_question)(i / 2), i % 2 == 0);
        for (size_t k = first; k + 1 < tune->n_classes; k++) {
            reach(tune, run, k);
        }
    }
}

enum mb_status mb_tune_classify(struct mb_tune *tune, const struct mb_run *run,
                                struct mb_err *err)
{
    const size_t n_most = tune->n_cases * MB_N_QUESTIONS + 1;
    mb_free(tune->classes);
    mb_free(tune->crossovers);
    tune->n_classes = tune->n_crossovers = 0;
    tune->classes = mb_alloc(n_most, sizeof *tune->classes);
    tune->crossovers = mb_alloc(n_most, sizeof *tune->crossovers);
    if (!tune->classes || !tune->crossovers) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "tune: out of memory");
    }
    for (size_t i = 0; i < tune->n_cases; i++) {
        if (is_first_of_format(tune, i)) {
            classify_format(tune, run, tune->cases[i].layout.format);
        }
    }
    return MB_OK;
}
