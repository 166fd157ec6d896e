/* `mipbench tune`: shows and writes a run whose cases are contests. */
#include "cli/tune.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/figure.h"
#include "compare/run_headline.h"
#include "image/compare.h"
#include "result/label.h"
#include "cli/grid.h"

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
    {.title = "Up to", .is_right = true},
    {.title = "Verified"},
};

/* Whether the decisions for `exact` and `any` are equal and share a row: the fastest strategy
 * is often exact. */
static bool is_folded(const struct mb_tune *tune, const struct mb_tune_class *class)
{
    const struct mb_case *c = class->timing->of;
    const struct mb_tune_class *exact = mb_tune_find(tune, c, MB_QUESTION_EXACT);
    const struct mb_tune_class *any = mb_tune_find(tune, c, MB_QUESTION_ANY);
    return (class == exact || class == any) && exact && any && exact->chosen == any->chosen &&
           exact->runner_up == any->runner_up && exact->max_texels == any->max_texels;
}

/* "exact, any", or "any (floor)" if the chosen strategy is not exact. */
static struct mb_text text_policy(const struct mb_tune *tune, const struct mb_tune_class *class)
{
    const struct mb_answer answer = mb_row_answer(class->chosen);
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
    const struct mb_extent base = layout->base;
    const double growth = sqrt((double)class->max_texels / ((double)base.width * base.height));
    mb_grid_row(grid, false, "");
    mb_grid_cell(grid, "%ux%u", base.width, base.height);
    mb_grid_cell(grid, "%s", layout->format->name);
    mb_grid_cell(grid, "%s", text_policy(tune, class).s);
    mb_grid_cell(grid, "%s", winner->result->label);
    mb_grid_cell(grid, "%s", mb_time_text(stats->median_ns).s);
    mb_grid_cell(
        grid, "%s",
        mb_has_median_ci(stats)
            ? mb_time_range_text(stats->median_ci_ns, stats->median_ns, stats->median_ns).s
            : "-");
    mb_grid_cell(grid, "%s", next ? next->result->label : "-");
    mb_grid_cell(grid, "%s%s", next && class->next.outcome != MB_OUTCOME_SLOWER ? "tied " : "",
                 next ? mb_ratio_text(class->next.ratio).s : "-");
    mb_grid_cell(grid, "%s", next ? mb_ratio_range_text(class->next.ci).s : "-");
    mb_grid_cell(grid, "%.0fx%.0f", floor(base.width * growth), floor(base.height * growth));
    mb_grid_cell(grid, "%s", mb_verdict_describe(&winner->result->verdict, layout->format).s);
}

/* Add the table: a row for each decision. */
static void add_table(struct mb_strbuf *out, const struct mb_tune *tune,
                      const struct mb_table_style *style)
{
    MB_SCOPED(mb_grid) grid = {.columns = columns, .n_columns = MB_COUNTOF(columns)};
    for (size_t i = 0; i < tune->n_classes; i++) {
        const struct mb_tune_class *class = &tune->classes[i];
        if (class->question != MB_QUESTION_ANY || !is_folded(tune, class)) {
            add_row(&grid, tune, class);
        }
    }
    mb_grid_show(out, &grid, style);
}

/* Add the task that all rows share, like the line above the table of a run. */
static void add_task(struct mb_strbuf *out, const struct mb_run *run)
{
    const struct mb_timing *timing = &run->cases[0]->timings[0];
    mb_strbuf_printf(out, "%s  %s", timing->of->input, mb_timing_describe_task(timing).s);
    if (run->settings->n_levels > 0) {
        mb_strbuf_printf(out, ", up to %u levels", run->settings->n_levels);
    }
    mb_strbuf_append(out, "\n\n");
}

/* Add the task, a row for each size, format and policy, and the failures. */
static void add_outcome(struct mb_strbuf *out, const struct mb_run *run,
                        const struct mb_tune *tune, const struct mb_table_style *style)
{
    struct mb_strbuf below = {0};
    if (tune->n_classes > 0) {
        add_task(out, run);
        add_table(out, tune, style);
    }
    mb_headline_failures(&below, run);
    if (tune->has_selftest && !tune->selftest.passed) {
        mb_strbuf_append(&below,
                         "\nThe self-test of the instrument FAILED: trust none of this; "
                         "'mipbench --self-test' says more.\n");
    }
    mb_strbuf_wrap_lines(out, &below, style->columns);
}

enum mb_status mb_tune_begin(struct mb_session *session, struct mb_err *err)
{
    const struct mb_gpu_info *device = &session->gpu.info;
    MB_DO(mb_timer_check(device, err));
    if (mb_gpu_is_cpu(device)) {
        return MB_OK; /* times of a software device predict nothing */
    }
    mb_progress_step(&session->progress, "self-test", "checking the instrument");
    MB_DO(mb_selftest_run(&session->gpu, &session->options->settings, &session->tune.selftest,
                          err));
    session->tune.has_selftest = true;
    return MB_OK;
}

/* Write the header, results.json, then tune.json, also to `copy` unless that is NULL. */
static enum mb_status write_all(struct mb_session *session, const char *copy,
                                struct mb_err *err)
{
    const char *dir = session->output.dir;
    MB_SCOPED(mb_strbuf) header = {0}, json = {0};
    mb_tune_header(&session->run, &session->tune, &header);
    mb_tune_json(&session->run, &session->tune, &json);
    MB_DO(mb_strbuf_check(&header, err));
    MB_DO(mb_strbuf_check(&json, err));
    MB_DO(mb_file_write_in(dir, "mipbench_tuned.h", header.text, header.n_bytes, err));
    MB_DO(mb_output_results(&session->output, &session->run, err));
    MB_DO(mb_file_write_in(dir, "tune.json", json.text, json.n_bytes, err));
    return copy ? mb_output_write(copy, &json, err) : MB_OK;
}

enum mb_status mb_tune_case_done(void *user, const struct mb_run *run, const struct mb_case *c,
                                 struct mb_err *err)
{
    struct mb_session *session = user;
    struct mb_case *final = session->run.cases[run->n_cases - 1];
    mb_progress_case_done(&session->progress, c);
    MB_DO(mb_tune_add(&session->tune, &final->timings[0], run->seed, err));
    return write_all(session, NULL, err);
}

enum mb_status mb_tune_tell(struct mb_session *session, struct mb_err *err)
{
    const struct mb_output *output = &session->output;
    struct mb_strbuf text = {0};
    add_outcome(&text, &session->run, &session->tune, &output->style);
    MB_DO(mb_output_show(&text, output->options, err));
    MB_DO(write_all(session, session->options->json, err));
    mb_strbuf_printf(&text,
                     session->tune.n_classes > 0
                         ? "\nDecisions: %s/tune.json, mipbench_tuned.h; rows: results.json\n"
                         : "No decisions: %s/tune.json\n",
                     output->dir);
    return mb_output_show(&text, output->options, err);
}
