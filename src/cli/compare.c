/* `mipbench compare`: read, compare, show, write, judge. */
#include "cli/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/figure.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "compare/runs.h"
#include "cli/grid.h"
#include "result/label.h"
#include "result/result_read.h"
#include "cli/output.h"
#include "cli/pool.h"
#include "cli/session.h"

#define LAST_RANK 4
#define MAX_NAMED 3u /* regressions in the first line */

static const struct mb_grid_column columns[] = {
    {.title = "Strategy"},
    {.title = "Case"},
    {.title = "Base", .is_right = true, .drop = 1},
    {.title = "New", .is_right = true, .drop = 1},
    {.title = "Ratio", .is_right = true},
    {.title = "95% interval", .is_right = true, .drop = 2},
    {.title = "Margin", .is_right = true, .drop = 4},
    {.title = "p", .is_right = true, .drop = 3},
    {.title = "Runs", .is_right = true, .drop = 3},
    {.title = "Verdict"},
};

static const char *paint_of(const struct mb_compare_row *row)
{
    static const char *const paints[] = {
        [MB_OUTCOME_SAME] = "",
        [MB_OUTCOME_FASTER] = MB_PAINT_GOOD,
        [MB_OUTCOME_SLOWER] = MB_PAINT_BAD,
        [MB_OUTCOME_INCONCLUSIVE] = MB_PAINT_DIM,
    };
    return row->is_regression ? MB_PAINT_BAD : paints[row->outcome];
}

/* What more runs would settle is told below the table, for all rows. */
static void add_verdict(struct mb_grid *grid, const struct mb_compare_row *row)
{
    const bool tells_runs = row->is_single_run && row->n_runs_needed == 0;
    const char *check = row->is_check_lost ? ", no longer verified" : ", not checked";
    mb_grid_cell(grid, "%s%s%s%s%s%s", mb_outcome_names[row->outcome],
                 tells_runs ? ", single run" : "", row->is_checked ? "" : check,
                 row->is_exact_lost ? ", no longer exact" : "",
                 row->reason[0] != '\0' ? ": " : "", row->reason);
}

/* No figure is a dash: too few samples have neither interval nor p. */
static void add_row(struct mb_grid *grid, const struct mb_compare_row *row, bool is_verbose,
                    bool has_color)
{
    const bool has_p = isfinite(row->p_adjusted);
    mb_grid_row(grid, row->is_regression, has_color ? paint_of(row) : "");
    mb_grid_cell(grid, "%s", row->found[MB_BASE].usable->result->label);
    mb_grid_cell(grid, "%s", mb_timing_place(row->found[MB_BASE].usable->timing).s);
    mb_grid_cell(grid, "%s", mb_time_text(row->median_ns[MB_BASE]).s);
    mb_grid_cell(grid, "%s", mb_time_text(row->median_ns[MB_NEW]).s);
    mb_grid_cell(grid, "%s", mb_ratio_text(row->ratio.figure).s);
    mb_grid_cell(grid, "%s", has_p ? mb_ratio_range_text(row->ratio.ci).s : "-");
    if (is_verbose) {
        mb_grid_cell(grid, "%s", mb_percent_text(row->margin).s);
        mb_grid_cell(grid, "%s", has_p ? mb_text("%.3g", row->p_adjusted).s : "-");
        mb_grid_cell(grid, "%zu, %zu", row->found[MB_BASE].runs.n, row->found[MB_NEW].runs.n);
    }
    for (int i = 0; !is_verbose && i < 3; i++) {
        mb_grid_cell(grid, "%s", "");
    }
    add_verdict(grid, row);
}

/* A result that is wrong or gone has no figures, and is a row all the same. */
static void add_lost(struct mb_grid *grid, const struct mb_compare_gap *gap, bool has_color)
{
    mb_grid_row(grid, true, has_color ? MB_PAINT_BAD : "");
    mb_grid_cell(grid, "%s", gap->row->result->label);
    mb_grid_cell(grid, "%s", mb_timing_place(gap->row->timing).s);
    mb_grid_sentence(grid, "REGRESSION: %s", gap->reason);
}

/* Where a row stands: changed results, then slower ones, then what is not a regression. */
static int rank_of(const struct mb_compare_row *row)
{
    static const int ranks[] = {
        [MB_OUTCOME_SLOWER] = 1,
        [MB_OUTCOME_FASTER] = 2,
        [MB_OUTCOME_SAME] = 3,
        [MB_OUTCOME_INCONCLUSIVE] = LAST_RANK,
    };
    return row->is_check_lost || row->is_exact_lost ? 0 : ranks[row->outcome];
}

static struct mb_grid make_grid(const struct mb_comparison *comparison, bool is_verbose,
                                bool has_color)
{
    struct mb_grid grid = {.columns = columns, .n_columns = MB_COUNTOF(columns)};
    for (size_t i = 0; i < comparison->n_gaps; i++) {
        if (comparison->gaps[i].is_regression) {
            add_lost(&grid, &comparison->gaps[i], has_color);
        }
    }
    for (int rank = 0; rank <= LAST_RANK; rank++) {
        for (size_t i = 0; i < comparison->n_rows; i++) {
            if (rank_of(&comparison->rows[i]) == rank) {
                add_row(&grid, &comparison->rows[i], is_verbose, has_color);
            }
        }
    }
    return grid;
}

/* One of the regressions, with what stands before it in the list. */
MB_PRINTF(3, 4)
static void name_regression(struct mb_strbuf *out, size_t *n_named, const char *fmt, ...)
{
    char text[MB_LABEL_BYTES + 64];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if ((*n_named)++ < MAX_NAMED) {
        mb_strbuf_printf(out, "%s %s", *n_named > 1 ? "," : "", text);
    }
}

/* "2 regressions: blit failed, spd is 1.052x slower", in the order of the table. */
static void add_regressions(struct mb_strbuf *out, const struct mb_comparison *comparison)
{
    const size_t n = comparison->n_regressions;
    size_t n_named = 0;
    mb_strbuf_printf(out, "%zu regression%s:", n, n == 1 ? "" : "s");
    for (size_t i = 0; i < comparison->n_gaps; i++) {
        const struct mb_compare_gap *gap = &comparison->gaps[i];
        const bool has_failed = mb_row_status(gap->row) == MB_RESULT_FAILED ||
                                gap->row->result->verify == MB_VERIFY_FAIL;
        if (gap->is_regression) {
            name_regression(out, &n_named, "%s %s", gap->row->result->label,
                            has_failed ? "failed" : "is gone");
        }
    }
    for (int rank = 0; rank <= 1; rank++) {
        for (size_t i = 0; i < comparison->n_rows; i++) {
            const struct mb_compare_row *row = &comparison->rows[i];
            const char *label = row->found[MB_BASE].usable->result->label;
            if (rank_of(row) == rank && rank == 0) {
                name_regression(out, &n_named, "%s is no longer %s", label,
                                row->is_exact_lost ? "exact" : "verified");
            } else if (rank_of(row) == rank) {
                name_regression(out, &n_named, "%s is %sx slower", label,
                                mb_ratio_text(row->ratio.figure).s);
            }
        }
    }
    if (n > MAX_NAMED) {
        mb_strbuf_printf(out, " and %zu more", n - MAX_NAMED);
    }
}

/* "NVIDIA H200, driver X, mipbench abcdef0": as far as the first runs of both sides are alike,
 * or as far as they are not; nothing where no fact is so. */
static void add_facts(struct mb_strbuf *out, const struct mb_comparison *comparison, int side,
                      bool is_alike, const char *separator)
{
    const struct mb_run *file = &comparison->group[side].files[0];
    const struct mb_run *other = &comparison->group[!side].files[0];
    const struct mb_text driver = mb_run_driver(file), shown = mb_run_driver_shown(file);
    const bool is_driver_alike = strcmp(driver.s, mb_run_driver(other).s) == 0;
    const bool tells = is_driver_alike || strcmp(shown.s, mb_run_driver_shown(other).s) != 0;
    const struct {
        const char *name, *text;
        bool is_alike;
    } facts[] = {
        {"", file->device.name, strcmp(file->device.name, other->device.name) == 0},
        {"driver ", tells ? shown.s : driver.s, is_driver_alike},
        {"mipbench ", mb_run_git_sha(file),
         strcmp(mb_run_git_sha(file), mb_run_git_sha(other)) == 0},
    };
    for (size_t i = 0; i < MB_COUNTOF(facts); i++) {
        if (facts[i].is_alike == is_alike) {
            mb_strbuf_printf(out, "%s%s%s", separator, facts[i].name, facts[i].text);
            separator = ", ";
        }
    }
}

/* "Base  before: mipbench abcdef0": the folder or file, how many others, and what sets the side
 * apart. */
static void add_side(struct mb_strbuf *out, const struct mb_comparison *comparison, int side)
{
    static const char own_name[] = "/results.json";
    const struct mb_run_group *group = &comparison->group[side];
    char path[640];
    mb_utf8_sanitize(group->files[0].path, path, sizeof path);
    const size_t n = strlen(path), n_own = strlen(own_name);
    if (n > n_own && strcmp(path + n - n_own, own_name) == 0) {
        path[n - n_own] = '\0';
    }
    mb_strbuf_printf(out, "%s  %s", side == MB_BASE ? "Base" : "New ", path);
    if (group->n_files > 1) {
        mb_strbuf_printf(out, " and %zu other run%s", group->n_files - 1,
                         group->n_files == 2 ? "" : "s");
    }
    add_facts(out, comparison, side, false, ": ");
    mb_strbuf_append(out, "\n");
}

static void add_sides(struct mb_strbuf *out, const struct mb_comparison *comparison)
{
    MB_SCOPED(mb_strbuf) both = {0};
    add_side(out, comparison, MB_BASE);
    add_side(out, comparison, MB_NEW);
    add_facts(&both, comparison, MB_BASE, true, "Both  ");
    if (both.n_bytes > 0) {
        mb_strbuf_printf(out, "%s\n", mb_strbuf_text(&both));
    }
    out->failed = out->failed || both.failed;
}

static void add_gaps(struct mb_strbuf *out, const struct mb_comparison *comparison,
                     bool has_color)
{
    size_t n_shown = 0;
    for (size_t i = 0; i < comparison->n_gaps; i++) {
        const struct mb_compare_gap *gap = &comparison->gaps[i];
        if (!gap->is_regression) {
            mb_strbuf_printf(out, "%s%s  %s  %s: %s%s\n",
                             n_shown++ == 0 ? "Not compared:\n" : "",
                             has_color ? MB_PAINT_DIM : "", gap->row->result->label,
                             mb_timing_place(gap->row->timing).s, gap->reason,
                             has_color ? MB_PAINT_OFF : "");
        }
    }
    mb_strbuf_append(out, n_shown > 0 ? "\n" : "");
}

/* "INCONCLUSIVE, single run: about 19 to more than 50 runs a side would settle these." */
static void add_runs_needed(struct mb_strbuf *out, const struct mb_comparison *comparison)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < comparison->n_rows; i++) {
        const uint32_t n = comparison->rows[i].n_runs_needed;
        least = n > 0 && n < least ? n : least;
        most = n > most ? n : most;
    }
    if (most == 0) {
        return;
    }
    mb_strbuf_append(out, "\nINCONCLUSIVE, single run: ");
    if (least < most) {
        mb_strbuf_printf(out, "about %u to ", least);
    }
    mb_strbuf_append(out, most == MB_MANY_RUNS ? "more than " : least == most ? "about " : "");
    mb_strbuf_printf(out, "%u runs a side would settle these.", most);
}

/* "12 compared: 1 SLOWER, 11 SAME; 2 not compared; single run: ...", without a newline at the
 * end. */
static void add_summary(struct mb_strbuf *out, const struct mb_comparison *comparison)
{
    static const enum mb_outcome order[] = {MB_OUTCOME_SLOWER, MB_OUTCOME_FASTER,
                                            MB_OUTCOME_SAME, MB_OUTCOME_INCONCLUSIVE};
    const char *separator = ": ";
    mb_strbuf_printf(out, "%zu compared", comparison->n_rows);
    for (size_t i = 0; i < MB_COUNTOF(order); i++) {
        const size_t n = comparison->n_outcomes[order[i]];
        if (n > 0) {
            mb_strbuf_printf(out, "%s%zu %s", separator, n, mb_outcome_names[order[i]]);
            separator = ", ";
        }
    }
    if (comparison->n_gaps > 0) {
        mb_strbuf_printf(out, "; %zu not compared", comparison->n_gaps);
    }
    if (comparison->n_lost > 0) {
        mb_strbuf_printf(out, ", %zu of them verified before", comparison->n_lost);
    }
    if (comparison->n_checks_lost > 0) {
        mb_strbuf_printf(out, "; %zu no longer verified", comparison->n_checks_lost);
    }
    if (comparison->n_exact_lost > 0) {
        mb_strbuf_printf(out, "; %zu no longer exact", comparison->n_exact_lost);
    }
    if (comparison->n_single_runs > 0) {
        mb_strbuf_append(out, "; single run");
        if (comparison->n_single_runs < comparison->n_rows) {
            mb_strbuf_printf(out, " in %zu of them", comparison->n_single_runs);
        }
        mb_strbuf_printf(out,
                         ": with fewer than %d a side, a difference must clear %s, as runs "
                         "differ from each other",
                         MB_FEW_RUNS,
                         mb_percent_text(comparison->options.threshold + MB_RUN_TO_RUN).s);
    }
    mb_strbuf_append(out, ".");
    add_runs_needed(out, comparison);
}

/* The terminal's table, with --quiet only what became worse besides, and the sum. */
static void add_text(struct mb_strbuf *out, const struct mb_comparison *comparison,
                     const struct mb_options *options)
{
    const bool is_verbose = options->verbosity > 0;
    const bool is_brief = options->quiet && !is_verbose;
    const struct mb_table_style style = mb_output_style(options);
    const bool has_color = style.color;
    MB_SCOPED(mb_grid) grid = make_grid(comparison, is_verbose, has_color);
    const size_t n_columns = mb_terminal_columns(style.columns);
    MB_SCOPED(mb_strbuf) above = {0}, below = {0};
    if (comparison->n_regressions > 0) {
        add_regressions(&above, comparison);
        mb_strbuf_append(&above, is_brief ? "\n" : "\n\n");
    }
    if (!is_brief) {
        add_sides(&above, comparison);
        for (size_t i = 0; i < comparison->n_warnings; i++) {
            mb_strbuf_printf(&above, "%swarning: %s%s\n", has_color ? MB_PAINT_WARN : "",
                             comparison->warnings[i], has_color ? MB_PAINT_OFF : "");
        }
        mb_strbuf_append(&above, "\n");
    }
    mb_strbuf_wrap_lines(out, mb_strbuf_text(&above), n_columns);
    /* Who asks for every column has them all in a pipe. */
    mb_grid_text(out, &grid, is_verbose ? mb_text_columns(&style) : style.columns);
    mb_strbuf_append(out, grid.n_rows > 0 ? "\n" : "");
    if (!is_brief) {
        add_gaps(&below, comparison, has_color);
    }
    add_summary(&below, comparison);
    mb_strbuf_append(&below, "\n");
    mb_strbuf_wrap_lines(out, mb_strbuf_text(&below), n_columns);
    out->failed = out->failed || above.failed || below.failed;
}

/* An item of a list; `begin` is markup, the rest is escaped. */
MB_PRINTF(3, 4)
static void md_item(struct mb_strbuf *out, const char *begin, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    mb_strbuf_append(out, begin);
    mb_markdown_text(out, text);
    mb_strbuf_append(out, "\n");
}

static void md_regressions(struct mb_strbuf *out, const struct mb_comparison *comparison)
{
    MB_SCOPED(mb_strbuf) text = {0};
    add_regressions(&text, comparison);
    mb_markdown_text(out, mb_strbuf_text(&text));
    mb_strbuf_append(out, "\n\n");
    out->failed = out->failed || text.failed;
}

static void md_side(struct mb_strbuf *out, const char *begin, const struct mb_run_group *group)
{
    for (size_t i = 0; i < group->n_files; i++) {
        const struct mb_run *file = &group->files[i];
        md_item(out, begin, "%s (%s), %s, driver %s, mipbench %s", file->path, file->id,
                file->device.name, mb_run_driver_shown(file).s, mb_run_git_sha(file));
    }
}

/* GitHub Markdown with all of it. */
static void add_markdown(struct mb_strbuf *out, const struct mb_comparison *comparison)
{
    MB_SCOPED(mb_grid) grid = make_grid(comparison, true, false);
    if (comparison->n_regressions > 0) {
        md_regressions(out, comparison);
    }
    add_summary(out, comparison);
    mb_strbuf_append(out, "\n\n");
    md_side(out, "* base: ", &comparison->group[MB_BASE]);
    md_side(out, "* new: ", &comparison->group[MB_NEW]);
    for (size_t i = 0; i < comparison->n_warnings; i++) {
        md_item(out, "* warning: ", "%s", comparison->warnings[i]);
    }
    if (grid.n_rows > 0) {
        mb_strbuf_append(out, "\n");
        mb_grid_markdown(out, &grid);
    }
    mb_strbuf_append(out, comparison->n_gaps > comparison->n_lost ? "\nNot compared:\n\n" : "");
    for (size_t i = 0; i < comparison->n_gaps; i++) {
        const struct mb_compare_gap *gap = &comparison->gaps[i];
        if (!gap->is_regression) {
            md_item(out, "* ", "%s %s: %s", gap->row->result->label,
                    mb_timing_place(gap->row->timing).s, gap->reason);
        }
    }
}

static void json_group(struct mb_json *json, const char *key, const struct mb_run_group *group)
{
    struct cJSON *list = mb_json_array(json, json->root, key);
    for (size_t i = 0; i < group->n_files; i++) {
        const struct mb_run *file = &group->files[i];
        struct cJSON *node = mb_json_object(json, list, NULL);
        mb_json_string(json, node, "path", file->path);
        mb_json_string(json, node, "run_id", file->id);
        mb_json_string(json, node, "device", file->device.name);
        mb_json_string(json, node, "driver", mb_run_driver(file).s);
        mb_json_string(json, node, "git_sha", mb_run_git_sha(file));
        mb_json_bool(json, node, "complete", file->complete);
    }
}

static void json_case(struct mb_json *json, struct cJSON *node, const struct mb_row *row)
{
    mb_json_string(json, node, "strategy", row->result->label);
    mb_json_string(json, node, "case", mb_timing_place(row->timing).s);
}

static void json_row(struct mb_json *json, struct cJSON *list, const struct mb_compare_row *row)
{
    struct cJSON *node = mb_json_object(json, list, NULL);
    json_case(json, node, row->found[MB_BASE].usable);
    mb_json_number(json, node, "base_ns", row->median_ns[MB_BASE]);
    mb_json_number(json, node, "new_ns", row->median_ns[MB_NEW]);
    mb_json_number(json, node, "ratio", row->ratio.figure);
    mb_json_numbers(json, node, "ci", row->ratio.ci, 2);
    mb_json_number(json, node, "p", row->ratio.p);
    mb_json_number(json, node, "p_adjusted", row->p_adjusted);
    mb_json_number(json, node, "threshold", row->threshold);
    mb_json_number(json, node, "margin", row->margin);
    mb_json_number(json, node, "spread", row->spread);
    mb_json_number(json, node, "runs_needed",
                   row->n_runs_needed > 0 ? (double)row->n_runs_needed : (double)NAN);
    mb_json_u64(json, node, "base_runs", row->found[MB_BASE].runs.n);
    mb_json_u64(json, node, "new_runs", row->found[MB_NEW].runs.n);
    mb_json_bool(json, node, "single_run", row->is_single_run);
    mb_json_bool(json, node, "verified", row->is_checked);
    mb_json_bool(json, node, "identical_samples", row->is_identical);
    mb_json_string(json, node, "verdict", mb_outcome_names[row->outcome]);
    mb_json_string(json, node, "reason", row->reason[0] != '\0' ? row->reason : NULL);
    mb_json_bool(json, node, "regression", row->is_regression);
}

static void json_gap(struct mb_json *json, struct cJSON *list, const struct mb_compare_gap *gap)
{
    struct cJSON *node = mb_json_object(json, list, NULL);
    json_case(json, node, gap->row);
    mb_json_string(json, node, "reason", gap->reason);
    mb_json_bool(json, node, "regression", gap->is_regression);
}

static void json_summary(struct mb_json *json, const struct mb_comparison *comparison)
{
    static const char *const keys[] = {
        [MB_OUTCOME_SAME] = "same",
        [MB_OUTCOME_FASTER] = "faster",
        [MB_OUTCOME_SLOWER] = "slower",
        [MB_OUTCOME_INCONCLUSIVE] = "inconclusive",
    };
    struct cJSON *node = mb_json_object(json, json->root, "summary");
    mb_json_u64(json, node, "compared", comparison->n_rows);
    for (size_t i = 0; i < MB_COUNTOF(keys); i++) {
        mb_json_u64(json, node, keys[i], comparison->n_outcomes[i]);
    }
    mb_json_u64(json, node, "not_compared", comparison->n_gaps);
    mb_json_u64(json, node, "single_run", comparison->n_single_runs);
    mb_json_u64(json, node, "no_longer_verified", comparison->n_checks_lost);
    mb_json_u64(json, node, "no_longer_exact", comparison->n_exact_lost);
    mb_json_u64(json, node, "regressions", comparison->n_regressions);
}

static enum mb_status make_json(const struct mb_comparison *comparison, char **text,
                                struct mb_err *err)
{
    MB_SCOPED(mb_json) json;
    mb_json_init(&json);
    mb_json_schema(&json, "mipbench-comparison", "1.2.0");
    mb_json_number(&json, json.root, "threshold", comparison->options.threshold);
    mb_json_u64(&json, json.root, "seed", comparison->options.seed);
    mb_json_bool(&json, json.root, "single_run", comparison->n_single_runs > 0);
    json_group(&json, "base", &comparison->group[MB_BASE]);
    json_group(&json, "new", &comparison->group[MB_NEW]);
    struct cJSON *rows = mb_json_array(&json, json.root, "comparisons");
    for (size_t i = 0; i < comparison->n_rows; i++) {
        json_row(&json, rows, &comparison->rows[i]);
    }
    struct cJSON *gaps = mb_json_array(&json, json.root, "not_compared");
    for (size_t i = 0; i < comparison->n_gaps; i++) {
        json_gap(&json, gaps, &comparison->gaps[i]);
    }
    struct cJSON *warnings = mb_json_array(&json, json.root, "warnings");
    for (size_t i = 0; i < comparison->n_warnings; i++) {
        mb_json_string(&json, warnings, NULL, comparison->warnings[i]);
    }
    json_summary(&json, comparison);
    return mb_json_print(&json, text, err);
}

/* Says why; where nothing could be decided, nothing shows that all is well. */
static bool is_worse(const struct mb_comparison *comparison)
{
    const size_t n_open = comparison->n_outcomes[MB_OUTCOME_INCONCLUSIVE];
    const bool is_open = n_open == comparison->n_rows;
    if (comparison->n_regressions > 0) {
        mb_log(MB_LOG_ERROR, "%zu of %zu results became worse", comparison->n_regressions,
               comparison->n_rows + comparison->n_gaps);
    } else if (is_open) {
        mb_log(MB_LOG_ERROR, "nothing could be %s, so --fail-on-regression fails",
               comparison->n_rows == 0 ? "compared" : "decided");
    }
    return comparison->n_regressions > 0 || is_open;
}

static bool is_undecided(const struct mb_comparison *comparison)
{
    const size_t n_open = comparison->n_outcomes[MB_OUTCOME_INCONCLUSIVE];
    if (n_open > 0) {
        mb_log(MB_LOG_ERROR, "%zu of %zu results could not be decided", n_open,
               comparison->n_rows);
    } else if (comparison->n_rows == 0) {
        mb_log(MB_LOG_ERROR, "nothing could be compared, so --fail-on-inconclusive fails");
    }
    return n_open > 0 || comparison->n_rows == 0;
}

static enum mb_status compare_files(const struct mb_options *options,
                                    const struct mb_run_group *files, enum mb_errc *verdict,
                                    struct mb_err *err)
{
    const size_t n_base = options->n_base_files;
    const struct mb_compare_options how = {.threshold = options->threshold,
                                           .seed = options->settings.seed};
    const struct mb_run_group sides[MB_N_SIDES] = {
        [MB_BASE] = {.files = files->files, .n_files = n_base},
        [MB_NEW] = {.files = files->files + n_base, .n_files = files->n_files - n_base},
    };
    MB_SCOPED(mb_comparison) comparison = {.n_rows = 0};
    MB_SCOPED(mb_strbuf) text = {0}, markdown = {0};
    MB_FREED char *json = NULL;
    MB_DO(mb_compare_runs(sides, &how, &comparison, err));
    mb_session_end_at_once(false);
    add_text(&text, &comparison, options);
    MB_DO(mb_output_show(&text, mb_output_takes_stdout(options), err));
    if (options->markdown != NULL) {
        add_markdown(&markdown, &comparison);
        MB_DO(mb_strbuf_check(&markdown, err));
        MB_DO(mb_output_write(options->markdown, mb_strbuf_text(&markdown), err));
    }
    if (options->json != NULL) {
        MB_DO(make_json(&comparison, &json, err));
        MB_DO(mb_output_write(options->json, json, err));
    }
    if ((options->fail_on_regression && is_worse(&comparison)) ||
        (options->fail_on_inconclusive && is_undecided(&comparison))) {
        *verdict = MB_ERRC_VERIFY;
    }
    return MB_OK;
}

enum mb_status mb_compare_run(const struct mb_options *options, enum mb_errc *verdict,
                              struct mb_err *err)
{
    enum mb_status status;
    const struct mb_settings *settings = &options->settings;
    struct mb_run *read = NULL;
    MB_DO(mb_output_check(options, err));
    mb_session_end_at_once(true); /* until there is something to write */
    MB_DO(mb_runs_read(settings->inputs, settings->n_inputs, &read, err));
    const struct mb_run_group files = {.files = read, .n_files = settings->n_inputs};
    status = options->pool ? mb_pool_show(options, &files, err)
                           : compare_files(options, &files, verdict, err);
    mb_runs_finish(read, settings->n_inputs);
    return status;
}
