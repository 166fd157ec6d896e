/* `mipbench tune`: run, show, write. */
#include "cli/tune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "bench/settings.h"
#include "image/compare.h"
#include "result/label.h"
#include "tune/choose.h"
#include "tune/report.h"
#include "tune/tune.h"
#include "cli/grid.h"
#include "cli/session.h"

struct tuning {
    struct mb_session session; /* first: what is given to mb_session_conclude() */
    struct mb_tune tune;
    char heat[64]; /* "coarse 2 of 6" */
};

static const struct mb_grid_column columns[] = {
    {.title = "Size"},
    {.title = "Format"},
    {.title = "Policy"},
    {.title = "Chosen"},
    {.title = "Median", .is_right = true},
    {.title = "95% interval", .is_right = true, .drop = 3},
    {.title = "Runner-up", .drop = 1},
    {.title = "Relative", .is_right = true, .drop = 1},
    {.title = "95% interval", .is_right = true, .drop = 2},
    {.title = "Verified"},
};

static const struct mb_result *result_of(const struct mb_row *row)
{
    return row != NULL ? row->result : NULL;
}

/* What is exact is often what is fastest, whatever the policy: one row then stands for both. */
static bool is_folded(const struct mb_tune_case *c)
{
    const struct mb_tune_choice *exact = &c->choice[MB_QUESTION_EXACT];
    const struct mb_tune_choice *any = &c->choice[MB_QUESTION_ANY];
    return exact->chosen != NULL && any->chosen != NULL &&
           exact->chosen->result == any->chosen->result &&
           result_of(exact->runner_up) == result_of(any->runner_up);
}

static bool is_both(const struct mb_tune_choice *choice)
{
    return choice->question == MB_QUESTION_EXACT && is_folded(choice->of);
}

/* The next decision to tell, the case's questions in order, or NULL; `*index` is 0 before the
 * first. */
static const struct mb_tune_choice *next_choice(const struct mb_tune *tune, size_t *index)
{
    for (; *index < tune->n_cases * MB_N_QUESTIONS; (*index)++) {
        const struct mb_tune_case *c = &tune->cases[*index / MB_N_QUESTIONS];
        const size_t question = *index % MB_N_QUESTIONS;
        if (c->choice[question].chosen != NULL &&
            !(question == MB_QUESTION_ANY && is_folded(c))) {
            (*index)++;
            return &c->choice[question];
        }
    }
    return NULL;
}

/* "exact, any", or "any (floor)" where the chosen one is of another policy, and that shows. */
static struct mb_text text_policy(const struct mb_tune_choice *choice)
{
    const enum mb_policy policy = choice->chosen->result->work.tolerance.filter.policy;
    const bool is_told =
        choice->question == MB_QUESTION_ANY && policy != MB_POLICY_BOX && !choice->is_even;
    return mb_text("%s%s%s%s%s", mb_question_names[choice->question],
                   is_both(choice) ? ", any" : "", is_told ? " (" : "",
                   is_told ? mb_policy_names[policy] : "", is_told ? ")" : "");
}

static void add_row(struct mb_grid *grid, const struct mb_tune_choice *choice)
{
    const struct mb_layout *layout = &choice->of->layout;
    const struct mb_row *winner = choice->chosen;
    mb_grid_row(grid, false, "");
    mb_grid_cell(grid, "%ux%u", layout->base.width, layout->base.height);
    mb_grid_cell(grid, "%s", layout->format->name);
    mb_grid_cell(grid, "%s", text_policy(choice).s);
    mb_grid_cell(grid, "%s", winner->result->label);
    mb_grid_cell(grid, "%s", mb_time_text(winner->stats.median_ns).s);
    mb_grid_cell(grid, "%s",
                 winner->stats.median_ci_level >= 0.95
                     ? mb_time_range_text(winner->stats.median_ci_ns, winner->stats.median_ns,
                                          winner->stats.median_ns)
                           .s
                     : "-");
    mb_grid_cell(grid, "%s", choice->runner_up ? choice->runner_up->result->label : "-");
    mb_grid_cell(grid, "%s%s", choice->runner_up && !choice->is_distinct ? "tied " : "",
                 choice->runner_up ? mb_ratio_text(choice->next.ratio).s : "-");
    mb_grid_cell(grid, "%s", choice->runner_up ? mb_ratio_range_text(choice->next.ci).s : "-");
    mb_grid_cell(grid, "%s", mb_verdict_describe(&winner->result->verdict, layout->format).s);
}

static void add_table(struct mb_strbuf *out, const struct mb_tune *tune,
                      const struct mb_table_style *style)
{
    MB_SCOPED(mb_grid) grid = {.columns = columns, .n_columns = MB_COUNTOF(columns)};
    size_t index = 0;
    for (const struct mb_tune_choice *choice; (choice = next_choice(tune, &index)) != NULL;) {
        add_row(&grid, choice);
    }
    mb_grid_text(out, &grid, style->columns);
}

/* "64x64 rgba8" */
static void add_size(struct mb_strbuf *out, const struct mb_tune_case *c)
{
    mb_strbuf_printf(out, "%ux%u %s", c->layout.base.width, c->layout.base.height,
                     c->layout.format->name);
}

/* "64x64 rgba8, exact: spd cannot be told from the fastest, spd:wave=off, and is simpler." With
 * `is_verbose` also where it is the fastest itself that others cannot be told from. */
static void add_tie(struct mb_strbuf *out, const struct mb_tune_choice *choice, bool is_verbose)
{
    const bool is_fastest = choice->chosen == choice->fastest;
    if (choice->n_tied == 0 || (is_fastest && !is_verbose)) {
        return;
    }
    add_size(out, choice->of);
    mb_strbuf_printf(out, ", %s: ", text_policy(choice).s);
    if (is_fastest) {
        mb_strbuf_printf(out, "%zu other%s cannot be told from %s.\n", choice->n_tied,
                         choice->n_tied == 1 ? "" : "s", choice->chosen->result->label);
        return;
    }
    mb_strbuf_printf(out, "%s cannot be told from the fastest, %s, and is simpler or steadier",
                     choice->chosen->result->label, choice->fastest->result->label);
    if (choice->n_tied > 1) {
        mb_strbuf_printf(out, " (%zu are tied)", choice->n_tied + 1);
    }
    mb_strbuf_append(out, ".\n");
}

static const char *label_of(const struct mb_tune_choice *choice)
{
    return choice->chosen->result->label;
}

/* The class of another policy with the same winners below and above. */
static bool has_like(const struct mb_tune *tune, const struct mb_tune_choice *below,
                     enum mb_question question)
{
    for (size_t i = 0; i < tune->n_classes; i++) {
        const struct mb_tune_choice *other = tune->classes[i];
        if (other->question == question && other->of == below->of && other->above &&
            other->above->of == below->above->of &&
            strcmp(label_of(other), label_of(below)) == 0 &&
            strcmp(label_of(other->above), label_of(below->above)) == 0) {
            return true;
        }
    }
    return false;
}

/* "rgba8, exact, even sizes: spd up to about 1448x1448 (interpolated), spd-tree above." */
static void add_crossover(struct mb_strbuf *out, const struct mb_tune *tune,
                          const struct mb_tune_choice *below)
{
    const double edge = sqrt(below->border_texels);
    if (!below->above ||
        (below->question == MB_QUESTION_ANY && has_like(tune, below, MB_QUESTION_EXACT))) {
        return; /* no winner changes, or it is told with the exact ones */
    }
    const bool is_both =
        below->question == MB_QUESTION_EXACT && has_like(tune, below, MB_QUESTION_ANY);
    mb_strbuf_printf(out, "%s, %s%s, %s: %s up to the texels of %.0fx%.0f (%s), %s above.\n",
                     below->of->layout.format->name, mb_question_names[below->question],
                     is_both ? ", any" : "", below->is_even ? "even sizes" : "other sizes",
                     label_of(below), edge, edge, mb_tune_how_names[below->how],
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
    add_size(out, c);
    mb_strbuf_printf(out, ": %zu variants, of which %zu cannot run here", c->n_variants,
                     count_state(c, MB_TUNE_SKIPPED));
    if (count_state(c, MB_TUNE_SAME) > 0) {
        mb_strbuf_printf(out, " and %zu are the same as others", count_state(c, MB_TUNE_SAME));
    }
    for (uint32_t i = 0; i < c->n_passes; i++) {
        mb_strbuf_printf(out, "; %s pass: %zu of %zu within %s x the best go on",
                         mb_tune_rules[i].name, c->pass[i].n_out, c->pass[i].n_in,
                         mb_ratio_text(mb_tune_rules[i].margin).s);
    }
    mb_strbuf_printf(out, "; %zu in the final.\n", count_state(c, MB_TUNE_FINAL));
}

static void add_failures(struct mb_strbuf *out, const struct mb_tune *tune,
                         const struct mb_tune_case *c, const struct mb_table_style *style)
{
    char label[MB_LABEL_BYTES];
    for (size_t i = 0; i < c->n_variants; i++) {
        if (c->variants[i].state == MB_TUNE_FAILED) {
            mb_variant_label(&tune->rows[i], label, sizeof label);
            mb_strbuf_append(out, style->color ? MB_PAINT_BAD : "");
            add_size(out, c);
            mb_strbuf_printf(out, ": %s FAILED: %s%s\n", label, c->variants[i].reason,
                             style->color ? MB_PAINT_OFF : "");
        }
    }
}

/* What all rows have in common, as above the table of a run. */
static void add_task(struct mb_strbuf *out, const struct mb_run *run)
{
    const struct mb_timing *timing = &run->cases[0]->timings[0];
    mb_strbuf_printf(out, "%s  %s", timing->of->input, mb_timing_describe_task(timing).s);
    if (run->settings->n_levels > 0) {
        mb_strbuf_printf(out, ", up to %u levels", run->settings->n_levels);
    }
    mb_strbuf_append(out, "\n\n");
}

/* The task, a row for each size, format and policy, and what is to be said of them: with
 * --quiet only where the winner changes, with --verbose also what all of them are tied with and
 * how many variants were dropped. */
static void add_outcome(struct mb_strbuf *out, const struct mb_run *run,
                        const struct mb_tune *tune, const struct mb_options *options,
                        const struct mb_table_style *style)
{
    const bool is_verbose = options->verbosity > 0;
    const struct mb_tune_choice *choice;
    MB_SCOPED(mb_strbuf) below = {0};
    size_t index = 0;
    if (run->n_cases > 0) {
        add_task(out, run);
        add_table(out, tune, style);
        mb_strbuf_append(out, "\n");
    }
    while ((is_verbose || !options->quiet) && (choice = next_choice(tune, &index)) != NULL) {
        add_tie(&below, choice, is_verbose);
    }
    for (size_t i = 0; i < tune->n_classes; i++) {
        add_crossover(&below, tune, tune->classes[i]);
    }
    for (size_t i = 0; i < tune->n_cases; i++) {
        add_failures(&below, tune, &tune->cases[i], style);
        if (is_verbose) {
            add_counts(&below, &tune->cases[i]);
        }
    }
    if (tune->has_selftest && !tune->selftest.passed) {
        mb_strbuf_append(&below, "The self-test of the instrument FAILED: trust none of this; "
                                 "'mipbench --self-test' says more.\n");
    }
    mb_strbuf_wrap_lines(out, mb_strbuf_text(&below), mb_terminal_columns(style->columns));
    out->failed = out->failed || below.failed;
}

static void on_step(void *user, const char *label, const char *step)
{
    struct tuning *tuning = user;
    mb_progress_step(&tuning->session.progress, label, step);
}

static void on_block(void *user, size_t n_candidates, uint32_t n_done, uint32_t n_total)
{
    struct tuning *tuning = user;
    char label[128];
    snprintf(label, sizeof label, "%s, %zu variants", tuning->heat, n_candidates);
    mb_progress_rounds(&tuning->session.progress, label, n_done, n_total);
}

static void on_case_begin(void *user, size_t index)
{
    struct tuning *tuning = user;
    mb_progress_image(&tuning->session.progress, index);
}

static void on_heat(void *user, const char *pass, size_t heat, size_t n_heats)
{
    struct tuning *tuning = user;
    snprintf(tuning->heat, sizeof tuning->heat, n_heats > 1 ? "%s %zu of %zu" : "%s", pass,
             heat + 1, n_heats);
    mb_progress_step(&tuning->session.progress, tuning->heat, "setting up");
}

/* The header, the finals as results.json, and last of all tune.json; and a copy of it, unless
 * `copy` is NULL. */
static enum mb_status write_all(struct tuning *tuning, const char *copy, struct mb_err *err)
{
    const char *dir = tuning->session.output.dir;
    MB_FREED char *header = NULL, *json = NULL;
    MB_DO(mb_tune_header(&tuning->session.run, &tuning->tune, &header, err));
    MB_DO(mb_tune_json(&tuning->session.run, &tuning->tune, &json, err));
    MB_DO(mb_file_write_in(dir, "mipbench_tuned.h", header, strlen(header), err));
    MB_DO(mb_output_results(&tuning->session.output, &tuning->session.run, err));
    MB_DO(mb_file_write_in(dir, "tune.json", json, strlen(json), err));
    if (copy) {
        MB_DO(mb_output_write(copy, json, err));
    }
    return MB_OK;
}

/* After each case, so that a crash loses nothing. */
static enum mb_status on_case_done(void *user, struct mb_err *err)
{
    struct tuning *tuning = user;
    const struct mb_tune_case *c = &tuning->tune.cases[tuning->tune.n_cases - 1];
    if (c->final) {
        mb_progress_case_done(&tuning->session.progress, c->final->of);
    }
    return write_all(tuning, NULL, err);
}

/* Print the outcome, write all of it, and say where. */
static enum mb_status tell(struct mb_session *session, struct mb_err *err)
{
    struct tuning *tuning = (struct tuning *)session;
    const struct mb_output *output = &session->output;
    struct mb_strbuf text = {0};
    add_outcome(&text, &session->run, &tuning->tune, session->options, &output->style);
    MB_DO(mb_output_show(&text, output->stdout_is_taken, err));
    MB_DO(write_all(tuning, session->options->json, err));
    mb_strbuf_printf(&text,
                     tuning->tune.n_classes > 0
                         ? "Decisions: %s/tune.json, mipbench_tuned.h; finals: results.json\n"
                         : "No decisions; what became of each variant: %s/tune.json\n",
                     output->dir);
    return mb_output_show(&text, output->stdout_is_taken, err);
}

enum mb_status mb_tune_command_run(const struct mb_options *options, enum mb_errc *verdict,
                                   struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct tuning tuning = {.session.options = options};
    struct mb_session *session = &tuning.session;
    const struct mb_hooks hooks = {
        .user = &tuning,
        .is_interrupted = mb_session_is_interrupted,
        .on_step = on_step,
        .on_block = on_block,
    };
    MB_TRY(mb_session_open(session, options->n_formats * mb_bench_n_images(&options->settings),
                           err));
    const struct mb_tune_options tune_options = {
        .gpu = &session->gpu,
        .settings = &options->settings,
        .formats = options->formats,
        .n_formats = options->n_formats,
        .rows = session->rows,
        .n_rows = session->n_rows,
        .hooks = &hooks,
        .on_case_begin = on_case_begin,
        .on_heat = on_heat,
        .on_case_done = on_case_done,
    };
    status = mb_tune_run(&tune_options, &session->inputs.images[0], &session->run, &tuning.tune,
                         err);
    MB_TRY(mb_session_conclude(session, status, tuning.tune.n_cases, "", tell, err));
    *verdict = mb_tune_verdict(&tuning.tune, err);
    status = *verdict == MB_ERRC_NONE ? MB_OK : MB_FAILED;
fail:
    mb_tune_finish(&tuning.tune);
    return mb_session_close(session, status, err);
}
