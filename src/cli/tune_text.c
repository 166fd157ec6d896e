/* The table of decisions, and what a reader must know of it. */
#include "cli/tune_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/settings.h"
#include "base/text.h"
#include "result/describe.h"
#include "tune/choose.h"
#include "image/compare.h"

#define TEXT_BYTES 256
#define GAP        2

#define PAINT_BEST "\033[1;32m"
#define PAINT_BAD  "\033[1;31m"
#define PAINT_OFF  "\033[0m"

enum column {
    SIZE,
    FORMAT,
    POLICY,
    CHOSEN,
    MEDIAN,
    INTERVAL,
    RUNNER_UP,
    RELATIVE,
    VERIFIED,
    N_COLUMNS,
};

static const struct {
    const char *title;
    bool is_right;
} columns[N_COLUMNS] = {
    [SIZE] = {"Size", false},           [FORMAT] = {"Format", false},
    [POLICY] = {"Policy", false},       [CHOSEN] = {"Chosen", false},
    [MEDIAN] = {"Median", true},        [INTERVAL] = {"95% interval", true},
    [RUNNER_UP] = {"Runner-up", false}, [RELATIVE] = {"Relative", true},
    [VERIFIED] = {"Verified", false},
};

struct view {
    const struct mb_run *run;
    const struct mb_tune *tune;
    const struct mb_table_style *style;
};

/* One decision: a row of the table. */
struct decision {
    const struct mb_tune_case *c;
    const struct mb_tune_choice *choice;
    enum mb_question question;
    bool is_both; /* of box and any */
};

/* What is exact is often what is fastest, whatever the policy: one row then stands for both. */
static bool is_folded(const struct mb_tune_case *c, int question)
{
    return question == MB_QUESTION_ANY && c->choice[MB_QUESTION_EXACT].chosen != NULL &&
           c->choice[MB_QUESTION_EXACT].chosen == c->choice[MB_QUESTION_ANY].chosen &&
           c->choice[MB_QUESTION_EXACT].runner_up == c->choice[MB_QUESTION_ANY].runner_up;
}

static bool get_decision(const struct view *view, size_t index, int question,
                         struct decision *decision)
{
    const struct mb_tune_case *c = &view->tune->cases[index];
    if (c->choice[question].chosen == NULL || is_folded(c, question)) {
        return false;
    }
    *decision = (struct decision){
        .c = c,
        .choice = &c->choice[question],
        .question = (enum mb_question)question,
        .is_both = question == MB_QUESTION_EXACT && is_folded(c, MB_QUESTION_ANY),
    };
    return true;
}

/* "box, any", or "any (floor)" where the chosen one is of another policy, and that shows. */
static void text_policy(const struct decision *decision, char *out)
{
    const enum mb_policy policy =
        decision->choice->chosen->result->work.tolerance.filter.policy;
    const bool is_told = decision->question == MB_QUESTION_ANY && policy != MB_POLICY_BOX &&
                         !mb_tune_is_power(decision->c->layout.base);
    snprintf(out, TEXT_BYTES, "%s%s%s%s%s", mb_question_name(decision->question),
             decision->is_both ? ", any" : "", is_told ? " (" : "",
             is_told ? mb_policy_name(policy) : "", is_told ? ")" : "");
}

/* "4.75 - 4.83", in the unit and with the decimals of the median. */
static void text_interval(const struct mb_stats *stats, char *out)
{
    static const double units_ns[] = {1e9, 1e6, 1e3, 1.0};
    size_t i = 0;
    while (i + 1 < MB_COUNTOF(units_ns) && stats->median_ns < units_ns[i]) {
        i++;
    }
    const int decimals = units_ns[i] < 2.0 ? 0 : stats->median_ns < 10.0 * units_ns[i] ? 2 : 1;
    if (stats->median_ci_level < 0.95) {
        snprintf(out, TEXT_BYTES, "-");
        return;
    }
    snprintf(out, TEXT_BYTES, "%.*f - %.*f", decimals, stats->median_ci_ns[0] / units_ns[i],
             decimals, stats->median_ci_ns[1] / units_ns[i]);
}

static void text_relative(const struct view *view, const struct decision *decision, char *out)
{
    const struct mb_tune_choice *choice = decision->choice;
    char ratio[64];
    if (choice->runner_up == NULL) {
        snprintf(out, TEXT_BYTES, "-");
        return;
    }
    mb_relation_describe(&choice->next, view->style->unicode ? "\xc2\xb1" : "+-", ratio,
                         sizeof ratio);
    snprintf(out, TEXT_BYTES, "%s%s", choice->is_distinct ? "" : "tied ", ratio);
}

static void text_of(const struct view *view, const struct decision *decision,
                    enum column column, char *out)
{
    const struct mb_row *winner = decision->choice->chosen;
    const struct mb_extent base = decision->c->layout.base;
    const struct mb_row *runner_up = decision->choice->runner_up;
    switch (column) {
    case SIZE:
        snprintf(out, TEXT_BYTES, "%ux%u", base.width, base.height);
        break;
    case FORMAT:
        snprintf(out, TEXT_BYTES, "%s", decision->c->layout.format->name);
        break;
    case POLICY:
        text_policy(decision, out);
        break;
    case CHOSEN:
        snprintf(out, TEXT_BYTES, "%s", winner->result->label);
        break;
    case MEDIAN:
        mb_time_text(winner->stats.median_ns, out, TEXT_BYTES);
        break;
    case INTERVAL:
        text_interval(&winner->stats, out);
        break;
    case RUNNER_UP:
        snprintf(out, TEXT_BYTES, "%s", runner_up == NULL ? "-" : runner_up->result->label);
        break;
    case RELATIVE:
        text_relative(view, decision, out);
        break;
    case VERIFIED:
    case N_COLUMNS:
        mb_verdict_describe(&winner->result->verdict, decision->c->layout.format, out,
                            TEXT_BYTES);
        break;
    }
}

static void add_padded(struct mb_strbuf *out, int column, const char *text, size_t width)
{
    const size_t pad = width - mb_utf8_columns(text);
    mb_strbuf_spaces(out, (column > 0 ? GAP : 0) + (columns[column].is_right ? pad : 0));
    mb_strbuf_append(out, text);
    mb_strbuf_spaces(out, columns[column].is_right || column == N_COLUMNS - 1 ? 0 : pad);
}

/* Widths that hold the titles and every row. */
static void measure_columns(const struct view *view, size_t width[N_COLUMNS])
{
    struct decision decision;
    char text[TEXT_BYTES];
    for (int k = 0; k < N_COLUMNS; k++) {
        width[k] = mb_utf8_columns(columns[k].title);
    }
    for (size_t i = 0; i < view->tune->n_cases * MB_N_QUESTIONS; i++) {
        if (!get_decision(view, i / MB_N_QUESTIONS, (int)(i % MB_N_QUESTIONS), &decision)) {
            continue;
        }
        for (int k = 0; k < N_COLUMNS; k++) {
            text_of(view, &decision, (enum column)k, text);
            const size_t n = mb_utf8_columns(text);
            width[k] = n > width[k] ? n : width[k];
        }
    }
}

static void add_row(struct mb_strbuf *out, const struct view *view,
                    const struct decision *decision, const size_t width[N_COLUMNS])
{
    const bool is_painted = view->style->color && decision->choice->is_distinct;
    char text[TEXT_BYTES];
    mb_strbuf_append(out, "  ");
    for (int k = 0; k < N_COLUMNS; k++) {
        text_of(view, decision, (enum column)k, text);
        mb_strbuf_append(out, is_painted && k == CHOSEN ? PAINT_BEST : "");
        add_padded(out, k, text, width[k]);
        mb_strbuf_append(out, is_painted && k == CHOSEN ? PAINT_OFF : "");
    }
    mb_strbuf_append(out, "\n");
}

static void add_table(struct mb_strbuf *out, const struct view *view)
{
    struct decision decision;
    size_t width[N_COLUMNS];
    measure_columns(view, width);
    mb_strbuf_append(out, "  ");
    for (int k = 0; k < N_COLUMNS; k++) {
        add_padded(out, k, columns[k].title, width[k]);
    }
    mb_strbuf_append(out, "\n");
    for (size_t i = 0; i < view->tune->n_cases * MB_N_QUESTIONS; i++) {
        if (get_decision(view, i / MB_N_QUESTIONS, (int)(i % MB_N_QUESTIONS), &decision)) {
            add_row(out, view, &decision, width);
        }
    }
}

/* "64x64 rgba8, box: spd cannot be told from the fastest, spd:wave=off, and is simpler." With
 * `is_verbose` also where it is the fastest itself that others cannot be told from. */
static void add_tie(struct mb_strbuf *out, const struct decision *decision, bool is_verbose)
{
    const struct mb_tune_choice *choice = decision->choice;
    const struct mb_extent base = decision->c->layout.base;
    const bool is_fastest = choice->chosen == choice->fastest;
    char policy[TEXT_BYTES];
    if (choice->n_tied == 0 || (is_fastest && !is_verbose)) {
        return;
    }
    text_policy(decision, policy);
    mb_strbuf_printf(out, "%ux%u %s, %s: ", base.width, base.height,
                     decision->c->layout.format->name, policy);
    if (is_fastest) {
        mb_strbuf_printf(out, "%zu other%s cannot be told from %s.\n", choice->n_tied,
                         choice->n_tied == 1 ? "" : "s",
                         decision->choice->chosen->result->label);
        return;
    }
    mb_strbuf_printf(out, "%s cannot be told from the fastest, %s, and is simpler or steadier",
                     decision->choice->chosen->result->label, choice->fastest->result->label);
    if (choice->n_tied > 1) {
        mb_strbuf_printf(out, " (%zu are tied)", choice->n_tied + 1);
    }
    mb_strbuf_append(out, ".\n");
}

static void add_ties(struct mb_strbuf *out, const struct view *view, bool is_verbose)
{
    struct decision decision;
    for (size_t i = 0; i < view->tune->n_cases * MB_N_QUESTIONS; i++) {
        if (get_decision(view, i / MB_N_QUESTIONS, (int)(i % MB_N_QUESTIONS), &decision)) {
            add_tie(out, &decision, is_verbose);
        }
    }
}

static const char *label_of(const struct mb_tune_class *class)
{
    return class->choice->chosen->result->label;
}

/* The class of another policy with the same winners below and above. */
static bool has_like(const struct view *view, const struct mb_tune_class *below,
                     enum mb_question question)
{
    for (size_t i = 0; i < view->tune->n_classes; i++) {
        const struct mb_tune_class *other = &view->tune->classes[i];
        if (other->question == question && other->of == below->of && other->above &&
            other->above->of == below->above->of &&
            strcmp(label_of(other), label_of(below)) == 0 &&
            strcmp(label_of(other->above), label_of(below->above)) == 0) {
            return true;
        }
    }
    return false;
}

/* "rgba8, box, powers of two: spd up to about 1448x1448 (interpolated), spd-tree above." */
static void add_crossover(struct mb_strbuf *out, const struct view *view,
                          const struct mb_tune_class *below)
{
    const double edge = sqrt(below->border_texels);
    if (!below->above ||
        (below->question == MB_QUESTION_ANY && has_like(view, below, MB_QUESTION_EXACT))) {
        return; /* no winner changes, or it is told with the exact ones */
    }
    const bool is_both =
        below->question == MB_QUESTION_EXACT && has_like(view, below, MB_QUESTION_ANY);
    mb_strbuf_printf(out, "%s, %s%s, %s: %s up to the texels of %.0fx%.0f (%s), %s above.\n",
                     below->of->layout.format->name, mb_question_name(below->question),
                     is_both ? ", any" : "", below->is_power ? "powers of two" : "other sizes",
                     label_of(below), edge, edge, mb_tune_how_name(below->how),
                     label_of(below->above));
}

static size_t count_state(const struct mb_tune_case *c, enum mb_tune_state state)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_variants; i++) {
        n += c->variants[i].state == state;
    }
    return n;
}

/* "64x64 rgba8: 150 variants, of which 30 cannot run here and 9 are the same as others; coarse
 * pass 120 to 40 (1.25 x); ..." */
static void add_counts(struct mb_strbuf *out, const struct mb_tune_case *c)
{
    mb_strbuf_printf(out, "%ux%u %s: %zu variants, of which %zu cannot run here",
                     c->layout.base.width, c->layout.base.height, c->layout.format->name,
                     c->n_variants, count_state(c, MB_TUNE_SKIPPED));
    if (count_state(c, MB_TUNE_SAME) > 0) {
        mb_strbuf_printf(out, " and %zu are the same as others", count_state(c, MB_TUNE_SAME));
    }
    for (uint32_t i = 0; i < c->n_passes; i++) {
        mb_strbuf_printf(out, "; %s pass: %zu of %zu within %.2f x the best go on",
                         mb_tune_pass_name(i), c->pass[i].n_out, c->pass[i].n_in,
                         c->pass[i].margin);
    }
    mb_strbuf_printf(out, "; %zu in the final.\n", count_state(c, MB_TUNE_FINAL));
}

static void add_failures(struct mb_strbuf *out, const struct view *view,
                         const struct mb_tune_case *c)
{
    char label[MB_LABEL_BYTES];
    for (size_t i = 0; i < c->n_variants; i++) {
        if (c->variants[i].state == MB_TUNE_FAILED) {
            mb_variant_label(&view->tune->rows[i], label, sizeof label);
            mb_strbuf_printf(out, "%s%ux%u %s: %s FAILED: %s%s\n",
                             view->style->color ? PAINT_BAD : "", c->layout.base.width,
                             c->layout.base.height, c->layout.format->name, label,
                             c->variants[i].reason, view->style->color ? PAINT_OFF : "");
        }
    }
}

/* What all rows have in common, as above the table of a run. */
static void add_task(struct mb_strbuf *out, const struct mb_run *run)
{
    char text[TEXT_BYTES];
    const struct mb_timing *timing = &run->cases[0]->timings[0];
    mb_timing_describe_task(timing, text, sizeof text);
    mb_strbuf_printf(out, "%s  %s", timing->of->input, text);
    if (run->settings->n_levels > 0) {
        mb_strbuf_printf(out, ", up to %u levels", run->settings->n_levels);
    }
    mb_strbuf_append(out, "\n\n");
}

void mb_tune_text(struct mb_strbuf *out, const struct mb_run *run, const struct mb_tune *tune,
                  enum mb_tune_detail detail, const struct mb_table_style *style)
{
    const struct view view = {.run = run, .tune = tune, .style = style};
    if (run->n_cases > 0) {
        add_task(out, run);
        add_table(out, &view);
        mb_strbuf_append(out, "\n");
    }
    if (detail != MB_TUNE_BRIEF) {
        add_ties(out, &view, detail == MB_TUNE_VERBOSE);
    }
    for (size_t i = 0; i < tune->n_classes; i++) {
        add_crossover(out, &view, &tune->classes[i]);
    }
    for (size_t i = 0; i < tune->n_cases; i++) {
        add_failures(out, &view, &tune->cases[i]);
        if (detail == MB_TUNE_VERBOSE) {
            add_counts(out, &tune->cases[i]);
        }
    }
    if (tune->has_selftest && !tune->selftest.passed) {
        mb_strbuf_append(out, "The self-test of the instrument FAILED: trust none of this; "
                              "'mipbench --self-test' says more.\n");
    }
}
