/* `mipbench tune`: run, show, write. */
#include "cli/tune.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/figure.h"
#include "image/compare.h"
#include "result/label.h"
#include "tune/report.h"
#include "tune/tune.h"
#include "cli/grid.h"
#include "cli/session.h"

struct tuning {
    struct mb_session session; /* first: what is given to hooks and mb_session_conclude() */
    struct mb_tune tune;
};

static const struct mb_grid_column columns[] = {
    {.title = "Size"},
    {.title = "Format"},
    {.title = "Policy"},
    {.title = "Chosen"},
    {.title = "Median", .is_right = true},
    {.title = "95% interval", .is_right = true, .drop = 3},
    {.title = "Runner-up", .drop = 1},
    {.title = "Ratio", .is_right = true, .drop = 1},
    {.title = "95% interval", .is_right = true, .drop = 2},
    {.title = "Verified"},
};

/* The fastest of all is often exact: then one row stands for both policies. */
static bool is_folded(const struct mb_tune *tune, const struct mb_tune_class *class)
{
    const struct mb_case *c = class->timing->of;
    const struct mb_tune_class *exact = mb_tune_find(tune, c, MB_QUESTION_EXACT);
    const struct mb_tune_class *any = mb_tune_find(tune, c, MB_QUESTION_ANY);
    return (class == exact || class == any) && exact && any && exact->chosen == any->chosen &&
           exact->runner_up == any->runner_up;
}

/* "exact, any", or "any (floor)" where the chosen one is not exact. */
static struct mb_text text_policy(const struct mb_tune *tune, const struct mb_tune_class *class)
{
    const struct mb_answer answer = mb_result_answer(class->timing->of, class->chosen->result);
    const bool is_told =
        class->question == MB_QUESTION_ANY && (answer.questions & 1u << MB_QUESTION_EXACT) == 0;
    return mb_text("%s%s%s%s%s", mb_question_names[class->question],
                   is_folded(tune, class) ? ", any" : "", is_told ? " (" : "",
                   is_told ? answer.word : "", is_told ? ")" : "");
}

static void add_row(struct mb_grid *grid, const struct mb_tune *tune,
                    const struct mb_tune_class *class)
{
    const struct mb_layout *layout = &class->timing->of->layout;
    const struct mb_row *winner = class->chosen, *next = class->runner_up;
    const struct mb_stats *stats = &winner->stats;
    mb_grid_row(grid, false, "");
    mb_grid_cell(grid, "%ux%u", layout->base.width, layout->base.height);
    mb_grid_cell(grid, "%s", layout->format->name);
    mb_grid_cell(grid, "%s", text_policy(tune, class).s);
    mb_grid_cell(grid, "%s", winner->result->label);
    mb_grid_cell(grid, "%s", mb_time_text(stats->median_ns).s);
    mb_grid_cell(
        grid, "%s",
        stats->median_ci_level >= 0.95
            ? mb_time_range_text(stats->median_ci_ns, stats->median_ns, stats->median_ns).s
            : "-");
    mb_grid_cell(grid, "%s", next ? next->result->label : "-");
    mb_grid_cell(grid, "%s%s", next && class->next.outcome != MB_OUTCOME_SLOWER ? "tied " : "",
                 next ? mb_ratio_text(class->next.ratio).s : "-");
    mb_grid_cell(grid, "%s", next ? mb_ratio_range_text(class->next.ci).s : "-");
    mb_grid_cell(grid, "%s", mb_verdict_describe(&winner->result->verdict, layout->format).s);
}

/* A row for each decision, case by case. */
static void add_table(struct mb_strbuf *out, const struct mb_run *run,
                      const struct mb_tune *tune, size_t terminal_columns)
{
    MB_SCOPED(mb_grid) grid = {.columns = columns, .n_columns = MB_COUNTOF(columns)};
    for (size_t i = 0; i < run->n_cases * MB_N_QUESTIONS; i++) {
        const enum mb_question question = (enum mb_question)(i % MB_N_QUESTIONS);
        const struct mb_tune_class *class =
            mb_tune_find(tune, run->cases[i / MB_N_QUESTIONS], question);
        if (class && !(question == MB_QUESTION_ANY && is_folded(tune, class))) {
            add_row(&grid, tune, class);
        }
    }
    mb_grid_text(out, &grid, terminal_columns);
}

/* "64x64 rgba8, exact: spd cannot be told from the fastest, spd:wave=off, and is simpler." */
static void add_tie(struct mb_strbuf *out, const struct mb_tune *tune,
                    const struct mb_tune_class *class)
{
    const struct mb_layout *layout = &class->timing->of->layout;
    if (class->chosen != class->fastest) {
        mb_strbuf_printf(out,
                         "%ux%u %s, %s: %s cannot be told from the fastest, %s, and is "
                         "simpler.\n",
                         layout->base.width, layout->base.height, layout->format->name,
                         text_policy(tune, class).s, class->chosen->result->label,
                         class->fastest->result->label);
    }
}

/* "rgba8, exact, powers of two: spd up to about 1448x1448 (interpolated), spd-tree above." */
static void add_crossover(struct mb_strbuf *out, const struct mb_tune *tune,
                          const struct mb_tune_class *below)
{
    const double edge = sqrt(below->border_texels);
    const bool is_both =
        below->above && is_folded(tune, below) && is_folded(tune, below->above);
    if (!below->above || (below->question == MB_QUESTION_ANY && is_both)) {
        return; /* no winner changes, or it is told with the exact ones */
    }
    mb_strbuf_printf(out, "%s, %s%s, %s: %s up to the texels of %.0fx%.0f (%s), %s above.\n",
                     below->timing->of->layout.format->name, mb_question_names[below->question],
                     is_both ? ", any" : "", below->is_power ? "powers of two" : "other sizes",
                     below->chosen->result->label, edge, edge, mb_tune_how_names[below->how],
                     below->above->chosen->result->label);
}

static void add_failures(struct mb_strbuf *out, const struct mb_run *run, bool color)
{
    struct mb_rows rows = {.run = run};
    for (const struct mb_row *row; (row = mb_rows_next(&rows)) != NULL;) {
        const struct mb_layout *layout = &row->timing->of->layout;
        if (mb_row_status(row) == MB_RESULT_FAILED) {
            mb_strbuf_printf(out, "%s%ux%u %s: %s FAILED: %s%s\n", color ? MB_PAINT_BAD : "",
                             layout->base.width, layout->base.height, layout->format->name,
                             row->result->label, row->result->reason,
                             color ? MB_PAINT_OFF : "");
        }
    }
}

/* The task of all rows, as above the table of a run. */
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
 * --quiet only where the winner changes. */
static void add_outcome(struct mb_strbuf *out, const struct mb_run *run,
                        const struct mb_tune *tune, bool is_quiet,
                        const struct mb_table_style *style)
{
    struct mb_strbuf below = {0};
    if (run->n_cases > 0) {
        add_task(out, run);
        add_table(out, run, tune, style->columns);
        mb_strbuf_append(out, "\n");
    }
    for (size_t i = 0; i < tune->n_classes && !is_quiet; i++) {
        add_tie(&below, tune, &tune->classes[i]);
    }
    for (size_t i = 0; i < tune->n_classes; i++) {
        add_crossover(&below, tune, &tune->classes[i]);
    }
    add_failures(&below, run, style->color);
    if (tune->has_selftest && !tune->selftest.passed) {
        mb_strbuf_append(&below, "The self-test of the instrument FAILED: trust none of this; "
                                 "'mipbench --self-test' says more.\n");
    }
    mb_strbuf_wrap_lines(out, &below, style->columns);
}

/* The header, the run as results.json, and last of all tune.json; and a copy of it, unless
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
    return copy ? mb_output_write(copy, json, err) : MB_OK;
}

/* After each case, so that a crash loses nothing. */
static enum mb_status on_case_done(void *user, const struct mb_run *run,
                                   const struct mb_case *c, struct mb_err *err)
{
    struct tuning *tuning = user;
    mb_progress_case_done(&tuning->session.progress, c);
    return write_all(tuning, NULL, err);
}

/* Print the outcome, write all of it, and say where. */
static enum mb_status tell(struct mb_session *session, struct mb_err *err)
{
    struct tuning *tuning = (struct tuning *)session;
    const struct mb_output *output = &session->output;
    struct mb_strbuf text = {0};
    add_outcome(&text, &session->run, &tuning->tune, session->options->quiet, &output->style);
    MB_DO(mb_output_show(&text, output->stdout_is_taken, err));
    MB_DO(write_all(tuning, session->options->json, err));
    mb_strbuf_printf(&text,
                     tuning->tune.n_classes > 0
                         ? "Decisions: %s/tune.json, mipbench_tuned.h; rows: results.json\n"
                         : "No decisions: %s/tune.json\n",
                     output->dir);
    return mb_output_show(&text, output->stdout_is_taken, err);
}

enum mb_status mb_tune_command_run(const struct mb_options *options, enum mb_errc *verdict,
                                   struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct tuning tuning = {.session.options = options};
    struct mb_session *session = &tuning.session;
    struct mb_hooks hooks = mb_session_hooks(session);
    hooks.on_case_done = on_case_done;
    const size_t n_images = options->n_formats * mb_settings_n_sizes(&options->settings);
    MB_TRY(mb_session_open(session, n_images, err));
    const struct mb_tune_options tune_options = {
        .gpu = &session->gpu,
        .settings = &options->settings,
        .formats = options->formats,
        .n_formats = options->n_formats,
        .rows = session->rows,
        .n_rows = session->n_rows,
        .hooks = &hooks,
    };
    status = mb_tune_run(&tune_options, &session->inputs.images[0], &session->run, &tuning.tune,
                         err);
    MB_TRY(mb_session_conclude(session, status, session->run.n_cases, "", tell, err));
    MB_TRY(mb_run_exit_code(&session->run, session->rows, false, verdict, err));
    if (*verdict == MB_ERRC_NONE && tuning.tune.undecided.code != MB_ERRC_NONE) {
        *err = tuning.tune.undecided;
        *verdict = err->code;
        status = MB_UNSUPPORTED;
    }
fail:
    mb_tune_finish(&tuning.tune);
    return mb_session_close(session, status, err);
}
