/* Makes the table of a run. The same code fills rows for the terminal and for Markdown. */
#include "cli/run_table.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/version.h"
#include "bench/settings.h"
#include "compare/run_headline.h"
#include "result/label.h"
#include "result/ranking.h"

static const struct mb_grid_column columns[] = {
    {.title = "Strategy"},
    {.title = "Median", .is_right = true},
    {.title = "95% interval", .is_right = true, .drop = 1},
    {.title = "p95", .is_right = true, .drop = 5},
    {.title = "GB/s", .is_right = true, .drop = 6},
    {.title = "of peak", .is_right = true, .drop = 4},
    {.title = "Ratio", .is_right = true},
    {.title = "95% interval", .is_right = true, .drop = 3},
    {.title = "Result"},
    {.title = "From exact", .is_right = true, .drop = 2},
    {.title = "Runs", .is_right = true}, /* only of pooled runs */
    {.title = "Verified"},
};

/* Values that all rows of a table share. */
struct view {
    const struct mb_run *run;
    const struct mb_timing *timing;
    struct mb_ranking ranking;
    const struct mb_table_style *style;
    double least_ns; /* the shortest of all medians; infinite: nothing was timed */
};

/* Whether two variants of a strategy were skipped for the same reason. */
static bool is_skipped_alike(const struct mb_row *a, const struct mb_row *b)
{
    return mb_row_status(a) == MB_RESULT_SKIPPED && mb_row_status(b) == MB_RESULT_SKIPPED &&
           a->result->strategy == b->result->strategy &&
           strcmp(mb_row_reason(a), mb_row_reason(b)) == 0;
}

/* The number of variants skipped like this one; 0 if a row above stands for all of them. */
static size_t count_alike(const struct mb_timing *timing, const struct mb_row *row)
{
    size_t n = 0;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        if (is_skipped_alike(&timing->rows[i], row)) {
            if (n == 0 && &timing->rows[i] < row) {
                return 0;
            }
            n++;
        }
    }
    return n;
}

/* Compulsory bytes divided by the median: bytes per nanosecond are GB/s. */
static double rate_gbps(const struct mb_timing *timing, const struct mb_row *row)
{
    return (double)timing->of->compulsory_bytes / row->stats.median_ns;
}

/* Add the ratio to the fastest row, and the interval of the ratio if known. */
static void add_relation(struct mb_grid *grid, const struct view *view,
                         const struct mb_row *row, const char *blank)
{
    const struct mb_relation *relation = &row->relation;
    if (view->run->validate || row->result->verify == MB_VERIFY_FAIL ||
        !isfinite(mb_row_time_ns(row))) {
        mb_grid_cell(grid, "%s", blank);
        mb_grid_cell(grid, "%s", "");
        return;
    }
    mb_grid_cell(grid, "%s", mb_ratio_text(relation->ratio).s);
    mb_grid_cell(grid, "%s", relation->p >= 0.0 ? mb_ratio_range_text(relation->ci).s : "");
}

/* Add the columns of times: dashes if this row was not timed, nothing if no row was. */
static void add_times(struct mb_grid *grid, const struct view *view, const struct mb_row *row)
{
    const struct mb_stats *stats = &row->stats;
    const char *blank = isfinite(view->least_ns) ? "-" : "";
    if (isfinite(mb_row_time_ns(row))) {
        mb_grid_cell(grid, "%s", mb_time_text_like(stats->median_ns, view->least_ns).s);
        mb_grid_cell(
            grid, "%s",
            mb_has_median_ci(stats)
                ? mb_time_range_text(stats->median_ci_ns, stats->median_ns, view->least_ns).s
                : "-");
        mb_grid_cell(grid, "%s", mb_time_text_like(stats->p95_ns, view->least_ns).s);
        mb_grid_cell(grid, "%s", mb_digits_text(rate_gbps(view->timing, row)).s);
    } else {
        for (int i = 0; i < 4; i++) {
            mb_grid_cell(grid, "%s", blank);
        }
    }
    mb_grid_cell(grid, "%s",
                 isfinite(view->timing->floor_ns) && !mb_gpu_is_cpu(&view->run->device)
                     ? mb_percent_text(mb_row_of_floor(row)).s
                     : "");
    add_relation(grid, view, row, blank);
}

static void add_verified(struct mb_grid *grid, const struct view *view,
                         const struct mb_row *row)
{
    const struct mb_result *result = row->result;
    const struct mb_layout *layout = &view->timing->of->layout;
    if (result->is_diagnostic) {
        mb_grid_cell(grid, "leaves work out");
    } else if (result->work.tolerance.has_no_policy) {
        const bool is_void = mb_tolerance_is_void(&result->work.tolerance, layout->format);
        mb_grid_cell(grid, is_void ? "claims nothing" : "no policy");
    } else if (result->verify == MB_VERIFY_SKIPPED) {
        mb_grid_cell(grid, "not checked");
    } else if (result->verify == MB_VERIFY_FAIL) {
        mb_grid_cell(grid, "FAIL: %s", mb_row_fault(row));
    } else if (row->n_runs > 0) {
        mb_grid_cell(grid, "yes"); /* errors are in each run; intervals need the room */
    } else {
        mb_grid_cell(grid, "%s", mb_verdict_describe(&result->verdict, layout->format).s);
    }
}

static const char *paint_of(const struct mb_row *row, bool is_best)
{
    const enum mb_result_status status = mb_row_status(row);
    if (status == MB_RESULT_FAILED || row->result->verify == MB_VERIFY_FAIL) {
        return MB_PAINT_BAD;
    }
    return status == MB_RESULT_SKIPPED ? MB_PAINT_DIM : is_best ? MB_PAINT_GOOD : "";
}

static void add_row(struct mb_grid *grid, const struct view *view, const struct mb_row *row,
                    bool is_best)
{
    const struct mb_result *result = row->result;
    const size_t n_alike = count_alike(view->timing, row);
    if (mb_row_status(row) == MB_RESULT_SKIPPED && n_alike == 0) {
        return; /* a row above stands for this one */
    }
    mb_grid_row(grid, is_best, paint_of(row, is_best));
    if (n_alike > 1) {
        mb_grid_cell(grid, "%s (%zu variants)", result->strategy->name, n_alike);
    } else {
        mb_grid_cell(grid, "%s", result->label);
    }
    if (!mb_row_has_run(row)) {
        mb_grid_cell(grid, "%s: %s", mb_result_status_names[mb_row_status(row)],
                     mb_row_reason(row));
        return;
    }
    add_times(grid, view, row);
    mb_grid_cell(grid, "%s", mb_answer_describe(row).s);
    mb_grid_cell(grid, "%s", mb_from_exact_describe(row).s);
    mb_grid_cell(grid, "%s", row->n_runs > 0 ? mb_count_text(row->n_runs).s : "");
    add_verified(grid, view, row);
}

void mb_table_loud(struct mb_strbuf *lines, const struct mb_table_style *style, const char *fmt,
                   ...)
{
    char text[700];
    va_list args;
    va_start(args, fmt);
    mb_utf8_sanitize_format(text, sizeof text, fmt, args);
    va_end(args);
    mb_strbuf_printf(lines, "%s%s%s\n", style->color ? MB_PAINT_WARN : "", text,
                     style->color ? MB_PAINT_OFF : "");
}

void mb_table_header(struct mb_strbuf *out, const struct mb_run *run,
                     const struct mb_table_style *style)
{
    const struct mb_gpu_info *device = &run->device;
    struct mb_strbuf lines = {0};
    mb_strbuf_printf(&lines, "mipbench " MB_VERSION " - %s - driver %s - Vulkan %u.%u\n",
                     device->name, mb_run_driver(run),
                     VK_API_VERSION_MAJOR(device->api_version),
                     VK_API_VERSION_MINOR(device->api_version));
    if (mb_gpu_is_cpu(device)) {
        mb_table_loud(&lines, style,
                      "SOFTWARE DEVICE: its times do not predict those of a GPU.");
    }
    if (run->validate) {
        mb_table_loud(&lines, style,
                      "Validation is on: its times say nothing, and nothing is ranked.");
    }
    if (device->timestamp_valid_bits == 0) {
        mb_table_loud(&lines, style, "This device has no timestamps: no times are reported.");
    }
    mb_table_lines(out, &lines, style);
}

static struct mb_grid make_grid(struct view *view)
{
    struct mb_grid grid = {.columns = columns, .n_columns = MB_COUNTOF(columns)};
    const size_t winner = view->ranking.winner;
    MB_FREED size_t *order = mb_rows_by_time(view->timing);
    grid.text.failed = order == NULL;
    for (size_t i = 0; order && i < view->timing->of->n_results; i++) {
        const struct mb_row *row = &view->timing->rows[order[i]];
        view->least_ns = i == 0 ? mb_row_time_ns(row) : view->least_ns;
        add_row(&grid, view, row, order[i] == winner);
    }
    return grid;
}

/* Add "  spd: TEXT", and finish the text. */
static void add_line(struct mb_strbuf *out, const char *label, struct mb_strbuf *text)
{
    mb_strbuf_printf(out, "  %s: %s\n", label, mb_strbuf_text(text));
    out->failed = out->failed || text->failed;
    mb_strbuf_finish(text);
}

/* Add "by level, hot (gap before): 1: 30.7 us (1.90 us), 2-3: 10.3 us (640 ns)". */
static void describe_split(struct mb_strbuf *out, const struct mb_split *split)
{
    mb_strbuf_append(out, "by level, hot (gap before):");
    for (uint32_t i = 0; i < split->n_steps; i++) {
        const uint32_t first = split->step[i].first_level, n = split->step[i].n_levels;
        mb_strbuf_printf(out, "%s %u", i > 0 ? "," : "", first);
        if (n > 1) {
            mb_strbuf_printf(out, "-%u", first + n - 1);
        }
        mb_strbuf_printf(out, ": %s (%s)", mb_time_text(split->step[i].median_ns).s,
                         mb_time_text(split->step[i].gap_ns).s);
    }
}

/* Add the time by level of each strategy. */
static void add_split(struct mb_strbuf *out, const struct mb_timing *timing)
{
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_result *result = &timing->of->results[i];
        struct mb_strbuf text = {0};
        if (!result->has_work) {
            continue;
        }
        if (result->split.n_steps > 0) {
            describe_split(&text, &result->split);
        } else {
            mb_strbuf_append(&text, result->work.n_dispatches == 0
                                        ? "no dispatch: nothing to time by level"
                                        : "one dispatch: not separable by level");
        }
        add_line(out, result->label, &text);
    }
}

static bool has_warning(const struct mb_row *row, const char *message)
{
    const struct mb_warning *warning;
    for (size_t w = 0; (warning = mb_row_warning(row, w)) != NULL; w++) {
        if (strcmp(warning->message, message) == 0) {
            return true;
        }
    }
    return false;
}

/* Add "  note: blit and spd: MESSAGE", without names if every row has the message. Add nothing
 * if a row before `first` has it. */
static void add_note(struct mb_strbuf *out, const struct mb_timing *timing, size_t first,
                     const char *message)
{
    const size_t n_rows = timing->of->n_results;
    size_t n = 0, n_named = 0, n_before = 0;
    for (size_t i = 0; i < n_rows; i++) {
        n += has_warning(&timing->rows[i], message);
        n_before += i < first && has_warning(&timing->rows[i], message);
    }
    const bool is_for_all = n == n_rows && n > 1;
    MB_SCOPED(mb_strbuf) text = {0};
    for (size_t i = 0; i < n_rows && !is_for_all; i++) {
        if (has_warning(&timing->rows[i], message)) {
            mb_strbuf_list(&text, timing->of->results[i].label, n_named++, n);
        }
    }
    mb_strbuf_printf(&text, "%s%s", is_for_all ? "" : ": ", message);
    if (n_before == 0) {
        add_line(out, "note", &text);
    }
}

/* Add each warning once, with the rows that have it. Unless `all`, add only warnings that a
 * reader of the figures must know. */
static void add_warnings(struct mb_strbuf *out, const struct mb_timing *timing, bool all)
{
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_warning *warning;
        for (size_t w = 0; (warning = mb_row_warning(&timing->rows[i], w)) != NULL; w++) {
            if (all || !mb_warning_is_quiet(warning)) {
                add_note(out, timing, i, warning->message);
            }
        }
    }
}

/* Add the notes below the table of a run. */
static void add_notes(struct mb_strbuf *out, const struct view *view)
{
    const struct mb_table_style *style = view->style;
    if (view->run->n_pooled > 0) {
        return;
    }
    const bool is_first = view->timing == view->timing->of->timings;
    if (view->run->settings->per_level && is_first) { /* the split is always of a hot cache */
        add_split(out, view->timing);
    }
    if (!style->is_brief) {
        add_warnings(out, view->timing, style->is_verbose);
    }
}

/* Add a line on what was measured, with the input as given. */
static void add_head(struct mb_strbuf *out, const struct view *view)
{
    const char *input = view->timing->of->input;
    const struct mb_text task = mb_timing_describe(view->timing);
    if (view->style->is_markdown) {
        mb_strbuf_append(out, "\n### ");
        mb_markdown_text(out, input);
        mb_strbuf_printf(out, " %s", task.s);
    } else {
        mb_strbuf_printf(out, "%s  ", input);
        mb_strbuf_wrap(out, task.s, mb_utf8_columns(input) + 2, view->style->columns);
    }
    mb_strbuf_append(out, "\n\n");
}

void mb_table_timing(struct mb_strbuf *out, const struct mb_run *run,
                     const struct mb_timing *timing, const struct mb_table_style *style)
{
    struct view view = {
        .run = run, .timing = timing, .ranking = mb_ranking_of(run, timing), .style = style};
    MB_SCOPED(mb_grid) grid = make_grid(&view);
    struct mb_strbuf lines = {0};
    add_head(out, &view);
    mb_grid_show(out, &grid, style);
    mb_ranking_lines(&lines, &view.ranking);
    add_notes(&lines, &view);
    mb_strbuf_append(out, "\n");
    mb_table_lines(out, &lines, style);
}

void mb_table_markdown(const struct mb_run *run, struct mb_strbuf *out)
{
    const struct mb_table_style style = {.is_markdown = true};
    struct mb_strbuf lines = {0};
    mb_table_header(out, run, &style);
    if (!run->complete) {
        mb_strbuf_printf(&lines, "Incomplete: %s.\n", run->exit_reason);
    }
    mb_table_lines(out, &lines, &style);
    for (size_t i = 0; i < run->n_cases; i++) {
        for (size_t k = 0; k < run->cases[i]->n_timings; k++) {
            mb_table_timing(out, run, &run->cases[i]->timings[k], &style);
        }
    }
    mb_headline_summary(&lines, run);
    mb_strbuf_append(out, lines.n_bytes > 0 ? "\n### Summary\n\n" : "");
    mb_table_lines(out, &lines, &style);
}
